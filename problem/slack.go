package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
)

// Slack is the slack-constrained problem of a kernel machine (Hazan, Koren,
// Srebro 2011; thesis 2.1): the largest margin of a w in the unit ball after
// corrections of total volume n nu,
//
//	maximise f(w,b) = max over xi >= 0, sum xi <= n nu, of min_i (c_i + y_i b + xi_i),   |w| <= 1
//	below    G(p)   = |sum_i p_i y_i Phi(x_i)| + n nu max_i p_i,   p in the simplex
//
// with c_i = y_i <w,Phi(x_i)>; a free bias adds sum_i y_i p_i = 0. [Water] is f.
// Here everything is minimised: P = -f, and D = -G.
//
// A point has the coefficients beta of w and the bias; its dual variables are
// a_i = -y_i p_i, in any scale. A point whose w is outside of the ball stands for
// w/|w| and b/|w|. What classifies is w/f, with the margin 1 instead of f: its
// average hinge loss is nu/f and its norm 1/f, so that no classifier has both
// less loss and less norm if w is optimal. See [Slack.Classifier].
type Slack struct {
	*kernel.Gram
	Risk
	Nu float64
}

var _ Problem = (*Slack)(nil)

// NewSlack checks shapes and parameters. Its loss is the hinge, its rows have no
// weights.
func NewSlack(gram *kernel.Gram, targets []float64, nu float64, bias Bias) (*Slack, error) {
	if !(nu >= 0) || math.IsInf(nu, 1) {
		return nil, fmt.Errorf("problem: nu=%g: expected a number >= 0", nu)
	}
	risk, err := newRisk(gram.Len(), targets, nil, loss.Hinge{}, 1, bias, gram.Threads())
	if err != nil {
		return nil, err
	}
	p := &Slack{Gram: gram, Risk: *risk, Nu: nu}
	p.Lambda = 0
	level, _ := p.Level(new(Water), make([]float64, len(targets)))
	if math.IsInf(level, 1) {
		return nil, errors.New("problem: found one class only, expected rows of both: with a free bias the margin has no bound")
	}
	p.zero = -level
	return p, nil
}

// Dims returns the number of rows twice: each gives the predictor a coefficient.
func (p *Slack) Dims() (rows, cols int) { return p.Len(), p.Len() }

// Volume returns n nu.
func (p *Slack) Volume() float64 { return p.N * p.Nu }

// Level returns f for the margins c without a free bias, and that bias.
func (p *Slack) Level(w *Water, c []float64) (level, bias float64) {
	if p.Bias == Free {
		return w.Fill(c, p.Y, p.Volume())
	}
	return w.Fill(c, nil, p.Volume())
}

// Certify judges the point as the type's comment says. Its costs are those of
// [NormConstrained].
func (p *Slack) Certify(pt Point) Certificate {
	margin, marginError, _ := p.margin(pt.W)
	c := Certificate{Primal: -margin, Dual: math.Inf(-1), Zero: p.zero}
	if b := pt.W[p.Len()]; p.Bias == None && b != 0 {
		c.Warnings = append(c.Warnings, fmt.Errorf("the point has the bias %g, but the problem has none", b))
		c.Primal = math.Inf(1)
	}
	if !p.Definite() || pt.A == nil {
		return c
	}
	if d := -(p.above(pt.A) + marginError); !math.IsNaN(d) && !math.IsInf(d, 1) {
		c.Dual = d
	}
	return c
}

// margin returns f at a point, a bound on its error, and what w and b were
// multiplied by to come into the ball. f moves by no more than the worst of the
// responses.
func (p *Slack) margin(w []float64) (f, bound, inside float64) {
	n := p.Len()
	r, bias := (&Kernel{Gram: p.Gram, Risk: p.Risk}).respond(w[:n]), w[n]
	if inside = insideBall(1, r.size2(p.Constant()*bias*bias)); inside < 1 {
		r.shrink(inside)
		bias *= inside
	}
	worst, largest := 0.0, 0.0
	for i, y := range p.Y {
		r.value[i] = y * (r.value[i] + bias)
		worst = max(worst, r.error[i])
		largest = max(largest, math.Abs(r.value[i]))
	}
	f, _ = new(Water).Fill(r.value, nil, p.Volume())
	return f, worst + float64(float64(4*(n+16))*unit*(largest+math.Abs(f)+math.Abs(bias))), inside
}

// above returns a bound on G at the p of dual variables, whatever they are.
func (p *Slack) above(a []float64) float64 {
	v := p.masses(a)
	r := (&Kernel{Gram: p.Gram, Risk: p.Risk}).respond(v)
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	if !(r.size > 0) {
		return math.Inf(1)
	}
	norm := math.Sqrt(r.size2(p.Constant() * r.sumBound() * r.sumBound()))
	return (norm + float64(p.Volume()*largest)) / r.size * (1 + 16*unit)
}

// masses returns y_i p_i in a scale in which the largest is about 1.
func (p *Slack) masses(a []float64) []float64 {
	v, largest := make([]float64, len(a)), 0.0
	for i, y := range p.Y {
		if x := -y * a[i]; x > 0 && !math.IsInf(x, 1) {
			v[i] = y * x
			largest = max(largest, x)
		}
	}
	if largest > 0 {
		for i := range v {
			v[i] /= largest
		}
	}
	if p.Bias == Free {
		balance(v, p.threads)
	}
	return v
}

// Classifier turns a point into the classifier w/f, b/f of margin 1. A point
// that has no positive margin is returned as it is, and false.
func (p *Slack) Classifier(w []float64) ([]float64, bool) {
	scaled := slices.Clone(w)
	f, _, inside := p.margin(w)
	if !(f > 0) || math.IsInf(f, 1) {
		return scaled, false
	}
	for i := range scaled {
		scaled[i] *= inside / f
	}
	return scaled, true
}
