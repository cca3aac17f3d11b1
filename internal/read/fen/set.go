package fen

import (
	"context"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/array"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// fenSet makes checked files into one set, in order.
func fenSet(ctx context.Context, files []*fenFile, opt *set.Options) (*set.Set, error) {
	first := files[0]
	if err := fitTables(files, opt); err != nil {
		return nil, err
	}
	s := &set.Set{}
	var err error
	if s.X, s.Warnings, err = fenRows(files, opt); err != nil {
		return nil, err
	}
	if s.Target, err = fenTarget(ctx, files, opt, s.Rows()); err != nil {
		return nil, err
	}
	if s.Weight, err = fenWeights(ctx, files, opt, s.Rows()); err != nil {
		return nil, err
	}
	if int64(s.Cols()) == first.cols {
		s.Feature, s.Schema = first.names.Feature, first.names.Schema
		rows := int64(0)
		for _, f := range files {
			for _, g := range f.names.Gaps {
				s.Gaps = append(s.Gaps, set.Gap{g[0] + uint32(rows), g[1]})
			}
			rows += f.rows
		}
		if len(files) == 1 && opt.Labels == "" && set.SameSlice(s.Weight, first.weight) { // nothing was replaced
			s.StoreDigest(first.digest[:])
		}
	}
	for _, f := range files {
		s.OnClose(f.close)
	}
	return s, nil
}

// fitTables refuses caches of tables with other features than the model's or
// than those of the first, and a target other than the one in the cache.
func fitTables(files []*fenFile, opt *set.Options) error {
	want, whose := opt.Schema, "the model's"
	for _, f := range files {
		s := f.names.Schema
		if err := sameOffsets(f.name, s, files[0].names.Schema); err != nil {
			return err
		}
		if s == nil {
			continue
		}
		if want == nil {
			want, whose = s, "those of "+f.name
		}
		if !slices.Equal(s.Features(), want.Features()) {
			return fault.In(f.name, "found features of a table with other columns or categories, expected %s: convert with 'like'", whose)
		}
		if opt.Target != "" && !s.Names(s.Target, opt.Target) {
			return fault.In(f.name, "found another target than %q in the cache, expected to be asked for the one it was made with", opt.Target)
		}
	}
	return nil
}

// sameOffsets refuses a cache of rows from which other numbers were subtracted than from
// those of the first.
func sameOffsets(name string, s, first *set.Schema) error {
	if !slices.Equal(s.Offsets(), first.Offsets()) || !slices.Equal(s.Factors(), first.Factors()) {
		return fault.In(name, "found other offsets or factors of columns (what is done before rounding) than in the first file, expected the same: convert with 'like'")
	}
	return nil
}

// fenRows returns the rows of all files, where they are if that can be.
func fenRows(files []*fenFile, opt *set.Options) (matrix.Matrix, []error, error) {
	first, cols := files[0], int64(0)
	for _, f := range files {
		if f.dense() != first.dense() {
			kind := map[bool]string{true: "dense", false: "sparse"}
			return nil, nil, fault.In(f.name, "found %s rows, expected %s ones as in %s", kind[f.dense()], kind[first.dense()], first.name)
		}
		if f.dense() && f.cols != first.cols {
			return nil, nil, fault.In(f.name, "found %s, expected %d as in %s", fault.Plural(f.cols, "column", "columns"), first.cols, first.name)
		}
		cols = max(cols, f.cols)
	}
	if first.dense() {
		return denseRows(files, opt)
	}
	width := cols
	if opt.Columns > 0 {
		width = int64(opt.Columns)
	}
	if len(files) == 1 && cols <= width {
		return first.csr(int(width)), nil, nil
	}
	s := newStack(files, int(width))
	return s, s.warnings(), nil
}

// denseRows copies dense rows, unless they are those of one file as they are.
func denseRows(files []*fenFile, opt *set.Options) (matrix.Matrix, []error, error) {
	first := files[0]
	if len(files) == 1 && (opt.Columns == 0 || int64(opt.Columns) == first.cols) {
		return &matrix.Dense{Rows: int(first.rows), Cols: int(first.cols), Value: first.value}, nil, nil
	}
	b := set.NewRowBuilder(int(first.cols), opt)
	for _, f := range files {
		for row := range slices.Chunk(f.value, int(f.cols)) {
			b.AddDense(row)
		}
	}
	x, warnings := b.Matrix()
	return x, warnings, nil
}

// fenTarget puts the targets of files one after another, or reads others.
func fenTarget(ctx context.Context, files []*fenFile, opt *set.Options, rows int) (set.Target, error) {
	if opt.Labels != "" {
		return array.ReadLabels(ctx, opt.Labels, opt, int64(rows))
	}
	a := &set.Merged{}
	for _, f := range files {
		t := &set.Target{Label: f.names.Label, Code: f.code, Number: f.number}
		if t.Absent() {
			t = nil
		}
		if err := a.Take(f.name, t); err != nil {
			return set.Target{}, err
		}
	}
	return set.MergeTargets(a.Targets)
}

// fenWeights puts the weights of files one after another, or reads others: an
// option names a file, unless it names the column that the weights came from.
func fenWeights(ctx context.Context, files []*fenFile, opt *set.Options, rows int) ([]float64, error) {
	first := files[0]
	if s := first.names.Schema; opt.Weights != "" && (s == nil || !s.Names(s.Weight, opt.Weights)) {
		return set.ReadWeights(ctx, opt.Weights, opt, rows)
	}
	if len(files) == 1 {
		return first.weight, nil
	}
	a := &set.Merged{}
	for _, f := range files {
		a.Files++
		if err := a.TakeWeights(f.name, f.weight); err != nil {
			return nil, err
		}
	}
	return a.Weights, nil
}

// A stack is the sparse rows of several files, one under another, without what
// is in columns from cols on.
type stack struct {
	parts []*matrix.CSR
	first []int // row of each part, and at last the number of rows
	cols  int
}

func newStack(files []*fenFile, cols int) *stack {
	s := &stack{cols: cols, first: []int{0}}
	for _, f := range files {
		s.parts = append(s.parts, f.csr(int(f.cols)))
		s.first = append(s.first, s.first[len(s.first)-1]+int(f.rows))
	}
	return s
}

// Dims returns the number of rows and columns.
func (s *stack) Dims() (rows, cols int) { return s.first[len(s.parts)], s.cols }

// Row returns row i without copying.
func (s *stack) Row(i int) matrix.Vector {
	row := s.whole(i)
	n := len(row.Index)
	for n > 0 && int64(row.Index[n-1]) >= int64(s.cols) { // few: a search would cost more
		n--
	}
	return matrix.Vector{Index: row.Index[:n:n], Value: row.Value[:n:n]}
}

func (s *stack) whole(i int) matrix.Vector {
	part, begins := slices.BinarySearch(s.first, i)
	if !begins {
		part--
	}
	return s.parts[part].Row(i - s.first[part])
}

// warnings counts what is left out.
func (s *stack) warnings() []error {
	left := &set.RowBuilder{}
	rows, _ := s.Dims()
	for i := range rows {
		all := s.whole(i)
		for k := len(s.Row(i).Index); k < len(all.Index); k++ {
			left.Ignore(all.Index[k], all.Value[k])
		}
	}
	return left.Unknown.Warnings(1)
}
