package gram

import (
	"errors"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Definite reports whether the matrix is proved positive semidefinite, so that
// duality bounds something.
func (g *Gram) Definite() bool { return g.Doubt() == nil }

// Doubt returns why the matrix is not proved positive semidefinite; nil: it is. It is
// where the kernel is an inner product by theorem, and where the matrix of which this
// is a part is. Else the matrix of every [Unproved] part of the kernel is factored,
// once: n^3/3 multiplications and 4n^2 bytes.
func (g *Gram) Doubt() error {
	g.definite.once.Do(func() {
		if g.parent == nil || !g.parent.Definite() {
			g.definite.doubt = g.doubt(g.Kernel)
		}
	})
	return g.definite.doubt
}

// ErrIndefinite is the doubt in a kernel that may be indefinite.
var ErrIndefinite = errors.New("the kernel is no inner product")

// doubt is Doubt for a part of the kernel: sums, products and normalisations of
// semidefinite matrices are semidefinite.
func (g *Gram) doubt(k kernel.Kernel) error {
	if kernel.IsIndefinite(k) {
		return ErrIndefinite
	}
	_, parts := kernel.Parts(k)
	for _, part := range parts {
		if err := g.doubt(part); err != nil {
			return err
		}
	}
	if g.fitted != nil && g.fitted.kernel == k {
		return g.fitted.doubt
	}
	if u, ok := k.(kernel.Unproved); ok && u.Unproved() {
		return prove(k, g.X, g.options.Threads)
	}
	return nil
}

// prove factors the matrix that k makes of prepared rows.
func prove(k kernel.Kernel, x matrix.Matrix, threads int) error {
	a, err := newLower(k, x, threads)
	if err != nil {
		return err
	}
	least := a.smallest()
	if a.definite(0) {
		return nil
	}
	return a.refute(least)
}

// refute says what is known of a matrix without a proof, which has an eigenvalue of
// about least.
func (a *lower) refute(least float64) error {
	margin := a.margin(0)
	switch {
	case math.IsInf(margin, 1):
		return errors.New("the matrix of the kernel is not proved positive semidefinite: nothing is known of the errors of its values")
	case least < -margin:
		return fmt.Errorf("the matrix of the kernel is not positive semidefinite: its smallest eigenvalue is about %.3g, and the mean of its diagonal %.3g", least, a.trace/float64(a.n))
	}
	return fmt.Errorf("the matrix of the kernel is not proved positive semidefinite: its smallest eigenvalue is within %.3g of 0, the rounding of a proof", 2*margin)
}
