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
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/problem"
)

// Linear lists the solvers of linear predictors by name. Each is registered by the file that
// holds it; package internal/solve/linear imports them all.
var Linear = registry.New[Solver]("solver")

// Solver is an algorithm with its parameters, ready to be started any number
// of times, also at the same time.
//
// Laws: Accepts returns nil, or the reason why this solver cannot take the
// problem; Start is called only after nil, and leaves Start.From as it is. Everything random
// comes from Start.Seed: the same seed gives the same bits.
type Solver interface {
	Accepts(problem.Problem) error
	Start(problem.Problem, Start) State
}

// Start is what a run begins with. The zero value begins at zero.
type Start struct {
	From *problem.Point // the point to begin at; nil: zero
	// Growth is how many times as large C is as where From is the answer, dual variables as they are
	// there; 0: as large.
	Growth float64
	Seed   uint64  // seed of the generator of random numbers
	Gap    float64 // relative gap that is asked for; 0: DefaultGap
	// Over reports whether a limit is reached, and from then on always; nil: never. Where a
	// start or an epoch may take seconds it asks on the way, also from several goroutines, and
	// comes back soon once that is true. The state has a point all the same, at worst the one
	// it began at, and is asked for no further epoch.
	Over func() bool
	// Support, which may be nil, is for states of kernel machines: they write there what a certificate costs.
	Support *Support
}

// Far is the [Start].Growth from which on the start is far from the answer.
const Far = 2

// Support is the agreement of a run and its state about expensive certificates: those of kernel
// machines need rows of a matrix that is not stored. The state says what a certificate costs (Rows);
// the run says whether it can pay for it in the time left (Spare).
type Support struct {
	// Rows, set by Solver.Start, returns how many rows a certificate of Point costs, and how
	// many it costs with Spare. The run calls it between epochs, and when the state asks Over.
	Rows func() (all, spared int)
	// Spare, set by the run, asks Point for no dual variables but of rows that the state has
	// moved, or for none.
	Spare bool
}

// State is a run in progress. Epoch does about one pass of work over the data.
// Point returns the current point; the slices may be reused by the next
// call of either method.
type State interface {
	Epoch()
	Point() problem.Point
}

// Reporter is a State that knows more of itself than its point. Report is called after every
// epoch and again after Point, but not before the first epoch. Called twice it returns the same.
type Reporter interface {
	State
	Report() Report
}

// Report is what a state knows of itself, from its epochs and at next to no cost. It proves
// nothing: it decides only when a certificate is made, and when the run ends.
type Report struct {
	Gap   float64 // about the relative gap; NaN: not known
	Exact bool    // Gap is of Point; else of what the last epoch met, and falls as it fell
	// Objectives are those of the last Point, but for rounding; nil: not known. Where they show
	// that the goal is not reached, no certificate is made.
	Objectives *Objectives
	// Stationary: the run seeks a stationary point of a problem that need not be convex. The
	// last point counts, whatever the objective is there.
	Stationary bool
	// End is why the state can do nothing more; nil: it can. The run is judged once more, and
	// unless the gap is proved it has stalled, with that reason among the warnings.
	End error
	// Done says how a state that proves nothing made all the steps that it was to make, and the run ends
	// as one of an epoch limit; "": there are more.
	Done     string
	Warnings []error // about the point, which no certificate knows
}

// Objectives are the primal and the dual objective of a point, and that of zero.
type Objectives struct{ Primal, Dual, Zero float64 }

// Describer is a Solver that differs from others before it begins.
type Describer interface {
	Solver
	Traits() Traits
}

// Traits are what is known of a solver before it begins.
type Traits struct {
	// Passes, if not 0, says that answers carry no proof, so that no gap can end a run: it
	// ends after so many epochs, unless Options.Epochs says otherwise, at its last point,
	// whatever the objective is there.
	Passes int
	// Last says that the answer is the point at the end of the run, as with output=last or random, and not the
	// best of those that were certified.
	Last bool
	// Loss and Bias are taken where nothing else is asked for; "": the usual ones.
	Loss, Bias string
	// Memory returns how many bytes, at most, of memory that grows with the square of the
	// rows a state needs; nil: none.
	Memory func(rows int) int64

	// Shared returns how many bytes, beside those, all problems of the same rows need together. nil: none.
	Shared func(rows int) int64
}

// TraitsOf returns the traits of a solver, none for most.
func TraitsOf(s Solver) Traits {
	if d, ok := s.(Describer); ok {
		return d.Traits()
	}
	return Traits{}
}
