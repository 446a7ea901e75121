package verilog

import (
	"bytes"
	"fmt"
	"strings"

	"gornic/hdl/ir"
)

// Options of [Emit]. The zero value gives plain Verilog for synthesis.
type Options struct {
	// Positions puts the Go file and line beside each statement. Leave it off
	// for files that are compared: a moved line would change them.
	Positions bool
	// Checks adds the properties, for FORMAL and GORNIC_CHECK, at the end of
	// each module.
	Checks bool
	// Events adds the trace events, for GORNIC_TRACE, at the end of each module.
	Events bool
	// Waves adds shadows with named values, for GORNIC_WAVES. They are
	// SystemVerilog.
	Waves bool
	// Models adds the simulation models of black boxes, as files in the
	// folder models; a black box without a model is a module without contents.
	// They are not for synthesis.
	Models bool
	// Clocked are instances of the top, of one clock each, that get a clock port of their
	// own, named by [ClockOf], in place of the top's clock: a simulator may hold it
	// while nothing in the instance would change.
	Clocked []*ir.Instance
	// State marks registers, and what was read from memories, as public for Verilator,
	// which may otherwise take them out or keep them where nobody can look.
	State bool
	// License is an SPDX expression that each file names; empty for none.
	License string
	// Anonymous names wires without looking into the Go source, and leaves
	// its comments out. Without it, source that cannot be read is an error.
	Anonymous bool
}

// File is the text of one module.
type File struct {
	Name   string // NAME.v, or models/NAME.v
	Text   []byte
	Module *ir.Module  // the instance whose text it is
	Model  bool        // of a black box, or used by such a model only
	Arms   []Arm       // where the arms of if and case statements are
	Events []EventNets // with Options.Events: the wires of each of Module.Events
}

// Arm says where a branch of the Go code is in a file. One branch may be in
// several places, as an always block has a copy of the conditions around its
// statements.
type Arm struct {
	Line   int    // in the file, from 1: of the if, of the else if, or of the case label
	Branch string // "if", "else" or "case", as Verilator's line coverage says; an else is on the line of its if
	If     *ir.Arm
	Case   *ir.CaseArm // one of If and Case is set
}

// Emit prints every module of a design once, children before their parents.
func Emit(d *ir.Design, opts Options) (files []File, err error) {
	defer func() {
		if r := recover(); r != nil {
			files, err = nil, fmt.Errorf("verilog: internal error: %v", r)
		}
	}()
	e := &emitter{opts: opts, src: newSources(opts.Anonymous), fields: newFields(opts.Anonymous), paths: newPaths()}
	models := modelModules(d)
	for _, m := range d.Modules {
		model := models[m.Name]
		if model && !opts.Models {
			continue
		}
		text := e.module(m)
		f := File{Name: m.Name + ".v", Module: m, Model: model, Text: text.render(opts.Positions, homeOf(m)), Arms: text.arms, Events: text.events}
		if model {
			f.Name = "models/" + f.Name
		}
		files = append(files, f)
		if err := e.compareTwins(d, m, text); err != nil {
			return nil, err
		}
	}
	if e.src.missing != "" {
		return nil, fmt.Errorf("verilog: cannot read %s for the names of variables: run inside its module, or set Options.Anonymous", e.src.missing)
	}
	return files, nil
}

type emitter struct {
	opts   Options
	src    *sources
	fields *fields
	paths  *paths
}

// FileList returns a list of the files, one name a line, in the order in which
// tools should read them.
func FileList(files []File) []byte {
	var out bytes.Buffer
	for _, f := range files {
		out.WriteString(f.Name + "\n")
	}
	return out.Bytes()
}

// compareTwins reports a module that has the name of m and another text.
func (e *emitter) compareTwins(d *ir.Design, m *ir.Module, text *text) error {
	var lines []string
	for _, other := range d.All {
		if other == m || other.Name != m.Name {
			continue
		}
		if lines == nil {
			lines = strings.Split(string(text.render(false, "")), "\n")
		}
		otherLines := strings.Split(string(e.module(other).render(false, "")), "\n")
		for i, l := range lines {
			if i >= len(otherLines) || otherLines[i] != l {
				return differError(m, other, i, l, otherLines)
			}
		}
		if len(otherLines) > len(lines) {
			return differError(m, other, len(lines), "", otherLines)
		}
	}
	return nil
}

func differError(m, other *ir.Module, i int, l string, otherLines []string) error {
	ol := "the end"
	if i < len(otherLines) {
		ol = strings.TrimSpace(otherLines[i])
	}
	return fmt.Errorf("verilog: %s and %s are both called %s and differ: put every parameter into the name\nline %d: %s\nline %d: %s",
		instanceName(m), instanceName(other), m.Name, i+1, strings.TrimSpace(l), i+1, ol)
}

func instanceName(m *ir.Module) string {
	name := m.Path
	if name == "" {
		name = "the top"
	}
	return fmt.Sprintf("%s (%s)", name, m.Pos)
}

// hollow reports whether a module is a black box without a model.
func hollow(m *ir.Module) bool {
	return m.External && len(m.Body.Stmts) == 0 && len(m.Instances) == 0 && len(m.Memories) == 0
}

// modelModules returns the names of the modules that are black boxes or are
// used inside the models of black boxes only.
func modelModules(d *ir.Design) map[string]bool {
	models := map[string]bool{}
	for _, m := range d.All {
		if insideModel(m) {
			models[m.Name] = true
		}
	}
	for _, m := range d.All {
		if !insideModel(m) {
			delete(models, m.Name)
		}
	}
	return models
}

func insideModel(m *ir.Module) bool {
	for ; m != nil; m = m.Parent {
		if m.External {
			return true
		}
	}
	return false
}
