package kernel

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Part returns the matrix of some of the rows, in that order. What is computed
// for it counts here too. It keeps rows of its own, within the limit as long as
// parts are used one after another and this matrix between them.
func (g *Gram) Part(rows []int) (*Gram, error) {
	for _, i := range rows {
		if i < 0 || i >= g.Len() {
			return nil, fmt.Errorf("kernel: found the number %d of a row, expected one from 0 to %d", i, g.Len()-1)
		}
	}
	opt := g.options
	if opt.Cache = g.lend(len(rows)); g.Filled() {
		return g.View(rows, opt.Cache, opt.Threads)
	}
	result, err := gramOf(g.Kernel, matrix.Subset(g.X, rows), opt, g.counts, g.heed)
	if err != nil {
		return nil, err
	}
	result.whole = g
	return result, nil
}

// InDouble returns the matrix of the same rows in double precision, with room for about so many
// rows. What is computed for it counts here too.
func (g *Gram) InDouble(rows int) *Gram {
	opt := g.options
	opt.Double, opt.Cache = true, 8*int64(rows)*int64(g.Len()+128)
	result, err := gramOf(g.Kernel, g.X, opt, g.counts, g.heed)
	if err != nil {
		panic(err) // there is one of these rows
	}
	if g.Filled() {
		result.setTable(g.place.table, g.place.columns)
	}
	return result
}

// Single reports whether rows are in single precision.
func (g *Gram) Single() bool { return g.single != nil }
