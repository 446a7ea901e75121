package main

import (
	"fmt"
	"strings"

	"gornic/tb/wire"
)

// The plot, in units of SVG.
const (
	chartWidth, chartHeight = 720, 460
	chartLeft, chartTop     = 70, 40
	plotWidth, plotHeight   = 520, 350
	lossMost                = 10000 // in a million
	rateLeast               = 0.7
)

// colors are those of windows.
var colors = []string{"#1b6ca8", "#2a9d5c", "#b8860b", "#c0392b", "#6c3483"}

// chart draws goodput over loss: a line for each window by theory, a dot for each measurement.
func chart(points []point) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n",
		chartWidth, chartHeight, chartWidth, chartHeight)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="15">Goodput of one queue pair under loss: lines (1-p)/(1-p+pW), dots measured</text>`+"\n", chartLeft)
	axes(&b)
	for i, w := range windows {
		curve(&b, w, colors[i%len(colors)], i)
		for _, p := range points {
			if p.window == w {
				fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>`+"\n", chartX(p.loss), chartY(p.rate), colors[i%len(colors)])
			}
		}
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

func chartX(loss int) float64 { return chartLeft + plotWidth*float64(loss)/lossMost }

func chartY(rate float64) float64 {
	return chartTop + plotHeight*(1-max(rate-rateLeast, 0)/(1-rateLeast))
}

func axes(b *strings.Builder) {
	const grid = `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/>` + "\n"
	for loss := 0; loss <= lossMost; loss += 2000 {
		fmt.Fprintf(b, grid, chartX(loss), chartY(1), chartX(loss), chartY(rateLeast))
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%.1f %%</text>`+"\n", chartX(loss), chartTop+plotHeight+20, float64(loss)*100/wire.Million)
	}
	for percent := int(100 * rateLeast); percent <= 100; percent += 5 {
		rate := float64(percent) / 100
		fmt.Fprintf(b, grid, chartX(0), chartY(rate), chartX(lossMost), chartY(rate))
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%d %%</text>`+"\n", chartLeft-8, chartY(rate)+4, percent)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">packets lost</text>`+"\n", chartLeft+plotWidth/2, chartTop+plotHeight+45)
}

// curve draws the theory of a window, and says which it is.
func curve(b *strings.Builder, window int, color string, row int) {
	var at []string
	for loss := 0; loss <= lossMost; loss += 250 {
		p := point{window: window, loss: loss}
		at = append(at, fmt.Sprintf("%.1f,%.1f", chartX(loss), chartY(p.theory())))
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", strings.Join(at, " "), color)
	y := chartTop + 20*row + 10
	fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">W = %d</text>`+"\n", chartLeft+plotWidth+25, y, color, chartLeft+plotWidth+38, y+4, window)
}
