package linear

import "github.com/fenchel-ml/fenchel/vec"

// Where fewer rows are curved than there are columns, as with squared hinge on classes far
// apart, only the penalty holds the other directions, and if lambda is small Newton's steps
// are long there and run into rows that become curved: some hundred short steps, each of
// which changes a few rows. For a larger lambda more rows are curved; and the smaller lambda
// becomes, the less the solution changes: the margin is as wide as it can be. So the method
// goes to a larger lambda once, and down from there by tenths: by hundredths or at once
// steps become short again. The same helps where they are short though more rows are
// curved, as with pixels from 0 to 255.
//
// Rejected: an H of all rows that were curved lately, which halves the epochs.
const (
	stiffPart  = 1e-4 // of P(0): the penalty of w with the largest lambda
	stiffEnd   = 0.1  // of the penalty: a problem is solved when g^T H^-1 g is less
	stiffDown  = 0.1  // lambda after lambda
	stiffShort = 2    // steps of less than a tenth of Newton's: rows that become curved are in the way
	stiffMore  = 1000 // times lambda then
)

// stiffen goes to a larger lambda, and down again to that of the problem.
func (s *curved) stiffen() {
	if ablated.has(withoutStiff) {
		return
	}
	size := vec.SquaredNorm64(s.w[:s.p.Penalised()]) / 2
	switch {
	case s.given != nil:
		if s.length >= 0.5 && s.drop <= float64(stiffEnd*s.p.Lambda*size) {
			s.weigh(stiffDown * s.p.Lambda)
		}
	case !s.stiffened && (s.hessian != nil || s.conjugate.matrix > 0) && size > 0 && s.fewCurved():
		if s.hessian == nil { // where few rows are curved conjugate gradients take many products
			s.form(false)
		}
		s.given, s.stiffened = s.p, true
		s.weigh(stiffPart * s.p.Zero() / size)
	case s.hessian != nil && s.short == stiffShort:
		s.given, s.stiffened = s.p, true
		s.short++ // once
		s.weigh(stiffMore * s.p.Lambda)
	}
}

// fewCurved reports whether fewer rows are curved than H has columns.
func (s *curved) fewCurved() bool {
	count, size := 0, hessianSize(s.p)
	for _, c := range s.c {
		if c > 0 {
			count++
		}
		if count == size {
			return false
		}
	}
	return true
}

// weigh goes on with another lambda, or with that of the problem unless it is much less.
func (s *curved) weigh(lambda float64) {
	next := s.given
	if stiffDown*lambda > s.given.Lambda {
		stiff := *s.given
		stiff.Lambda = lambda
		next = &stiff
	} else {
		s.given = nil
	}
	for j, w := range s.w[:s.p.Penalised()] {
		s.g[j] += float64((next.Lambda - s.p.Lambda) * w) // if it is that of this point
	}
	s.p = next
	s.drop, s.length, s.least, s.stuck = 0, 0, 0, 0
}
