package dataset

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/registry"
)

func init() {
	register("npz", "NumPy archive: X and y, or a SciPy sparse matrix (CSR, CSC) with y", npz{})
}

// npz is the format of numpy.savez and scipy.sparse.save_npz: a zip archive of
// NPY arrays. The rows are either one array of two dimensions, or the arrays
// format, shape, data, indices and indptr of a sparse matrix. Optional are an
// array of targets, one of row weights, and y_spelling (see npzwrite.go).
//
// SciPy may leave the columns of a row unsorted: they are sorted. A place that
// occurs twice is an error, because SciPy adds such values up and others take
// the last.
//
// An archive is read into memory whole: its table of contents is at its end.
// Arrays are decompressed as a stream, and what a header claims is not
// believed, so memory grows with the decompressed data that are there. Deflate
// expands at most 1032 times, which bounds what a hostile archive can cost;
// archives whose entries overlap, which could gain more, are refused.
type npz struct{}

var (
	_ Format = npz{}
	_ Writer = npz{}
)

// The names under which arrays are looked for, the first found being taken.
var (
	npzRows    = []string{"X", "x", "data", "features", "arr_0"}
	npzTarget  = []string{"y", "target", "labels", "Y", "arr_1"}
	npzWeights = []string{"weight", "weights", "sample_weight"}
)

func (npz) Takes() []string { return []string{"weights", "labels"} }

// Detect knows an archive of arrays by the name of its first file, which
// stands at byte 30 of the archive.
func (npz) Detect(name string, head []byte) Match {
	if !bytes.HasPrefix(head, []byte("PK\x03\x04")) || len(head) < 30 {
		return NoMatch
	}
	end := 30 + int(head[26]) + int(head[27])<<8
	switch {
	case end <= len(head) && bytes.HasSuffix(head[30:end], []byte(".npy")):
		return MatchMagic
	case hasExtension(name, ".npz"):
		return MatchExtension
	}
	return NoMatch
}

func (npz) Read(ctx context.Context, in []*Input, opt *Options) (*Set, error) {
	all := &arrayRows{opt: opt}
	for _, i := range in {
		archive, err := openArchive(ctx, i)
		if err == nil {
			err = all.readNPZ(archive)
		}
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
		err = a.takeWeights(z.name, weights)
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
	return a.take(z.name, target)
}

func (a *arrayRows) readDense(z *archive) (rows int64, err error) {
	name := z.first(npzRows)
	if name == "" {
		return 0, fmt.Errorf("%s: found arrays %v, expected X (or %s), or the arrays of a SciPy sparse matrix",
			z.name, z.names(), strings.Join(npzRows[1:], ", "))
	}
	return rows, z.open(name, func(h npyHeader, r io.Reader, name string) error {
		var cols int64
		if rows, cols, err = h.table(name); err != nil {
			return err
		}
		b, err := a.begin(name, rows, cols)
		if err != nil {
			return err
		}
		_, err = h.readTable(z.ctx, r, name, rows, cols, -1, b.addDense)
		return err
	})
}

// An archive is one opened NPZ file.
type archive struct {
	ctx   context.Context
	name  string
	files map[string]*zip.File // by name without .npy
}

func openArchive(ctx context.Context, in *Input) (*archive, error) {
	var raw bytes.Buffer
	if _, err := raw.ReadFrom(cancellableReader{ctx, in.reader()}); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(raw.Bytes()), int64(raw.Len()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	a := &archive{ctx: ctx, name: in.Name, files: map[string]*zip.File{}}
	var packed uint64
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".npy")
		if !ok {
			continue
		}
		if a.files[name] != nil {
			return nil, fmt.Errorf("%s: found array %q twice, expected it once", in.Name, name)
		}
		a.files[name] = f
		packed += min(f.CompressedSize64, uint64(raw.Len())+1)
		if packed > uint64(raw.Len()) {
			return nil, fmt.Errorf("%s: found arrays that overlap, expected at most %d bytes in all", in.Name, raw.Len())
		}
	}
	return a, nil
}

type cancellableReader struct {
	ctx context.Context
	r   io.Reader
}

func (c cancellableReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// names returns the names of the arrays as messages have them, sorted.
func (z *archive) names() []string {
	names := make([]string, 0, len(z.files))
	for name := range z.files {
		names = append(names, registry.Spell(name))
	}
	slices.Sort(names)
	return names
}

// first returns the first of the names that is there, or "".
func (z *archive) first(names []string) string {
	for _, name := range names {
		if z.files[name] != nil {
			return name
		}
	}
	return ""
}

// open gives do an array and checks that do reads it to its end, which also
// checks the sum of the archive.
func (z *archive) open(array string, do func(h npyHeader, r io.Reader, name string) error) error {
	name := fmt.Sprintf("%s: array %q", z.name, array)
	f := z.files[array]
	if f == nil {
		return fmt.Errorf("%s: found arrays %v, expected %q too", z.name, z.names(), array)
	}
	packed, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer packed.Close()
	r := &namedReader{r: packed, name: name}
	h, err := readHeader(r, name)
	if err != nil {
		return err
	}
	if err := do(h, r, name); err != nil {
		return err
	}
	return noMore(r, name)
}

// numbers gives do the numbers of an array of one dimension.
func (z *archive) numbers(array string, whole bool, do func(e element, k int64, v float64, name string) error) (count int64, err error) {
	return count, z.open(array, func(h npyHeader, r io.Reader, name string) error {
		if h.text != 0 || whole && !h.element.whole {
			return fmt.Errorf("%s: found dtype %q, expected numbers", name, h.descr)
		}
		if count, err = h.column(name); err != nil {
			return err
		}
		return eachNumber(z.ctx, r, name, h.element, count, func(k int64, v float64) error { return do(h.element, k, v, name) })
	})
}

// whole returns an array of whole numbers from 0.
func (z *archive) whole(array string) (all []int64, err error) {
	_, err = z.numbers(array, true, func(_ element, k int64, v float64, name string) error {
		if v < 0 || v >= 1<<53 {
			return fmt.Errorf("%s: value %d: found %.0f, expected a whole number from 0", name, k+1, v)
		}
		all = append(all, int64(v))
		return nil
	})
	return all, err
}

// target reads the targets, nil if there are none.
func (z *archive) target(rows int64) (*Target, error) {
	array := z.first(npzTarget)
	if array == "" {
		return nil, nil
	}
	var t Target
	err := z.open(array, func(h npyHeader, r io.Reader, name string) error {
		count, err := h.column(name)
		if err == nil && count != rows {
			err = fmt.Errorf("%s: found %d values, expected %d, one for each row", name, count, rows)
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
	count, err := z.numbers(array, false, func(_ element, k int64, v float64, name string) error {
		if !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s: row %d: found %v, expected a positive number as weight", name, k+1, v)
		}
		all = append(all, v)
		return nil
	})
	if err == nil && count != rows {
		err = fmt.Errorf("%s: array %q: found %d values, expected %d, one for each row", z.name, array, count, rows)
	}
	return all, err
}
