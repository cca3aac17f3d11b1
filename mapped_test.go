package fenchel

import (
	"bytes"
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// A model of images is proved, and verified as it is read from its file, for
// every map, scaling, task and number of classes; it depends on no number of
// threads.
func TestMapped(t *testing.T) {
	for _, c := range []Spec{
		{Map: "fourier:dim=200"},
		{Map: "fourier:dim=200", Kernel: "laplacian:gamma=1", Scaling: "std"},
		{Map: "nystrom:rank=30", Scheme: model.OneAgainstOne},
		{Map: "nystrom:rank=30", Kernel: "poly:degree=3,gamma=1,coef0=1", Scaling: "max"},
		{Map: "cholesky:rank=30,tolerance=0.01", Kernel: "laplacian:gamma=1", Loss: "logistic"},
		{Map: "nystrom:rank=30", Solver: "newton", Loss: "squared-hinge"},
		{Map: "nystrom:rank=30", Record: Record{NoDual: true}},
		{Map: "cholesky:rank=30", Task: "regression", Gap: 1e-7},
		{Map: "fourier:dim=200", Solver: "pegasos", Bias: "none", Gap: 0.1},
	} {
		for _, classes := range []int{2, 3} {
			set := rings(t, 100, classes, classes == 3)
			if c.C, c.Seed = 10, 5; c.Kernel == "" {
				c.Kernel = "rbf:gamma=1"
			}
			var first []byte
			for _, c.Threads = range []int{1, 2} {
				r, err := Train(t.Context(), set, c)
				if err != nil {
					t.Fatalf("%+v: %v", c, err)
				}
				if r.Status != solver.Converged {
					t.Errorf("%+v, %d classes: %s with gap %g", c, classes, r.Status, r.Summary.Worst)
				}
				if file := encoded(t, r.Model); first == nil {
					first = file
				} else if !bytes.Equal(file, first) {
					t.Errorf("%+v, %d classes: another model of 2 threads", c, classes)
				}
			}
			m, err := model.Decode(first)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := Verify(t.Context(), m, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 || v.Rebuilt != c.NoDual || v.Found != v.Claimed && !c.NoDual {
				t.Errorf("%+v, %d classes: verification %+v, %v", c, classes, v, err)
			}
			e, err := Evaluate(t.Context(), m, set, Options{Threads: 2})
			if err != nil || e.Accuracy != nil && *e.Accuracy < 0.85 || e.R2 != nil && *e.R2 < 0.4 {
				t.Errorf("%+v, %d classes: %+v, %v", c, classes, e, err)
			}
		}
	}
}

// What a model scores is what its proof is about: the objective computed from
// its scores is the one claimed.
func TestMappedScoresAreCertified(t *testing.T) {
	set := rings(t, 100, 2, true)
	for _, name := range []string{"fourier:dim=50", "nystrom:rank=20", "cholesky:rank=20"} {
		r, err := Train(t.Context(), set, Spec{Kernel: "rbf:gamma=1", Map: name, C: 10, Scaling: "max", Gap: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		o, lambda, objective := r.Model.Outputs[0], r.Model.Statement.Lambda, 0.0
		for _, w := range o.Weights {
			objective += lambda / 2 * w * w
		}
		for i := range set.Rows() {
			y := 2*float64(set.Target.Code[i]) - 1
			objective += max(0, 1-y*r.Model.Score(set.X.Row(i))) / 100
		}
		if math.Abs(objective-r.Summary.Primal) > 1e-12 {
			t.Errorf("%s: the scores have the objective %.15g, claimed is %.15g", name, objective, r.Summary.Primal)
		}
	}
}

// With all rows as landmarks the problem is that of the kernel machine; with few,
// its solution is still a kernel machine, no better than the best.
func TestAllLandmarksAreTheMachine(t *testing.T) {
	set := rings(t, 90, 2, false)
	spec := Spec{Kernel: "laplacian:gamma=1", C: 5, Gap: 1e-7}
	exact, err := Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	best := exact.Summary.Primal
	for _, name := range []string{"nystrom:rank=90", "cholesky:rank=90", "nystrom:rank=10", "cholesky:rank=10"} {
		spec.Map = name
		r, err := Train(t.Context(), set, spec)
		if err != nil {
			t.Fatal(err)
		}
		off := r.Summary.Primal/best - 1
		if strings.HasSuffix(name, "=90") && math.Abs(off) > 1e-6 {
			t.Errorf("%s: the objective is off by %.3g", name, off)
		}
		if strings.HasSuffix(name, "=10") && off < 1e-3 {
			t.Errorf("%s: the objective of few landmarks is off by %.3g only", name, off)
		}
	}
}

// A model of landmarks can be written as the kernel machine that it is.
func TestLandmarksAsLIBSVM(t *testing.T) {
	set := rings(t, 100, 2, false)
	r, err := Train(t.Context(), set, Spec{Kernel: "rbf:gamma=1", Map: "nystrom:rank=20", C: 5})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := r.Model.WriteLIBSVM(&file); err != nil {
		t.Fatal(err)
	}
	machine, err := model.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if machine.Support.Len() != 20 {
		t.Errorf("found %d support vectors, expected the 20 landmarks", machine.Support.Len())
	}
	for i := range set.Rows() {
		row := set.X.Row(i)
		if a, b := r.Model.Score(row), -machine.Score(row); r.Model.Class(row) != machine.Class(row) || math.Abs(math.Abs(a)-math.Abs(b)) > 1e-4 {
			t.Errorf("row %d: %g of class %s, in LIBSVM's format %g of class %s", i, a, r.Model.Class(row), b, machine.Class(row))
		}
	}
}

// Landmarks, weights and seeds that are not those claimed are found out.
func TestVerifyMapped(t *testing.T) {
	set := rings(t, 60, 2, false)
	for what, change := range map[string]func(m *model.Model){
		"landmark 1 is not that": func(m *model.Model) {
			other, err := featuremap.RestoreNystrom(kernel.RBF{Gamma: 1}, matrix.Gather(set.X, []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}))
			if err != nil {
				t.Fatal(err)
			}
			m.Map = other
		},
		"found 9 landmarks": func(m *model.Model) {
			other, err := featuremap.RestoreNystrom(kernel.RBF{Gamma: 1}, matrix.Gather(set.X, []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9}))
			if err != nil {
				t.Fatal(err)
			}
			m.Map = other
		},
		"with the seed 2": func(m *model.Model) { m.Statement.Seed = 2 },
		"claims the obj":  func(m *model.Model) { m.Outputs[0].Weights[3] += 0.01 },
	} {
		r, err := Train(t.Context(), set, Spec{Kernel: "rbf:gamma=1", Map: "nystrom:rank=10", C: 5, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		change(r.Model)
		if v, err := Verify(t.Context(), r.Model, set, Options{Threads: 1}); err != nil || len(v.Problems) == 0 || !strings.Contains(v.Problems[0], what) {
			t.Errorf("%s: verification %+v, %v", what, v, err)
		}
	}
}

// Landmarks serve a kernel of the program's own.
func TestMappedCustomKernel(t *testing.T) {
	set := rings(t, 60, 2, false)
	rbf := kernel.RBF{Gamma: 1}
	spec := Spec{Kernel: "mine", Custom: Custom{Kernel: &kernel.Func{Value: rbf.Eval, Largest: rbf.Size, Rounding: rbf.Relative}}, Map: "nystrom:rank=20", C: 3}
	own, err := Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := Verify(t.Context(), own.Model, set, Options{Threads: 1}); err != nil || len(v.Problems) > 0 {
		t.Errorf("verification %+v, %v", v, err)
	}
	if err := own.Model.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "no program could read it again") {
		t.Errorf("written: found error %v", err)
	}
	spec = Spec{Kernel: "rbf:gamma=1", Map: "nystrom:rank=20", C: 3}
	named, err := Train(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := named.Summary.Primal, own.Summary.Primal; math.Abs(a-b) > 1e-5*a {
		t.Errorf("the objective of one's own kernel is %.9g, expected %.9g", b, a)
	}
}

// What a map cannot go with is refused before any work.
func TestMapRefuses(t *testing.T) {
	for want, spec := range map[string]Spec{
		"map=fourier without a kernel":                                                     {Map: "fourier"},
		`did you mean "nystrom"?`:                                                          {Map: "nystroem", Kernel: "rbf"},
		"expected rbf or laplacian":                                                        {Map: "fourier", Kernel: "linear"},
		"the kernel sigmoid, which is no inner product":                                    {Map: "nystrom", Kernel: "sigmoid"},
		"expected lambda, C or slack":                                                      {Map: "nystrom", Kernel: "rbf", Radius: 1},
		"expected lambda, C or slack, as the model is linear":                              {Map: "nystrom", Kernel: "rbf", Nu: 0.5},
		"cache=1000000: expected none":                                                     {Map: "nystrom", Kernel: "rbf", Run: Run{Cache: 1000000}},
		`smo trains kernel machines, but of a map a linear model is made: leave out 'map'`: {Map: "nystrom", Kernel: "rbf", Solver: "smo"},
		"dim=9: expected an even number, of cosines and sines":                             {Map: "fourier:dim=9", Kernel: "rbf"},
		"rank=0: expected a whole number from 1 to 10000":                                  {Map: "nystrom:rank=0", Kernel: "rbf"},
		"tolerance=2: expected a number >= 0 and < 1":                                      {Map: "cholesky:tolerance=2", Kernel: "rbf"},
		"gamma=-1: expected a number > 0":                                                  {Map: "fourier", Kernel: "rbf:gamma=-1"},
	} {
		if err := spec.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", spec, err, want)
		}
	}
}

// Who ends the mapping of rows gets the context's error, as there is no model yet,
// and does not wait for the images of all rows.
func TestMappingIsInterrupted(t *testing.T) {
	set := rings(t, 100, 2, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, spec := range []string{"fourier:dim=10", "nystrom:rank=5", "cholesky:rank=5"} {
		if r, err := Train(ctx, set, Spec{Kernel: "rbf", Map: spec}); r != nil || err != context.Canceled {
			t.Errorf("%s: found %v and the error %v, expected none and %v", spec, r, err, context.Canceled)
		}
	}
}

// Images that overflow are refused, not trained on.
func TestMapOverflow(t *testing.T) {
	set := rings(t, 20, 2, false)
	values := set.X.(*matrix.Dense).Value
	for k := range values {
		values[k] *= 1e15
	}
	_, err := Train(t.Context(), set, Spec{Map: "nystrom:rank=5", Kernel: "poly:degree=3,gamma=1", C: 1, Scaling: "none"})
	if err == nil || !strings.Contains(err.Error(), "feature 1 of the map nystrom:rank=5 is too large for single precision") {
		t.Errorf("found %v, expected an error that names a row and a feature", err)
	}
}
