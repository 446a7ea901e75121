package formal_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/formal"
	"gornic/hdl/stream"
	"gornic/tools/toolset"
)

type counterIO struct {
	Step  hdl.Bits `hdl:"in" w:"1"`
	Count hdl.Bits `hdl:"out" w:"4"`
}

// counter counts to top and starts again; it says that it stays below limit.
func counter(top, limit uint64) hdl.Def[counterIO] {
	return hdl.Def[counterIO]{
		Name: "counter",
		Body: func(m *hdl.Module, io *counterIO) {
			count := m.Reg("count_now", 4, 0)
			m.If(io.Step, func() {
				m.If(count.Is(top), func() { count.Set(count.K(0)) }).Else(func() { count.Set(count.AddK(1)) })
			})
			io.Count.Set(count)
			m.Assert("below_limit", count.LtK(limit))
			m.Cover("at_top", count.Is(top))
		},
	}
}

func build[IO any](t *testing.T, def hdl.Def[IO]) *hdl.Design {
	t.Helper()
	d, _, err := hdl.Build(def)
	require.NoError(t, err)
	return d
}

func needTools(t *testing.T) {
	t.Helper()
	for _, name := range []string{toolset.Yosys, toolset.Smtbmc, toolset.Z3} {
		toolset.Need(t, name)
	}
}

func TestProofPasses(t *testing.T) {
	formal.Check(t, build(t, counter(9, 10)), formal.Options{Depth: 14, Induction: 1})
}

// prove keeps its waves out of the build folder.
func prove(t *testing.T, d *hdl.Design, o formal.Options) *formal.Result {
	t.Helper()
	needTools(t)
	o.Dir = t.TempDir()
	r, err := formal.Prove(t.Context(), d, o)
	require.NoError(t, err)
	return r
}

func TestBrokenDesignIsNamed(t *testing.T) {
	r := prove(t, build(t, counter(9, 9)), formal.Options{Depth: 14, Induction: 1})
	require.Equal(t, formal.Failed, r.Bounded.Status)
	require.Len(t, r.Bounded.Failing, 1)
	require.Equal(t, "below_limit", r.Bounded.Failing[0].Path)
	require.ErrorContains(t, r.Err(), "assert below_limit (hdl/formal/formal_test.go:")
	require.Equal(t, formal.NotAsked, r.Induction.Status)
	require.Equal(t, formal.NotAsked, r.Covers.Status)
	require.Equal(t, "not asked", r.Covers.Status.String())
}

// The counter is out of reset in cycle 1 and can be at 4 in cycle 5: the sixth, with the one in reset. That it stays below 5
// follows from one cycle in which it did, and not from none.
func TestDepthAndInductionAreExact(t *testing.T) {
	for _, c := range []struct {
		limit     uint64
		depth     int
		induction int
		want      [3]formal.Status
	}{
		{4, 5, 0, [3]formal.Status{formal.Passed, formal.NotAsked, formal.Failed}},
		{4, 6, 0, [3]formal.Status{formal.Failed, formal.NotAsked, formal.NotAsked}},
		{5, 6, 1, [3]formal.Status{formal.Passed, formal.Passed, formal.Passed}},
		{6, 5, 1, [3]formal.Status{formal.Passed, formal.Failed, formal.Failed}},
		{6, 6, 16, [3]formal.Status{formal.Passed, formal.Failed, formal.Passed}},
	} {
		t.Run(fmt.Sprintf("below %d, %d cycles", c.limit, c.depth), func(t *testing.T) {
			r := prove(t, build(t, counter(4, c.limit)), formal.Options{Depth: c.depth, Induction: c.induction})
			require.Equal(t, c.want, [3]formal.Status{r.Bounded.Status, r.Induction.Status, r.Covers.Status}, "%v", r.Err())
		})
	}
}

func TestShallowBoundMissesWhatInductionSees(t *testing.T) {
	r := prove(t, build(t, counter(9, 9)), formal.Options{Depth: 5, Induction: 1, NoCovers: true})
	require.Equal(t, formal.Passed, r.Bounded.Status)
	require.Equal(t, formal.Failed, r.Induction.Status)
}

func TestUnreachedCoverIsNamed(t *testing.T) {
	r := prove(t, build(t, counter(9, 10)), formal.Options{Depth: 5})
	require.Equal(t, formal.Failed, r.Covers.Status)
	require.Len(t, r.Covers.Failing, 1)
	require.Equal(t, "at_top", r.Covers.Failing[0].Path)
	require.ErrorContains(t, r.Err(), "cover at_top (hdl/formal/formal_test.go:")
	require.ErrorContains(t, r.Err(), "): not reached within 5 cycles")
}

// What a part of the library states is said to whoever uses the part.
func TestPropertyOfTheLibraryNamesItsUser(t *testing.T) {
	def := hdl.Def[passIO]{Name: "offers", Body: func(m *hdl.Module, io *passIO) {
		offered := hdl.StreamOf(hdl.W(2))
		offered.Valid, offered.Ready, offered.Data = io.In.Bit(0), io.In.Bit(1), io.In
		stream.AssertSource(m, "offered", offered)
		io.Out.Set(io.In)
	}}
	_, _, line, _ := runtime.Caller(0)
	r := prove(t, build(t, def), formal.Options{Depth: 4})
	require.ErrorContains(t, r.Err(), "assert offered_valid_holds (hdl/stream/contract.go:")
	require.ErrorContains(t, r.Err(), fmt.Sprintf(") (used at hdl/formal/formal_test.go:%d)", line-3))
}

type passIO struct {
	In  hdl.Bits `hdl:"in" w:"2"`
	Out hdl.Bits `hdl:"out" w:"2"`
}

// around puts a module that assumes that its input is not 3 behind a register that takes anything.
func around() hdl.Def[passIO] {
	inner := hdl.Def[passIO]{
		Name: "inner",
		Body: func(m *hdl.Module, io *passIO) {
			m.Assume("not_three", io.In.IsNot(3))
			m.Assert("not_three_either", io.Out.IsNot(3))
			held := m.Reg("held", 2, 0)
			held.Set(io.In)
			io.Out.Set(held)
		},
	}
	return hdl.Def[passIO]{
		Name: "around",
		Body: func(m *hdl.Module, io *passIO) {
			u := hdl.Instance(m, "u_inner", inner)
			u.In.Set(io.In)
			io.Out.Set(u.Out)
		},
	}
}

func TestWhatAnInstanceAssumesIsProved(t *testing.T) {
	r := prove(t, build(t, around()), formal.Options{Depth: 4})
	require.Equal(t, formal.Failed, r.Bounded.Status)
	require.Equal(t, "u_inner.not_three", r.Bounded.Failing[0].Path)
}

func caught(mutants []formal.Mutant) (n int) {
	for _, m := range mutants {
		if m.Answer.Status == formal.Failed {
			n++
		}
	}
	return n
}

func TestMutantsAreCaught(t *testing.T) {
	needTools(t)
	mutants, err := formal.Mutants(t.Context(), build(t, counter(9, 10)), formal.Options{Depth: 14}, 5)
	require.NoError(t, err)
	require.Len(t, mutants, 5)
	require.Positive(t, caught(mutants))
}

// A property that is true of anything notices nothing.
func TestAnEmptyPropertyCatchesNoMutant(t *testing.T) {
	needTools(t)
	mutants, err := formal.Mutants(t.Context(), build(t, counter(9, 15)), formal.Options{Depth: 8}, 5)
	require.NoError(t, err)
	require.Zero(t, caught(mutants))
}

type factorsIO struct {
	A       hdl.Bits `hdl:"in" w:"32"`
	B       hdl.Bits `hdl:"in" w:"32"`
	Product hdl.Bits `hdl:"out" w:"64"`
}

// factors says that a product of two primes is none, which takes a solver for ever to find wrong.
func factors() hdl.Def[factorsIO] {
	return hdl.Def[factorsIO]{Name: "factors", Body: func(m *hdl.Module, io *factorsIO) {
		product := hdl.K(64, 0)
		for i := range 32 {
			product = product.Add(io.A.ZExt(64).ShlK(i).And(io.B.Bit(i).Rep(64)))
		}
		io.Product.Set(product)
		m.Assert("no_factors", product.IsNot(3367900313*2654435761))
	}}
}

func TestTimeout(t *testing.T) {
	needTools(t)
	for name, prove := range map[string]func(context.Context, *hdl.Design, formal.Options) (*formal.Result, error){
		"z3": formal.Prove, "bits": formal.ProveBits,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := prove(t.Context(), build(t, factors()), formal.Options{Timeout: time.Second, Depth: 2})
			require.NoError(t, err)
			require.Equal(t, formal.TimedOut, r.Bounded.Status)
			require.Greater(t, r.Bounded.Time, 500*time.Millisecond)
			require.GreaterOrEqual(t, r.Time, r.Bounded.Time)
			require.ErrorContains(t, r.Err(), "timed out")
		})
	}
}

func TestCancelledProof(t *testing.T) {
	needTools(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := formal.Prove(ctx, build(t, counter(9, 10)), formal.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestTwoClocksAreRefused(t *testing.T) {
	d := build(t, hdl.Def[passIO]{
		Name: "two_clocks",
		Body: func(m *hdl.Module, io *passIO) {
			a := hdl.CrossSafe(m.Reg("a", 2, 0))
			a.Set(io.In)
			m.In(m.Domain("other"), func() {
				b := m.Reg("b", 2, 0)
				b.Set(a)
				io.Out.Set(b)
			})
		},
	})
	_, err := formal.Prove(context.Background(), d, formal.Options{})
	require.ErrorContains(t, err, "2 clocks")
}
