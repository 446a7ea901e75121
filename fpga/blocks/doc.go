// Package blocks lists the hardware of a board around the core, one package for each block. Start with
// [All]; fpga/blocks/top is all of it joined, and fpga/blocks/port has the messages between blocks. A block's folder
// has the files that gornic/blocks describes.
package blocks
