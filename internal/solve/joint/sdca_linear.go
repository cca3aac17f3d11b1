package joint

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// ascent is SDCA for linear predictors.
type ascent struct {
	*blocks
	problem *problem.Joint
	u, w    []float64 // (d+1) x K; w is u itself for l2
	l1, l2  float64
	beta    float64   // squared weight of the constant column
	mean    []float64 // (d+1) x K: of the last epochs; nil: the weights of the last one
	before  float64   // rowGap of the epoch before
}

func newSDCA(p *problem.Joint, start solver.Start) *ascent {
	_, d := p.X.Dims()
	k := p.Classes
	s := &ascent{blocks: newBlocks(&p.JointRisk, start), problem: p, u: make([]float64, (d+1)*k)}
	s.l1, s.l2, _ = penalty.Coefficients(p.Penalty)
	s.chooseBeta()
	bias := s.u[d*k:]
	if from := start.From; from != nil && len(from.A) == len(s.a) {
		p.WeightsTo(s.u, s.a)
		for c, sum := range s.sum {
			bias[c] = 0
			switch {
			case p.Bias == problem.Feature:
				bias[c] = -s.factor * sum
			case p.Bias == problem.Free && len(from.W) == len(s.u):
				bias[c] = from.W[d*k+c]
			}
		}
	} else if p.Bias == problem.Free {
		firstBiases(bias, &p.JointRisk)
	}
	if s.w = s.u; !penalty.IsRidge(p.Penalty) {
		s.w = make([]float64, len(s.u))
		s.form(0, d)
		s.formBias()
	}
	return s
}

// firstBiases are the best without weights, for a smooth loss.
func firstBiases(b []float64, p *problem.JointRisk) {
	if !math.IsInf(p.Loss.Smoothness(), 1) {
		p.BestBiases(b, nil)
	}
}

// chooseBeta sets the squared weight of the constant column, as the sdca of linear predictors
// does.
func (s *ascent) chooseBeta() {
	s.beta = weightOfBias(&s.problem.JointRisk, s.problem.MeanSquaredNorm())
}

func weightOfBias(p *problem.JointRisk, norm float64) float64 {
	switch p.Bias {
	case problem.Feature:
		return 1
	case problem.None:
		return 0
	}
	share := 0.05
	if math.IsInf(p.Loss.Smoothness(), 1) {
		share = 0.01
	}
	return max(share*norm, 30*p.Lambda)
}

// form computes the weights of the features from lo to hi.
func (s *ascent) form(lo, hi int) {
	k := s.risk.Classes
	for j := lo * k; j < hi*k; j++ {
		s.w[j] = vec.Shrink(s.u[j], s.l1) / s.l2
	}
}

// formBias computes the biases, which the penalty sees only when they are a feature.
func (s *ascent) formBias() {
	d := len(s.u)/s.risk.Classes - 1
	if s.problem.Bias == problem.Feature {
		s.form(d, d+1)
	} else {
		copy(s.w[d*s.risk.Classes:], s.u[d*s.risk.Classes:])
	}
}

// Epoch visits every row that is awake once.
func (s *ascent) Epoch() {
	s.arrange()
	for at, i := range s.order {
		if at%256 == 255 && s.limit.Reached() {
			break
		}
		s.visit(int(i))
	}
	s.centre()
	s.epoch++
	s.average()
}

// average lets the mean weights follow. Where the loss has corners predictions scatter about
// them: the weights of single epochs then take twice as many to the same objective. While the gap falls
// fast the mean follows fast, as weights of early epochs are worse than the scatter.
func (s *ascent) average() {
	if !math.IsInf(s.risk.Loss.Smoothness(), 1) {
		return
	}
	if s.mean == nil {
		s.mean = append(s.mean, s.w...)
	}
	fall := s.rowGap / max(s.before, math.SmallestNonzeroFloat64)
	share := max(recent, 1-float64(fall*fall*fall))
	s.before = s.rowGap
	for j, x := range s.w {
		s.mean[j] += float64(share * (x - s.mean[j]))
	}
}

// recent is the least share of the last epoch in the mean weights.
const recent = 0.25

// centre moves the biases, if they are free, to where their penalty is centred next.
func (s *ascent) centre() {
	if s.problem.Bias == problem.Free {
		vec.Axpy64(s.u[len(s.u)-s.risk.Classes:], -s.beta*s.factor, s.sum)
		if &s.w[0] != &s.u[0] {
			s.formBias()
		}
	}
}

// visit makes the step of a row.
func (s *ascent) visit(i int) {
	x, bias := s.problem.X.Row(i), s.w[len(s.w)-s.risk.Classes:]
	copy(s.p, bias)
	if s.problem.Bias == problem.None {
		clear(s.p)
	}
	vec.SparseGemv(s.p, s.w, x.Index, x.Value)
	held := s.beta
	if s.problem.Bias == problem.Feature {
		held /= s.l2 * overRelaxed
	}
	unit := s.risk.S[i] * s.factor
	if !s.step(i, unit*(s.problem.SquaredNorm[i]/(s.l2*overRelaxed)+held)) {
		return
	}
	for _, c := range s.moved {
		s.move[c] *= -unit
	}
	s.add(x)
	vec.Axpy64(s.u[len(s.u)-s.risk.Classes:], s.beta, s.move)
	if &s.w[0] != &s.u[0] {
		s.formRow(x)
	}
}

// add adds the moves of a row to u: where few classes moved, to these alone.
func (s *ascent) add(x matrix.Vector) {
	k := s.risk.Classes
	if 4*len(s.moved) > k {
		vec.SparseGer(s.u, s.move, x.Index, x.Value)
		return
	}
	for at, v := range x.Value {
		if v != 0 {
			row := s.u[x.Column(at)*k:][:k]
			for _, c := range s.moved {
				row[c] += float64(float64(v) * s.move[c])
			}
		}
	}
}

// formRow computes the weights that a row has changed.
func (s *ascent) formRow(x matrix.Vector) {
	for at := range x.Value {
		j := x.Column(at)
		s.form(j, j+1)
	}
	s.formBias()
}

// Report estimates the gap.
func (s *ascent) Report() solver.Report {
	_, conjugate := s.problem.Penalty.Conjugate(s.u[:s.problem.Penalised()])
	return s.report(s.problem.Lambda * conjugate)
}

// Point returns the weights and the dual variables.
func (s *ascent) Point() problem.Point {
	if s.mean != nil {
		return problem.Point{W: s.mean, A: s.a}
	}
	return problem.Point{W: s.w, A: s.a}
}
