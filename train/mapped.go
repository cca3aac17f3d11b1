package train

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// A Spec with a Map trains a linear model of the images of the rows, which is a
// kernel machine of an approximate kernel: its certificate is about the problem
// of that kernel, <Phi(x),Phi(y)> with the images as they are in single precision.

// IsMachine reports whether a kernel machine is trained: there is a kernel, and
// no map that makes the model linear.
func (spec *Spec) IsMachine() bool {
	return (spec.Kernel != "" || spec.Custom != nil) && spec.Map == ""
}

// checkMap refuses a map that has no kernel, or not this one.
func (spec *Spec) checkMap() error {
	if spec.Map == "" {
		return nil
	}
	a, err := kernel.NewApproximation(spec.Map)
	switch {
	case err != nil:
		return err
	case spec.Kernel == "" && spec.Custom == nil:
		return fmt.Errorf("map=%s without a kernel: expected the kernel to approximate, such as rbf", spec.Map)
	case spec.Radius != 0 || spec.Nu != 0:
		return fmt.Errorf("map=%s with radius=%g, nu=%g: expected lambda, C or slack, as the model is linear", spec.Map, spec.Radius, spec.Nu)
	case spec.Cache != 0:
		return fmt.Errorf("map=%s with cache=%d: expected none, as no rows of the kernel's matrix are kept", spec.Map, spec.Cache)
	}
	k, err := spec.kernel(1)
	if err != nil {
		return err
	}
	return a.Accepts(k)
}

// image makes the map of a spec for the rows of x, and their images, unless ctx
// ends.
func image(ctx context.Context, spec string, k kernel.Kernel, x matrix.Matrix, seed uint64, threads int) (kernel.Map, matrix.Matrix, error) {
	a, err := kernel.NewApproximation(spec)
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
	images, err := kernel.Images(ctx, m, x, threads)
	if err != nil {
		return nil, nil, err
	}
	if i, j, ok := matrix.Finite(images); !ok {
		return nil, nil, DataError{fmt.Sprintf("row %d: feature %d of the map %s is too large for single precision: expected smaller values, as of rows that are scaled", i+1, j+1, spec)}
	}
	return m, images, nil
}

// imageRows replaces the rows that the problems are about by their images.
func (j *job) imageRows(ctx context.Context, k kernel.Kernel, x matrix.Matrix) (matrix.Matrix, error) {
	started := time.Now()
	var err error
	j.mapped, x, err = image(ctx, j.spec.Map, k, x, j.spec.Seed, j.spec.Threads)
	j.mapping = time.Since(started)
	return x, err
}

// restateImages returns the images of the rows of x by the map that a model
// states. It is made anew: nothing but its landmarks, which must be the same, is
// taken from the model.
func restateImages(m *model.Model, k kernel.Kernel, x matrix.Matrix, threads int) (matrix.Matrix, error) {
	made, images, err := image(context.Background(), m.Statement.Map, k, x, m.Statement.Seed, threads)
	if err != nil {
		return nil, err
	}
	stated, _ := m.Map.Dims()
	if cols, _ := made.Dims(); stated != cols {
		return nil, fmt.Errorf("found a map of rows of %d columns, expected %d", stated, cols)
	}
	claimed, found := m.Map.Landmarks(), made.Landmarks()
	if claimed == nil || found == nil {
		return images, nil
	}
	n, _ := claimed.Dims()
	if rows, _ := found.Dims(); rows != n {
		return nil, fmt.Errorf("found %d landmarks, the map %s with the seed %d has %d", n, m.Statement.Map, m.Statement.Seed, rows)
	}
	for i := range n {
		if !sameRow(claimed.Row(i), found.Row(i), func(a, b float32) bool { return a == b }) {
			return nil, fmt.Errorf("landmark %d is not that of the map %s with the seed %d", i+1, m.Statement.Map, m.Statement.Seed)
		}
	}
	return images, nil
}
