package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"gornic/tb/coverage"
	"gornic/tb/rtl"
	"gornic/tb/wire"
)

// counts is the tap that counts what crosses a wire at the ends that are cores, for -coverage.
func (e *Env) counts(sides [2]rtl.Kind) wire.Tap {
	return e.Coverage.Tap([2]bool{sides[0] == rtl.Core, sides[1] == rtl.Core})
}

// coverageDoc is what stands before the table.
const coverageDoc = `# Coverage

Which packets crossed the wire at the ends of a core: of each opcode those that it sent and received, and of the properties of a packet
those sent / received. *Multi-packet*: part of a message of several packets; of a READ request, that its response is.
*Zero length*: without payload; of a READ request, for no bytes. *imm/inv*: with an immediate, or with a key to invalidate.
*Solicited*: with the SE bit. A cell with a letter cannot be; **0** would be a hole.

Generated, do not edit:

	%s

%d scenarios passed, %d failed.

`

// writeCoverage writes the table of a run to a file, and tells of holes.
func writeCoverage(o options, results []result, stderr io.Writer) error {
	passed, failed := 0, 0
	for _, r := range results {
		switch r.word() {
		case "passed":
			passed++
		case "FAILED":
			failed++
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, coverageDoc, o.command(), passed, failed)
	if err := o.table.Write(&text); err != nil {
		return err
	}
	if err := os.WriteFile(o.coverage, []byte(text.String()), 0o644); err != nil {
		return err
	}
	if holes := o.table.Holes(); len(holes) > 0 {
		fmt.Fprintf(stderr, "cosim: coverage: nothing was seen of: %s\n", strings.Join(holes, "; "))
	}
	return o.table.Err()
}

// openCoverage begins a table, if there is a file to write it to.
func (o *options) openCoverage() error {
	if o.coverage == "" {
		return nil
	}
	o.table = &coverage.Table{}
	file, err := os.OpenFile(o.coverage, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	return file.Close()
}

// command is the command that makes the run.
func (o options) command() string {
	words := []string{"go run ./tb/cosim"}
	for _, arg := range o.args {
		if strings.ContainsAny(arg, "^$|()[]*?\\ ") {
			arg = quote(arg)
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}
