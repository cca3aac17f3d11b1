package algebra

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// Products of blocks of rows of d numbers.

// Multiply sets c, m x b, to V Z^T.
func Multiply(c, v, z []float64, m, b, d, threads int) {
	clear(c)
	blas.Gemm64(Block(c, m, b), Block(v, m, d), Block(z, b, d), threads)
}

// Subtract takes H^T V off z, b x d, where h is m x b and v is m x d.
func Subtract(z, h, v []float64, b, m, d, threads int) {
	if b >= 24 {
		minus := make([]float64, m*b)
		vec.Axpy64(minus, -1, h[:m*b])
		blas.GemmCols64(Block(z, b, d), Block(minus, m, b), Block(v, m, d), threads)
		return
	}
	turned, list := make([]float64, b*m), make([][]float64, m)
	for j := range m {
		list[j] = v[j*d : (j+1)*d]
		for i := range b {
			turned[i*m+j] = -h[j*b+i]
		}
	}
	parallel.Blocks(d, 256, threads, func(_, lo, hi int) {
		for i := range b {
			vec.AddRows64(z[i*d+lo:i*d+hi], list, lo, turned[i*m:(i+1)*m])
		}
	})
}

// RotateRows replaces the first keep rows of v, m x d, by S V, where s is keep x m.
func RotateRows(v, s []float64, keep, m, d, threads int) {
	turned := make([]float64, m*keep)
	blas.Transpose64(Block(turned, m, keep), Block(s, keep, m))
	parallel.Blocks(d, 1024, threads, func(_, lo, hi int) {
		out := Block(make([]float64, keep*(hi-lo)), keep, hi-lo)
		blas.GemmCols64(out, Block(turned, m, keep), blas.Block[float64]{Value: v[lo:], Rows: m, Cols: hi - lo, Stride: d}, 1)
		for i := range keep {
			copy(v[i*d+lo:i*d+hi], out.Value[i*(hi-lo):])
		}
	})
}

// OrthonormalBlock replaces the m rows of z by nearly orthonormal ones that span the
// same but for directions shorter than floor, at most most, and returns their number,
// R, m x number, with old Z = R Z, and how many times the longest direction was longer
// than the shortest. They are the eigenvectors of the products of the rows, made as
// long as rows (Stathopoulos and Wu, SISC 2002): it is made of matrix products, and
// exact when done again, once the spread is small.
func OrthonormalBlock(z []float64, m, most, d int, floor float64, threads int, eigen *lapack.Eigensystem) (rows int, r []float64, spread float64) {
	s, length := directions(z, m, d, threads, eigen)
	turn := make([]float64, m*m)
	for i := range m {
		for j := range m {
			if length[j] > 0 {
				turn[i*m+j] = s[i*m+j] / length[j]
			}
		}
	}
	RotateRows(z, turn, m, m, d, threads)
	r = make([]float64, m*m)
	longest, shortest := 0.0, math.Inf(1)
	for i := range m {
		row := z[i*d : (i+1)*d]
		long := math.Sqrt(vec.SquaredNorm64(row))
		longest = max(longest, long)
		if rows == most || !(long > 1e-14*longest) || long*longestPart(s[i*m:(i+1)*m], length) < floor {
			continue
		}
		shortest = min(shortest, long)
		for j := range m {
			r[j*m+rows] = length[j] * s[i*m+j] * long
		}
		Scale(row, 1/long)
		copy(z[rows*d:(rows+1)*d], row)
		rows++
	}
	for j := range m {
		copy(r[j*rows:(j+1)*rows], r[j*m:j*m+rows])
	}
	return rows, r[:m*rows], longest / shortest
}

// directions returns the eigenvectors of the cosines between the rows of z, and the
// rows' lengths.
func directions(z []float64, m, d, threads int, eigen *lapack.Eigensystem) (s, length []float64) {
	g := make([]float64, m*m)
	blas.SyrkRows64(Block(g, m, m), Block(z, m, d), threads)
	length = make([]float64, m)
	for i := range m {
		length[i] = math.Sqrt(g[i*m+i])
	}
	for i := range m {
		for j := range m {
			if g[i*m+j] != 0 {
				g[i*m+j] = g[i*m+j] / length[i] / length[j]
			}
		}
	}
	s = make([]float64, m*m)
	eigen.Decompose(make([]float64, m), s, g, m, threads)
	return s, length
}

// longestPart returns the largest of the parts that a direction has of rows.
func longestPart(s, length []float64) float64 {
	longest := 0.0
	for j, x := range s {
		longest = max(longest, math.Abs(x)*length[j])
	}
	return longest
}

// Sized returns n numbers of any value in the memory of x, if there is enough.
func Sized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n, n+n/4)
	}
	return x[:n]
}

// Block is the rows x cols matrix x.
func Block[T float32 | float64](x []T, rows, cols int) blas.Block[T] {
	return blas.Block[T]{Value: x, Rows: rows, Cols: cols, Stride: cols}
}

// Square is m x m zeros.
func Square(m int) blas.Block[float64] {
	return Block(make([]float64, m*m), m, m)
}

// AddTo adds one matrix to another of its shape.
func AddTo(sum, one blas.Block[float64], threads int) {
	m := sum.Stride
	parallel.Blocks(sum.Rows, 64, threads, func(_, lo, hi int) { vec.Axpy64(sum.Value[lo*m:hi*m], 1, one.Value[lo*m:hi*m]) })
}

// Scale multiplies x by a number.
func Scale(x []float64, by float64) {
	for j := range x {
		x[j] *= by
	}
}

// Zeros returns n zeros in the memory of x, if there is enough.
func Zeros(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n, n+n/2)
	}
	x = x[:n]
	clear(x)
	return x
}

// Combine returns the product of v, r x m, and q, m x d, in the memory of out if
// there is enough.
func Combine(out, v, q []float64, r, m, d int) []float64 {
	var lines [][]float64
	for j := range m {
		lines = append(lines, q[j*d:(j+1)*d])
	}
	return CombineLines(out, v, lines, r, d)
}

// CombineLines is combine by strips of q that stay in the first cache.
func CombineLines(out, v []float64, lines [][]float64, r, d int) []float64 {
	const strip = 256
	out = Zeros(out, r*d)
	m := len(lines)
	for lo := 0; lo < d; lo += strip {
		hi := min(lo+strip, d)
		for i := range r {
			vec.AddRows64(out[i*d+lo:i*d+hi], lines, lo, v[i*m:(i+1)*m])
		}
	}
	return out
}

// Total returns the sum.
func Total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// Symmetrise makes s what it is but for the order of terms.
func Symmetrise(s []float64, d int) {
	for i := range d {
		for j := range i {
			mean := (s[i*d+j] + s[j*d+i]) / 2
			s[i*d+j], s[j*d+i] = mean, mean
		}
	}
}

// Divide divides x by a number.
func Divide(x []float64, by float64) {
	for i := range x {
		x[i] /= by
	}
}
