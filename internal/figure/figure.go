// Package figure draws curves as SVG, in one panel or in rows and columns of them: what a verb shows
// at once. Each word is stretched to the width that the layout gives it, whatever font a reader has, so that words do not
// overlap and end within the picture. Pages of results are drawn by the command bench/plot with a library for it, which is
// too large to be part of every program that predicts.
package figure

import (
	"fmt"
	"io"
)

// Figure is a panel with curves.
type Figure struct {
	Title  string
	X, Y   Axis
	Curves []Curve
	Ground func(x, y float64) int // the style whose colour is below the curves; 0: white; nil: white everywhere
}

// Curve is a line through points in order. Points that are not finite break it.
type Curve struct {
	Name   string
	X, Y   []float64
	Dashed bool
	Points bool   // marks that no line connects
	Marked []bool // points with a mark on the line; nil: a few, where that tells curves apart
	Style  int    // from 1 to Styles; 0: that of the curve's place

	beyond bool // the styles that can be told apart
}

// The sizes are in pixels.
const (
	panelWide, panelHigh  = 460, 340
	left, top, below      = 84, 48, 60
	sample                = 28  // of a line in a legend
	mostLegend            = 240 // a name in a legend
	lineHigh              = 18  // of a legend
	margin                = 24
	mostNames             = 17 // in a legend
	labelRoom, labelSpace = 50, 8
)

// WriteSVG draws the figure.
func (f *Figure) WriteSVG(w io.Writer) error { return Sheet{{f}}.WriteSVG(w) }

// styled returns the curves with their styles, those that cannot be told apart first, below all others.
func (f *Figure) styled() (curves []Curve) {
	var all []Curve
	for i, c := range f.Curves {
		if c.Style == 0 {
			c.Style = 1 + i%Styles
			c.beyond = i >= Styles
		}
		c.Style = 1 + (c.Style-1)%Styles
		if c.beyond {
			curves = append(curves, c)
		} else {
			all = append(all, c)
		}
	}
	return append(curves, all...)
}

// legend are the curves that it names; others: how many more there are.
func (f *Figure) legend() (named []Curve, others int) {
	for _, c := range f.styled() {
		switch {
		case c.Name == "" || len(f.Curves) == 1 && !c.Points && (c.Name == f.Y.Name || c.Name == f.Title):
		case c.beyond || len(named) == mostNames:
			others++
		default:
			named = append(named, c)
		}
	}
	return named, others
}

// wide is how much room the panel takes, with its legend.
func (f *Figure) wide() float64 {
	named, others := f.legend()
	if len(named) == 0 {
		return left + panelWide + margin
	}
	longest := widthOf(othersName(others), size)
	for _, c := range named {
		longest = max(longest, min(widthOf(c.Name, size), mostLegend))
	}
	return left + panelWide + 10 + sample + 6 + longest + 12
}

func othersName(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d others", n)
}

// draw draws a panel.
func (f *Figure) draw(out io.Writer, wide float64) {
	curves := f.styled()
	x := spanOf(f.X, curves, func(c Curve) []float64 { return c.X })
	y := spanOf(f.Y, curves, func(c Curve) []float64 { return c.Y })
	across := func(v float64) float64 { return left + x.at(v)*panelWide }
	down := func(v float64) float64 { return top + panelHigh - y.at(v)*panelHigh }
	heading(out, left, f.Title, wide-left-margin/2)
	xName := f.drawTicksBelow(out, x, across)
	yName := f.drawTicksBeside(out, y, down)
	text(out, left+panelWide/2, top+panelHigh+44, "middle", xName, panelWide)
	fmt.Fprintf(out, `<g transform="translate(20 %d) rotate(-90)">`, top+panelHigh/2)
	text(out, 0, 0, "middle", yName, panelHigh)
	fmt.Fprintln(out, "</g>")
	f.drawGround(out, x, y)
	// What lies beyond the frame is not seen.
	fmt.Fprintf(out, `<svg x="%d" y="%d" width="%d" height="%d" viewBox="%[1]d %d %d %d">`+"\n", left, top, panelWide, panelHigh, top, panelWide, panelHigh)
	several := len(curves) > 1
	for i, c := range curves {
		if !c.Points {
			fmt.Fprintf(out, `<path d="%s" %s/>`+"\n", c.path(across, down), c.line())
		}
		mx, my := c.marked(i, several)
		if m, style := c.mark(); c.Points || len(mx) > 0 {
			fmt.Fprintf(out, `<path d="%s" %s/>`+"\n", m.dots(mx, my, across, down), style)
		}
	}
	fmt.Fprintf(out, `</svg><rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#444"/>`+"\n", left, top, panelWide, panelHigh)
	f.drawLegend(out, several)
}

// drawTicksBelow draws the values of the axis from left to right, and returns its name. Where words would touch, every second
// has none.
func (f *Figure) drawTicksBelow(out io.Writer, x span, across func(float64) float64) string {
	ticks, name := x.ticks()
	free := -1e9 // from here on
	for _, t := range ticks {
		at := across(t.value)
		fmt.Fprintf(out, `<path d="M%.2f %dv%d" stroke="%s"/>`, at, top, panelHigh, t.colour())
		if half := widthOf(t.label, size) / 2; t.label != "" && at-half >= free {
			text(out, at, top+panelHigh+18, "middle", t.label, panelWide)
			free = at + half + labelSpace
		}
	}
	fmt.Fprintln(out)
	return name
}

// drawTicksBeside draws the values of the axis from below to above, and returns its name.
func (f *Figure) drawTicksBeside(out io.Writer, y span, down func(float64) float64) string {
	ticks, name := y.ticks()
	free := 1e9 // up to here
	for _, t := range ticks {
		at := down(t.value)
		fmt.Fprintf(out, `<path d="M%d %.2fh%d" stroke="%s"/>`, left, at, panelWide, t.colour())
		if t.label != "" && at+size/2 <= free {
			text(out, left-8, at+4, "end", t.label, labelRoom)
			free = at - size/2 - 2
		}
	}
	fmt.Fprintln(out)
	return name
}

// colour is that of the line of a tick.
func (t tick) colour() string {
	if t.minor {
		return "#f0f0f0"
	}
	return "#d8d8d8"
}

// drawLegend writes the names of the curves to the right of the panel.
func (f *Figure) drawLegend(out io.Writer, several bool) {
	const begin = left + panelWide + 10
	named, others := f.legend()
	for i, c := range named {
		y := float64(top + 10 + lineHigh*i)
		if !c.Points {
			fmt.Fprintf(out, `<path d="M%d %.2fh%d" %s/>`, begin, y, sample, c.line())
		}
		if x, _ := c.marked(i, several); c.Points || len(x) > 0 {
			m, style := c.mark()
			at := func(v float64) float64 { return v }
			fmt.Fprintf(out, `<path d="%s" %s/>`, m.dots([]float64{begin + sample/2}, []float64{y}, at, at), style)
		}
		text(out, begin+sample+6, y+4, "start", c.Name, mostLegend)
	}
	if others > 0 {
		y := float64(top + 10 + lineHigh*len(named))
		fmt.Fprintf(out, `<path d="M%d %.2fh%d" stroke="%s" stroke-width="1.6"/>`, begin, y, sample, faint)
		text(out, begin+sample+6, y+4, "start", othersName(others), mostLegend)
	}
}
