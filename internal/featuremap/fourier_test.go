package featuremap_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// uniform is n points of the cube [0, side]^d.
func uniform(seed uint64, n, d int, side float64) *matrix.Dense {
	r := rand.New(rand.NewPCG(seed, 6))
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for j := range x.Value {
		x.Value[j] = float32(side * r.Float64())
	}
	return x
}

func inner(a, b []float32) (sum float64) {
	for j, v := range a {
		sum += float64(v) * float64(b[j])
	}
	return sum
}

// Images have the norm 1; over 10^4 pairs the error of inner products has the
// root mean square that its variance says (T10).
func TestFourierLaws(t *testing.T) {
	const n = 40 // 780 pairs of rows for each map; those of one map depend on each other
	x := uniform(1, n, 3, 2)
	for _, pairs := range []int{1, 10, 100, 1000} {
		for spec, k := range map[string]kernel.Kernel{"rbf": kernel.RBF{Gamma: 0.3}, "laplacian": kernel.Laplacian{Gamma: 0.4}} {
			square, mean, maps, count := 0.0, 0.0, max(50, 3000/pairs), 0.0
			for seed := range maps {
				f, err := featuremap.NewFourier(k, 3, pairs, uint64(seed))
				if err != nil {
					t.Fatal(err)
				}
				z, err := featuremap.Images(t.Context(), f, x, 0)
				if err != nil {
					t.Fatal(err)
				}
				for i := range n {
					if one := inner(z.Row(i).Value, z.Row(i).Value); math.Abs(one-1) > 1e-6 {
						t.Fatalf("%s, %d pairs: row %d has the squared norm %v, want 1", spec, pairs, i, one)
					}
					for j := range i {
						v := k.Eval(x.Row(i), x.Row(j))
						off := inner(z.Row(i).Value, z.Row(j).Value) - v
						// E cos^2 = (1+k(2(x-y)))/2, which for the Gaussian is (1+k^4)/2.
						expected := (1 - v*v) * (1 - v*v) / 2
						if spec == "laplacian" {
							expected = (1+v*v)/2 - v*v
						}
						square, mean, count = square+off*off, mean+expected/float64(pairs), count+1
					}
				}
			}
			if ratio := math.Sqrt(square / mean); math.Abs(ratio-1) > 0.1 {
				t.Errorf("%s, %d pairs: root mean square error %.3g over %g pairs, %.3f of what it should be", spec, pairs, math.Sqrt(square/count), count, ratio)
			}
		}
	}
}

// The numbers of a column are its own: a map of more columns or pairs contains
// the smaller one; dense and sparse rows have the same image, on all threads.
func TestFourierIsCounterBased(t *testing.T) {
	x := kerneltest.Histograms(30, 5, true)
	f, err := featuremap.NewFourier(kernel.RBF{Gamma: 0.1}, 5, 8, 7)
	if err != nil {
		t.Fatal(err)
	}
	z, err := featuremap.Images(t.Context(), f, x, 0)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]struct {
		cols  int
		pairs int
		x     matrix.Matrix
		same  bool
		seed  uint64
	}{
		"again": {5, 8, x, true, 7}, "sparse": {5, 8, stored(x), true, 7}, "columns": {9, 8, x, true, 7}, "seed": {5, 8, x, false, 8},
	} {
		g, err := featuremap.NewFourier(kernel.RBF{Gamma: 0.1}, change.cols, change.pairs, change.seed)
		if err != nil {
			t.Fatal(err)
		}
		w, err := featuremap.Images(t.Context(), g, change.x, 0)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(w.Value, z.Value) != change.same {
			t.Errorf("%s: the same image: %v", what, !change.same)
		}
	}
	if cols, features := f.Dims(); cols != 5 || features != 16 {
		t.Errorf("Dims() = %d, %d", cols, features)
	}
}

func TestFourierRefuses(t *testing.T) {
	for _, c := range []struct {
		k           kernel.Kernel
		cols, pairs int
		want        string
	}{
		{kernel.RBF{Gamma: 1}, 3, 0, "found 3 columns and 0 pairs of features"},
		{kernel.RBF{Gamma: 1}, 1 << 30, 1 << 30, "expected at least one pair, at most 268435456 columns"},
		{kernel.Linear{}, 3, 1, "found the kernel linear, expected rbf or laplacian"},
	} {
		if _, err := featuremap.NewFourier(c.k, c.cols, c.pairs, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	f, err := featuremap.NewFourier(kernel.RBF{Gamma: 1}, 3, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := featuremap.Images(t.Context(), f, uniform(1, 2, 4, 1), 0); err == nil || !strings.Contains(err.Error(), "found 4 columns, expected at most 3") {
		t.Errorf("error %v", err)
	}
}

// stored is x as a sparse matrix.
func stored(x matrix.Matrix) *matrix.CSR { return matrix.Transpose(matrix.Transpose(x)) }
