package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
)

// A Result is what came of an experiment.
type Result struct {
	Points []Point
	Checks []Check
	Notes  []string // what was chosen or left out on the way

	Data string // the generator of the rows, where those of the source are absent; "": others

	// Unjudged says why claims that do not hold here say nothing of the source; "": they do.
	Unjudged string
}

// A Point belongs to a curve in one panel of a figure. Panels are laid out in rows
// and columns as in the source; an axis whose name ends in LogAxis is logarithmic.
type Point struct {
	Row, Column, Curve string
	Dashed             bool // the curve goes on with that before it in the panel, and has its colour
	XAxis              string
	X                  float64
	YAxis              string
	Y                  float64
	Dots               bool // the points of the curve are not connected
}

// LogAxis ends the names of logarithmic axes.
const LogAxis = " (log)"

// Names of axes that several figures have.
const (
	Iterations    = "iterations" + LogAxis
	RunTime       = "estimated run time" + LogAxis
	Suboptimality = "suboptimality" + LogAxis
)

// A Check is one target: what the source claims, and what was found.
type Check struct {
	Target   string // its name in the reference: "F1"
	Claim    string
	Expected string
	Found    string
	Holds    bool
}

// Holds reports whether all targets were met, or none is judged.
func (r *Result) Holds() bool {
	if r.Unjudged != "" {
		return true
	}
	for _, c := range r.Checks {
		if !c.Holds {
			return false
		}
	}
	return true
}

// WriteCSV writes one line for each point, below a line of names.
func (r *Result) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"row", "column", "curve", "x_axis", "x", "y_axis", "y"}); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, p := range r.Points {
		if err := out.Write([]string{p.Row, p.Column, p.Curve, p.XAxis, number(p.X), p.YAxis, number(p.Y)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Check adds a target.
func (r *Result) Check(target, claim, expected string, holds bool, found string, args ...any) {
	r.Checks = append(r.Checks, Check{Target: target, Claim: claim, Expected: expected, Found: fmt.Sprintf(found, args...), Holds: holds})
}

// Note adds a note.
func (r *Result) Note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// A Named curve is the y of its points.
type Named struct {
	Name string
	Y    []float64
}

// Curves adds several to one panel.
func (r *Result) Curves(panel Point, x []float64, all ...Named) {
	for _, c := range all {
		panel.Curve = c.Name
		r.Curve(panel, x, c.Y)
	}
}

// Curve adds the points (x[i], y[i]), as many as a figure can show: of those whose
// x are closer than a part in so many of a decade only the first, and the last of all.
func (r *Result) Curve(panel Point, x, y []float64) {
	const perDecade = 25
	least := math.Inf(-1)
	for i := range x {
		if x[i] < least && i < len(x)-1 {
			continue
		}
		least = x[i] * (1 + 2.3/perDecade)
		panel.X, panel.Y = x[i], y[i]
		r.Points = append(r.Points, panel)
	}
}
