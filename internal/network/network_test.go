package network

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// TestSparse finds the same bits for dense rows and for sparse ones of the same numbers, in a batch and one
// by one, of scores and gradients.
func TestSparse(t *testing.T) {
	const n, d = 70, 40
	r := rand.New(rand.NewPCG(1, 1))
	dense, sparse := &matrix.Dense{Rows: n, Cols: d}, &matrix.CSR{Cols: d, Start: []int64{0}}
	rows := make([]uint32, n)
	for i := range n {
		rows[i] = uint32(i)
		for j := range d {
			v := float32(0)
			if r.IntN(3) == 0 {
				v = float32(r.NormFloat64())
				sparse.Index, sparse.Value = append(sparse.Index, uint32(j)), append(sparse.Value, v)
			}
			dense.Value = append(dense.Value, v)
		}
		sparse.Start = append(sparse.Start, int64(len(sparse.Value)))
	}
	s, err := New(d, []int{700, 7}, 3, "sigmoid")
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, s.Parameters())
	s.Draw(w, 1)
	run := func(x matrix.Matrix, threads int) (scores, g []float64) {
		p := s.NewPass(n)
		p.Take(x, rows)
		p.Run(w, threads, func(scores []float64, _, _ int) {
			for k := range scores {
				scores[k] -= 0.25
			}
		})
		g = make([]float64, len(w))
		p.AddGradient(g, threads, nil, nil)
		return p.Scores(), g
	}
	scores, g := run(dense, 1)
	others, h := run(sparse, 3)
	if !slices.Equal(scores, others) || !slices.Equal(g, h) {
		t.Error("found other bits of sparse rows than of dense ones")
	}
	alone, p := make([]float64, len(w)), s.NewPass(1) // row by row, which takes other products
	for i := range rows {
		p.Take(sparse, rows[i:i+1])
		p.Run(w, 1, func(scores []float64, _, _ int) {
			for k := range scores {
				scores[k] -= 0.25
			}
		})
		p.AddGradient(alone, 1, nil, nil)
	}
	if !slices.Equal(g, alone) {
		t.Error("found other bits of the gradient row by row")
	}
	last, memory := s.Last(w), make([]float64, 2*s.Widest())
	for i := range n {
		own := slices.Clone(last.Bias)
		for k, o := range s.Images(w, sparse.Row(i), memory) {
			for c := range own {
				own[c] += o * last.Weights[k*last.Out+c]
			}
		}
		for c, x := range own {
			if d := x - scores[i*3+c]; d > 1e-12 || d < -1e-12 {
				t.Fatalf("row %d: found the score %g alone, %g in a batch", i, x, scores[i*3+c])
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		hidden     []int
		activation string
		want       string
	}{
		{[]int{5, 0}, "", "a layer of 0 units"}, {make([]int, 17), "", "17 layers"}, {[]int{1 << 20}, "", "from 1 to 65536"},
		{[]int{5}, "rleu", `unknown activation "rleu"`},
	} {
		if err := Check(c.hidden, c.activation); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %s: found %v, expected %q", c.hidden, c.activation, err, c.want)
		}
	}
	if _, err := New(1<<20, []int{1 << 16}, 1, ""); err == nil || !strings.Contains(err.Error(), "parameters, expected at most") {
		t.Errorf("found %v, expected too many parameters", err)
	}
}
