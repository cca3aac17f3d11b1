package data_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

func TestSources(t *testing.T) {
	folder := t.TempDir()
	a := readtest.Put(t, folder, "a.svm", "1 1:1\n")
	b := readtest.Put(t, folder, "b.svm", "2 2:1\n2 1:x\n")
	c := readtest.Put(t, folder, "c.csv", "1,2\n")
	empty := readtest.Put(t, folder, "empty.svm", "")
	readtest.Put(t, folder, "g1.svm", "1 1:1\n")
	readtest.Put(t, folder, "g2.svm", "2 3:1")
	readtest.Put(t, folder, ".h1.svm.12-0.tmp", "1 1:1\n") // as WriteFile leaves it when it is killed
	odd := readtest.Put(t, folder, "[odd]*.svm", "5 1:1\n")
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
		_, err := data.Read(context.Background(), e.sources, data.Options{})
		if e.want == "" && err != nil || e.want != "" && (err == nil || err.Error() != e.want) || e.is != nil && !errors.Is(err, e.is) {
			t.Errorf("%v: found %v, expected %s", e.sources, err, e.want)
		}
	}
	s, err := data.Read(context.Background(), []string{folder + "/g?.svm", a}, data.Options{})
	if err != nil || s.Rows() != 3 || s.Cols() != 3 {
		t.Errorf("found %+v, %v", s, err)
	}
	if _, err := readtest.ReadText("1 1:1\n", data.Options{Format: "libsm"}); err == nil || !strings.Contains(err.Error(), `did you mean "libsvm"`) {
		t.Errorf("found %v", err)
	}
}

func TestSeveralTables(t *testing.T) {
	folder := t.TempDir()
	a := readtest.Put(t, folder, "a.csv", "n,c,y\n1,u,0\n")
	b := readtest.Put(t, folder, "b.csv", "\nn,c,y\n3,v,0\n,u,bad,\n")
	_, err := data.Read(context.Background(), []string{a, b}, data.Options{})
	if want := b + ":4:1: found 4 fields, expected 3"; err == nil || err.Error() != want {
		t.Errorf("found %v, expected %s", err, want)
	}
	b = readtest.Put(t, folder, "b.csv", "n,c,y\n3,v,0\n,u,1")
	s, err := data.Read(context.Background(), []string{a, b}, data.Options{})
	if err != nil || s.Rows() != 3 || s.Schema.Columns[0].Fill != 2 {
		t.Errorf("found %+v, %v", s, err)
	}
	b = readtest.Put(t, folder, "b.csv", "n,d,y\n3,v,0\n")
	_, err = data.Read(context.Background(), []string{a, b}, data.Options{})
	if want := b + ":1: found other column names, expected those of " + a; err == nil || err.Error() != want {
		t.Errorf("found %v, expected %s", err, want)
	}
}

func TestWeightsFile(t *testing.T) {
	folder := t.TempDir()
	w := readtest.Put(t, folder, "w.txt", "1\n\n 2.5 \n")
	s, err := readtest.ReadText("1 1:1\n2 1:1\n", data.Options{Weights: w})
	if err != nil || len(s.Weight) != 2 || s.Weight[1] != 2.5 {
		t.Errorf("found %+v, %v", s, err)
	}
	_, err = readtest.ReadText("1 1:1\n", data.Options{Weights: w})
	if want := w + ": found 2 rows, expected 1, one for each row of the data"; err == nil || err.Error() != want {
		t.Errorf("found %v", err)
	}
	readtest.Put(t, folder, "w.txt", "1\n-2\n")
	_, err = readtest.ReadText("1 1:1\n2 1:1\n", data.Options{Weights: w})
	if want := w + `:2:1: found "-2", expected a positive number as weight`; err == nil || err.Error() != want {
		t.Errorf("found %v", err)
	}
}

func TestCompression(t *testing.T) {
	text := []byte(strings.Repeat("1 1:0.5 7:2\n-1 3:1\n", 5000))
	for _, kind := range []string{"gzip", "zstd", "bzip2", "xz"} {
		t.Run(kind, func(t *testing.T) {
			packed := readtest.Pack(t, kind, text)
			s, err := readtest.ReadText(string(packed), data.Options{})
			if err != nil || s.Rows() != 10000 {
				t.Fatalf("found %v, %v", s, err)
			}
			for _, cut := range []int{len(packed) - 3, len(packed)/2 + 2, 12} {
				_, err := readtest.ReadText(string(packed[:cut]), data.Options{})
				if err == nil || !strings.HasPrefix(err.Error(), "standard input: "+kind+" data is truncated: ") {
					t.Errorf("cut to %d: found %v", cut, err)
				}
			}
			packed[len(packed)/2] ^= 0x55
			if _, err := readtest.ReadText(string(packed), data.Options{}); err == nil || !strings.HasPrefix(err.Error(), "standard input:") {
				t.Errorf("spoiled: found %v", err)
			}
		})
	}
}

func TestCompressedTwice(t *testing.T) {
	for outer, inner := range map[string]string{"gzip": "gzip", "zstd": "gzip"} {
		_, err := readtest.ReadText(string(readtest.Pack(t, outer, readtest.Pack(t, inner, []byte("1 1:1\n")))), data.Options{})
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
		{"x.txt", "1 |f a:1 b:2\n-1 |f c\n", "vw"},
		{"x", "| 3:0.5 7:-1e-3 |g x\n", "vw"},
	} {
		in, err := file.NewInput(&file.Input{Name: c.name}, strings.NewReader(c.head))
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := data.DetectFormat(in, &data.Options{}); got != c.want {
			t.Errorf("%s %q: found %s (%v), expected %s", c.name, c.head, got, err, c.want)
		}
	}
	if _, err := readtest.ReadText("\x00\x01", data.Options{}); err == nil || !strings.HasPrefix(err.Error(), `standard input: found "\x00\x01", expected one of the formats arff, csv, `) {
		t.Errorf("found %v", err)
	}
	if _, err := readtest.ReadText("a,b,class\n1,2,x\n3,\x004,y\n", data.Options{}); err == nil || !strings.HasPrefix(err.Error(), "standard input:3:3: found a zero byte, expected text or one of the formats arff, csv, ") {
		t.Errorf("a zero byte in a text: %v", err)
	}
}

// Decoders stream, so a small input that expands to much costs memory only for
// the rows in it.
func FuzzCompressed(f *testing.F) {
	for _, kind := range []string{"gzip", "zstd", "bzip2", "xz"} {
		f.Add(readtest.Pack(f, kind, []byte(readtest.AllKinds[0])))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readtest.FuzzRead(t, data, "") })
}
