package main

// A peer is a block of another project, synthesized by Yosys 0.23 with the same flow for UltraScale+ as ours.
type peer struct {
	name  string
	like  string // the block of ours that does the same
	width int
	Size
}

// peers are measurements; depth is in cells, with each cell of a carry chain counted.
var peers = []peer{
	{"flat CRC-32 step, whole beats only (a floor)", "icrc", 64, Size{LUT: 728, FF: 32, Depth: 8}},
	{"flat CRC-32 step, whole beats only (a floor)", "icrc", 256, Size{LUT: 1553, FF: 32, Depth: 9}},
	{"flat CRC-32 step, whole beats only (a floor)", "icrc", 512, Size{LUT: 2837, FF: 32, Depth: 10}},
	{"blue-crc in surf: byte enables, 8 stages", "icrc", 256, Size{LUT: 9597, FF: 9406, Depth: 16}},
	{"100G-RoCEv2-lite: masking the ICRC's fields alone", "icrc", 512, Size{LUT: 3450, FF: 2191, Depth: 14}},
	{"100G-RoCEv2-lite: header builder", "packetbuild", 256, Size{LUT: 1098, FF: 1403, Depth: 17}},
	{"verilog-ethernet: UDP/IP transmit", "packetbuild", 64, Size{LUT: 392, FF: 581, Depth: 10}},
	{"verilog-ethernet: UDP/IP receive", "rxparse", 64, Size{LUT: 240, FF: 584, Depth: 9}},
	{"JingZhao: parser", "rxparse", 512, Size{LUT: 2625, FF: 948, Depth: 15}},
}
