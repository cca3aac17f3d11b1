// Package problem holds what is minimised, its dual, and the certificate.
//
// With row weights s_i, N = sum_i s_i, losses l_i of the prediction
// <w,x_i> + b, and a penalty Omega of the weights:
//
//	P(w,b) = (1/N) sum_i s_i l_i(<w,x_i> + b) + lambda Omega(w)
//	D(a)   = -(1/N) sum_i s_i l_i*(a_i) - lambda Omega*(-X^T(s.a) / (lambda N))
//
// where a free bias adds the constraint sum_i s_i a_i = 0. For every w, b and
// every such a, D(a) <= P(w,b): whoever shows both has proved how far from the
// optimum (w,b) can be at most. A [Certificate] is that proof.
//
// All of it is computed in double precision, and a certificate stays a proof where numbers
// underflow or overflow: bounds on rounding errors have an absolute part, lambda and the
// weights of rows have a range, and an objective of the zero point that is not 0 but
// underflows or overflows is refused. See rounding.go.
//
// The bias and the 1/N live here only. Finding good points is the business of
// package solver; nothing here iterates, but for the search for the best bias. A new kind of problem is a new file
// with a type that implements [Problem].
package problem

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Problem is a minimisation problem that can judge any point.
//
// Laws: Certify never reports a dual above the optimal value, whatever the
// point; it does not change the point; the same point gives the same bits, for
// any number of threads.
type Problem interface {
	Dims() (rows, cols int)
	Certify(Point) Certificate
}

// Point is a primal point and, when there is one, a dual point.
type Point struct {
	W []float64 // d+1 numbers: the weights, then the bias
	A []float64 // n dual variables, any numbers; nil: none yet
}

// fits reports whether the point has the shape of one of p. Solvers see to it; a point of
// another shape is judged by nothing.
func (pt Point) fits(p Problem) bool {
	rows, cols := p.Dims()
	return len(pt.W) == cols+1 && (pt.A == nil || len(pt.A) == rows)
}

// shapeless is the certificate of a point that has another shape than those of p.
func (pt Point) shapeless(p Problem) Certificate {
	rows, cols := p.Dims()
	return Certificate{Primal: math.Inf(1), Dual: math.Inf(-1), Warnings: []error{
		fmt.Errorf("problem: found a point of %d weights and %d dual variables, expected %d and the bias, and %d", len(pt.W), len(pt.A), cols, rows)}}
}

// Certificate bounds the suboptimality of a point: Primal is the objective
// there, Dual is below the optimal value. All rounding errors of both are
// already subtracted from Dual.
type Certificate struct {
	Primal, Dual float64
	Zero         float64 // the objective of the zero point, which sets the scale
	Rounding     float64 // how far both values may be off, together
	Warnings     []error
	Facts        *Facts // facts on a machine that [Kernel] or [Nu] judges; nil: none
}

// Gap returns Primal - Dual, which is at least the true suboptimality.
func (c Certificate) Gap() float64 { return c.Primal - c.Dual }

// Relative returns Gap relative to the size of the objective:
// (P - D) / max(|P|, |D|, 1e-12 |P(0)|); +Inf when there is no dual point.
func (c Certificate) Relative() float64 { return Relative(c.Primal, c.Dual, c.Zero) }

// Relative returns the relative gap of a primal and a dual value; zero is the
// objective of the zero point.
func Relative(primal, dual, zero float64) float64 {
	gap := primal - dual
	switch {
	case math.IsNaN(gap) || math.IsInf(gap, 0):
		return math.Inf(1)
	case gap == 0:
		return 0
	}
	return gap / max(math.Abs(primal), math.Abs(dual), leastShare*math.Abs(zero))
}

// leastShare is the share of the objective of the zero point by which gaps are divided if
// both values are smaller.
const leastShare = 1e-12

// RelativeToZero reports whether Relative divides by a share of the objective of the zero
// point.
func RelativeToZero(primal, dual, zero float64) bool {
	return max(math.Abs(primal), math.Abs(dual)) < leastShare*math.Abs(zero)
}

// without takes the point out of the problem, with a warning that says why, if it has
// a bias where there is none.
func (c *Certificate) without(b Bias, bias float64) {
	if b == None && bias != 0 {
		c.Warnings = append(c.Warnings, fmt.Errorf("the point has the bias %g, but the problem has none", bias))
		c.Primal = math.Inf(1)
	}
}

// A DataError is about rows, their targets or weights; the other errors of the functions
// that make problems are about parameters.
type DataError string

func (e DataError) Error() string { return "problem: " + string(e) }

func dataError(format string, args ...any) error { return DataError(fmt.Sprintf(format, args...)) }

// Bias says what the constant term of a prediction costs.
type Bias int

// The three kinds of bias.
const (
	Free    Bias = iota // no penalty
	None                // there is no bias
	Feature             // the weight of a constant column of ones, with penalty
)

var biasNames = [...]string{Free: "free", None: "none", Feature: "feature"}

// BiasNames returns the names that ParseBias takes.
func BiasNames() []string { return biasNames[:] }

func (b Bias) String() string { return biasNames[b] }

// ParseBias returns the bias of that name.
func ParseBias(name string) (Bias, error) {
	for b, n := range biasNames {
		if n == name {
			return Bias(b), nil
		}
	}
	return 0, fmt.Errorf("unknown bias %q: known: free, none, feature", name)
}

// ParseConstant is ParseBias that also takes "feature:value=10", and returns the value of the constant column,
// rounded to single precision as all data are; otherwise 1.
func ParseConstant(spec string) (b Bias, value float64, err error) {
	name, rest, given := strings.Cut(spec, ":")
	if b, err = ParseBias(name); err != nil || !given {
		return b, 1, err
	}
	number, _ := strings.CutPrefix(rest, "value=")
	v, err := strconv.ParseFloat(number, 32)
	if number == rest || b != Feature || err != nil || !(v > 0 && v <= math.MaxFloat32) {
		return b, 1, fmt.Errorf("bias %q: expected free, none, feature, or feature:value=V with a number V > 0", spec)
	}
	return b, v, nil
}

// Interruptible is a Problem whose certificates, and what it does for solvers, may take
// seconds: StopWhen makes it ask over on the way and leave the rest undone once that is
// true; nil: never. Cut reports whether it did since then. Of a certificate that was
// cut short the objective of the point is no number, or, if that could still be
// computed, nothing is known of the bound.
type Interruptible interface {
	Problem
	StopWhen(over func() bool)
	Cut() bool
}

// unfinished is the certificate of a point whose objective was not computed.
func unfinished(zero float64) Certificate {
	return Certificate{Primal: math.NaN(), Dual: math.Inf(-1), Zero: zero}
}

// Matrix is the matrix that a kernel makes of the rows of x, which [NewKernel] and the problems like it
// take; its rows are computed when they are needed, and kept as far as there is room.
func Matrix(k kernel.Kernel, x matrix.Matrix, threads int) (*gram.Gram, error) {
	return gram.NewGram(k, x, gram.Options{Threads: threads})
}
