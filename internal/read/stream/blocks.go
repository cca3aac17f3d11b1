package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Blocks cuts the rows of a stream into blocks.
type Blocks struct {
	ctx   context.Context
	opt   *set.Options
	To    *RowStream
	most  int    // rows of a block
	Width int    // columns; 0: not known yet, in the first block of sparse text
	Whose string // why it is so

	rows   *set.RowBuilder // of the block that is being filled
	labels *set.Passing    // their targets; nil: these do not matter
	stored int             // values in it
	reach  uint64          // columns it needs, where width is not known
	dense  bool            // the block before was dense
	room   int             // values that it stored
	given  int64           // rows in blocks before
	wide   []float32       // a row with its zeros

	Offsets bool // of a model are to be taken off, which the format does not do
}

// Bounds of a block: rows, and stored values. Together with what is parsed
// ahead, a stream takes a few dozen megabytes.
const (
	blockRows   = 1024
	blockValues = 1 << 20
)

// NewBlocks makes the blocks of a stream that cancel ends.
func NewBlocks(ctx context.Context, cancel context.CancelFunc, opt *set.Options) *Blocks {
	b := &Blocks{ctx: ctx, opt: opt, To: &RowStream{blocks: make(chan block, 1), cancel: cancel}, most: opt.BlockRows}
	if b.most <= 0 {
		b.most = blockRows
	}
	if opt.Columns > 0 {
		b.Width, b.Whose = opt.Columns, "as asked for"
	}
	b.Offsets = opt.Schema.Moves() != nil
	if opt.Bits > 0 {
		b.labels = set.NewPassing()
	}
	b.begin()
	return b
}

// Empty reports whether no row has come.
func (b *Blocks) Empty() bool { return b.given+int64(b.rows.Rows) == 0 }

// begin begins a block.
func (b *Blocks) begin() {
	b.rows, b.stored, b.reach = set.NewRowBuilder(b.Width, &set.Options{}), 0, 0
	switch room := b.room + b.room/8; {
	case b.dense:
		b.rows.Sparse, b.rows.Dense = nil, make([]float32, 0, b.room)
	case room > 0:
		m := b.rows.Sparse
		m.Index, m.Value = make([]uint32, 0, room), make([]float32, 0, room)
	}
}

// Labels takes the targets of the rows that come next, before these, where they matter.
func (b *Blocks) Labels(l *set.Labels) error {
	if b.labels == nil {
		return nil
	}
	return b.labels.Begin(l)
}

// Fix says how many columns the rows of an input have.
func (b *Blocks) Fix(name string, cols int) error {
	if b.Width == 0 {
		b.Width, b.Whose = cols, "as in "+name
		b.rows.Cols = cols
	}
	if cols != b.Width {
		return fault.In(name, "found %s, expected %d, %s", fault.Plural(cols, "column", "columns"), b.Width, b.Whose)
	}
	return nil
}

// Row takes a row of no more than width columns, sparse or dense.
func (b *Blocks) Row(x matrix.Vector) error {
	if x.Index == nil {
		return b.DenseRow(x.Value)
	}
	b.rows.AddSparse(x.Index, x.Value)
	return b.end(len(x.Index))
}

// DenseRow takes a row of width values.
func (b *Blocks) DenseRow(x []float32) error {
	b.rows.AddDense(x)
	return b.end(len(x))
}

// SomeRow takes a row of a format that is dense or sparse by what is in it,
// given by the bits of
// its values that are not zero, or of all if index is nil.
func (b *Blocks) SomeRow(index, bits []uint32) error {
	b.wide = slices.Grow(b.wide[:0], b.Width)[:b.Width]
	clear(b.wide)
	for k, v := range bits {
		b.wide[set.SlotOf(index, k)] = set.AsNumber(v)
	}
	return b.DenseRow(b.wide)
}

// Pairs takes a row of sparse text that needs so many columns.
func (b *Blocks) Pairs(index []uint32, value []float32, reach uint64) error {
	b.reach = max(b.reach, reach)
	m := b.rows.Sparse
	m.Index, m.Value = append(m.Index, index...), append(m.Value, value...)
	m.Start = append(m.Start, int64(len(m.Value)))
	b.rows.Rows++
	return b.end(len(index))
}

// end ends a row that stores so many values, and perhaps the block.
func (b *Blocks) end(stored int) error {
	if b.labels != nil && !b.labels.Next() {
		b.begin()
		return errUnlabelled
	}
	b.stored += stored
	if b.rows.Rows < b.most && b.stored < blockValues {
		return nil
	}
	return b.flush()
}

var errUnlabelled = errors.New("found a row without a target, expected one in each row: in a stream targets are those of LIBSVM text, of a column of a table, or of rows that are read before the first is given")

// flush gives the rows so far, if there are any.
func (b *Blocks) flush() error {
	if b.rows.Rows == 0 {
		return nil
	}
	if b.Width == 0 {
		b.Width, b.Whose = int(b.reach), fmt.Sprintf("the largest in the first %s (say how many columns there are)", fault.Plural(b.rows.Rows, "row", "rows"))
		b.rows.Cols = b.Width
	}
	n := b.rows.Rows
	x, _ := b.rows.Matrix()
	_, b.dense = x.(*matrix.Dense)
	b.room = int(matrix.Nonzeros(x))
	b.begin()
	if b.labels != nil {
		return b.give(block{x, b.labels.Block()}, n)
	}
	return b.give(block{x: x}, n)
}

// give hands a block of n rows on.
func (b *Blocks) give(rows block, n int) error {
	if b.Offsets {
		var err error
		if rows.x, err = scaling.Moved(rows.x, b.opt.Schema, b.To.Schema, b.opt.Threads); err != nil {
			return err
		}
	}
	select {
	case <-b.ctx.Done(): // alone, since of two a select takes any
	default:
		select {
		case b.To.blocks <- rows:
			b.given += int64(n)
			return nil
		case <-b.ctx.Done():
		}
	}
	return b.ctx.Err()
}

// OnClose has the end of the stream close the set.
func (b *Blocks) OnClose(s *set.Set) { b.To.close = append(b.To.close, s.Close) }

// ReadAll gives the rows of a set, for formats that cannot be read otherwise,
// and what is in mapped files.
func (b *Blocks) ReadAll(name string, s *set.Set, err error) error {
	if err != nil {
		return err
	}
	b.OnClose(s)
	if s.Moved {
		b.Offsets = false
	}
	b.To.Feature, b.To.Schema, b.To.Warnings = s.Feature, s.Schema, s.Warnings
	if err := b.Fix(name, s.Cols()); err != nil {
		return err
	}
	n, target := s.Rows(), set.Target{}
	if b.labels != nil && (s.Target.Absent() || s.Target.Names != nil) {
		return fault.In(name, "found %s, expected one target in each row", fault.Plural(len(s.Target.Names), "target", "targets"))
	}
	for lo := 0; lo < n; {
		hi, stored := lo, 0
		for hi < n && hi-lo < b.most && stored < blockValues {
			stored += s.X.Row(hi).Nonzeros()
			hi++
		}
		if b.labels != nil {
			target = s.Target.Between(lo, hi)
		}
		if err := b.give(block{rowsBetween(s.X, lo, hi), target}, hi-lo); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// rowsBetween returns rows lo to hi of x, without copying what they hold if it
// is one piece.
func rowsBetween(x matrix.Matrix, lo, hi int) matrix.Matrix {
	switch x := x.(type) {
	case *matrix.Dense:
		return &matrix.Dense{Rows: hi - lo, Cols: x.Cols, Value: x.Value[lo*x.Cols : hi*x.Cols : hi*x.Cols]}
	case *matrix.CSR:
		first, last := x.Start[lo], x.Start[hi]
		start := make([]int64, hi-lo+1)
		for i := range start {
			start[i] = x.Start[lo+i] - first
		}
		return &matrix.CSR{Cols: x.Cols, Start: start, Index: x.Index[first:last:last], Value: x.Value[first:last:last]}
	}
	_, cols := x.Dims()
	m := &matrix.CSR{}
	for i := lo; i < hi; i++ {
		v := x.Row(i)
		m.Append(v.Index, v.Value)
	}
	m.Cols = cols
	return m
}
