package cluster

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// What comes from outside is checked before it is used: requests by partitions, answers by the coordinator.

// Limits of what is plausible.
const (
	mostFeatures = 1 << 27 // a partition is sent 8 bytes for each in a round
	mostDuals    = 1 << 30 // dual variables of a partition
	mostUnits    = 2000    // exponent of a quantum
	mostClasses  = 1000    // each is a problem of its own
)

// finite reports whether all numbers are.
func finite(x ...float64) bool {
	return !slices.ContainsFunc(x, func(x float64) bool { return !decimal.Finite(x) })
}

// vectorOf says why x are not n finite numbers.
func vectorOf(what string, x []float64, n int) error {
	if len(x) != n {
		return fmt.Errorf("found %d %s, expected %d", len(x), what, n)
	}
	for j, v := range x {
		if !finite(v) {
			return fmt.Errorf("found %g as number %d of the %s, expected finite numbers", v, j+1, what)
		}
	}
	return nil
}

// check says why a draft states no problem of rows in many partitions.
func (d *Draft) check(rows int) error {
	if d == nil {
		return errors.New("found no problem, expected one to begin")
	}
	s, outputs := d.Statement, d.outputs()
	only := model.Statement{Loss: s.Loss, Penalty: s.Penalty, Bias: s.Bias, Lambda: s.Lambda, Solver: s.Solver, Gap: s.Gap, Seed: s.Seed}
	switch {
	case !finite(s.Lambda, s.Gap):
		return fmt.Errorf("found lambda %g and the gap %g, expected finite numbers", s.Lambda, s.Gap)
	case !reflect.DeepEqual(s, only):
		return errors.New("found a problem of another kind of model, expected that of a linear one")
	case !slices.Contains([]string{"none", "free", "feature"}, s.Bias):
		return fmt.Errorf("a cluster knows the biases none, free and feature: found %s", s.Bias)
	case outputs > mostDuals/max(1, rows):
		return fmt.Errorf("found %d classes for %d rows of a partition, expected fewer", outputs, rows)
	case d.Beta != nil:
		if err := vectorOf("weights of the constant column", d.Beta, outputs); err != nil {
			return err
		}
	}
	return vectorOf("sums of row weights", d.N, outputs)
}

// knows says why rows in many partitions are not trained with these terms.
func knows(l loss.Loss, p penalty.Penalty) error {
	_, strong := p.(penalty.Strong)
	_, separable := p.(penalty.Separable)
	if !strong || !separable {
		return errors.New("a cluster needs a strongly convex penalty (l2 or elastic-net)")
	}
	if !loss.IsConvex(l) {
		return errors.New("a cluster needs a convex loss")
	}
	return nil
}

// check says why a curve is none; hessian is how many numbers it has of the Hessian.
func (c *Curve) check(numbers, hessian int) error {
	if c == nil {
		return errors.New("found no slopes, expected them")
	}
	return cmp.Or(vectorOf("mean losses and curvatures", []float64{c.Loss, c.Bend}, 2), vectorOf("slopes", c.Gradient, numbers), vectorOf("curvatures", c.Hessian, hessian))
}

// checkShare says why a share is none. Infinite losses are: the gap is so too.
func checkShare(s *problem.Share, numbers int) error {
	switch {
	case s == nil:
		return errors.New("found no share of the certificate, expected one")
	case math.IsNaN(s.Loss) || math.IsInf(s.Loss, -1) || math.IsNaN(s.Conjugate) || math.IsInf(s.Conjugate, -1):
		return fmt.Errorf("found the mean loss %g and the conjugate %g, expected finite numbers", s.Loss, s.Conjugate)
	case !(min(s.LossError, s.ConjugateError, s.Magnitude, s.Norm) >= 0) || s.Chain < 0:
		return errors.New("found bounds on rounding that are below 0, or none, expected 0 at least")
	}
	return vectorOf("sums of dual variables", s.Image, numbers)
}

// check says why these are no scored rows.
func (s *Scored) check() error {
	if s == nil {
		return errors.New("found no scores, expected them")
	}
	t, rows := data.Target{Label: s.Label, Code: s.Code, Number: s.Number}, max(len(s.Code), len(s.Number))
	if slices.ContainsFunc(s.Weight, func(w float64) bool { return !(w > 0) || !finite(w) }) || s.Weight != nil && len(s.Weight) != rows {
		return fmt.Errorf("found %d weights of %d rows, expected numbers above 0, one for each", len(s.Weight), rows)
	}
	return t.Check(rows)
}

// check says why a summary is none.
func (s *Summary) check() error {
	if s == nil {
		return errors.New("found no summary of the rows, expected one")
	}
	nonnegative := func(x float64) bool { return x >= 0 && finite(x) }
	all := slices.Concat(s.Users, s.Squares, s.Counts, []float64{s.SquaredNorms, s.Weight})
	switch {
	case s.Rows < 1 || s.Rows > mostDuals || s.Nonzeros < 0 || s.Present < 0 || s.Cols < 1 || s.Cols > mostFeatures:
		return fmt.Errorf("found %d rows of %d features with %d values, expected some rows, and at most %d features", s.Rows, s.Cols, s.Nonzeros, mostFeatures)
	case len(s.Users) != s.Cols+1 || len(s.Squares) != s.Cols+1 || len(s.Labels) != len(s.Counts):
		return fmt.Errorf("found numbers of %d and %d columns, of %d labels and %d classes, expected those of %d columns, and of each label", len(s.Users), len(s.Squares), len(s.Labels), len(s.Counts), s.Cols+1)
	case slices.ContainsFunc(all, func(x float64) bool { return !nonnegative(x) }) || s.Weight == 0:
		return errors.New("found sums that are negative, infinite or none, expected finite ones of weights above 0")
	}
	for b, digest := range s.Buckets {
		if b < 0 || b >= set.Buckets || len(digest) != sha256.Size {
			return fmt.Errorf("found a digest of %d bytes of bucket %d, expected %d bytes, and a bucket below %d", len(digest), b, sha256.Size, set.Buckets)
		}
	}
	return nil
}

// check says why a view is none of rows of d features.
func (v *View) check(d int) error {
	switch {
	case v == nil:
		return errors.New("found no view of the rows, expected one")
	case v.M < 0 || v.M > d+8: // a search has eight starts
		return fmt.Errorf("found %d vectors, expected at most %d", v.M, d+8)
	}
	err := vectorOf("numbers of vectors", v.Q, v.M*d)
	if v.Offset != nil {
		err = cmp.Or(err, vectorOf("offsets", v.Offset, d))
	}
	if v.Factor != nil {
		err = cmp.Or(err, vectorOf("factors", v.Factor, d))
	}
	return err
}

// checkAnswer says why an answer is none to a request for such a view.
func (v *View) checkAnswer(verb string, a *Answer, d int) error {
	size := map[string]int{"second": d * (d + 1) / 2, "sizes": 3, "power": v.M * d, "couple": v.M*(d+v.M) + 1}[verb]
	switch verb {
	case "columns":
		return v.checkColumns(a.Columns, d)
	case "moments":
		return v.checkMoments(a.Moments, d)
	}
	return vectorOf("sums over rows", a.Sum, size)
}

// checkColumns says why sums of columns are none.
func (v *View) checkColumns(c *scaling.Columns, d int) error {
	switch {
	case c == nil:
		return errors.New("found no sums of columns, expected them")
	case v.Offset != nil && c.Sum == nil && c.Rest == nil:
		return vectorOf("squares", c.Squares, d)
	case c.Rows < 1 || len(c.Stored) != d || c.Squares != nil || slices.ContainsFunc(c.Stored, func(n int64) bool { return n < 0 || n > c.Rows }):
		return fmt.Errorf("found the sums of %d columns of %d rows, expected those of %d columns", len(c.Stored), c.Rows, d)
	}
	return cmp.Or(vectorOf("sums", c.Sum, d), vectorOf("sums", c.Rest, d), vectorOf("magnitudes", c.Largest, d))
}

// checkMoments says why moments are none.
func (v *View) checkMoments(m *scaling.Moments, d int) error {
	switch {
	case m == nil:
		return errors.New("found no moments, expected them")
	case v.Offset != nil:
		return vectorOf("distances", []float64{m.MaxCentred}, 1)
	case m.Rows < 1 || len(m.Low) != d || len(m.High) != d || len(m.Squares) != d || !(m.Second >= 0) || !(m.MaxNorm >= 0):
		return fmt.Errorf("found moments of %d rows and %d features, expected those of %d features", m.Rows, len(m.Mean), d)
	}
	return cmp.Or(vectorOf("means", m.Mean, d), vectorOf("squares", m.Squares, d))
}

// scaling returns that of a draft; nil: columns are as they are.
func (d *Draft) scaling(cols int) (*scaling.Scaling, error) {
	if d.Scale == "" {
		return nil, nil
	}
	if err := cmp.Or(vectorOf("offsets", d.Offset, cols), vectorOf("factors", d.Factor, cols)); err != nil {
		return nil, err
	}
	return scaling.Restore(d.Scale, d.Offset, d.Factor)
}
