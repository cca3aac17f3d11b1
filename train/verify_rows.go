package train

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// A preparation is what a model of any kind says of the rows that it was made of, and of
// how it makes features of others.
type preparation struct {
	data     model.Data
	features []string
	schema   *dataset.Schema
	means    bool // what stands for missing numbers was compared with known means
}

// compare returns what does not hold of rows that have the digest, which were read by the
// schema where they could be; and why the names of columns could not be compared.
func (p preparation) compare(set *dataset.Set) (problems []string, unnamed string) {
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if stored, claim := matrix.Nonzeros(set.X), p.data.Nonzeros; claim != stored && !slices.Contains(otherwiseStored(set.X), claim) {
		fail("%d values that are not zero are claimed, found %d", claim, stored)
	}
	if p.features != nil && set.Feature != nil && !slices.Equal(p.features, set.Feature) {
		fail("the data have other names of features than the model")
	}
	if p.schema == nil {
		return problems, ""
	}
	switch {
	case set.Schema == nil && p.schema.Header && (set.Feature == nil || p.features == nil):
		unnamed = "the data have no names of columns, by which the model finds those of a table: expected the table that it was trained on"
	case set.Schema == nil:
	case !reflect.DeepEqual(set.Schema, p.schema):
		fail("the data have other columns or categories than those that the model makes features of")
	}
	if column, fill, mean := wrongFill(p.schema, set.X); !p.means && column != "" {
		fail("%.9g stands for a missing number of column %q, expected the mean %.9g", fill, column, mean)
	}
	return problems, unnamed
}

// otherwiseStored returns how many values of x would be stored without the zeros, or with
// all of them.
func otherwiseStored(x matrix.Matrix) []int64 {
	rows, cols := x.Dims()
	present := int64(0)
	for i := range rows {
		for _, v := range x.Row(i).Value {
			if v != 0 {
				present++
			}
		}
	}
	return []int64{present, int64(rows) * int64(cols)}
}

// wrongFill returns the first column of numbers of which the mean is not what stands for
// a missing one, to single precision: where numbers are missing the rows have it rounded so.
func wrongFill(s *dataset.Schema, x matrix.Matrix) (column string, fill, mean float64) {
	rows, cols := x.Dims()
	sum, size := make([]float64, cols), make([]float64, cols)
	for i := range rows {
		row := x.Row(i)
		for k, v := range row.Value {
			j := row.Column(k)
			sum[j] += float64(v)
			size[j] += math.Abs(float64(v))
		}
	}
	j := 0
	for at, c := range s.Columns {
		switch {
		case at == s.Target || at == s.Weight || c.Kind == dataset.KindIgnored:
			continue
		case c.Category != nil:
			j += len(c.Category)
			continue
		}
		mean := sum[j] / float64(rows)
		if slack := float64(0x1p-22*math.Abs(c.Fill)) + float64(tolerance*size[j])/float64(rows); !(math.Abs(c.Fill-mean) <= slack) {
			return c.Name, c.Fill, mean
		}
		j++
	}
	return "", 0, 0
}

// checkScaling measures the scaling of a model anew.
func checkScaling(m *model.Model, set *dataset.Set) error {
	if m.Scaling == nil {
		return nil
	}
	measured := *set
	measured.Schema = m.Schema
	found, err := m.Scaling.Measure(&measured)
	if err != nil {
		return err
	}
	for j := range found.Factor {
		if !near(found.Factor[j:j+1], m.Scaling.Factor[j:j+1]) || !near(found.Offset[j:j+1], m.Scaling.Offset[j:j+1]) {
			return fmt.Errorf("feature %d is scaled by %.9g after %.9g was taken off, expected %.9g and %.9g, as %s scales the rows", j+1,
				m.Scaling.Factor[j], m.Scaling.Offset[j], found.Factor[j], found.Offset[j], m.Scaling.Kind)
		}
	}
	return nil
}

// facts compares what a model says of itself besides its proof with what training writes of it.
// A number where training knows none is false; what the model does not say is not proved, nor what
// it may have known by dual variables that it does not hold.
func (v *Verification) facts(claim, found *model.Facts) {
	if claim == nil || found == nil {
		if claim != nil || found != nil {
			v.Unproved = fmt.Sprintf("the model holds facts of its machine: found %t, expected %t, as training writes them", claim != nil, found != nil)
		}
		return
	}
	share := func(p *float64) model.Bound {
		if p == nil {
			return model.Bound(math.NaN())
		}
		return model.Bound(*p)
	}
	for _, c := range []struct {
		what         string
		claim, found model.Bound
	}{
		{"number of support vectors", model.Bound(claim.Support), model.Bound(found.Support)}, {"number of bounded vectors", model.Bound(claim.Bounded), model.Bound(found.Bounded)},
		{"violation", claim.Violation, found.Violation}, {"norm", claim.Norm, found.Norm}, {"sum of losses", claim.Losses, found.Losses}, {"weight of errors", claim.Errors, found.Errors},
		{"bound on steps", claim.Steps, found.Steps}, {"alignment", claim.Alignment, found.Alignment}, {"rows of the alignment", model.Bound(claim.Sample), model.Bound(found.Sample)},
		{"leave-one-out bound", share(claim.LeaveOneOut), share(found.LeaveOneOut)},
		{"lambda", claim.Same.Lambda, found.Same.Lambda}, {"C", claim.Same.C, found.Same.C}, {"radius", claim.Same.Radius, found.Same.Radius}, {"slack", claim.Same.Slack, found.Same.Slack}, {"nu", claim.Same.Nu, found.Same.Nu},
	} {
		claim, found, rounding := float64(c.claim), float64(c.found), 0.0
		if slices.Contains([]string{"violation", "sum of losses", "alignment", "slack"}, c.what) { // sums that may cancel
			rounding = 1e-9
		}
		switch {
		case math.IsNaN(claim) && math.IsNaN(found) || math.Abs(claim-found) <= 1e-6*math.Abs(found)+rounding:
		case math.IsNaN(claim), math.IsNaN(found) && v.Rebuilt:
			v.Unproved = fmt.Sprintf("the model says of itself: %s %.12g, found %.12g, expected the same", c.what, claim, found)
		default:
			v.fail("the model says of itself: %s %.12g, found %.12g", c.what, claim, found)
		}
	}
	if claim.By != found.By {
		v.fail("the model says of itself: leave-one-out bound by %q, found %q", claim.By, found.By)
	}
}
