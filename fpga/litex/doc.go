// Package litex has the gornic core on a LiteX SoC, and tests it in Verilator.
//
// gornic_litex.py is the example: add_gornic puts the core's registers and its AXI master on a SoC's bus, and a LiteEth MAC between
// the core and a PHY. The packages that it needs, in requirements.txt, are fetched from PyPI when the test is asked to:
//
//	go test ./fpga/litex -pypi     a virtual environment in build/fpga, then the test; later runs find it there
//
// The test has LiteX write the Verilog of a SoC whose PHY is a loop, and drives it by package verbs over the AXI-Lite port that stands
// for a processor ([Host]): it reads what the device says of itself, and has two queue pairs of the one NIC write to
// each other through the MAC.
package litex
