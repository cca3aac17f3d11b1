package pose

import (
	"cmp"
	"context"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Spec with a Map trains a linear model of the images of the rows, which is a
// kernel machine of an approximate kernel: its certificate is about the problem
// of that kernel, <Phi(x),Phi(y)> with the images as they are in single precision.

// Image makes the map of a spec for the rows of x, and their images, unless ctx
// ends.
func Image(ctx context.Context, spec string, k kernel.Kernel, x matrix.Matrix, seed uint64, threads int) (featuremap.Map, matrix.Matrix, error) {
	a, err := featuremap.NewApproximation(spec)
	if err != nil {
		return nil, nil, err
	}
	if x, err = kernel.Prepare(k, x, 0); err != nil {
		return nil, nil, DataError{err.Error()}
	}
	m, err := a.Fit(ctx, k, x, seed, threads)
	if err != nil {
		return nil, nil, cmp.Or[error](ctx.Err(), DataError{err.Error()})
	}
	images, err := featuremap.Images(ctx, m, x, threads)
	if err != nil {
		return nil, nil, err
	}
	if i, j, ok := matrix.Finite(images); !ok {
		return nil, nil, DataError{fmt.Sprintf("row %d: feature %d of the map %s is too large for single precision: expected smaller values, as of rows that are scaled", i+1, j+1, spec)}
	}
	return m, images, nil
}
