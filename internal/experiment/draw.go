package experiment

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/figure"
)

// Figures are the curves, each panel in its row and column. A curve has the style of its name in all panels, where
// there are as few names as styles.
func (r *Result) Figures() (sheet figure.Sheet) {
	var rows, columns, names []string
	place := func(names *[]string, name string) int {
		at := slices.Index(*names, name)
		if at < 0 {
			at = len(*names)
			*names = append(*names, name)
		}
		return at
	}
	for _, p := range r.Points {
		if !p.Dashed {
			place(&names, p.Curve)
		}
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
			sheet[i][j].Y.Quantiles = true
		}
		if c := p.addTo(sheet[i][j]); len(names) <= figure.Styles && !p.Dashed {
			c.Style = 1 + slices.Index(names, p.Curve)
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
		c := figure.Curve{Name: p.Curve, Dashed: p.Dashed, Points: p.Dots}
		if p.Dashed && at > 0 {
			c.Style = cmp.Or(f.Curves[at-1].Style, at)
		}
		f.Curves = append(f.Curves, c)
	}
	c := &f.Curves[at]
	c.X, c.Y = append(c.X, p.X), append(c.Y, p.Y)
	return c
}

// Page is a report with facts, such as the source and the command, the notes, the claims and the figures.
func (r *Result) Page(title string, facts ...string) figure.Page {
	if r.Unjudged != "" {
		facts = append(facts, "Not judged: "+r.Unjudged)
	}
	p := figure.Page{Title: title, Remarks: slices.Concat(facts, r.Notes), Heads: []string{"target", "claim", "expected", "found", "verdict"}, Figures: r.Figures()}
	for _, c := range r.Checks {
		verdict := "does not hold"
		if c.Holds {
			verdict = "holds"
		}
		p.Rows = append(p.Rows, []string{c.Target, c.Claim, c.Expected, c.Found, verdict})
	}
	return p
}
