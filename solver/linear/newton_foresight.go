package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/vec"
)

// foresight is the slopes that a step of Newton's method foresees for logistic loss: those of
// its quadratic model at the end of the whole step d,
//
//	a' = a + l''(p) X d
//
// The slopes found there have a gradient, which as dual variables costs them |g|^2/(2 lambda):
// nearly all of the gap where lambda is small. These have next to none, because d solves
//
//	lambda (w + d) + (1/N) X^T(s.a') = g + H d = 0
//
// with an H of this place; what they cost is the defect l(p) + l*(a') - a' p of each row,
// which is of fourth order in d. A run ends one or two epochs sooner.
//
// Rejected: the same of losses whose curvature jumps, which foresee what they find; of
// conjugate gradients, which leave too much of g.
type foresight struct {
	due  bool      // d is of an H of this place: the next pass, which is to its end, foresees
	made bool      // it did, and the gap was not asked for since
	a    []float64 // n: s a'/N; once the gap is known a', clipped to its domain
	gap  float64   // relative, of the weights and a', but not below fresh; +Inf: unknown
}

// begin forgets the last epoch.
func (f *foresight) begin() { f.due, f.made, f.gap = false, false, math.Inf(1) }

// expect says that d is of an H of this place.
func (s *curved) expect() {
	if _, ok := s.loss.(loss.Logistic); !ok || ablated.has(withoutForesight) {
		return
	}
	f := &s.foresight
	if f.due = true; f.a == nil {
		f.a = make([]float64, len(s.a))
	}
}

// foresee sets the slopes foreseen of rows lo to hi, while v and c are those before the step.
func (s *curved) foresee(lo, hi int) {
	a, c, v, move := s.foresight.a[lo:hi], s.c[lo:hi], s.v[lo:hi], s.move[lo:hi]
	c, v, move = c[:len(a)], v[:len(a)], move[:len(a)]
	for i := range a {
		a[i] = v[i] + float64(c[i]*move[i])
	}
}

// foreseen returns the gap of the weights and the slopes foreseen. losses is the sum of s l,
// curvature that of s l”/N.
func (s *curved) foreseen(losses, curvature float64) float64 {
	f := &s.foresight
	if !f.made {
		return f.gap
	}
	f.made = false
	sums := make([]float64, len(f.a)/blockRows+1) // of each part, which is blockRows at least
	g := make([]float64, len(s.g))
	s.p.SumTo(g, func(g []float64, lo, hi int) {
		sum := &sums[lo/blockRows]
		for ; lo < hi; lo += blockRows {
			*sum += s.conjugates(g, lo, min(lo+blockRows, hi))
		}
	})
	defects := losses
	for _, sum := range sums {
		defects += sum
	}
	for j, d := range s.d[:s.p.Penalised()] { // where the weights are not at the end of d
		g[j] += float64(float64(s.p.Lambda*(s.length-1)) * d)
	}
	ground(g, s.p)
	f.gap = max(fresh, relativeGap(s.p, s.w, g, s.middle, losses/s.p.N, defects/s.p.N, biasCost(g, curvature)))
	return f.gap
}

// conjugates clips the slopes foreseen of rows lo to hi, at most blockRows, to their domain,
// adds to g what that changes, and returns the sum of s (l*(a') - a' p).
func (s *curved) conjugates(g []float64, lo, hi int) float64 {
	var room [2][blockRows]float64
	change, entropy := room[0][:hi-lo], room[1][:hi-lo]
	a, y, weight, prediction := s.foresight.a[lo:hi], s.p.Y[lo:hi], s.p.S[lo:hi], s.prediction[lo:hi]
	y, weight, prediction = y[:len(a)], weight[:len(a)], prediction[:len(a)]
	clipped := false
	for i, v := range a {
		b := float64(-y[i] * (v * s.p.N / weight[i]))
		if !(b >= 0 && b <= 1) {
			inside := min(max(b, 0), 1)
			change[i] = -y[i] * float64(weight[i]/s.p.N) * (inside - b)
			b, clipped = inside, true
		}
		entropy[i], a[i] = b, -y[i]*b
	}
	if clipped {
		addRows(g, s.p, lo, change)
	}
	vec.EntropyTo(entropy, entropy)
	for i, a := range a {
		entropy[i] += float64(a * prediction[i])
	}
	return -vec.Dot64(weight, entropy)
}
