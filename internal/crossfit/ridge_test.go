package crossfit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// refit is the slow twin: without row i, scaled by package scaling, the normal equations of weights and bias by elimination.
func refit(t *testing.T, r *Ridge, i int) (w []float64, b float64) {
	t.Helper()
	n, d := r.X.Dims()
	rows, y := []int{}, []float64{}
	for k := range n {
		if k != i {
			rows, y = append(rows, k), append(y, r.Y[k])
		}
	}
	others := matrix.Subset(r.X, rows)
	offset, factor := make([]float64, d), make([]float64, d)
	for j := range factor {
		factor[j] = 1
	}
	if r.Scaled {
		s, err := scaling.New("std", &set.Set{X: others, Target: set.Target{Number: y}})
		if err != nil {
			t.Fatal(err)
		}
		offset, factor = s.Offset, s.Factor
		for j, is := range r.Indicator {
			if is {
				offset[j], factor[j] = 0, 1
			}
		}
	}
	size, total := d+1, float64(n-1)
	a := make([][]float64, size) // the last column is what the equations are equal to
	for j := range a {
		a[j] = make([]float64, size+1)
	}
	for k := range rows {
		z := make([]float64, size)
		others.Row(k).AddTo(z[:d], 1)
		for j := range d {
			z[j] = (z[j] - offset[j]) * factor[j]
		}
		if z[d] = r.Value; r.Bias == problem.None {
			z[d] = 0
		}
		for j := range z {
			for l := range z {
				a[j][l] += z[j] * z[l]
			}
			a[j][size] += z[j] * y[k]
		}
	}
	for j := range a {
		if j < d || r.Bias != problem.Free {
			a[j][j] += total * r.Lambda
		}
	}
	v := eliminate(a)
	for j := range d {
		v[j] *= factor[j]
		b -= v[j] * offset[j]
	}
	return v[:d], b + v[d]*r.Value
}

// eliminate solves linear equations by Gauss's elimination with pivots.
func eliminate(a [][]float64) []float64 {
	n := len(a)
	for j := range n {
		for l := j + 1; l < n; l++ {
			if math.Abs(a[l][j]) > math.Abs(a[j][j]) {
				a[j], a[l] = a[l], a[j]
			}
		}
		for l := range n {
			if f := a[l][j] / a[j][j]; l != j {
				for k := j; k <= n; k++ {
					a[l][k] -= f * a[j][k]
				}
			}
		}
	}
	x := make([]float64, n)
	for j := range x {
		x[j] = a[j][n] / a[j][j]
	}
	return x
}

// TestRidgeIsRefits: each model is that of the other rows, scaled by their own deviations. One column is constant, one is constant but for a row, one has
// nearly all of its variance from one. Some are indicators, which are not scaled.
func TestRidgeIsRefits(t *testing.T) {
	const n, d = 24, 5
	for trial := range 60 {
		r := rand.New(rand.NewPCG(uint64(trial), 4))
		x, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}, make([]float64, n)
		for i := range n {
			row := x.Value[i*d : i*d+d]
			for j := range row {
				row[j] = float32(r.NormFloat64()*math.Exp(r.NormFloat64()) + 3)
			}
			y[i] = 10 + float64(row[0]) - 2*float64(row[1]) + r.NormFloat64()
			row[2], row[3] = 7, 0
		}
		x.Value[3*d+3], x.Value[5*d+4] = 2, 1e5
		ridge := &Ridge{X: x, Y: y, Lambda: math.Exp(2 * r.NormFloat64()), Bias: problem.Bias(trial % 3), Value: []float64{1, 0.5}[trial%2], Scaled: trial/3%2 == 0}
		if trial%4 == 1 {
			ridge.Indicator = []bool{false, true, true, true, false}
		}
		if ridge.Centred = ridge.Scaled; trial%5 == 0 {
			sparse := &matrix.CSR{}
			for i := range n {
				var index []uint32
				var value []float32
				for j, v := range x.Row(i).Value {
					if v != 0 && (i+j)%3 > 0 {
						index, value = append(index, uint32(j)), append(value, v)
					}
				}
				sparse.Append(index, value)
			}
			ridge.X, ridge.Centred = sparse, false
		}
		name := fmt.Sprintf("trial %d, bias %v, scaled %t, sparse %t", trial, ridge.Bias, ridge.Scaled, trial%5 == 0)
		out := ridge.LeaveOneOut(2)
		for i := range n {
			w, b := refit(t, ridge, i)
			off, own := math.Abs(out.Bias[i]-b)/(1+math.Abs(b)), b
			for j := range w {
				off = max(off, math.Abs(out.Weights[i][j]-w[j])/(1+math.Abs(w[j])))
			}
			own += ridge.X.Row(i).Dot(w)
			if off > 1e-9 || math.Abs(out.Prediction[i]-own) > 1e-9*(1+math.Abs(own)) {
				t.Fatalf("%s: without row %d found %g and %g, predicted %g, expected %g and %g, %g", name, i, out.Weights[i], out.Bias[i], out.Prediction[i], w, b, own)
			}
		}
	}
}

// TestRidgeOnCores: on one core and many, the same bits.
func TestRidgeOnCores(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	x, y := &matrix.Dense{Rows: 200, Cols: 9, Value: make([]float32, 1800)}, make([]float64, 200)
	for k := range x.Value {
		x.Value[k], y[k/9] = float32(r.NormFloat64()), r.NormFloat64()
	}
	ridge := &Ridge{X: x, Y: y, Lambda: 0.01, Scaled: true, Centred: true, Value: 1}
	if one, four := fmt.Sprint(*ridge.LeaveOneOut(1)), fmt.Sprint(*ridge.LeaveOneOut(4)); one != four {
		t.Error("found other numbers on four cores than on one")
	}
}
