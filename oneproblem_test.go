package fenchel_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// criteria returns the norm and the mean hinge loss of a model of two classes, in the unit of margins.
func criteria(r *fenchel.Result, set *data.Set) (norm, loss float64) {
	m, unit := r.Model, 1.0
	if r.Margins != nil {
		unit = r.Margins[0]
	}
	o, total := m.Outputs[0], 0.0
	if m.Support != nil {
		for i := range m.Support.Len() {
			norm += o.Weights[i] * (m.Score(m.Support.Rows.Row(i)) - o.Bias)
		}
	} else {
		for _, w := range o.Weights {
			norm += w * w
		}
	}
	if m.Statement.Bias == "feature" {
		norm += o.Bias * o.Bias
	}
	for i := range set.Rows() {
		s := 1.0
		if set.Weight != nil {
			s = set.Weight[i]
		}
		total += s
		y := set.Target.Number[i]
		loss += s * max(0, 1-y*m.Score(set.X.Row(i))/unit)
	}
	return math.Sqrt(max(0, norm)) / unit, loss / total
}

// determined reports whether nu has one margin: a row of either class is strictly between its bounds,
// as otherwise nu is the same for many C.
func determined(m *model.Model, set *data.Set, c float64) bool {
	free := map[float64]bool{}
	for k, i := range m.Support.Index {
		most := c
		if set.Weight != nil {
			most *= set.Weight[i]
		}
		if math.Abs(m.Outputs[0].Weights[k]) < (1-1e-6)*most {
			free[set.Target.Number[i]] = true
		}
	}
	return len(free) == 2
}

// TestOneProblem: C, lambda, radius, slack and nu are names of one problem, of kernel machines and
// linear models with any bias, with weights and without: norm, loss and objective are the same.
func TestOneProblem(t *testing.T) {
	for k := range 100 {
		set := read(t, fmt.Sprintf("@toy:n=%d,d=%d,seed=%d", 12+k%17, 1+k%4, k+1))
		spec := fenchel.Spec{Kernel: []string{"rbf:gamma=0.5", "linear", ""}[k%3], Bias: []string{"free", "none", "feature"}[k/3%3], Gap: 1e-9, Scaling: "none", Run: fenchel.Run{Threads: 1}}
		if k%2 == 1 {
			for i := range set.Rows() {
				set.Weight = append(set.Weight, float64(1+(i*i+k)%3))
			}
		}
		c := math.Pow(10, float64(k%7)/2-1.5)
		solve := func(name string, with func(*fenchel.Spec)) (norm, loss float64, r *fenchel.Result) {
			s := spec
			with(&s)
			r, err := fenchel.Train(t.Context(), set, s)
			if err != nil {
				t.Fatalf("%d, %s: %v", k, name, err)
			}
			norm, loss = criteria(r, set)
			if r.Status != "converged" && name != "nu" {
				t.Errorf("%d, %s bias %s by %s: %s, gap %g", k, spec.Kernel, spec.Bias, name, r.Status, r.Summary.Gap)
			}
			return norm, loss, r
		}
		norm, loss, _ := solve("C", func(s *fenchel.Spec) { s.C = c })
		n := float64(set.Rows())
		if set.Weight != nil {
			n = 0
			for _, s := range set.Weight {
				n += s
			}
		}
		objective := loss + norm*norm/(2*c*n)
		same := func(name string, with func(*fenchel.Spec)) *model.Model {
			otherNorm, otherLoss, r := solve(name, with)
			if other := otherLoss + otherNorm*otherNorm/(2*c*n); math.Abs(other-objective) > 1e-6*objective || math.Abs(otherNorm-norm) > 1e-6*(1+norm) || math.Abs(otherLoss-loss) > 1e-6 {
				t.Errorf("%d, %s bias %s, C %g by %s: norm %.9g, loss %.9g, objective %.12g, expected %.9g, %.9g, %.12g", k, spec.Kernel, spec.Bias, c, name, otherNorm, otherLoss, other, norm, loss, objective)
			}
			return r.Model
		}
		same("lambda", func(s *fenchel.Spec) { s.Lambda = 1 / (c * n) })
		if !(norm > 1e-6) || !(loss > 1e-6) {
			continue
		}
		inside := same("radius", func(s *fenchel.Spec) { s.Radius = norm })
		if size, _ := criteria(&fenchel.Result{Model: inside}, set); size > norm*(1+1e-14) {
			t.Errorf("%d: the norm %.17g is larger than the radius %.17g", k, size, norm)
		}
		same("slack", func(s *fenchel.Spec) { s.Slack = loss / norm })
		if spec.Bias == "free" && spec.Kernel != "" {
			r, err := fenchel.Train(t.Context(), set, func() fenchel.Spec { s := spec; s.C = c; return s }())
			if err != nil {
				t.Fatal(err)
			}
			if nu := float64(r.Model.Facts.Same.Nu); nu > 0.02 && determined(r.Model, set, c) {
				same("nu", func(s *fenchel.Spec) { s.Nu = nu })
			}
		}
	}
}
