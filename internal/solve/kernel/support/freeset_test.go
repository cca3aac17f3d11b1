package support

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// After rows have come and gone the places are those of the rows, and what Solve returns solves the equations;
// of a row that the set determines, the direction meets no curvature and keeps the sum.
func TestFreeSet(t *testing.T) {
	const n = 30
	for _, bias := range []bool{true, false} {
		r := rand.New(rand.NewPCG(5, 7))
		x := &matrix.Dense{Rows: n, Cols: 8, Value: make([]float32, 8*n)}
		for k := range x.Value {
			x.Value[k] = float32(r.NormFloat64())
		}
		g, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Threads: 1, Double: true})
		if err != nil {
			t.Fatal(err)
		}
		shift := map[bool]float64{true: 2, false: 0}[bias]
		s := NewFreeSet(g, n, shift, bias)
		for step := range 400 {
			if i := r.IntN(n); s.Place[i] >= 0 {
				if row := s.Remove(s.Place[i]); row != i {
					t.Fatalf("bias %t, step %d: removed row %d, expected %d", bias, step, row, i)
				}
			} else if d, ok := s.Add(i); !ok {
				checkDetermined(t, g, &s, i, d, bias)
			}
			for i, place := range s.Place {
				if want := slices.Index(s.Rows, i); place != want {
					t.Fatalf("bias %t, step %d: row %d is at %d, expected %d", bias, step, i, place, want)
				}
			}
			right := make([]float64, len(s.Rows))
			for k := range right {
				right[k] = r.NormFloat64()
			}
			if len(right) == 0 {
				continue
			}
			d, b := s.Solve(right, 0.5)
			for k, i := range s.Rows {
				got := b
				for l, j := range s.Rows {
					got += d[l] * g.At(i, j)
				}
				if math.Abs(got-right[k]) > 1e-6*(1+largest(d)) {
					t.Fatalf("bias %t, step %d: equation %d: found %g, expected %g", bias, step, k, got, right[k])
				}
			}
			if bias && math.Abs(vec.Total(d)-0.5) > 1e-6*(1+largest(d)) {
				t.Fatalf("step %d: found the sum %g, expected 0.5", step, vec.Total(d))
			}
		}
		if s.Clear(); len(s.Rows) > 0 || slices.Max(s.Place) >= 0 {
			t.Errorf("bias %t: rows are left in a set that was cleared", bias)
		}
	}
}

// checkDetermined checks the direction in which row i moves by 1 and the set against d.
func checkDetermined(t *testing.T, g *gram.Gram, s *FreeSet, i int, d []float64, bias bool) {
	move := map[int]float64{i: 1}
	for k, j := range s.Rows {
		move[j] = -d[k]
	}
	curvature, sum := 0.0, 0.0
	for a, x := range move {
		sum += x
		for b, y := range move {
			curvature += x * y * g.At(a, b)
		}
	}
	if math.Abs(curvature) > 1e-5*(1+largest(d)) || bias && math.Abs(sum) > 1e-6*(1+largest(d)) {
		t.Errorf("bias %t: a row of %d: curvature %g, sum %g, expected none", bias, len(s.Rows), curvature, sum)
	}
}

func largest(v []float64) (most float64) {
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}
