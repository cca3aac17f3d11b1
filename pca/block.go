package pca

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// Products of blocks of rows of d numbers.

// multiply sets c, m x b, to V Z^T.
func multiply(c, v, z []float64, m, b, d, threads int) {
	clear(c)
	vec.Gemm64(whole(c, m, b), whole(v, m, d), whole(z, b, d), threads)
}

func whole(x []float64, rows, cols int) vec.Block[float64] {
	return vec.Block[float64]{Value: x, Rows: rows, Cols: cols, Stride: cols}
}

// subtract takes H^T V off z, b x d, where h is m x b and v is m x d.
func subtract(z, h, v []float64, b, m, d, threads int) {
	if b >= 24 {
		minus := make([]float64, m*b)
		vec.Axpy64(minus, -1, h[:m*b])
		vec.GemmCols64(whole(z, b, d), whole(minus, m, b), whole(v, m, d), threads)
		return
	}
	turned, list := make([]float64, b*m), make([][]float64, m)
	for j := range m {
		list[j] = v[j*d : (j+1)*d]
		for i := range b {
			turned[i*m+j] = -h[j*b+i]
		}
	}
	matrix.Blocks(d, 256, threads, func(_, lo, hi int) {
		for i := range b {
			vec.AddRows64(z[i*d+lo:i*d+hi], list, lo, turned[i*m:(i+1)*m])
		}
	})
}

// rotateRows replaces the first keep rows of v, m x d, by S V, where s is keep x m.
func rotateRows(v, s []float64, keep, m, d, threads int) {
	turned := make([]float64, m*keep)
	vec.Transpose64(whole(turned, m, keep), whole(s, keep, m))
	matrix.Blocks(d, 1024, threads, func(_, lo, hi int) {
		out := whole(make([]float64, keep*(hi-lo)), keep, hi-lo)
		vec.GemmCols64(out, whole(turned, m, keep), vec.Block[float64]{Value: v[lo:], Rows: m, Cols: hi - lo, Stride: d}, 1)
		for i := range keep {
			copy(v[i*d+lo:i*d+hi], out.Value[i*(hi-lo):])
		}
	})
}

// orthonormalBlock replaces the m rows of z by orthonormal ones that span the same
// but for directions shorter than floor, at most most, and returns their number and R, m x
// number, with old Z = R Z, and how many times shorter the shortest direction's square
// was. The eigenvectors of the rows' products give both
// (Stathopoulos and Wu, SISC 2002): it is made of matrix products, and what rows
// that nearly depend on each other lose is made good when it is done again.
func orthonormalBlock(z []float64, m, most, d int, floor float64, threads int, eigen *vec.Eigensystem) (rows int, r []float64, spread float64) {
	g := make([]float64, m*m)
	vec.SyrkRows64(whole(g, m, m), whole(z, m, d), threads)
	length := make([]float64, m)
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
	values, s := make([]float64, m), make([]float64, m*m)
	eigen.Decompose(values, s, g, m, threads)
	for rows < min(m, most) && values[rows] > float64(m)*0x1p-46*values[0] && longEnough(s[rows*m:(rows+1)*m], length, values[rows], floor) {
		rows++
	}
	r = make([]float64, m*rows)
	for i := range rows {
		root := math.Sqrt(values[i])
		for j := range m {
			r[j*rows+i] = length[j] * s[i*m+j] * root
			if length[j] > 0 {
				s[i*m+j] /= root * length[j]
			}
		}
	}
	rotateRows(z, s, rows, m, d, threads)
	if rows > 0 {
		spread = values[0] / values[rows-1]
	}
	return rows, r, spread
}

// longEnough reports whether a direction, of which the rows have the parts s of
// their lengths, is at least floor long in one of them.
func longEnough(s, length []float64, value, floor float64) bool {
	longest := 0.0
	for j, x := range s {
		longest = max(longest, math.Abs(x)*length[j])
	}
	return longest*math.Sqrt(value) >= floor && longest > 0
}
