// Package set is a set of rows and what belongs to it: targets, weights, names, the schema of
// its columns, its digest; the options of reading; the interface that formats implement and the
// registry they are in; and what all formats make sets with: rows, targets, spreads of columns.
//
// It opens no files but those of targets and weights, and knows no format. It imports matrix,
// registry, parallel and the packages of internal/read that know nothing of sets: decimal,
// fault, file, lines, memory. Begin with [Set], [Options] and [Format]. Package data has the
// same types under their own names: that is the door for all who do not write a format.
package set

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Set is rows with what belongs to each row.
type Set struct {
	X      matrix.Matrix // n x d; the values are finite
	Target Target        // zero when the source has none
	// TargetBy is, of a table, the words that name the column of the target in messages, as in
	// ` in column "sex" (the last one; another: 'target')`; "": none do.
	TargetBy string
	Weight   []float64 // n positive numbers; nil: every row counts once
	Feature  []string  // d names; nil when the format has none
	Schema   *Schema   // how columns became features; nil when they are the same thing

	ID        []string // of each row the field that Options.ID asks for, as it is spelled; nil: none
	IDName    string   // the name of its column
	Kept      []Kept   // the columns that Options.Keep asks for
	ZeroBased bool     // LIBSVM indices of the rows begin with 0, where read and where written

	Gaps []Gap // the missing numbers of a table, by row and feature: the rows hold the means that fill them

	// Structure is what a row stands for: mostly a point, each column a feature.
	Structure structure.Kind

	// Warnings are doubts about the data that did not stop the reading, such
	// as features or categories a model has never seen and that were ignored.
	Warnings []error

	// Rounding is how much the largest rounding to single precision changes a value, as a part
	// of the spread of its column, where no offset could be taken off before; 0 if that is no
	// more than 1e-6 for each.
	Rounding float64

	Moved  bool           // offsets of Options.Schema were taken off, if there was one
	stored *storedDigest  // from a cache; nil: none
	sound  matrix.Matrix  // rows that were checked; nil: none
	close  []func() error // give back the files in which the rows are
}

// A Kept is a column of a table that makes no difference to the rows: what stands in it.
type Kept struct {
	Name   string
	Fields []string // of each row, as it is spelled
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

// OnClose has Close give back a file too.
func (s *Set) OnClose(give func() error) { s.close = append(s.close, give) }

// Rows returns n.
func (s *Set) Rows() int { rows, _ := s.X.Dims(); return rows }

// Cols returns d.
func (s *Set) Cols() int { _, cols := s.X.Dims(); return cols }

// Single returns the set with rows of single precision: itself unless they are of double.
func (s *Set) Single() *Set {
	if !matrix.IsDouble(s.X) {
		return s
	}
	single := *s
	single.X = matrix.Single(s.X)
	if s.isSound() {
		single.sound = single.X
	}
	return &single
}

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

	// Names are those of the targets of rows that have several, all of them numbers: Number has
	// those of the first, Further those of the others, and there are no labels; nil: one target.
	Names   []string
	Further [][]float64
}

// Between returns the targets of rows lo to hi.
func (t Target) Between(lo, hi int) Target {
	out := Target{Label: t.Label}
	if t.Code != nil {
		out.Code = t.Code[lo:hi]
	}
	if t.Number != nil {
		out.Number = t.Number[lo:hi]
	}
	return out
}

// Columns returns the numbers of each target; nil if they are none.
func (t Target) Columns() [][]float64 {
	if t.Number == nil {
		return nil
	}
	return append([][]float64{t.Number}, t.Further...)
}

// ColumnsTarget makes a Target of several columns of finite numbers with their names.
func ColumnsTarget(names []string, columns [][]float64) Target {
	if len(columns) == 1 {
		return NumberTarget(columns[0])
	}
	for _, c := range columns {
		for i, v := range c {
			c[i] = v + 0 // no negative zero
		}
	}
	return Target{Number: columns[0], Names: names, Further: columns[1:]}
}

// TargetNames are the names of so many targets that have none: target1, target2 and so on.
func TargetNames(count int) []string {
	names := make([]string, count)
	for k := range names {
		names[k] = fmt.Sprintf("target%d", k+1)
	}
	return names
}

// MaxLabels is the largest number of distinct numeric labels that may still be
// class names. Labels that are not numbers have no such limit.
const MaxLabels = 1 << 16

// Absent reports whether the rows have no target.
func (t Target) Absent() bool { return t.Code == nil && t.Number == nil }

// Indicator tells for each feature whether it is a 0/1 feature made from a
// category or two words, or one of texts, or a product of such: these are not scaled. It returns nil when the set has no schema.
func (s *Set) Indicator() []bool {
	if s.Schema == nil {
		return nil
	}
	flags := make([]bool, 0, s.Cols())
	for i, c := range s.Schema.Columns {
		for range s.Schema.makes(i) {
			flags = append(flags, c.Category != nil || c.Text != nil || c.Kind == KindBoolean)
		}
	}
	return append(flags, s.Schema.crossedIndicators()...)
}

// Widen gives every row zeros in further columns, which have no names, up to cols
// columns in all.
func (s *Set) Widen(cols int) {
	if cols > s.Cols() {
		s.Fit(cols)
	}
}

// Fit gives every row so many columns: zeros where there were fewer; else the later
// ones are left out, with a warning that counts.
func (s *Set) Fit(columns int) {
	rows, cols := s.X.Dims()
	if cols == columns {
		return
	}
	s.Feature, s.Schema, s.Gaps, s.stored = nil, nil, nil, nil
	if s.isSound() {
		defer s.Vouch()
	}
	if x, ok := s.X.(*matrix.CSR); ok && cols < columns {
		s.X = &matrix.CSR{Cols: columns, Start: x.Start, Index: x.Index, Value: x.Value}
		return
	}
	b := NewRowBuilder(cols, &Options{Columns: columns})
	for i := range rows {
		if row := s.X.Row(i); row.Index == nil {
			b.AddDense(row.Value)
		} else {
			b.AddSparse(row.Index, row.Value)
		}
	}
	x, warnings := b.Matrix()
	s.X, s.Warnings = x, append(s.Warnings, warnings...)
}

// Rows returns the number of rows that have a target.
func (t Target) Rows() int { return max(len(t.Code), len(t.Number)) }

// Counts returns how many rows each label has.
func (t Target) Counts() []int {
	rows := make([]int, len(t.Label))
	for _, c := range t.Code {
		rows[c]++
	}
	return rows
}

// CheckGaps returns why gaps cannot be those of so many rows and features, by row and feature.
func CheckGaps(gaps []Gap, rows, features int) error {
	for k, g := range gaps {
		if int64(g[0]) >= int64(rows) || int64(g[1]) >= int64(features) || k > 0 && slices.Compare(gaps[k-1][:], g[:]) >= 0 {
			return fmt.Errorf("found row %d without feature %d in place %d, expected increasing ones of %d rows and %d features", g[0], g[1], k, rows, features)
		}
	}
	return nil
}

// A storedDigest is the digest in a cache, which its checksums vouch for, and
// the set that it belongs to.
type storedDigest struct {
	digest string
	of     Set
}
