// Package table reads and writes text with columns: CSV, TSV, ARFF and JSON. It finds out what each
// column holds (numbers, dates, words, ids) and makes features of them by a schema.
//
// It imports set, the rooms below it, and stream. Begin with [CSV], then table: one pass over the
// rows, and what becomes of them.
package table

import (
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// A table is text with columns, before it is known what they become. One pass,
// parallel over chunks, reads targets, weights and features (rows.go), with
// categories numbered chunk by chunk; its results are gathered in order
// (part.go) and become a matrix (encode.go).
//
// A column is taken for numbers until a field is text. The chunk with that
// field is then parsed again, and later ones know. Only where earlier chunks
// saw nothing but numbers in it is the input read a second time.
type table struct {
	header bool
	rows   rowReader
	in     []*file.Input

	schema   *set.Schema
	fixed    bool // the schema is a model's
	strict   bool // no number may be missing
	measures bool // what rounding does to the numbers is measured
	plain    bool // columns of numbers are features as they are, without a look at what they hold
	warnings []error
	rounding float64 // as of Set
	missed   []set.Gap

	arena *memory.Arena

	gathered
	evidence
	also       map[string]struct{} // spellings of a missing value besides the usual ones
	misses     bool                // one of these is a number
	unweighted bool                // weights are not read
	observed   bool                // what missing numbers are replaced by does not matter
	weightless *atomic.Bool        // some row has the weight 0

	dates string    // as Options.Dates
	terms set.Terms // which terms of texts are features

	columns // of the file
	slots   // of a row of cells
	answers // what is to be predicted, and what tells rows
}

// columns holds for each column of the file what is known of it.
type columns struct {
	names []string
	kinds []columnKind
	use   []int // for each column its place in schema, -1: ignored
	roles []role
	open  []bool // for each column whether text makes it one of categories
}

// slots holds what is known of the columns that are kept: a row of cells has one slot for each.
type slots struct {
	slot    []int // for each column its place in a row of cells
	place   []int // for each slot its place in schema
	spell   []set.Speller
	text    []atomic.Bool
	wide    []atomic.Bool  // for each slot whether rounding is known not to matter
	vectors []int          // columns of vectors, which have no slot, by increasing place in schema
	reading []*set.Reading // for each slot of words that may be numbers
	recoded [][]float64    // for each slot of words that are numbers: of each code its value, NaN for a missing one
}

// answers says which columns are the target, the weight and the id, and how targets are read.
type answers struct {
	target, weight int   // columns, -1: none
	further        []int // columns of other targets, where there are several
	kept           []int // columns of which the fields are kept: the id, if there is one, before others
	keptNames      []string
	crossed        [][2]int            // columns of which products are features
	answer         set.Target          // the targets as they are spelled
	asNumbers      *set.Reading        // of the labels that are not all numbers
	bareWords      map[string]struct{} // targets that are none, where others are numbers and rows without one are left out
	skip           bool                // rows without a target are left out
	guessed        string              // how the target was found, if nothing names it
}

// A columnKind says what the fields of a column are.
type columnKind struct {
	kind    kind
	omitted []byte              // the value that a sparse row leaves out
	allowed map[string]struct{} // nil: any
	asked   asked
	digits  bool // no field is known to hold anything but digits
	size    int  // of its vectors; 0: it has other fields
	pointed bool // a field of the first rows has a point
	unnamed bool // the header has nothing in its place
	blank   bool // no name, and no value in the first rows

	sentences bool // the first rows have sentences, and no header names them
}

// fills reports whether what a sparse row leaves out is no number 0.
func (k columnKind) fills() bool {
	return k.kind == kindCategory || k.kind == kindUnknown && k.omitted != nil
}

type kind uint8

const (
	kindUnknown kind = iota // numbers unless some field is not
	kindNumber
	kindCategory
)

// A role is what a column is for.
type role uint8

const (
	roleNumber   role = iota
	roleInteger       // a number that may turn out a code with leading zeros
	roleMeasured      // a number of either role of which the rounding may matter, in a chunk
	roleKept          // a number of which the spelling is kept too
	roleCategory
	roleSpelled // a number in other words: a date, true or false
	roleVector  // many features, in no slot
	roleTarget
	roleFurther // one more target, a number
	roleWeight
	roleIgnored
)

// A field is one value of a row.
type field struct {
	column  int
	at      int // offset in the chunk
	text    []byte
	missing bool
}

// A rowReader knows the syntax of rows, of which most are fields with a
// delimiter between any two.
type rowReader interface {
	// begin returns where the first field of the row that begins at c.text[at:]
	// stands. If there is no row, at is where the next one may begin; if it
	// needs to be read as a whole, as sparse ones do, at is where it begins.
	begin(c *lines.Chunk, at int) (next int, kind rowKind)
	// field reads the field at c.text[at:], blanks before it included, and
	// returns where the delimiter or the line break behind it stands.
	field(c *lines.Chunk, at int) (f field, end int, err error)
	delimiter() byte
	// row appends the fields of a row to dst and returns where the next row
	// begins. Fields of a sparse row are those it does not leave out, by
	// increasing column.
	row(c *lines.Chunk, at int, dst []field) (fields []field, next int, err error)
	weight(row []byte) (from, to int) // where a row has a weight that is in no column; 0, 0: nowhere
	last(text []byte) int             // as Last of lines.Splitter
}

// denseFields is rowReader.row where the first field of a dense row stands.
func denseFields(r rowReader, c *lines.Chunk, at int, dst []field) (fields []field, next int, err error) {
	for column := 0; ; column++ {
		f, end, err := r.field(c, at)
		if err != nil {
			return dst, 0, err
		}
		f.column = column
		dst = append(dst, f)
		at = end + 1
		if c.Text[end] == '\n' {
			return dst, at, nil
		}
	}
}

type rowKind uint8

const (
	noRow rowKind = iota
	denseRow
	sparseRow
	recordRow // dense, in any order
	frameRow  // of columns that are apart
)

// An evidence is how columns are written that can be read in one way alone.
type evidence struct{ point, comma, dayFirst, monthFirst bool }

// asked is what the options say of a column.
type asked uint8

// isAlso reports whether a text is one of the spellings of a missing value besides the usual ones.
func (t *table) isAlso(text []byte) bool {
	_, ok := t.also[string(text)]
	return ok
}

// isMissing reports whether a field of a column of numbers says that its value is missing.
func (t *table) isMissing(f field) bool { return f.missing || set.IsDash(f.text) || t.isAlso(f.text) }
