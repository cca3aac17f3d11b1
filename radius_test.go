package fenchel_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/sparsify"
)

// TestLinearRadius: linear models with a bound on the norm are trained, stored and verified, with each
// norm, bias and a solver of each family; weights that are too long are found.
func TestLinearRadius(t *testing.T) {
	set := read(t, "@toy:n=300,d=10")
	for _, penalty := range []string{"l1", "l2"} {
		for _, bias := range []string{"free", "none", "feature"} {
			for _, solver := range []string{"auto", "admm", "frank-wolfe", "accelerated", "projected-sgd"} {
				if penalty == "l1" && solver == "projected-sgd" {
					continue
				}
				spec := fenchel.Spec{Loss: "logistic", Penalty: penalty, Radius: 1.5, Bias: bias, Solver: solver, Gap: 2e-2, Run: fenchel.Run{Epochs: 20000}}
				m, _ := fit(t, set, spec)
				v := agrees(t, m, set)
				size, o := 0.0, m.Outputs[0]
				weights := o.Weights
				if bias == "feature" {
					weights = append(weights[:len(weights):len(weights)], o.Bias)
				}
				for _, w := range weights {
					if penalty == "l1" {
						size += math.Abs(w)
					} else {
						size += w * w
					}
				}
				if penalty == "l2" {
					size = math.Sqrt(size)
				}
				if end := o.Certificate.Status; v.Unproved != "" || end != "converged" || size > 1.5 {
					t.Errorf("%s, bias %s, %s: norm %g, %s, unproved: %q", penalty, bias, solver, size, end, v.Unproved)
				}
				for j := range o.Weights {
					m.Outputs[0].Weights[j] = 3 * o.Weights[j]
				}
				again, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1})
				if err != nil || !strings.Contains(strings.Join(again.Problems, "\n"), "the model has weights of a norm that is larger than the problem allows") {
					t.Errorf("%s, bias %s, %s: long weights are not found: %v, %v", penalty, bias, solver, again, err)
				}
			}
		}
	}
}

// Coefficients of equal rows may cancel until the norm is rounding: what is stored is inside of the
// ball as verifying computes it, whatever the loss, the kernel and the sizes.
func TestBoundsOfEqualRows(t *testing.T) {
	seeds := []uint64{81, 922, 1733, 1897, 1901, 1930, 3153, 3303, 3802, 4750, 4785, 4826, 6772, 7527, 7705, 7763, 7785, 8011, 8012, 8205, 8702, 8978, 9458, 9503, 10047, 10193, 10309, 11051, 11726, 11743, 12336, 12629, 13390, 13529, 13675, 14155, 14333, 14591, 14751}
	if *fenchel.Long {
		for seed := range uint64(15000) {
			seeds = append(seeds, seed)
		}
	}
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		rows, codes := make([][]float32, 2+r.IntN(8)), []uint32{0, 1}
		for i := range rows {
			if rows[i] = []float32{float32(math.Pow(10, 8*r.Float64()-4)), float32(r.NormFloat64())}; i > 0 && r.IntN(2) == 0 {
				rows[i] = rows[r.IntN(i)]
			}
			codes = append(codes, uint32(r.IntN(2)))
		}
		set, err := data.FromDense(rows, data.Target{Label: []string{"a", "b"}, Code: codes[:len(rows)]})
		if err != nil {
			t.Fatal(err)
		}
		for range len(rows) * r.IntN(2) {
			set.Weight = append(set.Weight, math.Pow(10, 6*r.Float64()-3))
		}
		bound := math.Pow(10, 6*r.Float64()-3)
		spec := fenchel.Spec{Task: "classification", Kernel: pick("linear", "rbf:gamma=0.5", "poly:degree=3,coef0=1", "poly:degree=2,gamma=1000000,coef0=1"),
			Bias: pick("free", "none", "feature"), Scaling: "none", Gap: 1e-9, Run: fenchel.Run{Epochs: 30, Threads: 1}}
		if r.IntN(3) == 0 {
			spec.Slack, spec.Solver = bound, pick("auto", "sbp")
		} else {
			spec.Radius, spec.Loss, spec.Solver = bound, pick("hinge", "squared-hinge", "logistic", "huber"), pick("auto", "sgd")
		}
		result, err := fenchel.Train(t.Context(), set, spec)
		if err != nil {
			continue
		}
		if v, err := fenchel.Verify(t.Context(), result.Model, set, fenchel.Options{Threads: 1}); err != nil || len(v.Problems) > 0 {
			t.Errorf("%d: %+v: found %v, %v", seed, spec, v.Problems, err)
		}
	}
}

// A smaller machine made of one with a radius, or without, is inside of the ball as verifying
// computes it, and its lower bound leaves room for the rounding of its own objective.
func TestSparsifiedIsProved(t *testing.T) {
	for _, c := range []struct {
		data, loss string
		radius     float64
		vectors    int
	}{
		{"@blobs:n=60,classes=3,d=2", "hinge", 1e-4, 30}, {"@blobs:n=60,classes=3,d=2", "squared-hinge", 1e-4, 30},
		{"@toy:n=60,d=2", "squared-hinge", 0, 3}, {"@toy:n=60,d=2", "squared-hinge", 0.5, 3}, {"@toy:n=60,d=2", "logistic", 100, 10},
	} {
		set := read(t, c.data)
		m, _ := fit(t, set, fenchel.Spec{Kernel: "poly:degree=5,gamma=30,coef0=1", Loss: c.loss, Radius: c.radius, Run: fenchel.Run{Epochs: 200}, Gap: 1e-6})
		small, err := sparsify.Sparsify(t.Context(), m, set, sparsify.Spec{Support: c.vectors})
		if err != nil {
			t.Fatal(err)
		}
		if v := agrees(t, small.Model, set); v.Unproved != "" {
			t.Errorf("%+v: %s", c, v.Unproved)
		}
	}
}
