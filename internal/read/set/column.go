package set

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/internal/read/terms"
)

// Column is one column of a table.
type Column struct {
	Name     string   `json:"name"`     // from the header, or "1", "2", ... by position
	Category []string `json:"category"` // distinct categories in order of first appearance; nil: numbers
	Fill     float64  `json:"fill"`     // stands for a missing number, without the Offset

	// Offset is subtracted from each number, in double precision, before it is rounded to
	// single precision: 0 unless the values of the column are so close to each other that
	// the rounding would matter. A model is about the features that this makes. Where rows
	// are centred, or a free bias is learned, or a kernel depends on differences alone, it
	// is the model of the numbers as they are too, with another bias or mean.
	Offset float64 `json:"offset,omitempty"`

	// Factor multiplies what the Offset leaves, before it is rounded: 0 for 1, else the power of
	// two that brings a column whose values are too small for single precision near 1.
	Factor float64 `json:"factor,omitempty"`

	Kind Kind         `json:"kind,omitempty"` // how numbers are spelled
	Text *terms.Space `json:"text,omitempty"` // the features that the column's texts make, of the kind text
	Size int          `json:"size,omitempty"` // of the vectors of the column, of the kind vector
	Unit string       `json:"unit,omitempty"` // that fields of numbers may be written with, such as kg or $
	From string       `json:"from,omitempty"` // of dates: the one from which days are counted
	Why  string       `json:"why,omitempty"`  // of a column that is ignored: what it holds
}

// IsWords reports whether the column makes features of words: one for each category or term.
func (c *Column) IsWords() bool { return c.Category != nil || c.Text != nil }

// IsNumber reports whether the column makes one feature, a number that may be missing.
func (c *Column) IsNumber() bool { return !c.IsWords() && c.Size == 0 }

// Width is the number of features of a column that makes some: 1, or one for each category, term or entry of a vector.
func (c *Column) Width() int {
	switch {
	case c.Size > 0:
		return c.Size
	case c.Text != nil:
		return c.Text.Width()
	case c.Category != nil:
		return len(c.Category)
	}
	return 1
}

// Stored is a number of the column before it is rounded.
func (c *Column) Stored(v float64) float64 {
	if v -= c.Offset; c.Factor != 0 {
		v *= c.Factor
	}
	return v
}

// Moves reports whether the column stores other numbers than it has.
func (c *Column) Moves() bool { return c.Offset != 0 || c.Factor != 0 }

// check returns why a column that was read from a file cannot be one.
func (c Column) check() error {
	if (c.Kind == KindText) != (c.Text != nil) {
		return fmt.Errorf("found column %q of kind %q, expected terms in one of texts and in no other", c.Name, c.Kind)
	}
	if (c.Kind == KindVector) != (c.Size > 0) || int64(c.Size) > math.MaxUint32 || c.Size > 0 && (c.Offset != 0 || c.Factor != 0 || c.Fill != 0) {
		return fmt.Errorf("found column %q of kind %q, expected a number of entries in one of vectors and in no other", c.Name, c.Kind)
	}
	if c.Text != nil {
		if err := c.Text.Check(); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	}
	if c.Kind == KindIgnored && c.Fill != 0 || (c.Kind == KindIgnored) != (c.Why != "") || c.Why != "" && !slices.Contains(reasons, c.Why) {
		return fmt.Errorf("found column %q of kind %q because of %q, with %g to stand for missing numbers", c.Name, c.Kind, c.Why, c.Fill)
	}
	if s, _ := SpellingOf(c); s == nil && c.Kind != KindPlain && c.Kind != KindIgnored && c.Kind != KindText && c.Kind != KindVector {
		return fmt.Errorf("found column %q of kind %q, expected a kind of column", c.Name, c.Kind)
	}
	if c.Kind != KindPlain && c.Category != nil {
		return fmt.Errorf("found categories in column %q of kind %q, expected none", c.Name, c.Kind)
	}
	if !(math.Abs(c.Offset) <= math.MaxFloat32) || c.Offset != 0 && (c.Kind == KindIgnored || c.Kind == KindBoolean || c.IsWords()) {
		return fmt.Errorf("found %g to be subtracted from column %q of kind %q with %d categories, expected a finite number, and only of a column of numbers", c.Offset, c.Name, c.Kind, len(c.Category))
	}
	if c.Unit != "" && c.Kind != KindAmount && c.Kind != KindComma {
		return fmt.Errorf("found the unit %q of column %q of kind %q, expected none", c.Unit, c.Name, c.Kind)
	}
	if half, _ := math.Frexp(c.Factor); c.Factor != 0 && (half != 0.5 || c.Factor <= 1 || c.Kind == KindIgnored || c.Kind == KindBoolean || c.IsWords()) {
		return fmt.Errorf("found the factor %g of column %q of kind %q with %d categories, expected a power of two above 1, and only of a column of numbers", c.Factor, c.Name, c.Kind, len(c.Category))
	}
	if _, err := time.Parse(time.DateOnly, c.From); (c.From != "" || c.Kind.IsDate()) && (err != nil || !c.Kind.IsDate()) {
		return fmt.Errorf("found %q as the first day of column %q, expected an ISO date in a column of dates", c.From, c.Name)
	}
	return nil
}

// The reasons for which a column is ignored.
const (
	WhyAsked = "asked"
	WhyID    = "id"
	WhyText  = "text"
	WhyEmpty = "empty"
)

var reasons = []string{WhyAsked, WhyID, WhyText, WhyEmpty}
