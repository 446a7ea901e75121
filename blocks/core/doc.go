// Package core is the whole core: every block, joined by the streams that
// docs/core.md draws. Start with [Def]. There is no logic here but wires,
// arbiters and forks.
//
//	core.go     ports and parameters
//	join.go     the blocks as instances, and who is connected with whom around both halves
//	send.go     from a doorbell to a frame
//	keys.go     who changes keys, and fences
//	receive.go  from a frame to memory, completions and answers
package core
