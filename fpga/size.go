package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"

	"gornic/blocks"
	"gornic/configs"
	"gornic/fpga/board"
	"gornic/fpga/flow"
	"gornic/fpga/netlist"
	"gornic/hdl"
	"gornic/tools/toolset"
)

// sizeOptions are the flags of size.
type sizeOptions struct {
	board   string
	suggest bool
}

func sizeCommand(flags *flag.FlagSet) func(context.Context, io.Writer, io.Writer) error {
	var o sizeOptions
	flags.StringVar(&o.board, "board", board.All()[0].Name, "the `board`")
	flags.BoolVar(&o.suggest, "suggest", false, "print its lines of a new budget.yaml: the present sizes and some room")
	return func(ctx context.Context, stdout, stderr io.Writer) error { return size(ctx, o, stdout, stderr) }
}

// size synthesizes each block of the core of a board alone, and compares what it takes with the board's budget.
func size(ctx context.Context, o sizeOptions, stdout, stderr io.Writer) error {
	b, err := board.Find(o.board)
	if err != nil {
		return &argumentError{err}
	}
	budgets, err := readBudgets(budgetFile)
	if err != nil {
		return err
	}
	config, err := configs.Named(b.Config)
	if err != nil {
		return err
	}
	parts, err := partsOf(config)
	if err != nil {
		return err
	}
	p := newProgress(stderr)
	defer p.close()
	sizes, err := measure(ctx, parts, p)
	p.close()
	if errors.Is(err, toolset.ErrAbsent) {
		return fmt.Errorf("%w: go run ./tools/setup yosys", err)
	}
	if err != nil {
		return err
	}
	if o.suggest {
		return suggest(stdout, b.Name, sizes)
	}
	return judge(stdout, b.Name, sizes, budgets)
}

// A blockPart is a block of a core, and how often it is there.
type blockPart struct {
	name   string
	design *hdl.Design
	count  int
}

// partsOf are the blocks that stand in the top of a core. What joins them there (forks, FIFOs, arbiters) is none.
func partsOf(config configs.Config) ([]blockPart, error) {
	var parts []blockPart
	count := map[string]int{}
	for _, b := range blocks.All() {
		design, err := b.Build(config)
		if err != nil {
			return nil, err
		}
		if b.Name == "core" {
			for _, i := range design.Top.Instances {
				count[i.Module.Name]++
			}
			continue
		}
		parts = append(parts, blockPart{name: b.Name, design: design})
	}
	var there []blockPart
	for _, p := range parts {
		if p.count = count[p.design.Top.Name]; p.count > 0 {
			there = append(there, p)
		}
	}
	return there, nil
}

// wholeName is the line of all blocks together.
const wholeName = "whole"

// A blockSize is what a block takes, all of its instances together.
type blockSize struct {
	name  string
	count int
	netlist.Size
}

// sizing is how many blocks are synthesized side by side.
const sizing = 2

// measure synthesizes the blocks; the last of the sizes is that of all together. What did not change is not done again.
func measure(ctx context.Context, parts []blockPart, p flow.Progress) ([]blockSize, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sizes, errs := make([]blockSize, len(parts)+1), make([]error, len(parts))
	next := make(chan int)
	var group sync.WaitGroup
	for range sizing {
		group.Go(func() {
			for i := range next {
				if sizes[i], errs[i] = parts[i].size(ctx); errs[i] != nil {
					cancel() // the others are of no use then
				}
			}
		})
	}
	p.Begin(1, 1, "synthesize", 0)
	for i, part := range parts {
		p.Detail(part.name)
		next <- i
	}
	close(next)
	group.Wait()
	whole := &sizes[len(parts)]
	whole.name = wholeName
	for _, s := range sizes[:len(parts)] {
		whole.count += s.count
		whole.Add(s.Size)
	}
	return sizes, errors.Join(errs...)
}

// size synthesizes a block.
func (p blockPart) size(ctx context.Context) (blockSize, error) {
	n, err := flow.Netlist(ctx, "block-"+p.name, p.design, flow.Options{})
	if err != nil {
		return blockSize{}, err
	}
	s := blockSize{name: p.name, count: p.count}
	for range p.count {
		s.Add(n.Tree(nil).Size)
	}
	return s, nil
}
