package survey

import (
	"math"
	"reflect"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/model"
)

// Comparison says how two linear models of the same features differ.
type Comparison struct {
	Cosines []float64 // of each output: the cosine of the angle between the weights; NaN where all are 0
	Biases  []float64 // of each output: by how much the second bias exceeds the first
	Same    bool      // both state the same problem about the same rows, so that objectives can be compared
	Change  float64   // by how much the second objective exceeds the first, if Same
}

// Compare compares weights of features as the first model scales them, which makes them of one unit,
// and biases of features as the data have them.
func Compare(a, b *model.Model) (*Comparison, error) {
	for _, m := range []*model.Model{a, b} {
		if m.Network != nil {
			return nil, pose.DataError{Reason: "found a network, expected principal components or linear models: others have no weights of features to compare"}
		}
		if m.Support != nil || m.Map != nil {
			return nil, pose.DataError{Reason: "found a model of the kernel " + m.Statement.Kernel + ", expected principal components or linear models: others have no weights of features to compare"}
		}
	}
	if err := pose.SameFeatures(a.Cols(), b.Cols(), a.Features, b.Features); err != nil {
		return nil, err
	}
	if !slices.Equal(a.Classes, b.Classes) || a.Statement.Scheme != b.Statement.Scheme || len(a.Outputs) != len(b.Outputs) {
		return nil, pose.DataError{Reason: "found models of other classes or of another scheme of classes, expected the same targets"}
	}
	out := &Comparison{}
	for k := range a.Outputs {
		u, first := a.Original(k)
		w, second := b.Original(k)
		u, w = scaledAs(a, u), scaledAs(a, w)
		product := vec.Dot64(u, w) / math.Sqrt(vec.SquaredNorm64(u)) / math.Sqrt(vec.SquaredNorm64(w))
		out.Cosines, out.Biases = append(out.Cosines, min(max(product, -1), 1)), append(out.Biases, second-first)
	}
	if out.Same = sameProblem(a, b); out.Same {
		out.Change = fenchel.Summarise(b).Primal - fenchel.Summarise(a).Primal
	}
	return out, nil
}

// scaledAs returns weights of features as the data have them for features as m scales them. A feature
// that m leaves out has none.
func scaledAs(m *model.Model, weights []float64) []float64 {
	if m.Scaling == nil {
		return weights
	}
	out := make([]float64, len(weights))
	for j, f := range m.Scaling.Factor {
		if f != 0 {
			out[j] = weights[j] / f
		}
	}
	return out
}

// sameProblem reports whether objectives are of the same function: what only says how it was
// minimised may differ.
func sameProblem(a, b *model.Model) bool {
	s, t := a.Statement, b.Statement
	t.Solver, t.Gap, t.Seed = s.Solver, s.Gap, s.Seed
	return a.Data.Digest == b.Data.Digest && a.Data.Digest != "" && reflect.DeepEqual(s, t) && reflect.DeepEqual(a.Scaling, b.Scaling)
}
