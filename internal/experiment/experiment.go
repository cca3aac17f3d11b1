// Package experiment repeats the tables and figures of the sources, each as a
// named run, and says of each claim of the source whether it holds here.
//
// An experiment draws its own data, or asks for those of the source; gives the
// same rows in the same order to all methods; measures how far each is from the
// best possible; and returns the points of the figure, and targets with what was
// found. One experiment lives in one file of a room below, which registers its name
// from init: thesis, gradient, programming. Here is what they share: race.go runs methods
// side by side, choice.go chooses step sizes, simulation.go and moment.go know what is best
// possible, machine.go has kernel machines and draw.go makes a figure with all panels, and a
// page, of a result. No method lives here.
package experiment

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// An Experiment is a table or figure that can be repeated. Laws: the result is the
// same for any number of threads, but for what is a measured time; when ctx ends,
// Run returns its error soon.
type Experiment interface {
	Run(ctx context.Context, opt Options) (*Result, error)
}

// Options say how an experiment is run.
type Options struct {
	Runs    int           // to average over; 0: as many as the experiment was made for
	Quick   bool          // fewer rows, step sizes and runs: within seconds, and targets may be missed
	Data    matrix.Matrix // of the experiments that need some; nil: none
	Classes []float64     // of its rows, -1 and +1; nil: not two
	Labels  []string      // of the classes, however many
	Codes   []uint32      // the class of each row, its place in Labels
	Train   int           // rows of the training file, which are the first; 0: not known
	Folder  string        // in which, or below which, the files of the sources are; "": nowhere. Data goes before it
	Seed    uint64        // of everything random
	Threads int           // at most so many cores, 0: all

	// Progress is told what is done, now and then, from several goroutines but
	// never at once; may be nil.
	Progress func(what string, done, of int)
}

// RunsOr returns how many runs to average over.
func (o Options) RunsOr(usual, quick int) int {
	switch {
	case o.Runs > 0:
		return o.Runs
	case o.Quick:
		return quick
	}
	return usual
}

var experiments = registry.New[Experiment]("experiment")

// New makes the experiment that spec describes: a name, or "name:key=value,...".
func New(spec string) (Experiment, error) { return experiments.New(spec) }

// Entries lists the experiments by name.
func Entries() []registry.Entry[Experiment] { return experiments.Entries() }

// A plainRun is an experiment that has no parameters.
type plainRun func(ctx context.Context, opt Options) (*Result, error)

// Run implements Experiment.
func (run plainRun) Run(ctx context.Context, opt Options) (*Result, error) { return run(ctx, opt) }

// Plain adds an experiment without parameters.
func Plain(name, source, summary string, run plainRun) {
	Register(name, source, summary, func(p *registry.Params) (Experiment, error) { return run, p.Err() })
}

// Register adds an experiment; each one's file calls it from init. Source names the document,
// and in it the figure, table or theorem.
func Register(name, source, summary string, make func(*registry.Params) (Experiment, error)) {
	experiments.Register(registry.Entry[Experiment]{Name: name, Summary: summary, Facts: registry.Facts{Source: source}, New: make})
}
