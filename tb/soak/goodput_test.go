package main

import (
	"encoding/xml"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gornic/configs"
	"gornic/tb/rtl"
)

// Between references goodput is as theory says; and a number that is not is told.
func TestGoodput(t *testing.T) {
	c, err := configs.Load("tiny")
	if err != nil {
		t.Fatal(err)
	}
	c.Replay = 32
	g := goodput{config: c, golden: true, bench: &bench{}}
	for _, p := range []point{{window: 4, loss: 10000}, {window: 16, loss: 5000}} {
		whole, err := measure(t.Context(), nil, nil, g.lab(0), p.window, 2500)
		if err != nil {
			t.Fatal(err)
		}
		cycles, err := measure(t.Context(), nil, nil, g.lab(p.loss), p.window, 2500)
		if err != nil {
			t.Fatal(err)
		}
		p.rate = float64(whole) / float64(cycles)
		t.Logf("window %d, loss %d in a million: %.4f, theory %.4f", p.window, p.loss, p.rate, p.theory())
		if err := far([]point{p}); err != nil || p.rate >= 1 {
			t.Errorf("%+v: %v", p, err)
		}
		p.rate *= 0.85
		if err := far([]point{p}); err == nil {
			t.Errorf("%+v is not far from %f", p, p.theory())
		}
	}
	if got := (point{window: 32, loss: 10000}).theory(); math.Abs(got-0.99/1.31) > 1e-9 {
		t.Errorf("theory %f", got)
	}
	if g.lab(0).Sides != [2]rtl.Kind{rtl.Reference, rtl.Reference} {
		t.Errorf("%v", g.lab(0).Sides)
	}
}

// The plot is XML, with a line and a legend for each window and a dot for each point.
func TestChart(t *testing.T) {
	points := []point{{2, 1000, 0.99}, {32, 10000, 0.76}, {32, 5000, 0.2}}
	text := string(chart(points))
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(text, "<polyline"); n != len(windows) {
		t.Errorf("%d lines", n)
	}
	if n := strings.Count(text, "<circle"); n != len(windows)+len(points) {
		t.Errorf("%d dots", n)
	}
}

func TestGoodputUsage(t *testing.T) {
	if code, _, stderr := command(t, "goodput", "-golden", "-config", "absent"); code != 1 || !strings.Contains(stderr, "nor is it one of") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, _, stderr := command(t, "goodput", "-golden", "-packets", "40", "-o", filepath.Join("goodput.go", "x.svg")); code != 1 || !strings.Contains(stderr, "plot: ") {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if code, _, _ := command(t, "goodput", "-what"); code != 2 {
		t.Errorf("exit code %d", code)
	}
}
