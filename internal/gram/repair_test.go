package gram

import (
	"math"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// K7: tanh(<x,y> - 1) has a negative eigenvalue, a sum of rbf and poly none; each repair leaves none,
// has the eigenvalues that it says, and changes a matrix without negative ones by roundings.
func TestExamine(t *testing.T) {
	x, err := matrix.NewDense(3, 1, []float32{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	tanh, err := Examine(kernel.Sigmoid{Gamma: 1, Coef0: -1}, x, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	if tanh.Definite() || tanh.Negative() < 1 || tanh.Matrix[0] != tanhOf(-1) {
		t.Errorf("tanh: eigenvalues %v, first value %g", tanh.Values, tanh.Matrix[0])
	}
	both, err := kernel.Sum(kernel.RBF{Gamma: 1}, kernel.Poly{Degree: 2, Gamma: 1, Coef0: 1})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Examine(both, x, true, 1)
	if err != nil || !sum.Definite() || sum.Negative() != 0 {
		t.Errorf("rbf + poly: %v, %v", sum, err)
	}
	for _, name := range Repairs() {
		same, err := sum.Repair(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range same {
			if math.Abs(v-sum.Matrix[i]) > 1e-12*sum.Trace {
				t.Errorf("%s: element %d is %g, was %g", name, i, v, sum.Matrix[i])
			}
		}
		checkRepair(t, tanh, name)
	}
	values, err := Examine(kernel.Sigmoid{Gamma: 1, Coef0: -1}, x, false, 1)
	if err != nil || !slices.Equal(values.Values, tanh.Values) {
		t.Errorf("without eigenvectors: %v, %v, expected the same eigenvalues", values, err)
	}
	if _, err := values.Repair("clip"); err == nil {
		t.Error("a repair that takes eigenvectors, without them: expected an error")
	}
	if _, err := values.Repair("shift"); err != nil {
		t.Errorf("a shift takes no eigenvectors: %v", err)
	}
	if _, err := tanh.Repair("mend"); err == nil {
		t.Error("an unknown repair: expected an error")
	}
}

// checkRepair compares the trace of the repaired matrix, and of its square, with the eigenvalues.
func checkRepair(t *testing.T, e *Examined, name string) {
	t.Helper()
	m, err := e.Repair(name)
	if err != nil {
		t.Fatal(err)
	}
	trace, square, want, wantSquare := 0.0, 0.0, 0.0, 0.0
	for i := range e.N {
		trace += m[i*e.N+i]
		v := e.Values[i]
		switch name {
		case "clip":
			v = max(0, v)
		case "flip":
			v = math.Abs(v)
		case "shift":
			v -= e.Smallest()
		}
		want += v
		wantSquare += v * v
	}
	for _, v := range m {
		square += v * v
	}
	if math.Abs(trace-want) > 1e-13 || math.Abs(square-wantSquare) > 1e-12 {
		t.Errorf("%s: trace %g and of the square %g, expected %g and %g", name, trace, square, want, wantSquare)
	}
	if smallest := smallestEigenvalue(append([]float64(nil), m...), e.N); smallest < -1e-14 {
		t.Errorf("%s: smallest eigenvalue %g", name, smallest)
	}
}

func tanhOf(x float64) float64 {
	return kernel.Sigmoid{Gamma: 0, Coef0: x}.Eval(matrix.Vector{}, matrix.Vector{})
}
