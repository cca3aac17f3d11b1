package linear

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/vec"
)

// Which rows the interior-point method sees: see working. A row that is left out is
// beside each of its ramps, on a side that away tells.

// worst returns the largest part of its way to a bend that a row left out goes in
// a whole step.
func (s *working) worst() float64 {
	n := len(s.away)
	most := make([]float64, (n+newtonRows-1)/newtonRows)
	matrix.Blocks(n, newtonRows, s.p.Threads, func(block, lo, hi int) {
		worst := 0.0
		away := s.away[lo:hi]
		for k := range s.inner.ramps {
			e := &s.inner.ramps[k]
			for i, move := range s.row[lo:hi] {
				worst = max(worst, e.share(away[i]-e.shift, move))
			}
		}
		most[block] = worst
	})
	return slices.Max(most)
}

// met returns the rows that a step t would bend.
func (s *working) met(t float64) (joining []uint32) {
	for i, move := range s.row {
		for k := range s.inner.ramps {
			if e := &s.inner.ramps[k]; t*e.share(s.away[i]-e.shift, move) > nearly {
				joining = append(joining, uint32(i))
				break
			}
		}
	}
	return joining
}

// join takes in rows.
func (s *working) join(joining []uint32) {
	e := s.inner
	last := len(s.w) - 1
	away := make([]float64, len(joining))
	for k, i := range joining {
		v := s.count(int(i), -1)
		s.p.X.Row(int(i)).AddTo(e.fixed[:last], v)
		e.fixed[last] += v
		away[k], s.away[i] = s.away[i], math.Inf(1)
	}
	e.ground(e.fixed)
	s.near = append(s.near, joining...)
	lengthen(e.p, s.p, joining)
	e.add(away)
}

// count adds row i to the sums over rows left out, or takes it off, and returns its
// part of the gradient, besides that of the slope before any ramp.
func (s *working) count(i int, sign float64) float64 {
	slope, all := s.loss.Ramps(s.p.Y[i])
	rise := 0.0
	for k := range s.inner.ramps {
		if e := &s.inner.ramps[k]; s.away[i] > e.shift {
			rise += e.jump
			s.inner.constant -= float64(sign * s.p.S[i] * e.jump * (all[k].At + e.end()/2))
		}
	}
	s.slopes += float64(sign * s.p.S[i] * math.Abs(slope+rise))
	return float64(sign * (s.p.S[i] / s.p.N) * rise)
}

// leave leaves out the rows that are far away, if they are many.
func (s *working) leave() {
	e := s.inner
	from := s.close()
	if n := len(e.away); 4*(n-len(from)) < n || len(from) < len(s.w) {
		return
	}
	if s.near == nil {
		if s.row == nil {
			s.row = make([]float64, len(s.away))
		}
		e.away = slices.Clone(s.away) // it will be shortened
	}
	v := s.row // it has been made
	clear(v)
	next := make([]uint32, 0, len(from))
	for k := range e.away {
		i := s.index(k)
		if len(next) < len(from) && int(from[len(next)]) == k {
			next = append(next, uint32(i))
			s.away[i] = math.Inf(1)
			continue
		}
		s.away[i] = e.away[k]
		v[i] = s.count(i, 1)
	}
	change, _ := s.p.Combine(v)
	e.ground(change)
	vec.Axpy64(e.fixed, 1, change)
	if s.near = next; e.p == s.p {
		e.p = subset(s.p, next)
	} else {
		shorten(e.p, from)
	}
	e.keep(from)
}

// close returns the rows of inner that are not far away.
func (s *working) close() (rows []int32) {
	e := s.inner
	least := float64(distance * e.mean)
	for i, q := range e.away {
		enough := least + float64(moves*math.Abs(e.move[i]))
		far := true
		for k := range e.ramps {
			far = far && e.ramps[k].distance(q-e.ramps[k].shift) > enough
		}
		if !far {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// index returns the row of the problem that row k of inner is.
func (s *working) index(k int) int {
	if s.near == nil {
		return k
	}
	return int(s.near[k])
}

// straighten sets the slopes of the rows left out.
func (s *working) straighten() {
	if s.near == nil {
		return
	}
	for i, q := range s.away {
		s.row[i] = straight(s.loss, s.inner.ramps, s.p.Y[i], q)
	}
}

// straight returns the slope of a loss beside its ramps.
func straight(l loss.Cornered, ramps []ramps, y, away float64) float64 {
	slope, _ := l.Ramps(y)
	for k := range ramps {
		if away > ramps[k].shift {
			slope += ramps[k].jump
		}
	}
	return slope
}
