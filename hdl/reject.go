package hdl

import (
	"fmt"
	"slices"

	"gornic/hdl/check"
	"gornic/hdl/ir"
)

// Reject ends the Body: the module cannot be built with the parameters that
// it was given. It is reported at the line that instantiates or builds the
// module, once: widths of ports that make no sense either, and what is done with
// the ports, are not reported.
func (m *Module) Reject(format string, args ...any) {
	panic(rejection{fmt.Sprintf(format, args...)})
}

// rejection is how Reject leaves a Body.
type rejection struct{ text string }

// run runs a body and turns a panic of it into an error that says where.
func (m *Module) run(body func()) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			return
		case rejection:
			m.rejected = true
			m.reportAt(check.Parameter, m.ir.Pos.AtUser(), "%s", r.text)
		default:
			m.reportAt(check.Panic, ir.Here(1), "while building %s (%s): panic: %v", m.ir.Name, pathOrTop(m.ir.Path), r)
		}
		m.broken = true
	}()
	body()
}

// mark returns where the findings of what comes next begin.
func (b *builder) mark() int { return len(b.findings) }

// drop forgets the findings between two marks.
func (b *builder) drop(from, to int) { b.findings = slices.Delete(b.findings, from, to) }
