package newton

import (
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// prepare chooses how d is found, and begins at the solution of a sample if the run
// begins at no point.
func (s *curved) prepare(from *problem.Point) {
	n, d := s.p.Dims()
	if s.shared = hessian.Serves(s.p); s.shared {
		s.hessian = hessian.Shared(s.p, s.loss)
		return
	}
	s.cheap = hessian.Passes(n, d, s.p.Nonzeros) <= cheapMatrix || hessian.Narrow(s.p)
	if byProducts(s.p) {
		s.conjugate = newTruncated(s.p)
		return
	}
	steps, factored := 0, false
	if from == nil && worthStart(s.p) {
		factored = s.start()
		steps = trialSteps // of the sample
	}
	if matrix := int(hessian.Time(s.p) * denseProducts); s.hessian == nil && n >= 8*d && hessian.Dense(s.p) && matrix >= leastMatrix {
		s.conjugate = newTruncated(s.p)
		s.conjugate.matrix, s.conjugate.steps = matrix, steps
		return
	}
	s.form(factored)
}

// byProducts reports whether conjugate gradients find d, and never a matrix.
func byProducts(p *problem.Linear) bool {
	n, d := p.Dims()
	return d > hessian.MostColumns || n >= 8*d && !hessian.Dense(p) && hessian.Passes(n, d, p.Nonzeros) > dearMatrix
}

// form goes on with a matrix; factored says that there is a factor. Where one is expensive and
// curvatures do not jump, it scales conjugate gradients.
func (s *curved) form(factored bool) {
	if s.hessian == nil {
		s.hessian = hessian.New(s.p, nil)
	}
	s.conjugate, s.drop = nil, 0
	n, d := s.p.Dims()
	most := hessian.Passes(n, d, s.p.Nonzeros) / productPasses
	if _, smooth := s.loss.(loss.SelfConcordant); smooth && !loss.IsQuadratic(s.loss) && most >= leastScaled && !s.cheap {
		s.conjugate = newTruncated(s.p)
		s.conjugate.most = int(min(most, mostProducts))
		if factored {
			s.conjugate.Factor = s.hessian
		}
	}
}

// direction sets d to nearly -H^-1 g, and perhaps move to X d.
func (s *curved) direction() {
	if m := s.conjugate; s.hessian == nil && m.matrix > 0 {
		if m.last == m.most {
			s.form(false)
		} else {
			m.most = m.worth()
		}
	}
	m := s.conjugate
	s.moved = m != nil && (s.hessian == nil || m.Factor != nil && m.last < m.most)
	if s.moved {
		m.Over = s.over
		m.step(s.d, s.move, s.g, s.p, s.c)
		s.drop = -parts.Inner(s.g, s.d)
	} else {
		s.direct()
	}
}

// direct sets d with the last factor of H if that is expensive and still serves: as long as g^T
// H^-1 g becomes a fifth from epoch to epoch, and the last step had about the length
// that H says. A new one costs once or twice as much as the rest of an epoch.
func (s *curved) direct() {
	s.own = false
	if s.shared {
		s.hessian.Solve(s.d, s.g)
		s.drop = -parts.Inner(s.g, s.d)
		return
	}
	if s.conjugate == nil && !s.cheap && s.drop > 0 && s.length >= 1/stale && s.length <= stale {
		s.hessian.Solve(s.d, s.g)
		if drop := -parts.Inner(s.g, s.d); drop <= s.drop/5 {
			s.drop = drop
			return
		}
	}
	s.own = true
	s.hessian.Form(s.p, s.c)
	s.hessian.Decompose(s.p)
	if s.conjugate != nil {
		s.conjugate.Factor, s.conjugate.last = s.hessian, 0
	}
	s.hessian.Solve(s.d, s.g)
	s.drop = -parts.Inner(s.g, s.d)
}

// stale is the factor by which the length of a step may differ from 1 before H is
// taken to be that of another place. With 3 or more logistic loss needs an epoch more.
const stale = 2
