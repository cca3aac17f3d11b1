package featuremap

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Nystrom is a map to as many features as it has landmarks, rows p_1, ..., p_m of
// a training set, such that
//
//	<Phi(x),Phi(y)> = k_x^T K^-1 k_y,  (k_x)_c = k(x,p_c),  K_bc = k(p_b,p_c)
//
// which is k(x,y) where x or y is a landmark, and the best approximation by the
// images of the landmarks elsewhere: the features are the coordinates of the
// projection of the image of x. With K = LL^T they are L^-1 k_x, one after
// another,
//
//	Phi_c(x) = (k(x,p_c) - sum_(b<c) Phi_b(x) L_cb) / L_cc
//
// Row c of L is the image of p_c, so that landmarks, in order, are all there is to
// know of the map. Cost of an image: m values of the kernel, m^2/2 multiply-adds.
type Nystrom struct {
	Kernel kernel.Kernel
	Pivots []int // rows of the training set that the landmarks are; nil in a restored map

	landmarks matrix.Matrix
	once      sync.Once
	factor    [][]float64  // row c of L, c+1 numbers; of a restored map when it is used
	panels    []panel      // of L, for many rows at once
	scorer    *gram.Scorer // of the landmarks, for their tiles
	values    floats
}

var _ Map = (*Nystrom)(nil)

// NewNystrom takes at most rank landmarks at random from a set of prepared rows
// (Williams and Seeger, Using the Nystroem Method to Speed Up Kernel Machines,
// 2001). Rows of which nothing is left, as images of the landmarks before them
// span theirs, are passed over. Cost: rank^2 values of the kernel, rank^3/6
// multiply-adds.
func NewNystrom(ctx context.Context, k kernel.Kernel, x matrix.Matrix, rank int, seed uint64, threads int) (*Nystrom, error) {
	if err := kernel.CheckRows(k, x); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	return newNystrom(ctx, k, x, rank, permutation(n, seed), threads)
}

// permutation orders n rows by random numbers, each its own.
func permutation(n int, seed uint64) []int {
	order := make([]int, n)
	a := structure.Mix(seed)
	for i := range order {
		// Fisher and Yates; the bias is below n/2^64.
		j := int(structure.Mix(a^structure.Mix(uint64(i))) % uint64(i+1))
		order[i], order[j] = order[j], i
	}
	return order
}

// nothing is the part of k(x,x) that is but rounding.
const nothing = 1e-12

// checkRank refuses what no map of low rank can have.
func checkRank(k kernel.Kernel, rank int) error {
	switch {
	case rank <= 0:
		return fmt.Errorf("low rank: found a rank of %d, expected at least 1", rank)
	case kernel.IsIndefinite(k):
		return fmt.Errorf("low rank: found the kernel %s, which is no inner product", kernel.Name(k))
	}
	return nil
}

// newNystrom takes the first rows in an order, as far as they are independent.
func newNystrom(ctx context.Context, k kernel.Kernel, x matrix.Matrix, rank int, order []int, threads int) (*Nystrom, error) {
	if err := checkRank(k, rank); err != nil {
		return nil, err
	}
	m := &Nystrom{Kernel: k}
	for rest := order; len(rest) > 0 && len(m.Pivots) < rank; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch := rest[:min(mapRows, len(rest), rank-len(m.Pivots))]
		rest = rest[len(batch):]
		for _, r := range m.extend(pick(x, slices.Concat(m.Pivots, batch)), false, threads) {
			m.Pivots = append(m.Pivots, batch[r])
		}
	}
	if len(m.Pivots) == 0 {
		return nil, fmt.Errorf("low rank: found %d rows with k(x,x) = 0, expected one that is not", len(order))
	}
	m.landmarks = pick(x, m.Pivots)
	return m, nil
}

// RestoreNystrom makes the map of landmarks that one had, in their order. Until
// it is used it takes no memory but theirs.
func RestoreNystrom(k kernel.Kernel, landmarks matrix.Matrix) (*Nystrom, error) {
	landmarks, err := kernel.Prepare(k, landmarks, 0)
	if err != nil {
		return nil, err
	}
	n, _ := landmarks.Dims()
	return &Nystrom{Kernel: k, landmarks: landmarks}, checkRank(k, n)
}

// extend makes landmarks of the rows that follow those it has, unless nothing is
// left of them, and returns which of these. With all it makes landmarks of them
// too, of which L_cc is infinite: to divide by it makes that feature 0 for every
// row.
func (m *Nystrom) extend(rows matrix.Matrix, all bool, threads int) (taken []int) {
	known := len(m.factor)
	for r, image := range m.begin(rows, threads) {
		values, own := image[known:], image[known+r]
		image = image[:known:known]
		for c, other := range taken {
			image = append(image, m.feature(known+c, image, values[other]))
		}
		root := math.Inf(1)
		if left := own - vec.SquaredNorm64(image); left > nothing*own && own <= math.MaxFloat64 {
			root = math.Sqrt(left)
		} else if !all {
			continue
		}
		m.factor, taken = append(m.factor, append(image, root)), append(taken, r)
	}
	return taken
}

// begin returns, for each row after the landmarks there are, the features that
// these give, followed by its values of the kernel with all such rows.
func (m *Nystrom) begin(rows matrix.Matrix, threads int) [][]float64 {
	n, _ := rows.Dims()
	known := len(m.factor)
	images, scorer := make([][]float64, n-known), gram.NewScorer(m.Kernel, rows, nil)
	parallel.Blocks(n-known, mapRows/4, threads, func(_, lo, hi int) {
		some := make([]matrix.Vector, 0, mapRows/4)
		for r := lo; r < hi; r++ {
			some, images[r] = append(some, rows.Row(known+r)), make([]float64, n)
		}
		scorer.Values(some, func(values [][]float64, i, from, to int) {
			for r, v := range values {
				copy(images[lo+i+r][from:to], v)
			}
		})
		for _, image := range images[lo:hi] {
			for c := range known {
				image[c] = m.feature(c, image, image[c])
			}
		}
	})
	return images
}

// feature returns feature c of a row, of its value with that landmark and of the
// features before.
func (m *Nystrom) feature(c int, image []float64, value float64) float64 {
	row := m.factor[c]
	return (value - vec.Dot64(image[:c], row[:c])) / row[c]
}

// ready makes what the images of rows need.
func (m *Nystrom) ready() {
	m.once.Do(func() {
		n, _ := m.landmarks.Dims()
		var rows []int
		for len(m.factor) < n {
			for len(rows) < min(len(m.factor)+mapRows, n) {
				rows = append(rows, len(rows))
			}
			m.extend(pick(m.landmarks, rows), true, 0)
		}
		m.panels, m.scorer = newPanels(m.factor), gram.NewScorer(m.Kernel, m.landmarks, nil)
	})
}

// pick copies rows.
func pick(x matrix.Matrix, rows []int) matrix.Matrix {
	_, cols := x.Dims()
	if x, ok := x.(*matrix.Dense); ok {
		d := &matrix.Dense{Rows: len(rows), Cols: cols}
		for _, i := range rows {
			d.Value = append(d.Value, x.Row(i).Value...)
		}
		return d
	}
	s := &matrix.CSR{Cols: cols, Start: []int64{0}, Index: []uint32{}, Value: []float32{}}
	for _, i := range rows {
		row := x.Row(i)
		for k, v := range row.Value {
			s.Index, s.Value = append(s.Index, uint32(row.Column(k))), append(s.Value, v)
		}
		s.Start = append(s.Start, int64(len(s.Value)))
	}
	return s
}

// Dims returns the number of columns of rows and of their images.
func (m *Nystrom) Dims() (cols, features int) {
	features, cols = m.landmarks.Dims()
	return cols, features
}

// Prepare returns rows as the kernel takes them.
func (m *Nystrom) Prepare(x matrix.Matrix) (matrix.Matrix, error) {
	cols, _ := m.Dims()
	return kernel.Prepare(m.Kernel, x, cols)
}

// Landmarks returns the rows that the map is made of.
func (m *Nystrom) Landmarks() matrix.Matrix { return m.landmarks }

// Images maps rows, in single precision.
func (m *Nystrom) Images(dst []float32, rows []matrix.Vector) {
	m.ready()
	width := len(m.factor)
	all, put := m.values.get(len(rows) * width)
	defer put()
	m.scorer.Values(rows, func(values [][]float64, i, lo, hi int) {
		for r, v := range values {
			copy(all[(i+r)*width+lo:(i+r)*width+hi], v)
		}
	})
	solve(m.panels, all, len(rows), width)
	for c, v := range all {
		dst[c] = float32(v)
	}
}

// Coefficients returns those of the landmarks in the kernel machine that a linear
// predictor w of the images is:
//
//	<w,Phi(x)> = sum_c a_c k(p_c,x),  L^T a = w
func (m *Nystrom) Coefficients(w []float64) []float64 {
	m.ready()
	a := slices.Clone(w)
	for c, row := range slices.Backward(m.factor) {
		a[c] /= row[c]
		vec.Axpy64(a[:c], -a[c], row[:c])
	}
	return a
}

// lowRank makes a [Nystrom] map.
type lowRank struct{ rank int }

func init() {
	approximations.Register(registry.Entry[Approximation]{Name: "nystrom",
		Summary: "projection onto the images of rank=500 rows drawn at random; of any kernel that is an inner product",
		New: func(p *registry.Params) (Approximation, error) {
			return lowRank{p.Int("rank", 500, 1, mostRank)}, p.Err()
		}})
}

// mostRank bounds L, of which two copies take 8 rank^2 bytes.
const mostRank = 10000

func (a lowRank) Accepts(k kernel.Kernel) error { return checkRank(k, a.rank) }

func (a lowRank) Fit(ctx context.Context, k kernel.Kernel, x matrix.Matrix, seed uint64, threads int) (Map, error) {
	return asMap(NewNystrom(ctx, k, x, a.rank, seed, threads))
}

func (a lowRank) Restore(k kernel.Kernel, _ int, _ uint64, landmarks matrix.Matrix) (Map, error) {
	return restoreLowRank(k, landmarks, a.rank)
}

// restoreLowRank is RestoreNystrom of at most rank landmarks.
func restoreLowRank(k kernel.Kernel, landmarks matrix.Matrix, rank int) (Map, error) {
	if landmarks == nil {
		return nil, fmt.Errorf("low rank: found no landmarks")
	}
	if n, _ := landmarks.Dims(); n > rank {
		return nil, fmt.Errorf("low rank: found %d landmarks, expected at most %d", n, rank)
	}
	return asMap(RestoreNystrom(k, landmarks))
}

// asMap returns nil rather than a map that is none.
func asMap(m *Nystrom, err error) (Map, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
