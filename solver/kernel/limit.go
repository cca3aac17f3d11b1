package kernel

import (
	"time"

	"github.com/fenchel-ml/fenchel/solver"
)

// limit says whether a limit of the run is reached, and from then on always
// (solver.Interruptible); nil: never.
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

var (
	_ solver.Supported = (*sdca)(nil)
	_ solver.Supported = (*pegasos)(nil)
	_ solver.Supported = (*sgd)(nil)
	_ solver.Supported = (*sbp)(nil)
	_ solver.Supported = (*perceptron)(nil)
	_ solver.Supported = (*budgeted)(nil)
	_ solver.Supported = (*ramp)(nil)
	_ solver.Supported = (*smo)(nil)
	_ solver.Supported = (*working)(nil)
	_ solver.Supported = (*nu)(nil)
	_ solver.Supported = (*cholesky)(nil)
)

// supported is a run with an engine, of which the support is the rows that ever moved:
// all others have no dual variable, or there are none.
type supported struct{ e *engine }

// Heed makes the run ask over on the way.
func (s supported) Heed(over func() bool) { s.e.limit = over }

// Support counts the rows that ever moved.
func (s supported) Support() (all, spared int) { return s.e.moved, s.e.moved }

// Spare changes nothing.
func (supported) Spare() {}

// pace is after how many steps an engine asks for the limit, if each is cheap.
const pace = 64

// ended reports whether to leave an epoch. A row that was cut short ends it at once.
func (e *engine) ended() bool {
	e.asked++
	return e.gram.Cut() || e.asked%pace == 0 && e.limit.reached()
}

// support counts beside the rows that moved those of the dual variables, which may be
// all rows where nothing was met.
func (m *means) support(e *engine) (all, spared int) {
	return 2*e.moved + len(m.sum) - m.met, 2 * e.moved
}

// Heed makes the run ask over on the way.
func (d *dual) Heed(over func() bool) { d.limit = over }

// Support counts the coefficients that are not 0.
func (d *dual) Support() (all, spared int) { return nonzeros(d.beta) }

// Spare changes nothing: all dual variables but those are 0.
func (*dual) Spare() {}

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
