package reduce

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
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
	alpha   []float64 // lambda times that of no cut, and of the cuts
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
	p := &pursuit{t: t, risk: t.Risks[0], gamma: k.Gamma, rows: dense(t.rows()), alpha: []float64{1, 0}}
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

// solve finds the vectors' coefficients, sum_j alpha_j Psi_j on their span: with a plane -Psi_j of
// offset Delta_j for each cut, and 0 for the slack, lambda alpha is the solution of parts.Planes.
func (p *pursuit) solve() {
	planes := parts.Planes{Most: len(p.cuts) + 1, Lambda: p.risk.Lambda}
	none := make([]float64, len(p.vectors))
	planes.Add(parts.Plane{G: none, Image: none})
	for _, c := range p.cuts {
		planes.Add(parts.Plane{G: p.factor.solve(c.inner), Image: c.inner, O: c.delta})
	}
	copy(planes.Beta, p.alpha)
	planes.Solve()
	p.alpha = append(planes.Beta, 0)
	p.beta = make([]float64, len(p.vectors))
	planes.Combine(p.beta, 1/p.risk.Lambda, func(c parts.Plane) []float64 { return c.G })
}
