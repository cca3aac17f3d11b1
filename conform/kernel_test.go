package conform

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// brokenKernel is the linear kernel with single methods replaced.
type brokenKernel struct {
	kernel.Linear
	eval     func(x, y matrix.Vector) float64
	error    func(terms int, xx, yy float64) float64
	of       func(dst []float64, xx float64, yy []float64)
	of32     func(dst []float32)
	size     func(xx float64) float64
	relative func(terms int) float64
	prepare  func(x matrix.Matrix, width int) (matrix.Matrix, error)
}

func (b brokenKernel) Eval(x, y matrix.Vector) float64 {
	if b.eval != nil {
		return b.eval(x, y)
	}
	return b.Linear.Eval(x, y)
}

func (b brokenKernel) Error(terms int, xx, yy float64) float64 {
	if b.error != nil {
		return b.error(terms, xx, yy)
	}
	return b.Linear.Error(terms, xx, yy)
}

func (b brokenKernel) Of(dst []float64, xx float64, yy []float64) {
	if b.of != nil {
		b.of(dst, xx, yy)
	}
}

func (b brokenKernel) Of32(dst []float32, _ float32, _ []float32) {
	if b.of32 != nil {
		b.of32(dst)
	}
}

func (b brokenKernel) Size(terms int, xx float64) float64 {
	if b.size != nil {
		return b.size(xx)
	}
	return b.Linear.Size(terms, xx)
}

func (b brokenKernel) Relative(terms int, xx, yy float64) float64 {
	if b.relative != nil {
		return b.relative(terms)
	}
	return b.Linear.Relative(terms, xx, yy)
}

func (b brokenKernel) Prepare(x matrix.Matrix, width int) (matrix.Matrix, error) {
	if b.prepare != nil {
		return b.prepare(x, width)
	}
	return x, nil
}

// exactInner is <x,y> with many digits.
func exactInner(x, y []float32) *big.Float {
	sum := new(big.Float).SetPrec(300)
	for j := range x {
		a, b := new(big.Float).SetPrec(300).SetFloat64(float64(x[j])), new(big.Float).SetPrec(300).SetFloat64(float64(y[j]))
		sum.Add(sum, a.Mul(a, b))
	}
	return sum
}

func TestKernelZoo(t *testing.T) {
	r := source()
	x := &matrix.Dense{Rows: 12, Cols: 9, Value: make([]float32, 12*9)}
	for j := range x.Value {
		if j%4 != 1 {
			x.Value[j] = float32(r.NormFloat64())
		}
	}
	if err := Kernel(brokenKernel{}, x, exactInner); err != nil {
		t.Fatalf("the sound kernel is rejected:\n%v", err)
	}
	linear := kernel.Linear{}.Eval
	calls := 0
	for _, c := range []struct {
		animal, law string
		kernel      brokenKernel
	}{
		{"weighs the second row", "is symmetric", brokenKernel{eval: func(x, y matrix.Vector) float64 {
			return linear(x, y) + 1e-12*y.SquaredNorm()
		}}},
		{"goes by places instead of columns", "dense and sparse rows give the same bits", brokenKernel{eval: func(x, y matrix.Vector) float64 {
			return linear(matrix.Vector{Value: x.Value}, matrix.Vector{Value: y.Value})
		}}},
		{"adds in the order that the storage suggests", "dense and sparse rows give the same bits", brokenKernel{eval: func(x, y matrix.Vector) float64 {
			return x.SquaredNorm() * y.SquaredNorm()
		}}},
		{"counts its calls", "the same rows give the same bits", brokenKernel{eval: func(x, y matrix.Vector) float64 {
			calls++
			return linear(x, y) + 1e-12*float64(calls)
		}}},
		{"divides by zero", "values are finite", brokenKernel{eval: func(x, y matrix.Vector) float64 {
			return linear(x, y) / (x.SquaredNorm() - y.SquaredNorm())
		}}},
		{"is a distance", "is an inner product", brokenKernel{eval: func(x, y matrix.Vector) float64 {
			return linear(x, x) + linear(y, y) - 2*linear(x, y)
		}}},
		{"is negative by a hair", "is an inner product", brokenKernel{eval: func(x, y matrix.Vector) float64 {
			return linear(x, y) - 1e-8
		}}},
		{"claims to be exact", "the error is within the bound", brokenKernel{error: func(int, float64, float64) float64 { return 0 }}},
		{"forgets the norms in its error", "the error is within the bound", brokenKernel{
			eval:  func(x, y matrix.Vector) float64 { return linear(x, y) * (1 + 3e-14) },
			error: func(terms int, xx, yy float64) float64 { return float64(terms) * 0x1p-53 }}},
		{"errs less on more rows", "the bound grows with the rows", brokenKernel{error: func(terms int, xx, yy float64) float64 {
			return 1e-9 / (1 + xx + yy)
		}}},
		{"claims to be exact as a part", "the error is within its part of the sizes", brokenKernel{relative: func(int) float64 { return 0 }}},
		{"is larger than its size", "values are within the sizes", brokenKernel{size: func(xx float64) float64 { return xx / 2 }}},
		{"has a larger k(x,x) than its size", "k(x,x) is within the size", brokenKernel{size: func(xx float64) float64 { return xx / 2 }}},
		{"rounds otherwise for many", "many have the bits of one", brokenKernel{of: func(dst []float64, _ float64, _ []float64) {
			for j := range dst {
				dst[j] = math.Nextafter(dst[j], 1e9)
			}
		}}},
		{"halves the many", "many have the bits of one", brokenKernel{of: func(dst []float64, _ float64, _ []float64) {
			for j := range dst {
				dst[j] /= 2
			}
		}}},
		{"is coarse in single precision", "single precision is near", brokenKernel{of32: func(dst []float32) {
			for j := range dst {
				dst[j] *= 1.001
			}
		}}},
		{"refuses", "takes the rows", brokenKernel{prepare: func(matrix.Matrix, int) (matrix.Matrix, error) { return nil, errors.New("no") }}},
		{"refuses its own", "takes prepared rows to compare", brokenKernel{prepare: func(x matrix.Matrix, width int) (matrix.Matrix, error) {
			if width > 0 {
				return nil, errors.New("no")
			}
			return x, nil
		}}},
		{"adds a column each time", "prepared rows are prepared to themselves", brokenKernel{prepare: func(x matrix.Matrix, _ int) (matrix.Matrix, error) {
			return wider{x}, nil
		}}},
	} {
		rejects(t, c.animal, Kernel(c.kernel, x, exactInner), c.law)
	}
}

// wider claims a column more than there is.
type wider struct{ matrix.Matrix }

func (w wider) Dims() (rows, cols int) {
	rows, cols = w.Matrix.Dims()
	return rows, cols + 1
}
