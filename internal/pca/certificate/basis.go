package certificate

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// The basis that a certificate is about: rounding moves the span when rows are made
// orthonormal, all the more the closer they are to dependent ones, and what V
// captures is not what the rows B do that were given. But with any matrix M the rows
// of W = M B are in their span. So where |V - W|_F <= away, and L = lambda_1,
//
//	|W Sigma^1/2|_F >= |V Sigma^1/2|_F - away sqrt(L),   |W| <= |V| + away,
//
// and the span captures at least (|W Sigma^1/2|_F/|W|)^2. M is the inverse of the
// triangle of Gram and Schmidt.

// setBasis orthonormalises. Rows that depend on others are left out: they capture
// nothing.
func (c *certifier) setBasis(b method.Basis) {
	rows := make([]float64, b.K*c.d)
	for i := range b.K {
		copyBalanced(rows[i*c.d:(i+1)*c.d], b.Row(i))
	}
	c.Departure = b.Departure()
	var triangle []float64
	c.basis, rows, triangle = independent(rows, b.K, c.d)
	c.r = len(c.basis) / c.d
	c.off = offOrthonormal(c.basis, c.r, c.d, c.threads)
	c.away = departed(c.basis, rows, triangle, c.r, c.d)
}

// searchSeed mixes the seed with V. Who knows the random vectors can choose a basis
// beside which the largest directions hide from them: orthogonal to all eight, which
// takes nine of about the same variance. So the vectors follow from the basis, by a
// hash whose result cannot be chosen.
func (c *certifier) searchSeed() uint64 {
	hash := sha256.New()
	text := binary.LittleEndian.AppendUint64(nil, c.seed())
	for i, x := range c.basis {
		if text = binary.LittleEndian.AppendUint64(text, math.Float64bits(x)); len(text) > 4096 || i == len(c.basis)-1 {
			hash.Write(text)
			text = text[:0]
		}
	}
	hash.Write(text)
	return binary.LittleEndian.Uint64(hash.Sum(nil))
}

// copyBalanced sets dst to src times a power of two that makes it about 1.
func copyBalanced(dst, src []float64) {
	most := 0.0
	for _, v := range src {
		most = max(most, math.Abs(v))
	}
	_, exponent := math.Frexp(most)
	for j, v := range src {
		dst[j] = math.Ldexp(v, -exponent)
	}
}

// independent returns those of the m rows that do not depend on the ones before,
// them made orthonormal, and the triangle, r x r, that makes them of these.
func independent(rows []float64, m, d int) (basis, kept, triangle []float64) {
	var which []int
	coefficients := make([][]float64, m)
	for i := range m {
		r := len(which)
		basis = append(basis, rows[i*d:(i+1)*d]...)
		row, c, sum := basis[r*d:], make([]float64, r), make([]float64, r+1)
		before := math.Sqrt(vec.SquaredNorm64(row))
		for range 2 {
			algebra.TakeOff(row, basis[:r*d], c)
			vec.Axpy64(sum, 1, c)
		}
		after := math.Sqrt(vec.SquaredNorm64(row))
		if !(after > algebra.Negligible*before) {
			basis = basis[:r*d]
			continue
		}
		algebra.Scale(row, 1/after)
		sum[r], coefficients[r] = after, sum
		which = append(which, i)
	}
	r := len(which)
	triangle = make([]float64, r*r)
	for l, i := range which {
		kept = append(kept, rows[i*d:(i+1)*d]...)
		copy(triangle[l*r:], coefficients[l])
	}
	return basis, kept, triangle
}

// departed returns a bound on |V - M B|_F with the inverse M of the triangle, as it
// is computed. Row i is computed as M_ii b_i - v_i plus M_il b_l for all l < i; each
// of the i+1 fused products is off by unit times what there is after it, which is no
// larger than the first result plus sum_l |M_il| |b_l|.
func departed(v, b, triangle []float64, r, d int) float64 {
	invertTriangle(triangle, r)
	lengths, row, total := make([]float64, r), make([]float64, d), 0.0
	for i := range r {
		lengths[i] = math.Sqrt(vec.SquaredNorm64(b[i*d : (i+1)*d]))
		for j, x := range v[i*d : (i+1)*d] {
			row[j] = -x
		}
		vec.Axpy64(row, triangle[i*r+i], b[i*d:(i+1)*d])
		size, least := math.Sqrt(vec.SquaredNorm64(row)), math.Abs(triangle[i*r+i])
		for l, x := range triangle[i*r : i*r+i] {
			vec.Axpy64(row, x, b[l*d:(l+1)*d])
			size += float64(math.Abs(x) * lengths[l])
			least += math.Abs(x)
		}
		// least: what of b_l has underflowed
		left := math.Sqrt(vec.SquaredNorm64(row)) + float64(1.1*algebra.Gamma(d+2*i+8)*size) + float64(0x1p-900*least)
		total += float64(left * left)
	}
	return algebra.Up(math.Sqrt(total) * (1 + algebra.Gamma(d+r+8)))
}

// invertTriangle makes the lower triangular t, r x r, its inverse.
func invertTriangle(t []float64, r int) {
	row := make([]float64, r)
	for i := range r {
		copy(row, t[i*r:i*r+i])
		own := t[i*r : i*r+i]
		clear(own)
		for l, x := range row[:i] {
			vec.Axpy64(own[:l+1], -x, t[l*r:l*r+l+1])
		}
		t[i*r+i] = 1 / t[i*r+i]
		algebra.Scale(own, t[i*r+i])
	}
}

// offOrthonormal returns a bound on the norm of V V^T - I: that of what is computed
// and of its error. Sums are cut into parts, whose errors add up to less.
func offOrthonormal(v []float64, r, d, threads int) float64 {
	const part = 2048
	sum, one := make([]float64, r*r), make([]float64, r*r)
	for lo := 0; lo < d; lo += part {
		clear(one)
		blas.SyrkRows64(algebra.Block(one, r, r),
			blas.Block[float64]{Value: v[min(lo, len(v)):], Rows: r, Cols: min(part, d-lo), Stride: d}, threads)
		vec.Axpy64(sum, 1, one)
	}
	length := 0.0
	for i := range r {
		length += sum[i*r+i]
		sum[i*r+i]--
	}
	return algebra.Up(math.Sqrt(vec.SquaredNorm64(sum)) + float64(algebra.Gamma(min(d, part)+d/part+r+8)*length))
}

// captured returns a lower bound from a computed tr(V Sigma V^T), which is wrong by
// at most wrong.
func (c *certifier) captured(computed, wrong float64) float64 {
	left := float64(math.Sqrt(max(0, computed-wrong))*(1-4*algebra.Unit)) - float64(c.away*math.Sqrt(c.size.upper)*(1+4*algebra.Unit))
	if !(left > 0) { // or no number, where the rows given are almost dependent
		return 0
	}
	share := left / (math.Sqrt(1+c.off) + c.away)
	return float64(share * share * (1 - 0x1p-48))
}
