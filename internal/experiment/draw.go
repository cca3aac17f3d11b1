package experiment

import (
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/figure"
)

// Figures are the curves, each panel in its row and column.
func (r *Result) Figures() (sheet figure.Sheet) {
	var rows, columns, dotted []string
	place := func(names *[]string, name string) int {
		at := slices.Index(*names, name)
		if at < 0 {
			at = len(*names)
			*names = append(*names, name)
		}
		return at
	}
	for _, p := range r.Points {
		i, j := place(&rows, p.Row), place(&columns, p.Column)
		for len(sheet) <= i {
			sheet = append(sheet, nil)
		}
		for len(sheet[i]) <= j {
			sheet[i] = append(sheet[i], nil)
		}
		if sheet[i][j] == nil {
			sheet[i][j] = &figure.Figure{Title: strings.Trim(p.Row+", "+p.Column, ", "), X: axis(p.XAxis), Y: axis(p.YAxis)}
		}
		c := p.addTo(sheet[i][j])
		if c.Points = p.Dots; p.Dots { // of one colour in all panels
			c.Colour = figure.Contrast(place(&dotted, p.Curve))
		}
	}
	return sheet
}

// axis is that of a name.
func axis(name string) figure.Axis {
	short, log := strings.CutSuffix(name, LogAxis)
	return figure.Axis{Name: short, Log: log}
}

// addTo adds a point to its curve, and returns that.
func (p Point) addTo(f *figure.Figure) *figure.Curve {
	at := slices.IndexFunc(f.Curves, func(c figure.Curve) bool { return c.Name == p.Curve })
	if at < 0 {
		at = len(f.Curves)
		f.Curves = append(f.Curves, figure.Curve{Name: p.Curve})
	}
	c := &f.Curves[at]
	c.X, c.Y = append(c.X, p.X), append(c.Y, p.Y)
	return c
}

// Page is a report with the figures, the claims and the notes.
func (r *Result) Page(title string) figure.Page {
	p := figure.Page{Title: title, Remarks: r.Notes, Heads: []string{"target", "claim", "expected", "found", "verdict"}, Figures: r.Figures()}
	for _, c := range r.Checks {
		verdict := "does not hold"
		if c.Holds {
			verdict = "holds"
		}
		p.Rows = append(p.Rows, []string{c.Target, c.Claim, c.Expected, c.Found, verdict})
	}
	return p
}
