package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a plot.
const (
	plotWidth  = 17 * vg.Centimeter
	plotHeight = 10 * vg.Centimeter
)

// colors are those of lines, in turn; with the eighth line the shapes of the dots change.
var colors = []color.RGBA{
	{0x1B, 0x6C, 0xA8, 0xFF}, {0xC0, 0x39, 0x2B, 0xFF}, {0x2A, 0x9D, 0x5C, 0xFF}, {0xB8, 0x86, 0x0B, 0xFF},
	{0x6C, 0x34, 0x83, 0xFF}, {0x16, 0xA0, 0x85, 0xFF}, {0x7F, 0x8C, 0x8D, 0xFF},
}

// mostNames is how many lines a legend names.
const mostNames = 16

// SVG draws a figure.
func SVG(f Figure) ([]byte, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.XLabel, f.YLabel
	sans(p)
	f.axes(p)
	p.Add(plotter.NewGrid())
	if err := f.draw(p); err != nil {
		return nil, fmt.Errorf("plot %s: %w", f.Name, err)
	}
	c := vgsvg.New(plotWidth, plotHeight)
	p.Draw(draw.New(c))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("plot %s: %w", f.Name, err)
	}
	return out.Bytes(), nil
}

// sans sets all texts in a font that browsers have.
func sans(p *plot.Plot) {
	for _, s := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle,
	} {
		s.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, s.Font.Size)
	}
	p.Title.Padding = 2 * vg.Millimeter
	p.Legend.Top, p.Legend.Left = true, false
	p.Legend.ThumbnailWidth = 6 * vg.Millimeter
}

// axes sets up the axes. That of y begins at 0: a height is to say how much.
func (f Figure) axes(p *plot.Plot) {
	p.Y.Min = 0
	p.Y.Tick.Marker = plot.TickerFunc(siTicks)
	switch {
	case f.Ticks != nil:
		p.NominalX(f.Ticks...)
	case f.LogX:
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = f.ownTicks()
	default:
		p.X.Tick.Marker = plot.TickerFunc(siTicks)
	}
}

// siTicks are the usual ticks with short numbers.
func siTicks(low, high float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = tickText(ticks[i].Value)
		}
	}
	return ticks
}

func tickText(x float64) string {
	if math.Abs(x) < 1000 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return SI(x)
}

// mostTicks is how many values an axis can name.
const mostTicks = 14

// ownTicks are at the values that were swept, as far as there is room.
func (f Figure) ownTicks() plot.ConstantTicks {
	var ticks plot.ConstantTicks
	seen := map[float64]bool{}
	for _, l := range f.Lines {
		for _, p := range l.Points {
			if !seen[p.X] {
				seen[p.X] = true
				ticks = append(ticks, plot.Tick{Value: p.X})
			}
		}
	}
	every := len(ticks)/mostTicks + 1
	for i := range ticks {
		if i%every == 0 {
			ticks[i].Label = plain(ticks[i].Value)
		}
	}
	return ticks
}

// draw adds the lines, and their names.
func (f Figure) draw(p *plot.Plot) error {
	high := 0.0
	for i, l := range f.Lines {
		points := make(plotter.XYs, len(l.Points))
		for j, at := range l.Points {
			points[j] = plotter.XY(at)
			high = max(high, at.Y)
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		n := i
		if f.pairs() {
			n = i / 2 // a closed form has the color of what it is compared with
		}
		line.Color, dots.Color = colors[n%len(colors)], colors[n%len(colors)]
		dots.Shape = shape(n / len(colors))
		dots.Radius = 1 * vg.Millimeter
		thumbnails := []plot.Thumbnailer{line}
		p.Add(line)
		if l.Dashed {
			line.Dashes = []vg.Length{vg.Millimeter, vg.Millimeter}
		} else {
			p.Add(dots)
			thumbnails = append(thumbnails, dots)
		}
		if l.Name != "" && i < mostNames && len(f.Lines) > 1 {
			p.Legend.Add(l.Name, thumbnails...)
		}
	}
	p.Y.Max = headroom(high)
	if f.pairs() { // its lines are high on the left
		p.Legend.Top, p.Legend.Left = false, true
	} else if len(f.Lines) > 1 {
		p.Y.Max = headroom(high * (1 + 0.06*float64(min(len(f.Lines), mostNames)))) // for the legend
	}
	return nil
}

// pairs tells that each second line is a closed form of the one before.
func (f Figure) pairs() bool { return len(f.Lines) > 1 && f.Lines[1].Dashed }

// headroom is the end of an axis of such a highest value.
func headroom(high float64) float64 {
	if high == 0 {
		return 1
	}
	return 1.05 * high
}

// shape is the shape of dots of the n-th round of colors.
func shape(n int) draw.GlyphDrawer {
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}}
	return shapes[n%len(shapes)]
}
