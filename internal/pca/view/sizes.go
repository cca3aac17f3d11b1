package view

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Zero reports whether all rows are.
func (r Rows) Zero() bool {
	n, d := r.Dims()
	row := make([]float64, d)
	plain := Rows{X: r.X, Offset: r.Offset}
	for i := range n {
		plain.Row(row, i)
		for j, v := range row {
			if v != 0 && (r.Factor == nil || r.Factor[j] != 0) {
				return false
			}
		}
	}
	return true
}

// Shifted returns the rows times 2^exponent: NaN where a factor does not have that
// multiple.
func (r Rows) Shifted(exponent int) Rows {
	if exponent == 0 {
		return r
	}
	_, d := r.Dims()
	factor := make([]float64, d)
	for j := range factor {
		f := 1.0
		if r.Factor != nil {
			f = r.Factor[j]
		}
		if factor[j] = math.Ldexp(f, exponent); math.Ldexp(factor[j], -exponent) != f {
			factor[j] = math.NaN()
		}
	}
	r.Factor = factor
	return r
}

// OffsetSquare returns |F o|^2.
func (r Rows) OffsetSquare() float64 {
	moved := append([]float64{}, r.Offset...)
	if r.Offset != nil {
		r.multiply(moved)
	}
	return vec.SquaredNorm64(moved)
}

// StoredSquares returns what the stored numbers of row i add to |F o|^2, and |F x|^2.
func (r Rows) StoredSquares(i int) (squared, raw float64) {
	x, value := r.X.Row(i), matrix.Values(nil, r.X, i)
	for k, j := range x.Index {
		v, f, o := value[k], 1.0, 0.0
		if r.Factor != nil {
			f = r.Factor[j]
		}
		if r.Offset != nil {
			o = r.Offset[j]
		}
		a, b, c := (v-o)*f, o*f, v*f
		squared += float64(a*a) - float64(b*b)
		raw += float64(c * c)
	}
	return squared, raw
}

// Sizes returns the means of |x|^2 and |x|^4, on at most threads cores.
func (r Rows) Sizes(threads int) (squared, fourth float64) {
	n, d := r.Dims()
	base := r.OffsetSquare()
	const block = 1024
	sums := make([][2]float64, (n+block-1)/block)
	parallel.Blocks(n, block, threads, func(b, lo, hi int) {
		var room []float64
		for i := lo; i < hi; i++ {
			s := 0.0
			if r.X.Row(i).Index == nil {
				room = algebra.Sized(room, d)
				r.Row(room, i)
				s = vec.SquaredNorm64(room)
			} else {
				s = r.squaredNorm(i, base)
			}
			sums[b][0] += s
			sums[b][1] += float64(s * s)
		}
	})
	for _, s := range sums {
		squared += s[0]
		fourth += s[1]
	}
	return squared / float64(n), fourth / float64(n)
}

// squaredNorm returns |x|^2 of row i, which is sparse, where base is that of a row of zeros, in time
// that grows with its nonzeros.
func (r Rows) squaredNorm(i int, base float64) float64 {
	x := r.X.Row(i)
	var stored, zero float64 // of the places that are stored: with their values, and as if these were 0
	for k, value := range matrix.Values(nil, r.X, i) {
		j, offset := x.Index[k], 0.0
		if r.Offset != nil {
			offset = r.Offset[j]
		}
		value -= offset
		if r.Factor != nil {
			value *= r.Factor[j]
			offset *= r.Factor[j]
		}
		stored += float64(value * value)
		zero += float64(offset * offset)
	}
	return max(base-zero, 0) + stored
}

// Preprocess returns the rows of x as a kind of scaling, one of
// data.MomentScalings, makes them, and centred or not. The kind thesis centres
// always.
func Preprocess(x matrix.Matrix, scale string, center bool, threads int) (Rows, error) {
	r := Rows{X: x}
	if scale == "none" && !center {
		return r, nil
	}
	if n, _ := x.Dims(); scale == "none" && n > 0 {
		return Rows{X: x, Offset: ColumnMeans(x, threads), centred: true}, nil
	}
	moments := scaling.NewMoments(x, threads)
	if scale == "max-norm" && center {
		moments.MeasureCentred(x, threads)
	}
	s, err := moments.Scaling(scale, center)
	if err != nil {
		return r, err
	}
	if center || scale == "thesis" {
		r.Offset = s.Offset
	}
	if scale != "none" {
		r.Factor = s.Factor
	}
	return r, nil
}

// ColumnMeans returns the mean of every column.
func ColumnMeans(x matrix.Matrix, threads int) []float64 {
	n, _ := x.Dims()
	sums := columnSums(x, threads)
	algebra.Scale(sums, 1/float64(n))
	return sums
}

// columnSums returns the sums of the features, of parts that are a function of the
// rows alone and few enough for their sums to take less memory than the rows.
func columnSums(x matrix.Matrix, threads int) []float64 {
	n, d := x.Dims()
	count := min(64, int64(n+4095)/4096, 1+matrix.Nonzeros(x)/int64(4*max(d, 1)))
	sums := make([]float64, d)
	if n == 0 {
		return sums
	}
	block := int((int64(n) + count - 1) / count)
	parts, one := make([][]float64, (n+block-1)/block), []float64{1}
	parallel.Blocks(n, block, threads, func(b, lo, hi int) {
		parts[b] = make([]float64, d)
		for i := lo; i < hi; i++ {
			matrix.AddRows(parts[b], x, i, one)
		}
	})
	for _, part := range parts {
		vec.Axpy64(sums, 1, part)
	}
	return sums
}

// Centres reports whether n rows of d features of which so many values are stored are centred unless somebody says otherwise. Those with
// fewer values than one in rareValues features, as of text, where zero means that something is absent, are
// left where they are. Zeros of rows that are stored dense count as values.
func Centres(n, d int, stored int64) bool {
	return stored >= int64(math.Ceil(float64(n)*float64(d)/rareValues))
}

const rareValues = 20
