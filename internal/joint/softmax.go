package joint

import (
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/loss"
)

// Softmax is log(sum_k exp(p_k)) - p_y: multinomial logistic regression.
//
// With q = a + e_y: l*(a) = sum_k q_k log q_k on the domain.
type Softmax struct{}

var (
	_ Probabilistic = Softmax{}
	_ Quick         = Softmax{}
)

func init() {
	register("softmax", "log(sum_k exp(p_k)) - p_y of the scores of all classes: multinomial logistic regression, gives probabilities", Softmax{})
}

// Value returns max_k p_k - p_y + log(1 + the sum of the other exponentials), without overflow.
func (Softmax) Value(p []float64, y int) float64 {
	top := topOf(p)
	sum := 0.0
	for k, x := range p {
		if k != top {
			sum += elementary.Exp(x - p[top])
		}
	}
	return p[top] - p[y] + elementary.Log1p(sum)
}

// topOf returns the place of the largest number, the first of equal ones.
func topOf(p []float64) int {
	top := 0
	for k, x := range p {
		if x > p[top] {
			top = k
		}
	}
	return top
}

// Probabilities returns exp(p_k) divided by their sum.
func (l Softmax) Probabilities(dst, p []float64) { l.share(dst, p) }

// share is Probabilities, and returns the logarithm of the sum of the exponentials, less the
// largest number.
func (Softmax) share(dst, p []float64) (excess float64) {
	most := p[topOf(p)]
	for k, x := range p {
		dst[k] = max(x-most, -1e4) // exp is 0 there
	}
	elementary.ExpTo(dst[:len(p)], dst[:len(p)])
	sum := 0.0
	for _, x := range dst[:len(p)] {
		sum += x
	}
	for k := range p {
		dst[k] /= sum
	}
	return elementary.Log(sum)
}

// ValueSlope is Value and Derivative by the same exponentials.
func (l Softmax) ValueSlope(dst, p []float64, y int) float64 {
	above := p[topOf(p)] - p[y]
	above += l.share(dst, p)
	closeAt(dst[:len(p)], y)
	return above
}

// Derivative returns the probabilities, less 1 for the class.
func (l Softmax) Derivative(dst, p []float64, y int) {
	l.Probabilities(dst, p)
	closeAt(dst[:len(p)], y)
}

// Conjugate returns the negative entropy of q: the part of q_y = 1-S is
// -Entropy(S) - S log S with the entropy of (S, 1-S), which is exact where S is small.
func (Softmax) Conjugate(a []float64, y int) float64 {
	sum := 0.0
	for k, x := range a {
		if k != y && x > 0 {
			sum += float64(x * elementary.Log(x))
		}
	}
	s := moved(a, y)
	if s == 0 {
		return 0
	}
	return sum - (elementary.Entropy(s) + float64(s*elementary.Log(s)))
}

// Dual solves softmax(u) - e_y + (u-v)/step = 0 by Newton's method, see newton.
func (l Softmax) Dual(dst, v []float64, step float64, y int) {
	s := newtonOf(v, step, y)
	defer newtons.Put(s)
	s.solve()
	copy(dst, s.q)
	closeAt(dst[:len(v)], y)
}

// Smoothness is 1/2: the largest eigenvalue of diag(q) - qq^T.
func (Softmax) Smoothness() float64 { return 0.5 }

// Two is the logistic loss.
func (Softmax) Two() loss.Loss { return loss.Logistic{} }
