package set

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Values are stored in single precision, which rounds each by up to 6e-8 of its size. Of a
// column such as a time in seconds, 1.7e9 and more, that is 64: more than what the rows
// differ by. Such a column has an offset, in double precision, that is taken off before the
// rounding (Column.Offset), so that no value loses more than 1e-6 of the spread of its
// column: the largest value less the least.
//
// Whether a column has one depends on all of its values, and on nothing else: neither on
// their order, nor on threads, nor on how a file is cut. Ordinary columns are not measured:
// single precision does not matter where a few rows differ by an eighth of their size, or
// have a zero among them, since other rows can only make the spread larger.

// tolerated is the largest rounding of a value that is left alone, as a part of the spread.
const tolerated = 1e-6

// A Spread is what the values of a column are before they are rounded.
type Spread struct {
	Low, High float64
	loss      float64 // the largest error of rounding
	Some      bool    // there are values
	Wide      bool    // rounding does not matter, and the rest is not known
}

// Add takes a value.
func (s *Spread) Add(v float64) {
	if !s.Some {
		s.Low, s.High, s.Some = v, v, true
	}
	if v < s.Low {
		s.Low = v
	}
	if v > s.High {
		s.High = v
	}
	if loss := math.Abs(float64(float32(v)) - v); loss > s.loss {
		s.loss = loss
	}
}

// Merge takes the values of other rows.
func (s *Spread) Merge(o Spread) {
	switch {
	case s.Wide || !o.Some && !o.Wide:
		return
	case o.Wide || !s.Some:
		*s = o
	default:
		s.Low, s.High, s.loss = min(s.Low, o.Low), max(s.High, o.High), max(s.loss, o.loss)
	}
	s.Settle()
}

// Settle forgets what does not matter.
func (s *Spread) Settle() {
	if zero := s.Low == 0 && s.High == 0; s.Some && !zero && !IsTight(s.Low, s.High) { // zeros may come with any others
		*s = Spread{Wide: true}
	}
}

// SettleFirst is settle for the first rows of a stream, of which the spread is likely to be
// much smaller than that of all.
func (s *Spread) SettleFirst() {
	const large = 1e-3
	if s.Rounding() <= large {
		*s = Spread{Wide: true}
	}
}

// IsTight reports whether values from low to high are so close that rounding may
// matter: single precision loses 2^-24 of a value, which is less than is tolerated if the
// largest is no more than eight times the spread. Where rows are added that are more than
// twice as large as these, the spread is half as large as they are, and more.
func IsTight(low, high float64) bool {
	return isTight(low, high) || Spread{Low: low, High: high, Some: true}.Small()
}

// Small reports whether all values are so small that they may be multiplied, and not all 0.
func (s Spread) Small() bool {
	return s.Some && (s.Low != 0 || s.High != 0) && max(-s.Low, s.High) < Tiny
}

// isTight is IsTight but for values that are small.
func isTight(low, high float64) bool {
	return low >= 8*(high-low) && low > 0 || -high >= 8*(high-low) && high < 0
}

// Rounding is the largest error of rounding as a part of the spread; 0 if it does not matter.
func (s Spread) Rounding() float64 {
	if s.Wide || !s.Some || s.loss <= tolerated*(s.High-s.Low) || s.High == s.Low {
		return 0
	}
	return s.loss / (s.High - s.Low)
}

// Tiny is below what the values of a column, or what an offset leaves of them, are multiplied:
// single precision has no numbers below 1e-45, and few digits below 1e-38.
const Tiny = 0x1p-100

// Factor is by what the values less an offset are to be multiplied; 0 if rounding does not
// matter.
func (s Spread) Factor(offset float64) float64 {
	largest := max(math.Abs(s.Low-offset), math.Abs(s.High-offset))
	if s.Rounding() == 0 || largest >= Tiny {
		return 0
	}
	_, exponent := math.Frexp(largest)
	return math.Ldexp(1, min(-exponent, 1023))
}

// Offset is what is to be taken off: the middle, rounded to a power of ten that is no larger
// than the spread; 0 if rounding does not matter.
func (s Spread) Offset() float64 {
	if s.Rounding() == 0 || !isTight(s.Low, s.High) {
		return 0
	}
	middle := s.Low + (s.High-s.Low)/2
	for digits := range 17 {
		text := strconv.FormatFloat(middle, 'e', digits, 64)
		if v, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(v-middle) <= (s.High-s.Low)/2 {
			return v
		}
	}
	return middle
}

// An OffsetNote says what was taken off the columns, in one line.
type OffsetNote struct {
	names, offsets []string
	apart          float64  // the least spread as a part of the size
	small          []string // columns that are multiplied
}

// Add notes the offset and the factor of a column.
func (n *OffsetNote) Add(s Spread, c *Column) {
	name, offset := c.Name, c.Offset
	if c.Factor != 0 {
		n.small = append(n.small, fmt.Sprintf("%q (by 2^%d)", name, int(math.Log2(c.Factor))))
	}
	if offset == 0 {
		return
	}
	apart := (s.High - s.Low) / math.Abs(offset)
	if n.names == nil || apart < n.apart {
		n.apart = apart
	}
	n.names, n.offsets = append(n.names, name), append(n.offsets, SpellNumber(offset))
}

// Warning returns the note, if there is something to be said.
func (n *OffsetNote) Warning() (said []error) {
	const most = 3
	if len(n.small) > most {
		n.small = append(n.small[:most], "...")
	}
	if n.small != nil {
		said = append(said, fmt.Errorf("columns too small for single precision: %s multiplied before rounding", strings.Join(n.small, ", ")))
	}
	if n.names == nil {
		return said
	}
	column, names, offsets := "column", fault.Quoted(n.names[:min(most, len(n.names))]), n.offsets[:min(most, len(n.names))]
	if len(n.names) > 1 {
		column = "columns"
	}
	if more := len(n.names) - most; more > 0 {
		names, offsets = fmt.Sprintf("%s and %d more", names, more), append(offsets, "...")
	}
	return append(said, fmt.Errorf("%s %s: %s subtracted before rounding to single precision (values differ by %.0e of their size)",
		column, names, strings.Join(offsets, ", "), n.apart))
}

// Matters reports whether rounding is worth a word.
func (s Spread) Matters() bool { return s.Rounding() > 1e-4 }

// Lost says what rounding does to a column that has no offset.
func (s Spread) Lost(name string) error {
	return fault.In(name, "rounding to single precision changes values by up to %.1g of their spread", s.Rounding())
}

// ColumnNamed is how messages call a column.
func ColumnNamed(name string) string { return fmt.Sprintf("column %q", name) }

// ProbeRows is how many rows of a chunk tell which columns rounding may matter to.
const ProbeRows = 64

// Sparse rows have no offsets, but columns of values that are all too small for single precision
// are multiplied as those of a table are: zeros stay what they are.

// A Small is a value of sparse rows that is below Tiny, as it was before it was rounded.
type Small struct {
	Row    int
	Column uint32
	Value  float64
}

// Compare orders values by row and column.
func (s Small) Compare(o Small) int {
	return cmp.Or(cmp.Compare(s.Row, o.Row), cmp.Compare(s.Column, o.Column))
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
	X      *matrix.CSR
	Small  []Small   // by row and column
	Weight []float64 // nil: each row counts; those of weight 0 choose no factors
}

// Multiply multiplies the columns that are too small for single precision, or those that the
// schema of a model says, and puts the other small values where they belong, rounded. The schema
// is nil if nothing is multiplied.
func Multiply(parts []*SparseRows, opt *Options) (s *Schema, said []error, rounding float64, err error) {
	_, cols := parts[0].X.Dims()
	factors := opt.Schema.Factors()
	if opt.Schema == nil && !opt.Precomputed {
		s, said, rounding = choose(parts, cols, opt.Unmoved || opt.Columns > 0)
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
			if p.Weight == nil || p.Weight[v.Row] != 0 {
				spreads[v.Column].Add(v.Value)
			}
		}
	}
	if len(spreads) == 0 {
		return nil, nil, 0
	}
	for _, p := range parts {
		for i := range p.X.Start[1:] {
			row := p.X.Row(i)
			for k, j := range row.Index {
				if of := spreads[j]; of != nil && (p.Weight == nil || p.Weight[i] != 0) && !IsSmall(math.Float32bits(row.Value[k])) {
					of.Wide = true
				}
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

// A SparseSpread is the spread of a feature that all of some rows have.
type SparseSpread struct {
	Column uint32
	Rows   int
	Spread
}

// IsMark reports whether the values are all the same short number, such as the 1 that marks
// a category: it is stored as it is.
func (s *SparseSpread) IsMark() bool {
	return s.Low == s.High && math.Float32bits(float32(s.Low))&0xfff == 0
}

// SparseSpreads are those of the features that all rows have so far.
type SparseSpreads struct {
	some bool // there are rows
	of   []SparseSpread
}

// Take keeps the features that other rows, of which there are some, have too.
func (a *SparseSpreads) Take(rows []SparseSpread) {
	if !a.some {
		a.some, a.of = true, rows
		return
	}
	place := func(column uint32) int {
		return slices.IndexFunc(rows, func(s SparseSpread) bool { return s.Column == column })
	}
	a.of = slices.DeleteFunc(a.of, func(s SparseSpread) bool { return place(s.Column) < 0 })
	for i := range a.of {
		a.of[i].Merge(rows[place(a.of[i].Column)].Spread)
	}
}

// Lost says what rounding does to the features, but those that may be multiplied, and how much
// it is at most.
func (a *SparseSpreads) Lost(name func(column uint32) string) (said []error, most float64) {
	for _, s := range a.of {
		if r := s.Rounding(); r > 0 && (!s.Small() || s.Offset() != 0) {
			most = max(most, r)
			if s.Matters() {
				said = append(said, s.Lost(name(s.Column)))
			}
		}
	}
	return said, most
}
