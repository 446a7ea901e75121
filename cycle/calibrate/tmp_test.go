package main

import (
	"fmt"
	"os"
	"testing"

	"gornic/cycle/calibrate/cases"
	"gornic/cycle/calibrate/compare"
)

func TestTmp(t *testing.T) {
	all, err := load(cases.Suite)
	if err != nil {
		t.Fatal(err)
	}
	v, err := judge(t.Context(), nil, all)
	if err != nil {
		t.Fatal(err)
	}
	printVerdicts(os.Stdout, v)
	for _, x := range v {
		if m := os.Getenv("CASE"); m != "" && x.Name() == m {
			for _, p := range x.Pairs {
				fmt.Println(p.RTL, p.Model, p.Error(), compare.Describe(p.Event))
			}
			for _, e := range x.Only {
				fmt.Println("only RTL", e.Cycle, compare.Describe(e))
			}
			for _, e := range x.Extra {
				fmt.Println("only model", e.Cycle, compare.Describe(e))
			}
		}
	}
}
