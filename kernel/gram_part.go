package kernel

import "github.com/fenchel-ml/fenchel/matrix"

// Part returns the matrix of some of the rows, in that order. What is computed
// for it counts here too. It keeps rows of its own, within the limit as long as
// parts are used one after another and this matrix between them.
func (g *Gram) Part(rows []int) (*Gram, error) {
	x := part{g.X, rows}
	if p, ok := g.X.(part); ok { // not a part of a part: rows are asked for often
		x = part{p.Matrix, make([]int, len(rows))}
		for k, i := range rows {
			x.rows[k] = p.rows[i]
		}
	}
	opt := g.options
	opt.Cache = g.lend(len(rows))
	result, err := gramOf(g.Kernel, x, opt)
	if err != nil {
		return nil, err
	}
	result.counts = g.counts
	return result, nil
}

// part is some of the rows of a matrix.
type part struct {
	matrix.Matrix
	rows []int
}

func (p part) Dims() (rows, cols int) {
	_, cols = p.Matrix.Dims()
	return len(p.rows), cols
}

func (p part) Row(i int) matrix.Vector { return p.Matrix.Row(p.rows[i]) }

// Single reports whether rows are in single precision.
func (g *Gram) Single() bool { return g.single != nil }
