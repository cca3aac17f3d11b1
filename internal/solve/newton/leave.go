package newton

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
)

// Which rows the interior-point method sees: see working. A row that is left out is
// beside each of its ramps, on a side that away tells.

// worst returns the largest part of its way to a bend that a row left out goes in
// a whole step, of all and of each block.
func (s *working) worst() (all float64, most []float64) {
	n := len(s.away)
	most = make([]float64, blocksOf(n))
	parallel.Blocks(n, parts.BlockRows, s.p.Threads, func(block, lo, hi int) {
		for k := range s.ramps {
			most[block] = s.ramps[k].share(s.away[lo:hi], s.row[lo:hi], most[block])
		}
	})
	return slices.Max(most), most
}

// met returns the rows that go more than a share of their way to a bend, which only
// blocks with that much as their most have.
func (s *working) met(share float64, most []float64) []uint32 {
	joining := make([][]uint32, len(most))
	parallel.Blocks(len(s.away), parts.BlockRows, s.p.Threads, func(block, lo, hi int) {
		if most[block] <= share {
			return
		}
		for i := lo; i < hi; i++ {
			for k := range s.ramps {
				if s.ramps[k].share(s.away[i:i+1], s.row[i:i+1], share) > share {
					joining[block] = append(joining[block], uint32(i))
					break
				}
			}
		}
	})
	return slices.Concat(joining...)
}

// join takes in rows, which are at the given places by now.
func (s *working) join(joining []uint32, at []float64) {
	e := s.inner
	away := make([]float64, len(joining))
	for k, i := range joining {
		s.take(int(i), s.away[i], -1)
		away[k], s.away[i] = at[i], math.Inf(1)
	}
	parts.Ground(e.fixed, e.p)
	s.near = append(s.near, joining...)
	lengthen(e.p, s.p, joining)
	e.add(away)
}

// take adds share times what row i is beside its ramps, on the side of away, to the sums
// over rows left out.
func (s *working) take(i int, away, share float64) {
	e, last := s.inner, len(s.w)-1
	rise, loss, slope := s.beside(s.p.Y[i], away)
	weight, prediction := float64(share*s.p.S[i]), away+s.corners.of(s.p.Y[i]).at
	v := float64(weight / s.p.N * rise)
	s.p.X.Row(i).AddTo(e.fixed[:last], v)
	e.fixed[last] += v
	e.constant += float64(weight * (loss - float64(rise*prediction)))
	s.slopes += float64(weight * slope)
}

// beside returns what the ramps of a row beside them add to its slope and to its
// loss, and the size of its whole slope, for which only a free bias asks.
func (s *working) beside(y, away float64) (rise, loss, size float64) {
	for k := range s.ramps {
		e := &s.ramps[k]
		if q := away - e.shift; q > 0 {
			rise += e.jump
			loss += float64(e.jump * (q - e.end()/2))
		}
	}
	if s.p.Bias == problem.Free {
		size = math.Abs(s.corners.of(y).slope + rise)
	}
	return rise, loss, size
}

// leave leaves out the rows that are far away, if they are a quarter of all; the first
// time 0.65 of all, because the others are copied then, and take memory.
func (s *working) leave() {
	if parts.Ablated.Has(parts.WithoutLeave) {
		return
	}
	e := s.inner
	least := 0.25
	if s.near == nil {
		least = 0.65
	}
	count, n := s.measure(), len(e.away)
	if float64(count) < least*float64(n) || n-count < len(s.w) {
		return
	}
	s.fix(e.p, e.away, e.move, s.beside)
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
		arrange(s.near, s.p.X)
		for k, i := range s.near {
			s.from[k] = int32(i)
		}
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
	count, _ := parts.SumRows(e.p, func(lo, hi int) (x, _ float64) {
		away, move, far, first := e.away[lo:hi], e.move[lo:hi], s.far[lo:hi], 1
		move, far = move[:len(away)], far[:len(away)]
		for k := range e.ramps {
			half := e.ramps[k].end() / 2
			middle := e.ramps[k].shift + half
			for i, q := range away { // no branches, here and below: they cannot be predicted
				apart := one(math.Abs(q-middle) > half+(least+float64(moves*math.Abs(move[i]))))
				far[i] = apart&(one(far[i])|first) != 0
			}
			first = 0
		}
		count := 0
		for i, far := range far {
			count += one(far)
			move[i] = float64(one(far))
		}
		return float64(count), 0
	})
	return int(count)
}

// one returns 1 for true, 0 for false.
func one(x bool) int {
	if x {
		return 1
	}
	return 0
}

// fix adds rows of p to the sums over rows left out, of each the share in v, which is
// overwritten. line tells slope, loss and size of the slope where a row is, or was when it
// was left out: with p = q + t the losses are
//
//	sum s (loss + slope (x w - p)) = N <change, w> + constant
func (s *working) fix(p *problem.Linear, away, v []float64, line func(y, away float64) (slope, loss, size float64)) {
	e, scale := s.inner, 1/s.p.N
	constant, slopes := parts.SumRows(p, func(lo, hi int) (x, y float64) {
		for k := lo; k < hi; k++ {
			if v[k] != 0 {
				slope, loss, size := line(p.Y[k], away[k])
				weight := float64(v[k] * p.S[k])
				v[k] = float64(weight*scale) * slope
				x += float64(weight * (loss - float64(slope*(away[k]+s.corners.of(p.Y[k]).at))))
				y += float64(weight * size)
			}
		}
		return x, y
	})
	change, _ := p.Combine(v)
	e.constant += constant
	parts.Ground(change, e.p)
	vec.Axpy64(e.fixed, 1, change)
	s.slopes += slopes
}

// locate makes the predictions afresh, and sets the slopes as if all rows were left
// out.
func (s *working) locate() {
	s.p.Predict(s.away, s.w)
	parallel.Blocks(len(s.away), parts.BlockRows, s.p.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			c := s.corners.of(s.p.Y[i])
			s.away[i] -= c.at
			rise, _, _ := s.beside(s.p.Y[i], s.away[i])
			s.row[i] = c.slope + rise
		}
	})
}
