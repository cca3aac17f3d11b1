package dual

import (
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/problem"
)

// sample is how a run begins on half of the rows, there on a quarter, and so on,
// until one working set holds them. With the same lambda the predictor of a
// random half is about that of all rows: its dual variables, the slopes of the
// losses, are good as they are, and all coefficients -s_i a_i/(lambda N) are
// twice as large. The other rows then come into play a working set at a time,
// in random order. N is always of the rows in play, so each time the
// coefficients of the others shrink, and what the new ones find is a predictor
// that already is about right. Most coefficients so get to their bound at once.
//
// On a9a, with 11600 support vectors, this takes values of K worth 25500 rows, all
// samples counted, and 26 rounds. From zero the worst violators are all alike: a
// set of 512 has room for 30 steps, and it takes 1100 rounds.
type sample struct {
	below *working // the run on a sample; nil: none, or done
	order []int    // the rows, those of the sample first; nil: all are in play
	play  int      // how many of them, from the first, are in play
	share float64  // of all row weights, theirs
	turns int      // rounds since all are in play
}

// A sample has told what it can at a gap of goodSample: its predictor is off by
// more than that. Where it is harder than the whole, as coefficients may become
// larger, sampleTurns rounds are enough; where most are free, clusters do better.
const (
	goodSample  = 0.2
	sampleTurns = 8
)

// halve begins with a run on half of the rows, if they are more than two sets.
func (s *working) halve(random *rand.Rand) {
	n := s.p.Len()
	if n <= 2*s.q || ablated.has(withoutSample) {
		return
	}
	order := random.Perm(n)
	s.inOrder(order[:n/2])
	p, err := partOf(s.p, order[:n/2])
	if err != nil {
		return // begin at zero
	}
	s.order = order
	s.below = newWorking(p, s.q, s.leave, nil, s.Limit)
	s.below.halve(random)
}

// partOf returns the problem of some rows.
func partOf(p *problem.Kernel, rows []int) (*problem.Kernel, error) {
	gram, err := p.Part(rows)
	if err != nil {
		return nil, err
	}
	return problem.NewKernel(gram, Gather(nil, p.Y, rows), Gather(nil, p.S, rows), p.Loss, p.Lambda, p.Bias)
}

// descend makes two rounds on the sample, of half the cost of one here, or takes
// over its solution if that is good.
func (s *working) descend() {
	for range 2 {
		if s.below.Epoch(); s.Limit.Reached() {
			return
		}
		if s.below.clusters.on || s.below.estimate <= goodSample || s.below.turns >= sampleTurns || s.below.ended() != nil {
			s.rise()
			return
		}
	}
}

// rise takes over the solution of the sample, unless clusters do better.
func (s *working) rise() {
	below := s.below
	s.below, s.play = nil, below.p.Len()
	if below.clusters.on || len(below.R) <= 2*s.q && below.asksForClusters(len(below.R)) {
		s.clusters.on, s.order = true, nil
		return
	}
	s.rescale(below.p.N / s.p.N)
	s.set, s.changes = s.set[:0], s.changes[:0]
	total := 0.0
	for k, b := range below.Beta {
		if b != 0 {
			i := s.order[k]
			s.Dual.set(i, b)
			s.set, s.changes = append(s.set, i), append(s.changes, s.Beta[i])
			total += s.Beta[i]
		}
	}
	if s.respondTo(total); s.p.Cut() {
		s.below = below
	}
}

// rescale changes the share of the rows in play. The dual variables stay as they
// are, and with them what the responses are compared with.
func (s *working) rescale(share float64) {
	factor := s.share / share
	s.share = share
	s.drift *= factor * factor
	for _, v := range [][]float64{s.C, s.Lo, s.Hi, s.Beta, s.R} {
		for i := range v {
			v[i] *= factor
		}
	}
	for i, c := range s.C {
		s.Own[i] = s.K[i] + s.sigma/c
	}
}

// enter brings the next rows into play. Those of them that are to move are the working set, with the
// coefficients that are free already.
func (s *working) enter() {
	s.set = s.set[:0]
	weight := s.share * s.p.N
	for s.play < len(s.order) && len(s.set) < s.q {
		i := s.order[s.play]
		weight += s.p.S[i]
		s.set = append(s.set, i)
		s.play++
	}
	share := weight / s.p.N
	if s.play == len(s.order) {
		s.order, share = nil, 1
	}
	s.rescale(share)
	if s.order == nil {
		s.bounds(s.p) // without the roundings of the way
	}
	bias := s.bias()
	s.set = slices.DeleteFunc(s.set, func(i int) bool { return s.rests(i, bias) })
	s.takeFree()
	s.inOrder(s.set)
	s.set = slices.Compact(s.set) // some that are new are free too
}

// lift returns a point of the sample as one of all rows.
func (s *working) lift(part problem.Point) problem.Point {
	n, m := s.p.Len(), s.below.p.Len()
	s.pt = problem.Point{W: make([]float64, n+1), A: make([]float64, n)}
	for k, i := range s.order[:m] {
		s.pt.W[i], s.pt.A[i] = part.W[k], part.A[k]
	}
	s.pt.W[n] = part.W[m]
	return s.pt
}
