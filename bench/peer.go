package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/model"
)

// A program solves the same problems as Fenchel: it is a [peer], a
// [machinePeer], a [reducer], or several of them. One program is one file, which registers it from init.
//
// Law: what find returns nil for works on this machine.
type program interface {
	name() string
	// find looks for the program and returns its version, or why it is not here.
	find(context.Context, *config) (version string, err error)
}

// A peer trains linear models.
//
// Laws: weights are those of the class +1, one for each of the task's columns; a
// session or a command minimises (1/n) sum_i loss_i + lambda |w|^2/2 without
// bias and nothing else.
type peer interface {
	program
	// methods are its ways to minimise a loss of d columns.
	methods(loss string, d int) []method
	// open loads a task, so that solving can be timed alone.
	open(context.Context, *task) (session, error)
	// command is a whole process that reads the task's text, trains and writes
	// a model, from which weights reads the weights.
	command(j job, model string) []string
	weights(j job, model string) ([]float64, error)
}

// A machinePeer trains kernel machines.
//
// Laws: a command reads the task's text, minimises (1/n) sum_i hinge_i + lambda
// |w|^2/2 with the Gaussian kernel and a free bias, keeps at most 1 GB of the
// kernel's matrix, and writes a model, which learned reads; the smaller the
// knob, the more accurate it is.
type machinePeer interface {
	program
	machine(j machineJob, model string) []string
	learned(ctx context.Context, model string) (*model.Model, error)
}

// machineJob is one training of a kernel machine asked of a peer.
type machineJob struct {
	task     *task
	c, gamma float64
	knob     float64 // the tolerance, which LIBSVM and its like call e
	threads  int
}

// tolerances are the settings of the knob of a machinePeer, from loose to
// tight. That of LIBSVM bounds by how much the optimality condition is violated,
// in units of the margin: at 2 it stops before it begins, at 1 it is nowhere near
// the accuracy raced to, at hardly less time than at 0.3.
var tolerances = ladder(0, -5)[1:]

// A method is one algorithm of a peer.
type method struct {
	name string // as its users know it: "-s 3"
	code string // for the peer's own use
	// knob is what makes the answer more accurate, ladder its settings from
	// loose to tight.
	knob   string
	ladder []float64
}

// job is one training asked of a peer.
type job struct {
	task   *task
	loss   string
	lambda lambda
	method method
	knob   float64
}

// setting spells the knob: "e=0.01".
func (j job) setting() string { return fmt.Sprintf("%s=%g", j.method.knob, j.knob) }

// session is a peer with the rows of a task in memory.
type session interface {
	solve(context.Context, job) (solved, error)
	close()
}

// solved is what a peer's training alone came to.
type solved struct {
	seconds float64
	weights []float64
	capped  bool // it stopped at its limit of iterations: tighter settings change nothing
}

var programs []program

// registerPeer keeps the programs in the order of their names, whatever the
// order of the files.
func registerPeer(p program) {
	programs = append(programs, p)
	slices.SortFunc(programs, func(a, b program) int { return strings.Compare(a.name(), b.name()) })
}

func peerNames() []string {
	var names []string
	for _, p := range programs {
		names = append(names, p.name())
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
