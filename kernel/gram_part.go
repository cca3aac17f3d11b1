package kernel

import "github.com/fenchel-ml/fenchel/matrix"

// Part returns the matrix of some of the rows, in that order. What is computed
// for it counts here too. It keeps rows of its own, within the limit as long as
// parts are used one after another and this matrix between them.
func (g *Gram) Part(rows []int) (*Gram, error) {
	opt := g.options
	opt.Cache = g.lend(len(rows))
	result, err := gramOf(g.Kernel, matrix.Subset(g.X, rows), opt, g.counts, g.heed)
	if err != nil {
		return nil, err
	}
	result.whole = g
	return result, nil
}

// Single reports whether rows are in single precision.
func (g *Gram) Single() bool { return g.single != nil }
