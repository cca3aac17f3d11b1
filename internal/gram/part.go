package gram

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
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
	switch opt.Cache = g.lend(len(rows)); {
	case g.Filled() && g.single != nil && g.single.cheap: // computed, as where no table is
		opt.Cache, opt.Double = max(opt.Cache, DefaultCache/16), false
	case g.Filled():
		return g.View(rows, opt.Cache, opt.Threads)
	}
	result, err := gramOf(g.Kernel, matrix.Subset(g.X, rows), opt, g.counts, g.heed)
	if err == nil {
		result.whole = g
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
// rows. What is computed for it counts here too.
func (g *Gram) InDouble(rows int) *Gram {
	opt := g.options
	opt.Double, opt.Cache = true, 8*int64(rows)*int64(g.Len()+128)
	result, err := gramOf(g.Kernel, g.X, opt, g.counts, g.heed)
	if err != nil {
		panic(err) // there is one of these rows
	}
	if of := g.double.place; of != nil {
		result.setTable(of.table, of.columns)
	}
	return result
}

// Single reports whether rows are in single precision.
func (g *Gram) Single() bool { return g.single != nil }

// Pairs are the matrices of any two of several classes, one after another or some at a time. What a
// class has with itself is computed once for all pairs, what two have with each other when their pair
// is asked for, in memory that is used again: no value is computed twice, and few stay in memory.
// All methods may be called by several goroutines at once.
type Pairs struct {
	whole *Gram
	rows  [][]int      // of each class
	set   set[float64] // in the order of the classes
	start []int        // where each of them begins there, and the end
	own   []ownSquare

	mutex sync.Mutex
	spare []*table[float64]
	size  int // of a table
}

// ownSquare is the matrix of a class with itself.
type ownSquare struct {
	sync.Mutex
	value []float64 // nil: not computed
}

// Pairs prepares the matrices of pairs of classes, which have these rows.
func (g *Gram) Pairs(classes [][]int) *Pairs {
	p := &Pairs{whole: g, rows: classes, start: make([]int, 1, len(classes)+1), own: make([]ownSquare, len(classes))}
	all := slices.Concat(classes...)
	set := inFull(g.double.tiler, g.double.set)
	p.set = set.pick(all)
	if exchangeable(g.double.tiler) { // rows of products are best read one after another
		p.set.Matrix = matrix.Gather(set.Matrix, all)
	}
	sizes := make([]int, len(classes))
	for c, rows := range classes {
		p.start = append(p.start, p.start[c]+len(rows))
		sizes[c] = len(rows)
	}
	p.size = twoLargest(sizes)
	return p
}

// twoLargest is how many rows a pair of classes has at most.
func twoLargest(sizes []int) int {
	sizes = slices.SortedFunc(slices.Values(sizes), func(a, b int) int { return cmp.Compare(b, a) })
	return sizes[0] + sizes[min(1, len(sizes)-1)]
}

// PairsAtOnce returns the matrices of how many pairs of classes with so many rows can be in use at once
// within so many bytes, 0: [DefaultCache].
func PairsAtOnce(sizes []int, cache int64) int {
	room := int64(tableShare * float64(cmp.Or(cache, DefaultCache)))
	for _, n := range sizes {
		room -= 8 * int64(n) * int64(n)
	}
	return int(max(0, room/TableBytes(twoLargest(sizes))))
}

// Gram returns the matrix of the rows of class a followed by those of class b, with all values at hand.
// Where that is cut short (StopWhen of the whole matrix) the matrix computes its values when they are
// asked for. Once it is not used any more, Release it.
func (p *Pairs) Gram(a, b, threads int) (*Gram, error) {
	rows := append(slices.Clip(p.rows[a]), p.rows[b]...)
	t := p.table()
	if !p.fill(t, a, b, threads) {
		return p.unfilled(rows)
	}
	g := p.whole.viewOf(rows)
	return g, g.readFrom(t, inOrder[uint32](len(rows)), 0, threads)
}

// Release takes back the memory of a pair.
func (p *Pairs) Release(g *Gram) {
	if g.double.place == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.spare = append(p.spare, g.double.place.table)
	g.double = nil
}

// table returns memory for a pair.
func (p *Pairs) table() *table[float64] {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if last := len(p.spare) - 1; last >= 0 {
		t := p.spare[last]
		p.spare = p.spare[:last]
		return t
	}
	stride := rowStride(p.size)
	return &table[float64]{value: inHugePages(make([]float64, p.size*stride)), stride: stride}
}

// unfilled is the matrix of a pair that computes its values when they are asked for.
func (p *Pairs) unfilled(rows []int) (*Gram, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	g, err := p.whole.Part(rows)
	if err != nil {
		return nil, err
	}
	g.heed = new(heed) // as others are at work
	g.double.heed = g.heed
	if g.single != nil {
		g.single.heed = g.heed
	}
	return g, nil
}

// pairRows is how many rows of a class are worked on at a time.
const pairRows = 4 * side

// fill writes the matrix of a pair, and reports whether it is whole.
func (p *Pairs) fill(t *table[float64], a, b, threads int) bool {
	n, m := len(p.rows[a]), len(p.rows[b])
	all := blas.Block[float64]{Value: t.value, Rows: n + m, Cols: n + m, Stride: t.stride}
	for k, c := range [2]int{a, b} {
		if k == 0 && t.first == c+1 {
			continue // the last pair had it, too
		}
		own := p.square(c, threads)
		if own == nil {
			t.first = 0
			return false
		}
		size := len(p.rows[c])
		at := piece(all, k*n, k*n, size, size)
		for i := range size {
			copy(at.Value[i*at.Stride:][:size], own[i*size:])
		}
	}
	t.first = a + 1
	x, y := p.set.between(p.start[a], p.start[a+1]), p.set.between(p.start[b], p.start[b+1])
	values := p.whole.double.tiler
	parallel.Blocks(n, pairRows, threads, func(_, lo, hi int) {
		at := piece(all, lo, n, hi-lo, m)
		if fillRectangle(values, at, x.between(lo, hi), y); exchangeable(values) {
			blas.Transpose64(piece(all, n, lo, m, hi-lo), at)
		}
	})
	computed := int64(n) * int64(m)
	if !exchangeable(values) {
		computed *= 2
		parallel.Blocks(m, pairRows, threads, func(_, lo, hi int) { fillRectangle(values, piece(all, n+lo, 0, hi-lo, n), y.between(lo, hi), x) })
	}
	p.whole.counts.computedOf(values, computed)
	return !p.whole.Cut()
}

// square returns the matrix of a class with itself; nil: it was cut short.
func (p *Pairs) square(c, threads int) []float64 {
	own, n := &p.own[c], len(p.rows[c])
	own.Lock()
	defer own.Unlock()
	if own.value == nil {
		value := make([]float64, n*n)
		computed := fillSquare(p.whole.double.tiler, blas.Block[float64]{Value: value, Rows: n, Cols: n, Stride: n}, p.set.between(p.start[c], p.start[c+1]), threads)
		if p.whole.Cut() {
			return nil
		}
		p.whole.counts.computedOf(p.whole.double.tiler, computed)
		own.value = value
	}
	return own.value
}
