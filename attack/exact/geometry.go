package exact

import (
	"math"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Geometry knows the images of the rows: the rows themselves, or what a kernel
// knows of them.
type Geometry interface {
	// Predict returns <w,Phi(x_i)> for some rows, and about how far double
	// precision may be off for each, together with the sizes of its terms.
	Predict(rows []int, w []float64) (p []Number, off []float64)
	// squared returns |w|^2, and about how far double precision may be off.
	squared(w []float64) (value Number, off float64)
	// Combine returns |sum_i v_i Phi(x_i)|^2 for some rows.
	Combine(rows []int, v []Number) Number
}

// doubt is the share of the sizes of its terms that a sum of doubles may be off.
const doubt = 1e-12

// LinearRows are images that are rows of numbers. Where norms is set, what double
// precision may be off is bounded as the program does it, by |w||x_i|.
type LinearRows struct {
	X     [][]float64
	Norms bool
}

func (g LinearRows) Predict(rows []int, w []float64) (p []Number, off []float64) {
	wide := Nums(w)
	for _, i := range rows {
		p = append(p, dot(Nums(g.X[i]), wide))
		size := 0.0
		for j, v := range g.X[i] {
			size += math.Abs(v * w[j])
		}
		if g.Norms {
			size = max(size, norm(g.X[i])*norm(w))
		}
		off = append(off, doubt*size)
	}
	return p, off
}

func norm(x []float64) float64 {
	squares := 0.0
	for _, v := range x {
		squares += v * v
	}
	return math.Sqrt(squares)
}

func (g LinearRows) squared(w []float64) (Number, float64) {
	value := dot(Nums(w), Nums(w))
	return value, doubt * Float(value)
}

// columns returns X^T v.
func (g LinearRows) columns(rows []int, v []Number) []Number {
	if len(g.X) == 0 {
		return nil
	}
	u := make([]Number, len(g.X[0]))
	for j := range u {
		u[j] = Zero()
		for k, i := range rows {
			u[j] = Add(u[j], Mul(Num(g.X[i][j]), v[k]))
		}
	}
	return u
}

func (g LinearRows) Combine(rows []int, v []Number) Number {
	u := g.columns(rows, v)
	return dot(u, u)
}

// KernelRows are images of which the inner products are known.
type KernelRows struct {
	K     [][]Number
	Norms bool                   // as those of linearRows
	error func(i, j int) float64 // of a value in double precision
}

func NewKernelRows(twin KernelTwin, x [][]float64) (*KernelRows, error) {
	g := &KernelRows{K: twin.matrixOf(x), error: func(int, int) float64 { return 0 }}
	used, err := kernel.New(twin.Spec())
	if err != nil || twin.Has("precomputed") {
		return g, err
	}
	norms := make([]float64, len(x))
	for i, row := range x {
		norms[i] = kernel.SquaredNorm(matrix.Vector{Value: Row32(row).Value})
	}
	g.error = func(i, j int) float64 {
		terms := 0
		if len(x) > 0 {
			terms = len(x[0])
		}
		return used.Error(terms, norms[i], norms[j])
	}
	return g, nil
}

func (g *KernelRows) Predict(rows []int, w []float64) (p []Number, off []float64) {
	wide := Nums(w)
	for _, i := range rows {
		p = append(p, dot(g.K[i], wide))
		size := 0.0
		for j, b := range w {
			if b != 0 {
				value := math.Abs(Float(g.K[i][j]))
				if g.Norms {
					value = max(value, math.Sqrt(math.Abs(Float(g.K[i][i])))*math.Sqrt(math.Abs(Float(g.K[j][j]))))
				}
				size += math.Abs(b) * (doubt*value + g.error(i, j))
			}
		}
		off = append(off, size)
	}
	return p, off
}

func (g *KernelRows) squared(w []float64) (Number, float64) {
	all := EveryRow(len(g.K))
	p, off := g.Predict(all, w)
	total := 0.0
	for i, b := range w {
		if b != 0 {
			total += math.Abs(b) * off[i]
		}
	}
	return dot(p, Nums(w)), total
}

func (g *KernelRows) Combine(rows []int, v []Number) Number {
	total := Zero()
	for a, i := range rows {
		for b, j := range rows {
			total = Add(total, Mul(Mul(v[a], v[b]), g.K[i][j]))
		}
	}
	return total
}

// EveryRow numbers n rows.
func EveryRow(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
