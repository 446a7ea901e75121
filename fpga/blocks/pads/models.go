package pads

import _ "embed"

// models is what Models returns.
//
//go:embed models.v
var models string

// Models returns Verilog of the primitives, for simulators that know edges and delays; its time unit is a picosecond. Synthesis has
// the primitives from its own library.
func Models() string { return models }
