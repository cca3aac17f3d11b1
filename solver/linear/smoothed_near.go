package linear

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/vec"
)

// nearRows is the rows that smoothed works on: all of them, or once they are a third at
// most, those whose margins are within nearWidths tau of 1, or whose slopes are not at
// an end yet. The slopes of the others are 0 and -y but for rounding. Who is near is
// looked up whenever a width seems to have given what it can; rows that came near
// since then show in the gradient.
type nearRows struct {
	q                 *problem.Linear // the rows; p itself if all
	part              *part           // that q is otherwise
	row               []uint32        // which they are; nil: all
	all               []float64       // n: predictions at the last survey
	kept, far         []float64       // n, scratch: slopes of the rows that were near, or -1; s.a/N of the others
	prediction, along []float64       // of the rows of q: X w + b, the same of a step
	b, v              []float64       // slopes, s.a/N
	fixed             []float64       // d+1: (1/N) X^T(s.a) of the others
	straight          float64         // (1/N) sum s over those of them whose slope is not 0
}

const (
	nearWidths = 20
	nearLeast  = 0.04 // rows within that of the corner are near, whatever tau is
	nearShare  = 3    // one row of so many at most is near
	atEnd      = 1e-8 // a slope that is nearer to its end has reached it
)

func newNear(p *problem.Linear) nearRows {
	n, d := p.Dims()
	s := nearRows{q: p, part: new(part), all: make([]float64, n), kept: make([]float64, n), far: make([]float64, n), fixed: make([]float64, d+1)}
	s.prediction = s.all
	s.resize(n)
	return s
}

// resize makes room for n rows.
func (s *nearRows) resize(n int) {
	s.along, s.b, s.v = resized(s.along, n), resized(s.b, n), resized(s.v, n)
}

// index returns which row of the problem row k of q is.
func (s *nearRows) index(k int) int {
	if s.row == nil {
		return k
	}
	return int(s.row[k])
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

// choose takes the rows that are near, if they are few.
func (s *smoothed) choose() {
	for i := range s.kept {
		s.kept[i] = -1
	}
	for k, b := range s.b {
		s.kept[s.index(k)] = b
	}
	count, _ := sumRows(s.p, func(lo, hi int) (count, _ float64) {
		for i := lo; i < hi; i++ {
			if s.near(i) {
				count++
			}
		}
		return count, 0
	})
	if nearShare*count > float64(len(s.all)) {
		s.chooseAll()
		return
	}
	if s.q == s.p {
		s.prediction = nil
	}
	s.row, s.straight = s.row[:0], 0
	for i := range s.all {
		s.far[i] = 0
		switch {
		case s.near(i):
			s.row = append(s.row, uint32(i))
		case s.short(i) > 0:
			s.far[i] = -s.p.Y[i] * s.p.S[i] / s.p.N
			s.straight += s.p.S[i] / s.p.N
		}
	}
	s.p.CombineTo(s.fixed, s.far)
	ground(s.fixed, s.p)
	s.ofH.lend(s.part)
	s.q = s.part.take(s.p, s.row)
	s.prediction = resized(s.prediction, len(s.row))
	s.resize(len(s.row))
	s.keep()
}

// chooseAll takes all rows.
func (s *smoothed) chooseAll() {
	if s.q == s.p {
		return
	}
	s.q, s.row, s.prediction, s.straight = s.p, nil, s.all, 0
	s.ofH.regain()
	clear(s.fixed)
	s.resize(len(s.all))
	s.keep()
}

// near reports whether row i is, by what is kept of the last survey.
func (s *smoothed) near(i int) bool {
	width := nearWidths * s.tau
	if s.centred {
		if b := s.kept[i]; b > atEnd && b < 1-atEnd {
			return true
		}
		width = max(width, nearLeast)
	}
	return math.Abs(s.short(i)) < width
}

// keep sets the slopes of the rows to what they were, if they are variables of their
// own; those that came near begin with the smoothed ones.
func (s *smoothed) keep() {
	if !s.centred {
		return
	}
	for k := range s.b {
		i := s.index(k)
		if s.b[k] = s.kept[i]; s.b[k] < 0 {
			s.b[k] = offEnds(vec.Sigmoid(s.short(i) / s.tau))
		}
	}
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
		i := s.index(k)
		a[i] = -s.p.Y[i] * b
	}
	return problem.Point{W: s.w, A: a}
}
