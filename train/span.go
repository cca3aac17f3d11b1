package train

import (
	"context"
	"errors"
	"slices"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver/leaveout"
)

// Span applies the span rule to f, a machine of two classes that was trained by spec on its part.
func (f *Fitted) Span(ctx context.Context, spec Spec) (*leaveout.Span, error) {
	p := f.part
	spec.Threads, spec.Cache, spec.Kernel, spec.Scaling = p.threads, p.stage.spec.Cache, p.stage.spec.Kernel, p.stage.spec.Scaling
	j := &job{spec: spec, set: p.set, part: p}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	k, ok := j.first.Problem.(*problem.Kernel)
	if !ok || len(f.points) != 1 || f.Model.Facts == nil {
		return nil, errors.New("the span rule is for kernel machines of two classes with lambda or C: expected one, or folds")
	}
	point := problem.Point{W: slices.Clone(f.points[0].W), A: f.points[0].A}
	if point.A != nil { // weights that begin at another solution may have none of their own
		k.Weights(point.W, point.A)
	}
	c := k.Certify(point)
	if c.Facts == nil {
		return nil, errors.New("the span rule is for convex losses: expected hinge or squared-hinge, or folds")
	}
	return leaveout.NewSpan(k, point.W, c.Facts.Violation)
}
