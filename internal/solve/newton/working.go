package newton

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// working runs the interior-point method on the rows that matter.
//
//	Left out  a row that is far from its ramps, for the m that the method has
//	          reached, is taken for a straight line: its slope is that of the piece
//	          it is on, at an end of its domain or between two ramps. A straight
//	          line is never above the loss, so the problem of the rows that are
//	          left has a minimum that is no larger, and the slopes of all rows are
//	          dual variables of the whole problem
//	Checked   a step is told to all rows. Where it would take one that is left out
//	          past its next bend, the row joins the others as if it had been there
//	          all along (on the central path of m), and the step is made up to
//	          there; if that is less than a fifth of it, it is made again
//	Start     with many rows from the weights of a sample of them (sample.go)
//	          and a centred point. m is then half of what a start from 0 begins
//	          with, though the weights are good for much less: w moves as far as the
//	          sample was wrong, for which a smaller m has no room
//	Cost      most epochs see a few per cent of the rows, besides one product with
//	          all
//	Rejected  a band around the ramps alone to begin with, as rows that join bring
//	          others; rows in the way that join after the whole step, which takes up
//	          to four times the epochs; a quarter of the rows in the matrix, which may
//	          never end; samples in turn; a start from dual ascent, on all rows or on
//	          the sample; to tell by |x_i||d| which rows need no look (most do)
type working struct {
	p      *problem.Linear // without the corner of the penalty
	whole  *problem.Linear // with it
	corner float64         // its weight; 0: none
	goal   float64         // relative gap that is asked for
	loss   loss.Cornered

	corners *corners
	ramps   []ramps // of no rows

	w      []float64 // d+1
	away   []float64 // n: as that of inner; once rows are left out, +Inf for those in inner
	row    []float64 // n: X d in an epoch, slopes in a point
	near   []uint32  // rows of inner; nil: all
	inner  *interior
	far    []bool    // of rows of inner
	from   []int32   // rows of inner that are kept
	middle []float64 // d+1, see parts.RelativeGap

	slopes float64 // sum of s |a| over the rows left out
	first  float64 // m of a start from 0
	joined int     // how often steps were made again
	done   bool
}

const (
	distance  = 20.0 // a row is left out when it is so many m away from its ramps,
	moves     = 3.0  // and so many of its last moves
	nearly    = 0.9  // of the way to a bend
	leastPart = 0.2  // of a step: a step that rows shorten to less is made again, with these rows
	mostJoins = 40   // then all rows come back, for good
	farOff    = 0.5  // of the losses: with larger defects the gap is estimated as their ratio
)

// Report holds the estimate, which is made from the predictions after the step.
func (s *working) Report() solver.Report { return solver.Report{Gap: s.estimate(), Exact: true} }

// estimate returns the relative gap of the weights and the slopes, exactly
// without a free bias and with one ramp; a number that is too low while it is large.
// To balance slopes costs the distance from where they belong: the mean loss over
// the mean slope. Where the losses are straight they sum up to <gradient, w> - sum_i
// s_i l*(a_i).
func (s *working) estimate() float64 {
	if s.done { // it will not become less
		return 0
	}
	e := s.inner
	losses, defects := e.losses()/s.p.N, e.reached.Defects/s.p.N
	if defects > farOff*losses {
		return defects / losses
	}
	g := e.gradient()
	cost := 0.0
	if s.p.Bias == problem.Free {
		cost = math.Abs(g[len(g)-1]) * losses * s.p.N / max(s.slopes+s.steepness(), 1e-300)
	}
	return parts.RelativeGap(s.p, s.w, g, s.middle, losses, defects, cost)
}

// steepness returns the sum of s |a| over the rows of inner, after gradient.
func (s *working) steepness() float64 {
	e := s.inner
	sum, _ := parts.SumRows(e.p, func(lo, hi int) (x, _ float64) {
		for i := lo; i < hi; i++ {
			x += math.Abs(float64(e.p.S[i]*e.corners.of(e.p.Y[i]).slope) + float64(e.move[i]*e.p.N))
		}
		return x, 0
	})
	return sum
}

// Point returns the weights and the slopes. The predictions are made afresh:
// a sum of many steps has collected their rounding errors.
func (s *working) Point() problem.Point {
	if s.row == nil {
		s.row = make([]float64, len(s.p.Y))
	}
	if e := s.inner; e != nil && e.epoch > 0 {
		s.locate()
		for k := range e.away {
			i := s.index(k)
			s.row[i] = e.slope(k)
			if s.near != nil {
				e.away[k], s.away[i] = s.away[i], math.Inf(1)
			}
		}
	}
	return problem.Point{W: s.weights(), A: s.row}
}

// weights returns w, with zeros where the penalty has a corner and the gap room for them.
func (s *working) weights() []float64 {
	if s.corner == 0 {
		return s.w
	}
	primal, _ := s.whole.Primal(s.w)
	dual, bound := s.whole.Dual(s.row)
	if dual -= bound; !(problem.Relative(primal, dual, s.p.Zero()) < s.goal) {
		return s.w
	}
	w, _ := parts.SpendOnZeros(s.whole, s.w, s.row, dual, s.goal)
	return w
}

// index returns the row of the problem that row k of inner is.
func (s *working) index(k int) int {
	if s.near == nil {
		return k
	}
	return int(s.near[k])
}
