package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver/path"
)

// PathSpec says which machine is wanted for which C. Of Spec, solver, lambda, C, gap and limits
// do not count.
type PathSpec struct {
	Spec
	From, To float64 // C
	Points   int     // of the squared loss, C growing by a factor; the others have all breakpoints
}

// PathPoint is the best machine for one C.
type PathPoint struct {
	C, Lambda         float64
	Primal, Dual, Gap float64 // Gap is relative
	Norm              float64 // |w|
	Loss              float64 // mean
	Free, Bounded     int     // rows between their bounds, and at one that is not 0
	Error             float64 // share of the rows in the wrong class, or root of the mean squared error
	LeftOut           float64 // that of each row by the machine of all others; NaN: not known
}

// Costs is what is known of a whole path.
type Costs struct {
	Kernel, Loss, Bias string
	Unit               string  // of errors: "error" or "RMSE"
	N                  float64 // sum of the row weights
	Points             int
	WorstGap           float64 // relative
	Counts             kernel.Counts
}

// Path follows a kernel machine of two classes or of numbers along C (package solver/path), and
// tells each of every point, C increasing. Each point is certified for its own C.
func Path(ctx context.Context, set *dataset.Set, spec PathSpec, each func(PathPoint) error) (*Costs, error) {
	if err := checkSet(set); err != nil {
		return nil, err
	}
	spec.Solver, spec.Lambda, spec.C = "", 0, 0
	j, err := newLimit(0).prepare(ctx, set, spec.Spec)
	if err != nil {
		return nil, err
	}
	p, err := j.pathProblem()
	if err != nil {
		return nil, err
	}
	var f path.Follower = path.Costs{From: spec.From, To: spec.To}
	if ridge := (path.Ridge{From: spec.From, To: spec.To, Points: spec.Points}); isParabola(p.Loss) {
		f = ridge
	}
	if err := f.Accepts(p); err != nil {
		return nil, err
	}
	out := &Costs{Kernel: j.spec.Kernel, Loss: j.spec.Loss, Bias: j.spec.Bias, Unit: "RMSE", N: p.N}
	classes := j.labels.classes != nil
	if classes {
		out.Unit = "error"
	}
	err = f.Follow(ctx, p, func(b path.Breakpoint) error {
		point := pathPoint(p, b, classes)
		out.Points++
		out.WorstGap = max(out.WorstGap, point.Gap)
		return each(point)
	})
	out.Counts = j.evaluations()
	return out, err
}

// isParabola reports whether the loss is squared.
func isParabola(l loss.Loss) bool {
	q, ok := l.(loss.SelfConcordant)
	return ok && loss.IsQuadratic(q)
}

// pathProblem returns the problem of a path, or why there is none.
func (j *job) pathProblem() (*problem.Kernel, error) {
	switch {
	case j.single():
		return nil, DataError{"found one class, expected two: there is nothing to tell apart"}
	case j.labels.outputs() > 1:
		return nil, DataError{fmt.Sprintf("found %d classes, expected two, or numbers", len(j.labels.classes))}
	}
	p, ok := j.first.Problem.(*problem.Kernel)
	if !ok {
		return nil, errors.New("a path is one of a kernel machine with C: expected --kernel, such as rbf, without --map, --nu, --radius and --slack")
	}
	return p, nil
}

// pathPoint makes a point of a breakpoint.
func pathPoint(p *problem.Kernel, b path.Breakpoint, classes bool) PathPoint {
	squared := b.Squared()
	out := PathPoint{C: b.C, Lambda: 1 / (b.C * p.N), Primal: b.Certificate.Primal, Dual: b.Certificate.Dual, Gap: b.Certificate.Relative(),
		Norm: math.Sqrt(squared), Free: b.Free, Bounded: b.Bounded, LeftOut: math.NaN()}
	bias := b.Point.W[p.Len()]
	out.Loss = max(0, out.Primal-float64(out.Lambda/2*(squared+float64(p.Constant()*bias*bias))))
	out.Error = errorOf(p, b.Predictions, classes)
	if b.LeftOut != nil {
		out.LeftOut = errorOf(p, b.LeftOut, classes)
	}
	return out
}

// errorOf is the share of wrong classes, or the root of the mean squared error, by row weight.
func errorOf(p *problem.Kernel, predictions []float64, classes bool) float64 {
	sum := 0.0
	for i, y := range p.Y {
		off := predictions[i] - y
		switch {
		case !classes:
			sum += float64(p.S[i] * float64(off*off))
		case (predictions[i] >= 0) != (y > 0):
			sum += p.S[i]
		}
	}
	if !classes {
		return math.Sqrt(sum / p.N)
	}
	return sum / p.N
}
