package forget

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// Check refuses models that no training on the rows that are left can make again.
func Check(m *model.Model) error {
	found := ""
	switch _, fitted := m.Refittable(); {
	case m.IsImported():
		found = "a model of another program, which does not say what it was trained to"
	case m.OnePass != nil:
		found = "a model of one pass, which has no proof"
	case m.Network != nil:
		found = "a network, which has no proof"
	case m.Sparse != nil:
		found = "a smaller machine made from another"
	case m.Map != nil:
		found = "a model of an approximate kernel, whose map may be made of the rows"
	case strings.Contains(m.Statement.Kernel, "precomputed"):
		found = "a machine of a precomputed kernel, of which the columns are rows too"
	case m.Statement.Targets != nil:
		found = "a model of several targets"
	case fitted && !m.OneClass():
		found = "probabilities or a threshold that were fitted to the rows, or intervals"
	case !strings.HasPrefix(m.Data.Digest, "sha256:"):
		found = "a model of a cluster, whose rows have no order"
	default:
		return nil
	}
	return fmt.Errorf("found %s: expected a trained model that training proves again", found)
}

// Spec states the problem of a model on the rows that are left, with the same lambda, to be begun from the model where it
// fits them. began says from what.
func Spec(m *model.Model, r *Rows) (spec fenchel.Spec, began string, err error) {
	if spec, err = fenchel.SpecOf(m); err != nil {
		return spec, "", err
	}
	s := m.Statement
	spec.Seed, spec.ZeroBased, spec.Notes, spec.Scaling = s.Seed, s.ZeroBased, m.Notes, "none"
	spec.Proved = slices.ContainsFunc(m.Outputs, func(o model.Output) bool { return o.Certificate.Region != nil })
	if m.Scaling != nil {
		spec.Scaling = m.Scaling.Kind
	}
	if m.Threshold != nil && !m.Threshold.Chosen() {
		spec.Threshold = &m.Threshold.Score
	}
	if labels := r.Left.Target.Label; m.Classes != nil && !m.OneClass() && len(labels) != len(m.Classes) {
		return spec, fmt.Sprintf("zero, as %d of %d classes are left", len(labels), len(m.Classes)), nil
	}
	spec.From = start(m, r)
	return spec, "the model", nil
}

// start returns a model to begin with: m, restricted to the dual variables and support vectors of the rows that are left, as if it
// had been trained on these. Weights are those of features as the data have them, matched by name, as the rows that are
// left may have other categories, in another order.
func start(m *model.Model, r *Rows) *model.Model {
	from := *m
	from.Data.Rows, from.Data.Features, from.Data.Digest = len(r.Kept), r.Left.Cols(), r.Left.Digest()
	from.Features, from.Schema, from.Scaling, from.Outputs = r.Left.Feature, nil, nil, slices.Clone(m.Outputs)
	for c := range from.Outputs {
		from.Outputs[c].Dual = set.OfRows(m.Outputs[c].Dual, r.Kept)
	}
	if m.Support == nil {
		for c := range from.Outputs {
			of, o := weightsOf(m, c, nil), &from.Outputs[c]
			_, o.Bias = m.Original(c)
			o.Weights = make([]float64, r.Left.Cols())
			for j := range o.Weights {
				o.Weights[j] = of[nameOf(r.Left.Feature, j)]
			}
		}
		return &from
	}
	var vectors, rows []int
	support := &model.Support{Kernel: m.Support.Kernel}
	for v, row := range m.Support.Index {
		if i, kept := slices.BinarySearch(r.Kept, int(row)); kept {
			vectors, rows, support.Index = append(vectors, v), append(rows, i), append(support.Index, uint32(i))
		}
	}
	support.Rows, from.Support = matrix.Gather(r.Left.X, rows), support
	for c := range from.Outputs {
		from.Outputs[c].Weights = set.OfRows(m.Outputs[c].Weights, vectors)
	}
	return &from
}

// nameOf is the name of a feature, or its number where there are none.
func nameOf(names []string, j int) string {
	if names == nil {
		return fmt.Sprint(j)
	}
	return names[j]
}

// Moved returns how far the weights of all outputs moved, relative to the norm that they had: of a linear model those of
// features as the data have them, matched by name; of a kernel machine the coefficients of rows. NaN: the classes are others.
func Moved(m, now *model.Model, r *Rows) float64 {
	if len(m.Outputs) != len(now.Outputs) {
		return math.NaN()
	}
	distance, norm := 0.0, 0.0
	for c := range m.Outputs {
		before, after := weightsOf(m, c, nil), weightsOf(now, c, r.Kept)
		for name, w := range before {
			d := w - after[name]
			distance, norm = distance+float64(d*d), norm+float64(w*w)
			delete(after, name)
		}
		for _, w := range after {
			distance += float64(w * w)
		}
	}
	return math.Sqrt(distance / norm)
}

// weightsOf returns the weights of an output by name of the feature, or coefficients by number of the row, which rows gives those
// of the model; nil: as they are.
func weightsOf(m *model.Model, c int, rows []int) map[string]float64 {
	of := map[string]float64{}
	if m.Support == nil {
		w, _ := m.Original(c)
		for j, x := range w {
			of[nameOf(m.Features, j)] = x
		}
		return of
	}
	for v, row := range m.Support.Index {
		i := int(row)
		if rows != nil {
			i = rows[i]
		}
		of[fmt.Sprint(i)] = m.Outputs[c].Weights[v]
	}
	return of
}

// Distance bounds how far the weights of any output are from those of the optimum of its rows, of features as the model scales
// them, in norm (of a kernel machine that of its space). NaN: nothing bounds it.
func Distance(m *model.Model) float64 {
	most := 0.0
	for c := range m.Outputs {
		most = max(most, m.Radius(c)) // of pairs of classes lambda is larger
	}
	if math.IsInf(most, 1) {
		return math.NaN()
	}
	return most
}
