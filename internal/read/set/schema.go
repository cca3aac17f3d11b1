package set

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
)

// Schema says how the columns of a table became features, so that another
// table is turned into the same features. The rules: a column of numbers is
// one feature, and so is one of dates (in days) or of two words such as true and
// false; a column that is ignored is none; any other column is one 0/1 feature
// for each category; a
// missing number becomes the column's mean, a missing category becomes the
// category "?" if the first table had one, and else no category at all. From
// numbers that are so close to each other that rounding them to single precision
// would matter, such as times in seconds, a number is subtracted before: see
// Column.Offset; ones too small for it are multiplied: see Column.Factor. An array
// has a schema, too, where it has offsets or a target among its columns.
type Schema struct {
	Columns []Column `json:"columns"`
	Target  int      `json:"target"`                    // index of the target in Columns, -1: none
	Weight  int      `json:"weight"`                    // index of the row weights in Columns, -1: none
	Further []int    `json:"further_targets,omitempty"` // indices of other targets, where there are several
	Header  bool     `json:"header"`                    // the columns have names; else their positions stand for these
	Array   bool     `json:"array,omitempty"`           // the columns are those of an array, not of a table

	Sparse bool `json:"sparse,omitempty"` // and rows name the features that are not 0

	Missing []string `json:"missing,omitempty"` // spellings of a missing value, but where they are categories, besides the usual ones
	// Crossings are products of the features of two columns, which are features behind those of all columns.
	Crossings []terms.Crossing `json:"crossings,omitempty"`

	// SkipUnlabelled says that rows without a target were left out; readers do so where the option of that name says it.
	SkipUnlabelled bool `json:"skip_unlabelled,omitempty"`

	records atomic.Pointer[recordMaker] // nil until Row is called
}

// Table reports whether there is a schema, and it is that of a table.
func (s *Schema) Table() bool { return s != nil && !s.Array }

// Standardised reports whether numbers are standardised unless something else is asked: those of a table, but where it has
// vectors. These are taken as they are, as rows of other sparse formats are.
func (s *Schema) Standardised() bool {
	return s.Table() && !slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Size > 0 })
}

// Named reports whether rows give features by name; the features that a row omits are 0.
func (s *Schema) Named() bool { return s != nil && s.Sparse }

// Clone returns a schema with columns of its own.
func (s *Schema) Clone() *Schema {
	return &Schema{Columns: slices.Clone(s.Columns), Target: s.Target, Further: s.Further, Weight: s.Weight, Header: s.Header, Array: s.Array, Sparse: s.Sparse, Missing: s.Missing, SkipUnlabelled: s.SkipUnlabelled, Crossings: slices.Clone(s.Crossings)}
}

// Answers reports whether column i holds a target or the weights, and makes no feature.
func (s *Schema) Answers(i int) bool { return i == s.Weight || s.Predicts(i) }

// Predicts reports whether column i holds a target.
func (s *Schema) Predicts(i int) bool { return i == s.Target || slices.Contains(s.Further, i) }

// Later reports whether programs before version 2 of the format of models would not know how
// fields are spelled, or which rows were left out.
func (s *Schema) Later() bool {
	return s != nil && (s.Missing != nil || s.Sparse || s.Crossings != nil || s.Further != nil || s.SkipUnlabelled || slices.ContainsFunc(s.Columns, func(c Column) bool {
		return c.Unit != "" || c.Factor != 0 || !slices.Contains([]Kind{KindPlain, KindComma, KindBoolean, KindDate, KindIgnored}, c.Kind)
	}))
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
	for k, at := range s.Further {
		if at < 0 || at >= len(s.Columns) || at == s.Target || at == s.Weight || slices.Contains(s.Further[:k], at) {
			return fmt.Errorf("found column %d as one more target, expected another of %d columns each", at, len(s.Columns))
		}
	}
	for i, c := range s.Columns {
		role := s.Answers(i)
		if role && c.Kind != KindPlain && (i != s.Target || !c.Kind.IsNumber()) {
			return fmt.Errorf("found column %q of kind %q, which is no feature", c.Name, c.Kind)
		}
		if role && (c.Offset != 0 || c.Factor != 0) {
			return fmt.Errorf("found %g to be subtracted from column %q, which is no feature, or the factor %g", c.Offset, c.Name, c.Factor)
		}
		if c.Fill != 0 && (role || c.IsWords()) || role && !c.IsNumber() {
			return fmt.Errorf("found %g to stand for missing numbers and %d categories of column %q, which is none of numbers", c.Fill, len(c.Category), c.Name)
		}
		if !decimal.Finite(float64(float32(c.Fill))) {
			return fmt.Errorf("found %g to stand for a missing number of column %q, expected a finite float32", c.Fill, c.Name)
		}
		if err := c.check(); err != nil {
			return err
		}
	}
	for _, c := range s.Crossings {
		if a, b := c.Columns[0], c.Columns[1]; a < 0 || b < 0 || a >= len(s.Columns) || b >= len(s.Columns) || s.Array {
			return fmt.Errorf("found products of columns %v, expected two of the %d columns of a table", c.Columns, len(s.Columns))
		} else if err := c.Check(s.makes(a), s.makes(b)); err != nil {
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
	if made := s.Features(); features != nil && !slices.Equal(made, features) {
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

// Width returns the number of features: of those that the columns make, and of products.
func (s *Schema) Width() int {
	_, features := s.Places()
	for i := range s.Crossings {
		features += s.Crossings[i].Width()
	}
	return features
}

// makes returns the number of features that column i makes.
func (s *Schema) makes(i int) int {
	if c := &s.Columns[i]; !s.Answers(i) && c.Kind != KindIgnored {
		return c.Width()
	}
	return 0
}

// Places returns the first feature of each column and the number of features that columns make; products come behind these.
func (s *Schema) Places() (first []int, features int) {
	first = make([]int, len(s.Columns))
	for i := range s.Columns {
		first[i] = features
		features += s.makes(i)
	}
	return first, features
}

// Crosser returns what appends the products to rows; nil if there are none.
func (s *Schema) Crosser() *terms.Crosser {
	if len(s.Crossings) == 0 {
		return nil
	}
	first, base := s.Places()
	return terms.NewCrosser(s.Crossings, func(i int) int { return first[i] }, s.makes, base, s.columnFeatures())
}

// crossedIndicators tells for each product whether both of its columns are no numbers.
func (s *Schema) crossedIndicators() (flags []bool) {
	for _, c := range s.Crossings {
		both := true
		for _, at := range c.Columns {
			of := s.Columns[at]
			both = both && (of.IsWords() || of.Kind == KindBoolean)
		}
		flags = append(flags, slices.Repeat([]bool{both}, c.Width())...)
	}
	return flags
}

// Crossed names the products of two columns.
func (s *Schema) Crossed(c terms.Crossing) string {
	return s.Columns[c.Columns[0]].Name + "*" + s.Columns[c.Columns[1]].Name
}

// crossedNames says how many products of which columns there are.
func (s *Schema) crossedNames() (list []string) {
	for _, c := range s.Crossings {
		list = append(list, fmt.Sprintf("%s of %s and %s", fault.Plural(c.Width(), "product", "products"), fault.Printable(s.Columns[c.Columns[0]].Name), fault.Printable(s.Columns[c.Columns[1]].Name)))
	}
	return list
}

// Features names the features: the column, "column=category" or, of vectors, "column_0" and so on; of products two of these with a star between.
func (s *Schema) Features() []string {
	names, x := s.columnFeatures(), s.Crosser()
	for width := s.Width(); len(names) < width; {
		names = append(names, x.Name(len(names)))
	}
	return names
}

// columnFeatures is Features without products.
func (s *Schema) columnFeatures() []string {
	var names []string
	for i, c := range s.Columns {
		switch {
		case s.makes(i) == 0:
		case c.Text != nil:
			for j := range c.Text.Width() {
				names = append(names, c.Name+"="+c.Text.Name(j))
			}
		case c.Size > 0:
			for j := range c.Size {
				names = append(names, c.Name+"_"+strconv.Itoa(j))
			}
		case c.Category == nil:
			names = append(names, c.Name)
		default:
			for _, category := range c.Category {
				names = append(names, c.Name+"="+category)
			}
		}
	}
	return names
}

// Names reports whether name is that of a column, or its position from 1.
func (s *Schema) Names(column int, name string) bool {
	return column >= 0 && (s.Columns[column].Name == name || strconv.Itoa(column+1) == name)
}

// namesAll reports whether a list of names is that of all targets, where there are several.
func (s *Schema) namesAll(list string) bool {
	names := strings.Split(list, ",")
	if len(names) != 1+len(s.Further) {
		return false
	}
	for k, at := range append([]int{s.Target}, s.Further...) {
		if !s.Names(at, names[k]) {
			return false
		}
	}
	return true
}

// Agrees refuses options that name other columns than the schema does.
func (s *Schema) Agrees(opt *Options) error {
	for _, o := range []struct {
		role, name string
		column     int
	}{{"target", opt.Target, s.Target}, {"weights", opt.Weights, s.Weight}} {
		if o.name != "" && !s.Names(o.column, o.name) && !(o.role == "target" && s.namesAll(o.name)) {
			of := "none"
			if o.column >= 0 {
				of = fmt.Sprintf("%q", s.Columns[o.column].Name)
			}
			return fmt.Errorf("found the column %q asked for as %s, expected %s as in the training data", o.name, o.role, of)
		}
	}
	return nil
}

// Offsets returns what was taken off each feature before it was rounded to single
// precision; nil if that is nothing.
func (s *Schema) Offsets() []float64 {
	return s.each(0, func(c *Column) float64 { return c.Offset })
}

// Factors returns by what each feature, less its offset, was multiplied before it was rounded
// to single precision; nil if that is 1 for all.
func (s *Schema) Factors() []float64 {
	return s.each(1, func(c *Column) float64 { return c.Factor })
}

// Moves returns of each feature its column, for Column.Stored; nil if numbers are stored as they are.
func (s *Schema) Moves() []Column {
	if s.Offsets() == nil && s.Factors() == nil {
		return nil
	}
	first, _ := s.Places()
	all := make([]Column, s.Width())
	for i, c := range s.Columns {
		if c.Moves() {
			all[first[i]] = c
		}
	}
	return all
}

// each returns a number of the column of each feature, where that is 0 another one; nil if it
// is 0 for all.
func (s *Schema) each(zero float64, of func(*Column) float64) []float64 {
	if s == nil || !slices.ContainsFunc(s.Columns, func(c Column) bool { return of(&c) != 0 }) {
		return nil
	}
	first, _ := s.Places()
	all := slices.Repeat([]float64{zero}, s.Width())
	for i := range s.Columns {
		if v := of(&s.Columns[i]); v != 0 {
			all[first[i]] = v
		}
	}
	return all
}

// Raw is a number of a feature as the data have it; offsets and factors are those of its
// schema, nil for none.
func Raw(v float64, j int, offsets, factors []float64) float64 {
	if factors != nil {
		v /= factors[j]
	}
	if offsets != nil {
		v += offsets[j]
	}
	return v
}
