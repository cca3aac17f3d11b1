package gram

import (
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Part returns the matrix of some of the rows, in that order. What is computed
// for it counts here too. It keeps rows of its own, within the limit as long as
// parts are used one after another and this matrix between them.
func (g *Gram) Part(rows []int) (*Gram, error) {
	if err := g.has(rows); err != nil {
		return nil, err
	}
	opt := g.options
	switch opt.Cache = g.grant(len(rows)); {
	case g.Filled() && g.single != nil && g.single.cheap: // computed, as where no table is
		opt.Cache, opt.Double = max(opt.Cache, DefaultCache/16), false
	case g.Filled():
		return g.View(rows, opt.Cache, opt.Threads)
	}
	result, err := gramOf(g.Kernel, matrix.Subset(g.X, rows), opt, g.counts, g.stop)
	if err == nil {
		result.parent = g
	}
	return result, err
}

// has refuses numbers of rows that there are not.
func (g *Gram) has(rows []int) error {
	for _, i := range rows {
		if i < 0 || i >= g.Len() {
			return fmt.Errorf("kernel: found the number %d of a row, expected one from 0 to %d", i, g.Len()-1)
		}
	}
	return nil
}

// InDouble returns the matrix of the same rows in double precision, with room for about so many
// rows. The values computed for it are counted in this matrix too, and StopWhen of this matrix stops it.
func (g *Gram) InDouble(rows int) *Gram {
	view := g.viewOf(nil, 8*int64(rows)*int64(g.Len()+128), g.options.Threads)
	view.keep = g.keep || g.single != nil && !g.single.cheap
	view.stop, view.double.stop = g.stop, g.stop
	view.single, view.double.stored = nil, g.double.stored
	if err := view.reserve(); err != nil {
		panic(err) // there is room for two rows
	}
	return view
}

// Single reports whether rows are in single precision.
func (g *Gram) Single() bool { return g.single != nil }

// View returns the matrix of some of the rows, in that order, of one that is filled. It keeps
// up to so many bytes of rows of its own. Unlike parts, views may be used at the same time as
// each other, each by one goroutine, and each has its own StopWhen.
func (g *Gram) View(rows []int, cache int64, threads int) (*Gram, error) {
	if !g.Filled() {
		return nil, fmt.Errorf("kernel: found a matrix that is not filled, expected one of which all values are at hand")
	}
	if len(rows) == 0 {
		return nil, errors.New("kernel: found no rows, expected at least one")
	}
	if err := g.has(rows); err != nil {
		return nil, err
	}
	return g.filledView(rows, cache, threads)
}

// ViewAll is View of all rows in their order.
func (g *Gram) ViewAll(threads int) (*Gram, error) { return g.filledView(nil, 0, threads) }

// filledView is View of rows that there are; nil: all.
func (g *Gram) filledView(rows []int, cache int64, threads int) (*Gram, error) {
	view := g.viewOf(rows, cache, threads)
	if g.double.stored != nil {
		view.setTable(g.double.stored.among(rows))
	} else {
		view.single.stored, view.single.cheap = g.single.stored.among(rows), g.single.cheap
	}
	return view, view.reserve()
}

// viewOf returns the matrix of some of the rows, nil: all, with what is known of them here. It keeps
// up to so many bytes of rows, for which there are no slots yet.
func (g *Gram) viewOf(rows []int, cache int64, threads int) *Gram {
	view := &Gram{Kernel: g.Kernel, X: g.X, SquaredNorm: g.SquaredNorm, Terms: g.Terms, Diagonal: g.Diagonal, counts: g.counts, stop: new(interruption), parent: g}
	if rows != nil {
		view.X, view.SquaredNorm, view.Diagonal, view.Terms = matrix.Subset(g.X, rows), make([]float64, len(rows)), make([]float64, len(rows)), 0
		for k, i := range rows {
			view.SquaredNorm[k], view.Diagonal[k] = g.SquaredNorm[i], g.Diagonal[i]
			view.Terms = max(view.Terms, g.X.Row(i).Nonzeros())
		}
	}
	view.options = Options{Cache: max(cache, LeastCache(view.Len())), Threads: threads, Double: true}
	view.double = newStore(inDouble, g.double.k, g.double.set.pick(rows), threads, view.stop)
	if g.single != nil {
		view.single = newStore(inSingle, g.single.k, g.single.set.pick(rows), threads, view.stop)
	}
	return view
}

// Hold returns the matrix of the same rows in double precision with all values at hand, 8 n^2
// bytes: Combine then costs no values of the kernel. Its results have the same bits as those of
// any other Gram of these rows. The values computed for it are counted in this matrix too. If StopWhen ends
// the work early, the matrix has no table and computes values on request.
func (g *Gram) Hold() *Gram {
	h := g.InDouble(g.Len())
	h.fitted = g.fitted
	h.Fill(nil)
	return h
}

// grant returns how many bytes a part of the matrix, of n rows, may keep: what is
// not in use here, and a quarter of the limit at least, which is not used here
// from the first part on.
func (g *Gram) grant(n int) int64 {
	used, row := func() int64 { return 8 * g.double.used() }, int64(g.double.stride)*8
	if g.single != nil {
		used, row = func() int64 { return 4 * g.single.used() }, int64(g.single.stride)*4
	}
	if g.granted == 0 {
		if g.granted = max(0, min(g.limit()/4, g.limit()-2*row)); g.granted > 0 {
			_ = g.reserve() // there is room for two rows: no error
		}
	}
	return max(g.limit()-used(), 2*8*int64(rowStride(n)))
}
