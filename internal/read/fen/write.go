package fen

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

func (Format) Extensions() []string { return []string{".fen"} }

// KeepsOffsets says that the files hold what offsets keep of numbers.
func (Format) KeepsOffsets() {}

// Write writes a cache. It takes the rows one at a time, so that rows in mapped
// files may be more than memory holds, and refuses all that a reader would: the
// set may be one made by hand.
func (Format) Write(w io.Writer, s *set.Set) error {
	if !memory.LittleEndian {
		return errBigEndian
	}
	whole := bufio.NewWriterSize(w, fenWrites)
	f, err := newFenWriter(whole, s)
	if err != nil {
		return err
	}
	_, f.err = whole.Write(f.encode())
	f.at = Head
	for section, write := range []func(){f.starts, f.indices, f.values, f.numbers, f.codes, f.weights, f.texts, f.checks} {
		if f.at != f.Offset[section] {
			f.fail(errChanged)
		}
		write()
		f.end(Section(section))
	}
	if f.at != f.size {
		f.fail(errChanged)
	}
	f.fail(whole.Flush())
	return f.err
}

// fenWrites is how many bytes are written at a time, from a multiple of them on: a
// large page. What the system is given in large pieces it keeps in pieces as large,
// and maps up to ten times as fast.
const fenWrites = 2 << 20

var errChanged = errors.New("the rows changed while they were written")

// fenWriter writes sections one after another; it keeps the first error.
type fenWriter struct {
	fenHeader
	set     *set.Set
	target  set.Target
	names   []byte
	scratch matrix.Vector // a dense row made sparse

	w    io.Writer
	at   int64  // bytes written
	buf  []byte // of the block being filled
	sums []byte
	err  error
}

// newFenWriter checks what can be checked at once, and finds out all sizes.
func newFenWriter(w io.Writer, s *set.Set) (*fenWriter, error) {
	f := &fenWriter{set: s, w: w, buf: make([]byte, 0, Block)}
	var err error
	if f.target, err = inOrder(s.Target); err != nil {
		return nil, err
	}
	if err := f.checkColumns(); err != nil {
		return nil, err
	}
	if f.names, err = json.Marshal(fenNames{f.target.Label, s.Feature, s.Schema, s.Gaps}); err != nil {
		return nil, err
	}
	rows, cols := s.X.Dims()
	f.rows, f.cols, f.stored = int64(rows), int64(cols), f.count()
	f.length[Value], f.length[Text] = 4*f.stored, int64(len(f.names))
	if _, dense := f.denseRows(); !dense {
		f.length[Start], f.length[Index] = 8*(f.rows+1), 4*f.stored
	}
	f.length[Number], f.length[Code] = 8*int64(len(f.target.Number)), 4*int64(len(f.target.Code))
	f.length[Weight] = 8 * int64(len(s.Weight))
	digest, err := hex.DecodeString(strings.TrimPrefix(s.CachedDigest(), "sha256:"))
	if copy(f.digest[:], digest); err != nil {
		return nil, err
	}
	if !f.place() {
		return nil, fmt.Errorf("found %d values, expected fewer", f.stored)
	}
	return f, f.agrees()
}

// checkColumns checks targets, weights and names as a reader does.
func (f *fenWriter) checkColumns() error {
	t, n := f.target, f.set.Rows()
	for _, c := range []struct {
		what string
		have int
	}{{"numbers", len(t.Number)}, {"labels", len(t.Code)}, {"weights", len(f.set.Weight)}} {
		if c.have != 0 && c.have != n {
			return fmt.Errorf("found %d %s, expected one for each of %s", c.have, c.what, fault.Plural(n, "row", "rows"))
		}
	}
	read := &fenFile{fenHeader: &fenHeader{rows: int64(n)}, code: t.Code, number: t.Number, weight: f.set.Weight}
	read.names = fenNames{t.Label, f.set.Feature, f.set.Schema, f.set.Gaps}
	if err := read.checkNames(f.set.Cols()); err != nil {
		return err
	}
	if err := read.checkCode(0, len(t.Code)); err != nil {
		return err
	}
	if err := checkNumbers(t.Number, 0, len(t.Number)); err != nil {
		return err
	}
	return checkWeights(f.set.Weight, 0, len(f.set.Weight))
}

// inOrder returns the target with labels as its laws want them, in order of
// first appearance and without those that no row has: t, unless it was made by
// hand.
func inOrder(t set.Target) (set.Target, error) {
	place, label := make([]int, len(t.Label)), []string(nil)
	for i, c := range t.Code {
		if int64(c) >= int64(len(t.Label)) {
			return t, fmt.Errorf("row %d: found the label code %d, expected one below %d", i+1, c, len(t.Label))
		}
		if place[c] == 0 {
			label = append(label, t.Label[c])
			place[c] = len(label)
		}
	}
	lawful := len(label) == len(t.Label)
	for c := range label {
		lawful = lawful && place[c] == c+1
	}
	if lawful {
		return t, nil
	}
	code := make([]uint32, len(t.Code))
	for i, c := range t.Code {
		code[i] = uint32(place[c] - 1)
	}
	return set.Target{Label: label, Code: code, Number: t.Number}, nil
}

// denseRows returns the rows if they are written as dense ones.
func (f *fenWriter) denseRows() (x *matrix.Dense, dense bool) {
	x, dense = f.set.X.(*matrix.Dense)
	return x, dense && x.Cols > 0
}

// count returns the number of values that will be written.
func (f *fenWriter) count() (stored int64) {
	if x, dense := f.denseRows(); dense {
		return int64(len(x.Value))
	}
	for i := range f.set.Rows() {
		stored += int64(len(f.sparse(i).Value))
	}
	return stored
}

// sparse returns row i, a dense one without its zeros.
func (f *fenWriter) sparse(i int) matrix.Vector {
	row := f.set.X.Row(i)
	if row.Index != nil {
		return row
	}
	s := &f.scratch
	s.Index, s.Value = s.Index[:0], s.Value[:0]
	for j, v := range row.Value {
		if v != 0 {
			s.Index, s.Value = append(s.Index, uint32(j)), append(s.Value, v)
		}
	}
	return *s
}

func (f *fenWriter) starts() {
	if f.dense() {
		return
	}
	at := int64(0)
	f.raw(memory.AsBytes([]int64{at}))
	for i := range f.set.Rows() {
		at += int64(len(f.sparse(i).Value))
		f.raw(memory.AsBytes([]int64{at}))
	}
}

func (f *fenWriter) indices() {
	if f.dense() {
		return
	}
	for i := range f.set.Rows() {
		row := f.sparse(i)
		if !rising(-1, row.Index, f.cols) || len(row.Index) != len(row.Value) {
			f.fail(fmt.Errorf("row %d: found %d values in columns %d, expected as many increasing columns below %d", i+1, len(row.Value), row.Index, f.cols))
			return
		}
		f.raw(memory.AsBytes(row.Index))
	}
}

func (f *fenWriter) values() {
	for i := range f.set.Rows() {
		row := f.set.X.Row(i)
		if !f.dense() {
			row = f.sparse(i)
		}
		if !decimal.AllFinite(row.Value) {
			f.fail(fmt.Errorf("row %d: found a value that is not finite, expected finite numbers", i+1))
			return
		}
		f.raw(memory.AsBytes(row.Value))
	}
}

func (f *fenWriter) numbers() { f.raw(memory.AsBytes(f.target.Number)) }
func (f *fenWriter) codes()   { f.raw(memory.AsBytes(f.target.Code)) }
func (f *fenWriter) weights() { f.raw(memory.AsBytes(f.set.Weight)) }
func (f *fenWriter) texts()   { f.raw(f.names) }

func (f *fenWriter) checks() {
	// A copy: what is written below adds the sums of its own blocks to f.sums.
	sums := binary.LittleEndian.AppendUint32(slices.Clip(f.sums), crc32.Checksum(f.sums, Castagnoli))
	f.raw(sums)
}

func (f *fenWriter) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// raw adds bytes to the section, which is written block by block.
func (f *fenWriter) raw(b []byte) {
	for len(b) > 0 && f.err == nil {
		n := min(len(b), Block-len(f.buf))
		f.buf, b = append(f.buf, b[:n]...), b[n:]
		if len(f.buf) == Block {
			f.flush()
		}
	}
}

func (f *fenWriter) flush() {
	f.sums = binary.LittleEndian.AppendUint32(f.sums, crc32.Checksum(f.buf, Castagnoli))
	f.write(f.buf)
	f.buf = f.buf[:0]
}

// end ends a section: all but the last are followed by zeros.
func (f *fenWriter) end(s Section) {
	if len(f.buf) > 0 {
		f.flush()
	}
	if s != Check {
		f.write(make([]byte, -f.at&(fenAlign-1)))
	}
}

func (f *fenWriter) write(b []byte) {
	if f.err != nil {
		return
	}
	n, err := f.w.Write(b)
	f.at += int64(n)
	f.fail(err)
}
