package main

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"gornic/cycle/calibrate/cases"
	"gornic/cycle/calibrate/fit"
	"gornic/cycle/table"
)

func TestTmpFit(t *testing.T) {
	w, err := strconv.Atoi(os.Getenv("WIDTH"))
	if err != nil {
		t.Skip()
	}
	all, err := load(cases.Suite)
	if err != nil {
		t.Fatal(err)
	}
	start, err := table.Default()
	if err != nil {
		t.Fatal(err)
	}
	fitted, _, err := fit.Fit(t.Context(), start, []int{w}, costOf(all), func(c fit.Change, cost int64) { fmt.Println(c, cost) })
	if err != nil {
		t.Fatal(err)
	}
	text, err := fitted.Text()
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(fmt.Sprintf("/tmp/CALIBRATE-fit-%d.yaml", w), text, 0o644)
}
