package array

import (
	"io"
	"math"
	"slices"
	"sort"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The sparse matrices of SciPy inside an NPZ file.

func (a *arrayRows) readSparse(z *archive) (rows int64, err error) {
	s, err := z.sparse()
	if err != nil {
		return 0, err
	}
	return s.shape[0], a.addSparse(z.name, s)
}

// addSparse adds a sparse matrix.
func (a *arrayRows) addSparse(name string, s *sparseArrays) error {
	rows, cols := s.shape[0], s.shape[1]
	if err := a.begin(name, rows, cols); err != nil {
		return err
	}
	m := &matrix.CSR{Cols: int(s.minor()), Start: s.start, Index: s.index, Value: s.value}
	if s.byColumn {
		m = matrix.Transpose(m)
	}
	p := newSparsePart(name, m)
	slices.SortFunc(s.small, set.Small.Compare)
	p.small = s.small
	a.prepare(p)
	a.parts = append(a.parts, p)
	return nil
}

// sparseArrays is a SciPy matrix: compressed rows, or columns if byColumn.
type sparseArrays struct {
	byColumn bool
	shape    []int64
	start    []int64
	index    []uint32
	value    []float32
	small    []set.Small // in any order
	convert  func(dst []float32, raw []byte)
}

func (s *sparseArrays) major() int64 {
	if s.byColumn {
		return s.shape[1]
	}
	return s.shape[0]
}

func (s *sparseArrays) minor() int64 { return s.shape[0] + s.shape[1] - s.major() }

// place returns the row and column of the k-th value.
func (s *sparseArrays) place(k int64) (row, col int64) {
	major := int64(sort.Search(len(s.start)-1, func(i int) bool { return s.start[i+1] > k }))
	if s.byColumn {
		return int64(s.index[k]), major
	}
	return major, int64(s.index[k])
}

// sparse reads the five arrays of a sparse matrix and checks the laws of CSR.
func (z *archive) sparse() (s *sparseArrays, err error) {
	s = &sparseArrays{}
	if s.byColumn, err = z.byColumn(); err != nil {
		return nil, err
	}
	if s.shape, err = z.whole("shape"); err != nil {
		return nil, err
	}
	if len(s.shape) != 2 {
		return nil, fault.In(z.name, "array \"shape\": found %d dimensions, expected 2: rows and columns", len(s.shape))
	}
	if s.start, err = z.whole("indptr"); err != nil {
		return nil, err
	}
	if int64(len(s.start)) != s.major()+1 {
		return nil, fault.In(z.name, "array \"indptr\": found %d values, expected %d for shape %v", len(s.start), s.major()+1, s.shape)
	}
	for i, at := range s.start {
		if i == 0 && at != 0 || i > 0 && at < s.start[i-1] {
			return nil, fault.In(z.name, "array \"indptr\": value %d: found %d, expected numbers from 0 that do not decrease", i+1, at)
		}
	}
	if err := z.entries(s); err != nil {
		return nil, err
	}
	return s, s.sort(z.name)
}

// byColumn reads which way the matrix is compressed.
func (z *archive) byColumn() (csc bool, err error) {
	format := "csr"
	if z.files["format"] != nil {
		if format, err = z.word("format"); err != nil {
			return false, err
		}
	}
	if format != "csr" && format != "csc" {
		return false, fault.In(z.name, "found sparse format %q, expected csr or csc (in Python: X.tocsr())", format)
	}
	return format == "csc", nil
}

// word reads an array that is a single string.
func (z *archive) word(array string) (word string, err error) {
	return word, z.open(array, func(h npyHeader, r io.Reader, name string) error {
		if h.text == 0 || len(h.Shape) != 0 {
			return fault.In(name, "found dtype %q and shape %s, expected one string", h.descr, h.shapeText())
		}
		text, err := h.readText(z.ctx, r, name, 1)
		if err == nil {
			word = text[0]
		}
		return err
	})
}

// entries reads indices and data.
func (z *archive) entries(s *sparseArrays) error {
	stored := s.start[len(s.start)-1]
	if s.minor() > math.MaxUint32 {
		return fault.In(z.name, "found shape %v, expected at most %d rows and columns", s.shape, uint32(math.MaxUint32))
	}
	// Rows of a CSC matrix cost memory but no bytes in the file.
	if most := 1<<20 + 64*stored; s.byColumn && s.shape[0] > most {
		return fault.In(z.name, "found %d rows for %d values, expected at most %d in csc format (in Python: X.tocsr())", s.shape[0], stored, most)
	}
	s.index, s.value = memory.Large[uint32](z.room("indices", stored))[:0], memory.Large[float32](z.room("data", stored))[:0]
	count, err := z.pieces("indices", true, func(e Element, first int64, raw []byte, name string) error { return s.takeIndex(e, first, raw, name) })
	if err == nil && count != stored {
		err = fault.In(z.name, "array \"indices\": found %d values, expected %d as in indptr", count, stored)
	}
	if err != nil {
		return err
	}
	count, err = z.pieces("data", false, func(e Element, first int64, raw []byte, name string) error { return s.takeValues(e, first, raw, name) })
	if err == nil && count != stored {
		err = fault.In(z.name, "array \"data\": found %d values, expected %d as in indptr", count, stored)
	}
	return err
}

// takeIndex appends places within rows, or columns, from the one of number first on.
func (s *sparseArrays) takeIndex(e Element, first int64, raw []byte, name string) error {
	n, minor := len(raw)/e.Size, s.minor()
	if e.Name == "i4" && !e.foreign { // as SciPy writes them
		all := numbersIn[uint32](raw, n)
		if len(all) == 0 || int64(slices.Max(all)) < min(minor, math.MaxInt32+1) {
			s.index = append(s.index, all...)
			return nil
		}
	}
	for k := range n {
		v := e.get(raw[k*e.Size:])
		if v < 0 || v >= float64(minor) {
			return fault.In(name, "value %d: found %.0f, expected a whole number from 0 to %d", first+int64(k)+1, v, minor-1)
		}
		s.index = append(s.index, uint32(v))
	}
	return nil
}

// takeValues appends values. Those that are too many are reported afterwards.
func (s *sparseArrays) takeValues(e Element, first int64, raw []byte, name string) error {
	have, n := len(s.value), len(raw)/e.Size
	s.value = slices.Grow(s.value, n)[:have+n]
	if s.convert == nil {
		s.convert = e.converter(1)
	}
	s.convert(s.value[have:], raw)
	if e.Name == "f8" {
		s.takeSmall(e, first, raw)
	}
	if decimal.AllFinite(s.value[have:]) {
		return nil
	}
	for k := first; len(raw) > 0 && k < s.start[len(s.start)-1]; k++ {
		v := e.get(raw)
		if x := float32(v); x-x != 0 {
			row, col := s.place(k)
			_, err := single(v, name, row, col)
			return err
		}
		raw = raw[e.Size:]
	}
	return nil
}

// takeSmall notes values that single precision has no room for. Those that are too many are
// reported afterwards.
func (s *sparseArrays) takeSmall(e Element, first int64, raw []byte) {
	for k := first; k < min(int64(len(s.value)), s.start[len(s.start)-1]); k++ {
		if !set.IsSmall(math.Float32bits(s.value[k])) {
			continue
		}
		if v := e.get(raw[(k-first)*int64(e.Size):]); v != 0 {
			row, col := s.place(k)
			s.small = append(s.small, set.Small{Row: int(row), Column: uint32(col), Value: v})
		}
	}
}

// sort sorts each compressed row and refuses places that occur twice.
func (s *sparseArrays) sort(name string) error {
	for i := range len(s.start) - 1 {
		lo, hi := s.start[i], s.start[i+1]
		row := byIndex{s.index[lo:hi], s.value[lo:hi]}
		if !slices.IsSorted(row.index) {
			sort.Sort(row)
		}
		for k := lo + 1; k < hi; k++ {
			if s.index[k] == s.index[k-1] {
				r, c := s.place(k)
				return fault.In(name, "row %d, column %d: found two values, expected one (in Python: X.sum_duplicates())", r+1, c+1)
			}
		}
	}
	return nil
}

type byIndex struct {
	index []uint32
	value []float32
}

func (r byIndex) Len() int           { return len(r.index) }
func (r byIndex) Less(a, b int) bool { return r.index[a] < r.index[b] }
func (r byIndex) Swap(a, b int) {
	r.index[a], r.index[b] = r.index[b], r.index[a]
	r.value[a], r.value[b] = r.value[b], r.value[a]
}
