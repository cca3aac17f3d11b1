package blas

import (
	"cmp"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

const (
	depthOfPanel = 320  // most terms in a panel (KC)
	rowsOfBlock  = 96   // rows of A that one worker packs at once (MC), a multiple of all tiles
	colsOfBlock  = 4096 // rows of B that are packed at once (NC)
	rowsOfSingle = 256  // rows that GramSingle sums in single precision
)

// A tile is how a level multiplies panels: kernel adds the product of k groups
// of rows numbers at a and k groups of cols numbers at b, of which one begins a stride
// behind the other, to the rows x cols numbers at c, S being the precision of sums.
type tile[T, S vec.Float] struct {
	rows, cols int
	kernel     func(k int, a []T, aStride int, b []T, bStride int, c []S, stride int)
}

// A multiplication adds sum_k a[i][k]*b[j][k] to c[i][j], for i < m, j < n, in order of
// k. With lower, c is symmetric: what is above the diagonal is copied if mirrored, and
// else unspecified.
type multiplication[T, S vec.Float] struct {
	tile    tile[T, S]
	c       Block[S]
	m, n, k int
	depth   int // terms in a panel; 0: as the caches like it
	lower   bool

	mirrored bool

	packA, packB packer[T]     // packB is nil where both factors are the same
	room         *packed[T, S] // nil: its own
}

// run computes the product on at most threads goroutines.
func (p multiplication[T, S]) run(threads int) {
	checkResult(p.c, p.m, p.n)
	if p.m == 0 || p.n == 0 {
		return
	}
	threads = parallel.Cores(threads)
	if p.narrow() {
		p.runNarrow(threads)
	} else {
		p.runPanels(threads)
	}
	if p.mirrored {
		p.mirror(threads)
	}
}

// runPanels computes the product by panels of B that all workers share.
func (p multiplication[T, S]) runPanels(threads int) {
	if p.packB == nil {
		p.packB = p.packA
	}
	depth := cmp.Or(p.depth, equalParts(p.k, depthOfPanel))
	width := min(colsOfBlock, roundUp(p.n, p.tile.cols))
	height := min(rowsOfBlock, roundUp((p.m+4*threads-1)/(4*threads), p.tile.rows))
	room := p.room
	if room == nil {
		room = new(packed[T, S])
	}
	b, works := room.of(width*depth, threads)
	for col := 0; col < p.n; col += width {
		cols := min(width, p.n-col)
		for k := 0; k < p.k; k += depth {
			depth := min(depth, p.k-k)
			panels := (cols + p.tile.cols - 1) / p.tile.cols
			parallel.Each(panels, threads, func(_, i int) {
				packPanel(p.packB, b, p.tile.cols, i, col, cols, k, depth)
			})
			blocks := (p.m + height - 1) / height
			parallel.Each(blocks, threads, func(worker, i int) {
				i = blocks - 1 - i // of a triangle the largest first
				w := &works[worker]
				if len(w.a) < height*depth || len(w.edge) < p.tile.rows*p.tile.cols {
					*w = work[T, S]{a: make([]T, height*depth), edge: make([]S, p.tile.rows*p.tile.cols)}
				}
				p.block(w, b, i*height, min(height, p.m-i*height), col, cols, k, depth)
			})
		}
	}
}

// packed is memory for packed panels, which several multiplications may share, one
// after another.
type packed[T, S vec.Float] struct {
	b     []T
	works []work[T, S]
}

// of returns room for so many numbers of B, and that of each goroutine.
func (p *packed[T, S]) of(b, threads int) ([]T, []work[T, S]) {
	if len(p.b) < b {
		p.b = make([]T, b)
	}
	if len(p.works) < threads {
		p.works = make([]work[T, S], threads)
	}
	return p.b, p.works
}

// work is the memory of one goroutine.
type work[T, S vec.Float] struct {
	a    []T // packed rows
	edge []S // a tile that reaches over the edge of c
}

// packPanel packs panel number i of the rows from first to first+count into its
// place in dst. Rows that are not there stay what they were; nothing is made of
// them.
func packPanel[T vec.Float](pack packer[T], dst []T, width, i, first, count, k, depth int) {
	pack(dst[i*width*depth:(i+1)*width*depth], width, first+i*width, min(width, count-i*width), k, depth)
}

// block computes the part of c with the given rows and columns, for the terms
// that are packed in b.
func (p multiplication[T, S]) block(w *work[T, S], b []T, row, rows, col, cols, k, depth int) {
	if p.lower && row+rows <= col {
		return
	}
	t := p.tile
	for i := 0; i*t.rows < rows; i++ {
		packPanel(p.packA, w.a, t.rows, i, row, rows, k, depth)
	}
	for j := 0; j < cols; j += t.cols {
		for i := 0; i < rows; i += t.rows {
			if p.lower && row+i+t.rows <= col+j {
				continue
			}
			at := (row+i)*p.c.Stride + col + j
			if i+t.rows <= rows && j+t.cols <= cols {
				t.kernel(depth, w.a[i*depth:], t.rows, b[j*depth:], t.cols, p.c.Value[at:], p.c.Stride)
			} else {
				p.edge(w.edge, at, min(t.rows, rows-i), min(t.cols, cols-j), func(c []S) {
					t.kernel(depth, w.a[i*depth:], t.rows, b[j*depth:], t.cols, c, t.cols)
				})
			}
		}
	}
}

// edge lets multiply work on a copy of a part of c that is smaller than a tile.
func (p multiplication[T, S]) edge(tile []S, at, rows, cols int, multiply func(c []S)) {
	for i := range rows {
		copy(tile[i*p.tile.cols:][:cols], p.c.Value[at+i*p.c.Stride:])
	}
	multiply(tile)
	for i := range rows {
		copy(p.c.Value[at+i*p.c.Stride:][:cols], tile[i*p.tile.cols:])
	}
}

// mirror copies what is below the diagonal to above, in squares that fit into
// the first cache.
func (p multiplication[T, S]) mirror(threads int) {
	const side = 32
	parallel.Each((p.n+side-1)/side, threads, func(_, block int) {
		lo, hi := block*side, min(block*side+side, p.n)
		for from := 0; from < hi; from += side {
			for i := lo; i < hi; i++ {
				for j := from; j < min(from+side, i); j++ {
					p.c.Value[j*p.c.Stride+i] = p.c.Value[i*p.c.Stride+j]
				}
			}
		}
	})
}

// equalParts returns the size of parts of n that are at most most.
func equalParts(n, most int) int {
	parts := max(1, (n+most-1)/most)
	return (n + parts - 1) / parts
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// Products of a matrix of few columns with itself, as second moments are. What they cost is
// to read the rows and to convert them: a worker takes runs of rows, with sums of its own,
// and copies them once, for both factors and all tiles, as they follow each other.

const (
	colsOfNarrow = 128  // most columns: the sums fit into the second cache
	leastOfRun   = 4096 // terms of a run
	mostRuns     = 64
	termsOfStep  = 128 // that are copied at once
)

// narrow reports whether the product is one of few columns.
func (p multiplication[T, S]) narrow() bool {
	return p.lower && p.room == nil && p.n <= colsOfNarrow && p.k >= p.n
}

// termsOfRun is how many terms of k are summed by themselves, a multiple of all depths.
func termsOfRun(k int) int {
	return roundUp(max(leastOfRun, (k+mostRuns-1)/mostRuns), rowsOfSingle)
}

// runNarrow computes the sums of each run, the first from c on and the others from 0, and adds
// them in order.
func (p multiplication[T, S]) runNarrow(threads int) {
	terms, width := termsOfRun(p.k), roundUp(p.n, p.tile.cols)
	sums := make([]Block[S], (p.k+terms-1)/terms)
	rooms := make([]narrowRoom[T], min(threads, len(sums)))
	parallel.Each(len(sums), threads, func(worker, i int) {
		sums[i] = Block[S]{Value: make([]S, roundUp(p.n, p.tile.rows)*width), Rows: p.n, Cols: p.n, Stride: width}
		if i == 0 {
			copyLower(sums[0], p.c)
		}
		p.addTerms(sums[i], &rooms[worker], i*terms, min(p.k, (i+1)*terms))
	})
	for _, run := range sums[1:] {
		for i := range p.n {
			to := sums[0].Value[i*width:][:i+1]
			for j, v := range run.Value[i*width:][:i+1] {
				to[j] += v
			}
		}
	}
	copyLower(p.c, sums[0])
}

// copyLower copies the lower triangle.
func copyLower[S vec.Float](dst, src Block[S]) {
	for i := range dst.Rows {
		copy(dst.Value[i*dst.Stride:][:i+1], src.Value[i*src.Stride:])
	}
}

// narrowRoom is memory for the rows of a step as both factors have them.
type narrowRoom[T any] struct{ a, b []T }

// addTerms adds terms lo to hi.
func (p multiplication[T, S]) addTerms(c Block[S], room *narrowRoom[T], lo, hi int) {
	t, stride, most := p.tile, roundUp(p.n, 8), cmp.Or(p.depth, termsOfStep)
	if room.a == nil {
		length := min(most, p.k)*stride + max(t.rows, t.cols) // a tile reads beyond the last column
		room.a = make([]T, length)
		if room.b = room.a; p.packB != nil {
			room.b = make([]T, length)
		}
	}
	for k := lo; k < hi; k += most {
		depth := min(most, hi-k)
		p.packA(room.a, stride, 0, p.n, k, depth)
		if p.packB != nil {
			p.packB(room.b, stride, 0, p.n, k, depth)
		}
		for j := 0; j < p.n; j += t.cols {
			for i := j / t.rows * t.rows; i < p.n; i += t.rows {
				t.kernel(depth, room.a[i:], stride, room.b[j:], stride, c.Value[i*c.Stride+j:], c.Stride)
			}
		}
	}
}
