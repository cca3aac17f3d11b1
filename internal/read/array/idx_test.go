package array_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// idxFile is a header of big-endian dimensions below 256, and data.
func idxFile(kind byte, dims []byte, data ...byte) []byte {
	file := []byte{0, 0, kind, byte(len(dims))}
	for _, d := range dims {
		file = append(file, 0, 0, 0, d)
	}
	return append(file, data...)
}

func TestIDX(t *testing.T) {
	for _, c := range []struct {
		name     string
		file     []byte
		expected string // PATH stands for the path
	}{
		{"bytes are fractions", idxFile(8, []byte{2, 1, 2}, 0, 255, 51, 0), "[0 1][0.2 0]"},
		{"signed bytes", idxFile(9, []byte{1, 2}, 0xff, 5), "[-1 5]"},
		{"shorts", idxFile(0xb, []byte{1, 2}, 0xff, 0xfe, 1, 0), "[-2 256]"},
		{"ints", idxFile(0xc, []byte{1, 1}, 0xff, 0xff, 0xff, 0xfd), "[-3]"},
		{"floats", idxFile(0xd, []byte{1, 1}, 0x3f, 0xc0, 0, 0), "[1.5]"},
		{"doubles", idxFile(0xe, []byte{1, 1}, 0x40, 4, 0, 0, 0, 0, 0, 0), "[2.5]"},
		{"NaN", idxFile(0xd, []byte{2, 1}, 0, 0, 0, 0, 0x7f, 0xc0, 0, 0), "PATH: row 2, column 1: found NaN, expected a finite number of magnitude below 3.4e38"},
		{"truncated", idxFile(8, []byte{2, 2}, 1, 2, 3), "PATH: found 3 bytes of data, expected 4"},
		{"trailing", idxFile(8, []byte{1, 2}, 1, 2, 3), "PATH: found bytes after the last value, expected the end"},
		{"header cut", idxFile(8, []byte{1, 2})[:10], "PATH: found 10 bytes, expected a header of 12"},
		{"labels as data", idxFile(8, []byte{2}, 1, 2), "PATH: found 1 dimension, as in a file of labels, expected at least 2: rows and columns"},
		{"no rows", idxFile(8, []byte{0, 2}), "PATH: found 0 rows of 2 columns, expected at least one of each"},
		{"no columns", idxFile(8, []byte{9, 0}), "PATH: found 9 rows of 0 columns, expected at least one of each"},
		{"sizes are not trusted", append([]byte{0, 0, 8, 2, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}, 1, 2, 3),
			"PATH: found 3 bytes of data, expected 9223372030412324865"},
		{"sizes overflow", append([]byte{0, 0, 8, 3}, bytes.Repeat([]byte{0xff}, 12)...),
			"PATH: found dimensions [4294967295 4294967295 4294967295], expected fewer than 2^63 bytes"},
		{"too many columns", append([]byte{0, 0, 8, 3, 0, 0, 0, 1}, bytes.Repeat([]byte{0x10}, 8)...),
			"PATH: found 72623859756564736 columns, expected at most 4294967295"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := readtest.WriteTemp(t, "data", c.file)
			readtest.WantRead(t, path, data.Options{}, string(bytes.ReplaceAll([]byte(c.expected), []byte("PATH"), []byte(path))))
		})
	}
}

func TestIDXLabels(t *testing.T) {
	folder := t.TempDir()
	put := func(name string, content []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	images := idxFile(8, []byte{2, 1}, 255, 0)
	a, b := put("a-images-idx3-ubyte", images), put("b-images-idx3-ubyte", images)
	put("a-labels-idx1-ubyte", idxFile(8, []byte{2}, 7, 9))
	alone := put("c-images", images)
	text, short := put("labels.txt", []byte("yes\n\nno\n")), put("short.txt", []byte("yes\n"))
	float := put("float", idxFile(0xd, []byte{2}, 0x7f, 0x80, 0, 0, 0, 0, 0, 0))

	readtest.WantRead(t, a, data.Options{}, "[1][0] 7,9")
	readtest.WantRead(t, alone, data.Options{}, "[1][0]")
	readtest.WantRead(t, a, data.Options{Labels: text}, "[1][0] yes,no")
	readtest.WantRead(t, a, data.Options{Labels: short}, short+": found 1 row, expected 2, one for each row of the data")
	readtest.WantRead(t, a, data.Options{Labels: a}, a+": found 2 dimensions, expected 1: one label a row")
	readtest.WantRead(t, a, data.Options{Labels: float}, float+": row 1: found +Inf, expected a finite number as target")

	_, err := data.Read(context.Background(), []string{a, b}, data.Options{})
	if expected := b + ": found no targets, expected them as in the other files"; err == nil || err.Error() != expected {
		t.Errorf("found %v, expected %s", err, expected)
	}
	put("b-labels-idx1-ubyte", idxFile(8, []byte{2}, 9, 3))
	s, err := data.Read(context.Background(), []string{a, b}, data.Options{})
	if err != nil || readtest.Show(s) != "[1][0][1][0] 7,9,9,3" {
		t.Errorf("found %v, %v", s, err)
	}
	put("b-labels-idx1-ubyte", idxFile(8, []byte{3}, 9, 3, 1))
	labels := filepath.Join(folder, "b-labels-idx1-ubyte")
	readtest.WantRead(t, b, data.Options{}, labels+": found 3 rows, expected 2, one for each row of the data")
}

// The counts of digits are those on the page of MNIST; 19.1 % of the pixels are
// not white (zcat train-images-idx3-ubyte.gz | tail -c +17 | tr -d '\0' | wc -c).
func TestRealMNIST(t *testing.T) {
	for _, c := range []struct {
		name     string
		n        int
		nonzeros int64
		count    map[string]int
	}{
		{"mnist/train-images-idx3-ubyte.gz", 60000, 8994156, map[string]int{"0": 5923, "1": 6742, "2": 5958, "3": 6131,
			"4": 5842, "5": 5421, "6": 5918, "7": 6265, "8": 5851, "9": 5949}},
		{"mnist/t10k-images-idx3-ubyte.gz", 10000, 1511219, map[string]int{"0": 980, "1": 1135, "2": 1032, "3": 1010,
			"4": 982, "5": 892, "6": 958, "7": 1028, "8": 974, "9": 1009}},
	} {
		s, err := readtest.ReadPath(readtest.RealData(t, c.name), data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for _, code := range s.Target.Code {
			count[s.Target.Label[code]]++
		}
		n, d := s.X.Dims()
		_, sparse := s.X.(*matrix.CSR)
		if n != c.n || d != 784 || !sparse || !reflect.DeepEqual(count, c.count) {
			t.Errorf("%s: found %d x %d, sparse %v, %v", c.name, n, d, sparse, count)
		}
		if got := matrix.Nonzeros(s.X); got != c.nonzeros {
			t.Errorf("%s: found %d nonzeros, expected %d", c.name, got, c.nonzeros)
		}
		for i := range n {
			for _, v := range s.X.Row(i).Value {
				if v <= 0 || v > 1 || v != float32(float64(int(v*255+0.5))/255) {
					t.Fatalf("%s: row %d: found %v, expected a fraction of 255", c.name, i, v)
				}
			}
		}
	}
}

func FuzzIDX(f *testing.F) {
	f.Add(idxFile(8, []byte{2, 1, 2}, 0, 255, 51, 0))
	f.Add(idxFile(0xd, []byte{1, 1}, 0x3f, 0xc0, 0, 0))
	f.Add([]byte{0, 0, 8, 2, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 1})
	fuzzFormat(f, "idx")
}

// fuzzFormat reads anything as one format: no panic, and a set that keeps the
// laws of Format.
func fuzzFormat(f *testing.F, name string) {
	f.Fuzz(func(t *testing.T, data []byte) { readtest.CheckRead(t, name, data) })
}
