package linear

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// Which rows the interior-point method sees: see working. A row that is left out is
// beside each of its ramps, on a side that away tells.

// worst returns the largest part of its way to a bend that a row left out goes in
// a whole step.
func (s *working) worst() float64 {
	n := len(s.away)
	most := make([]float64, (n+newtonRows-1)/newtonRows)
	parallel.Blocks(n, newtonRows, s.p.Threads, func(block, lo, hi int) {
		for k := range s.inner.ramps {
			most[block] = s.inner.ramps[k].share(s.away[lo:hi], s.row[lo:hi], most[block])
		}
	})
	return slices.Max(most)
}

// met returns the rows that go more than a share of their way to a bend.
func (s *working) met(share float64) (joining []uint32) {
	for i := range s.row {
		for k := range s.inner.ramps {
			if s.inner.ramps[k].share(s.away[i:i+1], s.row[i:i+1], share) > share {
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
		rise, loss, slope := s.beside(s.p.Y[i], s.away[i])
		weight, row := s.p.S[i], s.p.X.Row(int(i))
		v := float64(weight / s.p.N * rise)
		row.AddTo(e.fixed[:last], -v)
		e.fixed[last] -= v
		e.constant -= float64(weight * (loss - float64(rise*(row.Dot(s.w[:last])+s.w[last]))))
		s.slopes -= float64(weight * slope)
		away[k], s.away[i] = s.away[i], math.Inf(1)
	}
	e.ground(e.fixed)
	s.near = append(s.near, joining...)
	lengthen(e.p, s.p, joining)
	e.add(away)
}

// beside returns what the ramps of a row beside them add to its slope and to its
// loss, and the size of its whole slope, for which only a free bias asks.
func (s *working) beside(y, away float64) (rise, loss, size float64) {
	for k := range s.inner.ramps {
		e := &s.inner.ramps[k]
		if q := away - e.shift; q > 0 {
			rise += e.jump
			loss += float64(e.jump * (q - e.end()/2))
		}
	}
	if s.p.Bias == problem.Free {
		size = math.Abs(s.inner.corners.of(y).slope + rise)
	}
	return rise, loss, size
}

// leave leaves out the rows that are far away, if they are a quarter of all; the first
// time 0.65 of all, because the others are copied then (covtype2: 38 MB; 41 with a half).
func (s *working) leave() {
	e := s.inner
	least := 0.25
	if s.near == nil {
		least = 0.65
	}
	count, n := s.measure(), len(e.away)
	if float64(count) < least*float64(n) || n-count < len(s.w) {
		return
	}
	s.fix()
	if s.near == nil {
		s.away = slices.Clone(s.away) // that of inner will be shortened
	}
	next, from := s.near[:0], slices.Grow(s.from[:0], n-count)
	if s.near == nil {
		next = make([]uint32, 0, n-count)
	}
	for k, far := range s.far {
		i := s.index(k)
		if far {
			s.away[i] = e.away[k]
			continue
		}
		s.away[i] = math.Inf(1)
		next, from = append(next, uint32(i)), append(from, int32(k)) // of near, what has been read is overwritten
	}
	s.near, s.from = next, from
	if e.p == s.p {
		e.p = subset(s.p, s.near)
	} else {
		shorten(e.p, s.from)
	}
	e.keep(s.from)
}

// measure finds the rows of inner that are far away, and counts them.
func (s *working) measure() int {
	e := s.inner
	s.far = slices.Grow(s.far[:0], len(e.away))[:len(e.away)]
	least := float64(distance * e.mean)
	count, _ := sumRows(e.p, func(lo, hi int) (x, _ float64) {
		for i := lo; i < hi; i++ {
			enough := least + float64(moves*math.Abs(e.move[i]))
			far := true
			for k := range e.ramps {
				far = far && e.ramps[k].distance(e.away[i]-e.ramps[k].shift) > enough
			}
			if s.far[i] = far; far {
				x++
			}
		}
		return x, 0
	})
	return int(count)
}

// fix adds the rows of inner that are far away to the sums over such rows. Their
// losses are
//
//	sum s rise (q - J W/2) = N <change, w> + constant
func (s *working) fix() {
	e, v := s.inner, s.inner.move // it has been made
	losses, slopes := sumRows(e.p, func(lo, hi int) (x, y float64) {
		for k := lo; k < hi; k++ {
			if v[k] = 0; s.far[k] {
				rise, loss, size := s.beside(e.p.Y[k], e.away[k])
				v[k] = e.p.S[k] / e.p.N * rise
				x += float64(e.p.S[k] * loss)
				y += float64(e.p.S[k] * size)
			}
		}
		return x, y
	})
	change, _ := e.p.Combine(v)
	e.constant += losses - float64(e.p.N*inner(change, s.w))
	e.ground(change)
	vec.Axpy64(e.fixed, 1, change)
	s.slopes += slopes
}

// index returns the row of the problem that row k of inner is.
func (s *working) index(k int) int {
	if s.near == nil {
		return k
	}
	return int(s.near[k])
}
