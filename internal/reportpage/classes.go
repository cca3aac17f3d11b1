package reportpage

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/model"
)

// classes says where a model of classes is right, and at which threshold.
func (r *report) classes() {
	s := r.page.Section("Right and wrong")
	r.confusion(s)
	var rows [][]string
	for _, of := range r.found.Classes {
		rows = append(rows, []string{of.Class, digits(of.Precision), digits(of.Recall), digits(of.F1), digits(of.Support)})
	}
	s.Show("Each class", nil, []string{"class", "precision", "recall", "F1", "rows"}, rows)
	if ranks(r) {
		r.ranking(r.page.Section("Every threshold"))
	}
	if hasShares(r) {
		r.reliability(r.page.Section("Are the probabilities true?"))
	}
}

// unknown is the class of a row whose label the model does not know.
const unknown = metric.Unknown

// confusion counts rows by true and predicted class.
func (r *report) confusion(s *Section) {
	c := r.found.Confusion
	heads, rows := []string{"true \\ predicted"}, [][]string(nil)
	heads = append(heads, c.Predicted...)
	for k, line := range c.Count {
		row := []string{c.True[k]}
		for _, x := range line {
			row = append(row, digits(x))
		}
		rows = append(rows, row)
	}
	var picture Painter
	if len(c.Predicted) <= 12 {
		h := &figure.Heat{Title: fmt.Sprintf("rows, accuracy %s", percent(*r.found.Accuracy)), X: "predicted", Y: "true", Across: c.Predicted, MarkX: -1, Written: digits}
		for k, name := range slices.Backward(c.True) {
			h.Up, h.Values = append(h.Up, name), append(h.Values, c.Count[k])
		}
		picture = h
	}
	s.showKind("confusion", "Rows by true and predicted class", picture, heads, rows)
}

// A point of the curves over all thresholds.
type point struct{ threshold, recall, falls, precision float64 }

// points goes over all thresholds, from the highest score on.
func (r *report) points() (points []point) {
	margins := make([]float64, len(r.scores))
	positives, negatives := 0.0, 0.0
	for i, s := range r.scores {
		if margins[i] = model.Margin(s); r.truth[i] == 1 {
			positives += r.weights[i]
		} else {
			negatives += r.weights[i]
		}
	}
	order := orderOf(len(margins), func(i int) float64 { return -margins[i] })
	hit, miss := 0.0, 0.0
	for k, i := range order {
		if r.truth[i] == 1 {
			hit += r.weights[i]
		} else {
			miss += r.weights[i]
		}
		if k+1 < len(order) && margins[order[k+1]] == margins[i] {
			continue
		}
		points = append(points, point{margins[i], hit / positives, miss / negatives, hit / (hit + miss)})
	}
	return points
}

// mostPoints is how many points of a curve are drawn.
const mostPoints = 400

// thin leaves at most mostPoints of n, evenly spread, the first and the last among them.
func thin(n int) (kept []int) {
	for k := range min(n, mostPoints) {
		kept = append(kept, k*(n-1)/max(1, min(n, mostPoints)-1))
	}
	return kept
}

// ranking draws the curves over all thresholds, and marks the one that predicts.
func (r *report) ranking(s *Section) {
	all, second := r.points(), r.Model.Classes[1]
	used := 0.0
	if t := r.Model.Threshold; t != nil {
		used = t.Score
	}
	s.Say(fmt.Sprintf("The model predicts %q where the score is above %s. Other thresholds catch more rows of %[1]q or raise fewer false alarms.", second, digits(used)))
	roc, pr := figure.Curve{Name: "all thresholds", X: []float64{0}, Y: []float64{0}, Marked: []bool{}}, figure.Curve{Name: "all thresholds", Marked: []bool{}}
	var rows [][]string
	for _, k := range thin(len(all)) {
		p := all[k]
		roc.X, roc.Y = append(roc.X, p.falls), append(roc.Y, p.recall)
		pr.X, pr.Y = append(pr.X, p.recall), append(pr.Y, p.precision)
		rows = append(rows, []string{digits(p.threshold), digits(p.recall), digits(p.falls), digits(p.precision)})
	}
	at := point{precision: math.NaN()}
	for _, p := range all {
		if p.threshold > used {
			at = p
		}
	}
	rocs := []figure.Curve{roc, {Name: "by chance", X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true, Style: figure.Black}, {Name: "this model", X: []float64{at.falls}, Y: []float64{at.recall}, Points: true, Style: 2}}
	heads := []string{"score", "recall", "false alarms", "precision"}
	s.showKind("roc", fmt.Sprintf("ROC: area %s", number(r.found.AUC)), &figure.Figure{Title: fmt.Sprintf("ROC of %s: area %.4f", second, *r.found.AUC), X: figure.Axis{Name: "false positive rate (false alarms)"}, Y: figure.Axis{Name: "true positive rate (recall)"}, Curves: rocs}, heads, rows)
	prs := []figure.Curve{pr, {Name: "this model", X: []float64{at.recall}, Y: []float64{at.precision}, Points: true, Style: 2}}
	s.showKind("pr", fmt.Sprintf("Precision and recall: average precision %s", number(r.found.AP)), &figure.Figure{Title: fmt.Sprintf("precision by recall of %s: average %s", second, number(r.found.AP)), X: figure.Axis{Name: "recall"}, Y: figure.Axis{Name: "precision"}, Curves: prs}, heads, rows)
	rows = nil
	for _, t := range r.found.Thresholds {
		rows = append(rows, []string{map[bool]string{true: "*"}[t.Used], digits(t.Score), number(t.Probability), number(t.Precision), digits(t.Recall), percent(t.Flagged), number(t.Cost)})
	}
	s.Show("Thresholds (the one that predicts has a star)", nil, []string{"", "score", "probability", "precision", "recall", "flagged", "mean cost"}, rows)
}

// reliability compares probabilities with what happened.
func (r *report) reliability(s *Section) {
	c := r.found.Calibrated
	if c == nil {
		return
	}
	var rows [][]string
	for _, b := range c.Bins {
		rows = append(rows, []string{fmt.Sprintf("%.1f to %.1f", b.Lower, b.Upper), digits(b.Weight), digits(b.Mean), digits(b.Share)})
	}
	s.Say(fmt.Sprintf("Where the model says 70 %%, about 70 %% should be so. The mean distance of the two is %s (expected calibration error); log loss %s, Brier score %s.", digits(c.CalibrationError), number(r.found.LogLoss), number(r.found.Brier)))
	s.showKind("reliability", "Reliability: the share of rows by predicted probability", Reliability(c), []string{"probability", "rows", "mean probability", "share"}, rows)
}

// Reliability draws the share of rows by predicted probability.
func Reliability(c *metric.Reliability) *figure.Figure {
	curve := figure.Curve{Name: "rows", Marked: []bool{}}
	for _, b := range c.Bins {
		curve.X, curve.Y, curve.Marked = append(curve.X, b.Mean), append(curve.Y, b.Share), append(curve.Marked, true)
	}
	equal := figure.Curve{Name: "equal", X: []float64{0, 1}, Y: []float64{0, 1}, Dashed: true, Style: figure.Black}
	return &figure.Figure{Title: "share of rows by predicted probability", X: figure.Axis{Name: "predicted probability"}, Y: figure.Axis{Name: "share of rows"}, Curves: []figure.Curve{curve, equal}}
}
