package solver

import (
	"time"

	"github.com/fenchel-ml/fenchel/problem"
)

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
	Epochs int            // limit of epochs; 0: none
	Time   time.Duration  // limit of the run, the last certificate included; 0: none
	Seed   uint64         // seed of the generator of random numbers
	From   *problem.Point // a warm start; nil: zero
	// Growth is how many times as large as that of the problem that From is the answer to C = 1/(lambda N)
	// is, 0: as large. An answer for at most half of C is none here, and no worse than zero: the first
	// certificate is that of an epoch.
	Growth float64
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
	Estimate       float64 // estimate of the relative gap; NaN: not known
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
	Certificate    problem.Certificate // bounds on the objective of Point, and the optimum
	Epochs         int
	Done           string // how the run ended by itself, without proof; "": otherwise
	Train, Certify time.Duration
}
