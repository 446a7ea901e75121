package main

import (
	"bytes"
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"gornic/cycle/calibrate/cases"
)

// plotSide is the width and the height of the plot.
const plotSide = 14 * vg.Centimeter

// Colors of the two sets.
var (
	suiteColor = color.RGBA{0x1B, 0x6C, 0xA8, 0xFF}
	heldColor  = color.RGBA{0xC0, 0x39, 0x2B, 0xFF}
)

// heldDots is about how many events of a held case are shown.
const heldDots = 20

// correlation draws the cycle of each event of the model over that of the RTL. Of the held cases it shows some.
func correlation(verdicts []verdict) ([]byte, error) {
	p := plot.New()
	p.Title.Text = "Events of the model over events of the RTL"
	p.X.Label.Text, p.Y.Label.Text = "RTL, cycles since the first doorbell", "model, cycles"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	diagonal, err := plotter.NewLine(plotter.XYs{{X: 1, Y: 1}, {X: lastCycle(verdicts), Y: lastCycle(verdicts)}})
	if err != nil {
		return nil, fmt.Errorf("correlation: %w", err)
	}
	diagonal.Color = color.Gray{0x80}
	p.Add(diagonal)
	for _, set := range []struct {
		cases.Set
		color color.RGBA
		name  string
	}{{cases.Held, heldColor, "held out"}, {cases.Suite, suiteColor, "suite, fitted"}} {
		dots, err := plotter.NewScatter(points(verdicts, set.Set))
		if err != nil {
			return nil, fmt.Errorf("correlation: %w", err)
		}
		dots.Color, dots.Shape, dots.Radius = set.color, draw.CircleGlyph{}, 0.5*vg.Millimeter
		p.Add(dots)
		p.Legend.Add(set.name, dots)
	}
	c := vgsvg.New(plotSide, plotSide)
	p.Draw(draw.New(c))
	var out bytes.Buffer
	_, err = c.WriteTo(&out)
	return out.Bytes(), err
}

// points are the events of a set from the first cycle on.
func points(verdicts []verdict, set cases.Set) plotter.XYs {
	var all plotter.XYs
	for _, v := range verdicts {
		if v.Set != set {
			continue
		}
		every := 1
		if set == cases.Held {
			every = len(v.Pairs)/heldDots + 1
		}
		for i, pair := range v.Pairs {
			if i%every == 0 && pair.RTL > 0 && pair.Model > 0 {
				all = append(all, plotter.XY{X: float64(pair.RTL), Y: float64(pair.Model)})
			}
		}
	}
	return all
}

func lastCycle(verdicts []verdict) float64 {
	last := int64(10)
	for _, v := range verdicts {
		for _, p := range v.Pairs {
			last = max(last, p.RTL, p.Model)
		}
	}
	return float64(last)
}
