package train

import (
	"context"
	"errors"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/parallel"
)

// ExamineKernel computes the matrix of the kernel of a spec on all rows, scaled as for training,
// with its eigenvalues, and eigenvectors where vectors is true: for repairs. A precomputed matrix is
// examined without a shift.
func ExamineKernel(ctx context.Context, set *dataset.Set, spec Spec, vectors bool) (*kernel.Examined, error) {
	if err := checkSet(set); err != nil {
		return nil, err
	}
	if !spec.IsMachine() || spec.Map != "" {
		return nil, errors.New("there is no kernel to examine: expected --kernel, without --map")
	}
	if spec.Kernel == "precomputed" {
		spec.Kernel = "precomputed:shift=0"
	}
	j := &job{spec: spec, set: set}
	if err := j.spec.Check(); err != nil {
		return nil, err
	}
	j.spec.complete(set)
	if err := j.spec.takes(set.Structure); err != nil {
		return nil, err
	}
	if err := j.readFeatures(ctx); err != nil {
		return nil, err
	}
	e, err := parallel.Until(ctx, func() (*kernel.Examined, error) { return kernel.Examine(j.kernel, j.features, vectors, spec.Threads) })
	if err != nil && ctx.Err() == nil {
		err = DataError{err.Error()}
	}
	return e, err
}
