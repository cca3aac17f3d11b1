package path

import (
	"context"
	"math"
	"slices"
	"testing"

	kernelridge "github.com/fenchel-ml/fenchel/internal/solve/kernel/ridge"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// K10: every machine is that of a factorisation, and what a row would be predicted to be by all
// others is what a machine of these predicts, with any bias and weights: to 1e-10.
func TestRidge(t *testing.T) {
	for seed := range uint64(60) {
		p := random(t, seed, 25)
		p, err := problem.NewKernel(p.Gram, p.Y, p.S, loss.Squared{}, 1, p.Bias)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range follow(t, Ridge{From: 0.01, To: 100, Points: 4}, p) {
			want := exact(t, at(p, b.C))
			if got := b.Certificate; math.Abs(got.Primal-want.Certificate.Primal) > 1e-10*(1+got.Primal) || got.Gap() > 1e-9*got.Zero {
				t.Errorf("seed %d, C %g: objective %.12g, gap %g, expected %.12g", seed, b.C, got.Primal, got.Gap(), want.Certificate.Primal)
			}
			for i := range p.Len() {
				if p.Len() == 1 {
					break
				}
				if without := predictWithout(t, p, i, b.C); math.Abs(without-b.LeftOut[i]) > 1e-10*(1+b.C) {
					t.Fatalf("seed %d, C %g, row %d: %.13g, without it %.13g", seed, b.C, i, b.LeftOut[i], without)
				}
			}
		}
	}
}

func exact(t *testing.T, p *problem.Kernel) *solver.Solution {
	t.Helper()
	sol, err := solver.Run(context.Background(), kernelridge.Cholesky{}, p, solver.Options{Gap: 1e-14, Epochs: 20})
	if err != nil {
		t.Fatal(err)
	}
	return sol
}

// predictWithout trains on all rows but one, and predicts that.
func predictWithout(t *testing.T, p *problem.Kernel, row int, c float64) float64 {
	t.Helper()
	var rest []int
	var y, s []float64
	for i := range p.Len() {
		if i != row {
			rest, y, s = append(rest, i), append(y, p.Y[i]), append(s, p.S[i])
		}
	}
	gram, err := p.Part(rest)
	if err != nil {
		t.Fatal(err)
	}
	q, err := problem.NewKernel(gram, y, s, loss.Squared{}, 1, p.Bias)
	if err != nil {
		t.Fatal(err)
	}
	sol := exact(t, at(q, c))
	value := sol.Point.W[len(rest)]
	for k, j := range rest {
		value += sol.Point.W[k] * p.Kernel.Eval(p.X.Row(j), p.X.Row(row))
	}
	return value
}

// Bad ranges and losses are refused.
func TestRefusals(t *testing.T) {
	p := random(t, 0, 20)
	for _, f := range []Follower{Ridge{1, 2, 3}, Costs{From: 0, To: 1}, Costs{From: 2, To: 1}, Costs{From: math.NaN(), To: 1}} {
		if f.Accepts(p) == nil {
			t.Errorf("%+v: expected an error", f)
		}
	}
	q, err := problem.NewKernel(p.Gram, p.Y, p.S, loss.Squared{}, 1, p.Bias)
	if err != nil {
		t.Fatal(err)
	}
	errs := []bool{(Ridge{1, 2, 0}).Accepts(q) != nil, (Ridge{1, 2, 3}).Accepts(q) == nil, (Costs{From: 1, To: 2}).Accepts(q) != nil}
	if slices.Contains(errs, false) {
		t.Errorf("found %v, expected all true", errs)
	}
}
