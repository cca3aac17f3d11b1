package problem_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
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

// A bias that is a part of w is brought inside with it, another one stays as it is.
func TestInsideKeepsTheBias(t *testing.T) {
	x, err := matrix.NewDense(2, 1, []float32{1, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	gram, err := gram.NewGram(kernel.Linear{}, x, gram.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for bias, want := range map[problem.Bias]float64{problem.None: 3, problem.Free: 3, problem.Feature: 0.6} {
		p, err := problem.NewNormConstrained(gram, []float64{1, -1}, nil, loss.Hinge{}, 1, bias)
		if err != nil {
			t.Fatal(err)
		}
		w := p.Inside([]float64{4, 0, 3})
		if norm := math.Hypot(w[0], float64(w[2]*p.Constant())); math.Abs(w[2]-want) > 1e-12 || math.Abs(norm-1) > 1e-12 {
			t.Errorf("bias %v: found %v of norm %g, expected the bias %g and the norm 1", bias, w, norm, want)
		}
	}
}
