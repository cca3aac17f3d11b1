package array_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/array"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// What NumPy and SciPy wrote: testdata/make_numpy.py has the values.
func TestNPZFixtures(t *testing.T) {
	x := "[1 0 -2.5][0 0.5 0][3 4 5][0 0 7]"
	for _, c := range []struct {
		name, expected string
		sparse         bool
	}{
		{"numpy_dense", x + " 1,-1,1,1", false}, {"numpy_deflated", x + " b,a,b,b", false},
		{"scipy_csr", x, true}, {"scipy_csc", x, true}, {"scipy_unsorted", x, true},
	} {
		path := "testdata/" + c.name + ".npz"
		readtest.WantRead(t, path, data.Options{}, c.expected)
		s, err := readtest.ReadPath(path, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, sparse := s.X.(*matrix.CSR); sparse != c.sparse {
			t.Errorf("%s: sparse is %v", c.name, sparse)
		}
		readtest.WantRead(t, path, data.Options{Labels: "testdata/numpy_names.npy"}, x+" café,b,café,b")
	}
	path := "testdata/scipy_coo.npz"
	readtest.WantRead(t, path, data.Options{}, path+`: found sparse format "coo", expected csr or csc (in Python: X.tocsr())`)
	readtest.WantRead(t, "testdata/scipy_csr.npz", data.Options{Columns: 2}, "[1 0][0 0.5][3 4][0 0]")
	readtest.WantRead(t, "testdata/scipy_csr.npz", data.Options{Columns: 4}, "[1 0 -2.5 0][0 0.5 0 0][3 4 5 0][0 0 7 0]")
}

// npzFile is an archive of arrays, given as name, content, name, content...
func npzFile(t testing.TB, method uint16, entries ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: entries[i] + ".npy", Method: method})
		if err == nil {
			_, err = w.Write([]byte(entries[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// bytesOf is an array of one dimension of small whole numbers.
func bytesOf(values ...byte) string {
	return string(npyOf("|u1", fmt.Sprintf("(%d,)", len(values)), string(values)))
}

func TestNPZErrors(t *testing.T) {
	format := string(npyOf("|S3", "()", "csr"))
	csr := func(shape, indptr, indices, data string) []byte {
		return npzFile(t, zip.Store, "format", format, "shape", shape, "indptr", indptr, "indices", indices, "data", data)
	}
	shape, starts, index, value := bytesOf(2, 3), bytesOf(0, 2, 3), bytesOf(0, 2, 1), bytesOf(7, 0, 9)
	x := string(npyOf("|u1", "(2, 1)", "\x01\x02"))
	good := csr(shape, starts, index, value)
	damaged := bytes.Replace(good, []byte("\x07\x00\x09"), []byte("\x07\x00\x0a"), 1)
	for _, c := range []struct {
		name     string
		file     []byte
		expected string // after the path
	}{
		{"good", good, "[7 0 0][0 9 0]"},
		{"without format", npzFile(t, zip.Store, "shape", shape, "indptr", starts, "indices", index, "data", value), "[7 0 0][0 9 0]"},
		{"checksum", damaged, `: array "data": zip: checksum error`},
		{"cut", good[:len(good)-5], ": zip: not a valid zip file"},
		{"indptr length", csr(shape, bytesOf(0, 3), index, value), `: array "indptr": found 2 values, expected 3 for shape [2 3]`},
		{"indptr begins", csr(shape, bytesOf(1, 2, 3), index, value), `: array "indptr": value 1: found 1, expected numbers from 0 that do not decrease`},
		{"indptr falls", csr(shape, bytesOf(0, 4, 3), index, value), `: array "indptr": value 3: found 3, expected numbers from 0 that do not decrease`},
		{"indices length", csr(shape, starts, bytesOf(0, 2), value), `: array "indices": found 2 values, expected 3 as in indptr`},
		{"indices range", csr(shape, starts, bytesOf(0, 3, 1), value), `: array "indices": value 2: found 3, expected a whole number from 0 to 2`},
		{"indices type", csr(shape, starts, string(npyOf("<f4", "(3,)", strings.Repeat("\x00", 12))), value), `: array "indices": found dtype "<f4", expected numbers`},
		{"data length", csr(shape, starts, index, bytesOf(1)), `: array "data": found 1 values, expected 3 as in indptr`},
		{"data NaN", csr(shape, starts, index, string(npyOf("<f2", "(3,)", "\x00\x00\x00\x00\x00\x7e"))), `: array "data": row 2, column 2: found NaN, expected a finite number of magnitude below 3.4e38`},
		{"twice", csr(shape, starts, bytesOf(2, 2, 1), value), ": row 1, column 3: found two values, expected one (in Python: X.sum_duplicates())"},
		{"shape", csr(bytesOf(2, 3, 4), starts, index, value), `: array "shape": found 3 dimensions, expected 2: rows and columns`},
		{"control characters", npzFile(t, zip.Store, "X\x1b[31m\n", x, "é", x), `: found arrays ["X\x1b[31m\n" é], expected X (or x, data, features, arr_0), or the arrays of a SciPy sparse matrix`},
		{"no shape", npzFile(t, zip.Store, "format", format), `: found arrays [format], expected "shape" too`},
		{"no rows", csr(bytesOf(0, 3), bytesOf(0), bytesOf(), bytesOf()), ": found 0 rows of 3 columns, expected at least one of each"},
		{"rows of csc are not trusted", npzFile(t, zip.Store, "format", string(npyOf("|S3", "()", "csc")),
			"shape", string(npyOf("<u4", "(2,)", "\xff\xff\xff\xff\x01\x00\x00\x00")), "indptr", bytesOf(0, 1), "indices", bytesOf(0), "data", bytesOf(1)),
			": found 4294967295 rows for 1 values, expected at most 1048640 in csc format (in Python: X.tocsr())"},
		{"format is no word", npzFile(t, zip.Store, "format", bytesOf(1)), `: array "format": found dtype "|u1" and shape (1,), expected one string`},
		{"no array", npzFile(t, zip.Store, "q", x), ": found arrays [q], expected X (or x, data, features, arr_0), or the arrays of a SciPy sparse matrix"},
		{"dense", npzFile(t, zip.Deflate, "features", x, "target", bytesOf(3, 4)), "[1][2] 3,4"},
		{"weights", npzFile(t, zip.Deflate, "X", x, "weight", string(npyOf("|i1", "(2,)", "\x03\xff"))), `: array "weight": row 2: found -1, expected a positive number as weight`},
		{"weights length", npzFile(t, zip.Deflate, "X", x, "weight", bytesOf(3)), `: array "weight": found 1 values, expected 2, one for each row`},
		{"targets length", npzFile(t, zip.Deflate, "X", x, "y", bytesOf(3)), `: array "y": found 1 values, expected 2, one for each row`},
		{"dense trailing", npzFile(t, zip.Deflate, "X", x+"!"), `: array "X": found bytes after the last value, expected the end`},
		{"dense truncated", npzFile(t, zip.Deflate, "X", x[:len(x)-1]), `: array "X": found 1 bytes of data, expected 2`},
		{"same name", npzFile(t, zip.Store, "X", x, "X", x), `: found array "X" twice, expected it once`},
		{"method", npzFile(t, zip.Store, "X", x), "[1][2]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := readtest.WriteTemp(t, "data.npz", c.file)
			expected := path + c.expected
			if strings.HasPrefix(c.expected, "[") {
				expected = c.expected
			}
			readtest.WantRead(t, path, data.Options{}, expected)
		})
	}
}

// A thousand bytes that claim to be four terabytes, and a thousand that unpack
// to a megabyte which no array asks for: the rest is not even unpacked.
func TestNPZBomb(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	path := readtest.WriteTemp(t, "claims.npz", npzFile(t, zip.Deflate, "X", string(npyOf("<f4", "(1000000, 1000000)", zeros))))
	readtest.WantRead(t, path, data.Options{}, path+`: array "X": found 1048576 bytes of data, expected 4000000000000`)
	path = readtest.WriteTemp(t, "unpacks.npz", npzFile(t, zip.Deflate, "X", string(npyOf("|u1", "(1, 1)", "\x01"))+zeros))
	readtest.WantRead(t, path, data.Options{}, path+`: array "X": found bytes after the last value, expected the end`)
}

func TestNPZRoundTrip(t *testing.T) {
	x := &matrix.CSR{}
	x.Append([]uint32{0, 2}, []float32{1.5, -2})
	x.Append(nil, nil)
	x.Append([]uint32{1}, []float32{math.SmallestNonzeroFloat32})
	x.Cols = 5
	codes := []uint32{0, 1, 0}
	many := data.Target{Number: []float64{0.1, 1e300, -7}}
	for name, s := range map[string]*data.Set{
		"absent":  {X: x},
		"whole":   {X: x, Target: data.Target{Label: []string{"1", "-1"}, Code: codes, Number: []float64{1, -1, 1}}},
		"spelled": {X: x, Target: data.Target{Label: []string{"+1", "-1.0"}, Code: codes, Number: []float64{1, -1, 1}}},
		"real":    {X: x, Target: data.Target{Label: []string{"0.1", "2"}, Code: codes, Number: []float64{0.1, 2, 0.1}}},
		"names":   {X: x, Target: data.Target{Label: []string{"été", "b c"}, Code: codes}, Weight: []float64{1, 2, 0.1}},
		"mixed":   {X: x, Target: data.Target{Label: []string{"1", "b"}, Code: codes}},
	} {
		path := filepath.Join(t.TempDir(), "data.npz.gz")
		if err := data.Write(context.Background(), path, s, ""); err != nil {
			t.Fatal(name, err)
		}
		got, err := readtest.ReadPath(path, data.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if s.Vouch(); !reflect.DeepEqual(got, s) {
			t.Errorf("%s: found %+v, expected %+v", name, got, s)
		}
	}
	// Numbers without labels come back with labels, being few.
	path := filepath.Join(t.TempDir(), "data.npz")
	if err := data.Write(context.Background(), path, &data.Set{X: x, Target: many}, ""); err != nil {
		t.Fatal(err)
	}
	if got, err := readtest.ReadPath(path, data.Options{}); err != nil || !reflect.DeepEqual(got.Target.Number, many.Number) {
		t.Errorf("found %+v, %v", got, err)
	}
	bad := &data.Set{X: x, Target: data.Target{Label: []string{"a\x00", "b"}, Code: codes}}
	err := array.NPZ{}.Write(&bytes.Buffer{}, bad)
	if expected := `label "a\x00": NPZ holds only Unicode text that is not empty and does not end with a zero byte`; err == nil || err.Error() != expected {
		t.Errorf("found %v, expected %s", err, expected)
	}
}

// SciPy itself reads what we write. FENCHEL_PYTHON names a Python that has it.
func TestNPZForSciPy(t *testing.T) {
	python := os.Getenv("FENCHEL_PYTHON")
	if python == "" {
		t.Skip("set FENCHEL_PYTHON to a Python with SciPy")
	}
	s, err := readtest.ReadPath("testdata/numpy_dense.npz", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Weight = []float64{1, 2, 3, 4}
	path := filepath.Join(t.TempDir(), "data.npz")
	if err := data.Write(context.Background(), path, s, ""); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", `
import sys, numpy as np, scipy.sparse as sp
X = sp.load_npz(sys.argv[1]); z = np.load(sys.argv[1])
print(X.toarray().tolist(), X.format, X.dtype, X.indices.dtype, X.has_canonical_format, z["y"].tolist(), z["weight"].tolist())`, path).CombinedOutput()
	expected := "[[1.0, 0.0, -2.5], [0.0, 0.5, 0.0], [3.0, 4.0, 5.0], [0.0, 0.0, 7.0]] csr float32 int32 True [1, -1, 1, 1] [1.0, 2.0, 3.0, 4.0]\n"
	if err != nil || string(out) != expected {
		t.Errorf("found %s, %v, expected %s", out, err, expected)
	}
}

func FuzzNPZ(f *testing.F) {
	for _, name := range []string{"numpy_dense", "numpy_deflated", "scipy_csr", "scipy_csc", "scipy_unsorted"} {
		content, err := os.ReadFile("testdata/" + name + ".npz")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add(npzFile(f, zip.Deflate, "X", string(npyOf("<f4", "(1000000, 1000000)", "abcd"))))
	fuzzFormat(f, "npz")
}

// FuzzNPZArrays gets past the checksums of the archive, which stop FuzzNPZ.
func FuzzNPZArrays(f *testing.F) {
	f.Fuzz(func(t *testing.T, format, shape, indptr, indices, data []byte) {
		readtest.CheckRead(t, "npz", npzFile(t, zip.Store, "format", string(format), "shape", string(shape), "indptr", string(indptr),
			"indices", string(indices), "data", string(data), "X", string(data), "y", string(indptr)))
	})
}
