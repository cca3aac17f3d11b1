// Package peer has the programs that race against Fenchel, one a file, which registers it
// from init: how each is found, given a task, and read. Whole processes are measured
// here too. It imports the packages measure and task. A stranger begins with [Peer]; the
// file libsvm.go is the shortest example.
package peer

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/model"
)

// A program solves the same problems as Fenchel: it is a [peer], a
// [machinePeer], a [reducer], or several of them. One program is one file, which registers it from init.
//
// Law: what find returns nil for works on this machine.
type program interface {
	Name() string
	// find looks for the program and returns its version, or why it is not here.
	Find(context.Context, *task.Config) (version string, err error)
}

// A Peer trains linear models.
//
// Laws: weights are those of the class +1, one for each of the task's columns; a
// session or a command minimises (1/n) sum_i loss_i + lambda |w|^2/2 without
// bias and nothing else.
type Peer interface {
	program
	// methods are its ways to minimise a loss of d columns.
	Methods(loss string, d int) []Method
	// open loads a task, so that solving can be timed alone.
	Open(context.Context, *task.Task) (Session, error)
	// command is a whole process that reads the task's text, trains and writes
	// a model, from which weights reads the weights.
	Command(j Job, model string) []string
	Weights(j Job, model string) ([]float64, error)
}

// A MachinePeer trains kernel machines.
//
// Laws: a command reads the task's text, minimises (1/n) sum_i hinge_i + lambda
// |w|^2/2 with the Gaussian kernel and a free bias, keeps at most 1 GB of the
// kernel's matrix, and writes a model, which learned reads; the smaller the
// knob, the more accurate it is.
type MachinePeer interface {
	program
	Machine(j MachineJob, model string) []string
	Learned(ctx context.Context, model string) (*model.Model, error)
}

// MachineJob is one training of a kernel machine asked of a peer.
type MachineJob struct {
	Task     *task.Task
	C, Gamma float64
	Knob     float64 // the tolerance, which LIBSVM and its like call e
	Threads  int
}

// Tolerances are the settings of the knob of a machinePeer, from loose to
// tight. That of LIBSVM bounds by how much the optimality condition is violated,
// in units of the margin: at 2 it stops before it begins, at 1 it is nowhere near
// the accuracy raced to, at hardly less time than at 0.3.
var Tolerances = ladder(0, -5)[1:]

// A Method is one algorithm of a peer.
type Method struct {
	Name string // as its users know it: "-s 3"
	code string // for the peer's own use
	// knob is what makes the answer more accurate, ladder its settings from
	// loose to tight.
	Knob   string
	Ladder []float64
}

// Job is one training asked of a peer.
type Job struct {
	Task   *task.Task
	Loss   string
	Lambda task.Lambda
	Method Method
	Knob   float64
}

// Setting spells the knob: "e=0.01".
func (j Job) Setting() string { return fmt.Sprintf("%s=%g", j.Method.Knob, j.Knob) }

// Session is a peer with the rows of a task in memory.
type Session interface {
	Solve(context.Context, Job) (solved, error)
	Close()
}

// solved is what a peer's training alone came to.
type solved struct {
	Seconds float64
	Threads int // 0: one
	Weights []float64
	Capped  bool // it stopped at its limit of iterations: tighter settings change nothing
}

var Programs []program

// registerPeer keeps the programs in the order of their names, whatever the
// order of the files.
func registerPeer(p program) {
	Programs = append(Programs, p)
	slices.SortFunc(Programs, func(a, b program) int { return strings.Compare(a.Name(), b.Name()) })
}

func PeerNames() []string {
	var names []string
	for _, p := range Programs {
		names = append(names, p.Name())
	}
	return names
}

// ladder returns the settings 10^hi, 3*10^(hi-1), 10^(hi-1), ... 10^lo.
func ladder(hi, lo int) []float64 {
	var steps []float64
	for e := hi; e >= lo; e-- {
		steps = append(steps, decimal(1, e))
		if e > lo {
			steps = append(steps, decimal(3, e-1))
		}
	}
	return steps
}

// decimal returns digit*10^e, rounded once.
func decimal(digit, e int) float64 {
	x, err := strconv.ParseFloat(fmt.Sprintf("%de%d", digit, e), 64)
	if err != nil {
		panic(err) // a digit and a small exponent always are a number
	}
	return x
}

// doubling returns 1, 2, 4, ... up to most: numbers of passes.
func doubling(most float64) []float64 {
	var steps []float64
	for k := 1.0; k <= most; k *= 2 {
		steps = append(steps, k)
	}
	return steps
}
