package figure

import (
	"fmt"
	"math"
	"strings"
)

// Styles is how many things a picture tells apart by colour, dashes and marks.
const Styles = 12

// Black is the style of what others are compared with.
const Black = 7

// colours can be told apart by readers who see few of them (Okabe, Ito).
var colours = [...]string{"#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#000000"}

// faint is the colour of curves beyond those that can be told apart.
const faint = "#bbbbbb"

// dash is that of the styles whose colours are used up.
const dash = "6 3"

// A mark is a path from the middle of a point on; it is filled, or drawn as lines.
type mark struct {
	dx, dy float64 // where it begins
	path   string
	filled bool
}

// marks by style: those of used-up colours are hollow.
var marks = [Styles]mark{
	{0, 0, "h0", false}, // a dot, by its round ends
	{-2.3, -2.3, "h4.6v4.6h-4.6z", true},
	{0, -3, "l2.8 5h-5.6z", true},
	{0, -3.3, "l3.3 3.3-3.3 3.3-3.3-3.3z", true},
	{0, 3, "l-2.8-5h5.6z", true},
	{-2.4, -2.4, "l4.8 4.8m0-4.8l-4.8 4.8", false},
	{-3, 0, "h6m-3-3v6", false},
	{-2.6, 0, "a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0z", false},
	{-2.4, -2.4, "h4.8v4.8h-4.8z", false},
	{0, -3.2, "l3 5.4h-6z", false},
	{0, -3.5, "l3.5 3.5-3.5 3.5-3.5-3.5z", false},
	{0, 3.2, "l-3-5.4h6z", false},
}

// colour is that of the style.
func (c Curve) colour() string {
	if c.beyond {
		return faint
	}
	return colours[(c.Style-1)%len(colours)]
}

// line is how the line of a curve is drawn.
func (c Curve) line() string {
	dashes := ""
	switch {
	case c.Dashed:
		dashes = ` stroke-dasharray="5 4"`
	case c.Style > len(colours) && !c.beyond:
		dashes = fmt.Sprintf(` stroke-dasharray="%s"`, dash)
	}
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.6"%s`, c.colour(), dashes)
}

// mark is how its points are drawn.
func (c Curve) mark() (m mark, style string) {
	m = marks[c.Style-1]
	switch {
	case m.path == "h0":
		style = fmt.Sprintf(`fill="none" stroke="%s" stroke-width="4.8" stroke-linecap="round"`, c.colour())
	case m.filled:
		style = fmt.Sprintf(`fill="%s"`, c.colour())
	case strings.HasSuffix(m.path, "z"):
		style = fmt.Sprintf(`fill="white" stroke="%s" stroke-width="1.2"`, c.colour())
	default:
		style = fmt.Sprintf(`fill="none" stroke="%s" stroke-width="1.5"`, c.colour())
	}
	return m, style
}

// marked are the points of a curve that have a mark: those that are said, or, where several lines are to be told
// apart without colours, a few of each, elsewhere on each.
func (c Curve) marked(place int, several bool) (x, y []float64) {
	step, first := 1, 0
	if c.Marked == nil && !c.Points {
		if !several || c.Dashed || c.beyond {
			return nil, nil
		}
		if step = max(1, (len(c.X)+11)/12); step > 1 {
			first = place * step / Styles
		}
	}
	for k := first; k < len(c.X); k += step {
		if c.Marked == nil || k < len(c.Marked) && c.Marked[k] {
			x, y = append(x, c.X[k]), append(y, c.Y[k])
		}
	}
	return x, y
}

// dots is the path of marks at points.
func (m mark) dots(x, y []float64, across, down func(float64) float64) string {
	var d strings.Builder
	for k := range x {
		if x, y := across(x[k])+m.dx, down(y[k])+m.dy; x-x == 0 && y-y == 0 {
			fmt.Fprintf(&d, "M%.1f %.1f%s", x, y, m.path)
		}
	}
	return d.String()
}

// path is the line of a curve in the language of SVG.
func (c Curve) path(across, down func(float64) float64) string {
	var d strings.Builder
	command := "M"
	for k := range c.X {
		x, y := across(c.X[k]), down(c.Y[k])
		if x-x != 0 || y-y != 0 || math.Abs(x)+math.Abs(y) > 1e7 {
			command = "M"
			continue
		}
		fmt.Fprintf(&d, "%s%.2f %.2f", command, x, y)
		command = "L"
	}
	return d.String()
}
