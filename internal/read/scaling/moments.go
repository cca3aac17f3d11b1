package scaling

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Moments are the moments of rows that scaling, step sizes and bounds of PCA ask
// for: of each feature and of the norms. They are found in one pass that leaves
// sparse rows sparse, and those of shards, or of the blocks of a stream, merge;
// they can be kept as JSON in between.
//
// Means and sums of squares are updated row by row (Welford 1962) and merged
// without cancellation (Chan, Golub and LeVeque 1983): a mean of 1e8 leaves of a
// deviation of 1 all its digits. The bits depend on the rows and on how they
// were cut into what is merged, in order, never on threads.
type Moments struct {
	Rows      int64
	Mean      []float64 // d
	Squares   []float64 // d sums of (x_j - Mean_j)^2
	Low, High []float32 // d, the least and the largest value
	Second    float64   // the sum of |x|^2
	Fourth    float64   // the sum of |x|^4
	MaxNorm   float64   // the largest |x|

	// MaxCentred is the largest |x - Mean| of the rows that MeasureCentred saw;
	// 0 before.
	MaxCentred float64
}

// momentBlocks bounds the partial results of NewMoments, and momentRows how few
// rows are worth one.
const momentBlocks, momentRows = 64, 1024

// NewMoments returns the moments of the rows of x, on at most threads cores;
// 0: all.
func NewMoments(x matrix.Matrix, threads int) *Moments {
	rows, cols := x.Dims()
	all := newMoments(cols)
	if rows == 0 {
		return all
	}
	// As many blocks as are worth O(d) work each: a function of the rows alone.
	blocks := min(momentBlocks, int64(rows+momentRows-1)/momentRows, 1+matrix.Nonzeros(x)/int64(4*max(cols, 1)))
	size := int((int64(rows) + blocks - 1) / blocks)
	parts := make([]*Moments, (rows+size-1)/size)
	parallel.Blocks(rows, size, threads, func(block, lo, hi int) {
		m := momentBlock{Moments: newMoments(cols)}
		for i := lo; i < hi; i++ {
			m.add(x.Row(i))
		}
		m.settle()
		parts[block] = m.Moments
	})
	for _, m := range parts {
		all.merge(m)
	}
	return all
}

func newMoments(cols int) *Moments {
	return &Moments{Mean: make([]float64, cols), Squares: make([]float64, cols), Low: make([]float32, cols), High: make([]float32, cols)}
}

// momentBlock is the moments of rows that are being added.
type momentBlock struct {
	*Moments
	second, fourth vec.Sum // of |x|^2 and |x|^4
	largest        float64 // |x|^2
	stored         []int64 // values of each feature; nil unless rows are sparse
}

// add takes a row. The rows of a matrix are all dense or all sparse.
func (m *momentBlock) add(x matrix.Vector) {
	m.Rows++
	q := x.SquaredNorm()
	m.second.Add(q)
	m.fourth.Add(float64(q * q))
	m.largest = max(m.largest, q)
	if x.Index == nil {
		m.addDense(x.Value)
	} else {
		m.addSparse(x)
	}
}

func (m *momentBlock) addDense(x []float32) {
	if m.Rows == 1 {
		copy(m.Low, x)
		copy(m.High, x)
	}
	share := 1 / float64(m.Rows)
	mean, squares, low, high := m.Mean[:len(x)], m.Squares[:len(x)], m.Low[:len(x)], m.High[:len(x)]
	for j, v := range x {
		value := float64(v)
		before := value - mean[j]
		mean[j] += float64(before * share)
		squares[j] += float64(before * (value - mean[j]))
		low[j], high[j] = min(low[j], v), max(high[j], v)
	}
}

// addSparse takes the stored values; settle adds the zeros.
func (m *momentBlock) addSparse(x matrix.Vector) {
	if m.stored == nil {
		m.stored = make([]int64, len(m.Mean))
	}
	for k, j := range x.Index {
		v := x.Value[k]
		if m.stored[j]++; m.stored[j] == 1 {
			m.Low[j], m.High[j] = v, v
		}
		before := float64(v) - m.Mean[j]
		m.Mean[j] += before / float64(m.stored[j])
		m.Squares[j] += float64(before * (float64(v) - m.Mean[j]))
		m.Low[j], m.High[j] = min(m.Low[j], v), max(m.High[j], v)
	}
}

// settle adds the zeros that sparse rows do not store, and ends the sums.
func (m *momentBlock) settle() {
	for j, stored := range m.stored {
		if zeros := m.Rows - stored; zeros > 0 {
			m.Mean[j], m.Squares[j] = chanMerge(stored, m.Mean[j], m.Squares[j], zeros, 0, 0)
			m.Low[j], m.High[j] = min(m.Low[j], 0), max(m.High[j], 0)
		}
	}
	m.Second, m.Fourth, m.MaxNorm = m.second.Value(), m.fourth.Value(), math.Sqrt(m.largest)
}

// chanMerge merges the mean and the squares of two groups of numbers.
func chanMerge(n1 int64, mean1, squares1 float64, n2 int64, mean2, squares2 float64) (mean, squares float64) {
	if n1 == 0 {
		return mean2, squares2
	}
	apart, share := mean2-mean1, float64(n2)/float64(n1+n2)
	return mean1 + float64(apart*share), squares1 + squares2 + float64(apart*apart*share*float64(n1))
}

// Merge makes m the moments of its rows and those of o, which must have as many
// features. MaxCentred is forgotten, as the mean is another.
func (m *Moments) Merge(o *Moments) error {
	if len(o.Mean) != len(m.Mean) {
		return fmt.Errorf("moments: found those of %s, expected %d", fault.Plural(len(o.Mean), "feature", "features"), len(m.Mean))
	}
	m.merge(o)
	return nil
}

func (m *Moments) merge(o *Moments) {
	m.MaxCentred = 0
	if o.Rows == 0 {
		return
	}
	for j := range m.Mean {
		m.Mean[j], m.Squares[j] = chanMerge(m.Rows, m.Mean[j], m.Squares[j], o.Rows, o.Mean[j], o.Squares[j])
		if m.Rows == 0 {
			m.Low[j], m.High[j] = o.Low[j], o.High[j]
		}
		m.Low[j], m.High[j] = min(m.Low[j], o.Low[j]), max(m.High[j], o.High[j])
	}
	m.Rows += o.Rows
	m.Second += o.Second
	m.Fourth += o.Fourth
	m.MaxNorm = max(m.MaxNorm, o.MaxNorm)
}

// SquaredNorm returns the mean of |x|^2.
func (m *Moments) SquaredNorm() float64 { return m.Second / float64(max(m.Rows, 1)) }

// Constant reports whether feature j is the same in all rows.
func (m *Moments) Constant(j int) bool { return m.Low[j] == m.High[j] }

// Constants returns the number of constant features.
func (m *Moments) Constants() (n int) {
	for j := range m.Low {
		if m.Constant(j) {
			n++
		}
	}
	return n
}
