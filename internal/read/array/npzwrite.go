package array

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

func (NPZ) Extensions() []string { return []string{".npz"} }

// KeepsTargets says that the files hold several targets.
func (NPZ) KeepsTargets() {}

// Write writes the rows as scipy.sparse.save_npz does, so that load_npz reads
// them; zeros are left out. Beside them stand, when the set has them,
//
//	y           targets: int64, float64 or text; of several, float64, rows x targets
//	weight      row weights, float64
//	y_spelling  labels that are numbers but not spelled as NumPy would spell
//	            them, such as "+1": they are found again by their number
//
// The archive is not compressed: add .gz or .zst to the name for that. Names of
// features have no place in it.
func (NPZ) Write(w io.Writer, s *set.Set) error {
	a := &npzWriter{zip: zip.NewWriter(w)}
	plain, err := scaling.Restored(s)
	if err != nil {
		return err
	}
	a.matrix(plain.X)
	a.target(s)
	if s.Weight != nil {
		a.begin("weight", "<f8", len(s.Weight))
		for _, v := range s.Weight {
			a.word64(math.Float64bits(v))
		}
	}
	a.end()
	if a.err == nil {
		a.err = a.zip.Close()
	}
	return a.err
}

// npzWriter writes arrays one after another; it keeps the first error.
type npzWriter struct {
	zip *zip.Writer
	out *bufio.Writer // the array being written
	err error
}

// begin starts an array of one dimension, or of none if count < 0.
func (a *npzWriter) begin(name, descr string, count int) {
	shape := fmt.Sprintf("(%d,)", count)
	if count < 0 {
		shape = "()"
	}
	a.shaped(name, descr, shape)
}

// shaped begins an array of any shape.
func (a *npzWriter) shaped(name, descr, shape string) {
	a.end()
	entry, err := a.zip.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		a.fail(err)
		entry = io.Discard
	}
	a.out = bufio.NewWriterSize(entry, 1<<16)
	a.bytes(Header(descr, shape))
}

// Header is what an NPY file begins with, of numbers by rows.
func Header(descr, shape string) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	// The data begin at a multiple of 64 bytes after the magic.
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte(npyMagic+"\x01\x00"), uint16(len(text))), text...)
}

func (a *npzWriter) end() {
	if a.out != nil {
		a.fail(a.out.Flush())
		a.out = nil
	}
}

func (a *npzWriter) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

func (a *npzWriter) bytes(raw []byte) {
	_, err := a.out.Write(raw)
	a.fail(err)
}

func (a *npzWriter) word32(v uint32) {
	a.bytes(binary.LittleEndian.AppendUint32(a.out.AvailableBuffer(), v))
}
func (a *npzWriter) word64(v uint64) {
	a.bytes(binary.LittleEndian.AppendUint64(a.out.AvailableBuffer(), v))
}

// matrix writes the five arrays of a CSR matrix.
func (a *npzWriter) matrix(x matrix.Matrix) {
	rows, cols := x.Dims()
	start := make([]int64, rows+1)
	eachNonzero := func(do func(i, j int, v float32)) {
		for i := range rows {
			row := x.Row(i)
			for k, v := range row.Value {
				if v != 0 {
					do(i, row.Column(k), v)
				}
			}
		}
	}
	eachNonzero(func(i, _ int, _ float32) { start[i+1]++ })
	for i := range rows {
		start[i+1] += start[i]
	}
	// SciPy wants one type for both; it is 32 bits wide where that suffices.
	descr, put := "<i4", func(v int64) { a.word32(uint32(v)) }
	if max(start[rows], int64(cols)) > math.MaxInt32 {
		descr, put = "<i8", func(v int64) { a.word64(uint64(v)) }
	}
	a.begin("indices", descr, int(start[rows]))
	eachNonzero(func(_, j int, _ float32) { put(int64(j)) })
	a.begin("indptr", descr, rows+1)
	for _, v := range start {
		put(v)
	}
	a.begin("format", "|S3", -1)
	a.bytes([]byte("csr"))
	a.begin("shape", "<i8", 2)
	a.word64(uint64(rows))
	a.word64(uint64(cols))
	a.begin("data", "<f4", int(start[rows]))
	eachNonzero(func(_, _ int, v float32) { a.word32(math.Float32bits(v)) })
}

// target writes y, and the spelling of labels where it would be lost.
func (a *npzWriter) target(s *set.Set) {
	t := s.Target
	if t.Absent() {
		return
	}
	if t.Names != nil {
		a.columns(t.Columns())
		return
	}
	if t.Number == nil {
		a.text("y", len(t.Code), func(i int) string { return t.Label[t.Code[i]] })
		return
	}
	whole := true
	for _, v := range t.Number {
		whole = whole && v == math.Trunc(v) && math.Abs(v) < 1<<53
	}
	descr := "<f8"
	if whole {
		descr = "<i8"
	}
	a.begin("y", descr, len(t.Number))
	for _, v := range t.Number {
		if whole {
			a.word64(uint64(int64(v)))
		} else {
			a.word64(math.Float64bits(v))
		}
	}
	for _, label := range t.Label {
		if v, status := decimal.Float64([]byte(label)); status == decimal.Number && set.SpellNumber(v+0) != label {
			a.text("y_spelling", len(t.Label), func(c int) string { return t.Label[c] })
			return
		}
	}
}

// columns writes several targets.
func (a *npzWriter) columns(columns [][]float64) {
	a.shaped("y", "<f8", fmt.Sprintf("(%d, %d)", len(columns[0]), len(columns)))
	for i := range columns[0] {
		for _, column := range columns {
			a.word64(math.Float64bits(column[i]))
		}
	}
}

// text writes strings as NumPy does: all as long as the longest.
func (a *npzWriter) text(name string, count int, label func(int) string) {
	longest := 1
	for i := range count {
		longest = max(longest, utf8.RuneCountInString(label(i)))
	}
	for i := range count {
		if l := label(i); !utf8.ValidString(l) || strings.HasSuffix(l, "\x00") || l == "" {
			a.fail(fmt.Errorf("label %q: NPZ holds only Unicode text that is not empty and does not end with a zero byte", l))
			return
		}
	}
	a.begin(name, fmt.Sprintf("<U%d", longest), count)
	for i := range count {
		n := 0
		for _, c := range label(i) {
			a.word32(uint32(c))
			n++
		}
		for ; n < longest; n++ {
			a.word32(0)
		}
	}
}

// respell gives labels the spelling that y_spelling has for their number.
func (z *archive) respell(t *set.Target) error {
	if z.files["y_spelling"] == nil || t.Number == nil {
		return nil
	}
	return z.open("y_spelling", func(h npyHeader, r io.Reader, name string) error {
		count, err := h.column(name)
		if err == nil && h.text == 0 {
			err = fault.In(name, "found dtype %q, expected text", h.descr)
		}
		if err != nil {
			return err
		}
		spelling := map[float64]string{}
		text, err := h.readText(z.ctx, r, name, count)
		for _, label := range text {
			if v, status := decimal.Float64([]byte(label)); status == decimal.Number {
				spelling[v] = label
			}
		}
		for c, label := range t.Label {
			v, _ := decimal.Float64([]byte(label))
			if better, ok := spelling[v]; ok {
				t.Label[c] = better
			}
		}
		return err
	})
}
