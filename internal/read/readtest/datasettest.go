package readtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Show writes a set on one line: rows in brackets, then labels or numbers.
func Show(s *data.Set) string {
	rows, cols := s.X.Dims()
	text := ""
	for i := range rows {
		full := make([]float32, cols)
		row := s.X.Row(i)
		for k, v := range row.Value {
			full[row.Column(k)] = v
		}
		text += fmt.Sprint(full)
	}
	switch {
	case s.Target.Absent():
		return text
	case s.Target.Code == nil:
		return text + fmt.Sprint(s.Target.Number)
	}
	for i, c := range s.Target.Code {
		if label := s.Target.Label[c]; i == 0 {
			text += " " + label
		} else {
			text += "," + label
		}
	}
	return text
}

// ReadPath reads one source.
func ReadPath(path string, opt data.Options) (*data.Set, error) {
	return data.Read(context.Background(), []string{path}, opt)
}

// WantRead reads a path and compares it with what show gives, or with the
// error, in which dir stands for the folder of the path.
func WantRead(t *testing.T, path string, opt data.Options, expected string) {
	t.Helper()
	s, err := ReadPath(path, opt)
	got := ""
	if err != nil {
		got = err.Error()
	} else {
		got = Show(s)
	}
	if got != expected {
		t.Errorf("%s\nfound    %s\nexpected %s", path, got, expected)
	}
}

// WriteTemp writes a file that lasts as long as the test, and returns its path.
func WriteTemp(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// IsMapped reports whether the set has files to give back.
func IsMapped(s *data.Set) bool { return !reflect.ValueOf(s).Elem().FieldByName("close").IsNil() }

// SameBits compares storage, places and bits.
func SameBits(t *testing.T, name string, got, want matrix.Matrix) {
	t.Helper()
	if reflect.TypeOf(got) != reflect.TypeOf(want) {
		t.Fatalf("%s: found %T, expected %T", name, got, want)
	}
	n, d := want.Dims()
	if rows, cols := got.Dims(); rows != n || cols != d {
		t.Fatalf("%s: found %d x %d, expected %d x %d", name, rows, cols, n, d)
	}
	for i := range n {
		a, b := got.Row(i), want.Row(i)
		if !reflect.DeepEqual(a.Index, b.Index) || !bytes.Equal(memory.AsBytes(a.Value), memory.AsBytes(b.Value)) {
			t.Fatalf("%s: row %d is another", name, i+1)
		}
	}
}

// RowsOf shows a matrix as dense rows.
func RowsOf(x matrix.Matrix) [][]float32 {
	n, d := x.Dims()
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, d)
		v := x.Row(i)
		for k, value := range v.Value {
			rows[i][v.Column(k)] = value
		}
	}
	return rows
}

// MustRead reads sources that are sound.
func MustRead(t testing.TB, opt data.Options, sources ...string) *data.Set {
	t.Helper()
	s, err := data.Read(context.Background(), sources, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// RealData returns the path of a file of the shared real data, or skips.
func RealData(t testing.TB, name string) string {
	t.Helper()
	folder := os.Getenv("FENCHEL_DATA")
	if folder == "" {
		root := "."
		for range 8 { // up to the folder of the module
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Join("..", root)
		}
		folder = filepath.Join(root, "../shared/data")
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real data not here (set FENCHEL_DATA): %v", err)
	}
	return path
}

// ReadText reads a text as standard input.
func ReadText(text string, opt data.Options) (*data.Set, error) {
	opt.Stdin = strings.NewReader(text)
	return data.Read(context.Background(), []string{"-"}, opt)
}

// NpyFile is an NPY file of version 1 with any header and data.
func NpyFile(header string, data string) []byte {
	file := append([]byte("\x93NUMPY"), 1, 0)
	file = binary.LittleEndian.AppendUint16(file, uint16(len(header)))
	return append(append(file, header...), data...)
}

// Put writes a file into a new folder and returns its path.
func Put(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Pack compresses with another program's encoder, or the standard library's.
func Pack(t testing.TB, kind string, text []byte) []byte {
	var out bytes.Buffer
	switch kind {
	case "gzip": // two members
		for _, part := range [][]byte{text[:len(text)/2], text[len(text)/2:]} {
			w := gzip.NewWriter(&out)
			w.Write(part)
			w.Close()
		}
	case "zstd":
		w, _ := zstd.NewWriter(&out)
		w.Write(text)
		w.Close()
	default:
		cmd := exec.Command(kind, "-c")
		cmd.Stdin, cmd.Stdout = bytes.NewReader(text), &out
		if err := cmd.Run(); err != nil {
			t.Skipf("no program to make test data: %v", err)
		}
	}
	return out.Bytes()
}

// Streamed collects the rows of a stream, dense, and its last error, and checks
// what holds of every stream.
func Streamed(t testing.TB, sources []string, opt data.Options) (rows [][]float32, cols int, err error) {
	t.Helper()
	s, err := data.Blocks(t.Context(), sources, opt)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	most := opt.BlockRows
	if most == 0 {
		most = 1024
	}
	short := false
	for x, failed := range s.All() {
		if failed != nil {
			err = failed
			break
		}
		n, d := x.Dims()
		_, _, ok := matrix.Finite(x)
		if d != s.Cols() || n == 0 || n > most || short || !ok {
			t.Errorf("%v: block of %d x %d after a short one (%v), expected %d columns and finite values (%v)", sources, n, d, short, s.Cols(), ok)
		}
		short = n < most && matrix.Nonzeros(x) < 1<<20/2
		rows = append(rows, RowsOf(x)...)
	}
	if s.Rows() != int64(len(rows)) {
		t.Errorf("%v: found %d rows counted, expected %d", sources, s.Rows(), len(rows))
	}
	if _, again := s.Next(); again != err && (err != nil || again != io.EOF) {
		t.Errorf("%v: found %v after %v", sources, again, err)
	}
	return rows, s.Cols(), err
}
