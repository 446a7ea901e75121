package main

import (
	"encoding/json"
	"fmt"
	"io"

	"gornic/format"
	"gornic/tb/golden"
)

// A row is what is printed of one frame. The keys are a promise to programs that
// read them. A number is null where the frame has none: no base transport header
// of a RoCEv2 packet, or no payload length that its headers allow.
type row struct {
	File       string  `json:"file"`  // base name
	Frame      int     `json:"frame"` // from 1
	Opcode     *uint64 `json:"opcode"`
	DestQP     *uint64 `json:"dest_qp"`
	PSN        *uint64 `json:"psn"`
	PayloadLen *int    `json:"payload_len"` // bytes without pad
	ICRC       string  `json:"icrc"`        // good, bad, absent
	Verdict    string  `json:"verdict"`     // accepted, passed, dropped
	Reason     string  `json:"reason"`      // a name of format.Reasons; ok for an accepted frame
}

// newRow takes the verdict from the core, and the numbers, which the core gives
// of accepted frames alone, from the reference. (Of accepted frames they are
// the same, or core and reference differ, which is reported.)
func newRow(file string, frame int, o Outcome, ref golden.Received) row {
	r := row{
		File:    file,
		Frame:   frame,
		ICRC:    o.ICRC.String(),
		Verdict: o.Reason.Verdict().String(),
		Reason:  o.Reason.String(),
	}
	if ref.BTH != nil {
		r.Opcode, r.DestQP, r.PSN = &ref.BTH.Opcode, &ref.BTH.DestQP, &ref.BTH.PSN
		if ref.PayloadLen >= 0 {
			r.PayloadLen = &ref.PayloadLen
		}
	}
	if d := o.Descriptor; o.Reason == format.ReasonOK {
		length := int(d.PayloadLen)
		r.Opcode, r.DestQP, r.PSN, r.PayloadLen = &d.Opcode, &d.DestQP, &d.PSN, &length
	}
	return r
}

// A printer prints rows.
type printer interface {
	print(row) error
	end() error
}

// lines prints one JSON object a line.
type lines struct{ to *json.Encoder }

func (l lines) print(r row) error { return l.to.Encode(r) }
func (l lines) end() error        { return nil }

// table prints aligned columns for people, under one heading, and a summary.
type table struct {
	to     io.Writer
	files  int // width of the file's column
	counts map[string]int
	total  int
}

const rowFormat = "%-*s %6v  %-18s %-8s %-8s %7s  %-6s  %-8s  %s\n"

func newTable(to io.Writer, fileWidth int) *table {
	return &table{to: to, files: max(fileWidth, len("file")), counts: map[string]int{}}
}

func (t *table) print(r row) error {
	if t.total == 0 {
		_, err := fmt.Fprintf(t.to, rowFormat, t.files, "file", "frame",
			"opcode", "dest QP", "PSN", "payload", "ICRC", "verdict", "reason")
		if err != nil {
			return err
		}
	}
	t.total++
	t.counts[r.Verdict]++
	_, err := fmt.Fprintf(t.to, rowFormat, t.files, r.File, r.Frame,
		opcodeText(r.Opcode), number(r.DestQP), number(r.PSN), decimal(r.PayloadLen), r.ICRC, r.Verdict, r.Reason)
	return err
}

func (t *table) end() error {
	_, err := fmt.Fprintf(t.to, "%d frames: %d accepted, %d passed to the raw stream, %d dropped\n",
		t.total, t.counts[format.Accepted.String()], t.counts[format.Passed.String()], t.counts[format.Dropped.String()])
	return err
}

func opcodeText(op *uint64) string {
	if op == nil {
		return "-"
	}
	info, defined := format.Lookup(format.Opcode(*op))
	if !defined {
		return fmt.Sprintf("%#02x", *op)
	}
	return info.Name
}

func number(x *uint64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("0x%06x", *x)
}

func decimal(x *int) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprint(*x)
}
