package data_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/structure"
)

// TestFilesElsewhere: a file of every format, compressed or not, gives the same set from
// the system's files, from an fs.FS and from a reader.
func TestFilesElsewhere(t *testing.T) {
	ctx, folder := context.Background(), t.TempDir()
	s, err := data.FromDense([][]float32{{1, 0.5}, {2, 0}, {0, 7}, {4, 4}}, data.Labels([]string{"1", "2", "1", "2"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.csv", "a.csv.gz", "a.svm", "a.svm.zst", "a.fen", "a.npz", "a.npz.gz", "a.arff", "a.arff.gz"} {
		if _, err := data.WriterFor(name, ""); err != nil {
			continue
		}
		path := filepath.Join(folder, name)
		if err := data.Write(ctx, path, s, ""); err != nil {
			t.Fatal(name, err)
		}
		want, err := data.Read(ctx, []string{path}, data.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for how, read := range map[string]func() (*data.Set, error){
			"FS": func() (*data.Set, error) {
				return data.Read(ctx, []string{name}, data.Options{Source: data.Source{FS: os.DirFS(folder)}})
			},
			"map": func() (*data.Set, error) {
				return data.Read(ctx, []string{"x/" + name}, data.Options{Source: data.Source{FS: fstest.MapFS{"x/" + name: {Data: raw}}}})
			},
			"reader": func() (*data.Set, error) {
				return data.ReadFrom(ctx, bytes.NewReader(raw), name, data.Options{})
			},
			"one byte": func() (*data.Set, error) {
				return data.ReadFrom(ctx, iotest.OneByteReader(bytes.NewReader(raw)), name, data.Options{})
			},
			"many files": func() (*data.Set, error) {
				return data.Read(ctx, []string{"?" + name[1:]}, data.Options{Source: data.Source{FS: os.DirFS(folder)}})
			},
		} {
			got, err := read()
			if err != nil {
				t.Errorf("%s, %s: %v", name, how, err)
				continue
			}
			if got.Digest() != want.Digest() {
				t.Errorf("%s, %s: found other rows than those of the file", name, how)
			}
			got.Close()
		}
		want.Close()
	}
}

// TestFilesBeside: a glob, labels beside images, files that the options name, and a second
// look at a table, all within the FS.
func TestFilesBeside(t *testing.T) {
	ctx := context.Background()
	images := "\x00\x00\x08\x03\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x01\x02\x03\x04"
	labels := "\x00\x00\x08\x01\x00\x00\x00\x02\x07\x09"
	late := "a,y\n" + strings.Repeat("1,2\n", 9) + "x,3\n"
	files := fstest.MapFS{
		"d/t-images-idx3-ubyte":    {Data: []byte(images)},
		"d/t-labels-idx1-ubyte.gz": {Data: []byte(packed(t, labels))},
		"w/part1.svm":              {Data: []byte("1 1:2\n")}, "w/part2.svm": {Data: []byte("2 2:3\n")},
		"w/weights": {Data: []byte("1\n3\n")}, "late.csv": {Data: []byte(late)}, "folder/x": {Data: []byte("1")},
	}
	s, err := data.Read(ctx, []string{"d/t-images-idx3-ubyte"}, data.Options{Source: data.Source{FS: files}})
	if err != nil || len(s.Target.Code) != 2 || s.Target.Label[1] != "9" {
		t.Errorf("images: found %+v, error %v, expected the labels 7 and 9", s, err)
	}
	s, err = data.Read(ctx, []string{"w/*.svm"}, data.Options{Source: data.Source{FS: files}, Weights: "w/weights"})
	if err != nil || s.Rows() != 2 || s.Weight[1] != 3 {
		t.Errorf("parts: found %+v, error %v, expected two rows", s, err)
	}
	s, err = data.Read(ctx, []string{"late.csv"}, data.Options{Source: data.Source{FS: files}, Blocking: data.Blocking{Chunk: 4}, Target: "y"})
	if err != nil || s.Schema == nil || len(s.Schema.Columns[0].Category) != 2 {
		t.Errorf("late: found %+v, error %v, expected two categories", s, err)
	}
	for name, want := range map[string]string{"none": "none: file does not exist", "no*": "no*: found no file with such a name", "folder": "folder: found a directory"} {
		if _, err := data.Read(ctx, []string{name}, data.Options{Source: data.Source{FS: files}}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: found error %v, expected %s", name, err, want)
		}
	}
	if _, err := data.Read(ctx, []string{"none"}, data.Options{Source: data.Source{FS: files}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("found error %v, expected that the file does not exist", err)
	}
	b, err := data.Blocks(ctx, []string{"w/*.svm"}, data.Options{Source: data.Source{FS: files}})
	if err != nil {
		t.Fatal(err)
	}
	for range b.All() {
	}
	if b.Rows() != 2 {
		t.Errorf("blocks: found %d rows, expected 2", b.Rows())
	}
	b.Close()
}

// TestReadFromNames: errors and the extension go by the name.
func TestReadFromNames(t *testing.T) {
	ctx := context.Background()
	if _, err := data.ReadFrom(ctx, strings.NewReader("1 1:x\n"), "upload.svm", data.Options{}); err == nil || !strings.HasPrefix(err.Error(), "upload.svm:1:") {
		t.Errorf("found error %v, expected the place in upload.svm", err)
	}
	s, err := data.ReadFrom(ctx, strings.NewReader("a\tACGT\nb\tAC\n"), "genes.strings", data.Options{})
	if err != nil || s.Structure != structure.Sequences {
		t.Errorf("found %+v, error %v, expected texts, as the extension says", s, err)
	}
	if _, err := data.ReadFrom(ctx, iotest.ErrReader(io.ErrClosedPipe), "upload.csv", data.Options{}); !errors.Is(err, io.ErrClosedPipe) || !strings.HasPrefix(err.Error(), "upload.csv: ") {
		t.Errorf("found error %v, expected that of the reader", err)
	}
}

func packed(t *testing.T, text string) string {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func oneFile(name, text string) fs.FS { return fstest.MapFS{name: {Data: []byte(text)}} }
