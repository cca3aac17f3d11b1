package kernel

// narrow is how rounds are made on part of the rows where one set does not hold
// all that have to move: on the rows that violate the optimality condition most,
// and those that come nearest to it. All other coefficients, and their share of
// the responses, stay as they are, and rows of K are only as long as the part. Its
// solution is then carried over at once.
type narrow struct {
	run    *working // the run on the part; nil: none
	rows   []int    // of the part
	goal   float64  // the violation at which it ends
	rounds int      // made there
}

const (
	partSets  = 4   // a part holds so many working sets
	fewParts  = 3   // of fewer parts than that none is made
	settled   = 0.1 // the share of the violation that a part leaves
	mostTurns = 200 // the rounds on a part at most: the other rows may matter more
	partLeave = 0.3 // the share that a round on it leaves
	partEpoch = 12  // the rounds on a part in an epoch: each costs a fraction of one on all rows
)

// constrict begins a run on a part, if that is worth while.
func (s *working) constrict() bool {
	most := partSets * s.q
	if ablated.has(withoutNarrow) || !s.parts || len(s.set) < s.q || len(s.r) < fewParts*most || s.interior() <= s.q {
		return false
	}
	var up, down worst
	up.reset(most / 2)
	down.reset(most - most/2)
	for i, r := range s.r {
		up.offer(i, s.up[i]-r)
		down.offer(i, r-s.low[i])
	}
	s.narrow.rows = union(s.narrow.rows[:0], up.list, down.list)
	p, err := partOf(s.p, s.narrow.rows)
	if err != nil {
		return false
	}
	w := newWorking(p, s.q, partLeave, nil, s.limit)
	w.c, w.lo, w.hi = gather(w.c[:0], s.c, s.narrow.rows), gather(w.lo[:0], s.lo, s.narrow.rows), gather(w.hi[:0], s.hi, s.narrow.rows)
	w.own = gather(w.own[:0], s.own, s.narrow.rows)
	for k, i := range s.narrow.rows {
		w.dual.set(k, s.beta[i])
		w.r[k] = s.r[i]
	}
	s.narrow.run = w
	s.narrow.goal = settled * w.violation()
	s.narrow.rounds = 0
	return true
}

// interior counts the coefficients that are at no bound, nor at a corner.
func (d *dual) interior() (n int) {
	for i, up := range d.up {
		if up == d.low[i] {
			n++
		}
	}
	return n
}

// loosen makes some rounds on the part, and carries its solution over at the end.
func (s *working) loosen() {
	w := s.narrow.run
	for range partEpoch {
		if s.limit.reached() {
			return
		}
		w.choose()
		if len(w.set) > 0 {
			w.round()
		}
		s.narrow.rounds++
		if len(w.set) == 0 || w.violation() <= s.narrow.goal || s.narrow.rounds >= mostTurns {
			s.carryOver()
			return
		}
	}
}

// carryOver ends the run on the part.
func (s *working) carryOver() {
	w := s.narrow.run
	total := s.adopt(s.narrow.rows, w.beta)
	s.negative = min(s.negative, w.negative)
	s.narrow.run = nil
	s.respondTo(total)
	s.judge()
}
