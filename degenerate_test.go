package fenchel_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/solver"
)

// degenerate is the list of inputs that every solver must survive (kernel_qp, section 11.1).
var degenerate = []struct {
	name   string
	x      []float32 // of cols columns
	cols   int
	y      []string
	weight []float64
	spec   fenchel.Spec
	bad    string // part of the error that is expected; "": a machine
}{
	{"one class", []float32{1, 2, 3}, 1, []string{"a", "a", "a"}, nil, fenchel.Spec{}, ""},
	{"one row", []float32{1}, 1, []string{"a"}, nil, fenchel.Spec{}, ""},
	{"identical rows, same label", []float32{1, 1, 1, 2}, 1, []string{"a", "a", "a", "b"}, nil, fenchel.Spec{}, ""},
	{"identical rows, opposite labels", []float32{1, 1, 1, 1}, 1, []string{"a", "b", "a", "b"}, nil, fenchel.Spec{}, ""},
	{"all features zero", []float32{0, 0, 0, 0}, 1, []string{"a", "b", "a", "a"}, nil, fenchel.Spec{}, ""},
	{"constant kernel", []float32{1, 2, 3, 4}, 1, []string{"a", "b", "a", "b"}, nil, fenchel.Spec{Kernel: "rbf:gamma=1e-30"}, ""},
	{"tiny C", []float32{-1, 1, -2, 2}, 1, []string{"a", "b", "a", "b"}, nil, fenchel.Spec{C: 1e-9}, ""},
	{"huge C, separable", []float32{-1, 1, -2, 2}, 1, []string{"a", "b", "a", "b"}, nil, fenchel.Spec{C: 1e9}, ""},
	{"huge C, not separable", []float32{-1, 1, -2, 2, 0.5}, 1, []string{"a", "b", "b", "a", "a"}, nil, fenchel.Spec{C: 1e6}, ""},
	{"1 to 1000 with class weights", thousand(), 1, append(make1000("a"), "b"), nil, fenchel.Spec{Weighting: fenchel.Weighting{Balanced: true}}, ""},
	{"large features", []float32{-1e8, 1e8, -2e8, 2e8}, 1, []string{"a", "b", "a", "b"}, nil, fenchel.Spec{}, ""},
	{"small features", []float32{-1e-8, 1e-8, -2e-8, 2e-8}, 1, []string{"a", "b", "a", "b"}, nil, fenchel.Spec{}, ""},
	{"NaN", []float32{1, float32(math.NaN())}, 1, []string{"a", "b"}, nil, fenchel.Spec{}, "row 2"},
	{"infinity", []float32{1, float32(math.Inf(1))}, 1, []string{"a", "b"}, nil, fenchel.Spec{}, "row 2"},
	{"more free rows than the rank", []float32{-1, 0, -1, 1, -1, 2, 1, 0, 1, 1, 1, 2}, 2, []string{"a", "a", "a", "b", "b", "b"}, nil, fenchel.Spec{C: 1e3}, ""},
	{"weight 0", []float32{-1, 1, -2}, 1, []string{"a", "b", "b"}, []float64{1, 1, 0}, fenchel.Spec{}, "weight 0"},
	{"labels 3 and 7", []float32{-1, 1, -2, 2}, 1, []string{"3", "7", "3", "7"}, nil, fenchel.Spec{}, ""},
}

func make1000(label string) []string {
	out := make([]string, 1000)
	for i := range out {
		out[i] = label
	}
	return out
}

func thousand() []float32 {
	out := make([]float32, 1001)
	for i := range out {
		out[i] = float32(i%37)/37 - 1
	}
	out[1000] = 1
	return out
}

// TestDegenerateInputs: every exact solver of kernel machines ends with a machine of finite numbers
// and a bound that is not above its objective, and all agree on that; or all refuse the rows.
func TestDegenerateInputs(t *testing.T) {
	for _, c := range degenerate {
		for _, kernel := range []string{"linear", "rbf:gamma=0.5"} {
			least, most := math.Inf(1), math.Inf(-1)
			for _, name := range []string{"active-set", "interior-point", "smo", "smo:selection=first", "decomposition", "working", "sdca"} {
				spec := c.spec
				if spec.Kernel == "" {
					spec.Kernel = kernel
				}
				if spec.Solver = name; name == "sdca" {
					spec.Bias = "feature"
				}
				spec.Scaling, spec.Gap, spec.Epochs, spec.Threads, spec.Task = "none", 1e-6, 3000, 1, "classification"
				place := fmt.Sprintf("%s, %s, %s", c.name, spec.Kernel, name)
				set := rowsOf(t, c.x, c.cols, c.y)
				set.Weight = c.weight
				result, err := fenchel.Train(context.Background(), set, spec)
				if c.bad != "" {
					if err == nil || !strings.Contains(err.Error(), c.bad) {
						t.Errorf("%s: found %v, expected an error about %q", place, err, c.bad)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", place, err)
					continue
				}
				s := result.Summary
				if !(s.Primal >= 0 && s.Dual <= s.Primal) || math.IsInf(s.Primal, 0) || result.Status == solver.Diverged {
					t.Errorf("%s: %s, objective %g, bound %g", place, result.Status, s.Primal, s.Dual)
				}
				if score := result.Model.Score(set.X.Row(0)); score-score != 0 {
					t.Errorf("%s: score %v", place, score)
				}
				if result.Status == solver.Converged && name != "sdca" {
					least, most = min(least, s.Primal), max(most, s.Primal)
				}
			}
			if most-least > 2e-6*most {
				t.Errorf("%s, %s: objectives from %.10g to %.10g", c.name, kernel, least, most)
			}
		}
	}
}

// rowsOf makes a set of values and labels.
func rowsOf(t *testing.T, values []float32, cols int, labels []string) *data.Set {
	t.Helper()
	x, err := matrix.NewDense(len(values)/cols, cols, values)
	if err != nil {
		t.Fatal(err)
	}
	return &data.Set{X: x, Target: data.Labels(labels)}
}
