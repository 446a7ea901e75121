package formal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gornic/hdl"
	"gornic/hdl/formal"
	"gornic/tools/toolset"
)

func needABC(t *testing.T) {
	t.Helper()
	needTools(t)
	toolset.Need(t, toolset.ABC)
}

func TestBitsProve(t *testing.T) {
	needABC(t)
	r, err := formal.ProveBits(context.Background(), build(t, counter(9, 10)), formal.Options{Depth: 14, Induction: 1})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	require.Equal(t, formal.Passed, r.Bounded.Status)
	require.Equal(t, formal.Passed, r.Induction.Status)
	require.Equal(t, formal.Passed, r.Covers.Status)
}

func TestBitsNameWhatFails(t *testing.T) {
	needABC(t)
	r, err := formal.ProveBits(context.Background(), build(t, counter(9, 9)), formal.Options{Depth: 14})
	require.NoError(t, err)
	require.Equal(t, formal.Failed, r.Bounded.Status)
	require.Len(t, r.Bounded.Failing, 1)
	require.Equal(t, "below_limit", r.Bounded.Failing[0].Path)
}

func TestBitsForAllTimeSeeBehindTheBound(t *testing.T) {
	needABC(t)
	r, err := formal.ProveBits(context.Background(), build(t, counter(9, 9)), formal.Options{Depth: 5, Induction: 1, NoCovers: true})
	require.NoError(t, err)
	require.Equal(t, formal.Passed, r.Bounded.Status)
	require.Equal(t, formal.Failed, r.Induction.Status)
}

func TestBitsNameTheCoverThatIsNotReached(t *testing.T) {
	needABC(t)
	r, err := formal.ProveBits(context.Background(), build(t, counter(9, 10)), formal.Options{Depth: 5})
	require.NoError(t, err)
	require.Equal(t, formal.Failed, r.Covers.Status)
	require.Len(t, r.Covers.Failing, 1)
	require.Equal(t, "at_top", r.Covers.Failing[0].Path)
}

func TestBitsProveWhatAnInstanceAssumes(t *testing.T) {
	needABC(t)
	r, err := formal.ProveBits(context.Background(), build(t, around()), formal.Options{Depth: 4})
	require.NoError(t, err)
	require.Equal(t, formal.Failed, r.Bounded.Status)
	require.Equal(t, "u_inner.not_three", r.Bounded.Failing[0].Path)
}

func TestBitsCatchMutants(t *testing.T) {
	needABC(t)
	mutants, err := formal.MutantsBits(t.Context(), build(t, counter(9, 10)), formal.Options{Depth: 14}, 5)
	require.NoError(t, err)
	require.Len(t, mutants, 5)
	require.Positive(t, caught(mutants))

	mutants, err = formal.MutantsBits(t.Context(), build(t, counter(9, 15)), formal.Options{Depth: 8}, 5)
	require.NoError(t, err)
	require.Zero(t, caught(mutants))
}

// Depths are as exact as those of Prove.
func TestBitsCountCycles(t *testing.T) {
	needABC(t)
	for depth, want := range map[int]formal.Status{5: formal.Passed, 6: formal.Failed} {
		r, err := formal.ProveBits(t.Context(), build(t, counter(4, 4)), formal.Options{Depth: depth})
		require.NoError(t, err)
		require.Equal(t, want, r.Bounded.Status, "%d cycles", depth)
	}
	for depth, want := range map[int]formal.Status{5: formal.Failed, 6: formal.Passed} {
		r, err := formal.ProveBits(t.Context(), build(t, counter(4, 5)), formal.Options{Depth: depth})
		require.NoError(t, err)
		require.Equal(t, want, r.Covers.Status, "%d cycles", depth)
	}
}

func TestBitsAnyConst(t *testing.T) {
	needABC(t)
	r, err := formal.ProveBits(t.Context(), build(t, pick(false)), formal.Options{Depth: 4, Induction: 1})
	require.NoError(t, err)
	require.NoError(t, r.Err())
	r, err = formal.ProveBits(t.Context(), build(t, pick(true)), formal.Options{Depth: 4})
	require.NoError(t, err)
	require.Equal(t, "never_comes", r.Bounded.Failing[0].Path)
}

// What fails behind the bound is named, too.
func TestBitsNameWhatFailsLater(t *testing.T) {
	needABC(t)
	r, err := formal.ProveBits(t.Context(), build(t, counter(9, 9)), formal.Options{Depth: 5, Induction: 1, NoCovers: true})
	require.NoError(t, err)
	require.Len(t, r.Induction.Failing, 1)
	require.Equal(t, "below_limit", r.Induction.Failing[0].Path)
}

// Covers that are reached in the same cycle, and two that are one, are all found.
func TestBitsFindEveryCover(t *testing.T) {
	needABC(t)
	def := counter(9, 10)
	body := def.Body
	def.Body = func(m *hdl.Module, io *counterIO) {
		body(m, io)
		for i := range uint64(4) {
			m.Cover(fmt.Sprintf("past_%d", i), io.Count.GtK(i))
			m.Cover(fmt.Sprintf("steps_past_%d", i), io.Count.GtK(i).And(io.Step))
		}
		m.Cover("top_again", io.Count.Is(9))
		m.Cover("never", io.Count.Is(12))
	}
	r, err := formal.ProveBits(t.Context(), build(t, def), formal.Options{Depth: 12})
	require.NoError(t, err)
	require.Equal(t, 11, r.Covered)
	require.Len(t, r.Covers.Failing, 1)
	require.Equal(t, "never", r.Covers.Failing[0].Path)
}
