package main

import (
	"bytes"
	"fmt"
	"strings"

	"gornic/format"
)

// formatTables is the document of the formats.
func formatTables() ([]byte, error) {
	source, err := readFormat()
	if err != nil {
		return nil, err
	}
	w := &formatWriter{source: source}
	w.text("# Formats\n\n" + madeBy)
	w.text("The types are in package `format`; the comments of their fields are the last column here.\n\n## Headers\n\n")
	w.text("In the order of the wire: the most significant bit of a byte, 7, comes first.\n")
	w.headers()
	w.text("\n## Descriptors\n\nBetween the blocks of the core, most significant bit first.\n")
	add[format.RxDescriptor[uint64]](w, "RxDescriptor", fromBit)
	add[format.TxDescriptor[uint64]](w, "TxDescriptor", fromBit)
	opcodeTable(&w.b)
	reasonTable(&w.b)
	w.host()
	w.device()
	w.board()
	return w.b.Bytes(), w.err
}

// formatWriter writes the document of the formats.
type formatWriter struct {
	b      bytes.Buffer
	source *source
	err    error // the first
}

func (w *formatWriter) text(s string) { w.b.WriteString(s) }

func (w *formatWriter) row(cells ...any) {
	for _, c := range cells {
		fmt.Fprintf(&w.b, "| %v ", c)
	}
	w.b.WriteString("|\n")
}

// head begins a table.
func (w *formatWriter) head(names ...any) {
	w.b.WriteByte('\n')
	w.row(names...)
	w.b.WriteString(strings.Repeat("|---", len(names)) + "|\n")
}

func (w *formatWriter) headers() {
	add[format.Ethernet[uint64]](w, "Ethernet", network)
	add[format.VLAN[uint64]](w, "VLAN", network)
	add[format.IPv4[uint64]](w, "IPv4", network)
	add[format.IPv6[uint64]](w, "IPv6", network)
	add[format.UDP[uint64]](w, "UDP", network)
	add[format.BTH[uint64]](w, "BTH", network)
	add[format.RETH[uint64]](w, "RETH", network)
	add[format.AtomicETH[uint64]](w, "AtomicETH", network)
	add[format.AETH[uint64]](w, "AETH", network)
	add[format.AtomicAckETH[uint64]](w, "AtomicAckETH", network)
	add[format.ImmDt[uint64]](w, "ImmDt", network)
	add[format.IETH[uint64]](w, "IETH", network)
	add[format.DETH[uint64]](w, "DETH", network)
}

// An order says how the places of a format's fields are written.
type order int

const (
	network order = iota // bytes of a header, the most significant bit first
	host                 // bytes in memory, the least significant bit first
	fromBit              // bits before the field
)

// add writes the layout of format T, which is called name.
func add[T any](w *formatWriter, name string, o order) {
	fields, err := format.Layout[T]()
	if err != nil && w.err == nil {
		w.err = err
	}
	size, place := fmt.Sprintf("%d bytes", format.Size[T]()), "bytes"
	if o == fromBit {
		size, place = fmt.Sprintf("%d bits", format.Bits[T]()), "from bit"
	}
	fmt.Fprintf(&w.b, "\n### %s (%s)\n", name, size)
	w.head("field", "bits", place, "what")
	for _, f := range fields {
		at := fmt.Sprint(f.Offset)
		if o != fromBit {
			at = byteRange(f.Offset, f.Bits, o == host)
		}
		w.row(f.Name, f.Bits, at, w.source.comment(name, f.Name))
	}
}

// byteRange says in which bytes, and in which of their bits, a field is that
// has so many bits before it: "1 [5:4]", "6 [4:0] to 7".
func byteRange(offset, n int, little bool) string {
	end := offset + n - 1
	from, to := offset%8, end%8 // places in the first and the last byte
	if offset/8 == end/8 {
		return fmt.Sprint(offset/8) + bitRange(from, to, little)
	}
	return fmt.Sprint(offset/8) + bitRange(from, 7, little) + " to " + fmt.Sprint(end/8) + bitRange(0, to, little)
}

// bitRange names the bits in places from to to of a byte; nothing for all.
func bitRange(from, to int, little bool) string {
	high, low := 7-from, 7-to
	if little {
		high, low = to, from
	}
	switch {
	case high == 7 && low == 0:
		return ""
	case high == low:
		return fmt.Sprintf(" [%d]", high)
	}
	return fmt.Sprintf(" [%d:%d]", high, low)
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
