package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// shrinking leaves rows out of decomposition that rest at a bound (Joachims 1999; reference
// kernel_qp, section 5.7): those that for shrinkAfter rounds in a row could not be in any violating
// pair,
//
//	up_i - r_i < min_j (low_j - r_j)  and  low_i - r_i > max_j (up_j - r_j).
//
// Where a fifth of the rows does, rounds go on on the matrix of the others, whose responses begin at
// what they are and so hold the rows left out; both rows of K and updates are shorter there. When
// the violation has fallen to a tenth, all responses are brought up to date, the gap is that of all
// rows, and counting begins anew: a row that was left out too early comes back.
type shrinking struct {
	*working           // of all rows
	quiet    []int     // for how many rounds a row has rested
	part     *working  // of the rows that are not left out; nil: all are in
	rows     []int     // these
	goal     float64   // the violation at which the part ends
	rounds   int       // of the part
	left     int       // rows left out so far, by all parts
	all      []float64 // coefficients
}

const (
	shrinkAfter = 100
	shrinkShare = 5 // at least one in so many rows
	shrinkFall  = 0.1
)

// Epoch is a round.
func (s *shrinking) Epoch() {
	if s.part == nil {
		s.working.Epoch()
		s.watch()
		return
	}
	s.part.Epoch()
	if s.rounds++; s.Limit.Reached() || s.p.Cut() {
		return
	}
	if s.part.violation() <= s.goal || s.part.ended() != nil || s.rounds > 100+10*len(s.rows) {
		s.merge()
	}
}

// watch counts how long rows have rested, and leaves them out where they are many.
func (s *shrinking) watch() {
	if s.quiet == nil {
		s.quiet = make([]int, len(s.R))
	}
	top, bottom := s.span()
	if !s.free {
		top, bottom = max(top, 0), min(bottom, 0)
	}
	if !(top > bottom) || s.Limit.Reached() {
		return
	}
	resting := 0
	for i, r := range s.R {
		if s.Up[i]-r < bottom && s.Low[i]-r > top {
			s.quiet[i]++
		} else {
			s.quiet[i] = 0
		}
		if s.quiet[i] >= shrinkAfter {
			resting++
		}
	}
	if resting*shrinkShare >= len(s.R) && resting < len(s.R)-1 {
		s.leave(top - bottom)
	}
}

// leave goes on without the rows that rest.
func (s *shrinking) leave(violation float64) {
	s.rows = s.rows[:0]
	for i, q := range s.quiet {
		if q < shrinkAfter {
			s.rows = append(s.rows, i)
		}
	}
	clear(s.quiet)
	weight := vec.Total(Gather(nil, s.p.S, s.rows))
	gram, err := s.p.Part(s.rows)
	if err != nil {
		return // on all rows, then
	}
	p, err := problem.NewKernel(gram, Gather(nil, s.p.Y, s.rows), Gather(nil, s.p.S, s.rows), s.p.Loss, s.p.Lambda*s.p.N/weight, s.p.Bias)
	if err != nil {
		return
	}
	s.part = newWorking(p, s.q, s.working.leave, nil, s.Limit)
	s.part.inside.descends = s.inside.descends
	d := s.part.Dual
	copy(d.C, Gather(nil, s.C, s.rows)) // as they are, without other roundings
	copy(d.Lo, Gather(nil, s.Lo, s.rows))
	copy(d.Hi, Gather(nil, s.Hi, s.rows))
	copy(d.Own, Gather(nil, s.Own, s.rows))
	for k, i := range s.rows {
		d.Beta[k] = s.Beta[i]
		d.retarget(k)
	}
	copy(d.R, Gather(nil, s.R, s.rows))
	d.from, d.fixed = Gather(nil, s.Beta, s.rows), Gather(nil, s.R, s.rows)
	s.goal, s.rounds, s.left = shrinkFall*violation, 0, s.left+len(s.R)-len(s.rows)
}

// merge brings all responses up to date, and judges the point on all rows.
func (s *shrinking) merge() {
	part := s.part
	s.part = nil
	if s.respondTo(s.adopt(s.rows, part.Beta)); s.p.Cut() {
		s.part = part
		return
	}
	s.Negative = min(s.Negative, part.Negative)
	s.judge()
}

// coefficients are those of all rows.
func (s *shrinking) coefficients() []float64 {
	s.all = append(s.all[:0], s.Beta...)
	for k, i := range s.rows {
		s.all[i] = s.part.Beta[k]
	}
	return s.all
}

func (s *shrinking) support() (all, spared int) {
	if s.part == nil {
		return s.working.support()
	}
	return support.Nonzeros(s.coefficients())
}

// Report knows no gap while rows are left out.
func (s *shrinking) Report() solver.Report {
	if s.part == nil {
		return s.working.Report()
	}
	return s.Dual.report(math.Inf(1), nil)
}

// Point has, while rows are left out, the bias of the others.
func (s *shrinking) Point() problem.Point {
	if s.part == nil {
		return s.working.Point()
	}
	n := s.p.Len()
	pt := problem.Point{W: make([]float64, n+1), A: make([]float64, n)}
	for i, b := range s.coefficients() {
		first, last := s.loss.Domain(s.y[i])
		pt.A[i] = min(max(-b/s.C[i], first), last)
	}
	s.p.Weights(pt.W, pt.A)
	if s.free {
		pt.W[n] = s.part.bias()
	}
	return pt
}
