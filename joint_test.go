package fenchel

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// waves are rows of three classes, made by formulas that other programs have too.
func waves(weighted bool) *data.Set {
	const n = 40
	x := &matrix.Dense{Rows: n, Cols: 3}
	labels := make([]string, n)
	s := &data.Set{X: x}
	for i := range n {
		t := float64(i)
		x.Value = append(x.Value, float32(math.Sin(t)*2), float32(math.Cos(2*t)), float32(math.Sin(3*t+1)))
		labels[i] = string(rune('0' + i*i%7%3))
		if weighted {
			s.Weight = append(s.Weight, float64(1+i%3))
		}
	}
	s.Target = targetOf(labels)
	return s
}

func targetOf(labels []string) data.Target {
	t := data.Target{Code: make([]uint32, len(labels)), Number: make([]float64, len(labels))}
	place := map[string]uint32{}
	for i, l := range labels {
		if _, known := place[l]; !known {
			place[l] = uint32(len(t.Label))
			t.Label = append(t.Label, l)
		}
		t.Code[i], t.Number[i] = place[l], float64(l[0]-'0')
	}
	return t
}

// TestJointOptima compares with scikit-learn 1.9 (LogisticRegression by lbfgs and newton-cg to the
// tolerance 1e-12, with sample_weight) and with LIBLINEAR (-s 4 -e 1e-8 -B 1): mean loss and
// penalty of their weights, in this objective.
func TestJointOptima(t *testing.T) {
	for _, c := range []struct {
		loss, bias string
		weighted   bool
		optimum    float64
		tolerance  float64
	}{
		{"softmax", "free", true, 0.8748682189743111, 1e-9},
		{"softmax", "none", true, 1.014598258675583, 1e-9},
		{"softmax", "feature", true, 0.8821249924329323, 1e-9},
		{"crammer-singer", "feature", false, 0.9051700586558143, 1e-7},
	} {
		solvers := []string{"sdca", "lbfgs"}
		if c.loss == "crammer-singer" {
			solvers = solvers[:1]
		}
		for _, name := range solvers {
			gap := 1e-8
			if c.loss == "crammer-singer" {
				gap = 1e-6
			}
			r, err := Train(context.Background(), waves(c.weighted), Spec{Loss: c.loss, Bias: c.bias, Solver: name, Gap: gap, Run: Run{Epochs: 20000}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged || r.Summary.Dual > c.optimum*(1+c.tolerance) || r.Summary.Primal < c.optimum*(1-c.tolerance) {
				t.Errorf("%s %s %s: %s between %.12g and %.12g, expected %.12g", c.loss, c.bias, name, r.Status, r.Summary.Dual, r.Summary.Primal, c.optimum)
			}
		}
	}
}

// TestJointVerify: a model is verified, and one with a changed weight, bias or dual variable of any
// output is not.
func TestJointVerify(t *testing.T) {
	set := waves(true)
	for _, spec := range []Spec{{Loss: "softmax"}, {Loss: "crammer-singer", Gap: 1e-2}, {Loss: "softmax", Kernel: "rbf", Weighting: Weighting{ClassWeight: map[string]float64{"1": 2}}}} {
		r, err := Train(context.Background(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		m := r.Model
		if len(m.Outputs) != 3 || !m.IsJoint() {
			t.Fatalf("%d outputs of the scheme %q", len(m.Outputs), m.Statement.Scheme)
		}
		if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || !v.OK() {
			t.Errorf("%s: %v %+v", spec.Loss, err, v)
		}
		for c := range m.Outputs {
			for _, change := range []func(o *model.Output){
				func(o *model.Output) { o.Weights[0] += 0.1 },
				func(o *model.Output) { o.Bias += 0.1 },
				func(o *model.Output) { o.Dual[0] += 0.3; o.Dual[5] -= 0.3 },
			} {
				keep := m.Outputs[c]
				o := keep
				o.Weights, o.Dual = append([]float64(nil), o.Weights...), append([]float64(nil), o.Dual...)
				change(&o)
				m.Outputs[c] = o
				v, err := Verify(t.Context(), m, set, Options{Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				if len(v.Problems) == 0 {
					t.Errorf("%s: a changed output %d is verified", spec.Loss, c)
				}
				m.Outputs[c] = keep
			}
		}
	}
}

// TestJointCertificates: a file whose outputs have different certificates is refused.
func TestJointCertificates(t *testing.T) {
	r, err := Train(context.Background(), waves(false), Spec{Loss: "softmax"})
	if err != nil {
		t.Fatal(err)
	}
	r.Model.Outputs[2].Certificate.Primal *= 0.9
	var out strings.Builder
	if err := r.Model.Write(&out); err != nil {
		t.Fatal(err)
	}
	if _, err := model.Decode([]byte(out.String())); err == nil || !strings.Contains(err.Error(), "another certificate of classifier 3 than of the first") {
		t.Errorf("found %v", err)
	}
}

// TestJointInit: a run from its own model is over at once, with classes in another order too.
func TestJointInit(t *testing.T) {
	set := waves(true)
	r, err := Train(context.Background(), set, Spec{Loss: "softmax", Gap: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Train(context.Background(), set, Spec{Loss: "softmax", Gap: 1e-5, Run: Run{From: r.Model}})
	if err != nil || again.Epochs != 0 || again.Status != solver.Converged {
		t.Errorf("%v: %s after %d epochs", err, again.Status, again.Epochs)
	}
	other, err := Train(context.Background(), set, Spec{Loss: "softmax", Gap: 1e-5, C: 1.1, Run: Run{From: r.Model}})
	if err != nil || other.Status != solver.Converged {
		t.Errorf("%v: %s", err, other.Status)
	}
	rest, err := Train(context.Background(), set, Spec{Loss: "logistic"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Train(context.Background(), set, Spec{Loss: "softmax", Run: Run{From: rest.Model}}); err == nil || !strings.Contains(err.Error(), "expected the scheme joint") {
		t.Errorf("found %v", err)
	}
}
