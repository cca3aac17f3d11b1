package featuremap_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

func gramOf(t *testing.T, k kernel.Kernel, x matrix.Matrix) *gram.Gram {
	t.Helper()
	g, err := gram.NewGram(k, x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// 200 uniform points of [0,4]^2, Gaussian of sigma 1: what is left of the trace
// after 20, 40 and 60 pivots is about 3.8, 0.064 and 0.0016 (kernel_qp 7.3).
func TestCholeskyTraces(t *testing.T) {
	_, residual, err := featuremap.NewCholesky(t.Context(), kernel.RBF{Gamma: 0.5}, uniform(2, 200, 2, 4), 60, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range map[int]float64{0: 200, 20: 3.8, 40: 6.4e-2, 60: 1.6e-3} {
		if got := residual[rank]; got > 2*want || got < want/2 {
			t.Errorf("rank %d: %g left, want about %g", rank, got, want)
		}
	}
	if !slices.IsSortedFunc(residual, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
		t.Errorf("what is left grows: %g", residual)
	}
}

// The images of pivots reproduce the kernel, those of other rows are projections:
// K - VV^T is positive semidefinite, with the trace that was stated.
func TestLowRankLaws(t *testing.T) {
	x := uniform(3, 80, 3, 2)
	for spec, k := range map[string]kernel.Kernel{
		"rbf": kernel.RBF{Gamma: 0.5}, "poly": kernel.Poly{Degree: 2, Gamma: 1, Coef0: 1}, "laplacian": kernel.Laplacian{Gamma: 1},
	} {
		for _, x := range []matrix.Matrix{x, stored(x)} {
			one, residual, err := featuremap.NewCholesky(t.Context(), k, x, 20, 1e-6, 2)
			if err != nil {
				t.Fatal(err)
			}
			two, err := featuremap.NewNystrom(t.Context(), k, x, 20, 5, 2)
			if err != nil {
				t.Fatal(err)
			}
			for name, m := range map[string]*featuremap.Nystrom{"cholesky": one, "nystrom": two} {
				v, err := featuremap.Images(t.Context(), m, x, 2)
				if err != nil {
					t.Fatal(err)
				}
				left := 0.0
				rest := kernel.Func{Value: func(a, b matrix.Vector) float64 {
					i, j := int(a.Value[0]), int(b.Value[0])
					return k.Eval(x.Row(i), x.Row(j)) - inner(v.Row(i).Value, v.Row(j).Value)
				}}
				places := &matrix.Dense{Rows: 80, Cols: 1}
				for i := range 80 {
					places.Value = append(places.Value, float32(i))
					left += rest.Value(numbers(float64(i)), numbers(float64(i)))
				}
				curvature, _ := gram.Check(rest, places, 80)
				stated := left
				if m == one {
					stated = residual[len(m.Pivots)]
				}
				if size := residual[0] * 1e-6; curvature < -size || left < -size || math.Abs(left-stated) > size {
					t.Errorf("%s, %s, %T: curvature %g, trace %g, stated %g", spec, name, x, curvature, left, stated)
				}
				for _, p := range m.Pivots {
					for j := range 80 {
						if off := rest.Value(numbers(float64(p)), numbers(float64(j))); math.Abs(off) > 1e-5*k.Eval(x.Row(p), x.Row(p)) {
							t.Errorf("%s, %s: pivot %d and row %d are off by %g", spec, name, p, j, off)
						}
					}
				}
			}
			if spec == "poly" && len(one.Pivots) > 10 {
				t.Errorf("quadratic forms of 3 numbers: %d pivots, want at most 10", len(one.Pivots))
			}
		}
	}
}

func TestLowRankRefuses(t *testing.T) {
	zeros, x := &matrix.Dense{Rows: 3, Cols: 2, Value: make([]float32, 6)}, uniform(1, 3, 2, 1)
	cholesky := func(k kernel.Kernel, x matrix.Matrix, rank int, tolerance float64) error {
		_, _, err := featuremap.NewCholesky(t.Context(), k, x, rank, tolerance, 1)
		return err
	}
	restore := func(x ...float32) error {
		_, err := featuremap.RestoreNystrom(kernel.RBF{Gamma: 1}, &matrix.Dense{Rows: len(x), Cols: 1, Value: x})
		return err
	}
	random := func(k kernel.Kernel, x matrix.Matrix, rank int) error {
		_, err := featuremap.NewNystrom(t.Context(), k, x, rank, 1, 1)
		return err
	}
	for _, try := range []struct {
		err  error
		want string
	}{
		{cholesky(kernel.Linear{}, x, 0, 0.5), "found a rank of 0"},
		{cholesky(kernel.Linear{}, x, 2, 1), "found a tolerance of 1"},
		{cholesky(kernel.Sigmoid{Gamma: 1}, x, 2, 0), "the kernel sigmoid, which is no inner prod"},
		{cholesky(kernel.Linear{}, zeros, 2, 0), "expected one that is not"},
		{random(kernel.Linear{}, zeros, 1), "found 3 rows with k(x,x) = 0"},
		{random(kernel.Linear{}, x, -1), "found a rank of -1"},
		{restore(), "found a rank of 0"},
	} {
		if try.err == nil || !strings.Contains(try.err.Error(), try.want) {
			t.Errorf("error %v, want %q", try.err, try.want)
		}
	}
	// A landmark that depends on those before gives the feature 0.
	again, err := featuremap.RestoreNystrom(kernel.RBF{Gamma: 1}, &matrix.Dense{Rows: 3, Cols: 1, Value: []float32{1, 1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	z := make([]float32, 3)
	if again.Images(z, []matrix.Vector{numbers(1.5)}); !(z[0] > 0.5) || z[1] != 0 || !(z[2] > 0.1) {
		t.Errorf("landmarks 1, 1 and 2: the image of 1.5 is %v", z)
	}
	// Rows that are no histograms have no image.
	m, _, err := featuremap.NewCholesky(t.Context(), kernel.Chi2{Gamma: 1}, uniform(1, 9, 2, 1), 4, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := featuremap.Images(t.Context(), m, &matrix.Dense{Rows: 1, Cols: 2, Value: []float32{1, -1}}, 1); err == nil {
		t.Error("a negative value is mapped")
	}
}

// linearOptimum is the smallest objective of a linear predictor of the images.
func linearOptimum(t *testing.T, z matrix.Matrix, y []float64) float64 {
	t.Helper()
	p, err := problem.NewLinear(problem.NewRows(z, 1), y, nil, loss.Hinge{}, penalty.L2{}, 0.01, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	s, err := linear.New("sdca")
	if err != nil {
		t.Fatal(err)
	}
	sol, err := solver.Run(context.Background(), s, p, solver.Options{Gap: 1e-6})
	if err != nil || sol.Status != solver.Converged {
		t.Fatalf("%v, %v", sol, err)
	}
	return sol.Certificate.Primal
}

// The objective comes down to that of the kernel machine with the rank, from
// above, as pivots span ever more of the space (K21); with random features it
// comes as near as there are many (T10).
func TestLinearPredictorOfImages(t *testing.T) {
	x, k := uniform(4, 200, 2, 4), kernel.RBF{Gamma: 0.5}
	y := make([]float64, 200)
	for i := range y {
		v := x.Row(i).Value
		y[i] = math.Copysign(1, math.Sin(2*float64(v[0]))*math.Sin(2*float64(v[1])))
	}
	p, err := problem.NewKernel(gramOf(t, k, x), y, nil, loss.Hinge{}, 0.01, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := solver.Run(context.Background(), engine.SDCA{}, p, solver.Options{Gap: 1e-6})
	if err != nil || exact.Status != solver.Converged {
		t.Fatal(err)
	}
	optimum := exact.Certificate.Primal
	before := math.Inf(1)
	for _, rank := range []int{5, 10, 20, 40, 60} {
		m, _, err := featuremap.NewCholesky(t.Context(), k, x, rank, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		z, err := featuremap.Images(t.Context(), m, x, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := linearOptimum(t, z, y)
		if got > before*(1+2e-6) || got < optimum*(1-2e-6) {
			t.Errorf("rank %d: objective %.9g, before %.9g, optimum %.9g", rank, got, before, optimum)
		}
		before = got
	}
	if before > optimum*(1+1e-4) {
		t.Errorf("rank 60: objective %.9g, optimum %.9g", before, optimum)
	}
	before = math.Inf(1)
	for _, pairs := range []int{10, 100, 1000} {
		off, maps := 0.0, 5
		for seed := range maps {
			f, err := featuremap.NewFourier(k, 2, pairs, uint64(seed))
			if err != nil {
				t.Fatal(err)
			}
			z, err := featuremap.Images(t.Context(), f, x, 0)
			if err != nil {
				t.Fatal(err)
			}
			off += math.Abs(linearOptimum(t, z, y)/optimum-1) / float64(maps)
		}
		if off > before/2 {
			t.Errorf("%d pairs: the objective is off by %.3g, before by %.3g", pairs, off, before)
		}
		before = off
	}
	if before > 0.02 {
		t.Errorf("1000 pairs: the objective is off by %.3g", before)
	}
}

// numbers is a dense row.
func numbers(x ...float64) matrix.Vector {
	v := matrix.Vector{}
	for _, x := range x {
		v.Value = append(v.Value, float32(x))
	}
	return v
}
