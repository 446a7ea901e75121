package sim

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"gornic/hdl/ir"
	"gornic/hdl/sim/internal/netlist"
)

// waveSignal is one named signal of one instance.
type waveSignal struct {
	signal *ir.Signal
	vals   netlist.Vec
}

// waveSignals lists every named signal but the parent's views of an
// instance's ports, which show in the instance.
func waveSignals(d *ir.Design, n *netlist.Netlist) ([]waveSignal, error) {
	var out []waveSignal
	for _, m := range d.All {
		for _, s := range m.Signals {
			if s.Kind == ir.ChildInput || s.Kind == ir.ChildOutput {
				continue
			}
			vals, err := n.Signal(s)
			if err != nil {
				return nil, err
			}
			out = append(out, waveSignal{s, vals})
		}
	}
	return out, nil
}

// waveWriter writes a VCD file with picoseconds as its unit. A signal whose
// values have names shows twice: as a number, and as a string variable NAME_name.
type waveWriter struct {
	w      *bufio.Writer
	file   io.Closer
	tracks []waveTrack
	clocks []waveClock
	err    error
}

type waveTrack struct {
	id, nameID string // nameID is empty without names
	enum       *ir.Enum
	width      int
	slots      []int
	last       []uint64
	shown      bool
}

type waveClock struct {
	clk, rst string // ids
	high     bool
	falls    uint64 // when high
	reset    int    // as last shown; -1 before
}

func newWaveWriter(file io.WriteCloser, d *ir.Design, signals []waveSignal, slot func(netlist.Val) int, m *machine) *waveWriter {
	w := &waveWriter{w: bufio.NewWriterSize(file, 1<<16), file: file}
	byModule := map[*ir.Module][]int{}
	for i, s := range signals {
		t := waveTrack{id: waveID(len(w.tracks) * 2), width: s.signal.Width, enum: s.signal.Enum}
		if t.enum != nil {
			t.nameID = waveID(len(w.tracks)*2 + 1)
		}
		for _, v := range s.vals {
			t.slots = append(t.slots, slot(v))
		}
		t.last = make([]uint64, len(t.slots))
		w.tracks = append(w.tracks, t)
		byModule[s.signal.Module] = append(byModule[s.signal.Module], i)
	}
	for i := range d.Top.Clocks {
		w.clocks = append(w.clocks, waveClock{
			clk: waveID(2*len(w.tracks) + 2*i), rst: waveID(2*len(w.tracks) + 2*i + 1), reset: -1,
		})
	}
	w.printf("$timescale 1ps $end\n")
	w.scope(d.Top, d.Top.Name, signals, byModule)
	w.printf("$enddefinitions $end\n#0\n")
	for i := range w.clocks {
		w.printf("0%s\n", w.clocks[i].clk)
	}
	m.settle()
	w.changes(m)
	return w
}

// waveID is the n-th short identifier of printable characters.
func waveID(n int) string {
	id := []byte{byte('!' + n%94)}
	for n /= 94; n > 0; n /= 94 {
		id = append(id, byte('!'+n%94))
	}
	return string(id)
}

func (w *waveWriter) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(w.w, format, args...); err != nil && w.err == nil {
		w.err = err
	}
}

// scope declares the signals of an instance and of those inside it.
func (w *waveWriter) scope(m *ir.Module, name string, signals []waveSignal, byModule map[*ir.Module][]int) {
	w.printf("$scope module %s $end\n", name)
	if m.Parent == nil {
		for i, c := range m.Clocks {
			w.printf("$var wire 1 %s %s $end\n$var wire 1 %s %s $end\n", w.clocks[i].clk, c.Clk, w.clocks[i].rst, c.Rst)
		}
	}
	for _, i := range byModule[m] {
		t, s := &w.tracks[i], signals[i].signal
		bits := ""
		if t.width > 1 {
			bits = fmt.Sprintf(" [%d:0]", t.width-1)
		}
		kind := "wire"
		if s.Kind == ir.Reg || s.Kind == ir.ReadData {
			kind = "reg"
		}
		w.printf("$var %s %d %s %s%s $end\n", kind, t.width, t.id, s.Name, bits)
		if t.nameID != "" {
			w.printf("$var string 1 %s %s_name $end\n", t.nameID, s.Name)
		}
	}
	for _, in := range m.Instances {
		w.scope(in.Module, in.Name, signals, byModule)
	}
	w.printf("$upscope $end\n")
}

// instant writes what has changed at an instant with edges, after the clocks
// that have fallen since.
func (w *waveWriter) instant(m *machine) {
	w.fallBefore(m.time)
	w.printf("#%d\n", m.time)
	for i := range w.clocks {
		if c := &m.clocks[i]; c.rising {
			w.printf("1%s\n", w.clocks[i].clk)
			w.clocks[i].high, w.clocks[i].falls = true, m.time+c.Period/2
		}
	}
	w.changes(m)
}

// fallBefore writes the falling edges before an instant, in order.
func (w *waveWriter) fallBefore(now uint64) {
	for {
		var first *waveClock
		for i := range w.clocks {
			c := &w.clocks[i]
			if c.high && c.falls < now && (first == nil || c.falls < first.falls) {
				first = c
			}
		}
		if first == nil {
			return
		}
		w.printf("#%d\n0%s\n", first.falls, first.clk)
		first.high = false
	}
}

func (w *waveWriter) changes(m *machine) {
	for i := range w.clocks {
		if now := int(b2u(m.clocks[i].reset)); now != w.clocks[i].reset {
			w.clocks[i].reset = now
			w.printf("%d%s\n", now, w.clocks[i].rst)
		}
	}
	for i := range w.tracks {
		t := &w.tracks[i]
		changed := !t.shown
		for k, slot := range t.slots {
			if m.s[slot] != t.last[k] {
				t.last[k] = m.s[slot]
				changed = true
			}
		}
		if changed {
			t.shown = true
			w.value(t)
		}
	}
}

func (w *waveWriter) value(t *waveTrack) {
	if t.width == 1 {
		w.printf("%d%s\n", t.last[0], t.id)
	} else {
		w.printf("b%s %s\n", binaryDigits(t.last, t.width), t.id)
	}
	if t.nameID != "" {
		w.printf("s%s %s\n", enumName(t.enum, t.last[0]), t.nameID)
	}
}

// binaryDigits writes a value without leading zeros.
func binaryDigits(words []uint64, width int) string {
	var b strings.Builder
	for i := width - 1; i >= 0; i-- {
		bit := byte('0' + words[i/64]>>(i%64)&1)
		if b.Len() > 0 || bit == '1' || i == 0 {
			b.WriteByte(bit)
		}
	}
	return b.String()
}

// enumName is the name of a value without spaces, which VCD strings cannot
// have, or the value in hexadecimal.
func enumName(e *ir.Enum, v uint64) string {
	for _, ev := range e.Values {
		if ev.Value == v {
			return strings.ReplaceAll(ev.Name, " ", "_")
		}
	}
	return fmt.Sprintf("0x%x", v)
}

func (w *waveWriter) close() error {
	w.fallBefore(1<<64 - 1)
	if err := w.w.Flush(); err != nil && w.err == nil {
		w.err = err
	}
	if err := w.file.Close(); err != nil && w.err == nil {
		w.err = err
	}
	if w.err != nil {
		return fmt.Errorf("sim: waves: %w", w.err)
	}
	return nil
}
