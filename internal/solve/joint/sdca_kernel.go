package joint

import (
	"math/bits"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// machine is SDCA for kernel machines. It keeps the responses of all rows, n x K, which follow
// each step by a row of the matrix.
type machine struct {
	*blocks
	problem *problem.JointKernel
	f       []float64 // n x K: responses, without the biases
	w       []float64 // (n+1) x K: the point
	bias    []float64 // K
	beta    float64
}

func newMachine(p *problem.JointKernel, start solver.Start) *machine {
	n, k := p.Len(), p.Classes
	s := &machine{blocks: newBlocks(&p.JointRisk, start), problem: p, f: make([]float64, n*k), w: make([]float64, (n+1)*k), bias: make([]float64, k)}
	mean := 0.0
	for _, x := range p.Diagonal {
		mean += x / float64(n)
	}
	s.beta = weightOfBias(&p.JointRisk, mean)
	if from := start.From; from != nil && len(from.A) == len(s.a) {
		s.refresh()
		if p.Bias == problem.Free && len(from.W) == len(s.w) {
			copy(s.bias, from.W[n*k:])
		}
	} else if p.Bias == problem.Free {
		firstBiases(s.bias, &p.JointRisk)
	}
	s.followBias()
	return s
}

// followBias sets the biases that are a feature.
func (s *machine) followBias() {
	if s.problem.Bias == problem.Feature {
		for c, sum := range s.sum {
			s.bias[c] = -s.factor * sum
		}
	}
}

// refresh computes the responses in double precision: rows of the matrix may be in single.
func (s *machine) refresh() {
	n, k := s.problem.Len(), s.risk.Classes
	own := make([]float64, (n+1)*k)
	for i, weight := range s.risk.S {
		for c := range k {
			own[i*k+c] = -s.factor * weight * s.a[i*k+c]
		}
	}
	s.problem.Responses(s.f, own)
}

// Epoch visits every row that is awake once. Rows in single precision leave the responses a
// little off: they are recomputed after epochs 16, 32, 64, ...
func (s *machine) Epoch() {
	s.arrange()
	for _, i := range s.order {
		if s.limit.Reached() {
			break
		}
		s.visit(int(i))
	}
	if s.problem.Bias == problem.Free {
		vec.Axpy64(s.bias, -s.beta*s.factor, s.sum)
	}
	s.epoch++
	if s.epoch >= 16 && bits.OnesCount64(s.epoch) == 1 {
		s.refresh()
	}
}

// visit makes the step of a row.
func (s *machine) visit(i int) {
	k := s.risk.Classes
	copy(s.p, s.f[i*k:(i+1)*k])
	vec.Axpy64(s.p, 1, s.bias)
	held := s.beta
	if s.problem.Bias == problem.Feature {
		held /= overRelaxed
	}
	unit := s.risk.S[i] * s.factor
	if !s.step(i, unit*(s.problem.Diagonal[i]/overRelaxed+held)) {
		return
	}
	for _, c := range s.moved {
		s.move[c] *= -unit
	}
	s.add(s.problem.Rows([]int{i})[0])
	vec.Axpy64(s.bias, s.beta, s.move)
}

// add adds the moves of a row to the responses: where few classes moved, to these alone.
func (s *machine) add(row gram.Row) {
	k := s.risk.Classes
	few := 4*len(s.moved) <= k
	for j := range s.risk.Y {
		x, f := row.At(j), s.f[j*k:(j+1)*k]
		if !few {
			vec.Axpy64(f, x, s.move)
			continue
		}
		for _, c := range s.moved {
			f[c] += float64(x * s.move[c])
		}
	}
}

// Report estimates the gap: of coefficients -s.A/(lambda N) half the squared norms.
func (s *machine) Report() solver.Report {
	k, cost := s.risk.Classes, 0.0
	for i, weight := range s.risk.S {
		cost -= float64(s.factor * weight * vec.Dot64(s.a[i*k:(i+1)*k], s.f[i*k:(i+1)*k]))
	}
	if s.problem.Bias == problem.Feature {
		cost += vec.SquaredNorm64(s.bias)
	}
	return s.report(s.problem.Lambda / 2 * cost)
}

// Point returns the coefficients of the dual variables.
func (s *machine) Point() problem.Point {
	copy(s.w[len(s.w)-len(s.bias):], s.bias)
	s.problem.Weights(s.w, s.a)
	return problem.Point{W: s.w, A: s.a}
}
