package linear

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/draw"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// TestChoose: what is chosen accepts the problem, for every loss, penalty, gap and lambda, of
// dense and sparse rows of many shapes, and the reason is given. Which choice is best is
// measured by TestRegret.
func TestChoose(t *testing.T) {
	chosen := map[string]bool{}
	draw.Each(t, func(t *testing.T, l loss.Loss, p string, bias problem.Bias) {
		for _, shape := range [][2]int{{400, 10}, {30, 20}, {10, 400}, {3, hessian.MostColumns + 1}} {
			for _, sparse := range []bool{true, false} {
				q := draw.Problem(l, "l2", bias, shape[0], shape[1], sparse)
				q.Penalty = must(penalty.New(p))
				for _, lambda := range []float64{1e-6, 1e-3, 1} {
					q.Lambda = lambda
					for _, gap := range []float64{1e-2, 1e-6} {
						name, why := Choose(q, gap)
						chosen[name] = true
						if _, smooth := l.(loss.Curved); p == "l1" && !smooth {
							continue // no solver takes it, and cd says so
						}
						if err := must(New(name)).Accepts(q); err != nil || why == "" {
							t.Errorf("%T, %s, %v: chose %s (%q), which says %v", l, p, shape, name, why, err)
						}
					}
				}
			}
		}
	})
	for _, name := range []string{"sdca", "newton", "cd"} {
		if !chosen[name] {
			t.Errorf("%s is never chosen", name)
		}
	}
}

// TestChooseGram: few dense rows with many columns are solved on their inner products if the loss has
// a corner; not with few columns, nor many rows, nor a smooth loss.
func TestChooseGram(t *testing.T) {
	for _, c := range []struct {
		loss       loss.Loss
		rows, cols int
		gram       bool
	}{
		{loss.Hinge{}, 500, 450, true},
		{loss.Hinge{}, 500, 100, false},
		{loss.Hinge{}, 1900, 450, false},
		{loss.Logistic{}, 500, 450, false},
	} {
		q := draw.Problem(c.loss, "l2", problem.Free, c.rows, c.cols, false)
		if name, why := Choose(q, 1e-3); (name == "gram") != c.gram {
			t.Errorf("%T, %d x %d rows: chose %s (%s), expected gram: %v", c.loss, c.rows, c.cols, name, why, c.gram)
		}
	}
}
