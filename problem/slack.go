package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/vec"
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

var (
	_ Problem       = (*Slack)(nil)
	_ Bounded       = (*Slack)(nil)
	_ Interruptible = (*Slack)(nil)
)

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

// LinearSlack is the problem of [Slack] for a linear predictor, Phi(x) = x: the
// largest margin of a w in the unit ball after corrections of total volume n nu
// (Hazan, Koren, Srebro 2011),
//
//	maximise f(w,b) = max over xi >= 0, sum xi <= n nu, of min_i (c_i + y_i b + xi_i),   |w| <= 1
//	below    G(p)   = |sum_i p_i y_i x_i| + max over those xi, xi_i <= most, of p^T xi,   p in the simplex
//
// with c_i = y_i <w,x_i>; no xi needs to be more than most for the maximum, 2 max
// |x_i| + nu or with a free bias a little more, without which the last term would be
// n nu max_i p_i. A bias that is a [Feature] is a part of w; a free one adds sum_i
// y_i p_i = 0. Signs, dual variables, points outside of the ball and the classifier
// of a point are as there; a point has d weights and the bias.
type LinearSlack struct {
	*Rows
	Margins
}

var (
	_ Problem = (*LinearSlack)(nil)
	_ Bounded = (*LinearSlack)(nil)
)

// NewLinearSlack checks shapes and parameters, as [NewSlack] does.
func NewLinearSlack(rows *Rows, targets []float64, nu float64, bias Bias) (*LinearSlack, error) {
	n, threads := rows.size()
	m, err := newMargins(n, targets, nu, bias, threads)
	if err != nil {
		return nil, err
	}
	if err := rows.checkFinite(); err != nil {
		return nil, err
	}
	return &LinearSlack{Rows: rows, Margins: *m}, nil
}

// Dims returns the number of rows and of features; the bias is not a feature.
func (p *LinearSlack) Dims() (rows, cols int) { return p.X.Dims() }

// Certify judges the point as the comment of [Slack] says, in two passes over the rows.
func (p *LinearSlack) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	f, bound, _ := p.margin(pt.W)
	above := math.Inf(1)
	if pt.A != nil {
		above = p.above(pt.A)
	}
	return p.verdict(f, bound, pt.W[len(pt.W)-1], above)
}

// margin returns f at a point, a bound on its error, and what w and b were
// multiplied by to come into the ball.
func (p *LinearSlack) margin(w []float64) (f, bound, inside float64) {
	n, d := p.Dims()
	w = append([]float64(nil), w...)
	squared := vec.SquaredNorm64(w[:d]) + float64(p.Constant()*w[d]*w[d])
	inside = insideBall(1, squared*(1+float64(d+8)*unit))
	if inside != 1 {
		for j := range w {
			w[j] *= inside
		}
	}
	bias := w[d]
	w[d] = 0
	c, errs := make([]float64, n), make([]float64, n)
	p.Predict(c, w)
	p.lengths(errs, 0)
	size := norm(w)
	for i := range errs {
		chain := errs[i] + 4
		errs[i] = float64(chain*unit*(float64(size*p.norm(i, 0))+math.Abs(bias))) + underflowOf(chain)
	}
	f, bound = p.level(c, errs, bias)
	return f, bound, inside
}

// above returns a bound on G at the p of dual variables, whatever they are.
func (p *LinearSlack) above(a []float64) float64 {
	_, d := p.Dims()
	v := p.masses(a)
	sum, chain := p.Combine(v)
	magnitude := 0.0
	var size vec.Sum
	for i, x := range v {
		x = math.Abs(x)
		size.Add(x)
		magnitude += float64(x * p.norm(i, p.Constant()))
	}
	if !(size.Value() > 0) {
		return math.Inf(1)
	}
	if p.Bias != Feature {
		sum = sum[:d]
	}
	longest := norm(sum) * (1 + float64(d+16)*unit)
	// Every sum is off by chain roundings of the sizes of its terms; the norm of all
	// these errors is at most the sum of those of the rows.
	longest += float64(float64(chain+16)*unit*magnitude*(1+float64(len(v)+16)*unit)) + float64(float64((chain+16)*(d+1))*tiny)
	return (longest+float64(p.corrections(v, p.Most())*(1+64*unit)))/size.Value()*(1+16*unit) + 4*tiny
}

// Longest returns the largest norm of a row; 1 if all are zero.
func (p *LinearSlack) Longest() float64 {
	longest := 0.0
	for i := range p.SquaredNorm {
		longest = max(longest, p.norm(i, p.Constant()))
	}
	if longest == 0 {
		return 1
	}
	return longest
}

// Most returns what no correction needs to exceed where f is largest.
func (p *LinearSlack) Most() float64 { return p.most(p.Longest()) * (1 + 1e-9) }

// Classifier turns a point into the classifier w/f, b/f of margin 1. A point
// that has no positive margin is returned as it is, and false.
func (p *LinearSlack) Classifier(w []float64) ([]float64, bool) {
	f, _, inside := p.margin(w)
	return classifier(w, f, inside)
}

// Inside scales w and the bias.
func (p *Slack) Inside(w []float64) []float64 {
	return shorten(w, len(w), func(w []float64) float64 {
		_, _, inside := p.margin(w)
		return inside
	})
}

// Inside scales w and the bias.
func (p *LinearSlack) Inside(w []float64) []float64 {
	_, _, inside := p.margin(w)
	return times(w, inside)
}
