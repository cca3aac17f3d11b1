package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// piece is how many nonzeros a partition should work on before it is merged: so
// many that merging d weights and meeting the others cost little beside it.
func (s *sdca) piece() float64 {
	_, d := s.p.Dims()
	return max(4*float64(d), 1<<14)
}

// leastRounds is how many rounds an epoch should have at least for partitions to
// be worth it.
const leastRounds = 4

// fewRounds is how many an epoch must have where few rows are awake. Pieces may be as
// short as shortPiece for up to someRounds, or one core would make the late epochs alone.
const (
	fewRounds  = 2
	someRounds = 3
)

// shortPiece is how many nonzeros a partition must have in a round.
func (s *sdca) shortPiece() float64 {
	_, d := s.p.Dims()
	return max(float64(d), 1<<14)
}

// mostRounds bounds the rounds of an epoch: more save hardly an epoch, and their merges
// take a tenth of the time.
const mostRounds = 64

// divide makes the partitions, their number a function of the sizes alone: two
// where there is work for them, else one. With more, columns that all rows use
// are corrected by everybody at once, and the epochs grow.
func (s *sdca) divide(parts int) {
	if parts == 0 {
		parts = 1
		if float64(s.p.Nonzeros) >= 2*leastRounds*s.piece() {
			parts = 2
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
	if x, ok := s.p.X.(*matrix.CSR); ok && parts > 2 {
		s.columns = newColumnSigmas(s.p.Rows, x)
	} else {
		s.sigma = firstSigma
	}
	s.change = make([]float64, len(s.u))
	for p := range s.part {
		s.part[p].u, s.part[p].keep = make([]float64, len(s.u)), true
	}
	s.stale = true
}

// work visits the rows of the epoch: in rounds, or where few rows are awake all
// by itself.
func (s *sdca) work() {
	rounds := s.roundsOf(len(s.active))
	if len(s.part) > 1 && rounds >= fewRounds {
		s.rounds(rounds)
		return
	}
	sigma, columns := s.sigma, s.columns
	s.sigma, s.columns = 1, nil
	alone := partition{u: s.u}
	s.sweep(&alone, s.rows)
	s.settle(&alone, 1)
	s.stale, s.sigma, s.columns = true, sigma, columns
}

// roundsOf is how many rounds the partitions can make of so many rows.
func (s *sdca) roundsOf(rows int) int {
	n, _ := s.p.Dims()
	each := float64(s.p.Nonzeros) * float64(rows) / float64(n) / float64(len(s.part))
	rounds := max(int(each/s.piece()), min(int(each/s.shortPiece()), someRounds))
	return min(rounds, rows/len(s.part), mostRounds)
}

// rounds makes an epoch in which the partitions work side by side. In every
// round each takes the next piece of the shuffled rows and starts from the same
// u; then their changes are merged,
//
//	u <- u + theta sum_p (u_p - u),   a <- a + theta (change of a)
//
// with the theta in [0, 1] that maximises the dual along that direction. It is
// found with the conjugates replaced by their chords, which is exact for the
// hinge and below the dual otherwise.
func (s *sdca) rounds(rounds int) {
	n, parts := len(s.u), len(s.part)
	if s.columns != nil {
		s.columns.learn(s.epoch, s.active, parts, s.p.Threads)
	}
	pieces := parts * rounds
	at := func(piece int) int { return piece * len(s.rows) / pieces }
	blocks := (n + mergeBlock - 1) / mergeBlock
	along, squared, theta := make([]float64, blocks), make([]float64, blocks), 1.0
	team := s.clock.team(s.p.Threads, parts)
	team.Run(func(member int) {
		from, to := team.Share(member, parts)
		lo, hi := team.Share(member, blocks)
		left, right := lo*mergeBlock, min(hi*mergeBlock, n)
		for p := from; p < to && s.stale; p++ {
			copy(s.part[p].u, s.u)
		}
		for first := 0; first < pieces; first += parts {
			s.clock.side(from, to, func(p int) {
				s.sweep(&s.part[p], s.rows[at(first+p):at(first+p+1)])
			})
			team.Meet()
			s.clock.merge(func() {
				for b := lo; b < hi; b++ {
					along[b], squared[b] = s.join(b*mergeBlock, min((b+1)*mergeBlock, n))
				}
				team.Meet()
				if member == 0 {
					theta = s.settleAll(along, squared)
				}
				team.Meet()
				if theta < 1 {
					s.shorten(theta, left, right, s.part[from:to])
					team.Meet()
				}
				for p := from; p < to; p++ {
					s.part[p].fetch(left, right)
				}
			})
		}
	})
	s.stale = false
}

// mergeBlock is the number of weights that are merged at a time: the blocks are shared
// out, and their sums added in order.
const mergeBlock = 512

// settleAll decides how much of the changes of a round stays, and takes the
// moves into account so.
func (s *sdca) settleAll(along, squared []float64) float64 {
	var slope, bend, rise float64
	for b := range along {
		slope += along[b]
		bend += squared[b]
	}
	for p := range s.part {
		rise += s.part[p].rise
	}
	theta, best := shareOf(-rise/s.p.N, s.p.Lambda, slope, bend, len(s.part))
	for p := range s.part {
		s.settle(&s.part[p], theta)
	}
	if s.columns == nil {
		s.sigma = adapted(s.sigma, best, len(s.part))
	}
	return theta
}

// shareOf returns the share theta of a round's changes that stays, and the best one: fall is what the conjugates gave
// way, slope and bend are <u, change> and |change|^2.
func shareOf(fall, lambda, slope, bend float64, parts int) (theta, best float64) {
	theta = 1
	if bend > 0 {
		theta = (fall - float64(lambda*slope)) / (lambda * bend)
	}
	best = theta * overRelaxed // what a round of exact steps would find, about
	// A step nearly as long costs next to nothing and keeps bounds exact.
	if best > 0.75 || theta != theta {
		theta = 1
	}
	return max(theta, 1/float64(parts)), best
}

// adapted returns the sigma that the best theta of a round says: how much the partitions get into
// each other's way. The copies of u move sigma times as far as they should, so
// that each partition's steps leave room for those of the others (CoCoA+, Ma et
// al. 2015, whose safe sigma is the number of partitions; less will mostly do).
//
// What all rows use each of two partitions corrects as if alone, so that an error
// there is multiplied by 1-2/sigma in a round: with sigma 1 it swings for ever,
// and the dual hardly shows it. So sigma begins at 2 and stays above 1.
func adapted(sigma, best float64, parts int) float64 {
	switch {
	case best < 0.95:
		return min(float64(parts), sigma/math.Sqrt(max(best, 0.25)))
	case best > 1.05:
		return max(leastSigma, sigma*0.95)
	}
	return sigma
}

// join adds the changes of the weights lo..hi to u and to its copies, and returns
// <u, change> and |change|^2.
func (s *sdca) join(lo, hi int) (along, squared float64) {
	u, change := s.u[lo:hi], s.change[lo:hi]
	if s.columns != nil {
		along, squared = s.columns.join(u, change, s.part, lo)
	} else {
		along, squared = s.joinAlike(u, change, lo)
	}
	s.spread(s.part, lo, hi)
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

// joinAlike is join with the same sigma for the columns from lo on, without the care of the
// constant one.
func (s *sdca) joinAlike(u, change []float64, lo int) (along, squared float64) {
	hi := lo + len(u)
	first, second := s.part[0].u[lo:hi], s.part[1].u[lo:hi]
	for p := range s.part[2:] {
		vec.Axpy64(second, 1, s.part[2+p].u[lo:hi])
		vec.Axpy64(second, -1, u)
	}
	scale := 1 / s.sigma
	for j, x := range u {
		change[j] = scale * ((first[j] - x) + (second[j] - x))
	}
	along, squared = vec.Dot64(u, change), vec.SquaredNorm64(change)
	vec.Axpy64(u, 1, change)
	return along, squared
}

// spread copies the weights lo..hi to partitions.
func (s *sdca) spread(parts []partition, lo, hi int) {
	for p := range parts {
		copy(parts[p].u[lo:hi], s.u[lo:hi])
	}
}

// shorten takes back the share 1-theta of the changes of the weights lo..hi and
// of the moves of some partitions.
func (s *sdca) shorten(theta float64, lo, hi int, parts []partition) {
	vec.Axpy64(s.u[lo:hi], theta-1, s.change[lo:hi])
	s.spread(s.part, lo, hi)
	for p := range parts {
		for _, m := range parts[p].moved {
			s.a[m.row] = m.before + float64(theta*(s.a[m.row]-m.before))
		}
	}
}

// settle takes the moves of a part into account, of which the share theta was
// made.
func (s *sdca) settle(part *partition, theta float64) {
	s.sum += float64(theta * part.sum)
	s.conjugate += float64(theta * part.rise)
	s.rowGap += part.gap
}
