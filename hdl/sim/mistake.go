package sim

import (
	"fmt"
	"path"
	"runtime"
	"strings"

	"gornic/hdl/ir"
)

// A Mistake is what a test did wrong, such as a Set of an output, and where.
type Mistake struct {
	File string // the test's file, without its folder
	Line int
	Err  error
}

// Error is "x_test.go:12: Set of count, which is an output".
func (m *Mistake) Error() string { return fmt.Sprintf("%s:%d: %v", m.File, m.Line, m.Err) }

// Unwrap returns what is wrong, without the place.
func (m *Mistake) Unwrap() error { return m.Err }

// OnError calls f as soon as there is an error: from the call that made the
// mistake, or from the first run that a failed check cuts short. It lets a test end
// there, as no run does anything afterwards.
func (s *Sim) OnError(f func(error)) { s.onError = f }

// fail keeps the first mistake.
func (s *Sim) fail(err error) {
	if s.err == nil {
		file, line := caller()
		s.err = &Mistake{File: file, Line: line, Err: err}
	}
	s.ended()
}

// ended tells whoever wants to know that there is an error.
func (s *Sim) ended() {
	if err := s.Err(); err != nil && s.onError != nil {
		f := s.onError
		s.onError = nil
		f(err)
	}
}

// caller is the line that called into this package or package hdltest.
func caller() (file string, line int) {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !more || !helping(f) {
			return path.Base(strings.ReplaceAll(f.File, "\\", "/")), f.Line
		}
	}
}

func helping(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	for _, p := range []string{ir.LibraryPath + "/sim.", ir.LibraryPath + "/hdltest.", "runtime.", "reflect."} {
		if strings.HasPrefix(f.Function, p) {
			return true
		}
	}
	return false
}

// direction fails unless the ports are those of a stream of the kind: valid
// and payload run that way, ready the other.
func (s *Sim) direction(p StreamPorts, op string, kind ir.Kind, other string) {
	switch wrong := p.wrongWay(kind); {
	case s.err != nil || wrong == nil:
	case wrong == p.Valid:
		s.fail(fmt.Errorf("%s of stream %s, which is an %s: use %s", op, p.Name(), wrong.Kind, other))
	default:
		s.fail(fmt.Errorf("%s of stream %s: %s is an %s", op, p.Name(), wrong.Name, wrong.Kind))
	}
}

func (p StreamPorts) wrongWay(kind ir.Kind) *ir.Signal {
	for _, s := range append([]*ir.Signal{p.Valid}, p.Data...) {
		if s != nil && s.Kind != kind {
			return s
		}
	}
	if p.Ready != nil && p.Ready.Kind == kind {
		return p.Ready
	}
	return nil
}

// number is a value of any width in decimal.
func number(words []uint64) string { return ir.Const{Words: words}.Big().String() }

// count is "1 cycle" or "2 cycles".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
