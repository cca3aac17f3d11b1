package tune_test

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/tune"
)

// disc is a set of two classes: rows near the origin, one in seventeen others, and the rest.
func disc(t *testing.T, n int) *data.Set {
	t.Helper()
	set, err := data.Read(t.Context(), []string{"@linear:n=60,d=2"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels := make([]string, n)
	for i := range labels {
		if labels[i] = "2"; i%17 == 0 || set.X.Row(i).SquaredNorm() < 1 {
			labels[i] = "1"
		}
	}
	set.Target = data.Labels(labels)
	return set
}

// TestF8ParetoSweeps moves C, the radius and the slack: norm and loss lie on one decreasing convex
// curve, to a hundredth.
func TestF8ParetoSweeps(t *testing.T) {
	set := disc(t, 60)
	follow := func(spec tune.PathSpec) (points []tune.PathPoint) {
		t.Helper()
		spec.Kernel, spec.Bias, spec.Scaling, spec.Gap = "rbf:gamma=0.5", "none", "none", 1e-3
		spec.Epochs = 1200
		if _, err := tune.Path(t.Context(), set, spec, func(p tune.PathPoint) error { points = append(points, p); return nil }); err != nil {
			t.Fatal(err)
		}
		return points
	}
	front := follow(tune.PathSpec{From: 0.01, To: 100})
	at := func(norm float64) float64 {
		for k := range front[1:] {
			if a, b := front[k], front[k+1]; b.Norm >= norm && b.Norm > a.Norm {
				return a.Loss + (b.Loss-a.Loss)*(norm-a.Norm)/(b.Norm-a.Norm)
			}
		}
		return math.NaN()
	}
	first, last := front[len(front)/8], front[len(front)/2]
	radii := follow(tune.PathSpec{Over: "radius", From: first.Norm, To: last.Norm, Points: 4})
	slacks := follow(tune.PathSpec{Over: "slack", From: last.Slack(), To: first.Slack(), Points: 4})
	for what, sweep := range map[string][]tune.PathPoint{"radius": radii, "slack": slacks} {
		for _, p := range sweep {
			if want := at(p.Norm); !(math.Abs(p.Loss-want) < 0.01*max(want, 0.1)) {
				t.Errorf("%s: norm %g with loss %g, on the curve %g", what, p.Norm, p.Loss, want)
			}
		}
		if len(sweep) != 4 {
			t.Errorf("%s: %d points", what, len(sweep))
		}
	}
	for k := 2; k < len(front); k++ {
		a, b, c := front[k-2], front[k-1], front[k]
		if c.Norm < b.Norm-1e-9 || c.Loss > b.Loss+1e-9 {
			t.Fatalf("C %g: norm %g with loss %g after %g with %g", c.C, c.Norm, c.Loss, b.Norm, b.Loss)
		}
		if w := c.Norm - a.Norm; w > 1e-6 && b.Loss > a.Loss+(c.Loss-a.Loss)*(b.Norm-a.Norm)/w+1e-6 {
			t.Fatalf("C %g: the loss %g is above the chord", b.C, b.Loss)
		}
	}
}
