package column

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// model is the curved part of the model of CD over the working set W,
//
//	|Z d|^2/2 + sum_j damp_j d_j^2/2,   Z = H^1/2 X_W
//
// Z is kept by columns in single precision, which suffices for a model: the slopes and
// values that decide come from the data. Rows where the loss is as good as straight are
// left out of it. Once G = Z^T Z is formed (gram.go) a column of G is in the place of
// each of Z.
type model struct {
	columns      []matrix.Vector // of Z, times scale^-1/2
	scale        float64         // the largest h
	rows         int             // of Z
	square, damp []float64       // for each column: its curvature, and what is added to that
	image        []float64       // of d: scale^-1/2 Z d, or G d
	gram         []float64       // G, symmetric
	formed       bool
	visited      int64 // numbers of Z and G since the model was opened, about

	room  []float64 // for image
	index []uint32  // for columns
	value []float32
	start []int     // where each begins there
	place []uint32  // row of the data -> row of Z
	root  []float32 // (h/scale)^1/2, 0 for rows left out
	count []int     // numbers in each row of Z
}

// open makes the model at the point of s.
func (m *model) open(s *cd) {
	n, size := len(s.h), len(s.working)
	if m.place == nil {
		m.place, m.root, m.room = make([]uint32, n), make([]float32, n), make([]float64, n)
	}
	m.formed, m.visited, m.rows, m.scale = false, 0, 0, 1e-300
	for _, h := range s.h {
		m.scale = max(m.scale, h)
	}
	for i, h := range s.h {
		m.place[i], m.root[i] = uint32(m.rows), 0
		if h > 1e-14*s.most*s.p.S[i] {
			m.root[i] = float32(math.Sqrt(h / m.scale))
			m.rows++
		}
	}
	m.image = m.room[:m.rows]
	clear(m.image)
	m.square, m.damp = parts.Resized(m.square, size), parts.Resized(m.damp, size)
	total := 0
	m.start = m.start[:0]
	for _, j := range s.working {
		m.start = append(m.start, total)
		total += s.column(j).Nonzeros()
	}
	if m.value == nil { // as much as may be: what is not used takes no memory
		m.value = make([]float32, len(s.columns.Value)+n)
	}
	if m.index == nil && m.rows < n {
		m.index = make([]uint32, len(m.value))
	}
	if cap(m.columns) < size {
		m.columns = make([]matrix.Vector, size)
	}
	m.columns = m.columns[:size]
	straight := 1e-10
	if s.cut {
		straight = 1e-3
	}
	parallel.Blocks(size, 64, s.p.Threads, func(_, lo, hi int) {
		for at := lo; at < hi; at++ {
			j := s.working[at]
			m.fill(at, s.column(j))
			if m.damp[at] = 0; m.square[at] <= float64(straight*s.bound[j]) {
				m.damp[at] = max(0, float64(s.flat*s.bound[j])-m.square[at])
			}
		}
	})
}

// fill makes a column of Z of one of the data, whose places it shares if it can.
func (m *model) fill(at int, c matrix.Vector) {
	from, n := m.start[at], len(c.Value)
	index, value := c.Index, m.value[from:from+n]
	switch all := m.rows == len(m.place); {
	case all && index == nil:
		for i, x := range c.Value {
			value[i] = x * m.root[i]
		}
	case all:
		for k, i := range index {
			value[k] = c.Value[k] * m.root[i]
		}
	default:
		index, n = m.index[from:from+n], 0
		for k, x := range c.Value {
			i := c.Column(k)
			root := m.root[i]
			index[n], value[n] = m.place[i], x*root
			if root != 0 {
				n++
			}
		}
		index, value = index[:n], value[:n]
		if n == m.rows {
			index = nil
		}
	}
	m.columns[at] = matrix.Vector{Index: index, Value: value}
	m.square[at] = m.scale * vec.SquaredNorm(value)
}

// along returns (Z^T Z d) at a place of the working set.
func (m *model) along(at int) float64 {
	if m.formed {
		return m.image[at]
	}
	m.visited += int64(m.columns[at].Nonzeros())
	return m.scale * m.columns[at].Dot(m.image)
}

// add adds to dst, which is as image is, what a change of d at a place adds to that.
func (m *model) add(dst []float64, at int, change float64) {
	if m.formed {
		m.visited += int64(len(dst)) / 4 // they stand together
		vec.Axpy64(dst, change, m.gram[at*len(dst):(at+1)*len(dst)])
		return
	}
	m.visited += int64(m.columns[at].Nonzeros())
	m.columns[at].AddTo(dst, change)
}
