// Package roce takes RoCEv2 frames apart and puts them together, in plain Go
// written from docs/protocol.md, over the tables of package format:
//
//	parse.go  [Parse]: what becomes of a frame that comes in, and what is handed on of it
//	build.go  [Build]: the frame of a descriptor and a payload; [Rebuild] goes from a frame to its descriptor
//	icrc.go   [ICRC], [AppendICRC], [CheckICRC]: the invariant CRC
//
// They are the references of the blocks rxparse, packetbuild and icrc, and what the
// reference NIC (package golden) receives and sends frames with.
package roce
