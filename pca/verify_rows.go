package pca

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/images"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// statement notes what no search for components states of these rows: what a part of the
// statement has no use for has the one value that training writes.
// It returns why names of columns could not be compared.
func (v *Verification) statement(m *model.PCA, set *data.Set) (unnamed string) {
	s, p, stream := m.Statement, m.Proof, m.Statement.Stream && m.Proof.Status != Merged
	claims := pose.Preparation{Data: m.Data, Features: m.Features, Schema: m.Schema, Means: stream || p.Status == Merged}
	if stream || p.Status == Merged && m.Data.Nonzeros == 0 { // whose values were not counted
		claims.Data.Nonzeros = matrix.Nonzeros(set.X)
	}
	means := m.Schema // those of merged components that are not centred are the first part's
	switch {
	case m.Space != nil: // whose means are of images
	case stream:
		means = withMeans(m.Schema, m.Mean)
	case p.Status == Merged && m.Schema != nil && m.Mean != nil:
		means = filled(m.Schema, m.Mean)
	}
	if m.Schema != nil && !reflect.DeepEqual(m.Schema, means) {
		v.fail("missing numbers are replaced by others than the means of the features")
	}
	problems, unnamed := claims.Compare(set)
	v.Problems = append(v.Problems, problems...)
	switch {
	case !slices.Contains(append([]solver.Status{Merged}, pose.Severity...), solver.Status(p.Status)):
		v.fail("claims the status %q, expected %s or one of %v", p.Status, Merged, pose.Severity)
	case s.Center != (m.Mean != nil):
		v.fail("claims center %v, found a mean: %v", s.Center, m.Mean != nil)
	case !slices.Contains(Scales(), s.Scale) || (s.Scale == "none") != (m.Scale == nil && (m.Space == nil || m.Space.Scaling == nil)):
		v.fail("claims the scale %q, found factors of features: %v", s.Scale, m.Scale != nil)
	case stream && m.Data.Nonzeros != 0:
		v.fail("claims %d values that are not zero, which a stream does not count", m.Data.Nonzeros)
	case !isHoldOut(s.HoldOut) || !s.Stream && s.HoldOut != 0:
		v.fail("claims that a share of %g of the rows was held out, expected 0 to 0.5 of a stream", s.HoldOut)
	case (stream || p.Status == Merged) && m.Data.Digest != "":
		v.fail("claims the digest %s of rows, which streams and merged components have none of", m.Data.Digest)
	case !stream && (p.HeldOut != nil || m.HeldOut != nil):
		v.fail("claims that rows were held out, which only streams do")
	}
	return unnamed
}

// oriented notes a component with the sign that none is stored with.
func (v *Verification) oriented(b method.Basis) {
	signed := b
	signed.Component = slices.Clone(b.Component)
	signed.Orient()
	if !slices.Equal(signed.Component, b.Component) {
		v.fail("the largest element of a component is negative, expected the other sign of that component")
	}
}

// merged compares components of parts of the rows with all of them. Nothing was proved of
// these, and their variances are estimates. Streams have left rows out, of which the
// squared distance of a mean is such a share of the variance.
func (v *Verification) merged(m *model.PCA, x matrix.Matrix, total float64, threads int) {
	p := m.Proof
	if !math.IsNaN(float64(p.Captured)) || !math.IsNaN(float64(p.Upper)) || p.Failure != 0 {
		v.fail("claims a proof (%.9g captured of at most %.9g), of which merged components have none", p.Captured, p.Upper)
	}
	slack := meanSlack
	if m.Statement.Stream {
		slack = max(slack, 2*heldOutShare(m.Statement.HoldOut))
	}
	about, err := view.Preprocess(x, "none", m.Mean != nil, threads)
	if err != nil {
		v.fail("%v", err)
		return
	}
	if !(squaredDistance(about.Offset, m.Mean, m.Scale) <= slack*total) {
		v.fail("the mean is not that of the rows")
	}
	if pose.Differs(p.Total, model.Bound(total), max(1e-6, slack)*total) {
		v.fail("the variance of the rows is claimed to be %.9g, found %.9g", p.Total, total)
	}
}

// stream recomputes what is claimed of rows that came once: which rows were held
// out, what was measured on the others, and what the components capture of those
// held out. That the components were not made of these cannot be seen.
func (v *Verification) stream(m *model.PCA, x matrix.Matrix, basis method.Basis, threads int) {
	p := m.Proof
	if !math.IsNaN(float64(p.Captured)) || !math.IsNaN(float64(p.Upper)) || p.Status == string(solver.Converged) || p.Status == Merged {
		v.fail("claims a proof (%s, %.9g captured of at most %.9g), of which rows that came once have none", p.Status, p.Captured, p.Upper)
	}
	n, d := x.Dims()
	numbers, learned, ok := split(m.HeldOut, n)
	if !ok || !isHoldOut(m.Statement.HoldOut) || !learner.HoldsOut(numbers, n, d, heldOutShare(m.Statement.HoldOut)) {
		v.fail("%d rows are claimed to have been held out that would not have been", len(m.HeldOut))
		return
	}
	rows := view.Rows{X: matrix.Subset(x, learned), Offset: m.Mean, Factor: m.Scale}
	total, _ := rows.Sizes(threads)
	if pose.Differs(p.Total, model.Bound(total), 1e-6*total) {
		v.fail("the variance of the rows is claimed to be %.9g, found %.9g", p.Total, total)
	}
	v.Found.Total = model.Bound(total)
	v.preprocessing(m, rows.X, total, threads)
	rows.X = matrix.Subset(x, numbers)
	v.heldOut(p.HeldOut, rows, basis)
}

// split returns the numbers of rows held out and those of the others, of n; not ok
// where they do not rise.
func split(heldOut []int64, n int) (numbers, others []int, ok bool) {
	for i := range n {
		if len(numbers) < len(heldOut) && heldOut[len(numbers)] == int64(i) {
			numbers = append(numbers, i)
		} else {
			others = append(others, i)
		}
	}
	return numbers, others, len(numbers) == len(heldOut)
}

// heldOut recomputes what the components capture of the rows that were not learned.
func (v *Verification) heldOut(claim *model.HeldOutVariance, rows view.Rows, basis method.Basis) {
	n, _ := rows.Dims()
	if claim == nil {
		return // nothing was claimed
	}
	if n == 0 {
		v.fail("%d rows are claimed to have been held out, found none", claim.Rows)
		return
	}
	found := heldOutVariance(learner.NewHeldOut(rows, basis))
	v.Found.HeldOut = found
	slack := pose.Tolerance * float64(found.Total)
	if found.Rows != claim.Rows || pose.Differs(claim.Captured, found.Captured, slack) || pose.Differs(claim.Total, found.Total, slack) ||
		pose.Differs(claim.Error, found.Error, slack) {
		v.fail("of %d rows held out the components are claimed to capture %.12g of %.12g, found %.12g of %.12g in %d rows",
			claim.Rows, claim.Captured, claim.Total, found.Captured, found.Total, found.Rows)
	}
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
	p, err := images.New(s.Kernel, x, m.Statement.Center, threads)
	if err != nil {
		v.fail("%v", err)
		return nil
	}
	n, k := m.Data.Rows, m.Statement.K
	if m.Width() != n {
		v.fail("found components of %d rows, expected %d", m.Width(), n)
		return nil
	}
	c, err := p.Certify(ctx, m.Components, k, threads)
	if err != nil {
		return err
	}
	v.compare(m, c)
	if !pose.Near(p.Mean, m.Mean) {
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
func (v *Verification) directions(m *model.PCA, p *images.Products) {
	n, k := m.Data.Rows, m.Statement.K
	images := make([]float64, k*n)
	algebra.Multiply(images, m.Components, p.S, k, n, n, 0)
	for i := range k {
		image, claim := images[i*n:(i+1)*n], m.Eigenvalue[i]
		for j := range i + 1 {
			product := float64(n) * vec.Dot64(image, m.Component(j))
			if i == j {
				product--
			}
			if slack := 1e-8 + float64(1e-13*p.Total)/math.Sqrt(claim*m.Eigenvalue[j]); !(math.Abs(product) <= slack) {
				v.fail("the components are not orthonormal: products are off by %.3g", math.Abs(product))
				return
			}
		}
		if found := float64(n) * vec.SquaredNorm64(image); !(math.Abs(claim-found) <= 1e-6*p.Total) || i > 0 && claim > m.Eigenvalue[i-1]+1e-6*p.Total {
			v.fail("the variance along component %d is claimed to be %.9g, found %.9g, expected them by decreasing variance", i+1, claim, found)
			return
		}
		if sum := vec.Total(m.Component(i)); m.Statement.Center && !(math.Abs(sum) <= 1e-8*math.Sqrt(float64(n)*vec.SquaredNorm64(m.Component(i)))) {
			v.fail("the coefficients of component %d sum to %.3g, expected 0 of images that are centred", i+1, sum)
			return
		}
	}
}

// observed checks what is claimed of components of rows of which numbers are missing.
func (v *Verification) observed(m *model.PCA, set *data.Set, threads int) error {
	if !math.IsNaN(float64(m.Proof.Captured)) || !math.IsNaN(float64(m.Proof.Upper)) || m.Proof.Failure != 0 {
		v.fail("claims a proof (%.9g captured of at most %.9g), of which components of rows with missing numbers have none", m.Proof.Captured, m.Proof.Upper)
	}
	v.digest(m, rowsDigest(set))
	j := &pcaJob{set: set, spec: Spec{K: m.Statement.K, Method: m.Statement.Method, Missing: Observed, Scale: m.Statement.Scale, Threads: threads}}
	var err error
	if j.rows, err = view.Preprocess(set.X, m.Statement.Scale, m.Statement.Center, threads); err == nil {
		err = j.observe()
	}
	if err != nil {
		return err
	}
	total := j.problem.Squared
	if pose.Differs(m.Proof.Total, model.Bound(total), pose.Tolerance*total) {
		v.fail("the variance of the rows is claimed to be %.9g, found %.9g", m.Proof.Total, total)
	}
	if !pose.Near(j.rows.Factor, m.Scale) {
		v.fail("the scale is not that of the rows")
	}
	if !j.spec.isPPCA() && squaredDistance(j.rows.Offset, m.Mean, m.Scale) > meanSlack*total {
		v.fail("the mean is not that of the rows")
	}
	if len(v.Problems) == 0 {
		v.Unproved = errUnseen.Error()
	}
	return nil
}

// errUnseen is why there is no bound.
var errUnseen = errors.New("nothing is proved of rows of which numbers are missing")
