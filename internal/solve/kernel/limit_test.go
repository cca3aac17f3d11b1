package kernel

import (
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// limitCases are all solvers, each with a problem that keeps it busy.
var limitCases = []struct {
	spec    string
	problem func(*testing.T, *gram.Gram, []float64) problem.Problem
}{
	{"sdca", kerneltest.Regularised(problem.None)},
	{"sgd", kerneltest.InBall},
	{"pegasos", kerneltest.Regularised(problem.Feature)},
	{"pgs", kerneltest.Regularised(problem.Feature)},
	{"perceptron:passes=50", kerneltest.Regularised(problem.None)},
	{"sbp", kerneltest.WithSlack(problem.Free)},
	{"sbp:batch=5", kerneltest.Regularised(problem.None)},
	{"ramp", kerneltest.Ramped(-1, problem.None)},
	{"rbp:budget=20,passes=50", kerneltest.Regularised(problem.None)},
	{"forgetron:budget=20,passes=50", kerneltest.Regularised(problem.None)},
	{"smo", steep(loss.Hinge{}, problem.Free)},
	{"smo", steep(loss.Hinge{}, problem.None)},
	{"decomposition", steep(loss.Hinge{}, problem.Free)},
	{"working:q=64", steep(loss.Hinge{}, problem.Free)},
	{"working:q=64", steep(loss.Logistic{}, problem.Feature)},
	{"working", steep(loss.Logistic{}, problem.Free)},
	{"nu:q=64", withNu},
	{"cholesky", steep(loss.Squared{}, problem.Free)},
	{"active-set", steep(loss.Hinge{}, problem.Free)},
	{"interior-point", steep(loss.Hinge{}, problem.Free)},
	{"interior-point:rank=20", steep(loss.Hinge{}, problem.None)},
	{"hard-margin", withoutSlack},
	{"root", kerneltest.InBall},
	{"root", kerneltest.WithSlack(problem.Free)},
	{"decomposition:inner=gradient,shrinking=on", steep(loss.Hinge{}, problem.Free)},
	{"accelerated", steep(loss.Hinge{}, problem.None)},
	{"cutting-plane", steep(loss.Hinge{}, problem.None)},
}

func steep(l loss.Loss, bias problem.Bias) func(*testing.T, *gram.Gram, []float64) problem.Problem {
	return func(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
		p, err := problem.NewKernel(gram, y, nil, l, 1e-7, bias)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func withoutSlack(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
	p, err := problem.NewSlack(gram, y, 0, problem.Free)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func withNu(t *testing.T, gram *gram.Gram, y []float64) problem.Problem {
	p, err := problem.NewNuClassification(gram, y, nil, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// counting is a kernel that counts its values.
func counting(values *atomic.Int64) kernel.Func {
	rbf := kernel.RBF{Gamma: 1}
	return kernel.Func{
		Value:   func(x, y matrix.Vector) float64 { values.Add(1); return rbf.Eval(x, y) },
		Largest: rbf.Size, Rounding: rbf.Relative,
	}
}

// TestAllAreHeard: the table has every solver.
func TestAllAreHeard(t *testing.T) {
	for _, e := range Entries() {
		if !slices.ContainsFunc(limitCases, func(c struct {
			spec    string
			problem func(*testing.T, *gram.Gram, []float64) problem.Problem
		}) bool {
			name, _, _ := strings.Cut(c.spec, ":")
			return name == e.Name
		}) {
			t.Errorf("%s: not in the table", e.Name)
		}
	}
}

// TestLimitIsHeard: once a limit is reached, in the middle of whatever it is, an epoch
// computes few values of the kernel more, and leaves a point that can be judged, with no
// more support than was said.
func TestLimitIsHeard(t *testing.T) {
	x, y := kerneltest.Toy(kerneltest.Nightly(400, 160))
	for _, c := range limitCases {
		for asks := 1; asks < 3000; asks = asks*5 + 1 {
			if !heard(t, c.spec, c.problem, x, y, asks) {
				break // the run ended before
			}
		}
	}
}

// heard runs a solver until it has asked so often.
func heard(t *testing.T, spec string, build func(*testing.T, *gram.Gram, []float64) problem.Problem, x matrix.Matrix, y []float64, most int) bool {
	t.Helper()
	var values, asks, at atomic.Int64
	gram, err := gram.NewGram(counting(&values), x, gram.Options{Threads: 2, Cache: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	gram.Definite()
	p := build(t, gram, y)
	s, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	over := func() bool {
		if asks.Add(1) == int64(most) {
			at.Store(values.Load())
		}
		return asks.Load() >= int64(most)
	}
	gram.StopWhen(over)
	var support solver.Support
	state := s.Start(p, solver.Start{Seed: 1, Over: over, Support: &support})
	for epoch := 0; asks.Load() < int64(most); epoch++ {
		if epoch == 50 {
			return false
		}
		state.Epoch()
	}
	// A piece of work between two looks: 16 rows with as many as a tile holds, by each of
	// two goroutines, or 64 steps of which a row is kept.
	if more := values.Load() - at.Load(); more > 2*16*64+1000 {
		t.Errorf("%s, asked %d times: %d values of the kernel once the limit was reached", spec, most, more)
	}
	gram.StopWhen(nil)
	const tolerance = 2 // dual variables of a row that was cut short
	all, spared := support.Rows()
	before := values.Load()
	certificate := p.Certify(state.Point())
	used := values.Load() - before
	if math.IsNaN(certificate.Primal) || certificate.Dual > certificate.Primal || used > int64((all+tolerance)*gram.Len()) {
		t.Errorf("%s, asked %d times: %+v with %d values, expected %d rows at most", spec, most, certificate, used, all)
	}
	support.Spare = true
	before = values.Load()
	certificate = p.Certify(state.Point())
	if used = values.Load() - before; math.IsNaN(certificate.Primal) || certificate.Dual > certificate.Primal || used > int64((spared+tolerance)*gram.Len()) {
		t.Errorf("%s, asked %d times, spared: %+v with %d values, expected %d rows at most", spec, most, certificate, used, spared)
	}
	return true
}

// TestCertificateIsCut: a certificate that a limit cuts short promises nothing that it
// has not computed, and the next one is whole again.
func TestCertificateIsCut(t *testing.T) {
	x, y := kerneltest.Toy(300)
	for name, build := range map[string]func(*testing.T, *gram.Gram, []float64) problem.Problem{
		"lambda": kerneltest.Regularised(problem.Free), "radius": kerneltest.InBall, "slack": kerneltest.WithSlack(problem.Free), "nu": withNu,
	} {
		gram, err := gram.NewGram(kernel.RBF{Gamma: 1}, x, gram.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := build(t, gram, y).(problem.Interruptible)
		point := problem.Point{W: make([]float64, len(y)+1), A: make([]float64, len(y))}
		for i, y := range y {
			point.W[i], point.A[i] = y/300, -y/2
		}
		whole := p.Certify(point)
		cuts := 0
		for most := 1; ; most++ {
			var asks atomic.Int64
			p.StopWhen(func() bool { return asks.Add(1) > int64(most) })
			c := p.Certify(point)
			if !p.Cut() {
				break
			}
			cuts++
			if !(math.IsNaN(c.Primal) || c.Primal == whole.Primal) || !math.IsInf(c.Dual, -1) {
				t.Errorf("%s, cut after %d looks: %+v, expected nothing that differs from %+v", name, most, c, whole)
			}
		}
		p.StopWhen(nil)
		if c := p.Certify(point); c.Primal != whole.Primal || c.Dual != whole.Dual || cuts == 0 {
			t.Errorf("%s: %+v after %d that were cut, before %+v", name, c, cuts, whole)
		}
	}
}
