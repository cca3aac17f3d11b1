package reportpage

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/figure"
)

// MostDots is how many rows are drawn as dots.
const MostDots = 500

// residuals are true less predicted numbers.
func (r *report) residuals() []float64 {
	all := make([]float64, len(r.scores))
	for i, s := range r.scores {
		all[i] = r.judge.Target.Number[i] - r.Model.Number(s[0])
	}
	return all
}

// numbers says how far predictions are off.
func (r *report) numbers(s *Section) {
	residuals := r.residuals()
	dots, off := figure.Curve{Name: "rows", Points: true}, figure.Curve{Name: "rows", Points: true}
	lo, hi := math.Inf(1), math.Inf(-1)
	var rows [][]string
	for k := range min(MostDots, len(residuals)) {
		i := k * len(residuals) / min(MostDots, len(residuals))
		truth := r.judge.Target.Number[i]
		predicted := truth - residuals[i]
		dots.X, dots.Y = append(dots.X, truth), append(dots.Y, predicted)
		off.X, off.Y = append(off.X, predicted), append(off.Y, residuals[i])
		lo, hi = min(lo, truth), max(hi, truth)
		rows = append(rows, []string{digits(truth), digits(predicted), digits(residuals[i])})
	}
	equal := figure.Curve{Name: "equal", X: []float64{lo, hi}, Y: []float64{lo, hi}, Dashed: true, Style: figure.Black}
	heads := []string{"true", "predicted", "true less predicted"}
	s.showKind("predicted", "Predicted against true numbers", &figure.Figure{Title: "predicted against true numbers", X: figure.Axis{Name: "true"}, Y: figure.Axis{Name: "predicted"}, Curves: []figure.Curve{dots, equal}}, heads, rows)
	s.showKind("residuals", "Residuals by predicted numbers", &figure.Figure{Title: "true less predicted numbers", X: figure.Axis{Name: "predicted"}, Y: figure.Axis{Name: "true less predicted"}, Curves: []figure.Curve{off}}, heads, rows)
	sorted := slices.Sorted(slices.Values(residuals))
	rows = nil
	for _, q := range []float64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99} {
		rows = append(rows, []string{percent(q), digits(sorted[int(q*float64(len(sorted)-1)+0.5)])})
	}
	s.Show("Quantiles of true less predicted", nil, []string{"share of rows below", "true less predicted"}, rows)
	r.coverage(s, residuals)
}

// coverage says how often intervals hold the true number.
func (r *report) coverage(s *Section, residuals []float64) {
	if r.Model.Calibration == nil || r.Model.Calibration.Laplace == 0 {
		return
	}
	scale := r.Model.Calibration.Laplace
	var rows [][]string
	for _, q := range []float64{0.5, 0.8, 0.9, 0.95} {
		half := -scale * math.Log(1-q)
		within, total := 0.0, 0.0
		for i, e := range residuals {
			if total += r.weights[i]; math.Abs(e) <= half {
				within += r.weights[i]
			}
		}
		rows = append(rows, []string{percent(q), "+-" + digits(half), percent(within / total)})
	}
	s.Show(fmt.Sprintf("Intervals of the Laplace distribution of scale %s", digits(scale)), nil, []string{"said", "interval", "rows within"}, rows)
}
