package experiment

import (
	"strings"

	"github.com/fenchel-ml/fenchel/internal/figure"
)

// Figures are the points as curves, one figure for each panel and pair of axes, in order of
// their first points.
func (r *Result) Figures() figure.Sheet {
	type place struct{ row, column, x, y string }
	type line struct {
		panel int
		curve string
	}
	var sheet figure.Sheet
	panels, curves := map[place]int{}, map[line]int{}
	for _, p := range r.Points {
		at := place{p.Row, p.Column, p.XAxis, p.YAxis}
		panel, ok := panels[at]
		if !ok {
			panel = len(sheet)
			panels[at] = panel
			title := strings.Join(strings.Fields(p.Row+" "+p.Column), " ")
			sheet = append(sheet, figure.Figure{Title: title, X: axis(p.XAxis), Y: axis(p.YAxis)})
		}
		f, of := &sheet[panel], line{panel, p.Curve}
		k, ok := curves[of]
		if !ok {
			k = len(f.Curves)
			curves[of] = k
			f.Curves = append(f.Curves, figure.Curve{Name: p.Curve})
		}
		f.Curves[k].X, f.Curves[k].Y = append(f.Curves[k].X, p.X), append(f.Curves[k].Y, p.Y)
	}
	return sheet
}

// axis reads the name of an axis.
func axis(name string) figure.Axis {
	short, log := strings.CutSuffix(name, LogAxis)
	return figure.Axis{Name: short, Log: log}
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
