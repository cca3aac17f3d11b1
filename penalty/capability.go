package penalty

// What a penalty can do beyond [Penalty]. It says so in its own file, by methods and a
// compile-time assertion; conform.Penalty compares each with the value and the conjugate. A
// solver's Accepts asks for what the solver needs: a penalty that does not declare it is
// refused. A type that embeds a penalty declares all that this one does.
//
//	Strong          a conjugate with a gradient                 losses that are not smooth
//	Separable       the same, for single weights                sdca
//	Elastic         l1 |w|_1 + l2 |w|^2/2, and nothing else     newton, cd, pegasos; sdca: proximal steps
//	Nonnegative     the same where no weight is negative        cd, covariance; certificates
//	Differentiable  a gradient                                  methods that follow it
//	PNorm           a squared p-norm                            primal gradient methods
//	Rounded         values that take powers                     certificates
//	Confined        0 or infinite: a ball                       frank-wolfe, projected-sgd
//	Coupled         a value in which signs matter               certificates
//	Matrix          weights of several outputs together         problems
//	Shaped          weights of a given number                   problems
//	Approximate     a domain found by iterations                conform

// Strong is a penalty with StrongConvexity() > 0. Its conjugate then has a
// gradient: Weights writes it to dst, the w that attains <u, w> - Omega(w);
// dst may be u.
type Strong interface {
	Penalty
	Weights(dst, u []float64)
}

// Separable is a strong penalty that is a sum of functions of single weights: a weight
// depends on its own u_j alone, whatever the others are. WeightsAt writes those of some columns, the
// first ones if columns is nil, of which u has the numbers; dst may be u.
//
// Law: the numbers are those of Weights, bit for bit.
type Separable interface {
	Strong
	WeightsAt(dst, u []float64, columns []uint32)
}

// Elastic is the penalty l1 |w|_1 + l2 |w|^2/2, l1 and l2 >= 0.
type Elastic interface {
	Penalty
	Coefficients() (l1, l2 float64)
}

// Nonnegative is the penalty l1 sum_j w_j + l2 |w|^2/2 where no weight is below 0, and infinite elsewhere, l1 and l2 >= 0. So its
// conjugate is that of the positive u_j alone.
type Nonnegative interface {
	Penalty
	OnNonnegative() (l1, l2 float64)
}

// Differentiable is a penalty with a gradient at every w: Gradient writes it to dst, which may
// be w.
type Differentiable interface {
	Penalty
	Gradient(dst, w []float64)
}

// PNorm is the penalty |w|_P^2 / (2(P-1)), 1 < P <= 2.
type PNorm interface {
	Strong
	P() float64
}

// Rounded is a penalty that needs more than additions and multiplications. Value and Conjugate of n
// numbers have a relative error of at most Rounding(n) 2^-53, where nothing under- or
// overflows; of other penalties it is n+8.
type Rounded interface {
	Penalty
	Rounding(n int) float64
}

// Confined is the penalty that is 0 where |w| <= radius in a norm, 1 or 2, and infinite elsewhere. Its
// Prox is the projection; Shorten multiplies w by the factor, if it is below 1, that brings it inside.
type Confined interface {
	Penalty
	Bound() (norm int, radius float64)
	Shorten(w []float64)
}

// BallOf returns the norm and the radius of a penalty that says that it is Confined, 0 of others.
func BallOf(p Penalty) (norm int, radius float64) {
	if c, ok := p.(Confined); ok {
		return c.Bound()
	}
	return 0, 0
}

// Coupled is a penalty that depends on more than magnitudes: it is even, Omega(-w) = Omega(w), and a
// weight may cost less where it is larger. Its conjugate is 0 on a domain.
//
// Law: Within(u, reach) returns a scale in (0, 1] with which v is in the domain for every v with
// |v_j - u_j| <= reach_j.
type Coupled interface {
	Penalty
	Within(u, reach []float64) (scale float64)
}

// Approximate is a penalty whose proximal point and conjugate are found by iterations: a scale that Conjugate returns
// may be smaller than the largest by the share Accuracy, and never is larger.
type Approximate interface {
	Penalty
	Accuracy() float64
}

// Matrix is a penalty of the weights of all outputs as a matrix, stored row by row: Of returns that of so many columns,
// one for each output. Rank is that of the matrix, but for rounding.
type Matrix interface {
	Penalty
	Of(columns int) Matrix
	Rank(w []float64) int
}

// IsMatrix reports whether p says that it is one.
func IsMatrix(p Penalty) bool {
	_, ok := p.(Matrix)
	return ok
}

// Shaped is a penalty of weights of a given number: Fits says what is wrong with another one.
type Shaped interface {
	Penalty
	Fits(features int) error
}

// Units returns the relative rounding error of the value and the conjugate of n numbers, in
// units of 2^-53.
func Units(p Penalty, n int) float64 {
	if r, ok := p.(Rounded); ok {
		return r.Rounding(n)
	}
	return float64(n + 8)
}

// Coefficients returns those of a penalty that says that it is Elastic.
func Coefficients(p Penalty) (l1, l2 float64, ok bool) {
	e, ok := p.(Elastic)
	if !ok {
		return 0, 0, false
	}
	l1, l2 = e.Coefficients()
	return l1, l2, true
}

// Corners returns the coefficients of a penalty that says that it is Elastic or Nonnegative.
func Corners(p Penalty) (l1, l2 float64, nonnegative, ok bool) {
	if n, ok := p.(Nonnegative); ok {
		l1, l2 = n.OnNonnegative()
		return l1, l2, true, true
	}
	l1, l2, ok = Coefficients(p)
	return l1, l2, false, ok
}

// IsRidge reports whether p says that it is |w|^2/2.
func IsRidge(p Penalty) bool {
	l1, l2, ok := Coefficients(p)
	return ok && l1 == 0 && l2 == 1
}
