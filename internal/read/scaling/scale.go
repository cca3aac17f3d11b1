// Package scaling measures the columns of a set and brings them to comparable sizes: scalings,
// moments, and offsets that were taken off before the rounding to single precision. It imports
// set, matrix and vec. Begin with [Scaling] and [Moments].
package scaling

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Scaling brings features to comparable sizes: a value x of feature j becomes
// (x - Offset[j]) * Factor[j]. It is learned from the training rows and kept in
// the model.
//
//	max  divides by the largest magnitude; zeros stay zeros
//	std  divides by the standard deviation; columns of numbers in tables and
//	     dense matrices are centred at their mean as well, features of sparse
//	     formats are not, so that they stay sparse
//
// Features made from categories, and constant features, are left alone.
type Scaling struct {
	Kind           string
	Offset, Factor []float64 // d each

	centred []uint32 // features with an offset, increasing
}

// Names returns the names that New takes.
func Names() []string { return []string{"none", "max", "std"} }

// New learns a scaling of that kind from s; nil for "none".
func New(kind string, s *set.Set) (*Scaling, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := Gapless(s.X); err != nil {
		return nil, err
	}
	indicator := s.Indicator()
	dense := matrix.IsDense(s.X)
	switch kind {
	case "none":
		return nil, nil
	case "max":
		return newScaling(kind, make([]float64, s.Cols()), maxFactors(largest(s.X), indicator)), nil
	case "std":
		offset, factor := deviations(s.X, indicator, dense || s.Schema != nil)
		return newScaling(kind, offset, factor), nil
	}
	return nil, registry.Unknown("scaling", kind, Names())
}

// Measure learns the scaling anew from s, centred if it is: whether columns are depends on
// the format of the rows too.
func (s *Scaling) Measure(set *set.Set) (*Scaling, error) {
	if s.Kind != "std" {
		return New(s.Kind, set)
	}
	offset, factor := deviations(set.X, set.Indicator(), len(s.centred) > 0)
	return newScaling(s.Kind, offset, factor), nil
}

// Restore makes the scaling of a model from its two vectors.
func Restore(kind string, offset, factor []float64) (*Scaling, error) {
	if len(offset) != len(factor) {
		return nil, fmt.Errorf("scaling: found %d offsets and %d factors", len(offset), len(factor))
	}
	for j := range factor {
		if !decimal.Finite(offset[j]) || !decimal.Finite(factor[j]) {
			return nil, fmt.Errorf("scaling: feature %d has offset %g and factor %g, expected finite numbers", j+1, offset[j], factor[j])
		}
	}
	return newScaling(kind, offset, factor), nil
}

func newScaling(kind string, offset, factor []float64) *Scaling {
	s := &Scaling{Kind: kind, Offset: offset, Factor: factor}
	for j, o := range offset {
		if o != 0 {
			s.centred = append(s.centred, uint32(j))
		}
	}
	return s
}

// largest returns the largest magnitude of each column.
func largest(x matrix.Matrix) []float64 {
	_, cols := x.Dims()
	most := make([]float64, cols)
	EachValue(x, func(j int, value float64) { most[j] = max(most[j], math.Abs(value)) })
	return most
}

// deviations returns 1/standard deviation and, if centre, the mean of every
// feature. The two passes avoid the cancellation of mean(x^2) - mean(x)^2.
func deviations(x matrix.Matrix, indicator []bool, centre bool) (offset, factor []float64) {
	c := NewColumns(x, nil)
	c.Squares = NewColumns(x, c.Mean()).Squares
	return c.deviations(indicator, centre)
}

// EachValue calls do for the values of x that are stored, row by row.
func EachValue(x matrix.Matrix, do func(j int, value float64)) {
	rows, _ := x.Dims()
	for i := range rows {
		v := x.Row(i)
		for k, value := range v.Value {
			do(v.Column(k), float64(value))
		}
	}
}

// Row returns the scaled row, using the memory of buffer.
func (s *Scaling) Row(buffer, x matrix.Vector) matrix.Vector {
	value, index := buffer.Value[:0], buffer.Index[:0]
	if x.Index == nil {
		for j, v := range x.Value {
			value = append(value, s.scaled(uint32(j), v))
		}
		return matrix.Vector{Value: value}
	}
	if index == nil {
		index = []uint32{}
	}
	centred := s.centred
	for k, j := range x.Index {
		for len(centred) > 0 && centred[0] < j { // zeros that do not stay zeros
			index, value = append(index, centred[0]), append(value, s.scaled(centred[0], 0))
			centred = centred[1:]
		}
		if len(centred) > 0 && centred[0] == j {
			centred = centred[1:]
		}
		index, value = append(index, j), append(value, s.scaled(j, x.Value[k]))
	}
	for _, j := range centred {
		index, value = append(index, j), append(value, s.scaled(j, 0))
	}
	return matrix.Vector{Index: index, Value: value}
}

func (s *Scaling) scaled(j uint32, v float32) float32 {
	return float32((float64(v) - s.Offset[j]) * s.Factor[j])
}

// Matrix returns the scaled rows of x.
func (s *Scaling) Matrix(x matrix.Matrix) matrix.Matrix {
	rows, cols := x.Dims()
	var buffer matrix.Vector
	if matrix.IsDense(x) {
		out := &matrix.Dense{Rows: rows, Cols: cols, Value: make([]float32, 0, rows*cols)}
		for i := range rows {
			buffer = s.Row(buffer, x.Row(i))
			out.Value = append(out.Value, buffer.Value...)
		}
		return out
	}
	out := &matrix.CSR{Start: make([]int64, 1, rows+1), Index: []uint32{}}
	for i := range rows {
		row := x.Row(i)
		if row.Index == nil { // one of several parts
			row.Index = make([]uint32, len(row.Value))
			for k := range row.Index {
				row.Index[k] = uint32(k)
			}
		}
		buffer = s.Row(buffer, row)
		out.Append(buffer.Index, buffer.Value)
	}
	out.Cols = cols
	return out
}
