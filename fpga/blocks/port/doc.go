// Package port has the messages between the blocks of a board. Frames are those of
// hdl/stream ([Frame] fixes their width), host memory and registers the AXI ports of blocks/link.
//
// Start at [Access], by which a host reaches a board, whatever line it comes over.
package port
