package column

import (
	"math"
	"testing"

	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestCovarianceIsCD: the same optimum as by the rows, to 1e-9, for every bias, weights of rows, columns that depend on
// each other and such that are far apart in size; and a warm start stays where it is.
func TestCovarianceIsCD(t *testing.T) {
	random := rand.New(rand.NewPCG(44, 1))
	const n, d = 400, 12
	value, y, weights := make([]float32, n*d), make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range d {
			value[i*d+j] = float32(random.NormFloat64())
		}
		value[i*d+3] = value[i*d+1] + value[i*d+2] // dependent
		value[i*d+5] = 0
		value[i*d+6] = value[i*d+6]*100 + 300
		value[i*d+7] /= 1000
		y[i] = float64(2*value[i*d]-value[i*d+4]) + random.NormFloat64()
		weights[i] = 1 + float64(i%3)
	}
	rows := problem.NewRows(&matrix.Dense{Rows: n, Cols: d, Value: value}, 2)
	for _, bias := range []problem.Bias{problem.Free, problem.Feature, problem.None} {
		for _, spec := range []string{"l1", "elastic-net:ratio=0.5"} {
			for _, lambda := range []float64{1, 0.3, 0.15, 0.05, 0.02, 0.01, 1e-3, 1e-5} { // weights leave on the way
				pen, err := penalty.New(spec)
				if err != nil {
					t.Fatal(err)
				}
				p, err := problem.NewLinear(rows, y, weights, loss.Squared{}, pen, lambda, bias)
				if err != nil {
					t.Fatal(err)
				}
				found, err := solver.Run(t.Context(), Covariance{}, p, solver.Options{Gap: 1e-9})
				if err != nil || found.Status != solver.Converged {
					t.Fatalf("%s, %s, lambda %g: %v, %v after %d epochs", bias, spec, lambda, found.Status, err, found.Epochs)
				}
				want, err := solver.Run(t.Context(), CD{}, p, solver.Options{Gap: 1e-9})
				if err != nil {
					t.Fatal(err)
				}
				if a, b := found.Certificate.Primal, want.Certificate.Primal; math.Abs(a-b) > 2e-9*b {
					t.Errorf("%s, %s, lambda %g: objective %v, by rows %v", bias, spec, lambda, a, b)
				}
				again, err := solver.Run(t.Context(), Covariance{}, p, solver.Options{Gap: 1e-9, From: &found.Point})
				if err != nil || again.Epochs > 1 {
					t.Errorf("%s, %s, lambda %g: a start at the optimum takes %d epochs", bias, spec, lambda, again.Epochs)
				}
			}
		}
	}
}

// TestCovarianceEnds: a run without a goal or limit reports an end once rounding errors keep the gap from falling further.
func TestCovarianceEnds(t *testing.T) {
	const n, d = 13, 6
	random := rand.New(rand.NewPCG(44, 3))
	value, y := make([]float32, n*d), make([]float64, n)
	for i := range value {
		value[i] = float32(random.Float64())
	}
	for i := range y {
		y[i] = random.Float64()
	}
	for _, spec := range []string{"l1", "nonnegative", "elastic-net"} {
		pen, err := penalty.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.NewLinear(problem.NewRows(&matrix.Dense{Rows: n, Cols: d, Value: value}, 1), y, nil, loss.Squared{}, pen, 0.01, problem.None)
		if err != nil {
			t.Fatal(err)
		}
		s := Covariance{}.Start(p, solver.Start{}).(*covariance)
		for range 1000 {
			if s.Epoch(); s.Report().End != nil {
				break
			}
		}
		if s.Report().End == nil || !(p.Certify(s.Point()).Relative() < 1e-11) {
			t.Errorf("%s: found no end in 1000 epochs, or the gap %g", spec, p.Certify(s.Point()).Relative())
		}
	}
}

// TestCovarianceLeaves: weights that become 0 between steps over the columns in use are no longer among these.
func TestCovarianceLeaves(t *testing.T) {
	random := rand.New(rand.NewPCG(44, 2))
	for trial := range 300 {
		n, d := 60, 5
		value, y := make([]float32, n*d), make([]float64, n)
		for i := range n {
			for j := range d {
				value[i*d+j] = float32(random.NormFloat64())
				y[i] += float64(j) * float64(value[i*d+j])
			}
			y[i] += random.NormFloat64()
		}
		p, err := problem.NewLinear(problem.NewRows(&matrix.Dense{Rows: n, Cols: d, Value: value}, 1), y, nil, loss.Squared{}, penalty.L1{}, math.Pow(10, -3*random.Float64()), problem.Free)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := solver.Run(t.Context(), Covariance{}, p, solver.Options{Gap: 1e-10}); err != nil || found.Status != solver.Converged {
			t.Fatalf("trial %d, lambda %g: %v, %v", trial, p.Lambda, found.Status, err)
		}
	}
}

// TestViolationOfZero: a weight 0 that must not be negative is at a minimum where the slope is at least minus the corner.
func TestViolationOfZero(t *testing.T) {
	rows, err := matrix.NewDense(1, 1, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewLinear(problem.NewRows(rows, 1), []float64{1}, nil, loss.Squared{}, penalty.NonnegativeL1{}, 1, problem.None)
	if err != nil {
		t.Fatal(err)
	}
	for slope, want := range map[float64]float64{-3: 2, -1: 0, 0: 0, 5: 0} {
		s := &covariance{p: p, nonnegative: true, corner: 1, w: []float64{0, 0}, g: []float64{slope, 0}}
		cd := &cd{p: p, nonnegative: true, corner: 1}
		if a, b := s.violation(0), cd.violation(0, 0, slope); a != want || b != want {
			t.Errorf("slope %g: violations %g by covariance and %g by cd, expected %g", slope, a, b, want)
		}
	}
}
