package adversary

import (
	"math"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A geometry knows the images of the rows: the rows themselves, or what a kernel
// knows of them.
type geometry interface {
	// predict returns <w,Phi(x_i)> for some rows, and about how far double
	// precision may be off for each, together with the sizes of its terms.
	predict(rows []int, w []float64) (p []number, off []float64)
	// squared returns |w|^2, and about how far double precision may be off.
	squared(w []float64) (value number, off float64)
	// combine returns |sum_i v_i Phi(x_i)|^2 for some rows.
	combine(rows []int, v []number) number
}

// doubt is the share of the sizes of its terms that a sum of doubles may be off.
const doubt = 1e-12

// linearRows are images that are rows of numbers. Where norms is set, what double
// precision may be off is bounded as the program does it, by |w||x_i|.
type linearRows struct {
	x     [][]float64
	norms bool
}

func (g linearRows) predict(rows []int, w []float64) (p []number, off []float64) {
	wide := nums(w)
	for _, i := range rows {
		p = append(p, dot(nums(g.x[i]), wide))
		size := 0.0
		for j, v := range g.x[i] {
			size += math.Abs(v * w[j])
		}
		if g.norms {
			size = max(size, norm(g.x[i])*norm(w))
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

func (g linearRows) squared(w []float64) (number, float64) {
	value := dot(nums(w), nums(w))
	return value, doubt * float(value)
}

// columns returns X^T v.
func (g linearRows) columns(rows []int, v []number) []number {
	if len(g.x) == 0 {
		return nil
	}
	u := make([]number, len(g.x[0]))
	for j := range u {
		u[j] = zero()
		for k, i := range rows {
			u[j] = add(u[j], mul(num(g.x[i][j]), v[k]))
		}
	}
	return u
}

func (g linearRows) combine(rows []int, v []number) number {
	u := g.columns(rows, v)
	return dot(u, u)
}

// kernelRows are images of which the inner products are known.
type kernelRows struct {
	k     [][]number
	norms bool                   // as those of linearRows
	error func(i, j int) float64 // of a value in double precision
}

func newKernelRows(twin kernelTwin, x [][]float64) (*kernelRows, error) {
	g := &kernelRows{k: twin.matrixOf(x), error: func(int, int) float64 { return 0 }}
	used, err := kernel.New(twin.spec())
	if err != nil || twin.has("precomputed") {
		return g, err
	}
	norms := make([]float64, len(x))
	for i, row := range x {
		norms[i] = kernel.SquaredNorm(matrix.Vector{Value: row32(row).Value})
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

func (g *kernelRows) predict(rows []int, w []float64) (p []number, off []float64) {
	wide := nums(w)
	for _, i := range rows {
		p = append(p, dot(g.k[i], wide))
		size := 0.0
		for j, b := range w {
			if b != 0 {
				value := math.Abs(float(g.k[i][j]))
				if g.norms {
					value = max(value, math.Sqrt(math.Abs(float(g.k[i][i])))*math.Sqrt(math.Abs(float(g.k[j][j]))))
				}
				size += math.Abs(b) * (doubt*value + g.error(i, j))
			}
		}
		off = append(off, size)
	}
	return p, off
}

func (g *kernelRows) squared(w []float64) (number, float64) {
	all := everyRow(len(g.k))
	p, off := g.predict(all, w)
	total := 0.0
	for i, b := range w {
		if b != 0 {
			total += math.Abs(b) * off[i]
		}
	}
	return dot(p, nums(w)), total
}

func (g *kernelRows) combine(rows []int, v []number) number {
	total := zero()
	for a, i := range rows {
		for b, j := range rows {
			total = add(total, mul(mul(v[a], v[b]), g.k[i][j]))
		}
	}
	return total
}

// everyRow numbers n rows.
func everyRow(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}
