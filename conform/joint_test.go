package conform

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/loss"
)

// brokenJoint is a sound loss of several classes with single methods replaced.
type brokenJoint struct {
	joint.Loss
	value      func(p []float64, y int) float64
	derivative func(dst, p []float64, y int)
	conjugate  func(a []float64, y int) float64
	dual       func(dst, v []float64, step float64, y int)
	two        loss.Loss
	smooth     float64
}

func (b brokenJoint) Value(p []float64, y int) float64 {
	if b.value != nil {
		return b.value(p, y)
	}
	return b.Loss.Value(p, y)
}

func (b brokenJoint) Derivative(dst, p []float64, y int) {
	if b.derivative != nil {
		b.derivative(dst, p, y)
		return
	}
	b.Loss.Derivative(dst, p, y)
}

func (b brokenJoint) Conjugate(a []float64, y int) float64 {
	if b.conjugate != nil {
		return b.conjugate(a, y)
	}
	return b.Loss.Conjugate(a, y)
}

func (b brokenJoint) Dual(dst, v []float64, step float64, y int) {
	if b.dual != nil {
		b.dual(dst, v, step, y)
		return
	}
	b.Loss.Dual(dst, v, step, y)
}

func (b brokenJoint) Two() loss.Loss {
	if b.two != nil {
		return b.two
	}
	return b.Loss.Two()
}

func (b brokenJoint) Smoothness() float64 {
	if b.smooth != 0 {
		return b.smooth
	}
	return b.Loss.Smoothness()
}

// halving is softmax with probabilities of half the scores.
type halving struct{ joint.Softmax }

func (l halving) Probabilities(dst, p []float64) {
	for k, x := range p {
		dst[k] = x / 2
	}
	l.Softmax.Probabilities(dst, dst)
}

// hasty is softmax with a quick value that forgets the class.
type hasty struct{ joint.Softmax }

func (l hasty) ValueSlopes(value, dst, p []float64, y []uint32) {
	l.Softmax.ValueSlopes(value, dst, p, y)
	for i := range value[:len(y)] {
		value[i] += 1e-6
	}
}

func TestJointZoo(t *testing.T) {
	softmax, svm := joint.Softmax{}, joint.CrammerSinger{}
	for _, c := range []struct {
		animal string
		broken joint.Loss
		law    string
	}{
		{"the slope of another class", brokenJoint{Loss: softmax, derivative: func(dst, p []float64, y int) { softmax.Derivative(dst, p, (y+1)%len(p)) }}, "derivative lies between the one-sided slopes"},
		{"a slope outside of the simplex", brokenJoint{Loss: softmax, derivative: func(dst, p []float64, _ int) { softmax.Probabilities(dst, p) }}, "subgradients lie in the simplex less the class"},
		{"a loss without its class", brokenJoint{Loss: softmax, value: func(p []float64, y int) float64 { return softmax.Value(p, 0) }}, "derivative lies between the one-sided slopes"},
		{"a conjugate that is too small", brokenJoint{Loss: softmax, conjugate: func(a []float64, y int) float64 { return softmax.Conjugate(a, y) - 0.01 }}, "Fenchel-Young inequality"},
		{"a conjugate that is too large", brokenJoint{Loss: svm, conjugate: func(a []float64, y int) float64 { return svm.Conjugate(a, y) + 0.01 }}, "Fenchel-Young equality at the derivative"},
		{"a conjugate that reads the class", brokenJoint{Loss: svm, conjugate: func(a []float64, y int) float64 { return a[y] }}, "the conjugate reads the other classes alone"},
		{"a conjugate that is infinite by rounding", brokenJoint{Loss: svm, conjugate: infiniteBeyond(svm)}, "the conjugate is finite on its domain, rounding included"},
		{"a prox of half the step", brokenJoint{Loss: softmax, dual: func(dst, v []float64, step float64, y int) { softmax.Dual(dst, v, step/2, y) }}, "prox minimises"},
		{"a prox of the slope where it begins", brokenJoint{Loss: svm, dual: func(dst, v []float64, _ float64, y int) { svm.Derivative(dst, v, y) }}, "prox minimises"},
		{"a loss that says it is smoother", brokenJoint{Loss: softmax, smooth: 0.3}, "smoothness bound"},
		{"another loss of two classes", brokenJoint{Loss: svm, two: loss.SquaredHinge{}}, "with two classes it is the loss of their difference"},
		{"probabilities of half the scores", halving{}, "the loss is least on average at the probabilities"},
		{"a quick value that is off", hasty{}, "value and slope together are those of each"},
	} {
		rejects(t, c.animal, Joint(c.broken), c.law)
	}
}

// infiniteBeyond is the conjugate without room for rounding.
func infiniteBeyond(l joint.Loss) func(a []float64, y int) float64 {
	return func(a []float64, y int) float64 {
		sum := 0.0
		for k, x := range a {
			if k != y {
				sum += x
			}
		}
		if sum > 1 {
			return math.Inf(1)
		}
		return l.Conjugate(a, y)
	}
}
