package dataset

import (
	"context"
	"fmt"
	"math"
)

// A table is text with columns, before it is known what they become. Reading
// takes three steps, each parallel over chunks: survey finds out what the
// columns are and reads targets and weights; cells reads the features, with
// categories numbered chunk by chunk; encode numbers them for the whole table.
type table struct {
	names  []string
	header bool
	kinds  []columnKind
	rows   rowReader
	in     []*Input

	use            []int // for each column its place in schema, -1: ignored
	target, weight int   // columns, -1: none
	schema         *Schema
	fixed          bool // the schema is a model's
	warnings       []error

	chunks  []*chunk
	cells   []*cellChunk
	count   int // rows
	targets *targets
	weights []float64
	content []content // of each column
	sparse  int       // fields of sparse rows, with the categories these leave out

	untargeted int    // rows without a target, which only a fixed schema allows
	firstBare  string // place of the first of them
}

// A columnKind says what the fields of a column are.
type columnKind struct {
	kind    kind
	omitted []byte              // the value that a sparse row leaves out
	allowed map[string]struct{} // nil: any
}

type kind uint8

const (
	kindUnknown kind = iota // numbers unless some field is not
	kindNumber
	kindCategory
)

// A field is one value of a row.
type field struct {
	column  int
	at      int // offset in the chunk
	text    []byte
	missing bool
	known   bool   // bits are those of the float32 that the text spells
	bits    uint32 // else that is still to be found out
}

// number is parseFloat32 of the text.
func (f *field) number() (float32, numberStatus) {
	if f.known {
		return math.Float32frombits(f.bits), isNumber
	}
	return parseFloat32(f.text)
}

// A rowReader knows the syntax of rows.
type rowReader interface {
	// row appends the fields of the row that begins at c.text[at:] to dst and
	// returns where the next one begins. No fields: there was no row. Fields of
	// a sparse row are those it does not leave out, by increasing column.
	row(c *chunk, at int, dst []field) (fields []field, sparse bool, next int, err error)
	last(text []byte) int // as splitter.last
}

// maxOmitted bounds the categories that sparse rows leave out: a small file
// could otherwise ask for any amount of memory.
const maxOmitted = 1 << 24

const missingCategory = "?"

// read turns the rows into a set.
func (t *table) read(ctx context.Context, opt *Options) (*Set, error) {
	if err := t.plan(opt); err != nil {
		return nil, err
	}
	t.targets, t.content = newTargets(), make([]content, len(t.names))
	s := newSplitter(t.in, opt, t.rows.last)
	if err := parseChunks(ctx, s, opt.workers(), t.survey, t.takeSurvey); err != nil {
		return nil, err
	}
	if t.count == 0 {
		return nil, fmt.Errorf("%s: found no rows, expected at least one", t.in[0].Name)
	}
	t.dropTargets()
	t.settle()
	t.cells = make([]*cellChunk, len(t.chunks))
	err := each(ctx, opt.workers(), len(t.chunks), func(i int) (err error) {
		t.cells[i], err = t.parseCells(t.chunks[i])
		t.chunks[i] = nil // the text may go
		return err
	})
	if err != nil {
		return nil, err
	}
	t.chunks = nil
	t.number()
	x, err := t.encode(ctx, opt)
	if err != nil {
		return nil, err
	}
	return &Set{X: x, Target: t.targets.target(), Weight: t.weights, Feature: t.schema.features(), Schema: t.schema, Warnings: t.warnings}, nil
}
