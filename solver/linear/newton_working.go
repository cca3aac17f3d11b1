package linear

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/vec"
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
//	          all along (on the central path of m), and the step is made again
//	Start     with many rows from the weights of a sample of them (newton_sample.go)
//	          and a centred point. m is then half of what a start from 0 begins
//	          with, though the weights are good for much less: w moves as far as the
//	          sample was wrong, and a smaller m has no room for that (measured with
//	          a fifth: a9a needs 15 epochs instead of 10)
//	Cost      most epochs see a few per cent of the rows, besides one product with
//	          all. a9a, hinge, to a gap of 1e-6: 10 epochs, of which three see all
//	          rows
type working struct {
	p    *problem.Linear
	loss loss.Cornered

	w          []float64 // d+1
	prediction []float64 // n
	move       []float64 // n: X d
	a          []float64 // n: slopes, of the rows in inner when asked for
	lo, hi     []float64 // n: where the loss of a row left out is straight; of others everywhere
	near       []uint32  // rows of inner; nil: all
	inner      *interior
	middle     []float64 // d+1, see relativeGap

	conjugates, slopes float64 // sums of s l*(a) and s |a| over the rows left out
	first              float64 // m of a start from 0
	joined             int     // how often steps were made again
	done               bool
}

const (
	distance  = 30.0 // a row is left out when it is so many m away from its ramps,
	moves     = 3.0  // and so many of its last moves
	nearly    = 0.9  // of the way to a bend
	mostJoins = 40   // then all rows come back, for good
)

var _ solver.Present = (*working)(nil)

func newWorking(p *problem.Linear, l loss.Cornered, from *problem.Point) *working {
	n, _ := p.Dims()
	s := &working{p: p, loss: l, w: startingWeights(p, from), a: make([]float64, n), middle: middleOf(p)}
	if p.Zero() == 0 { // nothing is below 0: no w is better than 0, no slope than 0
		clear(s.w)
		s.done = true
		return s
	}
	if from == nil && n >= fewestRows && sampled(p, sampleRows(p), classRows) {
		return s
	}
	s.inner = newInterior(p, l, s.w, 0)
	s.prediction, s.first = s.inner.prediction, s.inner.mean
	copy(s.a, s.inner.a)
	if from != nil && len(from.A) == n { // what the run is asked for before its first epoch
		copy(s.a, from.A)
	}
	return s
}

// Epoch makes a step, or finds rows that are in its way.
func (s *working) Epoch() {
	if s.inner == nil && !s.done {
		s.sample()
	}
	if s.done || s.inner.mean <= s.inner.end {
		s.done = true
		return
	}
	t, part := s.inner.direction()
	if s.near != nil {
		s.p.Predict(s.move, s.inner.d)
		if worst := s.worst(); t*worst > nearly {
			whole := t
			t = nearly / worst
			s.join(whole)
			if s.near == nil {
				return
			}
			if t < 0.7*whole {
				t = 0
			}
		}
		vec.Axpy64(s.prediction, t, s.move)
	}
	s.inner.step(t, part)
	s.inner.epoch++
	if t > 0 && s.joined < mostJoins && len(s.a) >= newtonRows {
		s.leave()
	}
}

// worst returns the largest part of its way to a bend that a row left out goes in
// a whole step.
func (s *working) worst() float64 {
	n := len(s.move)
	most := make([]float64, (n+newtonRows-1)/newtonRows)
	matrix.Blocks(n, newtonRows, s.p.Threads, func(block, from, to int) {
		worst := 0.0
		for i := from; i < to; i++ {
			worst = max(worst, s.share(i))
		}
		most[block] = worst
	})
	return slices.Max(most)
}

// share returns the part of its way to a bend that row i goes in a whole step.
func (s *working) share(i int) float64 {
	end, move := s.lo[i], s.move[i]
	if move > 0 {
		end = s.hi[i]
	}
	return move / (end - s.prediction[i])
}

// join takes in the rows that a step t would bend; after too many of such steps
// all, and begins anew.
func (s *working) join(t float64) {
	if s.joined++; s.joined == mostJoins {
		s.near, s.lo, s.hi, s.move = nil, nil, nil, nil
		s.conjugates, s.slopes = 0, 0
		s.inner = newInterior(s.p, s.loss, s.w, 0)
		s.prediction = s.inner.prediction
		return
	}
	e, first := s.inner, len(s.near)
	var prediction, move []float64
	for i, m := range s.move {
		if t*s.share(i) > nearly {
			s.near = append(s.near, uint32(i))
			prediction, move = append(prediction, s.prediction[i]), append(move, m)
			s.unfix(i, s.count(i, -1))
			s.lo[i], s.hi[i] = math.Inf(-1), math.Inf(1)
		}
	}
	lengthen(e.p, s.p, s.near[first:])
	e.add(s.loss, prediction, move)
}

// count adds row i to the sums over rows left out, or takes it off, and returns
// its part of the gradient.
func (s *working) count(i int, sign float64) float64 {
	weight, a := s.p.S[i], s.a[i]
	s.conjugates += float64(sign * weight * s.p.Loss.Conjugate(a, s.p.Y[i]))
	s.slopes += float64(sign * weight * math.Abs(a))
	return float64(weight / s.p.N * a) // it is added to: no fused product
}

// leave leaves out the rows that are far away, if they are many.
func (s *working) leave() {
	e := s.inner
	far := make([]bool, len(e.a))
	least := float64(distance * e.mean)
	e.blocks(func(_, from, to int) {
		for k := from; k < to; k++ {
			enough := least + float64(moves*math.Abs(e.move[k]))
			far[k] = true
			for l := range e.row(k) {
				far[k] = far[k] && e.row(k)[l].away(e.prediction[k]) > enough
			}
		}
	})
	count := 0
	for _, far := range far {
		if far {
			count++
		}
	}
	if 4*count < len(far) || len(far)-count < len(s.w) {
		return
	}
	if s.near == nil {
		s.all()
	}
	v := s.move // it has been made
	clear(v)
	next, from := make([]uint32, 0, len(far)-count), make([]int32, 0, len(far)-count)
	for k, far := range far {
		i := s.row(k)
		if !far {
			next, from = append(next, uint32(i)), append(from, int32(k))
			continue
		}
		s.a[i], s.lo[i], s.hi[i] = s.straight(i)
		v[i] = s.count(i, 1)
	}
	s.fix(v)
	if s.near = next; e.p == s.p {
		e.p = subset(s.p, next)
	} else {
		shorten(e.p, from)
	}
	e.keep(from)
}

// fix adds X^T v to the gradient of the rows left out.
func (s *working) fix(v []float64) {
	change, _ := s.p.Combine(v)
	for j, x := range change {
		s.inner.fixed[j] += x
	}
	if s.p.Bias == problem.None {
		s.inner.fixed[len(s.w)-1] = 0
	}
}

// unfix takes v x_i off that gradient.
func (s *working) unfix(i int, v float64) {
	fixed := s.inner.fixed
	last := len(fixed) - 1
	s.p.X.Row(i).AddTo(fixed[:last], -v)
	if s.p.Bias != problem.None {
		fixed[last] -= v
	}
}

// row returns the row of the problem that row k of inner is.
func (s *working) row(k int) int {
	if s.near == nil {
		return k
	}
	return int(s.near[k])
}

// all prepares for leaving out rows.
func (s *working) all() {
	n := len(s.a)
	s.lo, s.hi, s.move = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range s.lo {
		s.lo[i], s.hi[i] = math.Inf(-1), math.Inf(1)
	}
	s.inner.fixed = make([]float64, len(s.w))
	s.inner.prediction = slices.Clone(s.prediction) // it will be shortened
}

// straight returns the slope of the loss of row i at its prediction, and from
// where to where it is that: nowhere on a ramp.
func (s *working) straight(i int) (slope, lo, hi float64) {
	p := s.prediction[i]
	slope, ramps := s.loss.Ramps(s.p.Y[i])
	lo, hi = math.Inf(-1), math.Inf(1)
	for _, e := range ramps {
		end := e.At + float64(e.Width*e.Jump)
		switch {
		case e.Jump == 0:
		case p > end:
			slope += e.Jump
			lo = max(lo, end)
		case p < e.At:
			hi = min(hi, e.At)
		default:
			return slope, p, p
		}
	}
	return slope, lo, hi
}

// Present says that Estimate is made from the predictions after the step.
func (*working) Present() {}

// Estimate returns the relative gap of the weights and the slopes, exactly
// without a free bias. To balance slopes costs the distance from where they
// belong: the mean loss over the mean slope. Where the losses are straight they
// sum up to <gradient, w> - sum_i s_i l*(a_i).
func (s *working) Estimate() float64 {
	if s.done { // it will not become less
		return 0
	}
	e := s.inner
	e.gradient()
	losses, defects := e.losses()
	if s.near != nil {
		losses += float64(s.p.N*inner(e.fixed, s.w)) - s.conjugates
	}
	cost := math.Abs(e.g[len(e.g)-1]) * losses / max(e.slopes+s.slopes, 1e-300)
	return relativeGap(s.p, s.w, e.g, s.middle, losses/s.p.N, defects/s.p.N, cost)
}

// Point returns the weights and the slopes. The predictions are made afresh:
// a sum of many steps has collected their rounding errors.
func (s *working) Point() problem.Point {
	if e := s.inner; e != nil && e.epoch > 0 {
		for k, a := range e.a {
			s.a[s.row(k)] = a
		}
		s.p.Predict(s.prediction, s.w)
		if s.near != nil {
			e.p.Predict(e.prediction, s.w)
		}
	}
	return problem.Point{W: s.w, A: s.a}
}
