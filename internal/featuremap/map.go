// Package featuremap holds maps of rows to images of finitely many features, of which inner
// products are nearly the values of a kernel: random Fourier features, and projections onto
// the images of few rows.
package featuremap

import (
	"context"
	"errors"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Map gives rows images of finitely many features, of which the inner products
// are nearly the values of a kernel:
//
//	<Phi(x),Phi(y)> ~ k(x,y)
//
// A linear predictor of the images is nearly a kernel machine, and exactly one
// of the kernel <Phi(x),Phi(y)>, the approximate kernel. All methods are safe for
// concurrent use.
//
// Laws: the image of a row depends on that row alone, and not on how it is
// stored; |Phi(x)|^2 <= k(x,x) up to rounding; the map that Restore makes of the
// landmarks has the same bits.
type Map interface {
	// Dims returns the number of columns of rows, and of features.
	Dims() (cols, features int)
	// Prepare returns the rows of x as Images takes them, or why it cannot.
	Prepare(x matrix.Matrix) (matrix.Matrix, error)
	// Images sets dst to the images of the rows, one after another.
	Images(dst []float32, rows []matrix.Vector)
	// Landmarks returns the rows of a training set that the map is made of; nil
	// if it depends on none.
	Landmarks() matrix.Matrix
}

// Approximation makes maps for kernels. Each registers its name beside its map.
type Approximation interface {
	// Accepts returns why there is no map for the kernel.
	Accepts(k kernel.Kernel) error
	// Fit makes the map for a training set of prepared rows, unless ctx ends.
	Fit(ctx context.Context, k kernel.Kernel, x matrix.Matrix, seed uint64, threads int) (Map, error)
	// Restore makes it again, of its landmarks.
	Restore(k kernel.Kernel, cols int, seed uint64, landmarks matrix.Matrix) (Map, error)
}

var approximations = registry.New[Approximation]("map")

// NewApproximation makes what spec describes: a name, or "name:key=value".
func NewApproximation(spec string) (Approximation, error) { return approximations.New(spec) }

// Approximations lists them by name.
func Approximations() []registry.Entry[Approximation] { return approximations.Entries() }

// mapRows is how many rows are mapped at a time: a multiple of the heights of
// vec's tiles.
const mapRows = 96

// Images returns the images of all rows of x, which is prepared for that, in
// single precision: n x features numbers. It runs on at most so many threads; 0:
// on all cores. When ctx ends, so does it, with the error of ctx.
func Images(ctx context.Context, m Map, x matrix.Matrix, threads int) (*matrix.Dense, error) {
	if m == nil || x == nil {
		return nil, errors.New("images: found no map or no rows, expected both")
	}
	x, err := m.Prepare(x)
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	_, features := m.Dims()
	image := &matrix.Dense{Rows: n, Cols: features, Value: make([]float32, n*features)}
	parallel.Blocks(n, mapRows, threads, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		rows := make([]matrix.Vector, 0, mapRows)
		for i := lo; i < hi; i++ {
			rows = append(rows, x.Row(i))
		}
		m.Images(image.Value[lo*features:hi*features], rows)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return image, nil
}

// floats is memory for numbers, used again.
type floats struct{ pool sync.Pool }

// get returns n numbers, whatever they are, and what gives them back.
func (f *floats) get(n int) (v []float64, put func()) {
	p, ok := f.pool.Get().(*[]float64)
	if !ok || cap(*p) < n {
		p = new([]float64)
		*p = make([]float64, n)
	}
	return (*p)[:n], func() { f.pool.Put(p) }
}
