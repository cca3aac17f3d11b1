package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// definition holds the objectives of the thesis in their own words: alpha with the
// label inside of the sum, c = Q alpha.
type definition struct {
	q [][]float64
	y []float64
}

func defined(p *problem.Kernel) definition {
	d := definition{y: p.Y}
	for i, yi := range p.Y {
		row := make([]float64, len(p.Y))
		for j, yj := range p.Y {
			u, v := p.X.Row(i).Value, p.X.Row(j).Value
			a, b := float64(u[0])-float64(v[0]), float64(u[1])-float64(v[1])
			row[j] = yi * yj * (math.Exp(-(a*a+b*b)/2) + p.Constant()) // gamma is 1/2
		}
		d.q = append(d.q, row)
	}
	return d
}

func (d definition) responses(alpha []float64) (c []float64, squared float64) {
	c = make([]float64, len(alpha))
	for i := range c {
		for j, a := range alpha {
			c[i] += d.q[i][j] * a
		}
		squared += alpha[i] * c[i]
	}
	return c, squared
}

func (d definition) hinge(c []float64, b float64) (mean float64) {
	for i, y := range d.y {
		mean += max(0, 1-(c[i]+y*b)) / float64(len(c))
	}
	return mean
}

// primal is (1.3), and with b (1.6).
func (d definition) primal(lambda float64, alpha []float64, b float64) float64 {
	c, squared := d.responses(alpha)
	return lambda/2*squared + d.hinge(c, b)
}

// dual is (1.5).
func (d definition) dual(alpha []float64) (value float64) {
	_, squared := d.responses(alpha)
	for _, a := range alpha {
		value += a
	}
	return value - squared/2
}

// level is (2.1) and with a free bias (2.11), by bisection: sum_i max(0, gamma -
// c_i) = n nu, at the bias that a ternary search finds.
func (d definition) level(c []float64, nu float64, free bool) float64 {
	at := func(b float64) float64 {
		lo, hi := -1e3, 1e3
		for range 200 {
			middle, sum := (lo+hi)/2, 0.0
			for i, y := range d.y {
				sum += max(0, middle-c[i]-y*b)
			}
			if sum > float64(len(c))*nu {
				hi = middle
			} else {
				lo = middle
			}
		}
		return lo
	}
	if !free {
		return at(0)
	}
	lo, hi := -50.0, 50.0
	for range 200 {
		l, r := lo+(hi-lo)/3, hi-(hi-lo)/3
		if at(l) < at(r) {
			lo = l
		} else {
			hi = r
		}
	}
	return at(lo)
}

// signed returns the coefficients y_i alpha_i, followed by b; dual variables are
// -lambda n times them.
func (d definition) signed(alpha []float64, b float64) []float64 {
	w := make([]float64, len(alpha)+1)
	for i, a := range alpha {
		w[i] = d.y[i] * a
	}
	w[len(alpha)] = b
	return w
}

// The objectives (1.3) to (1.6), (2.1) and (2.11) and the dual of each are what
// their definitions say, and of 1000 random feasible alpha none has a lambda D(alpha)
// above any P, or above the optimum (F5).
func TestObjectives(t *testing.T) {
	t.Parallel()
	const n, lambda, nu = 25, 1.0 / 25, 0.1
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		p := kerneltest.Machine(t, n, lambda, bias)
		d := defined(p)
		slack, err := problem.NewSlack(p.Gram, p.Y, nu, bias)
		if err != nil {
			t.Fatal(err)
		}
		best := kerneltest.Run(t, dual.Working{}, p, solver.Options{Gap: 1e-10}).Certificate.Primal
		random := rand.New(rand.NewPCG(3, uint64(bias)))
		least, most := math.Inf(1), math.Inf(-1)
		for range kerneltest.Thorough(1000, 100) {
			alpha := feasible(random, p)
			c, squared := d.responses(alpha)
			b := 0.0
			switch bias {
			case problem.Free:
				b = random.NormFloat64()
			case problem.Feature:
				for i, a := range alpha {
					b += p.Y[i] * a
				}
			}
			w := d.signed(alpha, b)
			a := make([]float64, n)
			for i := range a {
				a[i] = -lambda * n * w[i]
			}
			added := b // where it is not a part of c
			if bias == problem.Feature {
				added = 0
			}
			cert := p.Certify(problem.Point{W: w, A: a})
			primal, dual := d.primal(lambda, alpha, added), lambda*d.dual(alpha)
			near(t, "(1.3), (1.6)", cert.Primal, primal)
			near(t, "(1.5)", cert.Dual, dual)
			least, most = min(least, cert.Primal), max(most, cert.Dual)

			ball, err := problem.NewNormConstrained(p.Gram, p.Y, nil, loss.Hinge{}, 1+math.Sqrt(squared), bias)
			if err != nil {
				t.Fatal(err)
			}
			cert = ball.Certify(problem.Point{W: w, A: a})
			near(t, "(1.4)", cert.Primal, d.hinge(c, added))
			sum := 0.0
			for _, x := range alpha {
				sum += x
			}
			near(t, "the dual of (1.4)", cert.Dual, lambda*(sum-ball.Radius*math.Sqrt(squared)))

			inside := 1 / (1 + math.Sqrt(squared))
			for i := range w {
				w[i] *= inside
			}
			for i := range c {
				c[i] *= inside
			}
			cert = slack.Certify(problem.Point{W: w, A: a})
			for i, y := range p.Y {
				c[i] += y * added * inside
			}
			near(t, "(2.1)", -cert.Primal, d.level(c, nu, false))
			near(t, "the dual of (2.1)", -cert.Dual, (math.Sqrt(squared)+n*nu*slices.Max(alpha))/sum)
			if bias == problem.Free && random.IntN(20) == 0 {
				var filling water.Filling
				level, _ := slack.Level(&filling, c)
				near(t, "(2.11)", level, d.level(c, nu, true))
			}
		}
		if most > best || least < best*(1-1e-9) || most > least {
			t.Errorf("%v: the largest dual is %v, the least primal %v, the optimum %v", bias, most, least, best)
		}
	}
}

// feasible draws from the box of (1.5), many numbers at its ends; with a free bias
// sum_i y_i alpha_i = 0.
func feasible(random *rand.Rand, p *problem.Kernel) []float64 {
	c := 1 / (p.Lambda * p.N)
	alpha := make([]float64, len(p.Y))
	var sums [2]float64
	for i := range alpha {
		alpha[i] = c * min(1, max(0, 2*random.Float64()-0.5))
		sums[int(p.Y[i]+1)/2] += alpha[i]
	}
	if p.Bias == problem.Free {
		for i := range alpha {
			alpha[i] *= min(sums[0], sums[1]) / sums[int(p.Y[i]+1)/2]
		}
	}
	return alpha
}

// near compares a value with its definition; bounds on rounding are part of it.
func near(t *testing.T, what string, found, expected float64) {
	t.Helper()
	if !(math.Abs(found-expected) <= 1e-10*max(1, math.Abs(expected))) {
		t.Fatalf("%s: %.15g, by definition %.15g", what, found, expected)
	}
}

// Where SDCA and SMO end the gap is below 1e-9 (F5), and both at one value, which
// for the steps of largest gain is the same to 1e-9 (T4).
func TestGapCloses(t *testing.T) {
	for _, c := range []struct {
		bias    problem.Bias
		solvers []solver.Solver
	}{
		{problem.None, []solver.Solver{engine.SDCA{}, dual.SMO{Selection: "gain"}, dual.SMO{Selection: "second"}, dual.Decomposition{Q: 10}, dual.Working{}}},
		{problem.Feature, []solver.Solver{engine.SDCA{}, dual.SMO{Selection: "gain"}, dual.SMO{Selection: "second"}, dual.Decomposition{Q: 10}, dual.Working{}}},
		{problem.Free, []solver.Solver{dual.SMO{Selection: "second"}, dual.SMO{Selection: "first"}, dual.SMO{Selection: "gain"}, dual.Decomposition{Q: 10}, dual.Working{}}},
	} {
		p := kerneltest.Machine(t, 200, 1.0/200, c.bias)
		d, first := defined(p), math.NaN()
		for k, s := range c.solvers {
			sol := kerneltest.Run(t, s, p, solver.Options{Gap: 1e-10})
			if gap := sol.Certificate.Gap(); sol.Status != solver.Converged && sol.Status != solver.Stalled || gap > 1e-9 {
				t.Errorf("%v, %T%+v: %s at gap %g", c.bias, s, s, sol.Status, gap)
			}
			alpha := make([]float64, 200)
			for i, a := range sol.Point.A {
				alpha[i] = -p.Y[i] * a / (p.Lambda * p.N)
			}
			if value := p.Lambda * d.dual(alpha); k == 0 {
				first = value
			} else if math.Abs(value-first) > 1e-9 {
				t.Errorf("%v, %T%+v: the dual is %.12g, that of %T %.12g", c.bias, s, s, value, c.solvers[0], first)
			}
		}
	}
}
