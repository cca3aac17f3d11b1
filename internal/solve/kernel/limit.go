package kernel

import (
	"time"

	"github.com/fenchel-ml/fenchel/solver"
)

// limit says whether a limit of the run is reached, and from then on always
// (solver.Start.Over); nil: never.
type limit func() bool

func (l limit) reached() bool { return l != nil && l() }

// allocate returns so many zeros; nil if the limit is reached before: the system may take
// seconds for gigabytes.
func (l limit) allocate(numbers int) []float64 {
	made := make(chan []float64, 1)
	go func() { made <- make([]float64, numbers) }()
	for {
		select {
		case m := <-made:
			return m
		case <-time.After(10 * time.Millisecond):
			if l.reached() {
				return nil
			}
		}
	}
}

// supported is a run with an engine, and what the run is told of its certificates.
type supported struct {
	e *engine
	*solver.Support
}

// newSupported returns the run of an engine of which the support is the rows that ever moved:
// all others have no dual variable, or there are none.
func newSupported(e *engine, start solver.Start) supported {
	e.limit = start.Over
	return supported{e, supportOf(start, func() (all, spared int) { return e.moved, e.moved })}
}

// supportOf tells the run how many rows a certificate costs.
func supportOf(start solver.Start, rows func() (all, spared int)) *solver.Support {
	s := start.Support
	if s == nil {
		s = &solver.Support{}
	}
	s.Rows = rows
	return s
}

// pace is after how many steps an engine asks for the limit, if each is cheap.
const pace = 64

// ended reports whether to leave an epoch. A row that was cut short ends it at once.
func (e *engine) ended() bool {
	e.asked++
	return e.gram.Cut() || e.asked%pace == 0 && e.limit.reached()
}

// support counts beside the rows that moved those of the dual variables, which may be
// all rows where no derivative was met.
func (m *means) support(e *engine) (all, spared int) {
	return 2*e.moved + len(m.sum) - m.met, 2 * e.moved
}

// support counts the coefficients that are not 0: so are all dual variables but theirs.
func (d *dual) support() (all, spared int) { return nonzeros(d.beta) }

func nonzeros(beta []float64) (all, spared int) {
	for _, b := range beta {
		if b != 0 {
			all++
		}
	}
	return all, all
}

// undone reports whether an update of r was cut short, and sets r to what it was before.
func undone(p interface{ Cut() bool }, r, before []float64) bool {
	if p.Cut() {
		copy(r, before)
		return true
	}
	return false
}

// remember copies r, for undone.
func remember(before *[]float64, r []float64) []float64 {
	*before = append((*before)[:0], r...)
	return *before
}
