// Package joint holds convex functions of the predictions of all classes at once.
//
// A [Loss] measures how wrong K predictions p are for the class y: the score of each class is
// a prediction, and one loss judges them together, where package loss judges a single number.
// Each file holds one loss: its type, its methods, and the row that registers its name. The
// examiner conform.Joint checks every law below.
//
// Averages over rows, weights, lambda and bias are not here: package problem has them.
package joint

import (
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
)

// Loss is a closed convex function of K >= 2 predictions p, finite everywhere, for each class
// y from 0 to K-1. All methods are pure and safe for concurrent use.
//
// Its subgradients a lie in the simplex of all probabilities, moved by the class:
//
//	domain(y) = {q - e_y : q_k >= 0, sum_k q_k = 1}
//
// so that the a_k of the other classes, which are >= 0 and add up to S <= 1, say all: a_y is
// -S. Conjugate reads those alone, as no rounded a_y makes the sum exactly 0; where they add
// up to more than 1 by rounding, S counts as 1.
//
// Laws, with l = Value(., y), g = Derivative(., y), l* = Conjugate(., y):
//
//	l(q) >= l(p) + <g(p), q-p>                        g is a subgradient, in the domain
//	l(p) + l*(a) >= <a, p>, with equality at a = g(p)  Fenchel and Young
//	Dual(v, s, y) is (v-u)/s, in the domain, with u the minimum of l(u) + |u-v|^2/(2s), s > 0
//	|g(p)-g(q)| <= Smoothness() |p-q|
//	with K = 2, l(p) is the loss Two() of p_1 - p_0 for the target 1 if y is 1, else -1
//	Value is off by at most (K+16) 2^-53 (l + 4 max|p_k|), Conjugate by at most
//	    (K+16) 2^-53 (|l*| + S (40 + log K + 2 |log S|)), where nothing underflows
//
// Arguments of any size, up to 1e300, give no NaN.
type Loss interface {
	Value(p []float64, y int) float64
	Derivative(dst, p []float64, y int) // dst may be p
	Conjugate(a []float64, y int) float64
	Dual(dst, v []float64, step float64, y int) // dst may be v
	Smoothness() float64                        // +Inf when the derivative jumps
	Two() loss.Loss
}

// Probabilistic is a loss of which predictions say the probabilities of the classes: dst may
// be p.
//
// Law: on the average over classes of these probabilities the derivative is 0.
type Probabilistic interface {
	Loss
	Probabilities(dst, p []float64)
}

// Maximum is the loss max_k (p_k + Offset(k,y)) - p_y: a linear program of each row.
type Maximum interface {
	Loss
	Offset(k, y int) float64
}

// Quick is a loss of which value and derivative take together about as long as one of them, and all of it less where
// there are many rows: p and a have K numbers of each, one row after another.
//
// Law: Values and Conjugates have the bits of Value and Conjugate; of ValueSlopes the values are these but for
// 1e-13 (1 + max |p_k|), and dst, which may be p, gets Derivative.
type Quick interface {
	Loss
	Values(value, p []float64, y []uint32)
	Conjugates(value, a []float64, y []uint32)
	ValueSlopes(value, dst, p []float64, y []uint32)
}

// Values sets value to the losses of rows, len(y) of them.
func Values(l Loss, value, p []float64, y []uint32) {
	if q, ok := l.(Quick); ok {
		q.Values(value, p, y)
		return
	}
	for i, c := range y {
		k := len(p) / len(y)
		value[i] = l.Value(p[i*k:(i+1)*k], int(c))
	}
}

// Conjugates is Values of the conjugates.
func Conjugates(l Loss, value, a []float64, y []uint32) {
	if q, ok := l.(Quick); ok {
		q.Conjugates(value, a, y)
		return
	}
	for i, c := range y {
		k := len(a) / len(y)
		value[i] = l.Conjugate(a[i*k:(i+1)*k], int(c))
	}
}

// ValueSlopes sets value to the values of rows, len(y) of them, which p has one after another, and dst, which may
// be p, to their derivatives.
func ValueSlopes(l Loss, value, dst, p []float64, y []uint32) {
	if q, ok := l.(Quick); ok {
		q.ValueSlopes(value, dst, p, y)
		return
	}
	for i, c := range y {
		k := len(p) / len(y)
		row := p[i*k : (i+1)*k]
		value[i] = l.Value(row, int(c))
		l.Derivative(dst[i*k:(i+1)*k], row, int(c))
	}
}

var losses = registry.New[Loss]("loss")

// New makes the loss that spec describes: a name.
func New(spec string) (Loss, error) { return losses.New(spec) }

// Entries lists the losses by name.
func Entries() []registry.Entry[Loss] { return losses.Entries() }

// Is reports whether spec names one of these losses.
func Is(spec string) bool {
	name, _, _ := strings.Cut(spec, ":")
	return slices.Contains(losses.Names(), name)
}

// register adds a loss that takes no parameters.
func register(name, summary string, l Loss) {
	losses.Register(registry.Entry[Loss]{Name: name, Summary: summary,
		New: func(*registry.Params) (Loss, error) { return l, nil }})
}

// moved returns S, the sum of all a_k but a_y, at most 1.
func moved(a []float64, y int) float64 {
	sum := 0.0
	for k, x := range a {
		if k != y {
			sum += x
		}
	}
	return min(max(sum, 0), 1)
}

// closeAt sets a_y to minus the sum of the others, which are >= 0, and scales these where they add up to more
// than 1.
func closeAt(a []float64, y int) {
	sum := 0.0
	a[y] = 0
	for _, x := range a {
		sum += x
	}
	if sum > 1 {
		for k := range a {
			a[k] /= sum
		}
		sum = 1
	}
	a[y] = -sum
}
