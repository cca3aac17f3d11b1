package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

// A peer is a program that solves the same problems. One peer is one file,
// which registers it from init.
//
// Laws: what find returns nil for works on this machine; weights are those of
// the class +1, one for each of the task's columns; a session or a command
// minimises (1/n) sum_i loss_i + lambda |w|^2/2 without bias and nothing else.
type peer interface {
	name() string
	// find looks for the program and returns its version, or why it is not here.
	find(context.Context, *options) (version string, err error)
	// methods are its ways to minimise a loss of d columns.
	methods(loss string, d int) []method
	// open loads a task, so that solving can be timed alone.
	open(context.Context, *task) (session, error)
	// command is a whole process that reads the task's text, trains and writes
	// a model, from which weights reads the weights.
	command(j job, model string) []string
	weights(j job, model string) ([]float64, error)
}

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

var allPeers []peer

// registerPeer keeps the peers in the order of their names, whatever the order
// of the files.
func registerPeer(p peer) {
	allPeers = append(allPeers, p)
	slices.SortFunc(allPeers, func(a, b peer) int {
		switch {
		case a.name() < b.name():
			return -1
		case a.name() > b.name():
			return 1
		}
		return 0
	})
}

func peerNames() []string {
	var names []string
	for _, p := range allPeers {
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
