package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// The state with a background is dense projected SGD on the regularised objective.
func TestRMSGIsDense(t *testing.T) {
	const d, k, steps = 12, 3, 200
	for _, lambda := range []float64{0.05, 1. / 12, 0.5, 3} {
		worst, background := 0.0, 0.0
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(60, seed))
			s := RMSG{Lambda: lambda}.Start(method.Problem{Cols: d, K: k, Seed: seed}).(*rmsg)
			twin := newDenseMSG(d, k, s.a.Directions(k))
			for step := 1; step <= steps; step++ {
				x := sphere(rng, d)
				s.learn(x)
				algebra.Scale(twin.m, 1-1/float64(step))
				pcatest.AddOuter(twin.m, 1/(lambda*float64(step)), x)
				twin.step(0, x)
				worst = max(worst, pcatest.LargestDifference(s.a.dense(), twin.m))
				background = max(background, s.a.Background)
			}
		}
		t.Logf("lambda %.3g: worst difference %.2g, largest background %.2g", lambda, worst, background)
		if worst > 1e-12 {
			t.Errorf("lambda %g: differs from dense projected SGD by %g", lambda, worst)
		}
	}
}

// Strong convexity: |M - M*|^2 falls like 1/t^2 or nearly, for a lambda below the
// gap, at most like 1/t.
func TestRMSGRate(t *testing.T) {
	const k, n = 2, 16000
	x, sigma := pcatest.Simulated("gaussian", k, n, 1)
	s := RMSG{Lambda: 0.1}.Start(method.Problem{Cols: pcatest.SimulatedCols, K: k, Squared: 1, Fourth: 1}).(*rmsg)
	want := make([]float64, pcatest.SimulatedCols*pcatest.SimulatedCols)
	for i := range k {
		want[i*pcatest.SimulatedCols+i] = 1
	}
	var errors []float64
	for done, next := 0, 1000; next <= n; done, next = next, 4*next {
		s.Learn(x.Part(done, next))
		sum := 0.0
		for i, v := range s.a.dense() {
			sum += (v - want[i]) * (v - want[i])
		}
		errors = append(errors, sum)
	}
	t.Logf("|M-M*|^2 at 1000, 4000, 16000 rows: %.2g; last error %.2g", errors, pcatest.Missed(s.Basis(), k, sigma))
	if !(errors[2] < errors[0]/8) || math.IsNaN(errors[0]) {
		t.Errorf("|M-M*|^2 = %v, expected to fall at least by 8 while t grows by 16", errors)
	}
}
