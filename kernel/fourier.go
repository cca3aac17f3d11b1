package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
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
// Cost: D multiply-adds for each value of a row, and D sines and cosines.
type Fourier struct {
	cols      int
	pairs     int
	frequency []float32 // cols x pairs
}

// maxFrequencies bounds cols times pairs, 4 bytes a number.
const maxFrequencies = 1 << 32

// NewFourier draws so many pairs of features for rows of so many columns; k is
// an [RBF] or a [Laplacian].
func NewFourier(k Kernel, cols, pairs int, seed uint64) (*Fourier, error) {
	if cols < 0 || pairs <= 0 || int64(cols) > maxFrequencies/int64(pairs) {
		return nil, fmt.Errorf("random features: found %d columns and %d pairs of features, expected at least one and at most %d in all", cols, pairs, int64(maxFrequencies))
	}
	var draw func(*normals) float64
	switch k := k.(type) {
	case RBF:
		scale := math.Sqrt(2 * k.Gamma)
		draw = func(r *normals) float64 { return scale * r.next() }
	case Laplacian:
		draw = func(r *normals) float64 { return k.Gamma * (r.next() / r.next()) }
	default:
		return nil, fmt.Errorf("random features: found a kernel of type %T, expected rbf or laplacian: one that depends on x-y and has a known Fourier transform", k)
	}
	f := &Fourier{cols: cols, pairs: pairs, frequency: make([]float32, cols*pairs)}
	matrix.Blocks(cols, 16, 0, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			random := newNormals(seed, uint64(j))
			for i := range pairs {
				// Cauchy's deviates can be of any size.
				f.frequency[j*pairs+i] = float32(max(-1e30, min(draw(random), 1e30)))
			}
		}
	})
	return f, nil
}

// Dims returns the number of columns of rows and of their images.
func (f *Fourier) Dims() (cols, features int) { return f.cols, 2 * f.pairs }

// Map returns the images of the rows of x, in single precision. Columns that x
// lacks are 0; it must not have more than the map knows.
func (f *Fourier) Map(x matrix.Matrix) (*matrix.Dense, error) {
	n, cols := x.Dims()
	if cols > f.cols {
		return nil, fmt.Errorf("random features: found %d columns, expected at most %d", cols, f.cols)
	}
	image := &matrix.Dense{Rows: n, Cols: 2 * f.pairs, Value: make([]float32, n*2*f.pairs)}
	scale := 1 / math.Sqrt(float64(f.pairs))
	matrix.Blocks(n, 64, 0, func(_, lo, hi int) {
		phase := make([]float64, f.pairs)
		for i := lo; i < hi; i++ {
			f.phases(phase, x.Row(i))
			features := image.Value[i*2*f.pairs : (i+1)*2*f.pairs]
			for k, p := range phase {
				sin, cos := sincos(p)
				features[2*k], features[2*k+1] = float32(scale*cos), float32(scale*sin)
			}
		}
	})
	return image, nil
}

// phases sets dst to the inner products of a row and the frequencies.
func (f *Fourier) phases(dst []float64, row matrix.Vector) {
	clear(dst)
	for k, v := range row.Value {
		if v != 0 {
			j := row.Column(k)
			vec.Axpy(dst, float64(v), f.frequency[j*f.pairs:(j+1)*f.pairs])
		}
	}
}

// normals is a stream of normal deviates, the same on every machine.
type normals struct {
	pcg   rand.PCG
	spare float64 // the second of the last two; NaN: none
}

// newNormals begins the stream of a seed and a number.
func newNormals(seed, number uint64) *normals {
	r := &normals{spare: math.NaN()}
	a := mix(seed)
	r.pcg.Seed(a, mix(a^mix(number)))
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
		scale := math.Sqrt(-2 * vec.Log(q) / q)
		r.spare = v * scale
		return u * scale
	}
}

// symmetric returns one of the multiples of 2^-52 in [-1, 1).
func (r *normals) symmetric() float64 { return float64(r.pcg.Uint64()>>11)*0x1p-52 - 1 }
