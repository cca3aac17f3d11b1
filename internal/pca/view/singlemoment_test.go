package view_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/matrix"
)

// biased are rows of which every product, and every sum of them in single precision, is
// rounded the same way, as long as rows are the same.
func biased(n, d int, scale float64) *matrix.Dense {
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		for j := range d {
			x.Value[i*d+j] = float32(scale * (1 + float64(j%3)*0x1p-12 + 0x1p-13))
		}
	}
	return x
}

// The bound on what Sigma by sums in single precision is off by holds, and is not many
// times what it can be.
func TestErrorOfSingleMoment(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 7))
	type problem struct {
		name string
		x    view.Rows
		far  bool // the error is a part of the bound that shows
	}
	var problems []problem
	for _, n := range []int{1, 255, 256, 257, 1100} {
		for _, scale := range []float64{1e-10, 1, 1e12} {
			problems = append(problems, problem{fmt.Sprintf("biased, n=%d, scale %g", n, scale), view.Rows{X: biased(n, 5, scale)}, n >= 256 && scale != 1})
		}
	}
	for i, move := range pcatest.Moves {
		for _, n := range []int{3, 700} {
			problems = append(problems, problem{fmt.Sprintf("%s, n=%d", move, n), pcatest.Tilted(rng, pcatest.Table(rng, n, 6, pcatest.Spectra[i%4]), n, 6, move), false})
		}
	}
	constant := biased(600, 4, 1e8) // huge means beside spreads, and a column that is constant
	for i := range 600 {
		constant.Value[4*i] += float32(64 * rng.NormFloat64())
		constant.Value[4*i+1] = float32(1e-20 * rng.NormFloat64())
	}
	problems = append(problems, problem{"constant columns", view.Rows{X: constant, Offset: view.ColumnMeans(constant, 1)}, false},
		problem{"constant columns, by hand", view.Rows{X: constant, Offset: []float64{1e8, 0, 1e8, -1e8}, Factor: []float64{1e-6, 1e20, 0, 1}}, false})
	for _, p := range problems {
		for name, of := range map[string]func(context.Context, view.Rows, int) (view.SingleMoment, error){"single": view.SingleSecond, "raw": view.RawSecond} {
			s, err := of(t.Context(), p.x, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !s.OK || name == "raw" && p.x.Factor != nil {
				continue
			}
			off, size := errorOf(s, p.x)
			if !(off <= s.Wrong) {
				t.Errorf("%s, %s: Sigma is off by %.3g, the bound is %.3g", p.name, name, off, s.Wrong)
			}
			if p.far && off < s.Wrong/20 {
				t.Errorf("%s, %s: Sigma is off by %.3g, expected a twentieth of the bound %.3g", p.name, name, off, s.Wrong)
			}
			t.Logf("%s, %s: off by %.2g, bound %.2g, of %.2g", p.name, name, off, s.Wrong, size)
		}
	}
}

// Of rows of small integers nothing is lost but by centring; of others, or scaled ones, no one says so.
func TestWholeMoment(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 10))
	x := &matrix.Dense{Rows: 1100, Cols: 7, Value: make([]float32, 7700)}
	for i := range x.Value {
		x.Value[i] = float32(rng.IntN(511) - 255)
	}
	rows := view.Rows{X: x, Offset: view.ColumnMeans(x, 1)}
	for name, r := range map[string]view.Rows{"dense": rows, "sparse": {X: matrix.Transpose(matrix.Transpose(x)), Offset: rows.Offset}} {
		s, err := view.RawSecond(t.Context(), r, 1)
		if err != nil || !s.Whole {
			t.Fatalf("%s: whole %v, %v", name, s.Whole, err)
		}
		if off, size := errorOf(s, r); !(off <= s.Wrong) || s.Wrong > 1e-13*size {
			t.Errorf("%s: off by %.3g, the bound is %.3g, of %.3g", name, off, s.Wrong, size)
		}
	}
	changed := func(at int, to float32) view.Rows {
		y := &matrix.Dense{Rows: x.Rows, Cols: x.Cols, Value: append([]float32{}, x.Value...)}
		y.Value[at] = to
		return view.Rows{X: y, Offset: rows.Offset}
	}
	for name, r := range map[string]view.Rows{"a half": changed(0, 0.5), "too large": changed(7699, 256), "too small": changed(3, -256), "huge": changed(5, -0x1p31),
		"scaled": {X: x, Factor: []float64{1, 1, 1, 1, 1, 1, 2}}} {
		if r.Whole(1) {
			t.Errorf("%s: said to be whole", name)
		}
	}
}

// errorOf returns the Frobenius norm of what s is off by, and that of Sigma.
func errorOf(s view.SingleMoment, x view.Rows) (off, size float64) {
	n, _ := x.Dims()
	columns := pcatest.BigRows(x).Transposed()
	exact := pcatest.TimesTransposed(columns, columns)
	count, difference := pcatest.Number(float64(n)), pcatest.Number(0)
	for i, v := range s.Value {
		v2 := pcatest.Number(0).Quo(exact.Value[i], count)
		e, _ := difference.Sub(pcatest.Number(v), v2).Float64()
		f, _ := v2.Float64()
		off, size = math.Hypot(off, e), math.Hypot(size, f)
	}
	return off, size
}

// What is shared is the moment of the rows that were shared, and of no others.
func TestSharedMoment(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 9))
	x := pcatest.Tilted(rng, pcatest.Table(rng, 40, 5, "random"), 40, 5, "means").Sharing()
	first, err := x.Single(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := x.Single(t.Context(), 1); &again.Value[0] != &first.Value[0] {
		t.Error("the moment of the same rows was formed twice")
	}
	others := map[string]view.Rows{"a part": x.Part(0, 20), "scaled": x.Shifted(3)}
	moved, subset := x, x
	moved.Offset = append([]float64{}, x.Offset...)
	subset.X = matrix.Part(x.X, 0, 39)
	others["with another offset"], others["other rows"] = moved, subset
	for name, other := range others {
		if again, _ := other.Single(t.Context(), 1); &again.Value[0] == &first.Value[0] {
			t.Errorf("rows that are %s share the moment", name)
		}
	}
}

// Eigenvectors are found once of the moment that rows share, and of no other matrix.
func TestSharedLeading(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 11))
	x := pcatest.Tilted(rng, pcatest.Table(rng, 40, 5, "random"), 40, 5, "means").Sharing()
	s, err := x.Single(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	leading := func(a []float64, k int) (values, vectors []float64) {
		return x.Leading(a, 5, 1, func([]float64) int { return k })
	}
	values, vectors := leading(s.Value, 3)
	if again, two := leading(s.Value, 2); &again[0] != &values[0] || &two[0] != &vectors[0] || len(two) != 10 {
		t.Error("eigenvectors of the same moment were found twice")
	}
	if values, vectors = leading(s.Value, 5); len(vectors) != 25 {
		t.Errorf("found %d numbers of all vectors, expected 25", len(vectors))
	}
	double, err := view.SecondMoment(t.Context(), x, 1)
	if again, _ := leading(double, 2); err != nil || &again[0] == &values[0] {
		t.Errorf("the moment in double precision shares eigenvalues of that in single, %v", err)
	}
	other := append([]float64{}, s.Value...)
	other[0] += values[0]
	if again, _ := leading(other, 2); again[0] == values[0] {
		t.Error("another matrix has the eigenvalues of what is shared")
	}
	if again, _ := x.Part(0, 20).Leading(s.Value, 5, 1, func([]float64) int { return 1 }); &again[0] == &values[0] {
		t.Error("a part of the rows shares eigenvalues")
	}
}
