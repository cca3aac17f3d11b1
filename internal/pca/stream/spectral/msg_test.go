package spectral

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/pcatest"
)

// Row 15: the low-rank state is dense projected SGD.
func TestMSGIsDense(t *testing.T) {
	const d, k, steps = 12, 3, 200
	worst := 0.0
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(15, seed))
		s := pcatest.StartOf(t, "msg:c=1", method.Problem{Cols: d, K: k, Seed: seed}).(*msg)
		twin := newDenseMSG(d, k, s.a.Directions(k))
		for step := 1; step <= steps; step++ {
			x := sphere(rng, d)
			s.step(x)
			twin.step(1/math.Sqrt(float64(step)), x)
			worst = max(worst, pcatest.LargestDifference(s.a.dense(), twin.m))
		}
	}
	t.Logf("worst difference %.2g", worst)
	if worst > 1e-12 {
		t.Errorf("differs from dense projected SGD by %g", worst)
	}
}

// Row 17: rank at most K, trace k, eigenvalues in [0, 1], after every step; and
// with K = d it is MSG.
func TestCappedMSGFeasible(t *testing.T) {
	const d, k, steps = 12, 3, 300
	for _, spec := range []string{"capped-msg:cap=3", "capped-msg", "capped-msg:cap=7", "capped-msg:cap=12", "capped-msg:schedule=constant,c=5"} {
		rng := rand.New(rand.NewPCG(17, 1))
		s := pcatest.StartOf(t, spec, method.Problem{Cols: d, K: k, Seed: 1}).(*msg)
		free := pcatest.StartOf(t, "msg", method.Problem{Cols: d, K: k, Seed: 1}).(*msg)
		for range steps {
			x := sphere(rng, d)
			s.step(x)
			free.step(x)
			values := s.Eigenvalues()
			if got := math.Abs(outside(values, 0) - k); len(values) > s.most || got > 1e-12 || values[0] > 1 || values[len(values)-1] < 0 {
				t.Fatalf("%s: eigenvalues %v", spec, values)
			}
		}
		if s.most == d && pcatest.LargestDifference(s.a.dense(), free.a.dense()) != 0 {
			t.Errorf("%s is not MSG", spec)
		}
	}
}

// The message of the thesis's chapter 6: on orthogonal data the incremental
// algorithm is wrong in 45 % of runs, and MSG with one direction more in none.
func TestCappedMSGIsNotStuck(t *testing.T) {
	t.Parallel()
	seeds, steps := uint64(50), 5000
	if testing.Short() {
		seeds = 10
	}
	var incremental, capped int
	worst := 0.0
	for seed := range seeds {
		x, sigma := pcatest.Simulated("orthogonal-exact", 1, steps, seed)
		p := method.Problem{Cols: pcatest.SimulatedCols, K: 1, Seed: seed, Squared: 1, Fourth: 1}
		a, b := pcatest.StartOf(t, "incremental", p), pcatest.StartOf(t, "capped-msg", p)
		a.Learn(x)
		b.Learn(x)
		if pcatest.Missed(a.Basis(), 1, sigma) > 1e-3 {
			incremental++
		}
		e := pcatest.Missed(b.Basis(), 1, sigma)
		if worst = max(worst, e); e > 1e-3 {
			capped++
		}
	}
	t.Logf("wrong: incremental %d, capped MSG %d of %d, worst of capped %.2g", incremental, capped, seeds, worst)
	if float64(incremental) < 0.4*float64(seeds) && !testing.Short() || capped > 0 {
		t.Errorf("wrong: incremental %d, capped MSG %d of %d: expected at least 40 %% and none", incremental, capped, seeds)
	}
}
