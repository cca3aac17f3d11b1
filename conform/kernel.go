package conform

import (
	"math"
	"math/big"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Kernel examines the laws of kernel.Kernel, and of what else k implements, on
// all pairs of the rows of x. exact returns k(x,y) for rows that store every
// value, with many more digits than a float64; nil: the error is not examined.
func Kernel(k kernel.Kernel, x matrix.Matrix, exact func(x, y []float32) *big.Float) error {
	f := &findings{}
	prepared, err := kernel.Prepare(k, x, 0)
	f.check(err == nil, "takes the rows", "%v", err)
	if err != nil {
		return f.err()
	}
	x = prepared
	kernelPrepared(f, k, x)
	rows := storages(x)
	for _, a := range rows {
		for _, b := range rows {
			kernelPair(f, k, a, b)
		}
	}
	if exact != nil {
		kernelErrors(f, k, rows, exact)
	}
	if !kernel.IsIndefinite(k) {
		_, err := gram.Check(k, x, gram.MaxSample)
		f.check(err == nil, "is an inner product", "%v", err)
	}
	if inner, ok := k.(kernel.Inner); ok {
		for _, a := range rows {
			kernelMany(f, inner, a, rows)
		}
	}
	return f.err()
}

// stored is a row in both storages.
type stored struct{ dense, sparse matrix.Vector }

// norm is the squared norm as an inner product of rows has it.
func (s stored) norm() float64 { return kernel.Linear{}.Eval(s.dense, s.dense) }

func storages(x matrix.Matrix) []stored {
	n, cols := x.Dims()
	rows := make([]stored, n)
	for i := range rows {
		s := stored{dense: matrix.Vector{Value: make([]float32, cols)}, sparse: matrix.Vector{Index: []uint32{}}}
		row := x.Row(i)
		for k, v := range row.Value {
			s.dense.Value[row.Column(k)] = v
			if v != 0 {
				s.sparse.Index = append(s.sparse.Index, uint32(row.Column(k)))
				s.sparse.Value = append(s.sparse.Value, v)
			}
		}
		rows[i] = s
	}
	return rows
}

func kernelPrepared(f *findings, k kernel.Kernel, x matrix.Matrix) {
	again, err := kernel.Prepare(k, x, 0)
	f.check(err == nil, "takes prepared rows", "%v", err)
	if err != nil {
		return
	}
	n, cols := x.Dims()
	m, width := again.Dims()
	f.check(n == m && cols == width, "prepared rows are prepared to themselves", "found %d x %d, expected %d x %d", m, width, n, cols)
	if _, err := kernel.Prepare(k, x, cols); err != nil {
		f.check(false, "takes prepared rows to compare", "%v", err)
	}
}

func kernelPair(f *findings, k kernel.Kernel, a, b stored) {
	value := k.Eval(a.dense, b.dense)
	f.check(value-value == 0, "values are finite", "%g", value)
	f.check(value == k.Eval(a.dense, b.dense), "the same rows give the same bits", "%v", value)
	f.check(value == k.Eval(b.dense, a.dense), "is symmetric", "%v one way, %v the other", value, k.Eval(b.dense, a.dense))
	for _, other := range []float64{k.Eval(a.sparse, b.sparse), k.Eval(a.dense, b.sparse), k.Eval(a.sparse, b.dense)} {
		f.check(other == value, "dense and sparse rows give the same bits", "%v and %v", value, other)
	}
}

// kernelErrors compares with exact values. Bounds of the number of values and
// of the norms may be larger than these are.
func kernelErrors(f *findings, k kernel.Kernel, rows []stored, exact func(x, y []float32) *big.Float) {
	for _, a := range rows {
		for _, b := range rows {
			terms, aa, bb := max(len(a.sparse.Value), len(b.sparse.Value)), a.norm()*(1+1e-12), b.norm()*(1+1e-12)
			bound := k.Error(terms, aa, bb)
			value := exact(a.dense.Value, b.dense.Value)
			off := distance(k.Eval(a.dense, b.dense), value)
			f.check(off <= bound, "the error is within the bound", "%g, bound %g", off, bound)
			f.check(bound <= k.Error(terms+1, 2*aa+1, 2*bb+1), "the bound grows with the rows", "%g", bound)
			if decaying, ok := k.(kernel.Decaying); ok {
				near, far := decaying.Ratios(terms, aa, bb)
				value := k.Eval(a.dense, b.dense)
				bound := min(float64(near*value)+0x1p-50, float64(far*value)+kernel.Vanishing)
				f.check(k.Eval(a.dense, a.sparse) == 1, "a row has the value 1 with itself", "%v", k.Eval(a.dense, a.sparse))
				f.check(off <= bound, "the error is within the ratios of the value", "%g, bound %g", off, bound)
			}
			if sized, ok := k.(kernel.Sized); ok {
				kernelSize(f, sized, a, b, value, off, exact)
			}
		}
	}
}

func kernelSize(f *findings, k kernel.Sized, a, b stored, value *big.Float, off float64, exact func(x, y []float32) *big.Float) {
	terms, aa, bb := max(len(a.sparse.Value), len(b.sparse.Value)), a.norm()*(1+1e-12), b.norm()*(1+1e-12)
	as, bs := k.Size(terms, aa), k.Size(terms, bb)
	v, _ := value.Float64()
	f.check(math.Abs(v) <= math.Sqrt(as)*math.Sqrt(bs)*(1+1e-12), "values are within the sizes", "%g, sizes %g and %g", v, as, bs)
	if !kernel.IsIndefinite(k) {
		self, _ := exact(a.dense.Value, a.dense.Value).Float64()
		f.check(self <= as*(1+1e-12), "k(x,x) is within the size", "%g, size %g", self, as)
		as = self
		bs, _ = exact(b.dense.Value, b.dense.Value).Float64()
	}
	bound := k.Relative(terms, aa, bb)*math.Sqrt(as)*math.Sqrt(bs)*(1+1e-12) + 1e-300
	f.check(off <= bound, "the error is within its part of the sizes", "%g, bound %g", off, bound)
}

// distance returns |v - exact|.
func distance(v float64, exact *big.Float) float64 {
	d := new(big.Float).SetPrec(300).SetFloat64(v)
	off, _ := d.Sub(d, exact).Float64()
	return math.Abs(off)
}

// kernelMany compares Of and Of32 with Eval.
func kernelMany(f *findings, k kernel.Inner, a stored, rows []stored) {
	n := len(rows)
	values, norms := make([]float64, n), make([]float64, n)
	singles, singleNorms := make([]float32, n), make([]float32, n)
	for j, b := range rows {
		values[j], norms[j] = kernel.Linear{}.Eval(a.dense, b.dense), b.norm()
		singles[j], singleNorms[j] = float32(values[j]), float32(norms[j])
	}
	k.Of(values, a.norm(), norms)
	k.Of32(singles, float32(a.norm()), singleNorms)
	for j, b := range rows {
		want := k.Eval(a.dense, b.dense)
		f.check(values[j] == want, "many have the bits of one", "%v, expected %v", values[j], want)
		// A rounding in single precision is 2^29 of those that Error counts.
		slack := 0x1p31*k.Error(len(a.dense.Value)+8, a.norm(), norms[j]) + 1e-30
		f.check(math.Abs(float64(singles[j])-want) <= slack, "single precision is near", "%v, expected %v", singles[j], want)
	}
}
