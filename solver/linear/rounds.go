package linear

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// partition is a share of the rows that is worked on by itself for a while: a
// copy of u that only its own steps move.
type partition struct {
	u     []float64
	moved []move
	sum   float64 // of s_i (after - before)
	rise  float64 // of s_i (l*(after) - l*(before))
	gap   float64 // of s_i times the row's part of the gap, as it was met

	_ [128]byte // keeps the partitions' counters out of each other's cache lines
}

// move remembers where a dual variable came from.
type move struct {
	row    uint32
	before float64
}

// piece is how many nonzeros a partition should work on before it is merged: so
// many that merging d weights and meeting the others cost little beside it.
func (s *sdca) piece() float64 {
	_, d := s.p.Dims()
	return max(4*float64(d), 1<<14)
}

// divide makes the partitions: as many as the problem has work for, as a
// function of its sizes alone. More partitions must be merged more often, or
// they undo each other's work. Epochs of imdb to gap 1e-3 (hinge 11, logistic
// with lambda = 1/(100n) 11, alone) with 2 partitions and 4, 8, 16 rounds: 19,
// 14, 11 and 17, 13, 13; with 4 partitions and 8, 16, 32 rounds: 35, 36, 16 and
// 30, 27, 21.
func (s *sdca) divide(parts int) {
	if parts == 0 {
		parts = 1
		pieces := float64(s.p.Nonzeros) / s.piece()
		for _, option := range []struct{ parts, rounds int }{{2, 8}, {4, 32}, {8, 64}} {
			if pieces >= float64(option.parts*option.rounds) {
				parts = option.parts
			}
		}
	}
	if s.separate() {
		parts = 1
	}
	s.part = make([]partition, parts)
	s.part[0].u = s.u
	if parts == 1 {
		return
	}
	s.change = make([]float64, len(s.u))
	for p := range s.part {
		s.part[p].u = make([]float64, len(s.u))
	}
	s.stale = true
}

// work visits the rows of the epoch: in rounds, or where few rows are awake all
// by itself.
func (s *sdca) work() {
	n, _ := s.p.Dims()
	awake := float64(s.p.Nonzeros) * float64(len(s.active)) / float64(n)
	rounds := min(int(awake/s.piece())/len(s.part), len(s.rows)/len(s.part), 1024)
	if len(s.part) > 1 && rounds >= 4 {
		s.rounds(rounds)
		return
	}
	alone := partition{u: s.u, moved: s.part[0].moved}
	s.sweep(&alone, s.rows)
	s.settle(&alone, 1)
	s.part[0].moved = alone.moved
	s.stale = true
}

// rounds makes an epoch in which the partitions work side by side. In every
// round each takes the next piece of the shuffled rows and starts from the same
// u; then their changes are merged,
//
//	u <- u + theta sum_p (u_p - u),   a <- a + theta (change of a)
//
// with the theta in [0, 1] that maximises the dual along that direction. It is
// found with the conjugates replaced by their chords, which is exact for the
// hinge and below the dual otherwise. Rejected: steps shortened beforehand so
// that theta = 1 is safe (CoCoA+): more epochs.
func (s *sdca) rounds(rounds int) {
	if s.stale {
		for p := range s.part {
			copy(s.part[p].u, s.u)
		}
		s.stale = false
	}
	parts := len(s.part)
	pieces := parts * rounds
	at := func(piece int) int { return piece * len(s.rows) / pieces }
	for first := 0; first < pieces; first += parts {
		matrix.Blocks(parts, 1, s.p.Threads, func(p, _, _ int) {
			s.sweep(&s.part[p], s.rows[at(first+p):at(first+p+1)])
		})
		s.merge()
	}
}

// mergeBlock is the number of weights that are merged at a time.
const mergeBlock = 2048

// merge adds up the changes of all partitions and gives everybody the result.
func (s *sdca) merge() {
	n := len(s.u)
	blocks := (n + mergeBlock - 1) / mergeBlock
	along, squared := make([]float64, blocks), make([]float64, blocks)
	matrix.Blocks(n, mergeBlock, s.p.Threads, func(b, lo, hi int) {
		along[b], squared[b] = s.gatherChanges(lo, hi)
	})
	var slope, bend, rise float64
	for b := range blocks {
		slope += along[b]
		bend += squared[b]
	}
	for p := range s.part {
		rise += s.part[p].rise
	}
	theta := 1.0
	if bend > 0 {
		theta = (-rise/s.p.N - float64(s.p.Lambda*slope)) / (s.p.Lambda * bend)
	}
	// A step nearly as long costs next to nothing and keeps bounds exact.
	if theta > 0.75 || theta != theta {
		theta = 1
	}
	theta = max(theta, 1/float64(len(s.part)))
	if theta < 1 {
		s.shorten(theta)
	}
	for p := range s.part {
		s.settle(&s.part[p], theta)
	}
}

// gatherChanges adds the changes of the weights lo..hi to u and to the copies,
// and returns <u, change> and |change|^2.
func (s *sdca) gatherChanges(lo, hi int) (along, squared float64) {
	u, change := s.u[lo:hi], s.change[lo:hi]
	copy(change, s.part[0].u[lo:hi])
	for p := range s.part[1:] {
		vec.Axpy64(change, 1, s.part[1+p].u[lo:hi])
	}
	vec.Axpy64(change, -float64(len(s.part)), u)
	along, squared = vec.Dot64(u, change), vec.Dot64(change, change)
	vec.Axpy64(u, 1, change)
	for p := range s.part {
		copy(s.part[p].u[lo:hi], u)
	}
	if last := len(s.u) - 1; hi == last+1 { // the constant column
		c := change[last-lo]
		x := u[last-lo] - c
		along -= float64(x * c)
		squared -= float64(c * c)
		if s.p.Bias != problem.None {
			along += float64(x*c) / s.beta
			squared += float64(c*c) / s.beta
		}
	}
	return along, squared
}

// shorten takes back the share 1-theta of all moves of the round.
func (s *sdca) shorten(theta float64) {
	vec.Axpy64(s.u, theta-1, s.change)
	for p := range s.part {
		for _, m := range s.part[p].moved {
			s.a[m.row] = m.before + float64(theta*(s.a[m.row]-m.before))
		}
		copy(s.part[p].u, s.u)
	}
}

// Estimate returns about the relative gap at the last epoch, from what its
// visits met on the way: the mean of the rows' parts of the gap. It is no
// bound, and costs nothing next to a certificate.
func (s *sdca) Estimate() float64 {
	_, conjugate := s.p.Penalty.Conjugate(s.u[:s.p.Penalised()])
	dual := -s.conjugate/s.p.N - float64(s.p.Lambda*conjugate)
	return problem.Relative(dual+s.rowGap, dual, s.p.Zero())
}
