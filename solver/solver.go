// Package solver owns the loop: [Run] drives any [Solver] on any problem,
// keeps the time, asks the problem for certificates, and decides when to
// stop and why.
//
// A solver only knows how to make the next epoch. It never judges itself: the
// gap is computed by the problem. Where the time is limited, a run keeps of it what
// the last certificate takes, and solvers are told on the way when to end.
// Algorithms live in the sub-packages, one per file.
package solver

import (
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

// Solver is an algorithm with its parameters, ready to be started any number
// of times, also at the same time.
//
// Laws: Accepts returns nil, or the reason why this solver cannot take the
// problem; Start is called only after nil. from is nil or a point to begin at.
// Everything random comes from seed: the same seed gives the same bits.
type Solver interface {
	Accepts(problem.Problem) error
	Start(p problem.Problem, from *problem.Point, seed uint64) State
}

// State is a run in progress. Epoch does about one pass of work over the data.
// Point returns where the run stands; the slices may be reused by the next
// call of either method.
type State interface {
	Epoch()
	Point() problem.Point
}

// Estimator is a State that knows about how large the relative gap is, from
// what its epochs have met on the way and next to nothing besides. An estimate
// only decides when to ask for a certificate; it proves nothing. It is not asked for before
// the first epoch.
type Estimator interface {
	State
	Estimate() float64
}

// Present is an Estimator that knows whether its estimate is of the point where the
// run stands, and not of what was met on the way there. Such an estimate is taken
// as it is; of another it is assumed that it goes on falling as it fell.
type Present interface {
	Estimator
	Present() bool
}

// Aware is a State that may know, but for rounding, the objectives of the point that it made
// last, and that of the zero point: where these show that the goal is not reached, no
// certificate is made.
type Aware interface {
	State
	Objectives() (primal, dual, zero float64, known bool)
}

// Aimed is a Solver whose course depends on the relative gap that is asked for: Aim
// returns the one for it.
type Aimed interface {
	Solver
	Aim(gap float64) Solver
}

// Heedful is a Solver of which a start or an epoch may take seconds: Heed returns the
// one that asks over on the way and comes back soon once that is true, which it then
// stays. The state has a point all the same, at worst the one it began at, and is asked
// for no epoch more.
type Heedful interface {
	Solver
	Heed(over func() bool) Solver
}

// Interruptible is a State of which an epoch may take seconds, as Heedful is a Solver:
// Heed is called before the first epoch.
type Interruptible interface {
	State
	Heed(over func() bool)
}

// Supported is a State whose certificates cost rows of a matrix that is not stored, as
// those of kernel machines do. Support returns how many rows a certificate of Point costs,
// and how many it costs after Spare, from which on dual variables are 0 but of rows that
// the state has moved, or there are none. It is called between epochs, and when the state
// asks over.
type Supported interface {
	Interruptible
	Support() (all, spared int)
	Spare()
}

// Spacious is a Solver of which a state may need memory that grows with the square of the
// rows: Space returns about how many bytes, at most.
type Spacious interface {
	Solver
	Space(rows int) int64
}

// Unproved is a Solver whose answers carry no proof, so that no gap can end a
// run: it ends after Passes epochs, if Options.Epochs does not say otherwise, at
// the point where it then stands, whatever the objective is there.
type Unproved interface {
	Solver
	Passes() int
}

// Stationary is a State that may seek a stationary point of a problem that need not be
// convex: where it then stands counts, whatever the objective is there.
type Stationary interface {
	State
	Stationary() bool
}

// Particular is a Solver that does not take the usual loss or bias. Default returns what
// it takes instead, where nothing else is asked for; "": the usual.
type Particular interface {
	Solver
	Default() (loss, bias string)
}

// Warner is a State that has something to say of the point where it stands, which no
// certificate knows.
type Warner interface {
	State
	Warnings() []error
}

// Ending is a State that knows when it can do nothing more. End returns nil while
// it can, and then why not: the run is judged once more, and unless the gap is
// proved it has stalled, with that reason among the warnings.
type Ending interface {
	State
	End() error
}

// Status says how a run ended.
type Status string

// Every run ends as exactly one of these.
const (
	Converged   Status = "converged"   // the gap is proved
	EpochLimit  Status = "epoch-limit" // Options.Epochs are done
	TimeLimit   Status = "time-limit"  // Options.Time is over
	Stalled     Status = "stalled"     // the gap stopped falling: the limit of the arithmetic
	Diverged    Status = "diverged"    // the objective grows without bound or is not a number, also when made again
	Interrupted Status = "interrupted" // the context was cancelled
)

// Options say when to stop. The zero value asks for a relative gap of 1e-3 and
// sets no limit.
type Options struct {
	Gap    float64        // relative gap to prove; 0 means 1e-3
	Epochs int            // at most so many; 0: no limit
	Time   time.Duration  // of the run, the last certificate included; 0: no limit
	Seed   uint64         // of everything random
	From   *problem.Point // a warm start; nil: zero
	// Short rounds dual variables to single precision before they are judged, as
	// models store them, so that the proof is of what is stored, unless that
	// costs the gap.
	Short bool
	// Trace, when set, is called after every certificate, and Step when the run begins and
	// after every epoch. Neither changes a result.
	Trace func(Progress)
	Step  func(Step)
	// Turn, when set, is called before every epoch, with the number of those made. It
	// returns when the run may make the next one, and the time that the run then has, in
	// place of Time. So several runs may take turns.
	Turn func(epochs int) time.Duration
}

// DefaultGap is the relative gap that is proved when none is asked for.
const DefaultGap = 1e-3

// Step is where a run is between two certificates.
type Step struct {
	Epoch          int  // made so far
	Certifying     bool // a certificate comes next, else an epoch
	Train, Certify time.Duration
	Estimate       float64 // of the relative gap; NaN: not known
}

// Progress is how far a run is.
type Progress struct {
	Epoch          int
	Train, Certify time.Duration // so far
	Certificate    problem.Certificate
	Point          problem.Point // valid during the call only
}

// Solution is the best point of a run, with its proof.
type Solution struct {
	Status         Status
	Point          problem.Point
	Certificate    problem.Certificate // its bounds on Point
	Epochs         int
	Train, Certify time.Duration
}
