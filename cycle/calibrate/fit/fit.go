// Package fit finds the times of a table of latencies that bring the model nearest to the RTL.
//
// Start with [Fit]. It moves one time after another by a cycle as long as that helps: the start is the table as it is, so a time that
// nothing tells apart from others stays, and the report names few.
package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gornic/cycle/table"
)

// Cost is how far the model is from the RTL with a table, at a width of the data path; 0 is nothing. From limit on, nobody
// wants to know how much more it is.
type Cost func(ctx context.Context, t *table.Table, width int, limit int64) (int64, error)

// Change is a time that was fitted.
type Change struct {
	Block, Time string
	Width       int // bits of the data path
	Was, Is     int // cycles
}

func (c Change) String() string {
	return fmt.Sprintf("block %s: %s at %d bits takes %d cycles, not %d", c.Block, c.Time, c.Width, c.Is, c.Was)
}

// rounds bounds how often all times are tried.
const rounds = 6

// Fit returns a table and how it differs from the one given, by block. Only the times of some blocks are free, if any are named.
// Progress, where it is not nil, is told of each improvement.
func Fit(ctx context.Context, t *table.Table, widths []int, cost Cost, progress func(c Change, cost int64), blocks ...string) (*table.Table, []Change, error) {
	f := &fitting{now: t, cost: cost, progress: progress, blocks: blocks}
	if len(blocks) == 0 {
		f.blocks = t.Names()
	}
	for _, w := range widths {
		if err := f.width(ctx, w); err != nil {
			return nil, nil, err
		}
	}
	changes, err := Changes(t, f.now, widths)
	return f.now, changes, err
}

type fitting struct {
	now      *table.Table
	best     int64
	cost     Cost
	progress func(Change, int64)
	blocks   []string // whose times are free
}

// width fits the times at one width, until a round changes nothing.
func (f *fitting) width(ctx context.Context, width int) (err error) {
	if f.best, err = f.cost(ctx, f.now, width, math.MaxInt64); err != nil {
		return err
	}
	for range rounds {
		before := f.best
		for _, block := range f.blocks {
			for _, time := range f.now.Blocks[block].Names() {
				if err := f.time(ctx, block, time, width); err != nil {
					return err
				}
			}
		}
		if f.best == before {
			break
		}
	}
	return nil
}

// time moves one time up or down as long as that helps.
func (f *fitting) time(ctx context.Context, block, time string, width int) error {
	for _, step := range []int{1, -1} {
		for moved := false; ; moved = true {
			better, err := f.try(ctx, block, time, width, step)
			if err != nil {
				return err
			}
			if !better && moved {
				return nil
			}
			if !better {
				break
			}
		}
	}
	return nil
}

// try moves one time by a step, and keeps that if it helps.
func (f *fitting) try(ctx context.Context, block, time string, width, step int) (bool, error) {
	was, err := f.now.Get(block, time, width)
	if err != nil || was+step < 0 {
		return false, err
	}
	moved, err := f.now.With(block, time, width, was+step)
	if err != nil {
		return false, err
	}
	cost, err := f.cost(ctx, moved, width, f.best)
	if err != nil || cost >= f.best {
		return false, err
	}
	f.now, f.best = moved, cost
	if f.progress != nil {
		f.progress(Change{block, time, width, was, was + step}, cost)
	}
	return true, nil
}

// Changes is how one table differs from another at some widths, by block.
func Changes(was, is *table.Table, widths []int) ([]Change, error) {
	var all []Change
	for _, block := range is.Names() {
		for _, time := range is.Blocks[block].Names() {
			for _, w := range widths {
				a, err := was.Get(block, time, w)
				if err != nil {
					return nil, err
				}
				if b := is.Blocks[block].Times[time].At(w); a != b {
					all = append(all, Change{block, time, w, a, b})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(a.Block, b.Block) })
	return all, nil
}
