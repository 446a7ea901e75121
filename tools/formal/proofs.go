package main

import (
	"strings"

	"gornic/blocks"
	"gornic/configs"
	"gornic/hdl"
	"gornic/hdl/formal"
	"gornic/hdl/stream"
)

// A proof is a design and how far to prove it.
type proof struct {
	name    string
	build   func() (*hdl.Design, error)
	options formal.Options
	faults  int // how many broken copies to try
}

// proofs lists what is proved: small instances of the stream parts, and the blocks in the configuration tiny.
func proofs(only string) ([]proof, error) {
	tiny, err := configs.Load("tiny")
	if err != nil {
		return nil, err
	}
	var all []proof
	for _, p := range stream.Proofs() {
		all = append(all, proof{
			name: p.Name, build: p.Build, options: formal.Options{Depth: p.Depth, Induction: p.Induction}, faults: 4,
		})
	}
	for _, b := range blocks.All() {
		build := func() (*hdl.Design, error) { return b.Build(tiny) }
		all = append(all, proof{name: b.Name, build: build, options: blockOptions(b.Name), faults: 4})
	}
	var chosen []proof
	for _, p := range all {
		if strings.Contains(p.name, only) {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// blockOptions says how far a block is proved: as many cycles as a short frame takes to go through.
func blockOptions(name string) formal.Options {
	return formal.Options{Depth: 16, Induction: 2}
}
