package gram_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// square makes a matrix with ones on its diagonal and some elements off it.
func square(n int, elements map[[2]int]float32) *matrix.Dense {
	x := &matrix.Dense{Rows: n, Cols: n, Value: make([]float32, n*n)}
	for i := range n {
		x.Value[i*n+i] = 1
	}
	for at, v := range elements {
		x.Value[at[0]*n+at[1]], x.Value[at[1]*n+at[0]] = v, v
	}
	return x
}

// The automatic shift is none where the matrix is proved without, small where
// roundings are to blame, and none, with a doubt, where the matrix is another one.
func TestAutomaticShift(t *testing.T) {
	rbf := kernel.RBF{Gamma: 0.01}
	x, smooth := kerneltest.Histograms(200, 2, true), &matrix.Dense{Rows: 200, Cols: 200}
	for i := range 200 {
		for j := range 200 {
			smooth.Value = append(smooth.Value, float32(rbf.Eval(x.Row(i), x.Row(j))))
		}
	}
	for name, c := range map[string]struct {
		x        *matrix.Dense
		from, to float64
		doubt    string
	}{
		"identity":         {square(100, nil), 0, 0, ""},
		"one rounding":     {square(10, map[[2]int]float32{{0, 1}: 1.00000048}), 4.7e-7, 4e-6, ""},
		"equal rows":       {square(10, map[[2]int]float32{{0, 1}: 1}), 1e-16, 1e-12, ""},
		"single precision": {smooth, 1e-9, 1e-4, ""},
		"another matrix":   {square(1000, map[[2]int]float32{{1, 3}: 5}), 0, 0, "its smallest eigenvalue is about -4, and the mean of its diagonal 1; precomputed:shift=8 would add"},
		"four digits off":  {square(10, map[[2]int]float32{{0, 1}: 1.001}), 0, 0, "precomputed:shift=0.00391 would"},
		"zeros":            {&matrix.Dense{Rows: 3, Cols: 3, Value: make([]float32, 9)}, 0, 0, "not proved positive semidefinite"},
	} {
		g, err := gram.NewGram(kernel.Precomputed{Auto: true}, c.x, gram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s := g.Shift(); s < c.from || s > c.to {
			t.Errorf("%s: the shift is %g, expected %g to %g", name, s, c.from, c.to)
		}
		if doubt := g.Doubt(); (doubt == nil) != (c.doubt == "") || doubt != nil && !strings.Contains(doubt.Error(), c.doubt) {
			t.Errorf("%s: doubt %v, expected %q", name, doubt, c.doubt)
		}
		if got, want := g.Diagonal[0], float64(c.x.Value[0])+g.Shift(); got != want {
			t.Errorf("%s: the diagonal is %g, expected %g", name, got, want)
		}
		if again, err := gram.NewGram(kernel.Precomputed{Shift: g.Shift()}, c.x, gram.Options{}); err != nil || again.Definite() != g.Definite() {
			t.Errorf("%s: the shift as a number: proved %v, automatic %v (%v)", name, again.Definite(), g.Definite(), err)
		}
	}
}

// Sums, products and parts of a proved matrix are proved, those of
// another one are not.
func TestProofOfCombinations(t *testing.T) {
	good := square(20, map[[2]int]float32{{0, 1}: 1})
	bad := square(20, map[[2]int]float32{{0, 1}: 1.5})
	for spec, auto := range map[string]bool{
		"precomputed:shift=auto": true, "precomputed": false,
		"precomputed:shift=auto + 0.5*rbf:gamma=1": true, "precomputed + 0.5*rbf:gamma=1": false,
		"rbf:gamma=1 * precomputed:shift=auto": true,
		"precomputed:shift=0.6":                true, "precomputed:shift=0.4": true,
	} {
		for _, x := range []*matrix.Dense{good, bad} {
			k, err := kernel.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			g, err := gram.NewGram(k, x, gram.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := auto && (x == good || spec == "precomputed:shift=0.6")
			if g.Definite() != want {
				t.Errorf("%s: proved %v, expected %v (%v)", spec, g.Definite(), want, g.Doubt())
			}
			for _, rows := range [][]int{{0, 1, 5}, {2, 3}} {
				part, err := g.Part(rows)
				if err != nil {
					t.Fatal(err)
				}
				if want := want || rows[0] == 2 && !math.IsNaN(part.Diagonal[0]); part.Definite() != want {
					t.Errorf("%s, rows %v: proved %v, expected %v", spec, rows, part.Definite(), want)
				}
			}
		}
	}
}

// Rows to be compared are none of the matrix: their values have no shift.
func TestShiftIsOfTrainingRows(t *testing.T) {
	x := square(3, nil)
	k := kernel.Precomputed{Shift: 0.25}
	g, err := gram.NewGram(k, x, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := kernel.Prepare(k, x, 4)
	if err != nil {
		t.Fatal(err)
	}
	if own, compared := k.Eval(g.X.Row(0), g.X.Row(0)), k.Eval(rows.Row(0), g.X.Row(0)); own != 1.25 || compared != 1 {
		t.Errorf("found %g and %g, expected 1.25 and 1", own, compared)
	}
	for _, spec := range []string{"precomputed:shift=-1", "precomputed:shift=aut", "precomputed:shift=1e39"} {
		if _, err := kernel.New(spec); err == nil || !strings.Contains(err.Error(), "expected auto, or a number >= 0") {
			t.Errorf("%s: error %v", spec, err)
		}
	}
}
