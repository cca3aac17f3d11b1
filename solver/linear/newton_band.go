package linear

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/problem"
)

// A band is how the interior-point method goes on after a sample with many rows for each
// column: with the rows that the sample's weights put near their ramps. Of the others,
// which are taken for straight lines, some stand for all:
//
//	Near      no farther from a ramp than a multiple of |x_i|_H, where H is the inverse
//	          diagonal of lambda N I + X^T diag(s) X of the sample: by how much the
//	          sample may be wrong. bandShare of the rows are so near
//	Far       the sum of their lines, and of one row of bandFar, which stands for these,
//	          bandFar times by how much its loss is above its line: unbiased. Without
//	          that nothing bends where all rows that use a column are far, and w runs
//	          away
//	Ends      when m is so small that the far rows could have been left out by now
//	          (working). Those that are past a bend, or nearly, join; nobody stands for
//	          others any more; and since both is a jolt, which the rows near their bounds
//	          have no room for, all begin again on the central path, at a larger m
//
// It sees a third of the rows in the two or three epochs that would see all. With few rows
// of the sample for each column the band is most of the rows, or many join.
const (
	bandRows  = 64   // of the sample for each column, at least
	bandShare = 0.25 // of the rows
	bandLeast = 0.2  // of the first m: a sample's solution is no better
	bandFar   = 8    // rows that one stands for
	bandMean  = 0.5  // of the band: m at the beginning, at most
	bandGuard = 0.25 // of the band: who is nearer to a bend joins
	bandAgain = 2.0  // times m
	bandProbe = 1024 // rows that tell how wide the band must be
)

// narrow begins with the band around the ramps, at the weights of t, a sample; it
// reports whether that is worth it.
func (s *working) narrow(t *working) bool {
	n, d := t.p.Dims()
	if n < fewestRows || n < bandRows*d || ablated.has(withoutBand) {
		return false
	}
	s.away, s.row = make([]float64, len(s.p.Y)), make([]float64, len(s.p.Y))
	s.place(s.away)
	s.spread(s.row, t.p)
	if s.near = s.within(); 2*len(s.near) > len(s.p.Y) {
		s.near, s.band = nil, 0
		return false
	}
	q := subset(s.p, s.near)
	s.start = make([]float64, len(s.near))
	for k, i := range s.near {
		if s.start[k] = math.Inf(1); s.row[i] != 0 {
			s.start[k] = s.away[i]
			q.S[k] *= bandFar
		}
	}
	s.inner = t.inner.hessian.interior(q, s.loss, s.w, min(warmStart*s.first, bandMean*s.band))
	s.fix(s.p, s.away, s.row, s.line)
	for _, i := range s.near {
		s.away[i] = math.Inf(1)
	}
	return true
}

// place sets where the rows are.
func (s *working) place(away []float64) {
	last := len(s.w) - 1
	parallel.Blocks(len(away), blockRows, s.p.Threads, func(_, lo, hi int) {
		matrix.Dots(away[lo:hi], s.p.X, lo, s.w[:last])
		for i := lo; i < hi; i++ {
			away[i] += s.w[last] - s.corners.of(s.p.Y[i]).at
		}
	})
}

// spread sets by how much, up to a factor, the predictions of the weights of a sample
// may be wrong.
func (s *working) spread(dst []float64, sample *problem.Linear) {
	_, d := s.p.Dims()
	rate := make([]float64, d)
	for i, weight := range sample.S {
		row := sample.X.Row(i)
		for k, x := range row.Value {
			rate[row.Column(k)] += float64(float64(float64(x)*float64(x)) * weight)
		}
	}
	for j, x := range rate {
		rate[j] = 1 / (x + float64(s.p.Lambda*s.p.N))
	}
	parallel.Blocks(len(dst), blockRows, s.p.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = math.Sqrt(squares(s.p.X.Row(i), rate))
		}
	})
}

// squares returns the sum of the squares of a row, times the rates of their columns: of a
// sparse row two sums, neither of which waits for the other.
func squares(row matrix.Vector, rate []float64) (sum float64) {
	if row.Index == nil {
		for j, x := range row.Value {
			sum += float64(float64(float64(x)*float64(x)) * rate[j])
		}
		return sum
	}
	index, value, other := row.Index, row.Value, 0.0
	for len(index) >= 2 && len(value) >= 2 {
		x, y := float64(value[0]), float64(value[1])
		sum += float64(float64(x*x) * rate[index[0]])
		other += float64(float64(y*y) * rate[index[1]])
		index, value = index[2:], value[2:]
	}
	if len(index) > 0 {
		x := float64(value[0])
		sum += float64(float64(x*x) * rate[index[0]])
	}
	return sum + other
}

// distance returns how far a row is from its nearest ramp.
func (s *working) distance(away float64) float64 {
	least := math.Inf(1)
	for k := range s.ramps {
		least = min(least, s.ramps[k].distance(away-s.ramps[k].shift))
	}
	return max(least, 0)
}

// within sets the band and returns the rows in it and those that stand for others,
// given the spread of all in row, which becomes the share of its line that each is.
func (s *working) within() []uint32 {
	n := len(s.away)
	var probe []float64
	mean := 0.0
	for step, i := (n+bandProbe-1)/bandProbe, 0; i < n; i += step {
		mean += s.row[i]
		probe = append(probe, s.distance(s.away[i])/max(s.row[i], 1e-300))
	}
	slices.Sort(probe)
	mean /= float64(len(probe))
	most := max(probe[int(bandShare*float64(len(probe)))], bandLeast*s.first/mean)
	s.band = float64(most * mean)
	rows, count := make([]uint32, n), make([]int, blocksOf(n))
	parallel.Blocks(n, blockRows, s.p.Threads, func(block, lo, hi int) {
		random := rand.NewPCG(uint64(n), uint64(block))
		far, stands, end := 0, 0, lo
		for i := lo; i < hi; i++ {
			share := 0.0
			if s.distance(s.away[i]) > float64(most*s.row[i]) {
				if far%bandFar == 0 {
					stands = far + int(below(random, bandFar))
				}
				if share = 1; far == stands {
					share = 1 - bandFar
				}
				far++
			}
			if s.row[i] = share; share < 1 {
				rows[end] = uint32(i)
				end++
			}
		}
		count[block] = end - lo
	})
	end := 0
	for block, c := range count {
		end += copy(rows[end:], rows[block*blockRows:][:c])
	}
	return rows[:end]
}

// line is beside with what the loss is without its ramps.
func (s *working) line(y, away float64) (slope, loss, size float64) {
	c := s.corners.of(y)
	rise, loss, size := s.beside(y, away)
	return c.slope + rise, c.value + float64(c.slope*away) + loss, size
}

// widen ends the band.
func (s *working) widen() {
	guard := float64(bandGuard * s.band)
	s.band = 0
	e := s.inner
	for k, i := range s.near {
		if e.before[k] = 0; !math.IsInf(s.start[k], 1) {
			e.p.S[k], e.before[k] = s.p.S[i], bandFar-1
		}
	}
	s.fix(e.p, s.start, e.before, s.beside)
	s.start = nil
	s.place(s.row)
	met := make([][]uint32, blocksOf(len(s.row)))
	parallel.Blocks(len(s.row), blockRows, s.p.Threads, func(block, lo, hi int) {
		for i := lo; i < hi; i++ {
			q := s.away[i]
			if math.IsInf(q, 1) {
				continue
			}
			if s.crosses(q, s.row[i], guard) { // joins, which asks where it was
				met[block] = append(met[block], uint32(i))
			} else {
				s.away[i] = s.row[i]
			}
		}
	})
	s.join(slices.Concat(met...), s.row)
	e.central(0, len(e.away), bandAgain*e.mean)
	e.look()
}

// crosses reports whether a row is past a bend from where it was, or nearer to it than
// guard.
func (s *working) crosses(was, is, guard float64) bool {
	for k := range s.ramps {
		half := s.ramps[k].end() / 2
		middle := s.ramps[k].shift + half
		if (is-middle)*math.Copysign(1, was-middle) < half+guard {
			return true
		}
	}
	return false
}
