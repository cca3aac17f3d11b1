package thesis

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/reduce"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// What chapter 3 of Cotter's thesis is about: on rows with wrong labels the support vectors of
// the optimum grow like the rows, those of the sparse machine made from it do not, because
// their bound 4 |w|^2 knows no rows. lambda stays the same, so that |w| does.
//
// The rows are points of the plane, y = sign(x_1 x_2 + 0.3 noise), kernel exp(-|x-x'|^2).
type thesisScaling struct{ lambda float64 }

func init() {
	experiment.Register("thesis-scaling", "Cotter's thesis, sections 1.2 and 3.2", "support vectors against rows, of the optimum and of the sparse machine made from it; lambda=0.002",
		func(p *registry.Params) (experiment.Experiment, error) {
			return thesisScaling{p.Float("lambda", 0.002, "a number > 0", func(v float64) bool { return v > 0 && v < 1 })}, p.Err()
		})
}

// Run implements Experiment.
func (e thesisScaling) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	sizes := []int{250, 500, 1000, 2000, 4000, 8000}
	if opt.Quick {
		sizes = sizes[:4]
	}
	runs := opt.RunsOr(5, 2)
	x, dense, sparse, norm := make([]float64, len(sizes)), make([]float64, len(sizes)), make([]float64, len(sizes)), make([]float64, len(sizes))
	progress := &experiment.Tally{Opt: opt, What: "machines", Of: runs * len(sizes)}
	for s, n := range sizes {
		x[s] = float64(n)
		for run := range runs {
			all, few, length, err := e.one(ctx, n, opt.Seed+uint64(run), opt.Threads)
			if err != nil {
				return nil, err
			}
			dense[s] += float64(all) / float64(runs)
			sparse[s] += float64(few) / float64(runs)
			norm[s] += length / float64(runs)
			progress.Step()
		}
	}
	r := &experiment.Result{}
	r.Note("lambda %g, means of %d runs; |w| is %.3g on %d rows and %.3g on %d", e.lambda, runs, norm[0], sizes[0], norm[len(norm)-1], sizes[len(sizes)-1])
	r.Curves(experiment.Point{XAxis: "rows" + experiment.LogAxis, YAxis: "support vectors" + experiment.LogAxis}, x, experiment.Named{Name: "optimum", Y: dense}, experiment.Named{Name: "aggressive", Y: sparse})
	slope := func(y []float64) float64 { return experiment.SlopeOf(x, y) }
	r.Check("X9", "support vectors of the optimum grow like the rows", "exponent 0.8 to 1.2", math.Abs(slope(dense)-1) <= 0.2, "%.2f", slope(dense))
	r.Check("X9", "those of the sparse machine do not", "exponent below 0.3", slope(sparse) < 0.3, "%.2f", slope(sparse))
	return r, nil
}

// one trains a machine, and makes it sparse.
func (e thesisScaling) one(ctx context.Context, n int, seed uint64, threads int) (dense, sparse int, norm float64, err error) {
	x, y := quadrants(n, seed)
	p, err := experiment.KernelMachine(kernel.RBF{Gamma: 1}, x, y, loss.Hinge{}, e.lambda, problem.Free, threads)
	if err != nil {
		return 0, 0, 0, err
	}
	s, err := experiment.Solve(ctx, dual.Working{}, p, solver.Options{Gap: 1e-4})
	if err != nil {
		return 0, 0, 0, err
	}
	race := &sparseRace{p: p, y: y}
	race.aim(p.Gram, s.Point.W)
	method, err := reduce.New("aggressive")
	if err != nil {
		return 0, 0, 0, err
	}
	few, err := method.Choose(ctx, race.target, reduce.Options{Accuracy: 0.5, Seed: seed})
	if err != nil {
		return 0, 0, 0, err
	}
	squared := 0.0
	for i, r := range race.target.Outputs[0].Response {
		squared += s.Point.W[i] * (r - s.Point.W[n])
	}
	return race.full.vectors, few.Len(), math.Sqrt(squared), nil
}

// quadrants draws points of the plane, with the sign of the product of their coordinates and
// some noise as the class.
func quadrants(n int, seed uint64) (matrix.Matrix, []float64) {
	r := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	m, y := &matrix.Dense{Rows: n, Cols: 2, Value: make([]float32, 0, 2*n)}, make([]float64, n)
	for i := range y {
		a, b := r.NormFloat64(), r.NormFloat64()
		m.Value = append(m.Value, float32(a), float32(b))
		y[i] = math.Copysign(1, float64(a*b)+0.3*r.NormFloat64())
	}
	return m, y
}
