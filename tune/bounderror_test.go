package tune

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/pose"
)

var long = flag.Bool("long", false, "grids of 1,000 values of C")

// TestBoundError compares the bound with the errors of a grid, where a row counts as wrong unless the exact optimum is proved to
// predict its class.
func TestBoundError(t *testing.T) {
	values := 40
	if *long {
		values = 1000
	}
	for _, c := range []struct {
		source string
		spec   fenchel.Spec
		folds  int
	}{
		{"@blobs:n=240,classes=2,spread=4", fenchel.Spec{Loss: "logistic", Bias: "feature"}, 4},
		{"@blobs:n=240,classes=2,spread=4,d=3,seed=2", fenchel.Spec{Bias: "none"}, 3},
		{"@toy:n=200,d=3", fenchel.Spec{Loss: "squared-hinge", Bias: "feature:value=3", Scaling: "std"}, 2},
		{"@text:n=150,d=400", fenchel.Spec{Loss: "huber-hinge", Bias: "feature"}, 3},
		{"@blobs:n=300,classes=2,spread=2,seed=5", fenchel.Spec{Loss: "squared-hinge", Bias: "feature"}, 5},
		{"@toy:n=160,d=8,seed=4", fenchel.Spec{Bias: "feature"}, 4},
		{"@blobs:n=200,classes=2,spread=6,d=2,seed=9", fenchel.Spec{Loss: "huber-hinge:width=0.3", Bias: "none"}, 4},
		{"@text:n=200,d=100,seed=3", fenchel.Spec{Loss: "logistic", Bias: "feature", Weighting: fenchel.Weighting{Balanced: true}}, 2},
		{"@spirals:n=160,seed=7", fenchel.Spec{Loss: "squared-hinge", Bias: "feature"}, 4},
		{"@spirals:n=120", fenchel.Spec{Loss: "logistic", Kernel: "rbf:gamma=1", Map: "fourier:dim=40", Bias: "none"}, 3},
	} {
		name := fmt.Sprintf("%s %+v", c.source, c.spec)
		set, err := data.Read(context.Background(), []string{c.source}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		spec := Spec{Train: c.spec, Axes: []Axis{{Key: "C", Values: []string{"0.001", "1000"}}}, Folds: Folds{K: c.folds}}
		result, bound, err := BoundError(context.Background(), set, spec, 0.02)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bound.Reached() || bound.Error != 1-result.Candidates[result.Best].Mean {
			t.Errorf("%s: found the bound %g below the error %g after %d solutions, expected one within 0.02", name, bound.Least, bound.Error, bound.Fits)
		}
		folds, err := spec.Folds.Deal(set, set.Target.Code, set.Target.Label)
		if err != nil {
			t.Fatal(err)
		}
		stage, err := fenchel.NewStage(context.Background(), set, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		for k := range values {
			at := 1e-3 * math.Pow(1e6, float64(k)/float64(values-1))
			most := 0.0 // of the error of the optima
			for _, fold := range folds {
				part, err := stage.Part(fold.Learn, fold.Judge, fenchel.Resources{})
				if err != nil {
					t.Fatal(err)
				}
				one := c.spec
				one.C, one.Gap = at, 1e-10
				f, err := part.Fit(context.Background(), one, nil)
				if err != nil {
					t.Fatal(err)
				}
				most += mostError(t, f, part) / float64(len(folds))
			}
			for _, s := range bound.Steps {
				if s.From <= at && at <= s.To && most < s.Error {
					t.Errorf("%s: at C=%g the error of the optima is at most %g, found the lower bound %g", name, at, most, s.Error)
				}
			}
			if most < bound.Least {
				t.Errorf("%s: at C=%g the error of the optima is at most %g, proved to be at least %g", name, at, most, bound.Least)
			}
		}
	}
}

// mostError is what the error of the exact optimum is at most.
func mostError(t *testing.T, f *fenchel.Fitted, part *fenchel.Part) float64 {
	t.Helper()
	held := part.Held()
	proved, err := f.Model.Proved()
	if err != nil {
		t.Fatal(err)
	}
	truth, err := pose.MatchTargets(f.Model.Classes, held.Target)
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.Model.Prepare(held.X)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0.0
	for i := range held.Rows() {
		scores := f.Model.Scores(nil, x.Row(i))
		if truth[i] == metric.Unknown || f.Model.Decide(scores) != truth[i] || !proved.Sure(proved.Bounds(nil, x.Row(i), scores)) {
			wrong++
		}
	}
	return wrong / float64(held.Rows())
}

// TestBall compares the interval of rho with the inequality that it comes from.
func TestBall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inside := 0
	for range 20000 {
		// w and u in the plane, a row of length 1, and a gap that is at least |w-u|^2/2, as of any solution.
		w, u := [2]float64{r.NormFloat64(), r.NormFloat64()}, [2]float64{}
		for k := range u {
			u[k] = w[k] + 0.1*r.NormFloat64()*r.Float64()
		}
		angle := 2 * math.Pi * r.Float64()
		x := [2]float64{math.Cos(angle), math.Sin(angle)}
		dot := func(a, b [2]float64) float64 { return a[0]*b[0] + a[1]*b[1] }
		apart := [2]float64{w[0] - u[0], w[1] - u[1]}
		b := ball{gap: dot(apart, apart)/2 + 0.01*r.Float64()*r.Float64(), ww: dot(w, w), uu: dot(u, u), wu: dot(w, u), roundings: 34}
		s, v := dot(w, x), dot(u, x)
		holds := func(rho float64) bool {
			center := [2]float64{(w[0] + u[0]/rho) / 2, (w[1] + u[1]/rho) / 2}
			gap := (b.gap + (rho-1)*b.ww/2 + (1/rho-1)*b.uu/2) / rho
			off := [2]float64{w[0] - u[0]/rho, w[1] - u[1]/rho}
			return math.Abs(dot(center, x)) > math.Sqrt(max(0, gap-dot(off, off)/4)) && (dot(center, x) > 0) == (s > 0)
		}
		from, to, ok := b.sure(s, v, 1)
		if !ok {
			continue
		}
		inside++
		for range 10 {
			if rho := from + (min(to, 10)-from)*r.Float64(); rho > from && !holds(rho) {
				t.Fatalf("w %v, u %v, x %v, gap %g: at rho=%g in (%g, %g) another sign is possible", w, u, x, b.gap, rho, from, to)
			}
		}
		for _, rho := range []float64{from * (1 - 1e-3), to * (1 + 1e-3)} {
			if rho > 0.01 && rho < 100 && holds(rho) { // nearer to 0 the slack is larger than a thousandth
				t.Fatalf("w %v, u %v, x %v, gap %g: at rho=%g beyond (%g, %g) the sign is sure", w, u, x, b.gap, rho, from, to)
			}
		}
	}
	if inside < 10000 {
		t.Errorf("found %d intervals, expected most of 20000", inside)
	}
}
