package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gornic/hdl/ir"
)

// Code names a kind of mistake. Codes are stable: people write them in
// "//hdl:ignore CODE reason" comments, and tests ask
// errors.Is(err, check.Latch).
type Code string

// Error returns the code itself, so that a Code can be the target of
// errors.Is.
func (c Code) Error() string { return string(c) }

// Codes that package hdl reports while it builds the design.
const (
	Width    Code = "width"    // operands, or target and value, of unequal width
	Constant Code = "constant" // a constant that does not fit its width
	Slice    Code = "slice"    // bits that the sliced value does not have
	Assign   Code = "assign"   // Set of something that cannot be assigned
	Owner    Code = "owner"    // a signal used or assigned in the body of another module
	Misuse   Code = "misuse"   // the library called in a way that has no meaning
	Clash    Code = "clash"    // two things of one name
	Dropped  Code = "dropped"  // an operation whose result is thrown away

	Parameter Code = "parameter" // a module that rejects its parameters
	Panic     Code = "panic"     // a Body that panicked
)

// Finding is one mistake in a design, at the line of Go that made it.
type Finding struct {
	Code    Code
	Pos     ir.Pos
	Module  string // Verilog name of the module it is in; empty where there is none
	Path    string // instance path of that module, "u_rx.u_fifo"; empty for the top
	Message string // lines after the first say more, one fact each
}

// Error returns the finding on one line, "FILE:LINE: MODULE: MESSAGE [CODE]",
// followed by the indented further lines of the message. Where the line is in
// a library part such as hdl/stream, "(used at FILE:LINE)" names the person's
// own line.
func (f Finding) Error() string {
	head, details, _ := strings.Cut(f.Message, "\n")
	var b strings.Builder
	b.WriteString(f.Pos.String())
	b.WriteString(": ")
	if f.Module != "" {
		b.WriteString(f.Module + ": ")
	}
	b.WriteString(head)
	if user := f.Pos.UsedAt(); user != "" {
		b.WriteString(" (used at " + user + ")")
	}
	if f.Code != "" {
		fmt.Fprintf(&b, " [%s]", f.Code)
	}
	if details != "" {
		b.WriteString("\n\t" + strings.ReplaceAll(details, "\n", "\n\t"))
	}
	return b.String()
}

// Is reports whether target is the finding's Code.
func (f Finding) Is(target error) bool { return target == error(f.Code) }

// Findings is a list of mistakes as one error.
type Findings []Finding

// shown is how many findings an error message lists in full: enough to work
// on, few enough to read.
const shown = 20

// Error returns a line for each finding, at most 20 and then how many more
// there are.
func (fs Findings) Error() string {
	var b strings.Builder
	for i, f := range fs {
		if i == shown {
			fmt.Fprintf(&b, "\nand %d more", len(fs)-shown)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.Error())
	}
	return b.String()
}

// Unwrap returns the findings, for errors.Is and errors.As.
func (fs Findings) Unwrap() []error {
	list := make([]error, len(fs))
	for i, f := range fs {
		list[i] = f
	}
	return list
}

// Err returns the findings as an error, nil where there are none.
func (fs Findings) Err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}

// In returns the findings that err holds, or nil.
func In(err error) Findings {
	var fs Findings
	if errors.As(err, &fs) {
		return fs
	}
	return nil
}

// Sorted returns the findings of all lists by file and line, each once: the
// instances of a module have the same mistakes at the same lines.
func Sorted(lists ...Findings) Findings {
	type entry struct {
		file string
		line int
		text string
		Finding
	}
	var entries []entry
	for _, f := range slices.Concat(lists...) {
		file, line := f.Pos.Line()
		entries = append(entries, entry{file, line, f.Error(), f})
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text))
	})
	entries = slices.CompactFunc(entries, func(a, b entry) bool { return a.text == b.text })
	sorted := make(Findings, len(entries))
	for i, e := range entries {
		sorted[i] = e.Finding
	}
	return sorted
}
