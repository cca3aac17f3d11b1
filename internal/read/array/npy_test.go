package array_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

func npyOf(descr, shape, data string) []byte {
	return readtest.NpyFile(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape), data)
}

// What NumPy wrote: testdata/make_numpy.py has the values.
func TestNPYFixtures(t *testing.T) {
	real, whole := "[1 0 -2.5][0 0.5 0][3 4 5][0 0 7] 1,-1,1,1", "[1 0 2][0 3 0][3 4 5][0 0 7] 1,0,1,1"
	for name, expected := range map[string]string{
		"f2": real, "f4": real, "f8": real, "big_f4": real, "big_f8": real, "fortran": real, "v2": real, "v3": real,
		"i1": whole, "i2": whole, "i4": whole, "i8": whole, "u1": whole, "u2": whole, "u4": whole, "u8": whole,
		"b1":         "[1 0 1][0 1 0][1 1 1][0 0 1] 1,0,1,1",
		"names":      `PATH: found text (dtype "<U4"), expected numbers`,
		"object":     `PATH: NPY header: found dtype "|O", expected integers, floats, truth values or text: objects are Python pickles, which can run any program, and are never read`,
		"structured": "PATH: NPY header: found a structured dtype, expected one type for all columns",
	} {
		path := "testdata/numpy_" + name + ".npy"
		readtest.WantRead(t, path, data.Options{}, strings.ReplaceAll(expected, "PATH", path))
	}
}

func TestNPYTarget(t *testing.T) {
	path := "testdata/numpy_f8.npy"
	all := "[1 0 -2.5 1][0 0.5 0 -1][3 4 5 1][0 0 7 1]"
	readtest.WantRead(t, path, data.Options{Columns: 4}, all)
	readtest.WantRead(t, path, data.Options{Columns: 3}, "[1 0 -2.5][0 0.5 0][3 4 5][0 0 7] 1,-1,1,1")
	for _, columns := range []int{2, 5} { // which column is the target would be a guess
		readtest.WantRead(t, path, data.Options{Columns: columns}, fmt.Sprintf("%s: found 4 columns, expected the %d features of the model, or these with the target", path, columns))
	}
	labels := "testdata/numpy_names.npy"
	readtest.WantRead(t, path, data.Options{Columns: 2, Labels: labels}, "[1 0][0 0.5][3 4][0 0] café,b,café,b")
	readtest.WantRead(t, path, data.Options{Columns: 5, Labels: labels}, "[1 0 -2.5 1 0][0 0.5 0 -1 0][3 4 5 1 0][0 0 7 1 0] café,b,café,b")
	readtest.WantRead(t, path, data.Options{Target: "2"}, "[1 -2.5 1][0 0 -1][3 5 1][0 7 1] 0,0.5,4,0")
	readtest.WantRead(t, "testdata/numpy_fortran.npy", data.Options{Target: "2"}, "[1 -2.5 1][0 0 -1][3 5 1][0 7 1] 0,0.5,4,0")
	readtest.WantRead(t, path, data.Options{Target: "5"}, path+`: target "5": expected the position of a column, from 1 to 4`)
	readtest.WantRead(t, path, data.Options{Target: "y"}, path+`: target "y": expected the position of a column, from 1 to 4`)
	readtest.WantRead(t, path, data.Options{Labels: "testdata/numpy_names.npy"}, all+" café,b,café,b")
	readtest.WantRead(t, path, data.Options{Labels: path}, "[1 0 -2.5 1][0 0.5 0 -1][3 4 5 1][0 0 7 1][1 0 3 0]") // four targets, of which this writes the first
	for _, c := range []struct{ content, expected string }{
		{string(npyOf("<i2", "(4,)", "\x01\x00\x02\x00\x01\x00\x03\x00")), all + " 1,2,1,3"},
		{string(npyOf("|i1", "(4, 1)", "\x01\x02\x01\xff")), all + " 1,2,1,-1"},
		{string(npyOf("|b1", "(4,)", "\x01\x00\x01\x01")), all + " 1,0,1,1"},
		{string(npyOf("|S2", "(4,)", "a\x00bbcca\x00")), all + " a,bb,cc,a"},
		{string(npyOf("|S2", "(4,)", "+1-1+11\x00")), all + " +1,-1,+1,+1"},
		{string(idxFile(8, []byte{4}, 3, 4, 5, 6)), all + " 3,4,5,6"},
		{"x\ny\nx\nz\n", all + " x,y,x,z"},
		{string(npyOf("|i1", "(3,)", "\x01\x02\x03")), "LABELS: found 3 rows, expected 4, one for each row of the data"},
		{string(npyOf("|S1", "(4,)", "ab\x00c")), "LABELS: row 3: found an empty label, expected a number or a name"},
		{string(npyOf("|S3", "(4,)", "1\x00\x002\x00\x00nan4\x00\x00")), `LABELS:3:1: found "nan", expected a finite number or a name as target`},
		{string(npyOf("|S1", "(4,)", "ab\xffc")), "LABELS: row 3: found bytes that are not Unicode, expected text"},
		{string(npyOf("<U1", "(4,)", strings.Repeat("\x00\xd8\x00\x00", 4))), "LABELS: row 1: found bytes that are not Unicode, expected text"},
		{string(npyOf("<i8", "(4,)", strings.Repeat("\x00\x00\x00\x00\x00\x00\x20\x00", 4))), "LABELS: row 1: found 9007199254740992, expected whole numbers below 2^53 as targets"},
		{string(npyOf("|u1", "(4,)", "12345")), "LABELS: found bytes after the last value, expected the end"},
	} {
		labels := readtest.WriteTemp(t, "labels", []byte(c.content))
		readtest.WantRead(t, path, data.Options{Labels: labels}, strings.ReplaceAll(c.expected, "LABELS", labels))
	}
}

// A target that is not the last column is found again by way of the schema.
func TestNPYSchema(t *testing.T) {
	path := "testdata/numpy_f8.npy"
	s, err := readtest.ReadPath(path, data.Options{Target: "2"})
	if err != nil || s.Schema == nil || s.Schema.Target != 1 || fmt.Sprint(s.Feature) != "[1 3 4]" {
		t.Fatalf("found %+v, %v", s, err)
	}
	for i, fill := range []float64{1, 0, 2.375, 0.5} { // means of 1 0 3 0, of -2.5 0 5 7, of 1 -1 1 1
		if c := s.Schema.Columns[i]; c.Fill != fill {
			t.Errorf("column %s: %g stands for a missing number, expected %g", c.Name, c.Fill, fill)
		}
	}
	model := data.Options{Schema: s.Schema, Columns: 3}
	readtest.WantRead(t, path, model, "[1 -2.5 1][0 0 -1][3 5 1][0 7 1] 0,0.5,4,0")
	readtest.WantRead(t, path, data.Options{Schema: s.Schema}, "[1 -2.5 1][0 0 -1][3 5 1][0 7 1] 0,0.5,4,0") // as verify does
	features := readtest.WriteTemp(t, "features.npy", npyOf("|u1", "(2, 3)", "\x01\x02\x03\x04\x05\x06"))
	readtest.WantRead(t, features, model, "[1 2 3][4 5 6]")
	short := readtest.WriteTemp(t, "short.npy", npyOf("|u1", "(2, 1)", "\x01\x02"))
	readtest.WantRead(t, short, model, short+": found 1 column, expected the 3 features of the model, or these with the target")
	if s, err = readtest.ReadPath(path, data.Options{Target: "4"}); err != nil || s.Schema != nil {
		t.Errorf("target in the last column: found schema %+v, %v", s.Schema, err)
	}
}

func TestNPYErrors(t *testing.T) {
	good := "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"
	values := "\x00\x00\x80\x3f\x00\x00\x00\x40"
	for _, c := range []struct {
		name     string
		file     []byte
		expected string // after the path
	}{
		{"good", readtest.NpyFile(good, values), "[1] 2"},
		{"any order, any quotes, blanks", readtest.NpyFile("{ \"shape\" :(1L,2L),\n'fortran_order':True,'descr':\"<f4\"}  \n", values), "[1] 2"},
		{"NaN", npyOf("<f4", "(2, 2)", values+"\x00\x00\x00\x00\x00\x00\xc0\x7f"), "row 2: found NaN, expected a finite number as target"},
		{"Inf", npyOf("<f2", "(2, 2)", "\x00\x00\x00\x00\x00\x7c\x00\x00"), "row 2, column 1: found +Inf, expected a finite number of magnitude below 3.4e38"},
		{"huge", npyOf("<f8", "(1, 2)", "\x9c\x75\x00\x88\x3c\xe4\x37\x7e\x00\x00\x00\x00\x00\x00\x00\x00"), "row 1, column 1: found 1e+300, expected a finite number of magnitude below 3.4e38"},
		{"truncated", readtest.NpyFile(good, values[:7]), "found 7 bytes of data, expected 8"},
		{"trailing", readtest.NpyFile(good, values+"x"), "found bytes after the last value, expected the end"},
		{"sizes are not trusted", npyOf("<f4", "(1000000000000, 1000)", values), "found 8 bytes of data, expected 4000000000000000"},
		{"columns are not trusted", npyOf("<f4", "(1, 2000000000)", values), "found 8 bytes of data, expected 8000000000"},
		{"sizes overflow", npyOf("<f4", "(9223372036854775807, 2)", values), "NPY header: found shape (9223372036854775807, 2), expected fewer than 2^63 bytes"},
		{"rows without columns", npyOf("<f4", "(1000000000000, 0)", ""), "found 1000000000000 rows of 0 columns, expected at least one of each"},
		{"one dimension", npyOf("<f4", "(2,)", values), "found shape (2,), expected 2 dimensions: rows and columns"},
		{"no dimension", npyOf("<f4", "()", values), "found shape (), expected 2 dimensions: rows and columns"},
		{"target only", npyOf("<f4", "(2, 1)", values), "found 2 rows of 0 columns, expected at least one of each"},
		{"magic cut", []byte("\x93NUMPY"), "NPY header: found 6 bytes, expected 10"},
		{"version", append([]byte("\x93NUMPY"), 4, 0, 0, 0), "NPY header: found version 4.0, expected 1, 2 or 3"},
		{"header cut", readtest.NpyFile(good, "")[:20], "NPY header: found 10 bytes, expected 59"},
		{"header length", append([]byte("\x93NUMPY"), 2, 0, 0xff, 0xff, 0xff, 0x7f), "NPY header: found 2147483647 characters, expected at most 10000"},
		{"complex", npyOf("<c8", "(1, 1)", values), `NPY header: found dtype "<c8", expected integers, floats, truth values or text`},
		{"dates", npyOf("<M8[ns]", "(1, 1)", values), `NPY header: found dtype "<M8[ns]", expected integers, floats, truth values or text`},
		{"no size", npyOf("<f", "(1, 1)", values), `NPY header: found dtype "<f", expected integers, floats, truth values or text`},
		{"empty text", npyOf("<U0", "(1000000000000,)", ""), `NPY header: found dtype "<U0", expected integers, floats, truth values or text`},
		{"no dictionary", readtest.NpyFile("[1]", ""), `NPY header: found "[1]", expected "{"`},
		{"empty dictionary", readtest.NpyFile("{}", ""), "NPY header: found 0 keys, expected descr, fortran_order and shape"},
		{"key twice", readtest.NpyFile("{'shape': (1,), 'shape': (2,)}", ""), `NPY header: found key "shape" twice`},
		{"unknown key", readtest.NpyFile("{'a': 1}", ""), `NPY header: found key "a", expected descr, fortran_order and shape`},
		{"a program", readtest.NpyFile("{'shape': __import__('os'), }", ""), `NPY header: found "__import__('os'), }", expected "("`},
		{"a number", readtest.NpyFile("{'shape': (5), }", ""), `NPY header: found "), }", expected ","`},
		{"negative", readtest.NpyFile("{'shape': (-5,), }", ""), `NPY header: found "-5,), }", expected a dimension`},
		{"order", readtest.NpyFile("{'fortran_order': 1}", ""), `NPY header: found "1}", expected True or False`},
		{"escape", readtest.NpyFile(`{'descr': '\x3cf4'}`, ""), `NPY header: found "'\\x3cf4'}", expected a string in quotes, without \`},
		{"open string", readtest.NpyFile(`{'descr`, ""), `NPY header: found "'descr", expected a string in quotes, without \`},
		{"more", readtest.NpyFile(good+"x", values), `NPY header: found "x", expected the end`},
		{"dimensions", readtest.NpyFile("{'shape': ("+strings.Repeat("1,", 40)+")}", ""), `NPY header: found "1,1,1,1,1,1,1,1,)}", expected at most 32 dimensions`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := readtest.WriteTemp(t, "data.npy", c.file)
			expected := path + ": " + c.expected
			if strings.HasPrefix(c.expected, "[") {
				expected = c.expected
			}
			readtest.WantRead(t, path, data.Options{Format: "npy"}, expected)
		})
	}
}

func FuzzNPY(f *testing.F) {
	for _, name := range []string{"f2", "fortran", "i8", "v2", "names"} {
		content, err := os.ReadFile("testdata/numpy_" + name + ".npy")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add(npyOf("<f4", "(1000000000000, 1000)", "abcd"))
	fuzzFormat(f, "npy")
}
