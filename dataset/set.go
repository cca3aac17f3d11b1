// Package dataset turns files, streams and generators into sets of rows, and
// sets of rows into files.
//
// [Read] is the door: it opens the sources (files, globs, standard input,
// "@generator" specs), undoes compression, finds the format by content and
// returns one [Set]. [ReadFrom] is the door for what is no file, and [Schema.Row] for
// single records. [Blocks] is the door for rows to be seen once, in memory
// that does not grow with them. One format lives in one file and registers
// itself; adding one touches that file and one row of the formats test.
// Generators likewise.
//
// Input is hostile until proven otherwise: every error says where (file, line,
// column), what was found and what was expected; sizes are checked before
// anything is allocated. Training, scaling and what a target means are not
// decided here.
package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fenchel-ml/fenchel/matrix"
)

// A Set is rows with what belongs to each row.
type Set struct {
	X       matrix.Matrix // n x d; the values are finite
	Target  Target        // zero when the source has none
	Weight  []float64     // n positive numbers; nil: every row counts once
	Feature []string      // d names; nil when the format has none
	Schema  *Schema       // how columns became features; nil when they are the same thing

	ID        []string // of each row the field that Options.ID asks for, as it is spelled; nil: none
	IDName    string   // the name of its column
	Text      bool     // rows are texts, of each column the code point of a character
	ZeroBased bool     // LIBSVM indices of the rows begin with 0, where read and where written

	// Warnings are doubts about the data that did not stop the reading, such
	// as features or categories a model has never seen and that were ignored.
	Warnings []error

	// Rounding is how much the largest rounding to single precision changes a value, as a part
	// of the spread of its column, where no offset could be taken off before; 0 if that is no
	// more than 1e-6 for each.
	Rounding float64

	moved  bool           // offsets of Options.Schema were taken off, if there was one
	stored *storedDigest  // from a cache; nil: none
	sound  matrix.Matrix  // rows that were checked; nil: none
	close  []func() error // give back the files in which the rows are
}

// Close gives back the files in which rows, targets and weights are, if they
// are in mapped files: nothing that was taken from the set may be used after
// it. A set that is never closed costs address space, not memory.
func (s *Set) Close() error {
	var errs []error
	for _, give := range s.close {
		errs = append(errs, give())
	}
	s.close = nil
	return errors.Join(errs...)
}

// Rows returns n.
func (s *Set) Rows() int { rows, _ := s.X.Dims(); return rows }

// Cols returns d.
func (s *Set) Cols() int { _, cols := s.X.Dims(); return cols }

// Target is the column to be predicted, as it was spelled and as numbers. It
// has both Code and Number when the labels are numbers of which there are few
// enough to be classes.
type Target struct {
	// Label holds the distinct labels in their first spelling and in order of
	// first appearance; Code gives each row its place in Label. Two spellings
	// of one number, such as "1" and "+1", are one label. Both are nil when
	// there are more than MaxLabels distinct numbers.
	Label []string
	Code  []uint32

	// Number gives each row its number; nil when some label is not a number.
	Number []float64
}

// MaxLabels is the largest number of distinct numeric labels that may still be
// class names. Labels that are not numbers have no such limit.
const MaxLabels = 1 << 16

// Absent reports whether the rows have no target.
func (t Target) Absent() bool { return t.Code == nil && t.Number == nil }

// Schema says how the columns of a table became features, so that another
// table is turned into the same features. The rules: a column of numbers is
// one feature, and so is one of dates (in days) or of two words such as true and
// false; a column that is ignored is none; any other column is one 0/1 feature
// for each category; a
// missing number becomes the column's mean, a missing category becomes the
// category "?" if the first table had one, and else no category at all. From
// numbers that are so close to each other that rounding them to single precision
// would matter, such as times in seconds, a number is subtracted before: see
// Column.Offset. It may be of an array, too, for the sake of its offsets or the
// place of its target.
type Schema struct {
	Columns []Column `json:"columns"`
	Target  int      `json:"target"`          // place of the target in Columns, -1: none
	Weight  int      `json:"weight"`          // place of the row weights in Columns, -1: none
	Header  bool     `json:"header"`          // the columns have names; else their positions stand for these
	Array   bool     `json:"array,omitempty"` // the columns are those of an array, not of a table

	records atomic.Pointer[recordMaker] // nil until Row is called
}

// Table reports whether there is a schema, and it is that of a table.
func (s *Schema) Table() bool { return s != nil && !s.Array }

// Clone returns a schema with columns of its own.
func (s *Schema) Clone() *Schema {
	return &Schema{Columns: slices.Clone(s.Columns), Target: s.Target, Weight: s.Weight, Header: s.Header, Array: s.Array}
}

// Check returns why a schema that was read from a file cannot be one of a table
// that makes so many features.
func (s *Schema) Check(features int) error {
	if c := len(s.Columns); s.Target < -1 || s.Target >= c || s.Weight < -1 || s.Weight >= c {
		return fmt.Errorf("found target column %d and weight column %d of %d", s.Target, s.Weight, c)
	}
	if s.Target == s.Weight && s.Target >= 0 {
		return fmt.Errorf("found column %d as target and as weights, expected two columns", s.Target)
	}
	for i, c := range s.Columns {
		role := i == s.Target || i == s.Weight
		if role && c.Kind != KindPlain {
			return fmt.Errorf("found column %q of kind %q, which is no feature", c.Name, c.Kind)
		}
		if role && c.Offset != 0 {
			return fmt.Errorf("found %g to be subtracted from column %q, which is no feature", c.Offset, c.Name)
		}
		if c.Fill != 0 && (role || c.Category != nil) || role && c.Category != nil {
			return fmt.Errorf("found %g to stand for missing numbers and %d categories of column %q, which is none of numbers", c.Fill, len(c.Category), c.Name)
		}
		if !finite(float64(float32(c.Fill))) {
			return fmt.Errorf("found %g to stand for a missing number of column %q, expected a finite float32", c.Fill, c.Name)
		}
		if err := c.check(); err != nil {
			return err
		}
	}
	if f := s.Width(); f != features {
		return fmt.Errorf("found columns that make %d features, expected %d", f, features)
	}
	return nil
}

// CheckNames returns why features of a model that was read from a file cannot have been
// made of the columns under these names, nil if it does not say.
func (s *Schema) CheckNames(features []string) error {
	if made := s.features(); features != nil && !slices.Equal(made, features) {
		at := 0
		for at < min(len(made), len(features)) && made[at] == features[at] {
			at++
		}
		return fmt.Errorf("found %d names of features, expected those that columns and categories make: they differ at feature %d", len(features), at+1)
	}
	for i, c := range s.Columns {
		if position := strconv.Itoa(i + 1); !s.Header && c.Name != position {
			return fmt.Errorf("found the name %q of column %s of a table without names, expected its position", c.Name, position)
		}
	}
	return nil
}

// Width returns the number of features that the columns make.
func (s *Schema) Width() int {
	_, features := s.places()
	return features
}

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

	Kind Kind   `json:"kind,omitempty"` // how numbers are spelled
	From string `json:"from,omitempty"` // of dates: the one from which days are counted
	Why  string `json:"why,omitempty"`  // of a column that is ignored: what it holds
}

// check returns why a column that was read from a file cannot be one.
func (c Column) check() error {
	if c.Kind == KindIgnored && c.Fill != 0 || (c.Kind == KindIgnored) != (c.Why != "") || c.Why != "" && !slices.Contains(reasons, c.Why) {
		return fmt.Errorf("found column %q of kind %q because of %q, with %g to stand for missing numbers", c.Name, c.Kind, c.Why, c.Fill)
	}
	if s, _ := spellingOf(c); s == nil && c.Kind != KindPlain && c.Kind != KindIgnored {
		return fmt.Errorf("found column %q of kind %q, expected a kind of column", c.Name, c.Kind)
	}
	if c.Kind != KindPlain && c.Category != nil {
		return fmt.Errorf("found categories in column %q of kind %q, expected none", c.Name, c.Kind)
	}
	if !(math.Abs(c.Offset) <= math.MaxFloat32) || c.Offset != 0 && (c.Kind == KindIgnored || c.Kind == KindBoolean || c.Category != nil) {
		return fmt.Errorf("found %g to be subtracted from column %q of kind %q with %d categories, expected a finite number, and only of a column of numbers", c.Offset, c.Name, c.Kind, len(c.Category))
	}
	if _, ok := parseDate([]byte(c.From)); (c.From != "" || c.Kind == KindDate) && (!ok || c.Kind != KindDate || len(c.From) != len(time.DateOnly)) {
		return fmt.Errorf("found %q as the first day of column %q, expected an ISO date in a column of dates", c.From, c.Name)
	}
	return nil
}

// makes returns the number of features that column i makes.
func (s *Schema) makes(i int) int {
	switch c := s.Columns[i]; {
	case i == s.Target || i == s.Weight || c.Kind == KindIgnored:
		return 0
	case c.Category == nil:
		return 1
	default:
		return len(c.Category)
	}
}

// Indicator tells for each feature whether it is a 0/1 feature made from a
// category or two words. It returns nil when the set has no schema.
func (s *Set) Indicator() []bool {
	if s.Schema == nil {
		return nil
	}
	flags := make([]bool, 0, s.Cols())
	for i, c := range s.Schema.Columns {
		for range s.Schema.makes(i) {
			flags = append(flags, c.Category != nil || c.Kind == KindBoolean)
		}
	}
	return flags
}
