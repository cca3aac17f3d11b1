package solver

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/problem"
)

// schedule decides after which epochs to certify. A certificate costs about an
// epoch, so it is made when the gap is likely to be there. The estimate of a
// [Reporter] is taken, corrected by what the last certificate made of its
// estimate; without one the last two gaps give a rate, and the rate gives the
// epoch.
//
// Only counts and gaps enter, never a clock: the same run makes certificates after the
// same epochs on every machine.
type schedule struct {
	rows       int  // number of rows of the problem
	always     bool // a certificate after every epoch
	exact      bool // the last estimate was of the point that would be certified
	lastExact  bool // so was that at the last certificate: its error says nothing of others
	stationary bool // what the run seeks is not seen in a gap, see [Report]
	bounded    bool // a lower bound has been found

	since          int     // the epoch before these estimates, exact or not as the last was, began
	epoch, before  int     // of the last two certificates
	gap, gapBefore float64 // found there
	goal           float64

	estimate, expected float64 // the last ones
	start              float64 // the first estimate
	excess             float64 // ratio of the gap to what was expected, at the last certificate
	promised           bool    // an estimate asked for the certificate that is due

	progress progress
}

// due reports whether to certify now, after epoch epochs. estimate is about the
// relative gap, NaN if not known, and exact whether it is that of the point
// that would be certified.
func (s *schedule) due(epoch int, estimate float64, exact bool) bool {
	s.promised = false
	if s.always {
		return true
	}
	if math.IsNaN(estimate) {
		return epoch >= s.next()
	}
	trend := 1.0
	if !exact && !s.exact && s.estimate > estimate { // an estimate of the epoch is about an epoch old
		trend = max(estimate/s.estimate, s.fall(epoch, estimate), 0.1)
	}
	if s.start == 0 {
		s.start = estimate
	}
	if exact != s.exact {
		s.exact, s.since = exact, epoch-1
	}
	s.estimate, s.expected = estimate, estimate*trend
	if s.unpromised(epoch) {
		return true
	}
	expected := s.expected
	if s.epoch > 0 && exact == s.lastExact {
		expected *= s.excess
	}
	wait := s.epoch / 16
	if exact { // estimates that were not say nothing of these
		wait = (s.epoch - s.since) / 16
	}
	s.promised = expected <= s.goal && epoch >= s.epoch+max(1, wait)
	return s.promised
}

// unpromised reports whether a certificate is due although the estimate does not promise the goal, as
// estimates may be far too high. It is due w epochs after four times the epoch of the last certificate:
// w = 128, and also w = 32 where the estimate is exact or within ten times the goal. Second-order steps near the limit of
// the arithmetic may lose within 128 epochs what they had after 32.
func (s *schedule) unpromised(epoch int) bool {
	wait := epoch - 4*s.epoch
	return wait >= 128 || wait == 32 && (s.exact || s.estimate <= 10*s.goal)
}

// fall is by how much the estimates have fallen in an epoch on the average. When many
// rows wake at once they rise, and fall again faster than what they estimate.
func (s *schedule) fall(epoch int, estimate float64) float64 {
	if epoch < 2 || !(0 < estimate && estimate < s.start) { // of a gap near 0 an estimate may be below
		return 0
	}
	return elementary.Exp(elementary.Log(estimate/s.start) / float64(epoch-1))
}

// revise replaces the last estimate, before the certificate it asked for, by what the
// state learned when it made the point: that is no trend, and no error of the estimate.
func (s *schedule) revise(estimate float64) {
	if x := estimate / s.estimate; x > 0 && !math.IsInf(x, 1) {
		s.expected *= x
		s.estimate = estimate
	}
}

// explains reports whether a certificate with this gap was to be expected: it misses the
// goal clearly, and the run has come on since the last one.
func (s *schedule) explains(gap float64) bool {
	return gap >= 2*s.goal && gap <= math.MaxFloat64 && (s.epoch == 0 || gap <= s.gap/2)
}

// next returns the epoch of the next certificate without an estimate: when the rate
// seen promises the goal, but at most half as many epochs again as were made
// until the last one.
func (s *schedule) next() int {
	furthest := s.epoch + max(1, s.epoch/2)
	if s.before == 0 || !(s.gap < s.gapBefore) || s.gap <= s.goal {
		return s.epoch + max(1, s.epoch/4)
	}
	rate := elementary.Log(s.gapBefore/s.gap) / float64(s.epoch-s.before)
	// A bit more than the rate promises: one epoch late is cheaper than one
	// early and another certificate.
	wait := math.Ceil(1.05 * elementary.Log(s.gap/s.goal) / rate)
	if !(wait < float64(furthest-s.epoch)) {
		return furthest
	}
	return s.epoch + max(1, int(wait))
}

// record notes what a certificate found.
func (s *schedule) record(epoch int, c problem.Certificate, goal float64) {
	s.before, s.gapBefore = s.epoch, s.gap
	s.epoch, s.gap, s.goal = epoch, c.Relative(), goal
	s.excess, s.lastExact = 1, s.exact
	s.bounded = s.bounded || !math.IsInf(c.Dual, -1)
	if x := s.gap / s.expected; x > 0 {
		s.excess = min(max(x, 0.25), 4)
	}
	s.progress.record(epoch, c)
}

// progress remembers when a run last got anywhere: when the gap fell by a
// tenth, or a positive lower bound rose by a tenth, which a gap near 1 hardly
// shows.
type progress struct {
	epoch     int
	gap, dual float64 // then
}

func (p *progress) record(epoch int, c problem.Certificate) {
	if p.epoch == 0 || c.Gap() < 0.9*p.gap || c.Dual > 0 && c.Dual > 1.1*p.dual {
		*p = progress{epoch: max(epoch, 1), gap: c.Gap(), dual: max(c.Dual, 0)}
	}
}

// stalled reports whether there was no progress while the number of epochs
// quadrupled, over at least 1000 epochs and 200000 rows: dual
// coordinate ascent on 24 rows was seen to rest at a gap of 1e-5 from epoch 64
// to 900, and then to go on to 1e-13. A run to a stationary point has more time where no lower
// bound shows how far it has come.
func (s *schedule) stalled() bool {
	patience := max(1000, 200000/max(1, s.rows))
	if s.stationary && !s.bounded {
		patience *= 64
	}
	return s.epoch-s.progress.epoch >= patience && s.epoch >= 4*s.progress.epoch
}
