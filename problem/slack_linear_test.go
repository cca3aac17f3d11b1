package problem_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// slackened is a problem of the linear predictor with slack whose maximum is known:
// 1/|w| of the optimum for a lambda, with the point on the sphere that proves it.
func slackened(t *testing.T, r *rand.Rand, bias problem.Bias, rows, cols int) (q small, p *problem.LinearSlack, most float64, at problem.Point) {
	t.Helper()
	for {
		q = random(r, loss.Hinge{}, "l2", bias, rows, cols)
		for i := range q.s {
			q.s[i] = 1
		}
		q.y[0], q.y[1] = 1, -1
		l := q.problem(false)
		sol := must(solver.Run(context.Background(), dual.SDCA{}, l, solver.Options{Gap: 1e-11, Epochs: 20000, Seed: 1}))
		squared := 0.0
		for _, x := range sol.Point.W[:l.Penalised()] {
			squared += x * x
		}
		norm := math.Sqrt(squared)
		if sol.Certificate.Relative() > 1e-9 || norm < 0.1 {
			continue // an optimum of about zero has no direction
		}
		nu := (sol.Certificate.Primal - q.lambda/2*squared) / norm
		for j := range sol.Point.W {
			sol.Point.W[j] /= norm
		}
		return q, must(problem.NewLinearSlack(problem.NewRows(l.X, 1), q.y, max(0, nu), bias)), 1 / norm, sol.Point
	}
}

// TestLinearSlackCertificate examines certificates at the optimum and far from it,
// and compares them with those of the linear kernel, whose G is no better.
func TestLinearSlackCertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 21))
	for _, bias := range []problem.Bias{problem.None, problem.Feature, problem.Free} {
		for trial := range 12 {
			q, p, most, at := slackened(t, r, bias, 2+trial, 1+trial%3)
			if err := conform.Certificate(p, -most, at); err != nil {
				t.Errorf("%v: %v\n%v", bias, q, err)
			}
			gram := must(gram.NewGram(kernel.Linear{}, p.X, gram.Options{Double: true}))
			twin := must(problem.NewSlack(gram, p.Y, p.Nu, bias))
			for _, threads := range []int{1, 2} {
				again := must(problem.NewLinearSlack(problem.NewRows(p.X, threads), p.Y, p.Nu, bias)).Certify(at)
				if c := p.Certify(at); c.Primal != again.Primal || c.Dual != again.Dual {
					t.Errorf("%v: %d threads: %v, expected %v", bias, threads, again, c)
				}
			}
			for range 50 {
				beta, a := make([]float64, len(p.Y)+1), make([]float64, len(p.Y))
				for i := range a {
					beta[i], a[i] = r.NormFloat64(), -p.Y[i]*r.Float64()
				}
				w, _ := p.Combine(beta[:len(p.Y)])
				last := len(w) - 1
				switch bias {
				case problem.None:
					w[last] = 0
				case problem.Free:
					w[last] = r.NormFloat64()
				}
				beta[len(p.Y)] = w[last]
				c, k := p.Certify(problem.Point{W: w, A: a}), twin.Certify(problem.Point{W: beta, A: a})
				if math.Abs(c.Primal-k.Primal) > 1e-11*(1+math.Abs(k.Primal)) || c.Dual < k.Dual-1e-11*(1+math.Abs(k.Dual)) {
					t.Fatalf("%v: f %v, G %v, with the linear kernel %v and %v: %v", bias, -c.Primal, -c.Dual, -k.Primal, -k.Dual, q)
				}
				if c.Dual > -most+1e-9*most || c.Primal < -most*(1+1e-9)-1e-9 {
					t.Fatalf("%v: f %v, G %v, the maximum is %v: %v", bias, -c.Primal, -c.Dual, most, q)
				}
			}
			within, beyond := slices.Clone(at.W), slices.Clone(at.W)
			for j := range within {
				within[j], beyond[j] = within[j]/2, beyond[j]*8
			}
			if in, out := p.Inside(within), p.Inside(beyond); &in[0] != &within[0] || !(math.Abs(out[0]-beyond[0]/8) <= 1e-3*math.Abs(beyond[0])) {
				t.Errorf("%v: half the optimum is brought inside as %v, eight times it as %v, expected as it is and divided by 8", bias, in, out)
			}
			classifier, ok := p.Classifier(at.W)
			if !ok {
				t.Errorf("%v: no margin at the optimum", bias)
				continue
			}
			for j, x := range classifier {
				if math.Abs(x-at.W[j]/most) > 1e-6*(1+math.Abs(x)) {
					t.Errorf("%v: the classifier is %v, expected %v times %v", bias, classifier, 1/most, at.W)
				}
			}
		}
	}
}

// TestCorrectionsStaySmall: at the maximum no correction exceeds what the bound on
// G takes for granted, also where nearly all rows are under water, or all of the
// rarer class.
func TestCorrectionsStaySmall(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 22))
	var filling water.Filling
	for range 3000 {
		n := 2 + r.IntN(12)
		c, y := make([]float64, n), make([]float64, n)
		for i := range c {
			c[i], y[i] = 2*r.Float64()-1, 1 // |w|, |x_i| <= 1
			if r.IntN(4) == 0 {
				y[i] = -1
			}
		}
		y[0], y[1] = 1, -1
		nu := 3 * r.Float64() * r.Float64()
		positive := 0
		for _, y := range y {
			positive += int(y+1) / 2
		}
		level, _ := filling.Fill(c, nil, float64(n)*nu)
		if most := level - slices.Min(c); most > 2+nu {
			t.Fatalf("%v, nu %v: a correction of %v, expected %v at most", c, nu, most, 2+nu)
		}
		level, b := filling.Fill(c, y, float64(n)*nu)
		for i := range c {
			if x, most := level-c[i]-y[i]*b, 4+float64(n)*nu/float64(min(positive, n-positive)); x > most {
				t.Fatalf("%v, %v, nu %v: a correction of %v, expected %v at most", c, y, nu, x, most)
			}
		}
	}
}

// TestLowest: the rows covered are the k lowest, and ties share what is left, also
// where a search begins where the last one ended.
func TestLowest(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 23))
	var used water.Filling
	for trial := range 300 {
		n := 1 + r.IntN(12)
		if trial >= 200 {
			n = 3000
		}
		c := make([]float64, n)
		for i := range c {
			c[i] = math.Round(4*r.NormFloat64()) + float64(r.IntN(2))*r.Float64()
		}
		k := 1 + r.IntN(n)
		used.Lowest(c, k)
		sorted := slices.Sorted(slices.Values(c))
		parts, sum := make([]float64, n), 0.0
		used.Covered(func(i int, part float64) { parts[i], sum = part, sum+part })
		for i, part := range parts {
			if c[i] < sorted[k-1] && part != 1 || c[i] > sorted[k-1] && part != 0 || part < 0 || part > 1 {
				t.Fatalf("%d rows, the %d lowest: row of height %v has the part %v", n, k, c[i], part)
			}
		}
		if math.Abs(sum-float64(k)) > 1e-9 {
			t.Fatalf("%d rows: the parts add up to %v, expected %d", n, sum, k)
		}
	}
}
