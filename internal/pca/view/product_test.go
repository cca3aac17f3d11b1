package view_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

func TestProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, shape := range [][3]int{{1, 1, 1}, {3, 7, 2}, {40, 30, 9}, {50, 20, 20}, {300, 90, 43}, {5000, 12, 3}} {
		for _, kind := range [][3]bool{{}, {true}, {false, true}, {true, true}, {false, false, true}, {true, true, true}} {
			n, d, m := shape[0], shape[1], shape[2]
			r := pcatest.SomeRows(rng, n, d, kind[0], kind[1])
			if kind[2] {
				r.X = doubled(r.X)
			}
			x, q, p := pcatest.TableOf(r), pcatest.Normal(rng, m*d), pcatest.Normal(rng, n*m)
			times, transposed, power := make([]float64, n*m), make([]float64, m*d), make([]float64, m*d)
			for i := range n {
				for l := range m {
					for j := range d {
						times[i*m+l] += x[i*d+j] * q[l*d+j]
						transposed[l*d+j] += p[i*m+l] * x[i*d+j]
					}
				}
				for l := range m {
					for j := range d {
						power[l*d+j] += times[i*m+l] * x[i*d+j]
					}
				}
			}
			name := fmt.Sprintf("n=%d d=%d m=%d sparse=%v moved=%v double=%v", n, d, m, kind[0], kind[1], kind[2])
			for what, c := range map[string]struct {
				want []float64
				set  func(dst []float64, threads int)
			}{
				"R Q^T":              {times, func(dst []float64, threads int) { r.Times(dst, q, m, threads) }},
				"P^T R":              {transposed, func(dst []float64, threads int) { r.TransposedTimes(dst, p, m, threads) }},
				"Q R^T R":            {power, func(dst []float64, threads int) { r.Power(dst, q, m, threads) }},
				"the same, laid out": {power, func(dst []float64, threads int) { view.NewLaidOut(r, threads).Apply(dst, q, m) }},
				"the same, quickly":  {power, func(dst []float64, threads int) { r.QuickPower(dst, q, m, threads) }},
			} {
				one, two := pcatest.Normal(rng, len(c.want)), pcatest.Normal(rng, len(c.want))
				c.set(one, 1)
				c.set(two, 2)
				if !slices.Equal(one, two) {
					t.Errorf("%s: %s: other bits on two threads", name, what)
				}
				size := 1.0
				for _, w := range c.want {
					size = max(size, math.Abs(w))
				}
				if off := pcatest.LargestDifference(one, c.want); !(off <= 1e-12*size) {
					t.Errorf("%s: %s: off by %g of %g", name, what, off, size)
				}
			}
		}
	}
}

// doubled has rows of double precision that those of x are the rounded ones of.
func doubled(x matrix.Matrix) matrix.Matrix {
	m := &matrix.Double{Matrix: x}
	rows, _ := x.Dims()
	for i := range rows {
		for k, v := range x.Row(i).Value {
			m.Value = append(m.Value, float64(v)*(1+0x1p-26*float64(k%3)))
		}
	}
	return m
}

// Of rows of double precision there are no sums in single precision, and their sizes are those of their numbers.
func TestDoubleSizes(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		r := pcatest.SomeRows(rand.New(rand.NewPCG(3, 4)), 60, 9, sparse, true)
		r.X = doubled(r.X)
		if s, err := r.Single(t.Context(), 1); err != nil || s.OK {
			t.Errorf("sparse %v: found a moment in single precision, %v", sparse, err)
		}
		want := 0.0
		for _, v := range pcatest.TableOf(r) {
			want += v * v / 60
		}
		if got, _ := r.Sizes(1); math.Abs(got-want) > 1e-13*want {
			t.Errorf("sparse %v: found the mean square %.17g, expected %.17g", sparse, got, want)
		}
		base, all := r.OffsetSquare(), 0.0
		for i := range 60 {
			stored, _ := r.StoredSquares(i)
			all += (base + stored) / 60
		}
		if sparse && math.Abs(all-want) > 1e-12*want {
			t.Errorf("found the mean square %.17g by what is stored, expected %.17g", all, want)
		}
	}
}

// Sparse rows have the same products wherever they are stored, and laid out or not.
func TestLaidOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	const n, d = 5000, 30
	r := pcatest.SomeRows(rng, n, d, true, true)
	some := r
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	some.X = matrix.Subset(r.X, order)
	for _, m := range []int{1, 8, 11, 43} {
		q := pcatest.Normal(rng, m*d)
		y, image := make([]float64, n*m), make([]float64, m*d)
		r.Times(y, q, m, 1)
		r.TransposedTimes(image, y, m, 1)
		for name, x := range map[string]view.Rows{"CSR": r, "a subset": some} {
			l := view.NewLaidOut(x, 2)
			for range 2 {
				y2, image2, power := pcatest.Normal(rng, n*m), pcatest.Normal(rng, m*d), pcatest.Normal(rng, m*d)
				l.Both(y2, image2, q, m)
				l.Apply(power, q, m)
				if !slices.Equal(y, y2) || !slices.Equal(image, image2) || !slices.Equal(image, power) {
					t.Errorf("m=%d, %s: other bits than of rows that are not laid out", m, name)
				}
			}
		}
	}
}

// Rows in single precision are those in double, rounded.
func TestFormed(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, kind := range [][2]bool{{}, {true}, {false, true}, {true, true}} {
		r := pcatest.SomeRows(rng, 70, 9, kind[0], kind[1])
		double, single := new(view.Formed[float64]).Form(r, 3, 70, 2), new(view.Formed[float32]).Form(r, 3, 70, 2)
		for i, v := range double.Value {
			if single.Value[i] != float32(v) {
				t.Fatalf("sparse=%v moved=%v: found %g, expected %g rounded", kind[0], kind[1], single.Value[i], v)
			}
		}
	}
}
