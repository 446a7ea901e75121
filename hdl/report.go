package hdl

import (
	"fmt"

	"gornic/hdl/check"
	"gornic/hdl/internal/gosource"
	"gornic/hdl/ir"
)

// builder is the state of one elaboration.
type builder struct {
	design   *ir.Design
	findings check.Findings
	seen     map[string]bool
	values   int                  // made so far
	loose    map[*ir.Node]*Module // those that nothing has read yet, with the module they belong to
	source   *gosource.Reader
	fields   *declarations
	ended    bool // nothing is added to the design any more
}

func newBuilder() *builder {
	source := gosource.NewReader()
	return &builder{
		design: &ir.Design{}, seen: map[string]bool{}, loose: map[*ir.Node]*Module{},
		source: source, fields: newDeclarations(source),
	}
}

func (b *builder) add(f check.Finding) {
	key := string(f.Code) + "\x00" + f.Pos.String() + "\x00" + f.Module + "\x00" + f.Message
	if b.seen[key] {
		return // another instance of the same module
	}
	b.seen[key] = true
	b.findings = append(b.findings, f)
}

// reportOnce reports a faulty constant in the first module that meets it.
func (b *builder) reportOnce(m *Module, fault *check.Finding) {
	f := *fault
	f.Module, f.Path = m.ir.Name, m.ir.Path
	b.add(f)
}

// reportf reports a mistake at the line of the author's code that is running.
func (m *Module) reportf(code check.Code, format string, args ...any) {
	m.reportAt(code, ir.Here(1), format, args...)
}

func (m *Module) reportAt(code check.Code, pos ir.Pos, format string, args ...any) {
	if m.b == nil {
		return // constants alone: reported when a module meets the result
	}
	if m.b.ended {
		panic(fmt.Sprintf(format, args...)) // the list of mistakes is handed out; Build of another design reports it there
	}
	m.b.add(check.Finding{Code: code, Pos: pos, Module: m.ir.Name, Path: m.ir.Path, Message: fmt.Sprintf(format, args...)})
}
