package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
)

// nearRows is the rows that smoothed works on: all of them, or once they are a third at
// most, a copy of those whose margins are within nearWidths tau of 1. The slopes of
// the others are 0 and -y but for rounding. Who is near is looked up whenever a
// width seems to have given what it can; rows that came near since then show in the
// gradient.
type nearRows struct {
	q                 *problem.Linear // the rows; p itself if all
	row               []uint32        // which they are; nil: all
	all               []float64       // n: predictions at the last survey
	prediction, along []float64       // of the rows of q: X w + b, the same of a step
	b, v              []float64       // slopes, s.a/N
	fixed             []float64       // d+1: (1/N) X^T(s.a) of the others
	straight          float64         // (1/N) sum s over those of them whose slope is not 0
}

const (
	nearWidths = 20
	nearShare  = 3 // one row of so many at most is copied
)

func newNear(p *problem.Linear) nearRows {
	n, d := p.Dims()
	s := nearRows{q: p, all: make([]float64, n), fixed: make([]float64, d+1)}
	s.prediction = s.all
	s.resize(n)
	return s
}

// resize makes room for n rows.
func (s *nearRows) resize(n int) {
	s.along, s.b, s.v = make([]float64, n), make([]float64, n), make([]float64, n)
}

// straightLosses is the part of the mean of the losses of the rows that are not near.
func (s *nearRows) straightLosses(w []float64) float64 { return s.straight + inner(s.fixed, w) }

// survey looks at all rows, and chooses those that are near.
func (s *smoothed) survey() {
	s.p.Predict(s.all, s.w)
	if s.choose(); s.q != s.p {
		for k, i := range s.row {
			s.prediction[k] = s.all[i]
		}
	}
	s.look()
}

// choose copies the rows that are near, if they are few.
func (s *smoothed) choose() {
	least := nearWidths * s.tau
	count, _ := sumRows(s.p, func(lo, hi int) (count, _ float64) {
		for i := lo; i < hi; i++ {
			if math.Abs(s.short(i)) < least {
				count++
			}
		}
		return count, 0
	})
	if nearShare*count > float64(len(s.all)) {
		if s.q != s.p {
			all := s.all
			s.nearRows = newNear(s.p)
			copy(s.all, all)
		}
		return
	}
	s.row, s.straight = s.row[:0], 0
	v := make([]float64, len(s.all)) // of the others
	for i := range s.all {
		switch short := s.short(i); {
		case math.Abs(short) < least:
			s.row = append(s.row, uint32(i))
		case short > 0:
			v[i] = -s.p.Y[i] * s.p.S[i] / s.p.N
			s.straight += s.p.S[i] / s.p.N
		}
	}
	s.fixed, _ = s.p.Combine(v)
	if s.p.Bias == problem.None {
		s.fixed[len(s.fixed)-1] = 0
	}
	s.q = subset(s.p, s.row)
	s.prediction = make([]float64, len(s.row))
	s.resize(len(s.row))
}

// short is how much a row's margin was below 1 at the last survey.
func (s *smoothed) short(i int) float64 { return 1 - float64(s.p.Y[i]*s.all[i]) }

// point returns the weights, and the slopes there as dual variables.
func (s *smoothed) point() problem.Point {
	if s.q != s.p {
		s.survey()
	}
	a := make([]float64, len(s.all))
	for i := range a {
		if s.short(i) > 0 {
			a[i] = -s.p.Y[i]
		}
	}
	for k, b := range s.b {
		i := k
		if s.q != s.p {
			i = int(s.row[k])
		}
		a[i] = -s.p.Y[i] * b
	}
	return problem.Point{W: s.w, A: a}
}
