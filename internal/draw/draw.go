// Package draw makes small problems for the tests of solvers for linear predictors: random rows,
// targets of a linear rule with noise, every loss with every bias and elastic penalty.
package draw

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Rows draws n rows of d features, of which a share is not zero. Row 1 is
// empty, row 3 is row 2 again, and the last feature is always zero.
func Rows(r *rand.Rand, n, d int, share float64) [][]float32 {
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, d)
		for j := range d - 1 {
			if r.Float64() < share {
				rows[i][j] = float32(r.NormFloat64())
			}
		}
	}
	if n > 3 {
		clear(rows[1])
		copy(rows[3], rows[2])
	}
	return rows
}

// Targets follow a linear rule with noise; classes when the loss asks for them.
func Targets(r *rand.Rand, rows [][]float32, l loss.Loss) []float64 {
	y := make([]float64, len(rows))
	for i, x := range rows {
		y[i] = 0.7 + 0.6*r.NormFloat64()
		for j, v := range x {
			y[i] += float64(v) / float64(j+1)
		}
		if _, ok := l.(loss.Margin); ok {
			y[i] = math.Copysign(1, y[i]-0.5)
		}
		if least, _ := loss.Targets(l); least == 0 {
			y[i] = math.Abs(y[i])
		}
	}
	return y
}

// Stored returns the matrix of some rows.
func Stored(rows [][]float32, sparse bool) matrix.Matrix {
	dense := must(matrix.NewDense(len(rows), len(rows[0]), slices.Concat(rows...)))
	if sparse {
		return matrix.Transpose(matrix.Transpose(dense))
	}
	return dense
}

// Problem makes one of n rows of weight 1 and 2, with lambda = 0.05.
func Problem(l loss.Loss, p string, bias problem.Bias, n, d int, sparse bool) *problem.Linear {
	r := rand.New(rand.NewPCG(30, uint64(n)))
	share := 1.0
	if sparse {
		share = 0.4
	}
	rows := Rows(r, n, d, share)
	s := make([]float64, n)
	for i := range s {
		s[i] = 1 + float64(i%2)
	}
	return must(problem.NewLinear(problem.NewRows(Stored(rows, sparse), 1), Targets(r, rows, l), s, l, must(penalty.New(p)), 0.05, bias))
}

// Doubled returns the problem with rows of double precision, of which those of p are the rounded ones.
func Doubled(p *problem.Linear) *problem.Linear {
	r, m := rand.New(rand.NewPCG(31, 0)), &matrix.Double{Matrix: p.X}
	n, _ := p.Dims()
	for i := range n {
		for _, v := range p.X.Row(i).Value {
			m.Value = append(m.Value, float64(v)*(1+0x1p-25*r.Float64()))
		}
	}
	return must(problem.NewLinear(problem.NewRows(m, 1), p.Y, p.S, p.Loss, p.Penalty, p.Lambda, p.Bias))
}

// Each calls do for every loss, bias and elastic penalty. Penalties of other forms are left to
// conform.TestUndeclared, which checks that solvers take or refuse them.
func Each(t *testing.T, do func(t *testing.T, l loss.Loss, p string, bias problem.Bias)) {
	t.Helper()
	for _, l := range loss.Entries() {
		for _, p := range penalty.Entries() {
			if _, _, ok := penalty.Coefficients(must(penalty.New(p.Name))); !ok {
				continue
			}
			for _, b := range problem.BiasNames() {
				t.Run(l.Name+"/"+p.Name+"/"+b, func(t *testing.T) {
					do(t, must(loss.New(l.Name)), p.Name, must(problem.ParseBias(b)))
				})
			}
		}
	}
}
