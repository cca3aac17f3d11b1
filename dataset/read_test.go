package dataset

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"github.com/klauspost/compress/zstd"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/dataset/internal/svmlight"
	"github.com/fenchel-ml/fenchel/dataset/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// put writes a file into a new folder and returns its path.
func put(t testing.TB, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSources(t *testing.T) {
	folder := t.TempDir()
	a := put(t, folder, "a.svm", "1 1:1\n")
	b := put(t, folder, "b.svm", "2 2:1\n2 1:x\n")
	c := put(t, folder, "c.csv", "1,2\n")
	empty := put(t, folder, "empty.svm", "")
	put(t, folder, "g1.svm", "1 1:1\n")
	put(t, folder, "g2.svm", "2 3:1")
	put(t, folder, ".h1.svm.12-0.tmp", "1 1:1\n") // as WriteFile leaves it when it is killed
	odd := put(t, folder, "[odd]*.svm", "5 1:1\n")
	for _, e := range []struct {
		sources []string
		want    string // "": no error
		is      error
	}{
		{nil, `found no source of data, expected a file, "-" or "@generator"`, nil},
		{[]string{folder + "/none"}, folder + "/none: no such file or directory", fs.ErrNotExist},
		{[]string{folder}, folder + ": found a directory, expected a file", nil},
		{[]string{empty}, empty + ": found nothing, expected rows", nil},
		{[]string{folder + "/x*"}, folder + "/x*: found no file with such a name: file does not exist", fs.ErrNotExist},
		{[]string{a, b}, b + `:2:5: found "x", expected a finite number`, nil},
		{[]string{a, c}, c + ": found format csv, expected libsvm as in " + a, nil},
		{[]string{a, "@blobs"}, "@blobs: found a generator among 2 sources, expected it alone", nil},
		{[]string{"-"}, "standard input: found none, expected rows", nil},
		{[]string{folder + "/g?.svm", a}, "", nil},
		{[]string{odd}, "", nil},
		{[]string{folder + "/*h1.svm*"}, folder + "/*h1.svm*: found no file with such a name: file does not exist", fs.ErrNotExist},
		{[]string{folder + "/.h1.svm*"}, "", nil},
	} {
		_, err := Read(context.Background(), e.sources, Options{})
		if e.want == "" && err != nil || e.want != "" && (err == nil || err.Error() != e.want) || e.is != nil && !errors.Is(err, e.is) {
			t.Errorf("%v: found %v, expected %s", e.sources, err, e.want)
		}
	}
	s, err := Read(context.Background(), []string{folder + "/g?.svm", a}, Options{})
	if err != nil || s.Rows() != 3 || s.Cols() != 3 {
		t.Errorf("found %+v, %v", s, err)
	}
	if _, err := readText("1 1:1\n", Options{Format: "libsm"}); err == nil || !strings.Contains(err.Error(), `did you mean "libsvm"`) {
		t.Errorf("found %v", err)
	}
}

func TestSeveralTables(t *testing.T) {
	folder := t.TempDir()
	a := put(t, folder, "a.csv", "n,c,y\n1,u,0\n")
	b := put(t, folder, "b.csv", "\nn,c,y\n3,v,0\n,u,bad,\n")
	_, err := Read(context.Background(), []string{a, b}, Options{})
	if want := b + ":4:1: found 4 fields, expected 3"; err == nil || err.Error() != want {
		t.Errorf("found %v, expected %s", err, want)
	}
	b = put(t, folder, "b.csv", "n,c,y\n3,v,0\n,u,1")
	s, err := Read(context.Background(), []string{a, b}, Options{})
	if err != nil || s.Rows() != 3 || s.Schema.Columns[0].Fill != 2 {
		t.Errorf("found %+v, %v", s, err)
	}
	b = put(t, folder, "b.csv", "n,d,y\n3,v,0\n")
	_, err = Read(context.Background(), []string{a, b}, Options{})
	if want := b + ":1: found other column names, expected those of " + a; err == nil || err.Error() != want {
		t.Errorf("found %v, expected %s", err, want)
	}
}

func TestWeightsFile(t *testing.T) {
	folder := t.TempDir()
	w := put(t, folder, "w.txt", "1\n\n 2.5 \n")
	s, err := readText("1 1:1\n2 1:1\n", Options{Weights: w})
	if err != nil || len(s.Weight) != 2 || s.Weight[1] != 2.5 {
		t.Errorf("found %+v, %v", s, err)
	}
	_, err = readText("1 1:1\n", Options{Weights: w})
	if want := w + ": found 2 rows, expected 1, one for each row of the data"; err == nil || err.Error() != want {
		t.Errorf("found %v", err)
	}
	put(t, folder, "w.txt", "1\n-2\n")
	_, err = readText("1 1:1\n2 1:1\n", Options{Weights: w})
	if want := w + `:2:1: found "-2", expected a positive number as weight`; err == nil || err.Error() != want {
		t.Errorf("found %v", err)
	}
}

// pack compresses with another program's encoder, or the standard library's.
func pack(t testing.TB, kind string, text []byte) []byte {
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

func TestCompression(t *testing.T) {
	text := []byte(strings.Repeat("1 1:0.5 7:2\n-1 3:1\n", 5000))
	for _, kind := range []string{"gzip", "zstd", "bzip2", "xz"} {
		t.Run(kind, func(t *testing.T) {
			packed := pack(t, kind, text)
			s, err := readText(string(packed), Options{})
			if err != nil || s.Rows() != 10000 {
				t.Fatalf("found %v, %v", s, err)
			}
			for _, cut := range []int{len(packed) - 3, len(packed)/2 + 2, 12} {
				_, err := readText(string(packed[:cut]), Options{})
				if err == nil || !strings.HasPrefix(err.Error(), "standard input: "+kind+" data is truncated: ") {
					t.Errorf("cut to %d: found %v", cut, err)
				}
			}
			packed[len(packed)/2] ^= 0x55
			if _, err := readText(string(packed), Options{}); err == nil || !strings.HasPrefix(err.Error(), "standard input:") {
				t.Errorf("spoiled: found %v", err)
			}
		})
	}
}

func TestCompressedTwice(t *testing.T) {
	for outer, inner := range map[string]string{"gzip": "gzip", "zstd": "gzip"} {
		_, err := readText(string(pack(t, outer, pack(t, inner, []byte("1 1:1\n")))), Options{})
		want := "standard input: found " + inner + " data inside " + outer + " data, expected data compressed once"
		if err == nil || err.Error() != want {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
}

// The table of formats: a new one adds a row.
func TestDetect(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"x", "1 1:2\n", "libsvm"},
		{"x.csv", "1 1:2\n", "libsvm"},
		{"x.csv", "2020-01-01 12:30,5\n", "csv"},
		{"x", "2020-01-01 12:30,5\n", "csv"},
		{"x.svm", "1\n-1\n", "libsvm"},
		{"x.svm", "1 1:nan\n", "libsvm"},
		{"x", "a\tb\n1\t2\n", "csv"},
		{"x.tsv", "a\tb\n1\t2\n", "tsv"},
		{"x.txt", "% c\n@RELATION r\n", "arff"},
		{"x.svm.gz", "1\n", "libsvm"},
		{"x", "en\tcat\nfr\tchat\n", "csv"},
		{"x.strings", "en\tcat\nfr\tchat\n", "strings"},
		{"x", "\x89FEN\r\n\x1a\n", "fen"},
		{"x.fen", "\x89FEN\n", "fen"},
		{"x", "1|2\n", "csv"},
		{"x", "from | to\n10:30 | 12:30\n", "csv"},
		{"x.txt", "1 |f a:1 b:2\n-1 |f c\n", ""},
		{"x", "| 3:0.5 7:-1e-3 |g x\n", ""},
	} {
		in, err := file.NewInput(&file.Input{Name: c.name}, strings.NewReader(c.head))
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := detect(in, &Options{}); got != c.want {
			t.Errorf("%s %q: found %s (%v), expected %s", c.name, c.head, got, err, c.want)
		}
	}
	if _, err := readText("\x00\x01", Options{}); err == nil || !strings.HasPrefix(err.Error(), `standard input: found "\x00\x01", expected one of the formats arff, csv, `) {
		t.Errorf("found %v", err)
	}
	if _, err := readText("a,b,class\n1,2,x\n3,\x004,y\n", Options{}); err == nil || !strings.HasPrefix(err.Error(), "standard input:3:3: found a zero byte, expected text or one of the formats arff, csv, ") {
		t.Errorf("a zero byte in a text: %v", err)
	}
}

// fuzzRead reads data in one go and in small pieces, which must agree, and
// writes what it read and reads that again.
func fuzzRead(t *testing.T, data []byte, format string) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	read := func(data []byte, opt Options) (*Set, error) {
		opt.Stdin = bytes.NewReader(data)
		return Read(ctx, []string{"-"}, opt)
	}
	s, err := read(data, Options{Format: format, Threads: 1})
	small, smallErr := read(data, Options{Format: format, Threads: 3, Chunk: 7})
	same(t, "chunks", small, s, smallErr, err)
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
		if f.(Writer).Write(&out, s) != nil {
			continue // it cannot hold such a set, and says so
		}
		if format == "csv" && (s.Cols() == 0 || s.Target.Absent()) {
			continue
		}
		again, err := read(out.Bytes(), Options{Format: format, Header: header})
		if err != nil {
			t.Fatalf("%s: %v\n%q", format, err, out.String())
		}
		if again.Digest() != s.Digest() {
			t.Fatalf("%s: other rows after writing and reading\n%q", format, out.String())
		}
	}
}

// fuzzRoom reads data as a file of known size, for which room is made beforehand:
// enough, more than enough, and too little, as after an untypical head.
func fuzzRoom(t *testing.T, data []byte) {
	s, err := readText(string(data), Options{Format: "libsvm"})
	for _, size := range []int{len(data), 3 * len(data), len(data) / 2, 1} {
		in, bad := file.NewInput(&file.Input{Name: "standard input"}, bytes.NewReader(data))
		if bad != nil || len(data) == 0 {
			return
		}
		in.Size = int64(size)
		got, gotErr := svmlight.LIBSVM{}.Read(context.Background(), []*file.Input{in}, &Options{Threads: 2, Chunk: 7})
		if gotErr == nil {
			got.Vouch()
		}
		same(t, fmt.Sprintf("a file of %d bytes", size), got, s, gotErr, err)
	}
}

func FuzzLIBSVM(f *testing.F) {
	for _, text := range allKinds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, data, "libsvm")
		fuzzRoom(t, data)
	})
}

func FuzzCSV(f *testing.F) {
	for _, text := range allKinds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, data, "csv") })
}

func FuzzARFF(f *testing.F) {
	for _, text := range allKinds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, data, "arff") })
}

// Decoders stream, so a small input that expands to much costs memory only for
// the rows in it.
func FuzzCompressed(f *testing.F) {
	for _, kind := range []string{"gzip", "zstd", "bzip2", "xz"} {
		f.Add(pack(f, kind, []byte(allKinds[0])))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, data, "") })
}
