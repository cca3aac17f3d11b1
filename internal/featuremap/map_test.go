package featuremap_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// mapCases are a spec of each map, with a rank that is that of all 50 rows.
var mapCases = map[string][]string{
	"fourier":  {"fourier:dim=10", "fourier:dim=4000"},
	"nystrom":  {"nystrom:rank=5", "nystrom:rank=50"},
	"cholesky": {"cholesky:rank=5", "cholesky:rank=50", "cholesky:rank=50,tolerance=0.5"},
}

func fit(t *testing.T, spec string, k kernel.Kernel, x matrix.Matrix, seed uint64) featuremap.Map {
	t.Helper()
	a, err := featuremap.NewApproximation(spec)
	if err != nil {
		t.Fatal(err)
	}
	m, err := a.Fit(t.Context(), k, x, seed, 2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func images(t *testing.T, m featuremap.Map, x matrix.Matrix, threads int) *matrix.Dense {
	t.Helper()
	z, err := featuremap.Images(t.Context(), m, x, threads)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// The laws of maps, for all of them: see kernel.Map. Of many features inner
// products are the kernel's values, of all rows as landmarks exactly.
func TestMapLaws(t *testing.T) {
	for _, e := range featuremap.Approximations() {
		if mapCases[e.Name] == nil {
			t.Errorf("the map %s has no row in this table", e.Name)
		}
		for _, spec := range mapCases[e.Name] {
			for name, k := range map[string]kernel.Kernel{"rbf": kernel.RBF{Gamma: 1}, "laplacian": kernel.Laplacian{Gamma: 1}} {
				t.Run(spec+" "+name, func(t *testing.T) { mapLaws(t, spec, k) })
			}
		}
	}
}

func mapLaws(t *testing.T, spec string, k kernel.Kernel) {
	x := uniform(8, 50, 3, 2)
	m := fit(t, spec, k, x, 3)
	z := images(t, m, x, 1)
	_, features := m.Dims()

	for what, other := range map[string]*matrix.Dense{"2 threads": images(t, m, x, 2), "sparse rows": images(t, m, stored(x), 2), "fitted again": images(t, fit(t, spec, k, stored(x), 3), x, 2)} {
		if !slices.Equal(other.Value, z.Value) {
			t.Errorf("%s: other images", what)
		}
	}
	a, _ := featuremap.NewApproximation(spec)
	restored, err := a.Restore(k, 3, 3, m.Landmarks())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(images(t, restored, x, 2).Value, z.Value) {
		t.Error("restored: other images")
	}
	single := make([]float32, features)
	m.Images(single, []matrix.Vector{x.Row(7)})
	if !slices.Equal(single, z.Row(7).Value) {
		t.Error("the image of a row depends on the rows beside it")
	}

	off := 0.0
	for i := range 50 {
		if own := inner(z.Row(i).Value, z.Row(i).Value); own > 1+1e-6 {
			t.Errorf("row %d: |Phi(x)|^2 = %g, k(x,x) = 1", i, own)
		}
		for j := range i {
			off = max(off, math.Abs(inner(z.Row(i).Value, z.Row(j).Value)-k.Eval(x.Row(i), x.Row(j))))
		}
	}
	switch {
	case strings.HasSuffix(spec, "rank=50") && off > 1e-5:
		t.Errorf("all rows are landmarks: inner products are off by %g", off)
	case strings.HasSuffix(spec, "dim=4000") && off > 0.15: // 1225 pairs, of a deviation up to 0.022
		t.Errorf("inner products are off by %g", off)
	case (strings.HasSuffix(spec, "=5") || strings.HasSuffix(spec, "=10")) && off < 1e-3:
		t.Errorf("inner products of few features are off by %g only", off)
	}
}

// Landmarks are taken in batches, rows that others are equal to passed over; what
// is made of them again does not depend on the batches.
func TestLandmarksInBatches(t *testing.T) {
	x := uniform(8, 400, 3, 2)
	copy(x.Value[3*200:], x.Value[:3*200])
	for _, k := range []kernel.Kernel{kernel.RBF{Gamma: 2}, kernel.Laplacian{Gamma: 1}} {
		m, err := featuremap.NewNystrom(t.Context(), k, x, 170, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		taken := map[int]bool{}
		for _, p := range m.Pivots {
			if taken[p%200] {
				t.Errorf("%T: row %d is a landmark twice", k, p%200)
			}
			taken[p%200] = true
		}
		if len(taken) < 150 {
			t.Errorf("%T: found %d landmarks", k, len(taken))
		}
		again, err := featuremap.RestoreNystrom(k, m.Landmarks())
		if err != nil {
			t.Fatal(err)
		}
		if z := images(t, m, x, 1); !slices.Equal(images(t, again, x, 2).Value, z.Value) {
			t.Errorf("%T: the restored map has other images", k)
		} else if z := inner(z.Row(m.Pivots[160]).Value, z.Row(m.Pivots[3]).Value); math.Abs(z-k.Eval(x.Row(m.Pivots[160]), x.Row(m.Pivots[3]))) > 1e-6 {
			t.Errorf("%T: the inner product of two landmarks is %g", k, z)
		}
	}
}

// Another seed draws other features; what a map cannot be is refused.
func TestApproximation(t *testing.T) {
	x, k := uniform(8, 50, 3, 2), kernel.RBF{Gamma: 1}
	for _, spec := range []string{"fourier", "nystrom:rank=9"} {
		if slices.Equal(images(t, fit(t, spec, k, x, 1), x, 1).Value, images(t, fit(t, spec, k, x, 2), x, 1).Value) {
			t.Errorf("%s: the seeds 1 and 2 draw the same", spec)
		}
	}
	for spec, want := range map[string]string{
		"fouriers": "did you mean \"fourier\"", "fourier:dim=0": "dim=0", "fourier:dim=7": "expected an even number",
		"nystrom:rank=0": "rank=0", "nystrom:rang=3": "unknown parameter", "cholesky:tolerance=1": "expected a number >= 0 and < 1",
	} {
		if _, err := featuremap.NewApproximation(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", spec, err, want)
		}
	}
	for spec, k := range map[string]kernel.Kernel{"fourier": kernel.Linear{}, "nystrom": kernel.Sigmoid{Gamma: 1}, "cholesky": kernel.Sigmoid{Gamma: 1}} {
		a, err := featuremap.NewApproximation(spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Accepts(k); err == nil {
			t.Errorf("%s accepts %T", spec, k)
		}
		if m, err := a.Fit(t.Context(), k, x, 1, 1); err == nil || m != nil {
			t.Errorf("%s: Fit of %T returned %v, %v", spec, k, m, err)
		}
	}
	for spec, landmarks := range map[string]matrix.Matrix{"fourier": x, "nystrom": nil, "cholesky:rank=49": x} {
		a, err := featuremap.NewApproximation(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Restore(k, 3, 1, landmarks); err == nil || !strings.Contains(err.Error(), "landmarks") {
			t.Errorf("%s: restored of %T: %v", spec, landmarks, err)
		}
	}
}

// What was drawn once must be drawn for ever: a model of random features holds
// the seed alone.
func TestFourierDrawsForEver(t *testing.T) {
	for _, c := range []struct {
		k    kernel.Kernel
		want string
	}{
		{kernel.RBF{Gamma: 0.5}, "[0x1.49f5e8p-01 0x1.29fae2p-02 -0x1.3f4c56p-02 -0x1.44efeap-01]"},
		{kernel.Laplacian{Gamma: 0.5}, "[0x1.67d7bcp-01 0x1.3e84eap-04 -0x1.431f3ap-01 0x1.46955ap-02]"},
	} {
		f, err := featuremap.NewFourier(c.k, 70, 2, 9)
		if err != nil {
			t.Fatal(err)
		}
		z := make([]float32, 4)
		f.Images(z, []matrix.Vector{{Index: []uint32{0, 69}, Value: []float32{1, -2}}})
		if got := fmt.Sprintf("%x", z); got != c.want {
			t.Errorf("%T: %s, want %s", c.k, got, c.want)
		}
	}
}

// A linear predictor of the images is the kernel machine with these coefficients.
func TestCoefficients(t *testing.T) {
	x, k := uniform(8, 50, 3, 2), kernel.RBF{Gamma: 1}
	m, err := featuremap.NewNystrom(t.Context(), k, x, 12, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, 12)
	for c := range w {
		w[c] = float64(c%5) - 2
	}
	a, z := m.Coefficients(w), images(t, m, x, 1)
	for i := range 50 {
		machine := 0.0
		for c, v := range a {
			machine += v * k.Eval(m.Landmarks().Row(c), x.Row(i))
		}
		if linear := z.Row(i).Dot(w); math.Abs(linear-machine) > 1e-5 {
			t.Errorf("row %d: %g of the images, %g of the landmarks", i, linear, machine)
		}
	}
}

// ending is a context that ends when it was asked so many times.
type ending struct {
	context.Context
	left atomic.Int32
}

func (e *ending) Err() error {
	if e.left.Add(-1) >= 0 {
		return nil
	}
	return context.Canceled
}

// A context ends the making of maps, and that of images, wherever they are.
func TestMapsEnd(t *testing.T) {
	x := uniform(9, 300, 2, 2)
	within := func(asked int32) *ending {
		e := &ending{Context: t.Context()}
		e.left.Store(asked)
		return e
	}
	for _, asked := range []int32{0, 1, 2} {
		if m, err := featuremap.NewNystrom(within(asked), kernel.RBF{Gamma: 9}, x, 290, 1, 1); m != nil || err != context.Canceled {
			t.Errorf("nystrom, after %d: found %v, %v", asked, m, err)
		}
		if m, _, err := featuremap.NewCholesky(within(asked), kernel.RBF{Gamma: 9}, x, 5, 0, 1); m != nil || err != context.Canceled {
			t.Errorf("cholesky, after %d: found %v, %v", asked, m, err)
		}
		if z, err := featuremap.Images(within(asked), fit(t, "fourier:dim=4", kernel.RBF{Gamma: 1}, x, 1), x, 2); z != nil || err != context.Canceled {
			t.Errorf("images, after %d: found %v, %v", asked, z, err)
		}
	}
}
