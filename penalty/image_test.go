package penalty_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/penalty"
)

// TestImageDomain: no set of pixels proves more than the scale that is returned, and where u is a multiple of one of the
// generators of the domain the scale is that of it, for images of several shapes (L33).
func TestImageDomain(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 1))
	for range 300 {
		p := penalty.Image{Rows: 1 + r.IntN(6), Columns: 1 + r.IntN(6), L1: math.Pow(10, 3*r.Float64()-2)}
		n := p.Rows * p.Columns
		u := make([]float64, n)
		for j := range u {
			u[j] = 2 * r.NormFloat64()
		}
		scale, value := p.Conjugate(u)
		if value != 0 || !(scale > 0 && scale <= 1) {
			t.Fatalf("%+v: scale %v, value %v", p, scale, value)
		}
		for range 200 { // sets grow around a pixel
			set := make([]float64, n)
			for j := range set {
				if r.IntN(3) > 0 {
					set[j] = 1
				}
			}
			inner := 0.0
			for j, v := range set {
				inner += scale * u[j] * v
			}
			if most := p.Value(set); math.Abs(inner) > most*(1+1e-12) {
				t.Fatalf("%+v, u=%v: the scale %v leaves a set outside: %v of %v", p, u, scale, inner, most)
			}
		}
	}
	p := penalty.Image{Rows: 3, Columns: 4, L1: 0.5}
	for _, pixels := range [][]int{{0}, {5}, {0, 1, 4, 5}, {4, 5, 6, 7}} { // rectangles, of which the sum is as large as may be
		set := make([]float64, 12)
		for _, j := range pixels {
			set[j] = 1
		}
		u := make([]float64, 12)
		share := 3 * p.Value(set) / float64(len(pixels))
		for _, j := range pixels {
			u[j] = share
		}
		if scale, _ := p.Conjugate(u); scale > 1./3+1e-12 {
			t.Errorf("pixels %v: scale %v, expected at most 1/3", pixels, scale)
		}
	}
}

// TestImageOfOneRowIsFused: a row of pixels is the fused penalty, by another algorithm.
func TestImageOfOneRowIsFused(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 2))
	for trial := range 100 {
		n := 1 + r.IntN(30)
		fused := penalty.Fused{L1: 0.3}
		image := penalty.Image{Rows: 1, Columns: n, L1: 0.3}
		if trial%2 == 1 {
			image.Rows, image.Columns = n, 1
		}
		v, x, y := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range v {
			v[j] = 3 * r.NormFloat64()
		}
		fused.Prox(x, v, 0.7)
		image.Prox(y, v, 0.7)
		for j := range x {
			if math.Abs(x[j]-y[j]) > 1e-9 {
				t.Fatalf("proximal point %v, expected %v", y, x)
			}
		}
		want, _ := fused.Conjugate(v)
		if found, _ := image.Conjugate(v); found > want*(1+1e-10) || found < want*(1-1e-4) || image.Value(v) != fused.Value(v) {
			t.Fatalf("scale %v and value %v, expected %v and %v", found, image.Value(v), want, fused.Value(v))
		}
	}
}

// TestOverlapIsGroupWithoutOverlap: groups that do not overlap are those of the penalty group; with overlap the
// proximal point is no better anywhere near (L33).
func TestOverlapIsGroupWithoutOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 3))
	for range 100 {
		n := 2 + r.IntN(20)
		v, x, y := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range v {
			v[j] = 2 * r.NormFloat64()
		}
		group, overlap := penalty.Group{Size: 3}, penalty.Overlap{Size: 3, Stride: 3}
		group.Prox(x, v, 0.4)
		overlap.Prox(y, v, 0.4)
		for j := range x {
			if math.Abs(x[j]-y[j]) > 1e-12 {
				t.Fatalf("proximal point %v, expected %v", y, x)
			}
		}
		if overlap.Stride = 2; overlap.Value(v) < group.Value(v)/2 {
			t.Fatalf("value %v of overlapping groups", overlap.Value(v))
		}
	}
}
