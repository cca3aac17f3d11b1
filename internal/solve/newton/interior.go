package newton

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/ramp"
	"github.com/fenchel-ml/fenchel/problem"
)

// interior is a primal-dual interior-point method for losses made of ramps
// (Mehrotra's predictor and corrector, 1992; for support vector machines:
// Ferris and Munson, 2002).
//
//	Symbols   for each ramp, which rises by J from t on over the width W J:
//	          a + b = J    the slope it gives and what is left, both > 0
//	          r, u > 0     how far p is below the ramp and beyond it:
//	                       u - r = p - t - W a
//	          m            the mean of a r and b u over all ramps; 0 at the optimum
//	Linearise a r = m', b u = m', u - r = p - t - W a and g = 0, where
//	          g = lambda w + (1/N) X^T(s.a):
//	          da = (dp + k)/theta,   theta = W + r/a + u/b
//	          k  = p - t - W a - (u - r) - e_u/b + e_r/a
//	          (lambda I + (1/N) X^T diag(s/theta) X) dw = -g - (1/N) X^T(s.k/theta)
//	Predictor e_r = -a r, e_u = -b u, and so k = p - t - W a
//	Corrector e_r = m' - a r - da dr, e_u = m' - b u + da du; one matrix for both
//	Returned  w and the slopes a, which are inside their domain always
//	Cost      of an epoch: two products with X, two with X^T, one matrix; 48 bytes
//	          a row, and 24 for its second ramp
//
// Row weights scale the barrier too, so that weight 2 is the row twice. How far
// a step goes and what m' is: length.go. The passes over the rows:
// ramp.Rows.
type interior struct {
	p       *problem.Linear
	corners *corners
	hessian *hessian.Matrix

	w, d, right []float64    // d+1: weights, step, right side of the Newton equation
	fixed       []float64    // d+1: gradient of the slopes before the ramps, and of rows left out
	constant    float64      // of the losses: they are N <fixed, w> + constant and the ramps' parts
	away        []float64    // n: X w + b - t, t of a row's first ramp
	before      []float64    // n: X d of the predictor; before that, curvatures s/(theta N)
	move        []float64    // n: X d; before that, s times what belongs to X^T
	ramps       []ramps      // of a row: 1 or 2
	columns     *columnRamps // of the penalty; nil: none

	mean, end float64 // m, and where it is all rounding
	count     float64 // of products, by weight
	reached   ramp.Reached
	epoch     int
}

// tally sets count.
func (s *interior) tally() {
	s.count = 0
	for _, weight := range s.p.S {
		s.count += float64(2*len(s.ramps)) * weight
	}
	if s.columns != nil {
		for _, weight := range s.columns.weight {
			s.count += 2 * weight
		}
	}
}

// blocks calls do for all rows, in blocks.
func (s *interior) blocks(do func(block int, b rows)) {
	parallel.Blocks(len(s.away), parts.BlockRows, s.p.Threads, func(block, lo, hi int) {
		do(block, s.rows(lo, hi))
	})
}

// sumBlocks returns the sum of what do adds for each block of rows, in the order of the
// blocks.
func sumBlocks[T any, P interface {
	*T
	Add(T)
}](s *interior, do func(b rows, sum *T)) (total T) {
	sums := make([]T, blocksOf(len(s.away)))
	s.blocks(func(block int, b rows) { do(b, &sums[block]) })
	for _, sum := range sums {
		P(&total).Add(sum)
	}
	return total
}

// rows returns a block of rows.
func (s *interior) rows(lo, hi int) rows {
	return rows{lo: lo, hi: hi, away: s.away, before: s.before, move: s.move, weight: s.p.S}
}

// central puts rows lo to hi on the central path.
func (s *interior) central(lo, hi int, mean float64) {
	for k := range s.ramps {
		s.ramps[k].of(s.rows(lo, hi)).Central(mean)
	}
}

// linearise sets the curvatures and the right side of the predictor.
func (s *interior) linearise() {
	s.right = s.combine(func(e *ramp.Rows, b rows) {
		e.Linearise(s.before[b.lo:b.hi], s.move[b.lo:b.hi], 1/s.p.N)
	}, s.before)
	s.regularise(s.right)
	if s.columns != nil {
		s.columns.linearise(s.right, 1/s.p.N)
	}
}

// regularise adds lambda w to a gradient, and what is fixed.
func (s *interior) regularise(g []float64) {
	parts.AddPenalty(g, s.p, s.w)
	vec.Axpy64(g, 1, s.fixed)
}

// correct turns the right side into that of the corrector.
func (s *interior) correct(target float64) {
	change := s.combine(func(e *ramp.Rows, b rows) { e.Correct(s.move[b.lo:b.hi], target, 1/s.p.N) }, nil)
	vec.Axpy64(s.right, 1, change)
	if c := s.columns; c != nil {
		c.all().Correct(s.right[:len(c.x)], target, 1/s.p.N)
	}
}

// step ends an epoch: it goes the way t; ramps that would leave their bounds go a part of it.
func (s *interior) step(target, t, part float64) {
	s.sum(func(e *ramp.Rows) ramp.Reached { return e.Step(target, t, part) }, func(b rows) {
		vec.Axpy64(b.away[b.lo:b.hi], t, b.move[b.lo:b.hi])
	})
	vec.Axpy64(s.w, t, s.d) // last: the ramps of the penalty count from where they were
	s.epoch++
}

// look sums up where the rows are, and sets m.
func (s *interior) look() { s.sum((*ramp.Rows).Reach, func(rows) {}) }

// sum sets reached and m from what a pass returns of each block, which is then ended.
func (s *interior) sum(pass func(*ramp.Rows) ramp.Reached, end func(b rows)) {
	s.reached = sumBlocks(s, func(b rows, sum *ramp.Reached) {
		for k := range s.ramps {
			sum.Add(pass(s.ramps[k].of(b)))
		}
		if len(s.ramps) == 2 {
			sum.Defects -= common(&s.ramps[0], &s.ramps[1], b)
		}
		end(b)
	})
	if s.columns != nil {
		s.reached.Add(pass(s.columns.all()))
	}
	s.mean = s.reached.Products / s.count
}

// The products with X go by blocks of rows, each with the pass over the ramps before or
// after it: an epoch has half as many phases so, each of which would wake the other cores,
// and v is in the cache.

// combine returns X^T v, where add adds to v, which is move, what each ramp gives; v is a
// block's and in the cache when its rows are added. also is cleared, too.
func (s *interior) combine(add func(e *ramp.Rows, b rows), also []float64) []float64 {
	_, d := s.p.Dims()
	combined := make([]float64, d+1)
	s.p.SumTo(combined, func(sum []float64, lo, hi int) {
		for ; lo < hi; lo += parts.BlockRows {
			b := s.rows(lo, min(lo+parts.BlockRows, hi))
			v := s.move[b.lo:b.hi]
			clear(v)
			if also != nil {
				clear(also[b.lo:b.hi])
			}
			for k := range s.ramps {
				add(s.ramps[k].of(b), b)
			}
			addRows(sum, s.p, b.lo, v)
		}
	})
	return combined
}

// predict sets the step of the predictions of a block to that of the weights.
func (s *interior) predict(dst []float64, b rows) { parts.Predict(dst, s.p.X, b.lo, b.hi, s.d) }

// losses returns the sum of the losses.
func (s *interior) losses() float64 {
	return s.reached.Losses + float64(s.p.N*parts.Inner(s.fixed, s.w)) + s.constant
}

// gradient returns g; the slopes times s/N are left in move.
func (s *interior) gradient() []float64 {
	g := s.combine(func(e *ramp.Rows, b rows) { addSlopes(s.move[b.lo:b.hi], e, 1/s.p.N) }, nil)
	s.regularise(g)
	if c := s.columns; c != nil {
		addSlopes(g[:len(c.x)], c.all(), 1/s.p.N)
	}
	return g
}

// slope returns the dual variable of a row.
func (s *interior) slope(i int) float64 {
	slope := s.corners.of(s.p.Y[i]).slope
	for k := range s.ramps {
		a, _ := ramp.Split(s.ramps[k].x[i], s.ramps[k].jump)
		slope += a
	}
	return slope
}

// keep goes on with some of the rows, of which p is made already.
func (s *interior) keep(rows []int32) {
	for k := range s.ramps {
		s.ramps[k].keep(rows)
	}
	s.away = kept(s.away, rows)
	s.before, s.move = s.before[:len(rows)], s.move[:len(rows)]
	s.resume()
}

// add takes in rows that have come to the end of the problem, with their predictions.
// They take their places on the central path.
func (s *interior) add(away []float64) {
	first := len(s.away)
	s.away = append(s.away, away...)
	s.before, s.move = append(s.before, away...), append(s.move, away...) // whatever they are
	for k := range s.ramps {
		s.ramps[k].grow(len(s.away))
	}
	s.central(first, len(s.away), s.mean)
	s.resume()
}

// resume goes on after a change of rows.
func (s *interior) resume() {
	s.hessian.Fit(s.p)
	s.tally()
	s.look()
}
