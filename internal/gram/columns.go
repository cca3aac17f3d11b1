package gram

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Columns computes columns of the matrix of a kernel on prepared rows, one at a time and in
// double precision. None is kept.
type Columns struct {
	Diagonal []float64 // K_ii

	tiler   *tiler[float64]
	rows    set[float64]
	threads int
}

// NewColumns computes the diagonal.
func NewColumns(k kernel.Kernel, x matrix.Matrix, threads int) *Columns {
	n, _ := x.Dims()
	c := &Columns{tiler: newTiler(inDouble, k), threads: threads, Diagonal: make([]float64, n)}
	norm := make([]float64, n)
	parallel.Blocks(n, blockRows, threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := x.Row(i)
			norm[i], c.Diagonal[i] = kernel.Norm(k, row), k.Eval(row, row)
		}
	})
	if c.rows = newSet[float64](k, x, norm, threads); c.tiler.inner != nil {
		c.rows.Matrix = sparse(x)
	}
	return c
}

// Each calls use with the values of column j for the rows from lo on, for ranges that cover
// all rows; several goroutines do so for different ranges.
func (c *Columns) Each(j int, use func(values []float64, lo int)) {
	c.tiler.tiles(c.rows.pick([]int{j}), c.rows, c.threads, func(values [][]float64, _, lo, hi int) {
		use(values[0][:hi-lo], lo)
	})
}
