package penalty

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Ball is 0 where |w| <= Radius and infinite elsewhere, in the norm 1 or 2: with it a problem is that
// of the least mean loss on the ball. Lambda has no effect. It has no name: a bound on the norm
// is stated by itself (fenchel.Spec.Radius), with the penalty whose norm is meant.
//
// Its conjugate is Radius times the dual norm of u: the largest magnitude, or the norm.
type Ball struct {
	Norm   int // 1 or 2
	Radius float64
}

var _ Confined = Ball{}

// NewBall returns the ball of the norm of p, l1 or l2.
func NewBall(p Penalty, radius float64) (Ball, error) {
	if !(radius >= 1e-150 && radius <= 1e150) {
		return Ball{}, fmt.Errorf("radius=%g: expected a number from 1e-150 to 1e150", radius)
	}
	l1, l2, elastic := Coefficients(p)
	switch {
	case elastic && l1 == 1 && l2 == 0:
		return Ball{1, radius}, nil
	case elastic && l1 == 0 && l2 == 1:
		return Ball{2, radius}, nil
	}
	return Ball{}, fmt.Errorf("radius=%g with a penalty that is no norm: expected l1 or l2", radius)
}

// Bound returns the norm and the radius.
func (b Ball) Bound() (norm int, radius float64) { return b.Norm, b.Radius }

// size is at least the norm of w, by a rounding.
func (b Ball) size(w []float64) float64 {
	if b.Norm == 2 {
		return length(w) * (1 + 16*unit)
	}
	return L1{}.Value(w) * (1 + 8*unit)
}

// Value returns 0 for what certainly is inside.
func (b Ball) Value(w []float64) float64 {
	if b.size(w) <= b.Radius {
		return 0
	}
	return math.Inf(1)
}

// Prox is the projection, whatever the step is, of which Value is 0.
func (b Ball) Prox(dst, v []float64, _ float64) {
	copy(dst, v)
	if b.size(v) <= b.Radius {
		return
	}
	if b.Norm == 1 {
		by := b.threshold(v)
		for j, x := range dst {
			dst[j] = vec.Shrink(x, by)
		}
	}
	b.Shorten(dst)
}

// Shorten multiplies w by the factor that brings it inside.
func (b Ball) Shorten(w []float64) {
	for size := b.size(w); size > b.Radius; size = b.size(w) {
		factor := b.Radius / size * (1 - 64*unit)
		for j := range w {
			w[j] *= factor
		}
	}
}

// threshold returns by how much the magnitudes shrink (Held, Wolfe, Crowder 1974): with m_1 >= m_2 >= ...
// it is (m_1 + ... + m_k - Radius)/k for the largest k of which m_k is above that.
func (b Ball) threshold(v []float64) float64 {
	sizes := make([]float64, len(v))
	for j, x := range v {
		sizes[j] = math.Abs(x)
	}
	slices.Sort(sizes)
	var sum vec.Sum
	by := 0.0
	for k := range sizes {
		m := sizes[len(sizes)-1-k]
		sum.Add(m)
		at := (sum.Value() - b.Radius) / float64(k+1)
		if at >= m {
			break
		}
		by = at
	}
	return by
}

// Conjugate returns 1 and Radius times the dual norm.
func (b Ball) Conjugate(u []float64) (scale, value float64) {
	if b.Norm == 1 {
		return 1, b.Radius * largestOf(u)
	}
	return 1, b.Radius * length(u)
}

// StrongConvexity is 0.
func (Ball) StrongConvexity() float64 { return 0 }
