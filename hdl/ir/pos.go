package ir

import (
	"iter"
	"path"
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// LibraryPath is the import path of the hardware language. Frames of its
// packages are passed over when a position is shown.
const LibraryPath = "gornic/hdl"

// Pos is where in a Go program something was written. It holds the raw call
// stack, which is cheap to take for each node, and is resolved only when shown.
type Pos struct {
	pcs  [16]uintptr
	n    int
	decl *Decl // stands before the stack; nil for none
}

// Decl is a line of source that is not the end of a call stack, such as the
// declaration of a struct field.
type Decl struct {
	Package string // import path
	File    string // full path
	Line    int
}

// At returns the position of a declaration that the code at p uses.
func (p Pos) At(d *Decl) Pos {
	p.decl = d
	return p
}

// Here returns the position of the caller's caller; skip passes over as many
// more frames.
func Here(skip int) Pos {
	var p Pos
	p.n = runtime.Callers(skip+3, p.pcs[:])
	return p
}

// Inside returns the position at the first line of function fn, called from
// p. It says where something was declared that fn's code is about to use.
func (p Pos) Inside(fn any) Pos {
	v := reflect.ValueOf(fn)
	if v.Kind() != reflect.Func || v.IsNil() {
		return p
	}
	q := Pos{n: min(p.n+1, len(p.pcs))}
	q.pcs[0] = v.Pointer() + 1 // as if a call in the first line were to return here
	copy(q.pcs[1:], p.pcs[:])
	return q
}

// AtFrame returns the position of a line that has called what led to p.
func (p Pos) AtFrame(f runtime.Frame) Pos {
	return p.At(&Decl{Package: packageOf(f.Function), File: f.File, Line: f.Line})
}

// IsValid reports whether the position is known.
func (p Pos) IsValid() bool { return p.n > 0 || p.decl != nil }

// Line returns the innermost line outside packages hdl and hdltest: for a part
// of hdl/stream that is a line of the part. File is package-relative, like
// "blocks/icrc/icrc.go", the same on each machine and under -trimpath.
func (p Pos) Line() (file string, line int) {
	f := p.frame(silent)
	return shortFile(f), f.Line
}

// User returns the innermost line outside the whole library, hdl/stream
// included: the person's own code.
func (p Pos) User() (file string, line int) {
	f := p.frame(library)
	return shortFile(f), f.Line
}

// UsedAt returns User as "file:line" where that is another line than Line, else
// "".
func (p Pos) UsedAt() string {
	file, line := p.User()
	if ownFile, ownLine := p.Line(); file == "" || file == ownFile && line == ownLine {
		return ""
	}
	return file + ":" + strconv.Itoa(line)
}

// AtUser returns the position of the innermost line of the Body that led to p
// outside the whole library: the person's own. For the code of a part itself it
// is p.
func (p Pos) AtUser() Pos {
	if d := p.decl; d != nil && !library(d.Package) {
		return p
	}
	for _, f := range p.Frames() {
		if !library(packageOf(f.Function)) {
			return p.AtFrame(f)
		}
	}
	return p
}

// Source returns the full path of the file of Line, as the compiler knew it.
func (p Pos) Source() (file string, line int) {
	f := p.frame(silent)
	return f.File, f.Line
}

// String returns Line as "file:line", or "?" where it is not known.
func (p Pos) String() string {
	file, line := p.Line()
	if file == "" {
		return "?"
	}
	return file + ":" + strconv.Itoa(line)
}

// Frames returns the calls inside the module's Body that led here, innermost
// first, without those of packages hdl and hdltest. A helper function's line comes before
// its caller's.
func (p Pos) Frames() []runtime.Frame {
	if p.n == 0 {
		return nil
	}
	var list []runtime.Frame
	frames := runtime.CallersFrames(p.pcs[:p.n])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, LibraryPath+".elaborate") {
			return list // the Body was called from there
		}
		if f.Function != "" && !silent(packageOf(f.Function)) && !plumbing(f) {
			list = append(list, f)
		}
		if !more {
			return list
		}
	}
}

// Calls lists the calls inside the module's Body that led here, innermost
// first, each as the frame of the caller and that of the function called. The
// first one called is the function of package hdl that the author's code called.
func (p Pos) Calls() iter.Seq2[runtime.Frame, runtime.Frame] {
	return func(yield func(caller, callee runtime.Frame) bool) {
		frames := runtime.CallersFrames(p.pcs[:p.n])
		callee, more := frames.Next()
		for more {
			var caller runtime.Frame
			caller, more = frames.Next()
			if strings.HasPrefix(caller.Function, LibraryPath+".elaborate") {
				return // the Body was called from there
			}
			if !silent(packageOf(caller.Function)) && !yield(caller, callee) {
				return
			}
			callee = caller
		}
	}
}

// Function returns the function of the position's line: its package, and its
// file as the compiler knew it.
func (p Pos) Function() (pkg, file string, line int) {
	f := p.frame(silent)
	return packageOf(f.Function), f.File, f.Line
}

// library reports whether a package is one of the hardware language.
func library(pkg string) bool {
	rest, inside := strings.CutPrefix(pkg+"/", LibraryPath+"/")
	return inside && !strings.HasPrefix(rest, "examples/") && !strings.HasSuffix(rest, "_test/")
}

// silent reports whether the lines of a package stand for those of its caller.
func silent(pkg string) bool { return pkg == LibraryPath || pkg == LibraryPath+"/hdltest" }

func (p Pos) frame(skip func(pkg string) bool) runtime.Frame {
	if d := p.decl; d != nil && !skip(d.Package) {
		return runtime.Frame{Function: d.Package + ".", File: d.File, Line: d.Line}
	}
	if p.n == 0 {
		return runtime.Frame{}
	}
	frames := runtime.CallersFrames(p.pcs[:p.n])
	for {
		f, more := frames.Next()
		if f.Function != "" && !skip(packageOf(f.Function)) && !plumbing(f) {
			return f
		}
		if !more {
			return runtime.Frame{}
		}
	}
}

// plumbing reports whether a frame is the Go runtime's way to a function: a
// call through reflection, or a panic.
func plumbing(f runtime.Frame) bool {
	return strings.HasPrefix(f.Function, "reflect.") || strings.HasPrefix(f.Function, "runtime.")
}

// FunctionName is the name of the function of a frame, without package, receiver
// and type arguments. A function literal is "func1", or "2"
// where it stands in another.
func FunctionName(f runtime.Frame) string {
	name, _, _ := strings.Cut(f.Function, "[")
	if inner := strings.LastIndex(f.Function, "]."); inner >= 0 {
		name = f.Function[inner+1:] // a method of a generic type
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// packageOf returns the import path of a function's symbol name, such as
// "gornic/hdl/stream.FIFO[...].func1".
func packageOf(function string) string {
	if i := strings.IndexByte(function, '['); i >= 0 {
		function = function[:i]
	}
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function
	}
	return function[:slash+dot]
}

// shortFile returns the file under its import path without the module's first
// element: "gornic/blocks/icrc" and ".../icrc.go" give "blocks/icrc/icrc.go".
func shortFile(f runtime.Frame) string {
	if f.File == "" {
		return ""
	}
	pkg := strings.TrimSuffix(packageOf(f.Function), "_test")
	base := path.Base(strings.ReplaceAll(f.File, "\\", "/"))
	_, rest, found := strings.Cut(pkg, "/")
	if !found {
		return base
	}
	return rest + "/" + base
}
