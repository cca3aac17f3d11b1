package column

// descent is where minimising the model stands.
type descent struct {
	open       bool
	passes     int
	next, rest int   // the pass after which the next steps over the face come, and passes between two
	steps      int   // over the face that are left
	forming    int64 // visits after which the model's matrix is formed; 0: never
	enough     int64 // visits after which the model has had its time
	ask        int64 // visits after which is asked whether a limit is reached
}

// A model is good for an epoch's visits of numbers, and for one more once its matrix is
// formed, but for so many passes at least and at most: then a new one settles more, and one
// without a minimum leads far away. So many steps of conjugate gradients, or with the
// factor, go over a face before passes say again which columns are in use.
const (
	leastPasses   = 10
	mostPasses    = 100
	mostConjugate = 16
	mostFactors   = 8
	epochVisits   = 16      // of each number in an epoch,
	leastVisits   = 1 << 18 // and so many in all: a third of a millisecond
	askVisits     = 1 << 20 // between two questions whether a limit is reached
	mostForming   = 8       // epochs that the model's matrix may take as long as
	fixedVisits   = 8       // as many take the time of starting with a column
)

// descend minimises the model to a tenth of the violation at hand, by passes over the
// columns with steps over the face between them, and reports whether that is done: if it
// takes long, the next epoch goes on with it. Once that has cost as much as the model's
// matrix it is formed: passes are cheap from then on, and go to a hundredth. Faces of more
// than half as many columns as rows have hardly one minimum: there passes settle more, and
// steps become rare. It ends early, not done, when a limit is reached.
func (s *cd) descend() (done bool) {
	m, at := &s.model, &s.descent
	for stop := m.visited + s.quantum; m.visited < stop; {
		switch {
		case m.visited >= at.ask:
			if s.over.Reached() {
				return false
			}
			at.ask = m.visited + askVisits
		case at.forming > 0 && m.visited >= at.forming && !m.formed:
			m.form(s)
			m.visited += at.forming
			at.enough = m.visited + s.quantum
			at.steps = 0
		case at.steps > 0:
			at.steps--
			if s.face.step(s) {
				at.steps = 0
			}
		default:
			tolerance := s.tolerance
			if m.formed {
				tolerance /= 10
			}
			if s.pass() <= tolerance {
				if at.passes == 0 {
					s.tolerance /= 10
				}
				return true
			}
			if at.passes++; at.passes == mostPasses || at.passes >= leastPasses && m.visited >= at.enough {
				return true
			}
			if at.passes > at.next {
				s.cross()
			}
		}
	}
	return false
}

// cross starts steps over the face.
func (s *cd) cross() {
	at, f := &s.descent, &s.face
	if at.steps = mostFactors; !s.model.formed {
		at.steps = mostConjugate
		f.fit(s)
		f.begin()
		if 2*len(f.at) > len(s.h) {
			at.rest *= 2
		}
	}
	at.next += at.rest
}

// pass minimises the model over each column of the working set in turn and
// returns the largest violation met.
func (s *cd) pass() (worst float64) {
	m := &s.model
	for at, j := range s.working {
		g, w := s.g[j]+m.along(at)+float64(m.damp[at]*s.d[j]), s.w[j]+s.d[j]
		worst = max(worst, s.violation(j, w, g))
		h := max(m.square[at]+m.damp[at], 1e-150)
		next := w - g/h
		if s.penalised(j) {
			s.one[0] = next
			s.p.Penalty.Prox(s.one, s.one, s.p.Lambda/h)
			next = s.one[0]
		}
		if next != w {
			s.d[j] = next - s.w[j]
			m.add(m.image, at, next-w)
		}
	}
	m.visited += fixedVisits * int64(len(s.working))
	return worst
}
