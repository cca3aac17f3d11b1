package theory

import (
	"strings"
	"testing"
)

// K22: what is advised for which counts. Every line is a rule of reference kernel_qp, section 10.
func TestK22AdviseKernelMachines(t *testing.T) {
	const gb = 1e9
	for _, c := range []struct {
		why    string
		q      Quadratic
		solver string
	}{
		{"few rows, an ordinary accuracy", Quadratic{2000, 10, false, 1e-3, gb}, "working"},
		{"few rows, exact", Quadratic{4000, 10, false, 1e-12, gb}, "active-set"},
		{"many rows, an ordinary accuracy", Quadratic{150_000, 20, false, 1e-3, gb}, "working"},
		{"many rows, a rough accuracy", Quadratic{150_000, 20, false, 1e-2, gb}, "interior-point:rank=100"},
		{"a linear kernel", Quadratic{1e6, 100, true, 1e-6, gb}, "auto, without a kernel"},
		{"more rows than pairs can be looked at", Quadratic{5e6, 50, false, 1e-3, 64 * gb}, "map nystrom:rank=500"},
	} {
		a := c.q.Advise()
		if a.Solver != c.solver || a.Why == "" {
			t.Errorf("%s: %s (%s), expected %s", c.why, a.Solver, a.Why, c.solver)
		}
		for _, other := range a.Table {
			fits := other.Reaches <= c.q.Accuracy && other.Bytes <= c.q.Memory && other.Operations <= mostOperations
			if fits && other.Operations < a.Operations {
				t.Errorf("%s: %s takes %g operations, the advised %s %g", c.why, other.Solver, other.Operations, a.Solver, a.Operations)
			}
		}
	}
	if a := (Quadratic{20_000, 10, false, 1e-5, gb}).Advise(); !strings.Contains(a.Why, "interior point need 6.4 GB") || !strings.Contains(a.Why, "pegasos") && !strings.Contains(a.Why, "Pegasos") {
		t.Errorf("why %q, expected the memory of the interior point and the accuracy of Pegasos", a.Why)
	}
	for _, bad := range []Quadratic{{0, 1, false, 1e-3, gb}, {10, 1, false, 0, gb}, {10, 1, false, 1e-3, 0}} {
		if bad.Check() == nil {
			t.Errorf("%+v: expected an error", bad)
		}
	}
}
