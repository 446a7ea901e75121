// Package table holds how long the blocks of the core take: one file, table.yaml, of
// latencies and intervals in cycles, each pinned to the RTL that it was taken from.
//
// Start with [Default]. [Table.Check] compares the pins with rtl/: a table that does
// not belong to it is an error that names the blocks whose Verilog has changed.
package table

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

//go:embed table.yaml
var file []byte

// Table is how long blocks take.
type Table struct {
	Blocks map[string]*Block `yaml:"blocks"` // by the name of the block
}

// Block is one block of the RTL.
type Block struct {
	Files []string         `yaml:"files"` // beginnings of the names of its files in rtl/
	Hash  string           `yaml:"hash"`  // of their contents, when the times were measured
	Times map[string]*Time `yaml:"times"`
}

// Time is one time of a block.
type Time struct {
	Cycles  int         `yaml:"cycles,omitempty"`
	ByWidth map[int]int `yaml:"by_width,omitempty"` // by bits of the data path, where they differ: 64, 128, 256, 512
	Doc     string      `yaml:"doc"`                // from what to what, or between what
	Source  string      `yaml:"source"`             // doc: said by the block's documentation; measured: fitted to the RTL
}

// At is the time at a data width in bits.
func (t *Time) At(width int) int {
	if v, ok := t.ByWidth[width]; ok {
		return v
	}
	return t.Cycles
}

// Default returns the table that comes with gornic.
func Default() (*Table, error) { return Parse("table.yaml", file) }

// Parse reads the text of a table; name names it in errors.
func Parse(name string, text []byte) (*Table, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var t Table
	if err := d.Decode(&t); err != nil {
		return nil, fmt.Errorf("table: %s: %w", name, err)
	}
	var errs []error
	for _, b := range t.Names() {
		if len(t.Blocks[b].Files) == 0 {
			errs = append(errs, fmt.Errorf("table: %s: block %s has no files", name, b))
		}
		for _, n := range t.Blocks[b].Names() {
			if err := t.Blocks[b].Times[n].check(); err != nil {
				errs = append(errs, fmt.Errorf("table: %s: %s.%s: %w", name, b, n, err))
			}
		}
	}
	return &t, errors.Join(errs...)
}

func (t *Time) check() error {
	if t.Cycles < 0 || t.Cycles > 1000 {
		return fmt.Errorf("%d cycles: expected 0 to 1000", t.Cycles)
	}
	for _, w := range []int{64, 128, 256, 512} {
		if v := t.At(w); v < 0 || v > 1000 {
			return fmt.Errorf("%d cycles at %d bits: expected 0 to 1000", v, w)
		}
	}
	for w := range t.ByWidth {
		if !slices.Contains([]int{64, 128, 256, 512}, w) {
			return fmt.Errorf("a width of %d bits: expected 64, 128, 256 or 512", w)
		}
	}
	return nil
}

// Names returns the blocks, in order.
func (t *Table) Names() []string { return sorted(t.Blocks) }

// Names returns the times of the block, in order.
func (b *Block) Names() []string { return sorted(b.Times) }

func sorted[V any](m map[string]V) []string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Get returns a time of a block at a data width in bits.
func (t *Table) Get(block, name string, width int) (int, error) {
	b, ok := t.Blocks[block]
	if !ok {
		return 0, fmt.Errorf("table: no block %s: there are %s", block, strings.Join(t.Names(), ", "))
	}
	x, ok := b.Times[name]
	if !ok {
		return 0, fmt.Errorf("table: block %s has no time %s: there are %s", block, name, strings.Join(b.Names(), ", "))
	}
	return x.At(width), nil
}

// With returns a table in which one time is another, at a data width in bits.
func (t *Table) With(block, name string, width, cycles int) (*Table, error) {
	if _, err := t.Get(block, name, width); err != nil {
		return nil, err
	}
	c := t.Copy()
	x := c.Blocks[block].Times[name]
	if x.ByWidth == nil {
		x.ByWidth = map[int]int{}
	}
	x.ByWidth[width] = cycles
	return c, x.check()
}

// Copy returns a copy that shares nothing.
func (t *Table) Copy() *Table {
	c := &Table{Blocks: map[string]*Block{}}
	for _, b := range t.Names() {
		from := t.Blocks[b]
		to := &Block{Files: slices.Clone(from.Files), Hash: from.Hash, Times: map[string]*Time{}}
		for _, n := range from.Names() {
			x := *from.Times[n]
			if x.ByWidth != nil {
				x.ByWidth = map[int]int{}
				for w, v := range from.Times[n].ByWidth {
					x.ByWidth[w] = v
				}
			}
			to.Times[n] = &x
		}
		c.Blocks[b] = to
	}
	return c
}

// Text returns the table as [Parse] reads it.
func (t *Table) Text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# How long the blocks of the core take, in cycles: see package table. Fitted by `make calibrate`.\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(t); err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	return b.Bytes(), e.Close()
}
