package scaling

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Ranges brings features, and targets, to given ranges, as svm-scale of LIBSVM does: a value
// v of feature j becomes
//
//	Lower + (Upper - Lower) (v - Min[j]) / (Max[j] - Min[j])
//
// Lower at Min[j] and Upper at Max[j] exactly, and 0 where these are equal. Values that are
// not stored are zeros, for the ranges too.
type Ranges struct {
	Lower, Upper float64
	Min, Max     []float64 // d each, of features as the data have them
	Target       *TargetRange
}

// TargetRange does so for the targets, with ranges of its own; nil: they stay as they are.
type TargetRange struct{ Lower, Upper, Min, Max float64 }

// NewRanges measures the least and largest value of each feature.
func NewRanges(s *set.Set, lower, upper float64, threads int) (*Ranges, error) {
	if err := CheckRange(lower, upper); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	if err := Gapless(s.X); err != nil {
		return nil, err
	}
	m := NewMoments(s.X, threads)
	r := &Ranges{Lower: lower, Upper: upper, Min: make([]float64, s.Cols()), Max: make([]float64, s.Cols())}
	offsets, factors := s.Schema.Offsets(), s.Schema.Factors()
	for j := range r.Min {
		r.Min[j], r.Max[j] = set.Raw(float64(m.Low[j]), j, offsets, factors), set.Raw(float64(m.High[j]), j, offsets, factors)
	}
	return r, nil
}

// NewStandard measures what the scaling std does, as ranges: a feature has its mean, or 0
// where that is not taken off, at 0 and a standard deviation more at 1. Constant features,
// and those of categories, stay as they are.
func NewStandard(s *set.Set) (*Ranges, error) {
	std, err := New("std", s)
	if err != nil {
		return nil, err
	}
	offsets, factors := s.Schema.Offsets(), s.Schema.Factors()
	r := &Ranges{Upper: 1, Min: make([]float64, s.Cols()), Max: make([]float64, s.Cols())}
	for j := range r.Min {
		r.Min[j] = set.Raw(std.Offset[j], j, offsets, factors)
		r.Max[j] = r.Min[j] + set.Raw(1/std.Factor[j], j, nil, factors)
	}
	return r, nil
}

// scalable refuses targets that are no column of numbers.
func scalable(t set.Target) error {
	if t.Names != nil {
		return fmt.Errorf("found %d targets a row, expected one to scale", len(t.Names))
	}
	if t.Number == nil {
		return fmt.Errorf("found targets that are not numbers, expected numbers to scale")
	}
	return nil
}

// MeasureTarget gives the targets, which are numbers, a range.
func (r *Ranges) MeasureTarget(t set.Target, lower, upper float64) error {
	if err := CheckRange(lower, upper); err != nil {
		return err
	}
	if err := scalable(t); err != nil {
		return err
	}
	r.Target = &TargetRange{Lower: lower, Upper: upper, Min: math.Inf(1), Max: math.Inf(-1)}
	for _, y := range t.Number {
		r.Target.Min, r.Target.Max = min(r.Target.Min, y), max(r.Target.Max, y)
	}
	return nil
}

// CheckRange returns why two numbers are not the ends of a range, nil if they are.
func CheckRange(lower, upper float64) error {
	if !(lower < upper) || math.IsInf(upper-lower, 0) {
		return fmt.Errorf("found the range from %g to %g, expected finite numbers, the first below the second", lower, upper)
	}
	return nil
}

// between is what v becomes.
func between(v, low, high, lower, upper float64) float64 {
	switch v {
	case low:
		return lower
	case high:
		return upper
	}
	return lower + float64((upper-lower)*(v-low))/(high-low)
}

// mostScaled is how many values scaled rows may have where zeros do not stay zeros.
const mostScaled = 1 << 29

// Apply returns the set scaled, with as many features as there are ranges: further ones are
// 0. It keeps names, weights and ids; columns of a table are features afterwards. A value
// beyond single precision, and zeros that would become more values than fit, are errors.
func (r *Ranges) Apply(s *set.Set) (*set.Set, error) {
	scaled := *s
	a := newApplied(r, s)
	if err := a.room(s.X); err != nil {
		return nil, err
	}
	if scaled.X = a.matrix(s.X); a.err != nil {
		return nil, a.err
	}
	scaled.Schema = nil
	if r.Target == nil {
		return &scaled, nil
	}
	if err := scalable(s.Target); err != nil {
		return nil, err
	}
	numbers, t := make([]float64, len(s.Target.Number)), r.Target
	for i, y := range s.Target.Number {
		if numbers[i] = y; t.Min != t.Max {
			numbers[i] = between(y, t.Min, t.Max, t.Lower, t.Upper)
		}
	}
	scaled.Target = set.NumberTarget(numbers)
	return &scaled, nil
}

// applied is ranges for the rows of one set.
type applied struct {
	*Ranges
	offset []float64 // that was taken off each feature
	factor []float64 // by which it was multiplied then
	filled []uint32  // features whose zeros do not stay zeros, increasing
	err    error
}

func newApplied(r *Ranges, s *set.Set) *applied {
	a := &applied{Ranges: r, offset: make([]float64, len(r.Min)), factor: slices.Repeat([]float64{1}, len(r.Min))}
	copy(a.offset, s.Schema.Offsets())
	copy(a.factor, s.Schema.Factors())
	for j := range r.Min {
		if a.value(uint32(j), 0) != 0 {
			a.filled = append(a.filled, uint32(j))
		}
	}
	return a
}

// value returns what v of feature j becomes.
func (a *applied) value(j uint32, v float32) float32 {
	if int(j) >= len(a.Min) || a.Min[j] == a.Max[j] {
		return 0
	}
	return float32(between(set.Raw(float64(v), int(j), a.offset, a.factor), a.Min[j], a.Max[j], a.Lower, a.Upper))
}

// room refuses sparse rows that would become too many values.
func (a *applied) room(x matrix.Matrix) error {
	rows, _ := x.Dims()
	if n := int64(rows) * int64(len(a.filled)); !matrix.IsDense(x) && n > mostScaled {
		return fmt.Errorf("found %d rows of %d features whose zeros become other numbers: at least %d values, expected at most %d; a lower end of 0 keeps zeros where no value is negative", rows, len(a.filled), n, mostScaled)
	}
	return nil
}

// matrix returns the rows of x scaled, stored as they were.
func (a *applied) matrix(x matrix.Matrix) matrix.Matrix {
	rows, cols := x.Dims()
	if matrix.IsDense(x) && cols == len(a.Min) {
		out := &matrix.Dense{Rows: rows, Cols: cols, Value: make([]float32, 0, rows*cols)}
		for i := range rows {
			for j, v := range x.Row(i).Value {
				out.Value = append(out.Value, a.checked(i, uint32(j), v))
			}
		}
		return out
	}
	out := &matrix.CSR{Cols: len(a.Min), Start: make([]int64, 1, rows+1), Index: []uint32{}, Value: []float32{}}
	for i := range rows {
		a.appendRow(out, i, x.Row(i))
	}
	return out
}

// appendRow adds a row to out: what is stored, and the zeros that do not stay so.
func (a *applied) appendRow(out *matrix.CSR, i int, row matrix.Vector) {
	filled := a.filled
	add := func(j uint32, v float32) {
		if x := a.checked(i, j, v); x != 0 {
			out.Index, out.Value = append(out.Index, j), append(out.Value, x)
		}
	}
	for k, v := range row.Value {
		j := uint32(row.Column(k))
		for len(filled) > 0 && filled[0] < j {
			add(filled[0], 0)
			filled = filled[1:]
		}
		if len(filled) > 0 && filled[0] == j {
			filled = filled[1:]
		}
		add(j, v)
	}
	for _, j := range filled {
		add(j, 0)
	}
	out.Start = append(out.Start, int64(len(out.Value)))
}

// checked is value, which notes the first that single precision does not hold.
func (a *applied) checked(i int, j uint32, v float32) float32 {
	x := a.value(j, v)
	if math.IsInf(float64(x), 0) && a.err == nil {
		a.err = fmt.Errorf("row %d: feature %d: found %g, which is beyond single precision when scaled", i+1, j+1, v)
	}
	return x
}

// Unseen returns a warning about the features of a set that vary there, and of which a file
// of ranges says nothing: they become 0, as svm-scale has it.
func (r *Ranges) Unseen(s *set.Set, first int, file string) []error {
	m := NewMoments(s.X, 0)
	count, example := 0, 0
	for j := range m.Low {
		if low, high := m.Low[j], m.High[j]; low != high && r.Min[j] == r.Max[j] {
			if count++; count == 1 {
				example = j + first
			}
		}
	}
	if count == 0 {
		return nil
	}
	return []error{fmt.Errorf("%s without a range in %s (first: %d): scaled to 0", fault.Plural(count, "feature is", "features are"), file, example)}
}
