package pca

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	orders "github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// Verification is what recomputing the claims of components gave.
type Verification struct {
	Found    model.PCAProof
	Problems []string // what does not hold; empty: everything claimed is true, or unproved
	Unproved string   // why it could be neither proved nor refuted; "": it could
}

func (v *Verification) fail(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// Verify recomputes the captured variance and its bound from components and the
// rows they were found in, without any method: for a stream, the variance of the
// rows that were held out.
func Verify(ctx context.Context, m *model.PCA, set *data.Set, threads int) (*Verification, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if err := pose.CheckSet(set); err != nil {
		return nil, err
	}
	v := &Verification{Found: m.Proof}
	if set = pose.InPrecision(m.Data, set); set == nil {
		v.Unproved = pose.LessPrecise
		return v, nil
	}
	n, d := set.X.Dims()
	if n != m.Data.Rows || d != m.Data.Features {
		v.fail("the data have %s of %s, the components were found in %d of %d", registry.Count(n, "row"), registry.Count(d, "feature"), m.Data.Rows, m.Data.Features)
		return v, nil
	}
	unnamed := v.statement(m, set)
	basis := method.Basis{K: m.Statement.K, Cols: m.Width(), Component: m.Components, Value: m.Eigenvalue}
	v.oriented(basis)
	if m.Space != nil && m.Space.Map == nil {
		return v, v.kernel(ctx, m, set, threads)
	}
	if err := orthonormal(basis); err != nil {
		v.fail("%v", err)
		return v, nil
	}
	if m.Statement.Missing == Observed && set.Gaps != nil {
		return v, v.observed(m, set, threads)
	}
	if err := v.rows(ctx, m, set, basis, unnamed, threads); err != nil {
		return nil, err
	}
	return v, nil
}

// rows recomputes what is claimed of components of rows, or of their images by a map.
func (v *Verification) rows(ctx context.Context, m *model.PCA, set *data.Set, basis method.Basis, unnamed string, threads int) error {
	x, err := v.images(ctx, m, set, threads)
	if err != nil {
		return err
	}
	if m.Statement.Stream && m.Proof.Status != Merged {
		if v.stream(m, x, basis, threads); len(v.Problems) == 0 && m.Proof.HeldOut == nil {
			v.Unproved = "nothing is proved of a stream, and no rows were held out"
		}
		return nil
	}
	digest, stop := beginDigest(set, threads)
	defer stop()
	if sorted(m) {
		digest = func() string { return (&data.Set{X: set.X}).DigestSorted(threads) }
	}
	rows := view.Rows{X: x, Offset: m.Mean, Factor: m.Scale}.Sharing()
	seed := func() uint64 { return certificate.Seed(m.Statement.Seed, digest()) }
	c, err := certificate.CertifyUntil(ctx, rows, basis, threads, seed, func(c certificate.Certificate) bool { return holds(m, c) })
	if err != nil {
		return err
	}
	if m.Proof.Status != Merged {
		v.digest(m, digest())
	}
	v.compare(m, c)
	if m.Proof.Status == Merged {
		v.merged(m, set.X, c.Total, threads)
	} else {
		v.preprocessing(m, x, c.Total, threads)
		v.eigenvalues(rows, basis, c.Total, threads)
	}
	if len(v.Problems) == 0 {
		v.Unproved = unnamed
	}
	return nil
}

// digest compares the rows with those that components were found in.
func (v *Verification) digest(m *model.PCA, found string) {
	if found != m.Data.Digest {
		v.fail("the data differ: found %s, the components were found in %s", found, m.Data.Digest)
	}
}

// rowsDigest names the rows alone: components do not depend on targets, and the same
// rows may come without any, or with others.
func rowsDigest(set *data.Set) string { return (&data.Set{X: set.X}).Digest() }

// sorted reports whether the rows of a model are named in any order, as a cluster names them.
func sorted(m *model.PCA) bool { return strings.HasPrefix(m.Data.Digest, orders.SortedPrefix) }

// beginDigest begins to compute rowsDigest beside other work: wait returns it, after stop the rows may change.
func beginDigest(set *data.Set, threads int) (wait func() string, stop func()) {
	d := (&data.Set{X: set.X}).BeginDigest(threads)
	return d.Wait, d.Stop
}

// meanSlack is the part of the variance that a wrong mean may add, which is the
// squared length of what it is off by.
const meanSlack = 1e-12

// preprocessing recomputes the mean and the scale of some rows.
func (v *Verification) preprocessing(m *model.PCA, x matrix.Matrix, total float64, threads int) {
	center, scale := m.Statement.Center || m.Statement.Scale == "thesis", m.Statement.Scale
	if m.Space != nil { // of which the images are not scaled
		center, scale = m.Statement.Center, "none"
	}
	rows, err := view.Preprocess(x, scale, center, threads)
	if err != nil {
		v.fail("%v", err)
		return
	}
	if len(rows.Offset) != len(m.Mean) || !(squaredDistance(rows.Offset, m.Mean, m.Scale) <= meanSlack*total) {
		v.fail("the mean is not that of the rows")
	}
	if !pose.Near(rows.Factor, m.Scale) {
		v.fail("the scale is not that of the rows")
	}
}

// squaredDistance returns |F (a - b)|^2.
func squaredDistance(a, b, factor []float64) float64 {
	sum := 0.0
	for j := range a {
		x := a[j] - b[j]
		if factor != nil {
			x *= factor[j]
		}
		sum += float64(x * x)
	}
	return sum
}

// eigenvalues recomputes the variance along each component.
func (v *Verification) eigenvalues(rows view.Rows, b method.Basis, total float64, threads int) {
	n, _ := rows.Dims()
	images := make([]float64, len(b.Component))
	rows.Power(images, b.Component, b.K, threads)
	found := make([]float64, b.K)
	for i := range found {
		found[i] = vec.Dot64(images[i*b.Cols:(i+1)*b.Cols], b.Row(i)) / float64(n)
	}
	for i, claim := range b.Value {
		if i > 0 && claim > b.Value[i-1]+1e-6*total {
			v.fail("component %d is claimed to have a larger variance than the one before, expected them by decreasing variance", i+1)
			return
		}
		if !(math.Abs(claim-found[i]) <= 1e-6*total) {
			v.fail("the variance along component %d is claimed to be %.9g, found %.9g", i+1, claim, found[i])
			return
		}
	}
}

// holds reports whether a certificate proves all that is claimed.
func holds(m *model.PCA, c certificate.Certificate) bool {
	var v Verification
	v.compare(m, c)
	return len(v.Problems) == 0
}

// compare notes every number of the claim that is not what was found. Of merged
// components nothing is claimed: both bounds are no numbers.
func (v *Verification) compare(m *model.PCA, c certificate.Certificate) {
	p := m.Proof
	v.Found.Captured, v.Found.Upper, v.Found.Total, v.Found.Failure, v.Found.Route = model.Bound(c.Captured), model.Bound(c.Upper), model.Bound(c.Total), c.Failure, c.Route
	slack := model.Bound(pose.Tolerance * c.Upper)
	if p.Captured > v.Found.Captured+slack || p.Captured < 0 {
		v.fail("the components are claimed to capture %.12g, found %.12g", p.Captured, v.Found.Captured)
	}
	if p.Upper < v.Found.Upper-slack {
		v.fail("others are claimed to capture at most %.12g, found the bound %.12g", p.Upper, v.Found.Upper)
	}
	if p.Status != Merged && pose.Differs(p.Total, v.Found.Total, pose.Tolerance*c.Total) {
		v.fail("the variance of the rows is claimed to be %.12g, found %.12g", p.Total, v.Found.Total)
	}
	found := v.Found.Relative()
	if gap := p.Relative(); gap < found*(1-1e-6)-gapRounding {
		v.fail("the gap is claimed to be %.3g, found %.3g", gap, found)
	}
	if p.Failure < c.Failure && !math.IsNaN(p.Relative()) {
		v.fail("the bound is claimed to fail with a probability of %.3g, found %.3g", p.Failure, c.Failure)
	}
	switch converged := p.Status == string(solver.Converged); {
	case converged && !(found <= p.Gap*(1+pose.Tolerance) && p.Gap < 1):
		v.fail("claims to have converged to %g, found the gap %.3g", p.Gap, found)
	case !converged && p.Status != Merged && achieved(p, found) < p.Gap*(1-pose.Tolerance):
		v.fail("claims the status %s, but the gap %.3g is below the %g asked for", p.Status, found, p.Gap)
	}
}

// achieved is the gap that a run must have missed if it did not converge: the one found. Where
// the time was over, or the run was interrupted, it is the one claimed: its certificate may have
// been cut short, and one made in full is better.
func achieved(p model.PCAProof, found float64) float64 {
	if p.Status == string(solver.TimeLimit) || p.Status == string(solver.Interrupted) {
		return p.Relative()
	}
	return found
}

// gapRounding is by how much two proofs of a gap may differ by the order of sums.
const gapRounding = 1e-12
