package network

import (
	"sort"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/matrix"
)

// rowsTogether is how many rows go through the layers together: fixed, as memory and the sharing of work
// depend on it, though no bit does.
const rowsTogether = 32

// A Pass is the memory of a batch of rows on its way through a network, forwards and back.
type Pass struct {
	Shape
	rows       []matrix.Vector
	out, delta [][]float64 // of each layer: rows x units; out[0] and delta[0] are nil
	turned     [][]float64 // the weights of each layer but the first, a row for each unit
	pieces     []Piece
}

// NewPass allocates for batches of at most so many rows.
func (s Shape) NewPass(most int) *Pass {
	p := &Pass{Shape: s, out: [][]float64{nil}, delta: [][]float64{nil}, turned: [][]float64{nil}}
	for l := range s.layers() {
		p.out = append(p.out, make([]float64, most*s.Units[l+1]))
		p.delta = append(p.delta, make([]float64, most*s.Units[l+1]))
		if l > 0 {
			p.turned = append(p.turned, make([]float64, s.Units[l]*s.Units[l+1]))
		}
	}
	p.divide()
	return p
}

// Take begins a batch of these rows of x.
func (p *Pass) Take(x matrix.Matrix, rows []uint32) {
	p.rows = p.rows[:0]
	for _, i := range rows {
		p.rows = append(p.rows, x.Row(int(i)))
	}
}

// Run computes the scores of the batch. slopes, unless it is nil, gets those of the rows from lo to hi and
// replaces them by the slopes of their losses; then the deltas of all layers are computed too.
func (p *Pass) Run(w []float64, threads int, slopes func(scores []float64, lo, hi int)) {
	for l := 1; l < p.layers(); l++ {
		layer := p.Layer(w, l)
		blas.Transpose64(block(p.turned[l], layer.Out, layer.In), block(layer.Weights, layer.In, layer.Out))
	}
	parallel.Blocks(len(p.rows), rowsTogether, threads, func(_, lo, hi int) {
		p.forward(w, lo, hi)
		if slopes != nil {
			last := p.layers()
			to := part(p.delta[last], lo, hi, p.Units[last])
			copy(to, part(p.out[last], lo, hi, p.Units[last]))
			slopes(to, lo, hi)
			p.backward(w, lo, hi)
		}
	})
}

// Scores returns those of the batch, row after row.
func (p *Pass) Scores() []float64 {
	return part(p.out[p.layers()], 0, len(p.rows), p.Units[p.layers()])
}

func part(of []float64, lo, hi, units int) []float64 { return of[lo*units : hi*units] }

func block(of []float64, rows, cols int) blas.Block[float64] {
	return blas.Block[float64]{Value: of, Rows: rows, Cols: cols, Stride: cols}
}

// forward sends rows through all layers.
func (p *Pass) forward(w []float64, lo, hi int) {
	for l := range p.layers() {
		layer := p.Layer(w, l)
		to := part(p.out[l+1], lo, hi, layer.Out)
		for i := range hi - lo {
			copy(to[i*layer.Out:], layer.Bias)
		}
		if l == 0 {
			for i, x := range p.rows[lo:hi] {
				vec.SparseGemv(to[i*layer.Out:(i+1)*layer.Out], layer.Weights, x.Index, x.Value)
			}
		} else {
			product(to, part(p.out[l], lo, hi, layer.In), layer.Weights, p.turned[l], layer.In, layer.Out)
		}
		if l < p.layers()-1 {
			p.activation.apply(to)
		}
	}
}

// small is up to how many multiply-adds a product takes less time row by row than in blocks.
const small = 1 << 12

// product adds a W to c, rows of out and of in numbers, for W of in x out numbers and its transpose: the same
// bits either way.
func product(c, a, w, transpose []float64, in, out int) {
	n := len(a) / in
	if n*in*out > small {
		blas.Gemm64(block(c, n, out), block(a, n, in), block(transpose, out, in), 1)
		return
	}
	for i := range n {
		for k, x := range a[i*in : (i+1)*in] {
			vec.Axpy64(c[i*out:(i+1)*out], x, w[k*out:(k+1)*out])
		}
	}
}

// backward makes the deltas of all layers of those of the last.
func (p *Pass) backward(w []float64, lo, hi int) {
	for l := p.layers() - 1; l > 0; l-- {
		layer := p.Layer(w, l)
		to := part(p.delta[l], lo, hi, layer.In)
		clear(to)
		product(to, part(p.delta[l+1], lo, hi, layer.Out), p.turned[l], layer.Weights, layer.Out, layer.In)
		p.activation.back(to, part(p.out[l], lo, hi, layer.In))
	}
}

// A Piece is parameters whose gradient is computed together: those from Lo to Hi. The biases of a
// layer are one.
type Piece struct {
	Lo, Hi      int
	Bias        bool
	layer       int
	first, last int // units before the layer
}

// sizeOfPiece is about how many parameters a piece has.
const sizeOfPiece = 4096

// divide divides the parameters into pieces.
func (p *Pass) divide() {
	at := 0
	for l := range p.layers() {
		in, out := p.Units[l], p.Units[l+1]
		each := max(1, sizeOfPiece/out)
		for first := 0; first < in; first += each {
			last := min(first+each, in)
			p.pieces = append(p.pieces, Piece{at + first*out, at + last*out, false, l, first, last})
		}
		at += in * out
		p.pieces = append(p.pieces, Piece{Lo: at, Hi: at + out, Bias: true, layer: l})
		at += out
	}
}

// AddGradient adds the gradient of the batch to g, piece by piece, and hands each to done, unless that is
// nil, as soon as it is computed. before, unless it is nil, is called ahead of each.
func (p *Pass) AddGradient(g []float64, threads int, before, done func(Piece)) {
	parallel.Each(len(p.pieces), threads, func(_, k int) {
		piece := p.pieces[k]
		if before != nil {
			before(piece)
		}
		p.add(g, piece)
		if done != nil {
			done(piece)
		}
	})
}

// add adds the gradient of a piece, the rows in order.
func (p *Pass) add(g []float64, piece Piece) {
	l, n := piece.layer, len(p.rows)
	in, out := p.Units[l], p.Units[l+1]
	to, delta := g[piece.Lo:piece.Hi], p.delta[l+1]
	switch {
	case piece.Bias:
		for i := range n {
			vec.Axpy64(to, 1, delta[i*out:(i+1)*out])
		}
	case l > 0 && n*len(to) <= small:
		for i := range n {
			for k, x := range p.out[l][i*in+piece.first : i*in+piece.last] {
				vec.Axpy64(to[k*out:(k+1)*out], x, delta[i*out:(i+1)*out])
			}
		}
	case l > 0:
		rows := piece.last - piece.first
		a := blas.Block[float64]{Value: p.out[l][piece.first:], Rows: n, Cols: rows, Stride: in}
		blas.GemmCols64(block(to, rows, out), a, block(delta, n, out), 1)
	default:
		for i, x := range p.rows {
			addOuter(to, delta[i*out:(i+1)*out], x, piece.first, piece.last)
		}
	}
}

// addOuter adds the outer product of the features of a row from first to last and the deltas.
func addOuter(to, delta []float64, x matrix.Vector, first, last int) {
	if x.Index == nil {
		if first < len(x.Value) {
			vec.SparseGer(to, delta, nil, x.Value[first:min(last, len(x.Value))])
		}
		return
	}
	lo := sort.Search(len(x.Index), func(k int) bool { return int(x.Index[k]) >= first })
	for k := lo; k < len(x.Index) && int(x.Index[k]) < last; k++ {
		vec.Axpy64(to[(int(x.Index[k])-first)*len(delta):][:len(delta)], float64(x.Value[k]), delta)
	}
}

// Images returns the units of the last hidden layer, of parameters w, for one row. They are a slice of memory, which
// has twice the units of the widest layer. The bits are those of a batch.
func (s Shape) Images(w []float64, x matrix.Vector, memory []float64) []float64 {
	widest := s.Widest()
	from, to := memory[:widest], memory[widest:2*widest]
	for l := range s.layers() - 1 {
		layer := s.Layer(w, l)
		out := to[:layer.Out]
		copy(out, layer.Bias)
		if l == 0 {
			vec.SparseGemv(out, layer.Weights, x.Index, x.Value)
		} else {
			for k, o := range from[:layer.In] {
				vec.Axpy64(out, o, layer.Weights[k*layer.Out:(k+1)*layer.Out])
			}
		}
		s.activation.apply(out)
		from, to = to, from
	}
	return from[:s.Units[s.layers()-1]]
}

// Widest is how many units the widest layer has, features not counted.
func (s Shape) Widest() int {
	widest := 0
	for _, units := range s.Units[1:] {
		widest = max(widest, units)
	}
	return widest
}
