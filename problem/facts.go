package problem

import (
	"math"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
)

// Facts are what is known of a kernel machine besides its gap. They are about the dual
// variables that belong to its coefficients, a_i = -lambda N beta_i/s_i, and prove nothing.
type Facts struct {
	Bounded []uint32 // the rows of which a_i is at an end of its domain other than 0

	// Violation is the largest distance of a prediction from those at which the loss has
	// the slope a_i: the violation of the KKT conditions, 0 at the optimum. +Inf: the
	// coefficients belong to no feasible dual variables, or the loss does not say.
	Violation float64

	Norm   float64 // |w|, with a bias that the penalty sees
	Losses float64 // sum of the weighted losses: of the hinge, of the slacks
	Errors float64 // weight of the rows of two classes with y f <= 0, of the hinge at most Losses; -1: not classes

	// Of the hinge: the parameters of the problems of which this is the optimum too, if it is
	// one; 0: not known. Share is nu, Share = lambda sum_i |beta_i| of a free bias.
	Lambda, Share float64

	// PredictLeftOut is how many rows a machine that is trained without them gets wrong at
	// most, if this one is optimal; -1: it is not known.
	LeaveOneOut   int
	LeaveOneOutBy string // the bound's name; "": none
}

// The bounds on the leave-one-out error. Without a row of which a_i is 0 the optimum stays,
// and gets it right: the others are counted. Of the hinge a row is counted with xi_i its
// loss and
//
//	without a free bias   |beta_i| K_ii + xi_i >= 1    (Jaakkola, Haussler 1999)
//	with one              2 |beta_i| R + xi_i >= 1     (Joachims 2000)
//
// R a bound on K_ii - K_ij: the largest K_ii where no value is negative, else twice that.
const (
	bySupport = "support vectors"
	byXiAlpha = "xi-alpha"
)

// facts looks at coefficients with the given responses; nil: the loss is not convex.
func (p *Kernel) facts(beta []float64, bias float64, r response) *Facts {
	if !loss.IsConvex(p.Loss) {
		return nil
	}
	f := &Facts{LeaveOneOut: -1, Errors: p.wrong(r.value, bias)}
	if loss.IsHinge(p.Loss) {
		f.Lambda = p.Lambda
		if p.Bias == Free {
			f.Share = min(1, float64(p.Lambda*r.size))
		}
	}
	inverse, _ := p.Loss.(loss.Invertible)
	if inverse == nil || p.Bias == Free && math.Abs(r.sum) > 1e-9*r.size {
		f.Violation = math.Inf(1)
	}
	for i, y := range p.Y {
		a := -beta[i] * (p.Lambda * p.N / p.S[i])
		lo, hi := p.Loss.Domain(y)
		end := hi
		if a < 0 {
			end = lo
		}
		switch {
		case math.IsInf(end, 0):
		case beta[i] != 0 && math.Abs(a-end) <= 1e-12*math.Abs(end):
			f.Bounded = append(f.Bounded, uint32(i))
			a = end
		case math.Abs(a) > math.Abs(end):
			f.Violation = math.Inf(1)
		}
		if inverse != nil && !math.IsInf(f.Violation, 1) {
			from, to := inverse.Inverse(a, y)
			f.Violation = max(f.Violation, from-(r.value[i]+bias), r.value[i]+bias-to)
		}
	}
	if math.IsNaN(f.Violation) {
		f.Violation = math.Inf(1)
	}
	p.leaveOneOut(f, beta, bias, r)
	return f
}

// wrong returns the weight of the rows that predictions have on the wrong side, or on none; -1:
// targets are no classes.
func (p *Risk) wrong(value []float64, bias float64) float64 {
	if _, classes := p.Loss.(loss.Margin); !classes {
		return -1
	}
	sum := 0.0
	for i, y := range p.Y {
		if y*(value[i]+bias) <= 0 {
			sum += p.S[i]
		}
	}
	return sum
}

// facts counts the rows at their caps. Of classes with the level rho, w/rho is the optimum of the
// hinge with lambda = rho, by the conditions of both (Schoelkopf et al. 2000, proposition 6); norm
// and losses are of that.
func (p *Nu) facts(beta []float64, bias float64, r response) *Facts {
	f := &Facts{Violation: math.Inf(1), LeaveOneOut: -1, Norm: -1, Losses: -1, Errors: -1}
	if level := p.Level(r.value, bias); level > 0 && !p.tube && !p.OneClass() {
		f.Lambda, f.Share = level, p.Nu
		f.Norm, f.Losses, f.Errors = math.Sqrt(max(0, r.squared))/level, 0, 0
		for side, s := range p.Sides {
			for i, most := range s.Cap {
				margin := sign(side) * (r.value[i] + bias)
				f.Losses += float64(p.N * most * max(0, 1-margin/level))
				if margin <= 0 {
					f.Errors += float64(p.N * most)
				}
			}
		}
	}
	for i, b := range beta {
		side := 0
		if b < 0 {
			side = 1
		}
		if most := p.Sides[side].Cap[i]; b != 0 && math.Abs(b)*p.Lambda >= most*(1-1e-12) {
			f.Bounded = append(f.Bounded, uint32(i))
		}
	}
	return f
}

// leaveOneOut counts rows.
func (p *Kernel) leaveOneOut(f *Facts, beta []float64, bias float64, r response) {
	_, margin := p.Loss.(loss.Margin)
	if _, everywhere := p.Loss.(loss.Probabilistic); !margin || everywhere || math.IsInf(f.Violation, 1) || !p.Definite() {
		return
	}
	hinge := loss.IsHinge(p.Loss)
	f.LeaveOneOut, f.LeaveOneOutBy = 0, bySupport
	if hinge {
		f.LeaveOneOutBy = byXiAlpha
	}
	most := p.span()
	for i, b := range beta {
		reach := float64(math.Abs(b) * (p.Diagonal[i] + p.Constant()))
		if p.Bias == Free {
			reach = float64(2 * math.Abs(b) * most)
		}
		short := max(0, 1-float64(p.Y[i]*(r.value[i]+bias)))
		if b != 0 && !hinge || hinge && reach+short >= 1 {
			f.LeaveOneOut++
		}
	}
}

// span bounds K_ii - K_ij.
func (p *Kernel) span() float64 {
	most := 0.0
	for _, k := range p.Diagonal {
		most = max(most, k)
	}
	if _, positive := p.Kernel.(kernel.Decaying); !positive {
		most *= 2
	}
	return most
}
