package array

import (
	"context"
	"encoding/binary"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// An arrayPart is the rows of one array, of which only the bytes are there so far.
type arrayPart struct {
	name    string
	from    arraySource
	element Element // in the order of this machine
	swap    bool    // the bytes are in the other order
	scale   float64 // that numbers are divided by
	rows    int64
	cols    int64 // all of them
	target  int64 // the column of targets, which is no feature; -1: none
	fortran bool  // column after column
	convert func(dst []float32, raw []byte)
	sparse  *matrix.CSR  // of a sparse matrix: there are no bytes
	small   []set.Small  // values of it that single precision has no room for
	weight  []float64    // of each row, if some are 0: these are not measured; else nil
	spreads *spreads     // of all parts; nil: they are not measured
	moves   []set.Column // of each feature, whose offsets and factors apply before rounding; nil: none

	tallies []tally   // of each block
	targets []float64 // of each row, if there are any
}

// tileValues is how many values a block has, or a row more: they stay in a core's cache.
const tileValues = 64 << 10

// fortranValues is the same of arrays that are stored column after column, of
// which a block should have whole pages: a part of the array, or this if that is more.
const (
	fortranValues = 2 << 20
	fortranPart   = 16
)

func newArrayPart(name string, from arraySource, e Element, scale float64, rows, cols, target int64, fortran bool) *arrayPart {
	p := &arrayPart{name: name, from: from, element: e, scale: scale, rows: rows, cols: cols, target: target, fortran: fortran}
	if p.swap = e.foreign; p.swap {
		p.element, _ = ElementOf(e.Name[0], e.Size, binary.NativeEndian)
	}
	p.convert = p.element.converter(scale)
	return p
}

// features returns the number of columns without the target.
func (p *arrayPart) features() int64 {
	if p.target >= 0 {
		return p.cols - 1
	}
	return p.cols
}

// blockRows is how many rows are read at a time.
func (p *arrayPart) blockRows() int64 {
	values := int64(tileValues)
	if p.fortran {
		values = max(fortranValues, p.rows*p.cols/fortranPart)
	}
	return min(max(values/p.cols, 1), p.rows)
}

// blocks calls do for all blocks of rows, with what a core needs for that.
func (p *arrayPart) blocks(ctx context.Context, workers int, last bool, do func(t *tiler, block int, lo, hi int64) error) error {
	r, done, err := p.from.open(last)
	if err != nil {
		return err
	}
	defer done()
	size := p.blockRows()
	count := int((p.rows + size - 1) / size)
	free := make(chan *tiler, max(workers, 1))
	return lines.Each(ctx, workers, count, func(b int) error {
		var t *tiler
		select {
		case t = <-free:
		default:
			t = &tiler{p: p, r: r}
		}
		defer func() { free <- t }()
		lo := int64(b) * size
		return do(t, b, lo, min(lo+size, p.rows))
	})
}

// survey reads all rows once: the first width features of each are counted, and all
// values must be finite. What is beyond the width is left to the caller.
func (p *arrayPart) survey(ctx context.Context, workers int, width int64) error {
	size := p.blockRows()
	p.tallies = make([]tally, (p.rows+size-1)/size)
	if p.target >= 0 {
		p.targets = make([]float64, p.rows)
	}
	count := p.tally
	if p.element.Name == "u1" && !p.fortran && p.target < 0 && p.moves == nil && width >= p.cols {
		count = p.tallyBytes
	}
	return p.blocks(ctx, workers, false, func(t *tiler, b int, lo, hi int64) error {
		return count(t, &p.tallies[b], lo, hi, width)
	})
}

// tally counts the values of the rows lo to hi.
func (p *arrayPart) tally(t *tiler, found *tally, lo, hi, width int64) error {
	tile, err := t.tile(lo, hi, p.targets)
	if err != nil {
		return err
	}
	found.add(tile)
	bad := found.infinite
	for i := lo; i < hi && p.target >= 0 && !bad; i++ {
		bad = checkTarget(p.targets[i], p.element, p.name, i) != nil
	}
	if bad {
		return p.complain(t, lo, hi)
	}
	if p.spreads != nil {
		if err := p.measure(t, tile, lo, hi); err != nil {
			return err
		}
	}
	if features := p.features(); width < features {
		for ; len(tile) > 0; tile = tile[features:] {
			found.nonzeros -= int64(set.CountNonzeros(tile[width:features]))
		}
	}
	return nil
}

// tallyBytes is tally of bytes, each of which is a finite value.
func (p *arrayPart) tallyBytes(t *tiler, found *tally, lo, hi, _ int64) error {
	for k, end := lo*p.cols, hi*p.cols; k < end; k += rawBytes {
		raw, err := t.read(k, min(rawBytes, end-k))
		if err != nil {
			return err
		}
		found.nonzeros += nonzeroBytes(raw)
	}
	return nil
}

// complain returns the first fault of the rows lo to hi.
func (p *arrayPart) complain(t *tiler, lo, hi int64) error {
	for i := lo; i < hi; i++ {
		for j := range p.cols {
			k := i*p.cols + j
			if p.fortran {
				k = j*p.rows + i
			}
			raw, err := t.read(k, 1)
			if err != nil {
				return err
			}
			v := p.element.get(raw)
			if j == p.target {
				err = checkTarget(v, p.element, p.name, i)
			} else {
				if _, err = single(v/p.scale, p.name, i, j); err == nil && p.moves != nil {
					_, err = single(p.moves[p.featureOf(j)].Stored(v/p.scale), p.name, i, j)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return p.changed()
}

// changed is the error that what was read twice is not the same.
func (p *arrayPart) changed() error {
	return fault.In(p.name, "found other values than before, expected a file that does not change while it is read")
}

// newSparsePart is the rows of a sparse matrix as those of an array.
func newSparsePart(name string, x *matrix.CSR) *arrayPart {
	rows, cols := x.Dims()
	return &arrayPart{name: name, from: memorySection{}, sparse: x, rows: int64(rows), cols: int64(cols), target: -1}
}

// arrayRows gathers the rows of one or several array files, with what belongs
// to each row.
type arrayRows struct {
	set.Merged
	opt        *set.Options
	rows       *set.RowBuilder // of sparse parts alone; counts what is left out of all
	parts      []*arrayPart
	first      string      // name of the first file, whose columns count
	schema     *set.Schema // of columns with a target among them, or offsets; else nil
	target     int64       // the column of targets of the last file, -1: none
	spreads    spreads     // of the features
	rounding   float64     // as of Set
	gaps       []set.Gap   // as of Set
	multiplied *set.Schema // of sparse rows alone, as set.Multiply returns it
	exact      bool        // there are no offsets to be found: of some file the numbers are not rounded, or a model says
}
