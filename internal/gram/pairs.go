package gram

import (
	"cmp"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Pairs are the matrices of any two of several classes, one after another or some at a time. What a
// class has with itself is computed once for all pairs, what two have with each other when their pair
// is asked for, in memory that is used again: no value is computed twice, and few stay in memory.
// All methods may be called by several goroutines at once.
type Pairs struct {
	parent  *Gram
	rows    [][]int      // of each class
	set     set[float64] // in the order of the classes
	start   []int        // where each of them begins there, and the end
	squares []classSquare

	parts sync.Mutex // held while one is made
	spare sync.Pool  // tables that are not in use
	size  int        // of a table
}

// classSquare is the matrix of a class with itself.
type classSquare struct {
	sync.Mutex
	value []float64 // nil: not computed
}

// Pairs prepares the matrices of pairs of classes, which have these rows.
func (g *Gram) Pairs(classes [][]int) *Pairs {
	p := &Pairs{parent: g, rows: classes, start: make([]int, 1, len(classes)+1), squares: make([]classSquare, len(classes))}
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
// If StopWhen of the parent ends the work early, the matrix has no table and computes values on request.
// Release gives its memory back.
func (p *Pairs) Gram(a, b, threads int) (*Gram, error) {
	rows := append(slices.Clip(p.rows[a]), p.rows[b]...)
	t := p.table()
	if !p.fill(t, a, b, threads) {
		return p.unfilled(rows)
	}
	g := p.parent.viewOf(rows, 0, threads)
	g.setTable(subsetOf(t, inOrder[uint32](len(rows))))
	return g, g.reserve()
}

// Release takes back the memory of a pair.
func (p *Pairs) Release(g *Gram) {
	if of := g.double.stored; of != nil {
		p.spare.Put(of.table)
		g.double = nil
	}
}

// table returns memory for a pair.
func (p *Pairs) table() *table[float64] {
	if t, ok := p.spare.Get().(*table[float64]); ok {
		return t
	}
	stride := rowStride(p.size)
	return &table[float64]{value: inHugePages(make([]float64, p.size*stride)), stride: stride}
}

// unfilled is the matrix of a pair that computes its values when they are asked for.
func (p *Pairs) unfilled(rows []int) (*Gram, error) {
	p.parts.Lock()
	defer p.parts.Unlock()
	g, err := p.parent.Part(rows)
	if err != nil {
		return nil, err
	}
	g.stop = new(interruption) // as others are at work
	g.double.stop = g.stop
	if g.single != nil {
		g.single.stop = g.stop
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
		own := p.square(c, threads)
		if own == nil {
			return false
		}
		size := len(p.rows[c])
		at := piece(all, k*n, k*n, size, size)
		for i := range size {
			copy(at.Value[i*at.Stride:][:size], own[i*size:])
		}
	}
	x, y := p.set.between(p.start[a], p.start[a+1]), p.set.between(p.start[b], p.start[b+1])
	values := p.parent.double.tiler
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
	p.parent.counts.computedOf(values, computed)
	return !p.parent.Cut()
}

// square returns the matrix of a class with itself; nil: it was cut short.
func (p *Pairs) square(c, threads int) []float64 {
	own, n := &p.squares[c], len(p.rows[c])
	own.Lock()
	defer own.Unlock()
	if own.value == nil {
		value := make([]float64, n*n)
		computed := fillSquare(p.parent.double.tiler, blas.Block[float64]{Value: value, Rows: n, Cols: n, Stride: n}, p.set.between(p.start[c], p.start[c+1]), threads)
		if p.parent.Cut() {
			return nil
		}
		p.parent.counts.computedOf(p.parent.double.tiler, computed)
		own.value = value
	}
	return own.value
}
