package array

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"math"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func init() {
	set.Register("npz", "NumPy archive: X and y, or a SciPy sparse matrix (CSR, CSC) with y", NPZ{})
}

// NPZ is the format of numpy.savez and scipy.sparse.save_npz: a zip archive of
// NPY arrays. The rows are either one array of two dimensions, or the arrays
// format, shape, data, indices and indptr of a sparse matrix. Optional are an
// array of targets (of two dimensions where a row has several), one of row weights, and y_spelling (see npzwrite.go).
//
// SciPy may leave the columns of a row unsorted: they are sorted. A place that
// occurs twice is an error, because SciPy adds such values up and others take
// the last.
//
// The table of contents is at the end: an archive that is not a file as it is, but a
// stream, is read into memory whole. Arrays are decompressed as a stream, and what a header claims is not
// believed, so memory grows with the decompressed data that are there. Deflate
// expands at most 1032 times, which bounds what a hostile archive can cost;
// archives whose entries overlap, which could gain more, are refused.
type NPZ struct{}

var (
	_ set.Format = NPZ{}
	_ set.Writer = NPZ{}
)

// The names under which arrays are looked for, the first found being taken.
var (
	npzRows    = []string{"X", "x", "data", "features", "arr_0"}
	npzTarget  = []string{"y", "target", "labels", "Y", "arr_1"}
	npzWeights = []string{"weight", "weights", "sample_weight"}
)

func (NPZ) Takes() []string { return []string{"weights", "labels"} }

// Detect knows an archive of arrays by the name of its first file, which
// stands at byte 30 of the archive.
func (NPZ) Detect(name string, head []byte) set.Match {
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) || len(head) < 30 {
		return set.NoMatch
	}
	end := 30 + int(head[26]) + int(head[27])<<8
	switch {
	case end <= len(head) && bytes.HasSuffix(head[30:end], []byte(".npy")):
		return set.MatchMagic
	case set.HasExtension(name, ".npz"):
		return set.MatchExtension
	}
	return set.NoMatch
}

func (NPZ) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	all := &arrayRows{opt: opt}
	for _, i := range in {
		archive, giveBack, err := openArchive(ctx, i)
		if err != nil {
			return nil, err
		}
		err = all.readNPZ(archive)
		giveBack()
		if err != nil {
			return nil, err
		}
	}
	return all.set(ctx)
}

func (a *arrayRows) readNPZ(z *archive) error {
	read := a.readDense
	if z.files["format"] != nil || z.files["indptr"] != nil {
		read = a.readSparse
	}
	rows, err := read(z)
	if err != nil {
		return err
	}
	weights, err := z.weights(rows)
	if err == nil {
		err = a.TakeWeights(z.name, weights)
	}
	if err != nil {
		return err
	}
	if a.opt.Labels != "" {
		return nil
	}
	target, err := z.target(rows)
	if err != nil {
		return err
	}
	return a.Take(z.name, target)
}

func (a *arrayRows) readDense(z *archive) (rows int64, err error) {
	array := z.first(npzRows)
	if array == "" {
		return 0, fault.In(z.name, "found arrays %v, expected X (or %s), or the arrays of a SciPy sparse matrix", z.names(), strings.Join(npzRows[1:], ", "))
	}
	return rows, z.open(array, func(h npyHeader, r io.Reader, name string) error {
		var cols int64
		if rows, cols, err = h.table(name); err != nil {
			return err
		}
		if err := a.begin(name, rows, cols); err != nil {
			return err
		}
		from, err := z.source(z.files[array], r, name, h.length, rows*cols*int64(h.element.Size))
		if err != nil {
			return err
		}
		return a.add(z.ctx, newArrayPart(name, from, h.element, 1, rows, cols, -1, h.fortran))
	})
}

// numbers gives do the numbers of an array of one dimension.
func (z *archive) numbers(array string, whole bool, do func(e Element, k int64, v float64, name string) error) (count int64, err error) {
	return z.pieces(array, whole, func(e Element, first int64, raw []byte, name string) error {
		for k := first; len(raw) > 0; k++ {
			if err := do(e, k, e.get(raw), name); err != nil {
				return err
			}
			raw = raw[e.Size:]
		}
		return nil
	})
}

// pieces gives do the numbers of an array of one dimension, as bytes that are aligned as
// numbers should be, with the place of the first.
func (z *archive) pieces(array string, whole bool, do func(e Element, first int64, raw []byte, name string) error) (count int64, err error) {
	return count, z.open(array, func(h npyHeader, r io.Reader, name string) error {
		if h.text != 0 || whole && !h.element.whole {
			return fault.In(name, "found dtype %q, expected numbers", h.descr)
		}
		if count, err = h.column(name); err != nil {
			return err
		}
		return eachPiece(z.ctx, r, name, h.element.Size, count, func(first int64, raw []byte) error { return do(h.element, first, raw, name) })
	})
}

// believed is how many times the bytes of a deflated array may become more before memory
// is taken for them: numbers become a few times more, hostile ones a thousand.
const believed = 16

// room returns how many of count items of an array memory is taken for at once, if each
// has four bytes.
func (z *archive) room(array string, count int64) int {
	f, times := z.files[array], uint64(1)
	if f == nil {
		return 0
	}
	if f.Method != zip.Store {
		times = believed
	}
	return int(min(uint64(count), f.CompressedSize64/4*times+1))
}

// whole returns an array of whole numbers from 0.
func (z *archive) whole(array string) (all []int64, err error) {
	_, err = z.numbers(array, true, func(_ Element, k int64, v float64, name string) error {
		if v < 0 || v >= 1<<53 {
			return fault.In(name, "value %d: found %.0f, expected a whole number from 0", k+1, v)
		}
		all = append(all, int64(v))
		return nil
	})
	return all, err
}

// target reads the targets, nil if there are none.
func (z *archive) target(rows int64) (*set.Target, error) {
	array := z.first(npzTarget)
	if array == "" {
		return nil, nil
	}
	var t set.Target
	err := z.open(array, func(h npyHeader, r io.Reader, name string) error {
		count, err := h.targetRows(name)
		if err == nil && count != rows {
			err = fault.In(name, "found %d values, expected %d, one for each row", count, rows)
		}
		if err != nil {
			return err
		}
		t, err = h.readTarget(z.ctx, r, name, count)
		return err
	})
	if err == nil {
		err = z.respell(&t)
	}
	return &t, err
}

// weights reads the row weights, nil if there are none.
func (z *archive) weights(rows int64) (all []float64, err error) {
	array := z.first(npzWeights)
	if array == "" {
		return nil, nil
	}
	count, err := z.numbers(array, false, func(_ Element, k int64, v float64, name string) error {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fault.In(name, "row %d: found %v, expected a positive number as weight", k+1, v)
		}
		all = append(all, v)
		return nil
	})
	if err == nil && count != rows {
		err = fault.In(z.name, "array %q: found %d values, expected %d, one for each row", array, count, rows)
	}
	return all, err
}
