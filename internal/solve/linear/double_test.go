package linear

import (
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestReadsDouble: the solvers that say so prove a gap of rows of double precision which the rounded rows are too far
// from: of those the same weights are worse by more.
func TestReadsDouble(t *testing.T) {
	const gap = 1e-12
	for _, name := range []string{"newton", "covariance"} {
		proved := 0
		draw.Each(t, func(t *testing.T, l loss.Loss, spec string, bias problem.Bias) {
			for _, sparse := range []bool{true, false} {
				p := draw.Doubled(draw.Problem(l, spec, bias, 300, 8, sparse))
				if !ReadsDouble(p, name) || must(New(name)).Accepts(p) != nil {
					continue
				}
				s, err := solver.Run(context.Background(), must(New(name)), p, solver.Options{Gap: gap, Epochs: 5000})
				if err != nil {
					t.Fatal(err)
				}
				if got := s.Certificate.Relative(); !(got <= 20*gap) {
					t.Errorf("%s, %T, %s, %v, sparse %v: found the gap %.2g (%v), expected %g", name, l, spec, bias, sparse, got, s.Done, gap)
				}
				proved++
			}
		})
		if proved == 0 {
			t.Errorf("%s takes no problem", name)
		}
	}
}

// TestChooseDouble: a solver that reads rows of double precision is chosen where one accepts the problem and there are
// few features, or a cheap matrix; else what is chosen for rows of single precision.
func TestChooseDouble(t *testing.T) {
	for _, c := range []struct {
		loss       loss.Loss
		penalty    string
		rows, cols int
		name       string // "": that of single precision
	}{
		{loss.Squared{}, "l2", 300, 8, "newton"},
		{loss.Logistic{}, "l2", 20, 200, "newton"},
		{loss.Squared{}, "l1", 20, 30, "covariance"},
		{loss.Squared{}, "elastic-net", 300, 8, "covariance"},
		{loss.Hinge{}, "l2", 300, 8, ""},
		{loss.Logistic{}, "l1", 300, 8, ""},
		{loss.Squared{}, "l2", 10, 1000, ""},
		{loss.Squared{}, "l1", 10, hessian.MostColumns + 1, ""},
	} {
		p := draw.Problem(c.loss, "l2", problem.Free, c.rows, c.cols, true)
		p.Penalty = must(penalty.New(c.penalty))
		want, _ := Choose(p, 1e-3)
		if c.name != "" {
			want = c.name
		}
		p = draw.Doubled(p)
		if got, why := Choose(p, 1e-3); got != want || ReadsDouble(p, got) != (c.name != "") || !matrix.IsDouble(p.X) {
			t.Errorf("%T, %s, %d x %d: chose %s (%s), expected %s", c.loss, c.penalty, c.rows, c.cols, got, why, want)
		}
	}
}
