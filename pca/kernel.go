package pca

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// Components of a kernel are those of the images of rows in its space, of which only the products
// k(x,y) are known (Schoelkopf, Smola and Mueller 1998). With S = (1/n) H K H, H = I - 1 1^T/n where
// images are centred, and S v = value v, direction sum_j a_j Phi(x_j) with a = H v/sqrt(n value) has
// length 1 and captures value: see [model.Space]. With a map of the kernel they are those of its
// features, by any method, of streams too.

// mostRows is of how many rows the matrix of a kernel is formed: 2 GB.
const mostRows = 16384

// space makes the space of images of the rows, and the rows as it takes them: scaled, and with a map
// their images. It writes out what the kernel leaves open.
func (spec *Spec) space(ctx context.Context, x matrix.Matrix, table bool) (*model.Space, matrix.Matrix, error) {
	_, cols := x.Dims()
	spec.Kernel = pose.CompleteKernel(spec.Kernel, cols)
	k, err := kernel.New(spec.Kernel)
	if err != nil {
		return nil, nil, err
	}
	s := &model.Space{Kernel: k}
	if spec.settle(x, table); spec.Scale != "none" {
		dense := matrix.IsDense(x)
		moments := scaling.NewMoments(x, spec.Threads)
		if dense {
			moments.MeasureCentred(x, spec.Threads)
		}
		if s.Scaling, err = moments.Scaling(spec.Scale, dense); err == nil {
			s.Scaling, err = scaling.Restore(spec.Scale, s.Scaling.Offset, s.Scaling.Factor)
		}
		if err != nil {
			return nil, nil, pose.DataError{Reason: err.Error()}
		}
	}
	if x, err = s.Prepare(x); err != nil {
		return nil, nil, pose.DataError{Reason: err.Error()}
	}
	if spec.Map == "" {
		s.Rows = x
		return s, x, nil
	}
	s.Map, x, err = pose.Image(ctx, spec.Map, k, x, spec.Seed, spec.Threads)
	return s, x, err
}

// checkKernel returns what is wrong with a kernel and a map, as far as that can be known without data.
func (spec Spec) checkKernel() error {
	switch {
	case spec.Kernel == "" && spec.Map != "":
		return fmt.Errorf("map %s: expected a kernel too, such as rbf", spec.Map)
	case spec.Kernel == "":
		return nil
	case strings.Contains(spec.Kernel, pose.GammaScale) || strings.Contains(spec.Kernel, "precomputed"):
		return fmt.Errorf("kernel %q: expected one that depends on two rows alone", spec.Kernel)
	}
	k, err := kernel.New(pose.CompleteKernel(spec.Kernel, 1))
	switch {
	case err != nil:
		return err
	case kernel.IsIndefinite(k):
		return fmt.Errorf("kernel %q: found a kernel that is no inner product, expected one whose values are those of images of rows", spec.Kernel)
	case spec.Map != "":
		a, err := featuremap.NewApproximation(spec.Map)
		if err != nil {
			return err
		}
		return a.Accepts(k)
	case !spec.chooses() && spec.Method != "gram":
		return fmt.Errorf("method %s: expected gram, the eigenvectors of the matrix of the kernel, or a map of the kernel to features, of which every method finds components", spec.Method)
	case spec.Epochs > 0 || spec.Shuffle:
		return errors.New("found epochs or shuffling asked for, expected a map of the kernel to features, and a method that learns row by row")
	}
	return nil
}

// products are what is known of rows in the space of a kernel.
type products struct {
	s     []float64 // S, n x n
	mean  []float64 // of K over rows; nil: images are not centred
	wrong float64   // at least the Frobenius norm of the error of S
	total float64   // tr S
}

// newProducts computes S of prepared rows.
func newProducts(k kernel.Kernel, x matrix.Matrix, center bool, threads int) (*products, error) {
	n, _ := x.Dims()
	if n > mostRows {
		return nil, fmt.Errorf("found %d rows, expected at most %d, whose matrix of the kernel fits: a map, such as nystrom:rank=1000, takes any number", n, mostRows)
	}
	g, s, err := gram.Whole(k, x, threads)
	if err != nil {
		return nil, err
	}
	if err := g.Doubt(); err != nil {
		return nil, err
	}
	p := &products{s: s}
	algebra.Symmetrise(p.s, n)
	largest := slices.Max(g.SquaredNorm)
	each := g.Kernel.Error(g.Terms, largest, largest)
	size := math.Sqrt(vec.SquaredNorm64(p.s))
	// The values, a mean of two of them, means of rows by compensated sums, and five roundings each of
	// which is of numbers that are, in Frobenius norm, no larger than K.
	p.wrong = algebra.Up((float64(float64(n)*each) + float64(algebra.Gamma(64)*size)) / float64(n))
	if center {
		p.center(n, threads)
	}
	algebra.Divide(p.s, float64(n))
	for i := range n {
		p.total += p.s[i*n+i]
	}
	if !(size <= math.MaxFloat64) {
		return nil, method.ErrTooLarge(size)
	}
	return p, nil
}

// center makes H K H of K.
func (p *products) center(n, threads int) {
	p.mean = make([]float64, n)
	rows := func(do func(i int, row []float64)) {
		parallel.Blocks(n, 64, threads, func(_, lo, hi int) {
			for i := lo; i < hi; i++ {
				do(i, p.s[i*n:(i+1)*n])
			}
		})
	}
	rows(func(i int, row []float64) { p.mean[i] = vec.Total(row) / float64(n) })
	all := vec.Total(p.mean) / float64(n)
	rows(func(i int, row []float64) {
		for j := range row {
			row[j] = (row[j] - (p.mean[i] + p.mean[j])) + all
		}
	})
}

// ofKernel is the search for components by S.
func (j *pcaJob) ofKernel(ctx context.Context) (err error) {
	n := j.problem.Rows
	if j.spec.Share > 0 {
		j.problem.K = n
	}
	if j.basis, err = batch.Pairs(ctx, j.products.s, n, j.problem); err != nil {
		if ctx.Err() == nil {
			return err
		}
		j.cutShort(ctx)
		j.basis = j.products.rough(j.basis, j.problem.K, n, j.spec.Threads)
	}
	enough := true
	if j.spec.Share > 0 {
		j.spec.K, _ = fewest(j.basis.Value, j.spec.Share*j.products.total)
		enough = j.spec.K > 0
	} else if k, _ := fewest(j.basis.Value, math.Inf(1)); k < j.spec.K && j.cut == "" {
		return pose.DataError{Reason: fmt.Sprintf("found only %d of k = %d components: the images of the rows lie in fewer dimensions", k, j.spec.K)}
	}
	if !enough {
		return pose.DataError{Reason: nothingVaries(j.products.mean != nil)}
	}
	j.keep(min(j.spec.K, j.basis.K))
	return nil
}

// mostRough is how many directions a search that was cut short makes at most.
const mostRough = 256

// rough returns the best directions of a span, for a search that was cut short: of the k rows that it had found, or where
// these are too few of S e_i, for as many rows i that are evenly spaced. For V orthonormal with V S V^T = L diagonal, the X^T V^T L^-1/2 are
// directions of length 1, of which L^-1/2 V S^2 V^T L^-1/2 = Q^T M Q says the variances M of the best ones, X^T (Q L^-1/2 V)^T. Where
// nothing varies they are left out.
func (p *products) rough(found method.Basis, k, n, threads int) method.Basis {
	rows := found.Component
	if k = min(k, mostRough); found.K < k {
		rows = make([]float64, k*n)
		for c := range k {
			copy(rows[c*n:(c+1)*n], p.s[c*n/k*n:])
		}
	}
	k = len(rows) / n
	algebra.Orthonormalise(rows, k, n)
	images := make([]float64, k*n)
	algebra.Multiply(images, rows, p.s, k, n, n, threads)
	lengths, vectors := eigen(images, rows, k, n, threads)
	k, _ = fewest(lengths, math.Inf(1))
	rows, images = algebra.Combine(nil, vectors, rows, k, len(lengths), n), algebra.Combine(nil, vectors, images, k, len(lengths), n)
	for i, v := range lengths[:k] {
		algebra.Scale(rows[i*n:(i+1)*n], 1/math.Sqrt(v))
		algebra.Scale(images[i*n:(i+1)*n], 1/math.Sqrt(v))
	}
	values, vectors := eigen(images, images, k, n, threads)
	b := method.Basis{K: k, Cols: n, Component: algebra.Combine(nil, vectors, rows, k, k, n), Value: values}
	for i, v := range values {
		algebra.Scale(b.Row(i), math.Sqrt(v))
	}
	return b
}

// eigen returns the eigenvalues of A B^T, symmetric, of k rows each, and its eigenvectors.
func eigen(a, b []float64, k, n, threads int) (values, vectors []float64) {
	values, inner := make([]float64, k), make([]float64, k*k)
	algebra.Multiply(inner, a, b, k, k, n, threads)
	algebra.Symmetrise(inner, k)
	return values, new(algebra.Eigensystem).Decompose(values, inner, k)
}

// coefficients makes the a of the v of a basis, with the signs that components are stored with.
func (p *products) coefficients(b method.Basis) []float64 {
	out := slices.Clone(b.Component)
	for i, value := range b.Value {
		a := out[i*b.Cols : (i+1)*b.Cols]
		if p.mean != nil {
			mean := vec.Total(a) / float64(len(a))
			for j := range a {
				a[j] -= mean
			}
		}
		algebra.Scale(a, 1/math.Sqrt(float64(len(a))*value))
	}
	method.Basis{K: b.K, Cols: b.Cols, Component: out}.Orient()
	return out
}

// certifyKernel is [certificate.OfProducts] of components of the space.
func certifyKernel(ctx context.Context, p *products, components []float64, k, threads int, seed uint64) (certificate.Certificate, error) {
	n := len(components) / k
	return certificate.OfProducts(ctx, p.s, n, p.wrong, method.Basis{K: k, Cols: n, Component: components}, threads, seed)
}

// kernel recomputes what is claimed of components of a kernel without a map.
func (v *Verification) kernel(ctx context.Context, m *model.PCA, set *data.Set, threads int) error {
	v.digest(m, rowsDigest(set))
	spec := Spec{Kernel: m.Statement.Kernel, Scale: m.Statement.Scale, Threads: threads}
	s, x, err := spec.space(ctx, set.X, false)
	if err != nil {
		v.fail("%v", err)
		return nil
	}
	if rowsDigest(&data.Set{X: x}) != rowsDigest(&data.Set{X: m.Space.Rows}) {
		v.fail("the rows that span the components are not those of the data, scaled")
	}
	v.scaling(m.Space, s)
	p, err := newProducts(s.Kernel, x, m.Statement.Center, threads)
	if err != nil {
		v.fail("%v", err)
		return nil
	}
	n, k := m.Data.Rows, m.Statement.K
	if m.Width() != n {
		v.fail("found components of %d rows, expected %d", m.Width(), n)
		return nil
	}
	c, err := certifyKernel(ctx, p, m.Components, k, threads, certificateSeed(m.Statement.Seed, m.Data.Digest))
	if err != nil {
		return err
	}
	v.compare(m, c)
	if !pose.Near(p.mean, m.Mean) {
		v.fail("the mean is not that of the values of the kernel")
	}
	v.directions(m, p)
	return nil
}

// images returns the rows that components are of: those of the set, or their images by the map, which of rows
// that are all there is the one that Fit makes.
func (v *Verification) images(ctx context.Context, m *model.PCA, set *data.Set, threads int) (matrix.Matrix, error) {
	if m.Space == nil {
		return set.X, nil
	}
	x, err := m.Space.Images(ctx, set.X, threads)
	if err != nil || m.Statement.Stream {
		return x, err
	}
	spec := Spec{Kernel: m.Statement.Kernel, Map: m.Statement.Map, Scale: m.Statement.Scale, Seed: m.Statement.Seed, Threads: threads}
	s, again, err := spec.space(ctx, set.X, false)
	if err != nil {
		return nil, err
	}
	if v.scaling(m.Space, s); rowsDigest(&data.Set{X: x}) != rowsDigest(&data.Set{X: again}) {
		v.fail("the map is not that of the rows and the seed")
	}
	return x, nil
}

// scaling compares how rows were scaled with how they are to be.
func (v *Verification) scaling(claimed, found *model.Space) {
	a, b := claimed.Scaling, found.Scaling
	if (a != nil) != (b != nil) || a != nil && !(pose.Near(a.Offset, b.Offset) && pose.Near(a.Factor, b.Factor)) {
		v.fail("the scale is not that of the rows")
	}
}

// directions checks that components are directions of length 1, orthogonal to each other and ordered by
// what they capture, which is claimed. The products of directions that capture little are known less well.
func (v *Verification) directions(m *model.PCA, p *products) {
	n, k := m.Data.Rows, m.Statement.K
	images := make([]float64, k*n)
	algebra.Multiply(images, m.Components, p.s, k, n, n, 0)
	for i := range k {
		image, claim := images[i*n:(i+1)*n], m.Eigenvalue[i]
		for j := range i + 1 {
			product := float64(n) * vec.Dot64(image, m.Component(j))
			if i == j {
				product--
			}
			if slack := 1e-8 + float64(1e-13*p.total)/math.Sqrt(claim*m.Eigenvalue[j]); !(math.Abs(product) <= slack) {
				v.fail("the components are not orthonormal: products are off by %.3g", math.Abs(product))
				return
			}
		}
		if found := float64(n) * vec.SquaredNorm64(image); !(math.Abs(claim-found) <= 1e-6*p.total) || i > 0 && claim > m.Eigenvalue[i-1]+1e-6*p.total {
			v.fail("the variance along component %d is claimed to be %.9g, found %.9g, expected them by decreasing variance", i+1, claim, found)
			return
		}
		if sum := vec.Total(m.Component(i)); m.Statement.Center && !(math.Abs(sum) <= 1e-8*math.Sqrt(float64(n)*vec.SquaredNorm64(m.Component(i)))) {
			v.fail("the coefficients of component %d sum to %.3g, expected 0 of images that are centred", i+1, sum)
			return
		}
	}
}
