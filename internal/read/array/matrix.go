package array

import (
	"context"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The rows of array files as one matrix: dense if at least half of the values are
// nonzero, else sparse, which is then the smaller. The files were gone over once, so
// memory is allocated once. A dense array of which the bytes are the values is
// mapped.

// mapLeast is how many bytes a file has that is mapped: less is read as fast.
const mapLeast = 1 << 20

// add takes a part, whose values are looked at now, so that faults are found in the
// order of the files.
func (a *arrayRows) add(ctx context.Context, p *arrayPart) error {
	if p.rows > math.MaxInt/8 || p.rows*p.cols > math.MaxInt/8 {
		return fault.In(p.name, "found %d rows of %d values, expected no more than this machine can address", p.rows, p.cols)
	}
	a.parts = append(a.parts, p)
	a.prepare(p)
	return a.survey(ctx, p)
}

// prepare has a part take off the offsets of a model, or else be measured, so that it may
// get its own.
func (a *arrayRows) prepare(p *arrayPart) {
	if moves := a.opt.Schema.Moves(); moves != nil {
		p.moves = moves[:min(int64(len(moves)), p.features())]
	}
	if a.exact = a.exact || !p.rounds() || a.opt.Schema != nil || a.opt.Precomputed || a.opt.Columns > 0 && !a.opt.Unmoved; a.exact {
		return
	}
	if a.spreads.of == nil {
		a.spreads.of = make([]set.Spread, p.features())
	}
	p.spreads = &a.spreads
}

// survey looks at the values of a part.
func (a *arrayRows) survey(ctx context.Context, p *arrayPart) error {
	if err := p.survey(ctx, a.opt.Workers(), a.width()); err != nil {
		return err
	}
	return a.ignore(ctx, p)
}

// ignore counts what is in columns that a model does not know.
func (a *arrayRows) ignore(ctx context.Context, p *arrayPart) error {
	features, width := p.features(), a.width()
	if width >= features {
		return nil
	}
	return p.blocks(ctx, 1, false, func(t *tiler, _ int, lo, hi int64) error {
		tile, err := t.tile(lo, hi, nil)
		for ; len(tile) > 0 && err == nil; tile = tile[features:] {
			for j, v := range tile[width:features] {
				a.rows.Ignore(uint32(width+int64(j)), v)
			}
		}
		return err
	})
}

// width is the number of columns of the matrix.
func (a *arrayRows) width() int64 { return int64(a.rows.Width()) }

// count returns the number of rows.
func (a *arrayRows) count() (rows int64) {
	for _, p := range a.parts {
		rows += p.rows
	}
	return rows
}

// someDense reports whether some of the files have dense rows.
func (a *arrayRows) someDense() bool {
	return slices.ContainsFunc(a.parts, func(p *arrayPart) bool { return p.sparse == nil })
}

// matrix returns the rows of all files, the warning about what was left out, and
// what gives a mapped file back.
func (a *arrayRows) matrix(ctx context.Context) (x matrix.Matrix, warnings []error, unmap func() error, err error) {
	if !a.someDense() {
		x, warnings = a.stacked()
		return x, warnings, nil, nil
	}
	nonzeros := int64(0)
	for _, p := range a.parts {
		nonzeros += p.nonzeros()
	}
	_, warnings = a.rows.Matrix()
	if float64(2*nonzeros) < float64(a.count())*float64(a.width()) {
		x, err = a.compressed(ctx, nonzeros)
		return x, warnings, nil, err
	}
	if x, unmap := a.mapped(); x != nil {
		return x, warnings, unmap, nil
	}
	x, err = a.dense(ctx)
	return x, warnings, nil, err
}

// multiply multiplies the columns of sparse matrices that are too small for single precision.
func (a *arrayRows) multiply() (said []error, err error) {
	parts := make([]*set.SparseRows, len(a.parts))
	for i, p := range a.parts {
		parts[i] = &set.SparseRows{X: p.sparse, Small: p.small, Weight: p.weight}
	}
	var rounding float64
	if a.multiplied, said, rounding, err = set.Multiply(parts, a.opt); err != nil {
		return nil, fault.In(a.first, "%w", err)
	}
	a.rounding = max(a.rounding, rounding)
	for i, p := range a.parts {
		p.sparse, p.small = parts[i].X, nil
	}
	return said, nil
}

// stacked returns the rows of sparse matrices alone: the only one as it is, if nothing of it is
// left out.
func (a *arrayRows) stacked() (matrix.Matrix, []error) {
	if x := a.parts[0].sparse; len(a.parts) == 1 && int64(x.Cols) <= a.width() && set.CountNonzeros(x.Value) == len(x.Value) {
		return &matrix.CSR{Cols: int(a.width()), Start: x.Start, Index: x.Index, Value: x.Value}, nil
	}
	for _, p := range a.parts {
		for i := range int(p.rows) {
			row := p.sparse.Row(i)
			a.rows.AddSparse(row.Index, row.Value)
		}
	}
	return a.rows.Matrix()
}

// mapped returns the rows where they are in the only file, nil if they are not there
// as they should be.
func (a *arrayRows) mapped() (matrix.Matrix, func() error) {
	p := a.parts[0]
	file, ok := p.from.(fileSection)
	if !ok || len(a.parts) > 1 || !p.native() || p.fortran || p.target >= 0 || p.cols != a.width() || p.rows*p.cols*4 < mapLeast {
		return nil, nil
	}
	minus := 0
	for _, t := range p.tallies {
		if t.minus {
			minus++
		}
	}
	if minus > len(p.tallies)/mapRewritten {
		return nil, nil
	}
	value, unmap := file.values(int(p.rows * p.cols))
	if value == nil {
		return nil, nil
	}
	if err := p.withoutMinus(value); err != nil {
		_ = unmap()
		return nil, nil
	}
	return &matrix.Dense{Rows: int(p.rows), Cols: int(p.cols), Value: value}, unmap
}

// mapRewritten is the part of the blocks of a mapped file that may have negative zeros.
const mapRewritten = 8

// withoutMinus makes the negative zeros of a mapped file zeros.
func (p *arrayPart) withoutMinus(value []float32) error {
	size := p.blockRows() * p.cols
	for b, t := range p.tallies {
		if !t.minus {
			continue
		}
		block := value[int64(b)*size : min(int64(b+1)*size, int64(len(value)))]
		err := memory.Rewrite(memory.AsBytes(block), func() {
			for k, v := range block {
				if v == 0 && math.Signbit(float64(v)) {
					block[k] = 0
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *arrayRows) dense(ctx context.Context) (matrix.Matrix, error) {
	rows, width := a.count(), a.width()
	x := &matrix.Dense{Rows: int(rows), Cols: int(width), Value: memory.Large[float32](int(rows * width))}
	rest := x.Value
	for _, p := range a.parts {
		if err := p.dense(ctx, a.opt.Workers(), rest[:p.rows*width], width); err != nil {
			return nil, err
		}
		rest = rest[p.rows*width:]
	}
	return x, nil
}

func (a *arrayRows) compressed(ctx context.Context, nonzeros int64) (matrix.Matrix, error) {
	x := &matrix.CSR{Cols: int(a.width()), Start: make([]int64, a.count()+1), Index: memory.Large[uint32](int(nonzeros)), Value: memory.Large[float32](int(nonzeros))}
	row := int64(0)
	for _, p := range a.parts {
		if err := p.compressed(ctx, a.opt.Workers(), x, row); err != nil {
			return nil, err
		}
		row += p.rows
	}
	return x, nil
}

// nonzeros returns how many there are in columns that are kept.
func (p *arrayPart) nonzeros() (all int64) {
	for _, t := range p.tallies {
		all += t.nonzeros
	}
	return all
}

// dense sets dst to the rows, which get so wide.
func (p *arrayPart) dense(ctx context.Context, workers int, dst []float32, width int64) error {
	features := p.features()
	return p.blocks(ctx, workers, true, func(t *tiler, b int, lo, hi int64) error {
		to := dst[lo*width : hi*width]
		if width == features {
			if err := t.tileTo(to, lo, hi, nil); err != nil {
				return err
			}
		} else {
			tile, err := t.tile(lo, hi, nil)
			if err != nil {
				return err
			}
			for kept := min(width, features); len(to) > 0; to, tile = to[width:], tile[features:] {
				copy(to, tile[:kept])
			}
		}
		if p.tallies[b].minus {
			for k := range dst[lo*width : hi*width] {
				dst[lo*width+int64(k)] += 0 // no negative zero
			}
		}
		return nil
	})
}

// compressed puts the rows into x, from a row on.
func (p *arrayPart) compressed(ctx context.Context, workers int, x *matrix.CSR, row int64) error {
	first := make([]int64, len(p.tallies)+1)
	first[0] = x.Start[row]
	for b, t := range p.tallies {
		first[b+1] = first[b] + t.nonzeros
	}
	features := p.features()
	kept := min(features, int64(x.Cols))
	return p.blocks(ctx, workers, true, func(t *tiler, b int, lo, hi int64) error {
		tile, err := t.tile(lo, hi, nil)
		if err != nil {
			return err
		}
		at, end := first[b], first[b+1]
		for i := lo; i < hi; i++ {
			at += int64(set.Compress(x.Index[at:end], x.Value[at:end], tile[:kept]))
			tile = tile[features:]
			x.Start[row+i+1] = at
		}
		if at != end {
			return p.changed()
		}
		return nil
	})
}
