package array

import (
	"io"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// A tiler reads blocks of rows for one core.
type tiler struct {
	p      *arrayPart
	r      io.ReaderAt
	raw    []byte
	buffer []float32
	column []float32 // some columns of a block
}

// rawBytes is how many bytes are read at a time.
const rawBytes = 128 << 10

// read returns count numbers from the k-th on, as bytes, valid until the next call.
func (t *tiler) read(k, count int64) ([]byte, error) {
	if t.raw == nil {
		t.raw = memory.AlignedBytes(rawBytes)
	}
	size := int64(t.p.element.Size)
	raw := t.raw[:count*size]
	if err := t.readAt(raw, k*size); err != nil {
		return nil, err
	}
	if t.p.swap {
		swapBytes(raw, t.p.element.Size)
	}
	return raw, nil
}

func (t *tiler) readAt(raw []byte, at int64) error {
	n, err := t.r.ReadAt(raw, at)
	if n == len(raw) {
		return nil
	}
	if err == io.EOF {
		return fewBytes(t.p.name, at+int64(n), t.p.rows*t.p.cols*int64(t.p.element.Size))
	}
	return fault.Renamed(t.p.name, err)
}

// tile returns the features of the rows lo to hi, row after row, valid until the
// next call, and sets their targets if these are wanted.
func (t *tiler) tile(lo, hi int64, targets []float64) ([]float32, error) {
	n := (hi - lo) * t.p.features()
	if int64(cap(t.buffer)) < n {
		t.buffer = make([]float32, n)
	}
	dst := t.buffer[:n]
	return dst, t.tileTo(dst, lo, hi, targets)
}

// tileTo is tile into dst.
func (t *tiler) tileTo(dst []float32, lo, hi int64, targets []float64) error {
	switch p := t.p; {
	case p.sparse != nil:
		p.scatter(dst, lo, hi)
		for k := range p.moves {
			for i := lo; i < hi && p.moves[k].Moves(); i++ {
				at, err := &dst[(i-lo)*p.cols+int64(k)], error(nil)
				if *at, err = single(p.moves[k].Stored(p.exact(i, int64(k), *at)), p.name, i, int64(k)); err != nil {
					return err
				}
			}
		}
		return nil
	case p.fortran:
		return t.columns(dst, lo, hi, targets)
	case p.target < 0 && p.native():
		return t.readAt(memory.AsBytes(dst), lo*p.cols*4)
	}
	return t.rowsOf(dst, lo, hi, targets)
}

// values sets dst to numbers, in which zeros may be negative: a tally says of which blocks.
// The first is the k-th of all.
func (p *arrayPart) values(dst []float32, raw []byte, k int64) {
	if p.native() {
		copy(memory.AsBytes(dst), raw)
		return
	}
	p.convert(dst, raw)
	p.move(dst, raw, k)
}

// native reports whether the bytes are single-precision numbers of this machine, and the
// features.
func (p *arrayPart) native() bool { return p.element.Name == "f4" && !p.swap && p.moves == nil }

// rowsOf is tileTo of an array that is stored row after row.
func (t *tiler) rowsOf(dst []float32, lo, hi int64, targets []float64) error {
	p, size := t.p, t.p.element.Size
	for k, end := lo*p.cols, hi*p.cols; k < end; {
		raw, err := t.read(k, min(rawBytes/int64(size), end-k))
		if err != nil {
			return err
		}
		for len(raw) > 0 {
			run := int64(len(raw) / size)
			if p.target >= 0 {
				switch col := k % p.cols; {
				case col == p.target:
					if targets != nil {
						targets[k/p.cols] = p.element.get(raw)
					}
					raw, k = raw[size:], k+1
					continue
				case col < p.target:
					run = min(run, p.target-col)
				default:
					run = min(run, p.cols-col+p.target)
				}
			}
			p.values(dst[:run], raw, k)
			dst, raw, k = dst[run:], raw[run*int64(size):], k+run
		}
	}
	return nil
}

// columnGroup is how many columns are turned into rows together: as many as lie in a
// line of the cache.
const columnGroup = 16

// columns is tileTo of an array that is stored column after column.
func (t *tiler) columns(dst []float32, lo, hi int64, targets []float64) error {
	p, n := t.p, hi-lo
	features := p.features()
	if t.column == nil {
		t.column = make([]float32, columnGroup*p.blockRows())
	}
	group, first := int64(0), int64(0)
	for j := range p.cols {
		if j == p.target {
			if targets != nil {
				if err := t.columnTargets(targets[lo:hi], lo); err != nil {
					return err
				}
			}
		} else {
			if err := t.columnOf(t.column[group*n:][:n], j*p.rows+lo); err != nil {
				return err
			}
			group++
		}
		if group == columnGroup || j == p.cols-1 {
			columnsToRows(dst[first:], t.column[:group*n], int(features), int(n))
			first, group = first+group, 0
		}
	}
	return nil
}

// columnsToRows sets the first values of rows, which are so wide, to columns, which have so many.
func columnsToRows(dst, column []float32, width, rows int) {
	for i := range rows {
		for c := i; c < len(column); c += rows {
			dst[i*width+c/rows] = column[c]
		}
	}
}

// columnOf reads values that follow each other.
func (t *tiler) columnOf(dst []float32, k int64) error {
	for len(dst) > 0 {
		n := min(rawBytes/t.p.element.Size, len(dst))
		raw, err := t.read(k, int64(n))
		if err != nil {
			return err
		}
		t.p.values(dst[:n], raw, k)
		dst, k = dst[n:], k+int64(n)
	}
	return nil
}

// columnTargets reads the targets of the rows from lo on.
func (t *tiler) columnTargets(dst []float64, lo int64) error {
	p := t.p
	for len(dst) > 0 {
		n := min(rawBytes/p.element.Size, len(dst))
		raw, err := t.read(p.target*p.rows+lo, int64(n))
		if err != nil {
			return err
		}
		for i := range n {
			dst[i] = p.element.get(raw[i*p.element.Size:])
		}
		dst, lo = dst[n:], lo+int64(n)
	}
	return nil
}

// scatter is tileTo of a sparse matrix.
func (p *arrayPart) scatter(dst []float32, lo, hi int64) {
	clear(dst)
	for i := lo; i < hi; i++ {
		row := p.sparse.Row(int(i))
		for k, j := range row.Index {
			dst[(i-lo)*p.cols+int64(j)] = row.Value[k]
		}
	}
}
