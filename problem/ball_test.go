package problem_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// onBall returns the least value over w in a ball and b, by one golden-section search inside the other.
func (q small) onBall(norm int, radius float64) float64 {
	w := make([]float64, len(q.x[0])+1)
	var search func(k int, room float64) float64
	search = func(k int, room float64) float64 {
		if k == len(w)-1 {
			q.lambda = 0
			return q.nested(w, k, 0)
		}
		at, value := golden(-room, room, func(v float64) float64 {
			w[k] = v
			rest := room - math.Abs(v)
			if norm == 2 {
				rest = math.Sqrt(max(0, room*room-v*v))
			}
			return search(k+1, rest)
		})
		w[k] = at
		return value
	}
	return search(0, radius)
}

// TestBallAgainstSlowOptimum examines certificates of problems with a bound on the norm, also at points
// outside of the ball.
func TestBallAgainstSlowOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 24))
	for trial, spec := range losses {
		for _, norm := range []int{1, 2} {
			for _, shape := range [][2]int{{1, 1}, {8, 1}, {5, 2}} {
				q := random(r, must(loss.New(spec)), "l2", problem.Bias(trial%2), shape[0], shape[1])
				radius := math.Exp(r.NormFloat64())
				b := must(penalty.NewBall(must(penalty.New([]string{"l1", "l2"}[norm-1])), radius))
				p := q.problem(trial%2 == 0)
				p.Penalty, p.Lambda = b, 1
				if err := conform.Certificate(p, q.onBall(norm, radius)); err != nil {
					t.Errorf("norm %d, radius %g, %v:\n%v", norm, radius, q, err)
				}
			}
		}
	}
}
