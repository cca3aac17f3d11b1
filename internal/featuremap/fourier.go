package featuremap

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Fourier is a map of random Fourier features (Rahimi and Recht, Random Features
// for Large-Scale Kernel Machines, 2007, algorithm 1; the thesis, 2.6). A kernel
// k(x-y) is the Fourier transform of a density p, of which D frequencies v_i are
// drawn:
//
//	Phi(x) = (cos<v_1,x>, sin<v_1,x>, ..., cos<v_D,x>, sin<v_D,x>) / sqrt(D)
//
// Then <Phi(x),Phi(y)> has the mean k(x,y) and, for the Gaussian kernel, the
// variance (1-k(x,y)^2)^2 / (2D); |Phi(x)| is 1 for every x. A linear predictor
// of Phi(x) is nearly a kernel machine.
//
// The Gaussian kernel draws normal deviates of variance 2 gamma, the Laplacian
// those of Cauchy times gamma. The numbers for a column depend on it and the seed
// alone: more columns or more frequencies leave those there were as they are.
// They are drawn when the column is first met, and kept.
//
// Cost: D multiply-adds for each value of a row, and D sines and cosines; 4D
// bytes for each column met.
type Fourier struct {
	cols, pairs int
	seed        uint64
	draw        func(*normals) float64
	once        sync.Once
	pages       []atomic.Pointer[[]float32] // pageColumns x pairs each, in turns; nil: not drawn yet
	phases      floats
}

var _ Map = (*Fourier)(nil)

const (
	pageColumns    = 64      // are drawn together
	maxFrequencies = 1 << 32 // cols x pairs, 4 bytes a number
	maxColumns     = 1 << 28 // of which the pages alone take 32 MB
)

// NewFourier draws so many pairs of features for rows of so many columns; k is
// an [RBF] or a [Laplacian].
func NewFourier(k kernel.Kernel, cols, pairs int, seed uint64) (*Fourier, error) {
	if cols < 0 || cols > maxColumns || pairs <= 0 || int64(cols) > maxFrequencies/int64(pairs) {
		return nil, fmt.Errorf("random features: found %d columns and %d pairs of features, expected at least one pair, at most %d columns, and at most %d frequencies in all", cols, pairs, maxColumns, int64(maxFrequencies))
	}
	f := &Fourier{cols: cols, pairs: pairs, seed: seed}
	switch k := k.(type) {
	case kernel.RBF:
		scale := math.Sqrt(2*k.Gamma) / (2 * math.Pi)
		f.draw = func(r *normals) float64 { return scale * r.next() }
	case kernel.Laplacian:
		scale := k.Gamma / (2 * math.Pi)
		f.draw = func(r *normals) float64 { return scale * (r.next() / r.next()) }
	default:
		return nil, fmt.Errorf("random features: found the kernel %s, expected rbf or laplacian: one that depends on x-y and has a known Fourier transform", kernel.Name(k))
	}
	return f, nil
}

// Dims returns the number of columns of rows and of their images.
func (f *Fourier) Dims() (cols, features int) { return f.cols, 2 * f.pairs }

// Prepare refuses rows with more columns than the map knows.
func (f *Fourier) Prepare(x matrix.Matrix) (matrix.Matrix, error) {
	if _, cols := x.Dims(); cols > f.cols {
		return nil, fmt.Errorf("random features: found %d columns, expected at most %d", cols, f.cols)
	}
	return x, nil
}

// Landmarks returns nil.
func (*Fourier) Landmarks() matrix.Matrix { return nil }

// Images maps rows, in single precision. Columns that a row lacks are 0, those
// that the map does not know are left out.
func (f *Fourier) Images(dst []float32, rows []matrix.Vector) {
	f.begin()
	room, put := f.phases.get(3 * f.pairs)
	defer put()
	phase, sin, cos := room[:f.pairs], room[f.pairs:2*f.pairs], room[2*f.pairs:]
	scale := f.Scale()
	for i, row := range rows {
		f.turn(phase, gram.FirstColumns(row, f.cols))
		image := dst[2*i*f.pairs:][:2*f.pairs]
		elementary.SinTo(sin, phase)
		elementary.CosTo(cos, phase)
		for k, c := range cos {
			image[2*k], image[2*k+1] = float32(scale*c), float32(scale*sin[k])
		}
	}
}

// turn sets dst to the inner products of a row and the frequencies.
func (f *Fourier) turn(dst []float64, row matrix.Vector) {
	clear(dst)
	for k, v := range row.Value {
		if v != 0 {
			j := row.Column(k)
			vec.Axpy(dst, float64(v), f.page(j / pageColumns)[j%pageColumns*f.pairs:][:f.pairs])
		}
	}
}

// page returns the frequencies of some columns, one column after another. Two
// goroutines that draw them at once draw the same.
func (f *Fourier) page(p int) []float32 {
	if known := f.pages[p].Load(); known != nil {
		return *known
	}
	columns := min(pageColumns, f.cols-p*pageColumns)
	drawn := make([]float32, 0, columns*f.pairs)
	for j := range columns {
		random := newNormals(f.seed, uint64(p*pageColumns+j))
		for range f.pairs {
			// Cauchy's deviates can be of any size.
			drawn = append(drawn, float32(max(-1e30, min(f.draw(random), 1e30))))
		}
	}
	f.pages[p].Store(&drawn)
	return drawn
}

// normals is a stream of normal deviates, the same on every machine.
type normals struct {
	pcg   rand.PCG
	spare float64 // the second of the last two; NaN: none
}

// newNormals begins the stream of a seed and a number.
func newNormals(seed, number uint64) *normals {
	r := &normals{spare: math.NaN()}
	a := structure.Mix(seed)
	r.pcg.Seed(a, structure.Mix(a^structure.Mix(number)))
	return r
}

// next returns the next deviate, by Marsaglia's polar method: a point in the unit
// disc gives two.
func (r *normals) next() float64 {
	if v := r.spare; v == v {
		r.spare = math.NaN()
		return v
	}
	for {
		u, v := r.symmetric(), r.symmetric()
		q := float64(u*u) + float64(v*v)
		if q >= 1 || q == 0 {
			continue
		}
		scale := math.Sqrt(-2 * elementary.Log(q) / q)
		r.spare = v * scale
		return u * scale
	}
}

// symmetric returns one of the multiples of 2^-52 in [-1, 1).
func (r *normals) symmetric() float64 { return float64(r.pcg.Uint64()>>11)*0x1p-52 - 1 }

// randomFeatures makes a [Fourier] map of any training set: it looks at the
// number of columns alone.
type randomFeatures struct{ pairs int }

func init() {
	approximations.Register(registry.Entry[Approximation]{Name: "fourier",
		Summary: "random Fourier features of the kernels rbf and laplacian; dim=1000 features, an even number",
		New: func(p *registry.Params) (Approximation, error) {
			dim := p.Int("dim", 1000, 2, 1<<20)
			if p.Err() == nil && dim%2 != 0 {
				return nil, fmt.Errorf("dim=%d: expected an even number, of cosines and sines", dim)
			}
			return randomFeatures{dim / 2}, p.Err()
		}})
}

func (a randomFeatures) Accepts(k kernel.Kernel) error {
	_, err := NewFourier(k, 1, a.pairs, 0)
	return err
}

func (a randomFeatures) Fit(_ context.Context, k kernel.Kernel, x matrix.Matrix, seed uint64, _ int) (Map, error) {
	_, cols := x.Dims()
	return a.Restore(k, cols, seed, nil)
}

func (a randomFeatures) Restore(k kernel.Kernel, cols int, seed uint64, landmarks matrix.Matrix) (Map, error) {
	if landmarks != nil {
		n, _ := landmarks.Dims()
		return nil, fmt.Errorf("random features: found %d landmarks, expected none", n)
	}
	f, err := NewFourier(k, cols, a.pairs, seed)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Frequencies returns the frequencies of all columns, in turns: pairs numbers for each
// column, one column after another.
func (f *Fourier) Frequencies() []float32 {
	f.begin()
	all := make([]float32, 0, f.cols*f.pairs)
	for p := range f.pages {
		all = append(all, f.page(p)...)
	}
	return all
}

// Scale returns the factor of all cosines and sines.
func (f *Fourier) Scale() float64 { return 1 / math.Sqrt(float64(f.pairs)) }

// begin makes room for what is drawn.
func (f *Fourier) begin() {
	f.once.Do(func() { f.pages = make([]atomic.Pointer[[]float32], (f.cols+pageColumns-1)/pageColumns) })
}
