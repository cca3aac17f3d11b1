package certificate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// A Moment is the second moment Sigma of n rows that are in many partitions, known by sums over the rows, whose terms are added
// up in any order: the bounds of errors that this package has are those of sums of n terms in whatever order.
type Moment struct {
	Rows, Cols int
	Size       Size

	// Power returns n Q Sigma of the m rows of q, as [view.LaidOut.Apply] sets it; Couple returns it with n Q Sigma Q^T, m x m, and the
	// sum over rows of |Q x|^2.
	Power  func(ctx context.Context, q []float64, m int) ([]float64, error)
	Couple func(ctx context.Context, q []float64, m int) (image, inner []float64, squares float64, err error)
}

// A Size is what a certificate has to know of the lengths of rows, as means: see size.
type Size struct{ Total, Upper, Raw float64 }

// SizeOf measures rows.
func SizeOf(x view.Rows, threads int) Size {
	s := sizeOf(x, false, threads)
	return Size{s.total, s.upper, s.raw}
}

// OfMoment is [CertifyUntil] of rows in many partitions, by products alone. It ends as soon as the bound is enough: steps are expensive.
func OfMoment(ctx context.Context, m Moment, b method.Basis, threads int, seed func() uint64, enough func(Certificate) bool) (Certificate, error) {
	if err := checkBasis(m.Rows, m.Cols, b); err != nil {
		return Certificate{}, err
	}
	if !(m.Size.Raw >= 0x1p-400 && m.Size.Raw <= 0x1p400) {
		return Certificate{}, fmt.Errorf("certificate: found rows of the length %.3g, expected lengths whose squares are neither too large nor too small", math.Sqrt(m.Size.Raw))
	}
	c := &certifier{Certificate: Certificate{Route: "lanczos"}, n: m.Rows, d: m.Cols, k: b.K, threads: threads, seed: seed, enough: enough, hasty: true}
	c.size = size{total: m.Size.Total, upper: m.Size.Upper, raw: m.Size.Raw}
	c.setBasis(b)
	image, inner, squares, err := m.Couple(ctx, c.basis, c.r)
	if err != nil {
		return Certificate{}, err
	}
	c.Captured = c.capturedByMean(squares/float64(c.n), c.size.raw)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &farProducts{ctx: ctx, cancel: cancel, power: m.Power}
	err = c.search(ctx, p, c.coupling(c.size.raw, image, inner), math.Inf(1))
	if p.err != nil {
		return Certificate{}, p.err
	}
	found, err := c.done(err)
	found.Failure = failure // also where the trace is the bound, which another order of sums may see otherwise
	return found, err
}

// farProducts are products by sums over partitions. After an error it ends the search, whose numbers mean nothing then.
type farProducts struct {
	ctx    context.Context
	cancel context.CancelFunc
	power  func(ctx context.Context, q []float64, m int) ([]float64, error)
	err    error
}

func (p *farProducts) Apply(dst, q []float64, m int) {
	sum, err := p.power(p.ctx, q, m)
	if err != nil {
		p.err = err
		p.cancel()
	}
	clear(dst)
	copy(dst, sum)
}

// Seed returns the seed of the random vectors of a certificate. It depends
// on the rows too, so that no one can choose rows in which something hides from the
// vectors of a seed; that of the components is mixed in by [Certify].
func Seed(seed uint64, digest string) uint64 {
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte(digest), seed))
	return binary.LittleEndian.Uint64(sum[:])
}
