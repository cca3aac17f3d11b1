package nu

import (
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// nuSample is how a run begins on half of the rows, there on a quarter, and so on, as
// that of Working does: see sample. With the same masses the caps of a random half are
// twice as large, and its predictor is about that of all rows. When other rows come into
// play all parts shrink, and what their sums then lack is given to the new rows that
// lie lowest for the predictor so far, which are then the working set.
type nuSample struct {
	below *nu     // the run on a sample; nil: none, or done
	order []int   // the rows, those of the sample first; nil: all are in play
	play  int     // how many of them, from the first, are in play
	share float64 // of all caps, theirs
	turns int     // rounds since all are in play
}

// begin begins with a run on half of the rows, if they are more than two sets, and
// else by filling the sums.
func (s *nu) begin(random *rand.Rand) {
	n := len(s.r)
	order := random.Perm(n)
	if n > 2*s.q {
		if s.below = s.sample(order[:n/2]); s.below != nil {
			s.order = order
			s.below.begin(random)
			return
		}
	}
	s.fill(0, order)
	s.fill(1, order)
	s.respond(order)
}

// sample returns the run on some rows; nil if there can be none.
func (s *nu) sample(rows []int) *nu {
	gram, err := s.gram.Part(rows)
	if err != nil {
		return nil
	}
	factor := s.capsOf(nil) / s.capsOf(rows)
	var caps [2][]float64
	for side := range caps {
		caps[side] = dual.Gather(nil, s.full[side], rows)
		for k := range caps[side] {
			caps[side][k] *= factor
		}
	}
	below := newNu(s.p, gram, dual.Gather(nil, s.t, rows), caps, s.q, s.most)
	below.heed(s.limit)
	return below
}

// capsOf adds up the caps of some rows; nil: all.
func (s *nu) capsOf(rows []int) float64 {
	if rows == nil {
		return vec.Total(s.full[0]) + vec.Total(s.full[1])
	}
	return vec.Total(dual.Gather(nil, s.full[0], rows)) + vec.Total(dual.Gather(nil, s.full[1], rows))
}

// descend makes two rounds on the sample, of half the cost of one here, or takes over
// its solution if that is good.
func (s *nu) descend() {
	for range 2 {
		if s.below.Epoch(); s.limit.Reached() {
			return
		}
		if s.below.estimate <= dual.GoodSample || s.below.turns >= dual.SampleTurns || s.below.ended() != nil {
			s.rise()
			return
		}
	}
}

// rise takes over the solution of the sample.
func (s *nu) rise() {
	below, rows := s.below, s.order[:len(s.below.r)]
	s.below, s.play, s.share = nil, len(rows), 1
	s.rescale(s.capsOf(rows) / s.capsOf(nil))
	for side := range s.x {
		for k, x := range below.x[side] {
			s.x[side][rows[k]] = min(x, s.cap[side][rows[k]])
		}
	}
	if s.respond(slices.Clone(rows)); s.gram.Cut() {
		s.below = below
	}
}

// rescale changes the share of the caps in play.
func (s *nu) rescale(share float64) {
	factor := s.share / share
	s.share = share
	s.drift *= factor * factor
	for _, v := range [][]float64{s.cap[0], s.cap[1], s.x[0], s.x[1], s.beta, s.r} {
		for i := range v {
			v[i] *= factor
		}
	}
}

// enter brings the next rows into play, as the working set.
func (s *nu) enter() {
	most := s.q
	if s.p.Tube() { // a row has two parts
		most = max(1, s.q/2)
	}
	next := s.order[s.play:min(s.play+most, len(s.order))]
	s.play += len(next)
	if s.play == len(s.order) {
		s.order = nil
		s.rescale(1)
		s.restore()
	} else {
		s.rescale(s.share + s.capsOf(next)/s.capsOf(nil))
	}
	s.set = s.set[:0]
	for side := range s.x {
		s.fill(side, next)
		for _, i := range next {
			if s.cap[side][i] > 0 {
				s.set = append(s.set, part{i, side})
			}
		}
	}
	s.inside.begin(s)
	s.inside.grown()
}

// restore sets the caps without the roundings of the way.
func (s *nu) restore() {
	for side, caps := range s.cap {
		for i, c := range s.full[side] {
			if x := s.x[side][i]; x >= caps[i] || x > c {
				s.x[side][i] = c
			}
			caps[i] = c
		}
	}
}

// lift writes the predictor of the sample.
func (s *nu) lift() {
	clear(s.pt.W)
	clear(s.pt.A)
	state, rows := s.below, s.order[:len(s.below.r)]
	for state.below != nil {
		rows = dual.Gather(nil, rows, state.order[:len(state.below.r)])
		state = state.below
	}
	for k, i := range rows {
		s.pt.W[i] = state.beta[k]
		s.pt.A[i] = -float64(s.p.Lambda*state.beta[k]) * (s.p.N / s.p.S[i])
	}
	s.pt.W[len(s.r)] = state.bias()
}
