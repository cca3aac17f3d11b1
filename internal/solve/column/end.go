package column

import (
	"fmt"
	"math"
)

// Steps in a row that move P by no more than rounding, after which a run is asked whether it
// can go on; and how many times the side of the box rounding must move a slope past it then.
const (
	mostStill = 3
	pastBox   = 2
)

// note takes in what a step did to P.
func (s *cd) note(before float64) {
	s.still++
	if before-s.value > 1e-12*math.Abs(s.value) {
		s.still = 0
	}
}

// checkEnd finds out whether l1 cannot be proved: its dual variables must have slopes of at most lambda
// along every column, and where one rounding of a weight moves a slope by many times that,
// no point that w has gives such. The weights themselves are as good as they can be.
func (s *cd) checkEnd() {
	if s.still < mostStill || s.mu > 0 {
		return
	}
	s.still = 0
	for _, j := range s.working {
		if move := float64(0x1p-53 * math.Abs(s.w[j]) * s.curvature(j, s.h)); s.penalised(j) && move > float64(pastBox*s.p.Lambda*s.corner) {
			s.end = fmt.Errorf("feature %d is so large that rounding its weight moves the slope along it by %.2g, and a proof for lambda %.2g needs less: expected scaled features, or a larger lambda", j+1, move, s.p.Lambda)
			return
		}
	}
}
