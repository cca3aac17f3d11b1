package live

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/tune"
)

const (
	mostCurves = 12  // in a picture
	mostRows   = 100 // in a table
	mostFolds  = 20  // of a candidate
	mostGaps   = 800 // points of all curves
)

// show makes sections of what was told.
func (r *record) show(page *reportpage.Page) {
	if len(r.trials) > 0 {
		r.showSearch(page.Section("Search"))
	}
	if len(r.work) > 0 {
		page.Section(r.experiment).Show("Work", nil, []string{"", "done", "of"}, r.work)
	}
	if len(r.results) > 1 {
		page.Section("Experiments").Show("Claims that hold", nil, []string{"", ""}, r.results)
	}
	if r.latest != nil {
		page.Sections = append(page.Sections, r.latest)
	}
	if r.rows.seen > 0 {
		showSeries(page.Section("Learning"), "Rows learned", "rows", "seconds", r.rows.points())
	}
	if len(r.tracks) == 0 {
		return
	}
	s := page.Section("Training")
	r.showGaps(s)
	if points := r.bounds.points(); len(points) > 0 {
		objective, bound := curveOf("objective", points, 0), curveOf("best possible at least", points, 1)
		var rows [][]string
		for _, p := range points {
			rows = append(rows, []string{digits(p.seconds), exact(p.value[0]), exact(p.value[1])})
		}
		s.Show("The objective, and the bound that is proved", &figure.Figure{Title: "objective and bound", X: figure.Axis{Name: "seconds"}, Y: figure.Axis{Name: "objective", Quantiles: true}, Curves: []figure.Curve{objective, bound}},
			[]string{"seconds", "objective", "best possible at least"}, rows)
	}
	if points := r.test.points(); len(points) > 0 {
		showSeries(s, "On the test data", r.score, "seconds", points)
	}
}

// showSeries shows a number in time, or by what else the points go.
func showSeries(s *reportpage.Section, caption, name, by string, points []point) {
	var rows [][]string
	for _, p := range points {
		rows = append(rows, []string{digits(p.seconds), digits(p.value[0])})
	}
	s.Show(caption, &figure.Figure{Title: name, X: figure.Axis{Name: by}, Y: figure.Axis{Name: name}, Curves: []figure.Curve{curveOf(name, points, 0)}}, []string{by, name}, rows)
}

// showGaps shows the gap of each class; of many those that have come least far.
func (r *record) showGaps(s *reportpage.Section) {
	order := make([]int, len(r.tracks))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(known(r.tracks[b].gap), known(r.tracks[a].gap)) })
	drawn := slices.Sorted(slices.Values(order[:min(len(order), mostCurves)]))
	f := &figure.Figure{Title: "relative duality gap: proved at the marks, the solver's estimate between", X: figure.Axis{Name: "seconds"}, Y: figure.Axis{Name: "gap", Log: true}}
	from, to := math.Inf(1), 0.0
	for _, at := range drawn {
		c := thinned(r.tracks[at].curve(), max(mostGaps/len(drawn), 40))
		if f.Curves = append(f.Curves, c); len(c.X) > 0 {
			from, to = min(from, c.X[0]), max(to, c.X[len(c.X)-1])
		}
	}
	if r.goal > 0 && to >= from {
		f.Curves = append(f.Curves, figure.Curve{Name: "asked for", X: []float64{from, to}, Y: []float64{r.goal, r.goal}, Dashed: true, Style: figure.Black})
	}
	if to >= from {
		var rows [][]string
		for k, at := range drawn {
			for i, c := 0, f.Curves[k]; i < len(c.X); i++ {
				rows = append(rows, []string{r.tracks[at].name, digits(c.X[i]), digits(c.Y[i]), map[bool]string{true: "proved", false: "estimated"}[c.Marked[i]]})
			}
		}
		s.Show("The gap", f, []string{"of", "seconds", "gap", ""}, rows)
	}
	var rows [][]string
	for _, at := range order[:min(len(order), mostRows)] {
		if t := &r.tracks[at]; t.begun {
			rows = append(rows, []string{t.name, strconv.Itoa(t.epoch), digits(t.gap), exact(t.primal), exact(t.dual)})
		}
	}
	s.Show("Now", nil, []string{"of", "epochs", "gap", "objective", "best possible at least"}, rows)
}

// thinned leaves about so many points of a curve: the last, those that are proved where these are few, others evenly.
func thinned(c figure.Curve, most int) figure.Curve {
	proved := 0
	for _, marked := range c.Marked {
		if marked {
			proved++
		}
	}
	out, step := figure.Curve{Name: c.Name}, 1+len(c.X)/most
	for k := range c.X {
		if k%step == 0 || k == len(c.X)-1 || c.Marked[k] && proved <= most {
			out.X, out.Y, out.Marked = append(out.X, c.X[k]), append(out.Y, c.Y[k]), append(out.Marked, c.Marked[k])
		}
	}
	return out
}

// known orders gaps that are not known before all others.
func known(gap float64) float64 {
	if math.IsNaN(gap) {
		return math.Inf(1)
	}
	return gap
}

// curve is the gap in time, with a dot where it is proved.
func (t *track) curve() figure.Curve {
	c := figure.Curve{Name: t.name}
	proved, estimated := t.proved.points(), t.estimated.points()
	for len(proved)+len(estimated) > 0 {
		isProved := len(estimated) == 0 || len(proved) > 0 && proved[0].seconds <= estimated[0].seconds
		from := &estimated
		if isProved {
			from = &proved
		}
		c.X, c.Y, c.Marked = append(c.X, (*from)[0].seconds), append(c.Y, (*from)[0].value[0]), append(c.Marked, isProved)
		*from = (*from)[1:]
	}
	return c
}

// curveOf is a curve of one of the numbers of points.
func curveOf(name string, points []point, which int) figure.Curve {
	c := figure.Curve{Name: name}
	for _, p := range points {
		c.X, c.Y, c.Marked = append(c.X, p.seconds), append(c.Y, p.value[which]), append(c.Marked, true)
	}
	return c
}

// showSearch shows the candidates that were judged, the latest first.
func (r *record) showSearch(s *reportpage.Section) {
	if points := r.judged.points(); len(points) > 0 {
		showSeries(s, "The best score so far", r.what, "models trained", points)
	}
	heads := []string{"candidate", "mean " + r.what}
	for f := range min(len(r.trials[0].Scores), mostFolds) {
		heads = append(heads, fmt.Sprintf("fold %d", f+1))
	}
	heads = append(heads, "largest gap")
	var rows [][]string
	for _, t := range slices.Backward(r.trials) {
		rows = append(rows, trialRow(t, len(heads)))
	}
	s.Show("Candidates", nil, heads, rows)
}

// trialRow is a line of the table of candidates.
func trialRow(t tune.Trial, cells int) []string {
	row := []string{cmp.Or(t.String(), "the only candidate"), digits(t.Mean)}
	for _, score := range t.Scores {
		row = append(row, digits(score))
	}
	row = append(row[:min(len(row), cells-1)], digits(t.Gap))
	return append(row, make([]string, max(0, cells-len(row)))...)
}

// digits writes a number; nothing if it is not known.
func digits(x float64) string { return written(x, 6) }

// exact writes one of two numbers that are nearly equal.
func exact(x float64) string { return written(x, 10) }

func written(x float64, digits int) string {
	if x-x != 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}
