package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
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

// A spread is what the values of a column are before they are rounded.
type spread struct {
	low, high float64
	loss      float64 // the largest error of rounding
	some      bool    // there are values
	wide      bool    // rounding does not matter, and the rest is not known
}

func (s *spread) add(v float64) {
	if !s.some {
		s.low, s.high, s.some = v, v, true
	}
	if v < s.low {
		s.low = v
	}
	if v > s.high {
		s.high = v
	}
	if loss := math.Abs(float64(float32(v)) - v); loss > s.loss {
		s.loss = loss
	}
}

// merge takes the values of other rows.
func (s *spread) merge(o spread) {
	switch {
	case s.wide || !o.some && !o.wide:
		return
	case o.wide || !s.some:
		*s = o
	default:
		s.low, s.high, s.loss = min(s.low, o.low), max(s.high, o.high), max(s.loss, o.loss)
	}
	s.settle()
}

// settle forgets what does not matter.
func (s *spread) settle() {
	if s.some && !isTight(s.low, s.high) {
		*s = spread{wide: true}
	}
}

// settleFirst is settle for the first rows of a stream, of which the spread is likely to be
// much smaller than that of all.
func (s *spread) settleFirst() {
	const large = 1e-3
	if s.rounding() <= large {
		*s = spread{wide: true}
	}
}

// isTight reports whether values from low to high are so close that rounding may
// matter: single precision loses 2^-24 of a value, which is less than is tolerated if the
// largest is no more than eight times the spread. Where rows are added that are more than
// twice as large as these, the spread is half as large as they are, and more.
func isTight(low, high float64) bool {
	const least = 0x1p-126 // below it single precision has fewer digits, or none
	return low >= max(least, 8*(high-low)) || -high >= max(least, 8*(high-low))
}

// rounding is the largest error of rounding as a part of the spread; 0 if it does not matter.
func (s spread) rounding() float64 {
	if s.wide || !s.some || s.loss <= tolerated*(s.high-s.low) || s.high == s.low {
		return 0
	}
	return s.loss / (s.high - s.low)
}

// offset is what is to be taken off: the middle, rounded to a power of ten that is no larger
// than the spread; 0 if rounding does not matter.
func (s spread) offset() float64 {
	if s.rounding() == 0 {
		return 0
	}
	middle := s.low + (s.high-s.low)/2
	for digits := range 17 {
		text := strconv.FormatFloat(middle, 'e', digits, 64)
		if v, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(v-middle) <= (s.high-s.low)/2 {
			return v
		}
	}
	return middle
}

// An offsetNote says what was taken off the columns, in one line.
type offsetNote struct {
	names, offsets []string
	apart          float64 // the least spread as a part of the size
}

func (n *offsetNote) add(s spread, name string, offset float64) {
	apart := (s.high - s.low) / math.Abs(offset)
	if n.names == nil || apart < n.apart {
		n.apart = apart
	}
	n.names, n.offsets = append(n.names, name), append(n.offsets, spellNumber(offset))
}

// warning returns the note, if there is something to be said.
func (n *offsetNote) warning() []error {
	if n.names == nil {
		return nil
	}
	const most = 3
	column, names, offsets := "column", quoted(n.names[:min(most, len(n.names))]), n.offsets[:min(most, len(n.names))]
	if len(n.names) > 1 {
		column = "columns"
	}
	if more := len(n.names) - most; more > 0 {
		names, offsets = fmt.Sprintf("%s and %d more", names, more), append(offsets, "...")
	}
	return []error{fmt.Errorf("%s %s: %s subtracted before rounding to single precision (values differ by %.0e of their size)",
		column, names, strings.Join(offsets, ", "), n.apart)}
}

// matters reports whether rounding is worth a word.
func (s spread) matters() bool { return s.rounding() > 1e-4 }

// lost says what rounding does to a column that has no offset.
func (s spread) lost(name string) error {
	return fault.In(name, "rounding to single precision changes values by up to %.1g of their spread", s.rounding())
}

func columnNamed(name string) string { return fmt.Sprintf("column %q", name) }

// probeRows is how many rows of a chunk tell which columns rounding may matter to.
const probeRows = 64
