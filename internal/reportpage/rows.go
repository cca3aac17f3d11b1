package reportpage

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/model"
)

// loss is how bad the prediction of a row is: 1 or 0, or the squared distance.
func (r *report) loss(i int) float64 {
	if r.Model.Classes == nil {
		e := r.judge.Target.Number[i] - r.Model.Number(r.scores[i][0])
		return e * e
	}
	if r.Model.Decide(r.scores[i]) != r.truth[i] {
		return 1
	}
	return 0
}

// compare says which of two models is better on the same rows, and whether that may be chance.
func (r *report) compare(ctx context.Context) error {
	if r.Other == nil {
		return nil
	}
	e, err := fenchel.Evaluate(ctx, r.Other, r.OtherRows, fenchel.Options{Threads: r.Threads})
	if err != nil {
		return fmt.Errorf("%s: %w", r.OtherName, err)
	}
	x, err := r.Other.Prepare(r.OtherRows.X)
	if err != nil {
		return pose.DataError{Reason: r.OtherName + ": " + err.Error()}
	}
	other := *r
	other.Model, other.scores = r.Other, model.Scores(r.Other, x, r.Threads)
	if r.Other.Classes != nil {
		other.truth = pose.MatchClasses(r.Other.Classes, r.OtherRows.Target)
	}
	if len(other.scores) != len(r.scores) || (r.Other.Classes == nil) != (r.Model.Classes == nil) {
		return pose.DataError{Reason: fmt.Sprintf("%s: found a model that predicts something else, expected one of the same targets", r.OtherName)}
	}
	s := r.page.Section("Beside " + r.OtherName)
	var here, there float64 // rows that only one of both has right
	sum, squares, n := 0.0, 0.0, float64(len(r.scores))
	for i := range r.scores {
		d := r.loss(i) - other.loss(i)
		if d > 0 {
			there++
		} else if d < 0 {
			here++
		}
		sum, squares = sum+d, squares+d*d
	}
	if r.Model.Classes != nil {
		lo, _ := metric.ExactInterval(max(here, there), here+there, 0.05)
		verdict := "that may be chance"
		if here+there > 0 && lo > 0.5 {
			verdict = "chance alone would do so in fewer than one of twenty samples"
		}
		s.Say(fmt.Sprintf("%s errs in %s of the same rows, this model in %s: %.0f rows only this one has right, %.0f only the other; %s.", r.OtherName, number(e.Error), number(r.found.Error), here, there, verdict))
		return nil
	}
	mean := sum / n
	s.Say(fmt.Sprintf("%s has the root mean squared error %s on the same rows, this model %s; the squared errors differ by %s +- %s in the mean (two standard errors).",
		r.OtherName, number(e.RMSE), number(r.found.RMSE), digits(mean), digits(2*math.Sqrt(max(0, squares/n-mean*mean)/n))))
	return nil
}

// SliceOf returns the column of that name; an error if the model makes no features of it.
func SliceOf(m *model.Model, name string) (column int, err error) {
	at := -1
	if m.Schema.Table() {
		at = slices.IndexFunc(m.Schema.Columns, func(c set.Column) bool { return c.Name == name })
	}
	if at < 0 || m.Schema.Answers(at) || m.Schema.Columns[at].Kind == set.KindIgnored || m.Schema.Columns[at].Text != nil || m.Schema.Columns[at].Size > 0 {
		return 0, fmt.Errorf("'slice=%s': expected a column of a table of which the model makes features", name)
	}
	return at, nil
}

// slices tells errors by the values of a column.
func (r *report) slices() error {
	if r.Slice == "" {
		return nil
	}
	at, err := SliceOf(r.Model, r.Slice)
	if err != nil {
		return err
	}
	of := r.sliceOf(at)
	type sums struct{ rows, weight, bad float64 }
	all := map[string]*sums{}
	for i := range r.scores {
		name := of(i)
		if all[name] == nil {
			all[name] = &sums{}
		}
		all[name].rows++
		all[name].weight += r.weights[i]
		all[name].bad += r.weights[i] * r.loss(i)
	}
	s, b := r.page.Section("By "+r.Slice), &figure.Bars{Title: "share of errors by " + r.Slice}
	if r.Model.Classes == nil {
		b.Title = "root mean squared error by " + r.Slice
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x := all[name]
		bad, within := x.bad/x.weight, ""
		if r.Model.Classes == nil {
			bad = math.Sqrt(bad)
		} else if r.judge.Weight == nil {
			lo, hi := metric.ExactInterval(math.Round(x.bad), x.rows, 1-metric.Confidence)
			within = fmt.Sprintf("%s to %s", percent(lo), percent(hi))
		}
		if len(rows) < 3*mostBars {
			b.Add(name, bad, 0)
		}
		rows = append(rows, []string{name, digits(x.rows), digits(bad), within})
	}
	s.Show(b.Title, b, []string{r.Slice, "rows", map[bool]string{true: "root mean squared error", false: "share of errors"}[r.Model.Classes == nil], "95 % interval"}, rows)
	return nil
}

// sliceOf returns what names the part of a row by a column: its category, or the quarter of its number.
func (r *report) sliceOf(at int) func(i int) string {
	c := r.Model.Schema.Columns[at]
	places, _ := r.Model.Schema.Places()
	first := places[at]
	value := func(i int) (j int, v float64) {
		row := r.judge.X.Row(i)
		for k, x := range row.Value {
			if j := int(row.Column(k)) - first; j >= 0 && j < c.Width() && x != 0 {
				return j, float64(x)
			}
		}
		return -1, 0
	}
	if c.Category != nil {
		return func(i int) string {
			if j, _ := value(i); j >= 0 {
				return c.Category[j]
			}
			return "(another)"
		}
	}
	all := make([]float64, len(r.scores))
	for i := range all {
		_, all[i] = value(i)
	}
	sorted := slices.Sorted(slices.Values(all))
	raw := func(v float64) string { return digits(v/cmp.Or(c.Factor, 1) + c.Offset) }
	edges := []float64{sorted[0], sorted[len(sorted)/4], sorted[len(sorted)/2], sorted[3*len(sorted)/4], sorted[len(sorted)-1]}
	edges = slices.Compact(edges)
	return func(i int) string {
		for k := 1; k < len(edges); k++ {
			if all[i] <= edges[k] {
				return fmt.Sprintf("%d: %s to %s", k, raw(edges[k-1]), raw(edges[k]))
			}
		}
		return raw(edges[0])
	}
}

// mostWorst is how many rows are listed.
const mostWorst = 20

// worst lists the rows whose predictions are the worst.
func (r *report) worst() {
	bad := make([]float64, len(r.scores))
	for i := range bad {
		if bad[i] = r.loss(i); r.Model.Classes != nil && bad[i] > 0 {
			bad[i] = 1 + r.distance(i)
		}
	}
	s := r.page.Section("The worst rows")
	heads := []string{cmp.Or(r.judge.IDName, "row"), "true", "predicted", "scores"}
	if r.Contents {
		heads = append(heads, "contents")
	}
	var rows [][]string
	for _, i := range orderOf(len(bad), func(i int) float64 { return -bad[i] }) {
		if len(rows) == mostWorst || bad[i] == 0 {
			break
		}
		rows = append(rows, r.worstRow(i))
	}
	if rows == nil {
		s.Say("No row is predicted wrongly.")
		return
	}
	s.Show("Rows that are predicted worst", nil, heads, rows)
}

// distance is by how much the score of the predicted class is above that of the true one.
func (r *report) distance(i int) float64 {
	scores := r.scores[i]
	if len(scores) == 1 {
		return math.Abs(scores[0])
	}
	if len(scores) != len(r.Model.Classes) || r.truth[i] == metric.Unknown {
		return 0
	}
	return slices.Max(scores) - scores[r.truth[i]]
}

// worstRow is a line of the list.
func (r *report) worstRow(i int) []string {
	row := []string{strconv.Itoa(i + 1)}
	if r.judge.ID != nil {
		row[0] = r.judge.ID[i]
	}
	if t := r.judge.Target; r.Model.Classes != nil {
		row = append(row, t.Label[t.Code[i]], r.Model.Classes[r.Model.Decide(r.scores[i])])
	} else {
		row = append(row, digits(t.Number[i]), digits(r.Model.Number(r.scores[i][0])))
	}
	var scores []string
	for _, s := range r.scores[i] {
		scores = append(scores, strconv.FormatFloat(s, 'g', 4, 64))
	}
	row = append(row, strings.Join(scores, " "))
	if r.Contents {
		var parts []string
		x := r.judge.X.Row(i)
		offsets, factors := r.Model.Schema.Offsets(), r.Model.Schema.Factors()
		for k, v := range x.Value {
			if j := int(x.Column(k)); v != 0 && len(parts) < mostBars*2 {
				parts = append(parts, r.featureName(j)+" "+strconv.FormatFloat(set.Raw(float64(v), j, offsets, factors), 'g', 4, 64))
			}
		}
		row = append(row, strings.Join(parts, ", "))
	}
	return row
}
