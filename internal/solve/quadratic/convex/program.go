// Package convex solves convex quadratic programs of sparse matrices, with equations, inequalities
// and variables with or without bounds, and proves how good the answer is, or that there is none.
// Begin with [Program.Solve]; embedding.go has the method, proof.go what is proved.
package convex

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// Program is, with n variables and m rows,
//
//	min  x^T P x/2 + q^T x + constant,  lower <= A x <= upper,  least <= x <= most,
//
// P symmetric and positive semidefinite, both triangles of it stored. Bounds may be infinite; an
// equation is a row whose bounds are equal.
type Program struct {
	P            Sparse    // n x n
	Q            []float64 // n
	Constant     float64
	A            Sparse    // m x n
	Lower, Upper []float64 // m
	Least, Most  []float64 // n
}

// MostVariables is how many a program may have: the matrix that a step factors is dense, of 8 n^2
// bytes, and n^3/3 products.
const MostVariables = 10000

// complete sets what is nil: P to zeros, bounds to infinite ones.
func (g *Program) complete() {
	n, m := len(g.Q), g.A.Rows()
	if g.P.Start == nil {
		g.P = NewSparse(n, n, nil)
	}
	for _, v := range []struct {
		bounds *[]float64
		count  int
		sign   int
	}{{&g.Lower, m, -1}, {&g.Upper, m, 1}, {&g.Least, n, -1}, {&g.Most, n, 1}} {
		if *v.bounds == nil {
			*v.bounds = slices.Repeat([]float64{math.Inf(v.sign)}, v.count)
		}
	}
}

// Check completes a program, a P that is nil being zeros and bounds that are nil infinite, and refuses
// what is none: sizes that differ, NaN, infinite numbers that are no bounds, a P that is not symmetric
// but for roundings, too many variables. Bounds that cross are no fault, but an infeasible program.
func (g *Program) Check() error {
	g.complete()
	n, m := len(g.Q), g.A.Rows()
	switch {
	case n == 0:
		return fmt.Errorf("found no variables, expected at least one")
	case n > MostVariables:
		return fmt.Errorf("found %d variables, expected at most %d: a step factors a dense matrix of them", n, MostVariables)
	case g.P.Rows() != n || g.P.Cols != n:
		return fmt.Errorf("matrix P: found %d x %d numbers, expected %d x %d, as q has %d", g.P.Rows(), g.P.Cols, n, n, n)
	case m > 0 && g.A.Cols != n:
		return fmt.Errorf("matrix A: found %d columns, expected %d, as q has numbers", g.A.Cols, n)
	case len(g.Lower) != m || len(g.Upper) != m:
		return fmt.Errorf("l and u: found %d and %d numbers, expected %d, one for each row of A", len(g.Lower), len(g.Upper), m)
	case len(g.Least) != n || len(g.Most) != n:
		return fmt.Errorf("lb and ub: found %d and %d numbers, expected %d, one for each variable", len(g.Least), len(g.Most), n)
	}
	for _, list := range []struct {
		name     string
		values   []float64
		infinite float64 // what may be in it: 0 none
	}{{"P", g.P.Value, 0}, {"q", g.Q, 0}, {"A", g.A.Value, 0}, {"l", g.Lower, -1}, {"u", g.Upper, 1}, {"lb", g.Least, -1}, {"ub", g.Most, 1}, {"constant", []float64{g.Constant}, 0}} {
		for k, v := range list.values {
			if v-v != 0 && (list.infinite == 0 || v != math.Inf(int(list.infinite))) {
				return fmt.Errorf("%s: found %v as number %d, expected a finite one%s", list.name, v, k+1, map[float64]string{-1: " or -inf", 1: " or inf"}[list.infinite])
			}
		}
	}
	return g.symmetric()
}

// symmetric refuses a P that is not, by more than roundings: these become the mean of both numbers,
// which leaves x^T P x as it is.
func (g *Program) symmetric() error {
	n := len(g.Q)
	turned, diagonal := g.P.Turned(), make([]float64, n)
	for i := range n {
		index, value := g.P.Row(i)
		if k, ok := slices.BinarySearch(index, i); ok {
			diagonal[i] = math.Abs(value[k])
		}
	}
	mean := Sparse{Cols: n, Start: make([]int, 1, n+1)}
	for i := range n {
		a, v := g.P.Row(i)
		b, w := turned.Row(i)
		for len(a)+len(b) > 0 {
			var j int
			var here, there float64
			inA, inB := len(b) == 0 || len(a) > 0 && a[0] <= b[0], len(a) == 0 || len(b) > 0 && b[0] <= a[0]
			if inA {
				j, here, a, v = a[0], v[0], a[1:], v[1:]
			}
			if inB {
				j, there, b, w = b[0], w[0], b[1:], w[1:]
			}
			size := math.Sqrt(diagonal[i])*math.Sqrt(diagonal[j]) + math.Abs(here)
			if d := math.Abs(here - there); d > 1e-12*size {
				return fmt.Errorf("matrix P: found numbers that differ by %.3g in row %d, column %d and in row %d, column %d, expected a symmetric matrix", d, i+1, j+1, j+1, i+1)
			}
			mean.Index, mean.Value = append(mean.Index, j), append(mean.Value, here/2+there/2)
		}
		mean.Start = append(mean.Start, len(mean.Index))
	}
	g.P = mean
	return nil
}

// Curvature is what is known of the eigenvalues of P. Proved are those of P + Shift.
type Curvature struct {
	Shift  float64   // no eigenvalue is below -Shift: the roundings of the proof
	Value  float64   // v^T P v/v^T v of the direction, negative where P is not semidefinite
	Vector []float64 // nil: none is known
}

// Convex tells whether P is positive semidefinite: P + shift has a Cholesky factor, or there is a
// direction of negative curvature. A shift of the size of the roundings is left undecided, and
// counts as semidefinite.
func (g *Program) Convex(threads int) Curvature {
	var some []int // variables with curvature
	largest := 0.0
	for i := range g.Q {
		if index, value := g.P.Row(i); len(index) > 0 {
			some = append(some, i)
			for _, v := range value {
				largest = max(largest, math.Abs(v))
			}
		}
	}
	k := len(some)
	if k == 0 {
		return Curvature{}
	}
	shift := float64(float64(k+8) * 0x1p-48 * largest)
	var factor lapack.Cholesky
	factor.Decompose(g.square(some, shift), k, threads)
	if !factor.Raised() {
		return Curvature{Shift: float64(2 * shift)}
	}
	values, vectors := make([]float64, k), make([]float64, k*k)
	lapack.Eigen(values, vectors, g.square(some, 0), k, threads)
	c := Curvature{Shift: float64(4 * shift), Vector: make([]float64, len(g.Q))}
	for a, i := range some { // the last eigenvalue is the smallest
		c.Vector[i] = vectors[(k-1)*k+a]
	}
	product := make([]float64, len(g.Q))
	g.P.Times(product, c.Vector)
	c.Value = vec.Dot64(c.Vector, product) / vec.SquaredNorm64(c.Vector)
	if !(c.Value < -c.Shift) {
		c.Vector = nil
	}
	return c
}

// square is P + shift of some variables, the only ones of which P has rows.
func (g *Program) square(some []int, shift float64) []float64 {
	k, at := len(some), make([]int, len(g.Q))
	for a, i := range some {
		at[i] = a
	}
	m := make([]float64, k*k)
	for a, i := range some {
		index, value := g.P.Row(i)
		for b, j := range index {
			m[a*k+at[j]] = value[b]
		}
		m[a*k+a] += shift
	}
	return m
}
