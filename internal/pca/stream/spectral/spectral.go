package spectral

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Spectral is a symmetric d x d matrix that is a multiple of the identity but for
// r directions:
//
//	A = U^T diag(a) U + b (I - U^T U),     U of r orthonormal rows,
//
// and grows by multiples of x x^T (thesis Algorithms 4.3 and 5.5, corrected in the
// reference, E4 and E19). For the incremental algorithm, MSG and capped MSG b = 0;
// for Warmuth and Kuzmin's A = -ln W.
//
// The rotation is lazy: U = V Q with Q of m >= r orthonormal rows of which some
// are new since V was last multiplied out, so a step costs O(m d + r^2 m) instead of
// O(r^2 d).
type Spectral struct {
	Value      []float64 // a, r numbers, descending; among equal ones the older first
	Background float64   // b
	PreferNew  bool      // among equal eigenvalues the newest direction is first instead
	Flops      float64   // operations so far; an eigensystem of a row counts as 40 r^2

	cols  int
	m     int
	q     []float64 // m x d
	v     []float64 // r x m, orthonormal rows
	drift int       // rows of x since U was last made orthonormal

	fresh []float64 // for each direction the square of its product with the direction of the last row
	c     []float64 // scratch, as all below
	lines [][]float64
	spare []float64
	rest  []float64
	small algebra.Eigensystem
	some  []float64 // coefficients that are not 0
	z     []float64
	outer []float64
	next  []float64
}

// NewSpectral returns b I in d dimensions.
func NewSpectral(cols int, background float64) *Spectral {
	return &Spectral{cols: cols, Background: background, rest: make([]float64, cols)}
}

// Rank returns r.
func (s *Spectral) Rank() int { return len(s.Value) }

// Insert adds rows that are orthonormal, and orthogonal to U, as directions with
// the given eigenvalues.
func (s *Spectral) Insert(rows []float64, value []float64) {
	s.compress()
	s.q = append(s.q, rows...)
	s.Value = append(s.Value, value...)
	s.m = len(s.Value)
	s.identity()
	s.sort()
}

// Update adds eta x x^T, where x has d numbers. It reports whether x had a
// part outside of U, which then is a direction of its own; of b I nothing is left
// when r = d.
func (s *Spectral) Update(eta float64, x []float64) (entered bool) {
	norm := math.Sqrt(vec.SquaredNorm64(x))
	if norm == 0 || eta == 0 {
		s.fresh = algebra.Zeros(s.fresh, len(s.Value))
		return false
	}
	r := len(s.Value)
	if s.m >= 2*r+4 {
		s.compress()
	}
	if s.drift++; s.drift > algebra.SteadySteps {
		s.Orthonormalise()
	}
	s.project(x, norm)
	y, length := s.split()
	entered = length > algebra.Negligible*norm && r < s.cols
	if entered {
		s.enter(length)
		y = append(y, length)
	}
	s.rotate(eta, y, entered)
	return entered
}

// project sets c to the coordinates of x in Q, and adds what is not in Q to it, as
// one more row, if that is not negligible.
func (s *Spectral) project(x []float64, norm float64) {
	copy(s.rest, x)
	s.c = algebra.Zeros(s.c, 2*s.m+1)
	length := s.takeOff(s.rest, s.q, s.m, s.c, norm)
	s.c = s.c[:s.m]
	if s.m < s.cols && length > algebra.Negligible*norm {
		s.q = append(s.q[:s.m*s.cols], s.rest...)
		own := s.q[s.m*s.cols:]
		clear(own)
		vec.Axpy64(own, 1/length, s.rest)
		s.widen()
		s.c = append(s.c, length)
	}
}

// takeOff subtracts from x, of the given norm, its projection on the first n of
// the orthonormal rows of q, and returns what its norm is then. The first n of c
// receive the coefficients; the next n are scratch. A second pass of Gram and
// Schmidt is made where the first has left so little that rounding shows.
func (s *Spectral) takeOff(x, q []float64, n int, c []float64, norm float64) (left float64) {
	lines := s.view(q, n, len(x))
	left = s.pass(x, lines, c[:n])
	if left < enough*norm {
		again := c[n : 2*n]
		left = s.pass(x, lines, again)
		for j, v := range again {
			c[j] += v
		}
	}
	for j := range n {
		c[j] = -c[j]
	}
	return left
}

// enough is the part of a row outside of a subspace above which one pass leaves it
// orthogonal to some 1e-15.
const enough = 0.25

// pass sets c to minus the products of x with the lines, takes its projection off
// x, and returns what is left of its norm.
func (s *Spectral) pass(x []float64, lines [][]float64, c []float64) float64 {
	for j, line := range lines {
		c[j] = -vec.Dot64(line, x)
	}
	vec.AddRows64(x, lines, 0, c)
	s.Flops += 4 * float64(len(lines)) * float64(len(x))
	return math.Sqrt(vec.SquaredNorm64(x))
}

// view returns the first n rows of q, valid until the next call.
func (s *Spectral) view(q []float64, n, width int) [][]float64 {
	s.lines = s.lines[:0]
	for j := range n {
		s.lines = append(s.lines, q[j*width:(j+1)*width])
	}
	return s.lines
}

// widen gives V one more column, of zeros.
func (s *Spectral) widen() {
	r := len(s.Value)
	s.next = algebra.Zeros(s.next, r*(s.m+1))
	for i := range r {
		copy(s.next[i*(s.m+1):], s.v[i*s.m:(i+1)*s.m])
	}
	s.v, s.next = s.next, s.v
	s.m++
}

// split returns the coordinates y = U x, and leaves in c those of the rest in Q,
// of which it returns the length.
func (s *Spectral) split() (y []float64, length float64) {
	r := len(s.Value)
	s.z = algebra.Zeros(s.z, 2*r+1)
	length = s.takeOff(s.c, s.v, r, s.z, math.Sqrt(vec.SquaredNorm64(s.c)))
	return s.z[:r], length
}

// enter makes what is left in c a direction with the eigenvalue of the background.
func (s *Spectral) enter(length float64) {
	algebra.Scale(s.c, 1/length)
	s.v = append(s.v[:len(s.Value)*s.m], s.c...)
	s.Value = append(s.Value, s.Background)
}

// Fresh returns the square of the product of direction i with the direction that
// the last Update brought in, 0 if it brought none.
func (s *Spectral) Fresh(i int) float64 { return s.fresh[i] }

// Truncate lets all directions but the first r become background.
func (s *Spectral) Truncate(r int) {
	if r < len(s.Value) {
		s.v, s.Value = s.v[:r*s.m], s.Value[:r]
		s.fresh = s.fresh[:min(r, len(s.fresh))]
	}
}

// compress multiplies V out: Q = V Q, V = I.
func (s *Spectral) compress() {
	r := len(s.Value)
	s.spare = algebra.CombineLines(s.spare, s.v, s.view(s.q, s.m, s.cols), r, s.cols)
	s.Flops += 2 * float64(r*s.m) * float64(s.cols)
	s.q, s.spare = s.spare, s.q
	s.m = r
	s.identity()
}

func (s *Spectral) identity() {
	s.v = algebra.Zeros(s.v, s.m*s.m)
	for i := range s.m {
		s.v[i*s.m+i] = 1
	}
}

// sort puts the directions in order.
func (s *Spectral) sort() {
	r := len(s.Value)
	s.outer = algebra.Zeros(s.outer, r*r)
	for i, a := range s.Value {
		s.outer[i*r+i] = a
	}
	order := append([]float64{}, s.small.Decompose(s.Value, s.outer, r)...)
	s.v = order
	s.compress()
}

// Orthonormalise takes back what U has drifted away from orthonormal, and keeps A:
// with U = R Q and Q orthonormal, A - b I = Q^T (R^T diag(a - b) R) Q.
func (s *Spectral) Orthonormalise() {
	s.compress()
	s.drift = 0
	m := s.m
	r := algebra.Orthonormalise(s.q, m, s.cols)
	inner := algebra.Zeros(s.outer, m*m)
	for i := range m {
		for k := range m {
			weight := r[i*m+k] * (s.Value[i] - s.Background)
			vec.Axpy64(inner[k*m:(k+1)*m], weight, r[i*m:(i+1)*m])
		}
	}
	algebra.Symmetrise(inner, m)
	s.outer = inner
	s.v = append(s.v[:0], s.small.Decompose(s.Value, inner, m)...)
	for i := range s.Value {
		s.Value[i] += s.Background
	}
	s.compress()
}

// rotate makes U diagonalise diag(a) + eta y y^T: O(r^2) for the eigensystem, by its
// secular equation, and O(r^2 m) for the directions, of which those that do not
// take part, as all but one of MSG's many ones, cost nothing. To prefer new
// directions it lists them first, for equal eigenvalues stay in their order.
func (s *Spectral) rotate(eta float64, y []float64, entered bool) {
	r, own := len(y), len(y)-1
	if s.PreferNew && entered {
		s.toFront(y)
		own = 0
	}
	vectors := s.small.RankOne(s.Value, eta, y)
	s.next = algebra.Zeros(s.next, r*s.m)
	s.fresh = algebra.Zeros(s.fresh, r)
	for i := range r {
		row := vectors[i*r : (i+1)*r]
		s.lines, s.some = s.lines[:0], s.some[:0]
		for j, c := range row {
			if c != 0 {
				s.lines, s.some = append(s.lines, s.v[j*s.m:(j+1)*s.m]), append(s.some, c)
			}
		}
		vec.AddRows64(s.next[i*s.m:(i+1)*s.m], s.lines, 0, s.some)
		s.Flops += float64(2 * len(s.some) * s.m)
		if entered {
			s.fresh[i] = row[own] * row[own]
		}
	}
	s.Flops += 40 * float64(r*r)
	s.v, s.next = s.next, s.v
}

// toFront moves the last direction before all others.
func (s *Spectral) toFront(y []float64) {
	r := len(y)
	last, value, own := y[r-1], s.Value[r-1], append([]float64{}, s.v[(r-1)*s.m:r*s.m]...)
	copy(y[1:], y[:r-1])
	copy(s.Value[1:], s.Value[:r-1])
	copy(s.v[s.m:], s.v[:(r-1)*s.m])
	y[0], s.Value[0] = last, value
	copy(s.v, own)
}
