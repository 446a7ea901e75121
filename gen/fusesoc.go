package main

import (
	"bytes"
	"fmt"
	"path"

	"gornic/configs"
)

// coreName is the description of the project for FuseSoC (CAPI 2), in the root.
const coreName = "gornic.core"

// fuseSoC describes the Verilog of a configuration for FuseSoC.
func fuseSoC(config configs.Config, names []string, top string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `CAPI=2:
# Written by go run ./gen, like the files that it names.
name: ::gornic:0
description: RoCEv2 RDMA NIC core, configuration %s

filesets:
  rtl:
    file_type: verilogSource
    files:
`, config.Name)
	for _, name := range names {
		fmt.Fprintf(&b, "      - %s\n", path.Join("rtl", name))
	}
	fmt.Fprintf(&b, `
targets:
  default:
    filesets: [rtl]
    toplevel: %[1]s
  lint:
    description: Verilator's warnings
    filesets: [rtl]
    toplevel: %[1]s
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wall]
`, top)
	return b.Bytes()
}
