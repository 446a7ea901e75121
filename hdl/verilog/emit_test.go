package verilog_test

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"gornic/hdl"
	"gornic/hdl/ir"
	"gornic/hdl/verilog"
)

func emit(t *testing.T, d *ir.Design, opts verilog.Options) []verilog.File {
	t.Helper()
	files, err := verilog.Emit(d, opts)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestEmitIsDeterministic(t *testing.T) {
	for _, d := range designs {
		opts := verilog.Options{Checks: true, Positions: true, Waves: true, Models: true}
		first, second := emit(t, d.build(t), opts), emit(t, d.build(t), opts)
		for i, f := range first {
			if f.Name != second[i].Name || string(f.Text) != string(second[i].Text) {
				t.Errorf("%s: two runs differ", f.Name)
			}
		}
	}
}

// Several goroutines may emit a design at once: it is read alone (go test -race).
func TestEmitAtOnce(t *testing.T) {
	for _, d := range designs {
		design := d.build(t)
		options := []verilog.Options{{Checks: true}, {Events: true, Models: true}, {Waves: true, Positions: true}, {Checks: true}}
		texts := make([]string, len(options))
		var group sync.WaitGroup
		for i, o := range options {
			group.Go(func() {
				files, err := verilog.Emit(design, o)
				if err != nil {
					t.Error(err)
				}
				for _, f := range files {
					texts[i] += string(f.Text)
				}
			})
		}
		group.Wait()
		if texts[0] != texts[3] {
			t.Errorf("%s: two goroutines emit two texts", d.name)
		}
	}
}

// Names come from the Go source; few wires may lack one.
func TestWiresAreNamedAfterVariables(t *testing.T) {
	wire := regexp.MustCompile(`(?m)^ +wire (?:\[\d+:0\] )?(\w+) = `)
	madeUp := regexp.MustCompile(`_(and|or|xor|sum|difference|product|equal|differs|less|at_most|shifted|part|joined|repeated|choice|any|all|parity|inverse)(_\d+)?$`)
	total, odd := 0, 0
	for _, d := range designs {
		for _, f := range emit(t, d.build(t), verilog.Options{Checks: true}) {
			for _, m := range wire.FindAllStringSubmatch(string(f.Text), -1) {
				total++
				if regexp.MustCompile(`^t_\d+$`).MatchString(m[1]) {
					t.Errorf("%s: %s has no name", f.Name, m[1])
				}
				if madeUp.MatchString(m[1]) {
					odd++
					t.Logf("%s: %s is named after what it does", f.Name, m[1])
				}
			}
		}
	}
	if total == 0 || odd*4 > total {
		t.Errorf("%d of %d wires have made-up names: was the source found?", odd, total)
	}
}

func TestGoNamesOfHelpersLoopsAndLiterals(t *testing.T) {
	text := string(emit(t, of(Cam()).build(t), verilog.Options{Checks: true})[0].Text)
	for _, want := range []string{
		"wire hits_0 = used_0 & (entry_0_key == lookup_key);", // of a helper function, in a loop
		"wire hits_3 = used_3 &",
		"wire found_hit = |{hits_3, hits_2, hits_1, hits_0};", // a field of a struct literal
		"    // A flush drops the entry, a fill takes its place.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestPositionsAndFileLists(t *testing.T) {
	files := emit(t, of(System()).build(t), verilog.Options{Positions: true})
	if list := string(verilog.FileList(files)); list != "key_cam_4.v\nrr_arbiter_4.v\nsystem.v\n" {
		t.Errorf("file list:\n%s", list)
	}
	if !regexp.MustCompile(`(?m)after <= .* // designs_test\.go:\d+$`).Match(files[1].Text) {
		t.Errorf("no positions in\n%s", files[1].Text)
	}
}

type twinIO struct {
	In  hdl.Bits `hdl:"in" w:"8"`
	Out hdl.Bits `hdl:"out" w:"8"`
}

// Modules of one name must have one text; the error says where they part.
func TestTwinsMustBeEqual(t *testing.T) {
	twin := func(add uint64) hdl.Def[twinIO] {
		return hdl.Def[twinIO]{Name: "twin", Body: func(m *hdl.Module, io *twinIO) { io.Out.Set(io.In.AddK(add)) }}
	}
	d, _, _ := hdl.Elaborate(hdl.Def[twinIO]{Name: "top", Body: func(m *hdl.Module, io *twinIO) {
		a, b := hdl.Instance(m, "u_a", twin(1)), hdl.Instance(m, "u_b", twin(2))
		a.In.Set(io.In)
		b.In.Set(a.Out)
		io.Out.Set(b.Out)
	}})
	_, err := verilog.Emit(d, verilog.Options{})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"u_a", "u_b", "both called twin", "in + 8'd1", "in + 8'd2", "emit_test.go"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
}

func TestReservedWordsGetATail(t *testing.T) {
	for _, word := range []string{"table", "logic", "list", "endmodule", "uint8_t"} {
		if !verilog.Reserved(word) {
			t.Errorf("%s is not reserved", word)
		}
	}
	m := &ir.Module{}
	a, b := &ir.Signal{Name: "table", Module: m}, &ir.Signal{Name: "table_", Module: m}
	m.Signals = []*ir.Signal{a, b}
	if got := []string{verilog.Name(a), verilog.Name(b)}; !slices.Equal(got, []string{"table__", "table_"}) {
		t.Errorf("names %q", got)
	}
}

func TestPoisonIsAnError(t *testing.T) {
	d, _, _ := hdl.Elaborate(hdl.Def[twinIO]{Name: "top", Body: func(m *hdl.Module, io *twinIO) {
		io.Out.Set(io.In.Add(hdl.K(9, 1)))
	}})
	if _, err := verilog.Emit(d, verilog.Options{}); err == nil {
		t.Error("a design with mistakes was printed")
	}
}

// A name that is not declared is an error, in this file and not in what a tool
// reads behind it.
func TestUndeclaredNamesAreErrors(t *testing.T) {
	for _, d := range designs {
		for _, f := range emit(t, d.build(t), verilog.Options{Checks: true, Waves: true, Models: true}) {
			first, last := strings.HasPrefix(string(f.Text), "`default_nettype none\n"), strings.HasSuffix(string(f.Text), "\nendmodule\n\n`default_nettype wire\n")
			if !first || !last {
				t.Errorf("%s: no `default_nettype around the module", f.Name)
			}
		}
	}
}

func TestLicense(t *testing.T) {
	with := emit(t, of(Cam()).build(t), verilog.Options{License: "CERN-OHL-W-2.0"})[0].Text
	line := "\n// SPDX-License-Identifier: CERN-OHL-W-2.0\n"
	if without := emit(t, of(Cam()).build(t), verilog.Options{})[0].Text; strings.Replace(string(with), line, "\n", 1) != string(without) {
		t.Errorf("no line %q that is all the difference in\n%s", line, with)
	}
}

// A module comes from the file of its Body, whatever helpers made most of it.
func TestHomeIsTheFileOfTheBody(t *testing.T) {
	d, _, err := hdl.Build(hdl.Def[namesIO]{
		Name: "home", IO: namesIO{In: hdl.StreamOf(hdl.W(8)), Out: hdl.StreamOf(hdl.W(8))},
		Body: func(m *hdl.Module, io *namesIO) {
			pass(io)
			use(io, io.A, io.A.Any())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := string(emit(t, d, verilog.Options{})[0].Text)
	if want := "// Generated by gornic from hdl/verilog/emit_test.go: do not edit.\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}
