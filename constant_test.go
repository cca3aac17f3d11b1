package fenchel

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// TestConstant: the bias feature:value=V is the weight of a constant column of that value, times the value, of every kind
// of linear problem; a file keeps it, Verify finds what training claimed, and a run that begins at a model has it.
func TestConstant(t *testing.T) {
	for _, spec := range []Spec{
		{Loss: "logistic", C: 1}, {Loss: "hinge", C: 0.3, Scheme: "one-against-one"}, {Loss: "squared-hinge", Penalty: "l1", C: 1},
		{Loss: "softmax", C: 1}, {Loss: "crammer-singer", C: 0.5}, {Loss: "logistic", Penalty: "l2", Radius: 0.7}, {Slack: 0.9},
		{Loss: "logistic", C: 1, Scaling: "std"}, {Loss: "logistic", Solver: "saga", C: 0.2},
	} {
		for _, value := range []string{"10", "0.3"} {
			spec.Gap, spec.Bias, spec.Threads = 1e-8, "feature:value="+value, 2
			set := waves(true)
			if spec.Loss == "squared-hinge" {
				set.X = sparse(set.X)
			}
			r, err := Train(t.Context(), set, spec)
			if err != nil {
				t.Fatalf("%+v: %v", spec, err)
			}
			m, err := model.Decode(encoded(t, r.Model))
			if err != nil || m.Statement.Bias != spec.Bias {
				t.Fatalf("found %v, %v in the file, expected the bias %s", m, err, spec.Bias)
			}
			v, err := Verify(t.Context(), m, set, Options{Threads: 1})
			if err != nil || len(v.Problems) > 0 || math.Abs(v.Found.Primal-r.Summary.Primal) > 1e-12*math.Abs(r.Summary.Primal) {
				t.Errorf("%+v: found %+v, %v, expected what training claimed", spec, v, err)
			}
			again, err := Train(t.Context(), set, func(s Spec) Spec { s.From = m; return s }(spec))
			if err != nil || math.Abs(again.Summary.Primal-r.Summary.Primal) > 1e-6*math.Abs(r.Summary.Primal) {
				t.Errorf("%+v: found %v, %v from the model, expected the objective %g", spec, again, err, r.Summary.Primal)
			}
			if spec.Scaling != "" {
				continue
			}
			wide := widened(set, value)
			explicit := spec
			explicit.Bias = "none"
			e, err := Train(t.Context(), wide, explicit)
			if err != nil || math.Abs(e.Summary.Primal-r.Summary.Primal) > 1e-7*math.Abs(r.Summary.Primal) {
				t.Errorf("%+v: found the objective %g, with a column %v, %v", spec, r.Summary.Primal, e.Summary, err)
			}
			for i := range set.Rows() {
				ours, theirs := make([]float64, len(m.Outputs)), make([]float64, len(m.Outputs))
				m.Scores(ours, set.X.Row(i))
				e.Model.Scores(theirs, wide.X.Row(i))
				for c := range ours {
					if math.Abs(ours[c]-theirs[c]) > 2e-3*(1+math.Abs(theirs[c])) {
						t.Fatalf("%+v: found the scores %v, with a column %v", spec, ours, theirs)
					}
				}
			}
		}
	}
}

// TestConstantValue: the larger the value, the less the penalty sees of the bias.
func TestConstantValue(t *testing.T) {
	objective := func(bias string) float64 {
		r, err := Train(t.Context(), waves(false), Spec{Loss: "logistic", C: 0.1, Gap: 1e-8, Bias: bias})
		if err != nil {
			t.Fatal(err)
		}
		return r.Summary.Primal
	}
	values := []float64{objective("none")}
	for _, value := range []string{"feature:value=0.1", "feature", "feature:value=10", "feature:value=1000", "free"} {
		values = append(values, objective(value))
	}
	if !slices.IsSortedFunc(values, func(a, b float64) int { return int(math.Copysign(1, b-a+1e-7)) }) || math.Abs(values[4]-values[5]) > 1e-5 {
		t.Errorf("found the objectives %v, expected them to fall from that of no bias to that of a free one", values)
	}
	for bias, want := range map[string]string{"feature:value=0": "V > 0", "feature:value=x": "V > 0", "feature:value=1e39": "V > 0", "free:value=2": "feature:value=V", "feature:scale=2": "feature:value=V", "feature:": "feature:value=V"} {
		if _, err := Train(t.Context(), waves(false), Spec{Bias: bias}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found the error %v, expected %q", bias, err, want)
		}
	}
	if _, err := Train(t.Context(), waves(false), Spec{Bias: "feature:value=2", Kernel: "rbf:gamma=1"}); err == nil || !strings.Contains(err.Error(), "expected a linear model") {
		t.Errorf("found the error %v of a kernel, expected a refusal", err)
	}
}

// TestConstantLIBLINEAR: models of LIBLINEAR's -B 10 are read, judged and written with that value.
func TestConstantLIBLINEAR(t *testing.T) {
	const file = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias 10\nw\n0.8 \n0.0125 \n"
	m := decode(t, file)
	if m.Statement.Bias != "feature:value=10" || m.Outputs[0].Bias != 0.125 {
		t.Errorf("found the bias %s, %g, expected feature:value=10, 0.125", m.Statement.Bias, m.Outputs[0].Bias)
	}
	a, err := Audit(t.Context(), m, twoPoints(1), AuditOptions{C: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := (0.8*0.8 + 0.0125*0.0125) / 2
	for i, row := range twoPoints(1).X.(*matrix.Dense).Value {
		y := float64(1 - 2*int(twoPoints(1).Target.Code[i]))
		if m.Classes[1] != twoPoints(1).Target.Label[0] {
			y = -y
		}
		want += math.Log1p(math.Exp(-y * (0.8*float64(row) + 0.125)))
	}
	if got := a.Summary.Primal * 2; math.Abs(got-want) > 1e-12 {
		t.Errorf("found the objective %g of C times 2 rows, expected %g", got, want)
	}
}

func widened(set *data.Set, value string) *data.Set {
	wide := *set
	n, d := set.X.Dims()
	x := &matrix.Dense{Rows: n, Cols: d + 1}
	for i := range n {
		row := make([]float32, d+1)
		for k, v := range set.X.Row(i).Value {
			row[set.X.Row(i).Column(k)] = v
		}
		row[d] = map[string]float32{"10": 10, "0.3": 0.3}[value]
		x.Value = append(x.Value, row...)
	}
	wide.X = x
	return &wide
}

func sparse(x matrix.Matrix) matrix.Matrix {
	n, d := x.Dims()
	m := &matrix.CSR{Cols: d}
	for i := range n {
		m.Append([]uint32{0, 2}, []float32{x.Row(i).Value[0], x.Row(i).Value[2]})
	}
	return m
}
