package dual

import (
	"errors"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// SMO is sequential minimal optimization: the smallest step that the dual
// problem allows, taken where it pays most (Platt 1998; Fan, Chen, Lin 2005;
// Glasmachers, Igel 2006; thesis 4.2 with the signs of its pair step corrected).
//
// Problem: problem.Kernel with any bias and a loss that is loss.Invertible and straight or curved;
// dual is its form here. With h_i = up_i - r_i for what may grow and low_i - r_i
// for what may shrink, a step of a pair i, j is
//
//	t = (h_i - h_j)/(K_ii + K_jj - 2K_ij),  beta_i += t,  beta_j -= t,
//
// cut off at the bounds, so that the sum of beta stays zero. Selection:
//
//	first   i of the largest h, j of the least: the maximal violating pair
//	second  that i, and the j of the largest gain (h_i-h_j)^2/(2(K_ii+K_jj-2K_ij))
//	gain    the pair of the largest gain, cut off: all rows of K for every step
//	hybrid  the largest gain of the pairs that keep one of the last two rows,
//	        unless both have come to a bound
//
// Without a free bias one coefficient moves at a time: with first that of the largest
// violation, with second and gain that of the largest gain; hybrid has no pairs to choose.
// Returned is the last iterate. Cost per step: two rows of K, or one.
type SMO struct{ Selection string }

var _ solver.Solver = SMO{}

func init() {
	support.Solvers.Register(registry.Entry[solver.Solver]{Name: "smo", Summary: "pairs of dual variables, as LIBSVM; selection=second|first|gain|hybrid",
		Facts: registry.Facts{Rate: "linear in the end; steps grow with C", Memory: "rows of K up to the cache", Source: "Platt 1998; Fan, Chen, Lin 2005; Glasmachers, Igel 2006"},
		New: func(p *registry.Params) (solver.Solver, error) {
			s := p.Choice("selection", "second", "first", "gain", "hybrid")
			return SMO{s}, p.Err()
		}})
}

// Accepts takes every loss whose slope can be inverted.
func (s SMO) Accepts(p problem.Problem) error {
	if err := accepts("smo", p); err != nil {
		return err
	}
	if p.(*problem.Kernel).Bias != problem.Free && s.Selection == "hybrid" {
		return errors.New("smo:selection=hybrid keeps one of the last pair, and without a free bias no pairs move: expected the bias free, or selection=first or gain")
	}
	return nil
}

// Start begins at the warm start, or at zero.
func (s SMO) Start(p problem.Problem, start solver.Start) solver.State {
	k := p.(*problem.Kernel)
	d := newDual(k, support.Kept(k, start))
	d.Limit = start.Over
	support.SupportOf(start, d.support)
	return &smo{Dual: d, p: k, selection: s.Selection, last: [2]int{-1, -1}}
}

type smo struct {
	*Dual
	p         *problem.Kernel
	pt        problem.Point
	selection string
	last      [2]int       // the rows that moved last; -1: none
	rows      [2][]float64 // theirs
	estimate  float64
}

// Epoch makes some steps, as many as make it worth while to check all rows.
func (s *smo) Epoch() {
	for range 64 + s.p.Len()/16 {
		if s.Limit.Reached() {
			return
		}
		if !s.advance() {
			if s.moved { // rounding errors of the responses may hide what is left
				s.respond(s.p)
			}
			break
		}
	}
	if !s.unproved {
		s.estimate, _ = s.gap(s.p, s.estimate)
	}
}

// Report holds the gap, and why no step is left.
func (s *smo) Report() solver.Report { return s.report(s.estimate, s.end()) }

func (s *smo) Point() problem.Point { return s.point(s.p, &s.pt) }

// advance makes a step, and reports whether there was one to make.
func (s *smo) advance() bool {
	if !s.free {
		return s.advanceOne()
	}
	i, j := s.choose()
	if i < 0 || j < 0 || s.p.Cut() {
		return false
	}
	t := s.step(i, j, s.rows[0][j])
	if !(t > 0) {
		return false
	}
	for k, r := range s.R {
		s.R[k] = r + float64(t*(s.rows[0][k]-s.rows[1][k]))
	}
	s.move(i, j, t)
	return true
}

// move adds t to beta_i and takes it from beta_j, where there are such. What
// reaches a bound gets its exact value.
func (d *Dual) move(i, j int, t float64) {
	if i >= 0 && t == d.Hi[i]-d.Beta[i] {
		d.set(i, d.Hi[i])
	} else if i >= 0 {
		d.set(i, d.Beta[i]+t)
	}
	if j >= 0 && t == d.Beta[j]-d.Lo[j] {
		d.set(j, d.Lo[j])
	} else if j >= 0 {
		d.set(j, d.Beta[j]-t)
	}
}

// advanceOne moves the coefficient of the largest violation or gain.
func (s *smo) advanceOne() bool {
	i, j, _ := s.bestOne()
	if s.selection == "first" {
		i, j = s.worstOne()
	}
	if i < 0 && j < 0 {
		return false
	}
	t := s.step(i, j, 0)
	if !(t > 0) {
		return false
	}
	if s.fetch(0, max(i, j)); s.p.Cut() {
		return false
	}
	s.move(i, j, t)
	if i < 0 {
		t = -t
	}
	for k, r := range s.R {
		s.R[k] = r + float64(t*s.rows[0][k])
	}
	return true
}

// fetch keeps row i of K in place slot.
func (s *smo) fetch(slot, i int) {
	if s.last[slot] == i {
		return
	}
	if other := 1 - slot; s.last[other] == i {
		s.last[0], s.last[1] = s.last[1], s.last[0]
		s.rows[0], s.rows[1] = s.rows[1], s.rows[0]
		return
	}
	s.last[slot] = i
	s.rows[slot] = widen(s.rows[slot], s.p.Rows([]int{i})[0], s.p.Constant())
}

// widen copies a row of K to double precision, adding a constant.
func widen(dst []float64, row gram.Row, constant float64) []float64 {
	dst = append(dst[:0], row.Double...)
	for _, v := range row.Single {
		dst = append(dst, float64(v))
	}
	if constant != 0 {
		for k := range dst {
			dst[k] += constant
		}
	}
	return dst
}
