package main

import (
	"bytes"
	"fmt"
	"strings"

	"gornic/configs"
	"gornic/format"
)

// tables returns the documents that are made of the project's tables, by name.
func tables() map[string][]byte {
	return map[string][]byte{
		"formats.md":       formatTables(),
		"configuration.md": configurationTable(),
	}
}

const madeBy = "<!-- Written by `go run ./gen`: edit the table in the Go code, not this file. -->\n\n"

func configurationTable() []byte {
	var b bytes.Buffer
	b.WriteString("# Configuration files\n\n" + madeBy)
	b.WriteString("A configuration is a YAML file in `configs/`. It has each of these lines once; an unknown field or an impossible\nvalue is an error that names the file, the line and the field.\n\n")
	b.WriteString("| field | what it sets | values |")
	var all []configs.Config
	for _, name := range configs.Names() {
		if c, err := configs.Named(name); err == nil {
			all = append(all, c)
			b.WriteString(" " + name + " |")
		}
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(all)) + "\n")
	for _, f := range configs.Fields() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |", f.Name, f.Doc, f.Want)
		for _, c := range all {
			fmt.Fprintf(&b, " %d |", f.Value(c))
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

func formatTables() []byte {
	var b bytes.Buffer
	b.WriteString("# Formats\n\n" + madeBy)
	b.WriteString("Fields stand in the order of the wire, most significant bit first. The types are in package `format`.\n\n## Headers\n")
	header[format.Ethernet[uint64]](&b, "Ethernet")
	header[format.VLAN[uint64]](&b, "VLAN")
	header[format.IPv4[uint64]](&b, "IPv4")
	header[format.IPv6[uint64]](&b, "IPv6")
	header[format.UDP[uint64]](&b, "UDP")
	header[format.BTH[uint64]](&b, "BTH")
	header[format.RETH[uint64]](&b, "RETH")
	header[format.AtomicETH[uint64]](&b, "AtomicETH")
	header[format.AETH[uint64]](&b, "AETH")
	header[format.AtomicAckETH[uint64]](&b, "AtomicAckETH")
	header[format.ImmDt[uint64]](&b, "ImmDt")
	header[format.IETH[uint64]](&b, "IETH")
	b.WriteString("\n## Descriptors\n")
	header[format.RxDescriptor[uint64]](&b, "RxDescriptor")
	header[format.TxDescriptor[uint64]](&b, "TxDescriptor")
	opcodeTable(&b)
	reasonTable(&b)
	return b.Bytes()
}

// header writes the layout of format T.
func header[T any](b *bytes.Buffer, name string) {
	fields, err := format.Layout[T]()
	if err != nil {
		panic(err) // a format with a wrong tag: the tests of package format fail, too
	}
	fmt.Fprintf(b, "\n### %s (%d bits)\n\n| field | bits | from bit |\n|---|---|---|\n", name, format.Bits[T]())
	for _, f := range fields {
		fmt.Fprintf(b, "| %s | %d | %d |\n", f.Name, f.Bits, f.Offset)
	}
}

func opcodeTable(b *bytes.Buffer) {
	b.WriteString("\n## Opcodes\n\nAn opcode of the reliable connection that is not here is handed on with its BTH alone, flagged.\n\n")
	b.WriteString("| code | name | headers after the BTH | bytes with the BTH | payload | message |\n|---|---|---|---|---|---|\n")
	for _, op := range format.Opcodes() {
		var headers []string
		for _, h := range op.Headers {
			headers = append(headers, h.String())
		}
		fmt.Fprintf(b, "| %02X | %s | %s | %d | %s | %s |\n",
			uint8(op.Code), op.Name, strings.Join(headers, " "), op.HeaderBytes(), op.Payload, place(op))
	}
}

// place says which part of a message a packet is.
func place(op format.OpInfo) string {
	switch {
	case op.Start && op.End:
		return "whole"
	case op.Start:
		return "start"
	case op.End:
		return "end"
	}
	return "middle"
}

func reasonTable(b *bytes.Buffer) {
	b.WriteString("\n## Verdicts\n\nA received frame gets the first reason whose condition holds.\n\n")
	b.WriteString("| reason | code | verdict | when |\n|---|---|---|---|\n")
	for _, r := range format.Reasons() {
		fmt.Fprintf(b, "| %s | %d | %s | %s |\n", r.Name, r.Reason, r.Reason.Verdict(), r.Text)
	}
}
