package reportpage

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

const (
	mostBars        = 20   // of a picture
	mostClassifiers = 12   // whose weights are shown
	mostColumns     = 40   // whose importance is measured
	sampleRows      = 1000 // by which it is
	permutations    = 5
)

// features says which features matter.
func (r *report) features() {
	s := r.page.Section("What the model goes by")
	if r.Model.IsLinear() {
		s.Say("Each bar is what one standard deviation of the feature adds to the score; the table has the weights in the units of the data as well.")
		r.largest(s)
	}
	r.importance(s)
}

// largest draws the largest weights of each output.
func (r *report) largest(s *Section) {
	moments, k := scaling.NewMoments(r.Learned.X, r.Threads), len(r.Model.Outputs)
	if k > mostClassifiers {
		s.Say(fmt.Sprintf("Of %d classifiers the first %d are shown.", k, mostClassifiers))
	}
	for c := range min(k, mostClassifiers) {
		r.bars(s, c, moments)
	}
}

// bars draws the largest weights of an output.
func (r *report) bars(s *Section, c int, moments *scaling.Moments) {
	m := r.Model
	o := m.Outputs[c]
	original, bias := m.Original(c)
	factors := m.Schema.Factors()
	effect, deviation := make([]float64, len(o.Weights)), make([]float64, len(o.Weights))
	for j, w := range original {
		if deviation[j] = math.Sqrt(moments.Squares[j] / float64(moments.Rows)); factors != nil {
			deviation[j] /= factors[j]
		}
		effect[j] = w * deviation[j]
	}
	order := orderOf(len(effect), func(j int) float64 { return -math.Abs(effect[j]) })
	order = order[:min(mostBars, len(order))]
	b := &figure.Bars{Title: "effect of one standard deviation of a feature on the score"}
	if name := result.OutputName(m, c); name != "" && len(m.Outputs) > 1 {
		b.Title += " of " + name
	} else if len(m.Outputs) == 1 && len(m.Classes) == 2 {
		b.Title += " of " + m.Classes[1]
	}
	rows := [][]string(nil)
	for _, j := range order {
		b.Add(r.featureName(j), effect[j], 0)
		rows = append(rows, []string{r.featureName(j), digits(original[j]), digits(deviation[j]), digits(effect[j])})
	}
	rows = append(rows, []string{"(bias)", digits(bias), "", ""})
	caption := "Largest weights"
	switch name := result.OutputName(m, c); {
	case len(m.Outputs) == 1 && len(m.Classes) == 2:
		caption += fmt.Sprintf(": to the right speaks for %s, to the left for %s", m.Classes[1], m.Classes[0])
	case name != "":
		caption += " of " + name
	}
	s.showKind("weights", caption, b, []string{"feature", "weight in units of the data", "deviation", "effect of one deviation"}, rows)
}

// A group is the features of a column.
type group struct {
	name   string
	lo, hi int
}

// groups are the columns of a table, or the features that vary most.
func (r *report) groups() (all []group) {
	m := r.Model
	if !m.Schema.Table() {
		moments := scaling.NewMoments(r.judge.X, r.Threads)
		order := orderOf(min(m.Cols(), len(moments.Squares)), func(j int) float64 {
			if m.IsLinear() {
				weight := 0.0
				for _, o := range m.Outputs {
					weight += math.Abs(o.Weights[j])
				}
				return -weight * math.Sqrt(moments.Squares[j])
			}
			return -moments.Squares[j]
		})
		for _, j := range order[:min(len(order), mostColumns)] {
			all = append(all, group{r.featureName(j), j, j + 1})
		}
		return all
	}
	first, features := m.Schema.Places()
	for i, c := range m.Schema.Columns {
		hi := features
		if i+1 < len(first) {
			hi = first[i+1]
		}
		if hi > first[i] {
			all = append(all, group{c.Name, first[i], hi})
		}
	}
	for _, c := range m.Schema.Crossings {
		all = append(all, group{m.Schema.Crossed(c), features, features + c.Width()})
		features += c.Width()
	}
	return all[:min(len(all), mostColumns)]
}

// badness is the share of errors, or the root mean squared error, of rows with these scores.
func (r *report) badness(rows []int, scores []float64) float64 {
	m, k := r.Model, len(r.Model.Outputs)
	if m.Classes == nil {
		predicted, truth := make([]float64, len(rows)), make([]float64, len(rows))
		for n, i := range rows {
			predicted[n], truth[n] = m.Number(scores[n]), r.judge.Target.Number[i]
		}
		return metric.RMSE(predicted, truth, nil)
	}
	wrong := 0
	for n, i := range rows {
		if m.Decide(scores[n*k:(n+1)*k]) != r.truth[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(rows))
}

// importance measures how much worse predictions get when the values of a column are permuted among the rows.
func (r *report) importance(s *Section) {
	if r.judge.Rows() < 2 || len(r.Model.Outputs)*r.judge.Cols() > 1<<24 {
		return
	}
	random := rand.New(rand.NewPCG(1, 2))
	rows := random.Perm(r.judge.Rows())[:min(sampleRows, r.judge.Rows())]
	slices.Sort(rows)
	sample := matrix.Gather(r.judge.X, rows)
	base := r.badness(rows, r.scoresOf(sample))
	type found struct {
		group
		mean, deviation float64
	}
	var all []found
	for _, g := range r.groups() {
		sum, squares := 0.0, 0.0
		for range permutations {
			worse := r.badness(rows, r.scoresOf(dealt(sample, g, random.Perm(len(rows))))) - base
			sum, squares = sum+worse, squares+worse*worse
		}
		mean := sum / permutations
		all = append(all, found{g, mean, math.Sqrt(max(0, squares/permutations-mean*mean))})
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(b.mean, a.mean) })
	what := "share of errors"
	if r.Model.Classes == nil {
		what = "root mean squared error"
	}
	b := &figure.Bars{Title: "increase of the " + what + " when the column is permuted"}
	var table [][]string
	for _, f := range all[:min(len(all), mostBars)] {
		b.Add(f.name, f.mean, f.deviation)
		table = append(table, []string{f.name, digits(f.mean), digits(f.deviation)})
	}
	s.showKind("importance", fmt.Sprintf("Permutation importance: how much worse predictions of %s get when a column is permuted (%s before: %s)", registry.Count(len(rows), "row"), what, digits(base)), b,
		[]string{"column", "increase of the " + what, fmt.Sprintf("deviation of %d permutations", permutations)}, table)
}

// scoresOf are the scores of rows, one after another.
func (r *report) scoresOf(x matrix.Matrix) []float64 {
	prepared, err := r.Model.Prepare(x)
	if err != nil { // of rows that were prepared before: values come from them
		return make([]float64, len(r.Model.Outputs)*sampleRows)
	}
	n, _ := x.Dims()
	all := make([]float64, 0, n*len(r.Model.Outputs))
	for _, s := range model.Scores(r.Model, prepared, r.Threads) {
		all = append(all, s...)
	}
	return all
}

// dealt is rows of which the features of a group are those of other rows.
func dealt(x matrix.Matrix, g group, from []int) matrix.Matrix {
	n, d := x.Dims()
	out := &matrix.CSR{Cols: d, Start: make([]int64, 1, n+1)}
	part := func(row matrix.Vector, lo, hi int) {
		for k, v := range row.Value {
			if j := row.Column(k); int(j) >= lo && int(j) < hi && v != 0 {
				out.Index, out.Value = append(out.Index, uint32(j)), append(out.Value, v)
			}
		}
	}
	for i := range n {
		row, other := x.Row(i), x.Row(from[i])
		part(row, 0, g.lo)
		part(other, g.lo, g.hi)
		part(row, g.hi, d)
		out.Start = append(out.Start, int64(len(out.Index)))
	}
	return out
}
