// Package netlist is a synthesized design as Yosys' write_json prints it: cells of an FPGA's family and the nets between them.
//
// [Read] takes the file of a flat design. [Netlist.Tree] tells what each instance of the design costs: Yosys flattens
// the hierarchy and lets logic move across it, but names every cell after what it makes, and the name begins with
// the path of the instance. [Source] goes the other way, from a name of a net to the line of Go that it comes from.
//
//	netlist.go  the file
//	kind.go     what a cell is, for any family
//	size.go     what cells cost
//	tree.go     the cost by instance
//	source.go   names in terms of the source
package netlist
