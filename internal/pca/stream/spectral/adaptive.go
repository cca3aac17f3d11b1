package spectral

import (
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Whether MSG, capped or not, has settled or is stuck, and how large the cap
// should be (thesis 6.3; reference 2.9.4).
//
// The thesis waits for a rank of k. But a row always adds a direction, so even a
// state that has settled is of rank K nearly always. What tells is the sum of the
// eigenvalues behind the k-th, 0 for a projection: in a state that has settled it
// is about one step, eta |x|^2, for each direction behind the k-th. And that alone would also be true of a state that is
// wrong with small steps; so the k-th direction must beat what is outside, by G on
// average, see [probe]; and little may be left of the way. The angle to the answer
// falls at least like exp(-G sum eta): if that is rho over a window in which the
// first k directions moved by an angle a (of which sin^2 is measured), what is
// left is a rho/(1-rho), and the error that this makes about G sin^2 of it.

// The sum behind the k-th counts as settled if it is on average at most patience
// of the largest steps of the window for each direction there, and at most a
// quarter of all; the error if it is at most close times mean|x|^2.
const (
	patience  = 3
	undecided = 0.25
	close     = 2.5e-4
)

// watch is what msg knows of the current window, in sums over rows.
type watch struct {
	auto    bool      // the cap may change
	mark    []float64 // the first k directions when it began
	outside float64   // the eigenvalues behind the k-th
	extra   float64   // their number, at least 1 each
	squared float64   // |x|^2
	steps   float64   // eta
	longest float64   // the largest eta |x|^2
}

// adapt is called after every step, before the directions from r on are dropped.
func (s *msg) adapt(eta float64, x []float64, entered bool, r int) {
	w := &s.watch
	square := vec.SquaredNorm64(x)
	w.outside += outside(s.a.Value, s.k)
	w.extra += float64(max(1, r-s.k))
	w.squared += square
	w.steps += eta
	w.longest = max(w.longest, float64(eta*square))
	quiet := w.outside <= min(patience*w.longest*w.extra, undecided*probeWindow*float64(s.k))
	if !s.probe.count(entered, s.a, r, quiet) {
		return
	}
	now := s.a.Directions(s.k)
	if !w.arrived(moved(w.mark, now, s.a.cols), s.probe.streak.mean()) {
		s.probe.calm = 0
	}
	*w = watch{auto: w.auto, mark: now}
	if w.auto {
		s.resize()
	}
}

// resize changes the cap after a verdict.
func (s *msg) resize() {
	switch {
	case s.probe.isStuck:
		s.most = min(s.most+1, s.a.cols)
		s.probe.restart() // it was about the smaller cap
	case s.probe.calm > 0 && s.probe.calm%calmWindows == 0:
		s.most = max(s.most-1, min(s.k+1, s.a.cols))
	}
}

// arrived reports whether little is left of the way, where the first k directions
// have moved by an angle of which sin^2 is given.
func (w *watch) arrived(moved, gap float64) bool {
	if !(gap > 0) {
		return false
	}
	left := 1 / (elementary.Exp(min(float64(gap*w.steps), 700)) - 1)
	return float64(gap*moved)*float64(left*left) <= close*(w.squared/probeWindow)
}

// moved returns the sum of sin^2 of the angles between the spaces of as many
// orthonormal rows; of other numbers of rows, 1.
func moved(from, to []float64, d int) float64 {
	if len(from) != len(to) {
		return 1
	}
	rest, sum := make([]float64, d), 0.0
	c := make([]float64, len(from)/d)
	for i := range c {
		copy(rest, to[i*d:(i+1)*d])
		algebra.TakeOff(rest, from, c)
		sum += vec.SquaredNorm64(rest)
	}
	return sum
}

func (w *watch) keep(k *method.Kept) {
	k.Number("outside", &w.outside)
	k.Number("extra", &w.extra)
	k.Number("squared", &w.squared)
	k.Number("steps", &w.steps)
	k.Number("longest", &w.longest)
	k.List("mark", &w.mark)
}

// Stuck reports whether all that is new is forgotten, although some of it captures
// more than the k-th direction. With more directions (a larger cap) it would not be.
func (s *msg) Stuck() bool { return s.probe.isStuck }
