package set

import (
	"fmt"
	"math"
	"strconv"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Sparse rows have no offsets, but columns of values that are all too small for single precision
// are multiplied as those of a table are: zeros stay what they are.

// A Small is a value of sparse rows that is below Tiny, as it was before it was rounded.
type Small struct {
	Row    int
	Column uint32
	Value  float64
}

// IsSmall reports whether a value that was rounded to these bits is below Tiny, or zero.
func IsSmall(bits uint32) bool { return bits<<1 < 27<<24 }

// Positions is the schema of so many columns of numbers with a target among them, -1 for none.
func Positions(columns, target int) *Schema {
	s := &Schema{Columns: make([]Column, columns), Target: target, Weight: -1, Array: true}
	for i := range s.Columns {
		s.Columns[i].Name = strconv.Itoa(i + 1)
	}
	return s
}

// Multiplying is the schema of so many columns that have the factors of s alone.
func (s *Schema) Multiplying(cols int) *Schema {
	p, factors := Positions(cols, -1), s.Factors()
	for j, f := range factors[:min(cols, len(factors))] {
		if f != 1 {
			p.Columns[j].Factor = f
		}
	}
	return p
}

// SparseRows are rows with the values that are too small for them: where one rounds to zero, the
// rows store any number in its stead.
type SparseRows struct {
	X     *matrix.CSR
	Small []Small // by row and column
}

// Multiply multiplies the columns that are too small for single precision, or those that the
// schema of a model says, and puts the other small values where they belong, rounded. The schema
// is nil if nothing is multiplied.
func Multiply(parts []*SparseRows, opt *Options) (s *Schema, said []error, rounding float64, err error) {
	_, cols := parts[0].X.Dims()
	factors := opt.Schema.Factors()
	if opt.Schema == nil && opt.Columns == 0 && !opt.Precomputed {
		s, said, rounding = choose(parts, cols, opt.Unmoved)
	} else if factors != nil {
		s = opt.Schema.Multiplying(cols)
	}
	factors = s.Factors()
	for _, p := range parts {
		if err := p.multiply(factors); err != nil {
			return nil, nil, 0, err
		}
	}
	return s, said, rounding, nil
}

// choose returns the schema that has the factors of columns, nil for none.
func choose(parts []*SparseRows, cols int, unmoved bool) (s *Schema, said []error, rounding float64) {
	spreads := map[uint32]*Spread{}
	for _, p := range parts {
		for _, v := range p.Small {
			if spreads[v.Column] == nil {
				spreads[v.Column] = &Spread{Some: true} // a zero
			}
			spreads[v.Column].Add(v.Value)
		}
	}
	if len(spreads) == 0 {
		return nil, nil, 0
	}
	for _, p := range parts {
		for k, v := range p.X.Value {
			if of := spreads[p.X.Index[k]]; of != nil && !IsSmall(math.Float32bits(v)) {
				of.Wide = true
			}
		}
	}
	var note OffsetNote
	for j := range cols {
		of := spreads[uint32(j)]
		if of == nil || of.Wide || of.Factor(0) == 0 {
			continue
		}
		if unmoved {
			if rounding = max(rounding, of.Rounding()); of.Matters() {
				said = append(said, of.Lost("column "+strconv.Itoa(j+1)))
			}
			continue
		}
		if s == nil {
			s = Positions(cols, -1)
		}
		s.Columns[j].Factor = of.Factor(0)
		note.Add(*of, &s.Columns[j])
	}
	return s, append(said, note.Warning()...), rounding
}

// multiply multiplies the columns that have factors, nil for none.
func (p *SparseRows) multiply(factors []float64) error {
	stored := func(row int, j uint32, v float64) (float32, error) {
		f := 1.0
		if int(j) < len(factors) {
			f = factors[j]
		}
		if x := float32(v * f); x-x == 0 {
			return x + 0, nil // no negative zero
		}
		return 0, fmt.Errorf("row %d, column %d: found %g, expected a magnitude below %.2g: the model multiplies the column by 2^%d", row+1, j+1, v, math.MaxFloat32/f, int(math.Log2(f)))
	}
	if len(p.Small) == 0 && factors == nil {
		return nil
	}
	rows, cols := p.X.Dims()
	small, b, line := p.Small, NewRowBuilder(cols, &Options{}), []float32(nil)
	for i := range rows {
		row := p.X.Row(i)
		line = append(line[:0], row.Value...)
		for k, j := range row.Index {
			v := float64(row.Value[k])
			if len(small) > 0 && small[0].Row == i && small[0].Column == j {
				v, small = small[0].Value, small[1:]
			}
			var err error
			if line[k], err = stored(i, j, v); err != nil {
				return err
			}
		}
		b.AddSparse(row.Index, line)
	}
	p.X, p.Small = b.Sparse, nil
	p.X.Cols = cols
	return nil
}
