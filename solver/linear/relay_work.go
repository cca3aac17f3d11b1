package linear

import (
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Work in numbers touched by visits of dual ascent, in units of about a nanosecond on one core:
// measured on sets of 6 to 2000 numbers a row, within a factor of two.
const (
	visitGather   = 16  // a number where the weights are another vector than u,
	visitRow      = 90  // each row,
	visitAsleep   = 2.5 // and one that sleeps,
	visitLogistic = 400 // whose steps take exponentials
	visitFace     = 2   // visits of all numbers: an epoch on a face

	stepPasses    = 8   // passes that a step of Newton's method makes beside its matrix
	matrixNumbers = 16  // numbers at a time in products of matrices
	productNumber = 2.5 // a number in a product of conjugate gradients,
	productColumn = 4   // and each column
	usualCornered = 10  // steps of a run, for losses with corners,
	usualCurved   = 4   // others,
	usualLogistic = 2   // of which logistic loss keeps a matrix, and of these
	usualProducts = 70  // products, of conjugate gradients
	usualJumps    = 1.5 // times as many where curvatures jump

	usualColumns = 200 // visits of each number in a run of CD
	columnPasses = 4   // beside those that an epoch counts
)

// ascentLeg makes one of dual ascent.
func ascentLeg(s *sdca) *leg {
	size, rows := float64(s.p.Nonzeros), float64(visitRow)
	if s.separate() {
		size *= visitGather
	}
	if _, ok := s.p.Loss.(loss.Logistic); ok {
		rows = visitLogistic
	}
	n := float64(len(s.a))
	return &leg{Reporter: s, epoch: func() float64 {
		other, before := s.other, s.epoch
		s.Epoch()
		switch {
		case other != nil:
			return other.passes() * size
		case s.epoch == before:
			return visitFace * size
		}
		return visitAsleep*n + (size+rows*n)*(float64(len(s.active))/n)
	}}
}

// secondLeg makes one of Newton's method or of CD.
func secondLeg(p *problem.Linear, state solver.State) *leg {
	if s, ok := state.(*cd); ok {
		return columnLeg(s)
	}
	step, product := stepWork(p)
	s, _ := state.(*curved)
	return &leg{Reporter: state.(solver.Reporter), epoch: func() float64 {
		if s == nil || s.conjugate == nil {
			state.Epoch()
			return step
		}
		m := s.conjugate
		before := m.spent
		state.Epoch()
		return float64(1+m.spent-before) * product
	}}
}

// columnLeg makes one of CD.
func columnLeg(s *cd) *leg {
	return &leg{Reporter: s, epoch: func() float64 {
		before := int64(0)
		if s.descent.open {
			before = s.model.visited
		}
		s.Epoch()
		return columnPasses*float64(s.p.Nonzeros) + float64(s.model.visited-before)
	}}
}

// stepWork returns the work of a step of Newton's method with a matrix of its own,
// and of a product of conjugate gradients.
func stepWork(p *problem.Linear) (step, product float64) {
	size := float64(p.Nonzeros)
	n, d := p.Dims()
	form, factor := matrixWork(n, d, p.Nonzeros)
	if denseEnough(p) {
		form /= matrixNumbers
	}
	return (form + factor/matrixNumbers + stepPasses) * size, productNumber*size + productColumn*float64(d)
}

// usualWork returns the work of a usual run of Newton's method or of CD.
func usualWork(p *problem.Linear, second solver.Solver) float64 {
	if _, columns := second.(CD); columns {
		return usualColumns * float64(p.Nonzeros)
	}
	step, product := stepWork(p)
	if _, cornered := p.Loss.(loss.Cornered); cornered {
		return usualCornered * step
	}
	steps, products := float64(usualCurved), float64(usualProducts)
	switch p.Loss.(type) {
	case loss.Squared:
		steps = 1
	case loss.Logistic:
		steps = usualLogistic
	default:
		products *= usualJumps
	}
	if byProducts(p) {
		return products * product
	}
	return steps * step
}

// wideness returns how many times as many products conjugate gradients take where rows are
// fewer than the columns that count.
func wideness(p *problem.Linear) float64 {
	n, d := p.Dims()
	_, cornered := p.Loss.(loss.Cornered)
	if _, l2 := p.Penalty.(penalty.L2); !l2 || cornered || d <= n || !byProducts(p) {
		return 1
	}
	wide := max(1, float64(commonColumns(p))/float64(n))
	return wide * wide
}

// commonColumns returns how many columns some of every fourth row use, about those that more than
// a few rows do: of fields with ever rarer values most columns are of a row or two.
func commonColumns(p *problem.Linear) (count int) {
	n, d := p.Dims()
	used := make([]bool, d)
	for i := 0; i < n; i += 4 {
		row := p.X.Row(i)
		if row.Index == nil {
			return d
		}
		for _, j := range row.Index {
			if !used[j] {
				used[j] = true
				count++
			}
		}
	}
	return count
}
