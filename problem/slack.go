package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
)

// Slack is the slack-constrained problem of a kernel machine (Hazan, Koren,
// Srebro 2011; thesis 2.1): the largest margin of a w in the unit ball after
// corrections of total volume n nu,
//
//	maximise f(w,b) = max over xi >= 0, sum xi <= n nu, of min_i (c_i + y_i b + xi_i),   |w| <= 1
//	below    G(p)   = |sum_i p_i y_i Phi(x_i)| + n nu max_i p_i,   p in the simplex
//
// with c_i = y_i <w,Phi(x_i)>; rows of weights s_i have sum_i s_i xi_i <= N nu, N = sum_i s_i, and in G
// the largest p_i/s_i, p_i = s_i |a_i|. A free bias adds sum_i y_i p_i = 0. [water.Filling] is f.
// Here everything is minimised: P = -f, and D = -G.
//
// A point has the coefficients beta of w and the bias; its dual variables are
// a_i = -y_i p_i, in any scale. A point whose w is outside of the ball stands for
// w/|w| and b/|w|. What classifies is w/f, with the margin 1 instead of f: its
// average hinge loss is nu/f and its norm 1/f, so that no classifier has both
// less loss and less norm if w is optimal. See [Slack.Classifier], which models hold, in
// units of [MarginUnit].
type Slack struct {
	*gram.Gram
	Margins
}

var _ Problem = (*Slack)(nil)

// NewSlack checks shapes and parameters. Its loss is the hinge; [Margins.Weigh] gives its rows weights.
func NewSlack(gram *gram.Gram, targets []float64, nu float64, bias Bias) (*Slack, error) {
	m, err := newMargins(gram.Len(), targets, nu, bias, gram.Threads())
	if err != nil {
		return nil, err
	}
	return &Slack{Gram: gram, Margins: *m}, nil
}

// Dims returns the number of rows twice: each gives the predictor a coefficient.
func (p *Slack) Dims() (rows, cols int) { return p.Len(), p.Len() }

// Certify judges the point as the type's comment says. Its costs are those of
// [NormConstrained].
func (p *Slack) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	f, bound, _ := p.margin(pt.W)
	if p.Cut() {
		return unfinished(p.Zero())
	}
	above := math.Inf(1)
	if p.Definite() && pt.A != nil {
		if above = p.above(pt.A); p.Cut() {
			above = math.Inf(1)
		}
	}
	return p.verdict(f, bound, pt.W[p.Len()], above)
}

// margin returns f at a point, a bound on its error, and what w and b were
// multiplied by to come into the ball.
func (p *Slack) margin(w []float64) (f, bound, inside float64) {
	n := p.Len()
	r, bias := (&Kernel{Gram: p.Gram, Risk: p.Risk}).respond(w[:n]), w[n]
	if inside = insideBall(1, r.size2(p.Constant()*bias*bias)); inside != 1 {
		r.shrink(inside)
		bias *= inside
	}
	f, bound = p.level(r.value, r.error, bias)
	return f, bound, inside
}

// above returns a bound on G at the p of dual variables, whatever they are.
func (p *Slack) above(a []float64) float64 {
	v := p.masses(a)
	r := (&Kernel{Gram: p.Gram, Risk: p.Risk}).respond(v)
	if !(r.size > 0) {
		return math.Inf(1)
	}
	norm := math.Sqrt(r.size2(p.Constant() * r.sumBound() * r.sumBound()))
	return (norm+float64(p.Volume()*p.steepest(v)))/r.size*(1+16*unit) + 4*tiny
}

// Classifier turns a point into the classifier w/f, b/f of margin 1. A point
// that has no positive margin is returned as it is, and false.
func (p *Slack) Classifier(w []float64) ([]float64, bool) {
	f, _, inside := p.margin(w)
	return classifier(w, f, inside)
}
