package calibration

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Platt's sigmoid.
//
//	Problem     min over A, B of F = sum_i w_i (t_i z_i + log(1 + exp(-z_i))), z_i = A s_i + B:
//	            the likelihood of p_i = 1/(1 + exp(z_i)) for the targets t_i
//	Symbols     s scores, w weights of rows; t is (P+1)/(P+2) for positive rows, 1/(N+2) for
//	            others, P and N being the weights of both
//	Update      a Newton step of (A, B), halved until F falls by 1e-4 of what the slope says;
//	            1e-12 is added to the diagonal of the Hessian
//	Returned    A, B once both derivatives are below 1e-5, after 100 steps, or where no step
//	            of 1e-10 and more makes F fall
//	Cost        two exponentials a row and step; some ten steps
//	Source      Platt, Probabilistic Outputs for Support Vector Machines, 2000; Lin, Lin and
//	            Weng, A Note on Platt's Probabilistic Outputs for SVMs, 2007, appendix C

const (
	mostSteps = 100
	leastStep = 1e-10
	ridge     = 1e-12
	flat      = 1e-5
)

// Platt returns A and B. weight may be nil: each row counts once.
func Platt(scores []float64, positive []bool, weight []float64) (a, b float64) {
	f := newSigmoid(scores, positive, weight)
	b = elementary.Log((f.negative + 1) / (f.positive + 1))
	value := f.value(a, b)
	for range mostSteps {
		s := f.slope(a, b)
		if math.Abs(s.a) < flat && math.Abs(s.b) < flat {
			break
		}
		det := float64(s.aa*s.bb) - float64(s.ab*s.ab)
		da, db := -(float64(s.bb*s.a)-float64(s.ab*s.b))/det, -(float64(s.aa*s.b)-float64(s.ab*s.a))/det
		along := float64(s.a*da) + float64(s.b*db)
		step := 1.0
		for step >= leastStep {
			nextA, nextB := a+float64(step*da), b+float64(step*db)
			if next := f.value(nextA, nextB); next < value+float64(1e-4*step*along) {
				a, b, value = nextA, nextB, next
				break
			}
			step /= 2
		}
		if step < leastStep {
			break
		}
	}
	return a, b
}

// sigmoid is the problem.
type sigmoid struct {
	score, target, weight []float64
	positive, negative    float64 // weights
}

func newSigmoid(scores []float64, positive []bool, weight []float64) *sigmoid {
	f := &sigmoid{score: scores, weight: weight}
	f.target, f.positive, f.negative = Smoothed(positive, weight)
	return f
}

// value is F.
func (f *sigmoid) value(a, b float64) float64 {
	var sum vec.Sum
	for i, s := range f.score {
		z := float64(a*s) + b
		sum.Add(weightOf(f.weight, i) * (float64(f.target[i]*z) + elementary.Softplus(-z)))
	}
	return sum.Value()
}

// slopes are the first and second derivatives of F.
type slopes struct{ a, b, aa, ab, bb float64 }

func (f *sigmoid) slope(a, b float64) slopes {
	s := slopes{aa: ridge, bb: ridge}
	for i, x := range f.score {
		p, w := elementary.Sigmoid(-(float64(a*x) + b)), weightOf(f.weight, i)
		curve, apart := float64(w*float64(p*(1-p))), float64(w*(f.target[i]-p))
		s.aa += float64(curve * float64(x*x))
		s.ab += float64(curve * x)
		s.bb += curve
		s.a += float64(apart * x)
		s.b += apart
	}
	return s
}
