package reduce

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// CuttingPlane is cutting-plane subspace pursuit (CPSP: Joachims, Yu 2009) for the hinge: of
//
//	min |v|^2/2 + xi/lambda,  <v, Psi_e> >= Delta_e - xi  for all e in {0,1}^n,
//	Psi_e = (1/n) sum_i e_i y_i Phi(x_i),  Delta_e = (1/n) sum_i e_i (1 - y_i b)
//
// with the bias b of the trained machine, the most violated constraint, e_i = 1 where a
// margin is below 1, joins those before; a preimage of what of Psi_e is outside the span of the
// vectors found so far joins these; and all constraints are projected on their span. It ends
// when the newest is violated by at most Tolerance. Gaussian kernel, one output of two classes.
type CuttingPlane struct{ Tolerance float64 }

func init() {
	register("cutting-plane", "a vector for each cutting plane (CPSP; rbf, classes); tolerance=0.001", func(p *registry.Params) (Method, error) {
		eps := p.Float("tolerance", 1e-3, "a number > 0 and below 1", func(v float64) bool { return v > 0 && v < 1 })
		return CuttingPlane{eps}, p.Err()
	})
}

// pursuit is one call of Choose.
type pursuit struct {
	t       *Target
	risk    Risk
	gamma   float64
	rows    [][]float64
	vectors [][]float64
	inner   [][]float64 // k of each vector with all rows
	factor  cholesky
	cuts    []cut
	alpha   []float64 // of the cuts
	beta    []float64 // of the vectors
}

// cut is a constraint: its e, what it asks for, and its inner products with the vectors.
type cut struct {
	weight []float64 // e_i y_i / n
	delta  float64
	inner  []float64
}

// Choose implements Method.
func (m CuttingPlane) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	if err := opt.size("cutting-plane"); err != nil {
		return nil, err
	}
	k, err := t.gaussian("cutting-plane")
	if err != nil {
		return nil, err
	}
	if t.Risks == nil {
		return nil, errNoRisk
	}
	p := &pursuit{t: t, risk: t.Risks[0], gamma: k.Gamma, rows: dense(t.rows())}
	for range opt.Support + mostCuts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		margin := p.predictions()
		c, slack := p.worst(margin)
		if len(p.cuts) > 0 && slack <= p.slack()+m.Tolerance {
			break
		}
		p.cuts = append(p.cuts, c)
		p.alpha = append(p.alpha, 0)
		if len(p.vectors) < opt.Support {
			p.extend(c)
		}
		p.project()
		p.solve()
	}
	return t.virtual(p.vectors, p.beta, opt)
}

// mostCuts is how many cutting planes there may be beyond the vectors.
var mostCuts = 100

// predictions are those of the vectors for all rows, with the bias.
func (p *pursuit) predictions() []float64 {
	all := make([]float64, len(p.rows))
	for i := range all {
		all[i] = p.t.Outputs[0].Bias
	}
	for k, b := range p.beta {
		vec.Axpy64(all, b, p.inner[k])
	}
	return all
}

// worst returns the most violated constraint, and by how much with xi = 0: the mean hinge loss.
func (p *pursuit) worst(prediction []float64) (c cut, slack float64) {
	total := 0.0
	c.weight = make([]float64, len(p.rows))
	for i, y := range p.risk.Y {
		s := 1.0
		if p.risk.Weight != nil {
			s = p.risk.Weight[i]
		}
		total += s
		if margin := y * prediction[i]; margin < 1 {
			c.weight[i] = s * y
			c.delta += s * (1 - y*p.t.Outputs[0].Bias)
			slack += s * (1 - margin)
		}
	}
	for i := range c.weight {
		c.weight[i] /= total
	}
	c.delta /= total
	return c, slack / total
}

// extend adds a preimage of what is left of a cut outside the span, unless nothing is.
func (p *pursuit) extend(c cut) {
	rest := expansion{gamma: p.gamma}
	for i, w := range c.weight {
		if w != 0 {
			rest.rows, rest.weight = append(rest.rows, p.rows[i]), append(rest.weight, w)
		}
	}
	inside := make([]float64, len(p.vectors))
	for k := range p.vectors {
		inside[k] = vec.Dot64(c.weight, p.inner[k])
	}
	for k, b := range p.factor.solve(inside) {
		rest.rows, rest.weight = append(rest.rows, p.vectors[k]), append(rest.weight, -b)
	}
	rows := rest.rows
	if len(rows) == 0 {
		rows = p.rows
	}
	z := rest.preimage(rest.largest(8, len(p.vectors)))
	if z == nil {
		z = rows[0]
	}
	_, cols := p.t.Support.Dims()
	single, err := asMatrix([][]float64{z}, cols) // as the model will hold it
	if err != nil {
		return
	}
	if z = p.factor.extend(p.gamma, p.vectors, dense(single)[0], rows); z == nil {
		return
	}
	if single, err = asMatrix([][]float64{z}, cols); err == nil {
		p.vectors, p.inner = append(p.vectors, z), append(p.inner, p.valuesAt(single))
	}
}

// valuesAt is the kernel between a vector and all rows.
func (p *pursuit) valuesAt(z matrix.Matrix) []float64 {
	v := p.t.view(&Choice{Vectors: z, Coefficients: [][]float64{{1}}, Bias: []float64{0}})
	return v.Response[0][:len(p.rows)]
}

// project brings the inner products of all cuts with the vectors up to date.
func (p *pursuit) project() {
	for j := range p.cuts {
		c := &p.cuts[j]
		for k := len(c.inner); k < len(p.vectors); k++ {
			c.inner = append(c.inner, vec.Dot64(c.weight, p.inner[k]))
		}
	}
}

// slack is xi of the constraints so far.
func (p *pursuit) slack() float64 {
	xi := 0.0
	for _, c := range p.cuts {
		xi = max(xi, c.delta-vec.Dot64(p.beta, c.inner))
	}
	return xi
}

// solve solves the dual over the cuts, sum_j alpha_j Delta_j - |sum_j alpha_j Psi_j|^2/2 with
// alpha >= 0 of a sum of at most 1/lambda, by steps of pairs, of which one may be the slack.
func (p *pursuit) solve() {
	n := len(p.cuts)
	gram, solved := make([][]float64, n), make([][]float64, n)
	for j, c := range p.cuts {
		solved[j] = p.factor.solve(c.inner)
		gram[j] = make([]float64, n)
	}
	slope := make([]float64, n)
	for j := range p.cuts {
		for l := range p.cuts {
			gram[j][l] = vec.Dot64(solved[j], p.cuts[l].inner)
		}
		slope[j] = p.cuts[j].delta - vec.Dot64(gram[j], p.alpha)
	}
	for range 1000 * n {
		rise, to, from, most := p.pair(slope)
		if !(rise > 1e-9) {
			break
		}
		bend, step := 0.0, 0.0
		if to >= 0 {
			bend += gram[to][to]
		}
		if from >= 0 {
			bend += gram[from][from]
		}
		if to >= 0 && from >= 0 {
			bend -= 2 * gram[to][from]
		}
		if step = most; bend > 0 {
			step = min(most, rise/bend)
		}
		p.shift(slope, gram, to, step)
		p.shift(slope, gram, from, -step)
	}
	p.beta = make([]float64, len(p.vectors))
	for j, a := range p.alpha {
		vec.Axpy64(p.beta, a, solved[j])
	}
}

// pair returns the step that rises most: from one cut, or the slack (-1), to another, and at
// most how far.
func (p *pursuit) pair(slope []float64) (rise float64, to, from int, most float64) {
	up, down, free := -1, -1, 1/p.risk.Lambda
	for j, a := range p.alpha {
		free -= a
		if up < 0 || slope[j] > slope[up] {
			up = j
		}
		if a > 0 && (down < 0 || slope[j] < slope[down]) {
			down = j
		}
	}
	if free > 1e-12/p.risk.Lambda && slope[up] > 0 {
		rise, to, from, most = slope[up], up, -1, free
	}
	if down >= 0 && -slope[down] > rise {
		rise, to, from, most = -slope[down], -1, down, p.alpha[down]
	}
	if down >= 0 && slope[up]-slope[down] > rise && down != up && free <= 1e-12/p.risk.Lambda {
		rise, to, from, most = slope[up]-slope[down], up, down, p.alpha[down]
	}
	return rise, to, from, most
}

// shift changes alpha of a cut.
func (p *pursuit) shift(slope []float64, gram [][]float64, j int, by float64) {
	if j < 0 {
		return
	}
	p.alpha[j] = max(0, p.alpha[j]+by)
	for l := range slope {
		slope[l] -= by * gram[j][l]
	}
}
