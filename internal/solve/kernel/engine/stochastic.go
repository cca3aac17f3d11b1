package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// descent is a run of steps along the derivatives of the losses of rows that are drawn at random,
//
//	w <- w - eta g Phi(x_i),  eta = 1/(lambda (t+offset)),  w shrunk by 1 - 1/(t+offset) before, or
//	                          eta = first/sqrt(t) in a ball of some radius
//
// with the mean of the iterates. Dual variables are the means of the g met on each row, step t with
// weight t.
type descent struct {
	supported
	p      *problem.Risk
	draws  *draws
	met    *means
	output string  // "better" of the average and the last iterate, or one of them; "weighted", an average
	t      float64 // steps taken
	offset float64 // of t in their length
	first  float64 // length of the first one in the ball
	radius float64 // of the ball; infinite: none
}

// newDescent begins at zero, or at the weights of the warm start as if after one epoch.
func newDescent(p *problem.Risk, gram *gram.Gram, output string, start solver.Start) *descent {
	n, from := gram.Len(), start.From
	s := &descent{p: p, output: output, draws: newDraws(p, start.Seed), met: newMeans(n, from), radius: math.Inf(1)}
	var w []float64
	if from != nil && from.W != nil {
		s.t, w = float64(n), from.W
	}
	s.supported = newSupported(newEngine(gram, p.Constant(), w, true), start)
	s.Rows = func() (all, spared int) { return s.met.support(s.e) }
	return s
}

func (s *descent) Epoch() {
	for range len(s.p.Y) {
		if s.e.ended() {
			return
		}
		s.step(s.draws.next())
	}
}

func (s *descent) step(i int) {
	s.t++
	g := s.derivative(i)
	s.met.add(i, g, s.t)
	length := 1.0 // of what is stored, which the scale multiplies
	if math.IsInf(s.radius, 1) {
		s.e.rescale(1 / (s.p.Lambda * (s.t + s.offset)))
	} else {
		length = s.first / math.Sqrt(s.t) / s.e.scale
	}
	if g != 0 {
		s.e.soon = among(s.draws.coming, func(i int) bool { return s.derivative(i) != 0 })
		s.e.addStored(i, -length*g)
		s.e.project(s.radius)
	}
	if s.output == "weighted" {
		s.e.count(s.t)
	} else {
		s.e.count(1)
	}
}

func (s *descent) derivative(i int) float64 {
	return s.p.Loss.Derivative(s.e.response(i), s.p.Y[i])
}

func (s *descent) Point() problem.Point {
	last := s.e.last()
	best := last
	if s.output != "last" {
		best = s.e.average()
	}
	if s.output == "better" && s.value(last) < s.value(best) {
		best = last
	}
	return problem.Point{W: best.w, A: s.met.dual(s.p, best.responses, s.Spare)}
}

// value returns the objective.
func (s *descent) value(it iterate) float64 {
	return risk(s.p, it.responses) + float64(s.p.Lambda/2*it.squared)
}

// draws are random rows, each with a probability proportional to its weight.
type draws struct {
	random *rand.Rand
	upTo   []float64 // sums of the weights; nil when all are the same
	n      int
	coming []int // drawn, but not yet taken
}

func newDraws(p *problem.Risk, seed uint64) *draws {
	d := &draws{random: rand.New(rand.NewPCG(seed, 0)), n: len(p.S)}
	equal, sum := true, 0.0
	upTo := make([]float64, d.n)
	for i, s := range p.S {
		sum += s
		upTo[i] = sum
		equal = equal && s == p.S[0]
	}
	if !equal {
		d.upTo = upTo
	}
	return d
}

// next takes a row. Those to come after it are drawn some time ahead.
func (d *draws) next() int {
	if len(d.coming) < 128 {
		d.coming = slices.Clone(d.coming)
		for len(d.coming) < 1024 {
			d.coming = append(d.coming, d.draw())
		}
	}
	i := d.coming[0]
	d.coming = d.coming[1:]
	return i
}

// draw draws a row: the first whose sum exceeds a random part of the whole.
func (d *draws) draw() int {
	if d.upTo == nil {
		return d.random.IntN(d.n)
	}
	goal := d.random.Float64() * d.upTo[d.n-1]
	lo, hi := 0, d.n-1
	for lo < hi {
		if middle := (lo + hi) / 2; d.upTo[middle] > goal {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return lo
}

// means are, for each row, the mean of the derivatives that were met there. As
// the derivatives of a loss at any predictions, they are dual variables. Means over
// all rows, 64 times an epoch, which cost little compared with the rows of the kernel,
// were no better: the noise is that of the iterates, not of the draws.
type means struct {
	sum, weight []float64
	start       []float64 // of rows where nothing was met; nil: not known
	met         int       // rows where something was
}

func newMeans(n int, from *problem.Point) *means {
	m := &means{sum: make([]float64, n), weight: make([]float64, n)}
	if from != nil && from.A != nil {
		m.start = append(m.start, from.A...)
	}
	return m
}

func (m *means) add(i int, derivative, weight float64) {
	if m.weight[i] == 0 {
		m.met++
	}
	m.sum[i] += float64(weight * derivative)
	m.weight[i] += weight
}

// dual returns the means; rows where nothing was met take the derivative at
// the responses, or 0 if sparse.
func (m *means) dual(p *problem.Risk, responses []float64, sparse bool) []float64 {
	a := make([]float64, len(m.sum))
	for i := range a {
		switch {
		case m.weight[i] > 0:
			a[i] = m.sum[i] / m.weight[i]
		case sparse:
		case m.start != nil:
			a[i] = m.start[i]
		default:
			a[i] = p.Loss.Derivative(responses[i], p.Y[i])
		}
	}
	return a
}

// risk returns the average loss of predictions.
func risk(p *problem.Risk, responses []float64) float64 {
	var sum vec.Sum
	for i, r := range responses {
		sum.Add(p.S[i] * p.Loss.Value(r, p.Y[i]))
	}
	return sum.Value() / p.N
}

// refuseFree refuses a free bias.
func refuseFree(name string, p *problem.Risk) error {
	if p.Bias == problem.Free {
		return fmt.Errorf("%s has no step for a free bias: expected bias none or feature, or another solver", name)
	}
	return nil
}

// steepest returns the largest slope that the loss can have on any row: that
// of the domain of its conjugate.
func steepest(p *problem.Risk) float64 {
	largest := 0.0
	for _, y := range p.Y {
		lo, hi := p.Loss.Domain(y)
		largest = max(largest, hi, -lo)
	}
	return largest
}

// refuseSteep refuses a loss whose slope has no bound.
func refuseSteep(name string, p *problem.Risk) error {
	if math.IsInf(steepest(p), 1) {
		return errors.New(name + " takes steps of a given length along the derivative of the loss, which must be bounded: expected a loss such as hinge or logistic, or another solver")
	}
	return nil
}

// support counts the rows of the matrix that a certificate needs: those with coefficients, and those with dual
// variables, which are all rows of which no derivative was computed.
func (m *means) support(e *engine) (all, spared int) {
	return 2*e.moved + len(m.sum) - m.met, 2 * e.moved
}
