package linear

import (
	"testing"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// shaped is a problem of which only the shape is known: rows, columns, numbers a row.
func shaped(l loss.Loss, p penalty.Penalty, n, d, words int) *problem.Linear {
	q := &problem.Linear{Rows: &problem.Rows{X: &matrix.CSR{Cols: d, Start: make([]int64, n+1)}, Nonzeros: int64(n * words)}, Penalty: p}
	q.Loss = l
	return q
}

// TestUsualWork: what a usual run of the second solver is counted as, in numbers touched, by
// loss, penalty and shape.
func TestUsualWork(t *testing.T) {
	const wide = mostColumns + 904 // 5000 columns: conjugate gradients
	for name, c := range map[string]struct {
		p    *problem.Linear
		want float64
	}{
		"logistic, products":      {shaped(loss.Logistic{}, penalty.L2{}, 10000, wide, 50), 70 * (2.5*500e3 + 4*5000)},
		"squared hinge, products": {shaped(loss.SquaredHinge{}, penalty.L2{}, 10000, wide, 50), 105 * (2.5*500e3 + 4*5000)},
		"squared, sparse matrix":  {shaped(loss.Squared{}, penalty.L2{}, 1000, 600, 60), 30*60e3 + 600*600*600/6/16 + 8*60e3},
		"logistic, sparse matrix": {shaped(loss.Logistic{}, penalty.L2{}, 1000, 600, 60), 2 * (30*60e3 + 600*600*600/6/16 + 8*60e3)},
		"squared hinge, of dense": {shaped(loss.SquaredHinge{}, penalty.L2{}, 1000, 600, 600), 4 * (300*600e3/16 + 600*600*600/6/16 + 8*600e3)},
		"hinge, of dense":         {shaped(loss.Hinge{}, penalty.L2{}, 1000, 600, 600), 10 * (300*600e3/16 + 600*600*600/6/16 + 8*600e3)},
		"logistic, of columns":    {shaped(loss.Logistic{}, penalty.L1{}, 1000, 600, 60), 200 * 60e3},
		"logistic, of empty rows": {shaped(loss.Logistic{}, penalty.L1{}, 1000, 600, 0), 0},
	} {
		var second solver.Solver = Newton{}
		if _, l1 := c.p.Penalty.(penalty.L1); l1 {
			second = CD{}
		}
		if got := usualWork(c.p, second); got < 0.999*c.want || got > 1.001*c.want {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

// TestAscentWork: an epoch of dual ascent counts the rows that are awake, those with
// exponentials more, and the numbers in them.
func TestAscentWork(t *testing.T) {
	const n, words = 400, 10 // dense
	for name, c := range map[string]struct {
		p    *problem.Linear
		want float64
	}{
		"squared hinge": {generate(loss.SquaredHinge{}, "l2", problem.None, n, words, false), n * (2.5 + words + 90)},
		"logistic":      {generate(loss.Logistic{}, "l2", problem.None, n, words, false), n * (2.5 + words + 400)},
		"elastic-net":   {generate(loss.SquaredHinge{}, "elastic-net", problem.None, n, words, false), n * (2.5 + 16*words + 90)},
	} {
		l := ascentLeg(SDCA{}.Start(c.p, solver.Start{Seed: 1}).(*sdca))
		if got := l.epoch(); got != c.want {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
		for range 20 {
			l.epoch()
		}
		if got := l.epoch(); name == "squared hinge" && got > 0.8*c.want {
			t.Errorf("%s: %g with a third of the rows asleep, awake %g", name, got, c.want)
		}
	}
}
