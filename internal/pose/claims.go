package pose

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// A Preparation is what a model of any kind says of the rows that it was made of, and of
// how it makes features of others.
type Preparation struct {
	Data     model.Data
	Features []string
	Schema   *data.Schema
	Means    bool // fill values are compared elsewhere, with the means that the model stores
}

// Compare returns what does not hold of rows that have the digest, which were read by the
// schema where they could be; and why the names of columns could not be compared.
func (p Preparation) Compare(set *data.Set) (problems []string, unnamed string) {
	fail := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if stored, claim := matrix.Nonzeros(set.X), p.Data.Nonzeros; claim != stored && !slices.Contains(otherwiseStored(set.X), claim) {
		fail("%d values that are not zero are claimed, found %d", claim, stored)
	}
	if p.Features != nil && set.Feature != nil && !slices.Equal(p.Features, set.Feature) {
		fail("the data have other names of features than the model")
	}
	if p.Schema == nil {
		return problems, ""
	}
	switch {
	case set.Schema == nil && p.Schema.Header && (set.Feature == nil || p.Features == nil):
		unnamed = "the data have no names of columns, by which the model finds those of a table: expected the table that it was trained on"
	case set.Schema == nil:
	case !reflect.DeepEqual(set.Schema, p.Schema):
		fail("the data have other columns or categories than those that the model makes features of")
	}
	if column, fill, mean := wrongFill(p.Schema, set.X); !p.Means && column != "" {
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

// wrongFill returns the first column of numbers whose fill value, which replaces missing numbers, is not
// the mean of the column. It compares to single precision, as rows hold fill values in that precision.
func wrongFill(s *data.Schema, x matrix.Matrix) (column string, fill, mean float64) {
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
	first, _ := s.Places()
	for at, c := range s.Columns {
		if s.Answers(at) || c.Kind == set.KindIgnored || !c.IsNumber() {
			continue
		}
		j := first[at]
		mean := sum[j] / float64(rows)
		if slack := float64(0x1p-22*math.Abs(c.Fill)) + float64(Tolerance*size[j])/float64(rows); !(math.Abs(c.Fill-mean) <= slack) {
			return c.Name, c.Fill, mean
		}
	}
	return "", 0, 0
}

// CheckScaling measures the scaling of a model anew.
func CheckScaling(m *model.Model, set *data.Set) error {
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
		if !Near(found.Factor[j:j+1], m.Scaling.Factor[j:j+1]) || !Near(found.Offset[j:j+1], m.Scaling.Offset[j:j+1]) {
			return fmt.Errorf("feature %d is scaled by %.9g after %.9g was taken off, expected %.9g and %.9g, as %s scales the rows", j+1,
				m.Scaling.Factor[j], m.Scaling.Offset[j], found.Factor[j], found.Offset[j], m.Scaling.Kind)
		}
	}
	return nil
}

// Differs reports whether two values are further apart than slack. What is
// stored as no number may have been any that is not finite.
func Differs(claim, found model.Bound, slack float64) bool {
	switch {
	case claim == found:
		return false
	case math.IsNaN(float64(claim)) && FiniteOr(float64(found), 1) != float64(found):
		return false
	}
	return !(math.Abs(float64(claim-found)) <= slack)
}

// CompareClaim compares a claimed number with the number found. A difference of at most slack is none;
// a difference of more than the rounding errors of both explain is a problem; between the two the claim
// is unproved: another version of the program may have added in another order, or the claim was
// changed.
func CompareClaim(subject, what string, claim, found model.Bound, slack, rounding float64) (problem, unproved string) {
	switch text := fmt.Sprintf("%s claims the %s %.12g, found %.12g", subject, what, float64(claim), float64(found)); {
	case !Differs(claim, found, slack):
	case Differs(claim, found, slack+float64(4*FiniteOr(rounding, 0))):
		return text, ""
	default:
		return "", text + ", with a rounding error that may be as large"
	}
	return "", ""
}

// A SparseClaim is what was found of a machine that was made from a larger one.
type SparseClaim struct {
	Slant    float64 // its slant loss
	Problems []string
	Unproved string
	Alone    bool // nothing else of the model can be checked: its vectors are points of no problem
}

// CheckSparse checks such a machine; nil in programs without package sparsify, which sets it.
var CheckSparse func(m *model.Model, set *data.Set, threads int) SparseClaim
