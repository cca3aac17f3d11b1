package batch

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/oja"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// VRPCA is Oja's method with reduced variance, for rows that may be read often.
// An epoch begins with a pass that finds G = W Sigma of the W so far, and from U = W
// makes n steps with rows drawn at random:
//
//	U <- U + eta ( (y - O w) x^T + O G ),   y = U x,   w = W x,   O = U W^T
//
// For any k x k matrix O the step is eta U Sigma on average. This one makes O W the
// projection of U on W, so that with U - O W also the noise vanishes as both converge,
// at a constant step size, and also while U is not orthonormal; the rotation of the
// paper, which must be found in every step, does so only when it is.
//
// Returned: W, its rows by decreasing value. eta = 1/max(r sqrt(n), R) with r and R
// the mean and the largest |x|^2. Cost of an epoch: O(n k d), on sparse rows without
// an offset O(k nonzeros); see [drift]. Convergence is linear, by a constant factor an
// epoch once sqrt(n) is above r over the gap; it begins after one pass of Oja's.
//
// Shamir 2015, Algorithm 1; 2016 for k > 1.
type VRPCA struct {
	Epochs    int
	Tolerance float64 // of the residual, as of Power
}

func init() {
	method.Register("vr-pca", "Oja's method with reduced variance, many passes; epochs=100, tol: by the gap, or 1e-8", func(p *registry.Params) (method.Method, error) {
		return VRPCA{p.Int("epochs", 100, 1, math.MaxInt32), lossTolerance(p)}, p.Err()
	})
}

// Refines implements Refining.
func (m VRPCA) Refines(method.Problem) bool { return math.IsNaN(m.Tolerance) }

// Solve implements Batch.
func (m VRPCA) Solve(ctx context.Context, x view.Rows, p method.Problem) (method.Basis, error) {
	if err := empty(x); err != nil {
		return method.Basis{}, err
	}
	rows, _ := x.Dims()
	mean, most := lengths(x)
	p.Squared = mean
	u, err := warm(ctx, x, p)
	if err != nil {
		return method.Basis{}, err
	}
	s := newRitz(view.MomentOf(x, p.Threads), u, p.K)
	for epoch := 0; ; epoch++ {
		if err := s.multiply(ctx); err != nil {
			return s.basis(), err
		}
		if epoch == m.Epochs || s.residual() <= residualOf(m.Tolerance, p) {
			return s.basis(), nil
		}
		d := newDrift(s, x, p.Unit(), 1/max(math.Sqrt(float64(rows)), most/mean))
		u, err := d.epoch(ctx, rand.NewPCG(p.Seed, vrStream+uint64(epoch)))
		if err != nil {
			return s.basis(), err
		}
		s.u = u
	}
}

// vrStream names the draws of the first epoch among the random numbers of a seed.
const vrStream = 0x7672 << 32 // "vr"

// lengths returns the mean and the largest |x|^2.
func lengths(x view.Rows) (mean, most float64) {
	rows, _ := x.Dims()
	var at view.Point
	for i := range rows {
		squared := at.Set(x, i, 1)
		mean += squared / float64(rows)
		most = max(most, squared)
	}
	return mean, most
}

// warm returns what one pass of Oja's method finds.
func warm(ctx context.Context, x view.Rows, p method.Problem) ([]float64, error) {
	rows, _ := x.Dims()
	s := oja.Oja{Steps: schedule.InverseRoot{C: 1}, Normalise: "lazy"}.Start(p)
	for lo := 0; lo < rows; lo += untilAsked {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x.CountReads(min(untilAsked, rows-lo), 0)
		s.Learn(x.Part(lo, min(lo+untilAsked, rows)))
	}
	return s.Basis().Component, nil
}

// untilAsked is the number of rows between two questions whether to go on.
const untilAsked = 1024

// A drift is an epoch of VRPCA: U, held as
//
//	U = A W + C G + R,
//
// so that the dense part of a step, eta O G, is a step of the k x k matrix C, and the
// part of the row is one of R. O follows by eta ((y - O w) w^T + O W Sigma W^T). So a
// step costs four products of k rows with x and O(k^2), W Sigma W^T being diagonal.
// Before U grows by more than e^3 it is made orthonormal and becomes R.
type drift struct {
	of      *ritz // W and, for rows times unit, G and the diagonal of W Sigma W^T
	rows    view.Rows
	unit    float64
	eta     float64
	a, c, o []float64 // k x k
	r       []float64 // k x d
	grown   float64

	x          view.Point
	w, g, rest []float64 // k: W x, G x, and R x, then y - O w
}

func newDrift(s *ritz, x view.Rows, unit, eta float64) *drift {
	k := s.k
	d := &drift{of: s, rows: x, unit: unit, eta: eta}
	for range 2 { // its square may be too small a number
		algebra.Scale(s.g, unit)
		algebra.Scale(s.value, unit)
	}
	d.a, d.c, d.o = make([]float64, k*k), make([]float64, k*k), make([]float64, k*k)
	for j := range k {
		d.a[j*k+j], d.o[j*k+j] = 1, 1
	}
	d.r = make([]float64, k*s.d)
	d.w, d.g, d.rest = make([]float64, k), make([]float64, k), make([]float64, k)
	return d
}

// epoch makes as many steps as there are rows and returns U, orthonormal.
func (d *drift) epoch(ctx context.Context, random *rand.PCG) ([]float64, error) {
	rows, _ := d.rows.Dims()
	d.rows.CountReads(rows, 0)
	for step := range rows {
		if step%untilAsked == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		i, _ := bits.Mul64(random.Uint64(), uint64(rows))
		d.step(int(i))
	}
	d.orthonormalise()
	return d.r, nil
}

// step moves U by row i.
func (d *drift) step(i int) {
	s, k := d.of, d.of.k
	squared := d.x.Set(d.rows, i, d.unit)
	if d.grown += float64(d.eta * (squared + s.value[0])); d.grown > 3 {
		d.orthonormalise()
	}
	for j := range k {
		lo, hi := j*s.d, (j+1)*s.d
		d.w[j], d.g[j] = d.x.Dot(s.u[lo:hi]), d.x.Dot(s.g[lo:hi])
	}
	for j := range k {
		a, c, o := d.a[j*k:(j+1)*k], d.c[j*k:(j+1)*k], d.o[j*k:(j+1)*k]
		r := d.r[j*s.d : (j+1)*s.d]
		left := d.x.Dot(r) + float64(vec.Dot64(c, d.g))
		for l, w := range d.w {
			left += float64((a[l] - o[l]) * w)
		}
		d.x.AddTo(r, d.eta*left)
		vec.Axpy64(c, d.eta, o)
		for l, w := range d.w {
			o[l] += float64(d.eta * (float64(left*w) + float64(o[l]*s.value[l])))
		}
	}
}

// orthonormalise makes U orthonormal, and R all of it.
func (d *drift) orthonormalise() {
	s, k := d.of, d.of.k
	vec.Axpy64(d.r, 1, algebra.Combine(nil, d.a, s.u, k, k, s.d))
	vec.Axpy64(d.r, 1, algebra.Combine(nil, d.c, s.g, k, k, s.d))
	algebra.Orthonormalise(d.r, k, s.d)
	clear(d.a)
	clear(d.c)
	for i := range k {
		for j := range k {
			d.o[i*k+j] = vec.Dot64(d.r[i*s.d:(i+1)*s.d], s.u[j*s.d:(j+1)*s.d])
		}
	}
	d.grown = 0
}
