// Package blocks lists the datapath blocks of the core. Each has a folder of
// its own with the same files: doc.go (what it does, its streams and state,
// what happens on a stall or a fault, cycles per packet), NAME.go (the
// generator), reference.go (the same function in plain Go, written from
// docs/protocol.md; of what touches frames, in tb/golden/roce), properties.go
// (what is proved about it) and tests that hold the two against each other. A
// file beside these is an idea of the generator, and doc.go names it. Three
// folders are no blocks: link has the messages between blocks, pieces what
// gather and scatter share, linktest what block tests share.
//
// [All] is the list that gen, the area table, the lint and the proofs walk.
package blocks
