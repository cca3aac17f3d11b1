// Package network holds the stochastic methods for feed-forward networks (problem.Network): Adam and SGD
// with momentum, by gradients of batches. Steps have the lengths of package stochastic, each weight the
// direction of its file.
//
//	Problem   minimise P(w) of package problem, which is not convex
//	Step      g = the mean gradient of a batch of rows, w <- w - eta(t) direction(g)
//	Returned  the best point by the rows held out: an epoch is a pass over the others in an order of the
//	          seed. Where patience epochs bring nothing, steps go on from the best with a fifth of the
//	          length, twice, and then end
//	Rate      with constant steps eta the mean of |grad P|^2 falls as 1/K to a floor in proportion to eta
//	Cost      six multiply-adds a parameter and row, ten operations a parameter and step
//	Source    Ulbrich 2017, 4.7; Kingma, Ba 2015; Prechelt 1998 (early stopping)
//
// A batch takes two phases, each on all cores: rows go through the network and back, in blocks; then each
// piece of the parameters sums over the rows in order, and moves. So every bit is the same on any number
// of cores.
package network

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/stochastic"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A Method is a stochastic method for networks.
type Method struct {
	name     string
	adam     bool
	length   stochastic.Length
	momentum float64
	decays   [2]float64 // of Adam: of the means of gradients and of their squares
	rests    [2]float64 // 1 less these
	batch    int
	patience int     // epochs; 0: by the number of steps of one
	held     float64 // share of the rows that judge when to stop
}

var _ solver.Describer = Method{}

var solvers = registry.New[solver.Solver]("solver")

// New makes the solver that spec describes: a name, or "name:key=value".
func New(spec string) (solver.Solver, error) { return solvers.New(spec) }

// Entries lists the solvers by name.
func Entries() []registry.Entry[solver.Solver] { return solvers.Entries() }

// Usual is the solver where none is asked for.
const Usual = "adam"

// HeldBy returns which share of the rows a solver holds out.
func HeldBy(spec string) float64 {
	if s, err := New(spec); err == nil {
		return s.(Method).held
	}
	return usualHeld
}

const usualHeld = 0.1

func init() {
	register("networks by Adam: steps of each weight's own length, with momentum; gamma=0.001, step=constant, batch=64, held=0.1, patience=auto, beta1=0.9, beta2=0.999",
		Method{name: "adam", adam: true, decays: [2]float64{0.9, 0.999}, rests: [2]float64{0.1, 0.001}, length: stochastic.Length{Gamma: 0.001}}, "Kingma, Ba 2015")
	register("networks by stochastic gradient with momentum=0.9: gamma=0.02, step=constant, batch=64, held=0.1, patience=auto",
		Method{name: "sgd", momentum: 0.9, length: stochastic.Length{Gamma: 0.02}}, "Robbins, Monro 1951; Polyak 1964")
}

// register adds a method.
func register(summary string, m Method, source string) {
	solvers.Register(registry.Entry[solver.Solver]{Name: m.name, Summary: summary,
		Facts: registry.Facts{Rate: "none is proved", Memory: "five numbers a parameter", Source: source},
		New:   func(p *registry.Params) (solver.Solver, error) { return m.with(p) }})
}

// with returns m with the parameters that p has.
func (m Method) with(p *registry.Params) (solver.Solver, error) {
	m.length.Gamma = p.Float("gamma", m.length.Gamma, "a number > 0", func(v float64) bool { return v > 0 && v <= math.MaxFloat64 })
	m.length.Beta = map[string]float64{"sqrt": 0.5, "inverse": 1}[p.Choice("step", "constant", "sqrt", "inverse")]
	m.batch = p.Int("batch", 64, 1, 1<<20)
	m.held = p.Float("held", usualHeld, "a share of the rows from 0 to 0.9", func(v float64) bool { return v >= 0 && v <= 0.9 })
	m.patience = p.Int("patience", 0, 0, math.MaxInt32)
	if m.adam {
		for k, key := range []string{"beta1", "beta2"} {
			if decay := stochastic.Decay(p, key, m.decays[k]); decay != m.decays[k] {
				m.decays[k], m.rests[k] = decay, 1-decay
			}
		}
	} else {
		m.momentum = stochastic.Decay(p, "momentum", m.momentum)
	}
	return m, p.Err()
}

// Accepts takes networks.
func (m Method) Accepts(p problem.Problem) error {
	if _, ok := p.(*problem.Network); !ok {
		return fmt.Errorf("found %s, expected a network", problem.Name(p))
	}
	return nil
}

// Traits says that no gap can end a run: the method ends by itself.
func (Method) Traits() solver.Traits { return solver.Traits{Passes: math.MaxInt32} }
