package formal_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/formal"
	"gornic/hdl/hdltest"
	"gornic/hdl/sim"
)

type mixIO struct {
	In  hdl.Bits `hdl:"in" w:"16"`
	Out hdl.Bits `hdl:"out" w:"16"`
	Sum hdl.Bits `hdl:"out" w:"16"`
}

// mix holds its input in two instances of one module; the output is the first, the sum is of both.
func mix() hdl.Def[mixIO] {
	hold := hdl.Def[mixIO]{Name: "hold", Body: func(m *hdl.Module, io *mixIO) {
		held := m.Reg("held", 16, 0)
		held.Set(io.In)
		io.Out.Set(held)
		io.Sum.Set(held.Xor(io.In))
	}}
	return hdl.Def[mixIO]{Name: "mix", Body: func(m *hdl.Module, io *mixIO) {
		a, b := hdl.Instance(m, "u_a", hold), hdl.Instance(m, "u_b", hold)
		a.In.Set(io.In)
		b.In.Set(a.Out)
		m.Unused(a.Sum, b.Sum)
		io.Out.Set(a.Out)
		both := m.Wire("both", 16)
		both.Set(a.Out.Add(b.Out))
		io.Sum.Set(both)
	}}
}

// Each fault does what it says, to the one instance.
func TestBreak(t *testing.T) {
	const in = 0x1234
	for _, c := range []struct {
		fault    hdl.Fault
		out, sum uint64 // after three cycles
	}{
		{hdl.StuckAt0("in"), 0, 0},
		{hdl.StuckAt0("u_a.held"), 0, 0},
		{hdl.StuckAt0("u_b.held"), in, in},
		{hdl.StuckAt1("u_b.out", 0, 15), in, in + 0x9235},
		{hdl.Invert("u_b.in"), in, in + (^uint64(in) & 0xFFFF)},
		{hdl.Invert("out", 2), in ^ 4, 2 * in},
		{hdl.Invert("both"), in, ^uint64(2*in) & 0xFFFF},
		{hdl.SwapBits("u_b.held", 2, 3), in, in + 0x1238},
		{hdl.ReverseBits("u_b.held"), in, in + 0x2C48},
		{hdl.ReverseBytes("u_b.held"), in, in + 0x3412},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			d, io, err := hdl.Build(mix())
			require.NoError(t, err)
			require.NoError(t, formal.Break(d, c.fault))
			s := hdltest.Open(t, sim.NativeSimulator, d, sim.Options{})
			s.Reset(2)
			s.Set(io.In, in)
			s.Run(3)
			require.Equal(t, c.out, s.Get(io.Out))
			require.Equal(t, c.sum, s.Get(io.Sum))
		})
	}
}

// Each way to break copies, with the same questions.
var copiers = map[string]func(context.Context, func() (*hdl.Design, error), []hdl.Fault, formal.Options) ([]formal.Copy, error){
	"z3": formal.Copies, "bits": formal.CopiesBits,
}

func TestCopies(t *testing.T) {
	needABC(t)
	p := hdl.ProofOf(counter(9, 10), 14, 1).Breaks(
		hdl.StuckAt1("step"),
		hdl.Invert("count_now"),         // the counter stays at 0, which it sees as 15
		hdl.SwapBits("count_now", 0, 1), // 9 looks like 10: on to 11
		hdl.StuckAt1("count_now", 1),    // never looks like 9
	)
	want := []formal.Status{formal.Passed, formal.Passed, formal.Failed, formal.Failed}
	for name, copies := range copiers {
		t.Run(name, func(t *testing.T) {
			got, err := copies(t.Context(), p.Build, p.Faults, formal.Options{Depth: 14})
			require.NoError(t, err)
			var statuses []formal.Status
			for i, c := range got {
				require.Equal(t, p.Faults[i], c.Fault)
				statuses = append(statuses, c.Answer.Status)
			}
			require.Equal(t, want, statuses)
		})
	}
}

// The assertion sees the counter as it is, and the output as it leaves the module.
func TestPropertiesSeeTheTruth(t *testing.T) {
	needTools(t)
	def := counter(9, 10)
	body := def.Body
	def.Body = func(m *hdl.Module, io *counterIO) {
		body(m, io)
		m.Assert("count_below_limit", io.Count.LtK(10))
	}
	p := hdl.ProofOf(def, 3, 1)
	for _, c := range []struct {
		fault hdl.Fault
		want  formal.Status
	}{
		{hdl.Invert("step"), formal.Passed},
		{hdl.Invert("count"), formal.Failed},
		{hdl.Invert("count_now"), formal.Failed}, // by way of the output
	} {
		got, err := formal.Copies(t.Context(), p.Build, []hdl.Fault{c.fault}, formal.Options{Depth: 3})
		require.NoError(t, err)
		require.Equal(t, c.want, got[0].Answer.Status, c.fault)
	}
}

func TestFaultsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		fault hdl.Fault
		want  string
	}{
		{hdl.Invert("valid"), `fault in mix: no register, wire or port "valid"; there are in, out, sum, both`},
		{hdl.Invert("u_a.none"), `no register, wire or port "u_a.none"; there are in, out, sum, held`},
		{hdl.Invert("u_c.held"), `no register, wire or port "u_c.held": no instance "u_c"; there are u_a, u_b`},
		{hdl.StuckAt0("in", 16), `in[16] stuck at 0: the signal has 16 bits`},
	} {
		err := formal.Break(build(t, mix()), c.fault)
		require.ErrorContains(t, err, c.want)
	}
	require.ErrorContains(t, formal.Break(build(t, counter(1, 2)), hdl.ReverseBytes("count")), "no whole bytes")
}
