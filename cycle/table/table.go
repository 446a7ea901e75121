// Package table holds how long the blocks of the core take: one file, table.yaml, of
// latencies and intervals in cycles, each pinned to the RTL that it was taken from.
//
// Start with [Default]. [Table.Check] compares the pins with rtl/: a table that does
// not belong to it is an error that names the blocks whose Verilog has changed.
package table

// Table is how long blocks take.
type Table struct {
	Blocks map[string]Block `yaml:"blocks"`
}

// Block is how long one block takes: named numbers of cycles.
type Block struct {
	Cycles map[string]int `yaml:"cycles"`
}
