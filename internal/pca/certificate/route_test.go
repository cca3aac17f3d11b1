package certificate

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// certify takes one route, whatever the sizes.
func certify(ctx context.Context, x view.Rows, b method.Basis, threads int, seed uint64, exact bool) (Certificate, error) {
	c, err := newCertifier(x, b, threads, func() uint64 { return seed }, exact)
	if err != nil {
		return Certificate{}, err
	}
	return c.done(c.run(ctx))
}

// certifySingle takes that of sums in single precision beside the basis, if it can.
func certifySingle(ctx context.Context, x view.Rows, b method.Basis, threads int) (Certificate, bool, error) {
	return certifyBy((*certifier).besideBasis, ctx, x, b, threads)
}

// certifyAlone takes that of the moment alone.
func certifyAlone(ctx context.Context, x view.Rows, b method.Basis, threads int) (Certificate, bool, error) {
	return certifyBy((*certifier).alone, ctx, x, b, threads)
}

func certifyBy(route func(*certifier, context.Context, *singleDual, func(Certificate) bool) (bool, error), ctx context.Context, x view.Rows, b method.Basis, threads int) (_ Certificate, ok bool, err error) {
	c, err := newCertifier(x, b, threads, one, true)
	if err != nil || c.exponent != 0 || c.size.raw == 0 {
		return Certificate{}, false, err
	}
	p, err := c.leading(ctx)
	if p != nil && err == nil {
		ok, err = route(c, ctx, p, func(Certificate) bool { return true })
	}
	if !ok || err != nil {
		return Certificate{}, false, err
	}
	found, err := c.done(nil)
	return found, true, err
}

func one() uint64 { return 1 }
