package readtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Same says whether two results of Read are the same, errors by their text.
func Same(t *testing.T, what string, a, b *data.Set, errA, errB error) {
	t.Helper()
	if fmt.Sprint(errA) != fmt.Sprint(errB) {
		t.Fatalf("%s: found error %v, expected %v", what, errA, errB)
	}
	if errA == nil && fmt.Sprint(a.Warnings) != fmt.Sprint(b.Warnings) {
		t.Fatalf("%s: found warnings %v, expected %v", what, a.Warnings, b.Warnings)
	}
	if errA == nil && !reflect.DeepEqual(WithoutWarnings(a), WithoutWarnings(b)) {
		t.Fatalf("%s: found %+v, expected %+v", what, a, b)
	}
}

// WithoutWarnings is a copy of a set that has none.
func WithoutWarnings(s *data.Set) data.Set {
	c := *s
	c.Warnings = nil
	return c
}

// AllKinds are texts that touch every branch of the three line formats.
var AllKinds = []string{
	"+1 1:1 3:-2.5e0 # x\n\n# c\n-1 2:0.1\r\n1 qid:3 1:16777217 4:0\n-1.0",
	"1 1:1\n2 1:2\n3 2:1 1:4\n4 1:nan\n",
	"a,b,y\n1,x,0\n2,\"line\nbreak, \"\"q\"\"\",1\n,?,1\n3.5,x,0\n",
	"1;2;3\n4;;6\n\n7;8;9\n",
	"1,2\n3,4,5\n6\n",
	"1,2\n\"3,4\n5,6\n",
	"x\ty\n1\tA\n 2 \tB\n0\tA\n",
	" 1  2 x\n3\t4 \"y z\"\n5 6 x \n",
	"# a\n# b,c\na,b\n0,1\n1e-50,2\n3e-51,3\n0,4\n",
	"title\n\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n",
	"a,y\r1,2\r3,4\n",
	"@relation r\n@attribute a numeric\n@attribute d date\n@attribute y {p,q}\n@data\n1,2020-01-02,p,{2}\n{0 1},{.5}\n3,?,q\n",
	"@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n1 p\n2\t'q'\n",
	"1,y\n0.1,y\n0.2,n\n0.3,y\n1e10,n\n-1e10,n\n",
	"@relation r\n@attribute a numeric\n@attribute 'b c' {x, 'y z'}\n@attribute class {p,q}\n@data\n1,x,p\n% c\n?, 'y z', q\n{0 2, 2 q}\n{}\n",
	"@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\nx,3\n{0 1, 5 2}\n",
}

// CheckRead reads text as a file of a format; what is read must be sound, and the same as a stream gives.
func CheckRead(t *testing.T, format string, text []byte) {
	t.Helper()
	s, err := data.Read(context.Background(), []string{"-"}, data.Options{Format: format, Source: data.Source{Stdin: bytes.NewReader(text)}})
	CheckFile(t, format, text, s, err)
	if err != nil {
		return
	}
	rows, cols := s.X.Dims()
	if rows == 0 || cols == 0 && format != "fen" || !s.Target.Absent() && s.Target.Rows() != rows {
		t.Errorf("found %d x %d, %d targets", rows, cols, s.Target.Rows())
	}
	if i, j, ok := matrix.Finite(s.X); !ok {
		t.Errorf("row %d, column %d is not finite", i, j)
	}
	if m, ok := s.X.(*matrix.CSR); ok {
		if _, err := matrix.NewCSR(m.Cols, m.Start, m.Index, m.Value); err != nil {
			t.Error(err)
		}
	}
}

// CheckFile reads as a file what was read as a stream: arrays are left where they
// are in files.
func CheckFile(t *testing.T, format string, text []byte, s *data.Set, streamed error) {
	t.Helper()
	if format == "fen" || bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return
	}
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := ReadPath(path, data.Options{Format: format})
	if (err == nil) != (streamed == nil) {
		t.Fatalf("found %v of a file and %v of a stream", err, streamed)
	}
	if err == nil {
		SameBits(t, path, file.X, s.X)
	}
}

// FuzzRead reads text in one go and in small pieces, which must agree, and
// writes what it read and reads that again.
func FuzzRead(t *testing.T, text []byte, format string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	read := func(text []byte, opt data.Options) (*data.Set, error) {
		opt.Stdin = bytes.NewReader(text)
		return data.Read(ctx, []string{"-"}, opt)
	}
	s, err := read(text, data.Options{Format: format, Threads: 1})
	small, smallErr := read(text, data.Options{Format: format, Threads: 3, Blocking: data.Blocking{Chunk: 7}})
	Same(t, "chunks", small, s, smallErr, err)
	if ctx.Err() != nil {
		t.Fatal("reading took too long")
	}
	if err != nil {
		return
	}
	if row, col, ok := matrix.Finite(s.X); !ok {
		t.Fatalf("row %d, column %d is not finite", row, col)
	}
	for format, header := range map[string]string{"libsvm": "", "csv": "yes"} {
		var out bytes.Buffer
		f, _ := set.Registered.New(format)
		if f.(set.Writer).Write(&out, s) != nil {
			continue // it cannot hold such a set, and says so
		}
		if format == "libsvm" && s.Schema.Factors() != nil {
			continue // single precision has no such numbers
		}
		if format == "csv" && (s.Cols() == 0 || s.Target.Absent()) {
			continue
		}
		opt := data.Options{Format: format, Header: header}
		if s.Weight != nil {
			opt.Weights = "weight"
		}
		again, err := read(out.Bytes(), opt)
		if err != nil {
			t.Fatalf("%s: %v\n%q", format, err, out.String())
		}
		if again.Digest() != s.Digest() {
			t.Fatalf("%s: other rows after writing and reading\n%q", format, out.String())
		}
	}
}
