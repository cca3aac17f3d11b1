package tune

import (
	"context"
	"errors"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/solve/leaveout"
	"github.com/fenchel-ml/fenchel/problem"
)

// spanOf applies the span rule to f, a machine of two classes that was trained by spec on its part.
func spanOf(ctx context.Context, f *fenchel.Fitted, spec fenchel.Spec) (*leaveout.Span, error) {
	c, points, err := f.Pose(ctx, spec)
	if err != nil {
		return nil, err
	}
	k, ok := c.First.Problem.(*problem.Kernel)
	if !ok || len(points) != 1 || f.Model.Facts == nil {
		return nil, errors.New("the span rule is for kernel machines of two classes with lambda or C: expected one, or folds")
	}
	point := problem.Point{W: slices.Clone(points[0].W), A: points[0].A}
	if point.A != nil { // weights that begin at another solution may have none of their own
		k.Weights(point.W, point.A)
	}
	proof := k.Certify(point)
	if proof.Facts == nil {
		return nil, errors.New("the span rule is for convex losses: expected hinge or squared-hinge, or folds")
	}
	return leaveout.NewSpan(k, point.W, proof.Facts.Violation)
}
