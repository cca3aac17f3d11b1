// Package figure draws curves as SVG, in one panel or in rows and columns of them: what a verb shows
// at once. Pages of results are drawn by the command bench/plot with a library for it, which
// is too large to be part of every program that predicts.
package figure

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Figure is a panel with curves.
type Figure struct {
	Title  string
	X, Y   Axis
	Curves []Curve
	Ground func(x, y float64) int // the colour below the curves, as of a curve; nil: white
}

// Axis is one of the two.
type Axis struct {
	Name string
	Log  bool // only values > 0 are shown

	// Quantiles says that the few values far above or below all others do not stretch the axis: it ends at most
	// half the distance between the quantiles 0.05 and 0.95 beyond them, and curves are cut off there.
	Quantiles bool
}

// Curve is a line through points in order. Points that are not finite break it.
type Curve struct {
	Name   string
	X, Y   []float64
	Dashed bool
	Points bool   // dots that no line connects
	Marked []bool // points with a dot on the line; nil: none
	Colour int    // see [Contrast]; 0: that of the curve's place
}

// Contrast is the colour of the thing of place i among several that have nothing to do with each other:
// neighbours among the colours of places are alike, for curves that belong together.
func Contrast(i int) int { return []int{1, 3, 5, 4, 2, 6, 7}[i%len(colours)] }

// The sizes are in pixels.
const (
	width, height           = 720, 440
	left, right, top, below = 80, 180, 40, 60
)

// Colours is how many there are.
const Colours = 7

// colours can be told apart by readers who see few of them (Okabe, Ito).
var colours = [Colours]string{"#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#009e73", "#cc79a7", "#000000"}

// span is a range of an axis, in logarithms where it is logarithmic.
type span struct {
	Axis
	lo, hi float64
}

func (s span) value(v float64) float64 {
	if s.Log {
		return math.Log10(v)
	}
	return v
}

// at is where a value stands, from 0 to 1.
func (s span) at(v float64) float64 { return (s.value(v) - s.lo) / (s.hi - s.lo) }

// spanOf is the range of all values that can be shown.
func spanOf(a Axis, curves []Curve, of func(Curve) []float64) span {
	s := span{a, math.Inf(1), math.Inf(-1)}
	var values []float64
	for _, c := range curves {
		for _, v := range of(c) {
			if v := s.value(v); v-v == 0 {
				s.lo, s.hi = min(s.lo, v), max(s.hi, v)
				values = append(values, v)
			}
		}
	}
	if n := len(values); a.Quantiles && n >= 20 {
		slices.Sort(values)
		low, high := values[n/20], values[n-1-n/20]
		s.lo, s.hi = max(s.lo, low-(high-low)/2), min(s.hi, high+(high-low)/2)
	}
	switch {
	case s.lo > s.hi:
		s.lo, s.hi = 0, 1
	case s.lo == s.hi:
		s.lo, s.hi = s.lo-0.5, s.hi+0.5
	}
	margin := 0.03 * (s.hi - s.lo)
	s.lo, s.hi = s.lo-margin, s.hi+margin
	return s
}

// ticks are round values within the range: powers of ten, or also 2 and 5 times these, of a
// logarithmic axis; multiples of one of them of another.
func (s span) ticks() (values []float64) {
	if s.Log {
		factors := []float64{1}
		if s.hi-s.lo < 3 {
			factors = []float64{1, 2, 5}
		}
		for e := math.Floor(s.lo); e <= s.hi; e++ {
			for _, f := range factors {
				if v := f * math.Pow(10, e); s.value(v) >= s.lo && s.value(v) <= s.hi {
					values = append(values, v)
				}
			}
		}
		return values
	}
	step := math.Pow(10, math.Floor(math.Log10((s.hi-s.lo)/3)))
	for _, f := range []float64{5, 2} {
		if (s.hi-s.lo)/(f*step) >= 3 {
			step *= f
			break
		}
	}
	for k := math.Ceil(s.lo / step); k*step <= s.hi; k++ {
		values = append(values, k*step+0) // -0 becomes 0
	}
	return values
}

// WriteSVG draws the figure.
func (f *Figure) WriteSVG(w io.Writer) error { return Sheet{{f}}.WriteSVG(w) }

// draw draws a panel.
func (f *Figure) draw(out io.Writer, wide int) {
	x := spanOf(f.X, f.Curves, func(c Curve) []float64 { return c.X })
	y := spanOf(f.Y, f.Curves, func(c Curve) []float64 { return c.Y })
	across := func(v float64) float64 { return left + x.at(v)*(width-left-right) }
	down := func(v float64) float64 { return height - below - y.at(v)*(height-top-below) }
	fmt.Fprintf(out, `<rect width="%d" height="%d" fill="white"/><rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#444"/>`+"\n",
		wide, height, left, top, width-left-right, height-top-below)
	text(out, left, top-14, "start", f.Title)
	text(out, left+(width-left-right)/2, height-16, "middle", f.X.Name)
	fmt.Fprintf(out, `<g transform="translate(18 %d) rotate(-90)">`, top+(height-top-below)/2)
	text(out, 0, 0, "middle", f.Y.Name)
	fmt.Fprintln(out, "</g>")
	for _, v := range x.ticks() {
		fmt.Fprintf(out, `<line x1="%.2f" y1="%d" x2="%.2f" y2="%d" stroke="#ddd"/>`, across(v), top, across(v), height-below)
		text(out, across(v), height-below+16, "middle", strconv.FormatFloat(v, 'g', 6, 64))
	}
	for _, v := range y.ticks() {
		fmt.Fprintf(out, `<line x1="%d" y1="%.2f" x2="%d" y2="%.2f" stroke="#ddd"/>`, left, down(v), width-right, down(v))
		text(out, left-6, down(v)+4, "end", strconv.FormatFloat(v, 'g', 6, 64))
	}
	f.drawGround(out, x, y)
	for i, c := range f.Curves {
		if c.Colour == 0 {
			c.Colour = 1 + i%len(colours)
		}
		style := c.style()
		if f.Y.Quantiles { // what lies beyond the frame is not seen
			fmt.Fprintf(out, `<svg x="%d" y="%d" width="%d" height="%d" viewBox="%[1]d %d %d %d">`, left, top, width-left-right, height-top-below, top, width-left-right, height-top-below)
		}
		fmt.Fprintf(out, `<path d="%s" %s/>`+"\n", c.path(across, down), style)
		if marks := c.marks(); len(marks.X) > 0 {
			fmt.Fprintf(out, `<path d="%s" %s/>`+"\n", marks.path(across, down), marks.style())
		}
		if f.Y.Quantiles {
			fmt.Fprintln(out, "</svg>")
		}
		begin := width - right + 10
		if c.Points {
			begin += 24 // a dot where the lines of others end
		}
		fmt.Fprintf(out, `<line x1="%d" y1="%d" x2="%d" y2="%d" %s/>`, begin, top+10+18*i, width-right+34, top+10+18*i, style)
		text(out, width-right+40, float64(top+14+18*i), "start", c.Name)
	}
}

// style is how a curve is drawn.
func (c Curve) style() string {
	colour := colours[c.Colour-1]
	switch {
	case c.Points:
		return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="4.5" stroke-linecap="round"`, colour)
	case c.Dashed:
		return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.5" stroke-dasharray="5 4"`, colour)
	}
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.5"`, colour)
}

// marks are the points with a dot.
func (c Curve) marks() Curve {
	dots := Curve{Points: true, Colour: c.Colour}
	for k, marked := range c.Marked {
		if marked {
			dots.X, dots.Y = append(dots.X, c.X[k]), append(dots.Y, c.Y[k])
		}
	}
	return dots
}

// path is the curve in the language of SVG.
func (c Curve) path(across, down func(float64) float64) string {
	var d strings.Builder
	command := "M"
	for k := range c.X {
		x, y := across(c.X[k]), down(c.Y[k])
		if x-x != 0 || y-y != 0 {
			command = "M"
			continue
		}
		if c.Points {
			fmt.Fprintf(&d, "M%.1f %.1fh0", x, y)
			continue
		}
		fmt.Fprintf(&d, "%s%.2f %.2f", command, x, y)
		command = "L"
	}
	return d.String()
}

// text writes words at a place.
func text(w io.Writer, x, y float64, anchor, words string) {
	fmt.Fprintf(w, `<text x="%.2f" y="%.2f" text-anchor="%s">`, x, y, anchor)
	xml.EscapeText(w, []byte(words))
	fmt.Fprintln(w, "</text>")
}
