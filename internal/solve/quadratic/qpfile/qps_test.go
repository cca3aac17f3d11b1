package qpfile

import (
	"bytes"

	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/array"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/convex"
)

// every has all that QPS has: kinds of rows, ranges of both signs, bounds of all kinds, a constant.
const every = `* a comment
NAME          EVERY
OBJSENSE
    MIN
ROWS
 N  COST
 E  E1
 E  E2
 L  L1
 G  G1                        $ of the third field
 L  L2
COLUMNS
    A         COST      1.0D+00   E1        1
    A         L1        2         G1        -1
    B         COST      -2        E2        1
    C         E1        1         L2        3
    D         L2        1
    F         E2        0.5
    G         G1        4
    H         L1        1
RHS
    RHS       COST      -7        E1        4
    RHS       E2        5         L1        6
    RHS       G1        -8
    OTHER     E1        99
RANGES
    RNG       E1        2         E2        -3
    RNG       L1        2.5       G1        10
BOUNDS
 LO BND       A         -1
 UP BND       A         9
 FX BND       B         3
 FR BND       C
 MI BND       D
 UP BND       D         1e30
 UP BND       F         -2
 BV BND       G
 PL BND       H
QUADOBJ
    A         A         2
    A         B         -1
    C         C         4
ENDATA
after the end
`

var inf = math.Inf(1)

func TestQPS(t *testing.T) {
	f, err := readQPS("every", strings.NewReader(every))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		got, want []float64
	}{
		{"q", f.Q, []float64{1, -2, 0, 0, 0, 0, 0}},
		{"l", f.Lower, []float64{4, 2, 3.5, -8, -inf}},
		{"u", f.Upper, []float64{6, 5, 6, 2, 0}},
		{"lb", f.Least, []float64{-1, 3, -inf, -inf, -inf, 0, 0}},
		{"ub", f.Most, []float64{9, 3, inf, inf, -2, 1, inf}},
		{"P", f.P.Value, []float64{2, -1, -1, 4}},
		{"A", f.A.Value, []float64{1, 1, 1, 0.5, 2, 1, -1, 4, 3, 1}},
		{"constant", []float64{f.Constant}, []float64{7}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, c.got, c.want)
		}
	}
	notes := fmt.Sprint(f.Notes)
	for _, want := range []string{"second set OTHER of RHS", "negative upper bounds", "integer variables"} {
		if !strings.Contains(notes, want) {
			t.Errorf("found the notes %s, expected %q", notes, want)
		}
	}
	if f.Name != "EVERY" || len(f.Notes) != 3 || f.Rows[2] != "L1" || f.Cols[6] != "H" || f.Check() != nil {
		t.Errorf("found %+v, %v", f, f.Check())
	}
}

// Names with blanks need fixed columns; MAX turns the signs; all of P may be given.
func TestQPSFixed(t *testing.T) {
	text := `NAME          BLANKS
OBJSENSE MAX
ROWS
 N  COST
 L  ROW ONE
COLUMNS
    COL ONE   COST               1.0   ROW ONE            1.0
    COL TWO   ROW ONE            1.0
RHS
              ROW ONE            2.0   COST               3.0
BOUNDS
 UP           COL ONE            1.5
QMATRIX
    COL ONE   COL ONE           -1.0
    COL ONE   COL TWO            0.5
    COL TWO   COL ONE            0.5
    COL TWO   COL TWO           -1.0
ENDATA
`
	f, err := readQPS("blanks", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if f.Cols[1] != "COL TWO" || f.Q[0] != -1 || f.Constant != 3 || f.Upper[0] != 2 || f.Most[0] != 1.5 || !slices.Equal(f.P.Value, []float64{1, -0.5, -0.5, 1}) {
		t.Errorf("found %+v", f)
	}
	if s := f.Solve(convex.Limits{}); s.Status != convex.Optimal || math.Abs(s.Objective-7.0/3) > 1e-9 { // x = (4, 2)/3
		t.Errorf("found %s, %v at %v", s.Status, s.Objective, s.X)
	}
}

// A negative upper bound takes the lower bound 0 away, but not one that was given.
func TestQPSNegativeUpper(t *testing.T) {
	for text, want := range map[string]float64{" UP B X -2\n": -inf, " LO B X 0\n UP B X -2\n": 0, " UP B X -2\n LO B X -3\n": -3, " UP B X 2\n": 0} {
		f, err := readQPS("t", strings.NewReader("ROWS\n N C\nCOLUMNS\n X C 1\nBOUNDS\n"+text+"ENDATA\n"))
		if err != nil || f.Least[0] != want {
			t.Errorf("%q: %v, %v, expected %v", text, f.Least, err, want)
		}
	}
}

func TestQPSErrors(t *testing.T) {
	head := "NAME T\nROWS\n N C\n L R\nCOLUMNS\n X C 1 R 1\n"
	for text, want := range map[string]string{
		"":                                         "t:0: found the end of the file, expected ENDATA",
		" X R 1\n":                                 "t:1: found fields below \"\"",
		"HELLO\n":                                  "t:1: found the heading HELLO",
		"ROWS\n Q R\n":                             "t:2: found a row of kind Q",
		"ROWS\n L R\n L R\n":                       "t:3: found row R twice",
		"ROWS\n L R\nENDATA\n":                     "t:3: found no row of kind N",
		"OBJSENSE\n UP\n":                          "t:2: found UP, expected MAX or MIN",
		"NAME T\nROWS\n N C\nENDATA\n":             "no variables",
		head + " X R\n":                            "t:7: found 1 field",
		head + " X S 1\n":                          "t:7: found row S",
		head + " X R one\n":                        "t:7: found one, expected a number",
		head + " Y R 0x1p3\n":                      "t:7: found 0x1p3, expected a number",
		head + " Y R inf\n":                        "t:7: found inf, expected a finite number",
		head + " X R 2\n":                          "t:7: found column X twice in a row",
		head + "RANGES\n R C 2\n":                  "t:8: found a range of a row N",
		head + "BOUNDS\n SC B X 1\n":               "t:8: found a bound of kind SC",
		head + "BOUNDS\n UP B X\n":                 "t:8: found column B",
		head + "BOUNDS\n UP\n":                     "t:8: found 0 fields behind UP",
		head + "BOUNDS\n FR B Y\n":                 "t:8: found column Y",
		head + "QUADOBJ\n X X\n":                   "t:8: found 2 fields",
		head + "QUADOBJ\n X X 1\n X X 1\n":         "t:9: found the columns X and X twice",
		head + "QUADOBJ\n X Y 1\n":                 "t:8: found column Y",
		head + "QCMATRIX R\n":                      "t:7: found the section QCMATRIX",
		head + "COLUMNS\n M 'MARKER' 'X'\n":        "t:8: found the marker 'X'",
		head + "ENDATA\n":                          "",
		head + " Y C 1\nQMATRIX\n X Y 1\nENDATA\n": "P: found numbers that differ by 1 in row 1, column 2",
	} {
		path := filepath.Join(t.TempDir(), "t")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(t.Context(), &file.System{}, path)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(strings.Replace(err.Error(), path, "t", 1), strings.Replace(want, "t:0: ", "t: ", 1)) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// NPZ: dense and sparse matrices are the same program, what is absent is infinite or 0, and what
// does not fit is refused.
func TestNPZ(t *testing.T) {
	read := func(arrays ...array.Named) (*File, error) {
		var raw bytes.Buffer
		if err := array.WriteArrays(&raw, arrays); err != nil {
			t.Fatal(err)
		}
		return Read(t.Context(), &file.System{Stdin: io.Reader(&raw)}, "-")
	}
	q := array.Named{Name: "q", Value: []float64{1, 2}}
	f, err := read(q, array.Named{Name: "ub", Value: []float64{inf, 3}})
	if err != nil || f.Least[0] != -inf || f.Most[1] != 3 || len(f.P.Value) != 0 {
		t.Errorf("found %+v, %v", f, err)
	}
	for want, arrays := range map[string][]array.Named{
		`no array "q"`:                       {{Name: "l", Value: []float64{1}}},
		`an array "lower"`:                   {q, {Name: "lower", Value: []float64{1}}},
		`array "ub": found 1 numbers`:        {q, {Name: "ub", Value: []float64{1}}},
		`found l or u without A`:             {q, {Name: "u", Value: []float64{1}}},
		`array "P": found shape [2]`:         {q, {Name: "P", Value: []float64{1, 2}}},
		`array "A_format": found ""`:         {q, {Name: "A_data", Value: []float64{1, 2}}},
		`q: found NaN as number 1, expected`: {{Name: "q", Value: []float64{math.NaN()}}},
	} {
		if _, err := read(arrays...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %q", err, want)
		}
	}
}

// CSC: of A of the columns (1, 0) and (2, 3) the rows are (1, 2) and (0, 3).
func TestCompressedColumns(t *testing.T) {
	list := func(v ...float64) array.Array { return array.Array{Value: v} }
	r := npz{"program.npz", map[string]array.Array{"A_data": list(1, 2, 3), "A_indices": list(0, 0, 1), "A_indptr": list(0, 1, 3), "A_format": {Text: "csc"}}}
	for _, rows := range []int{2, 3} {
		m, err := r.matrix("A", rows, 2)
		if err != nil || m.Rows() != rows || m.Cols != 2 || !slices.Equal(m.Index, []int{0, 1, 1}) || !slices.Equal(m.Value, []float64{1, 2, 3}) {
			t.Errorf("found %+v, %v", m, err)
		}
	}
}

func TestCompressed(t *testing.T) {
	m, err := Compressed(2, 3, []int64{0, 2, 3}, []uint32{2, 0, 1}, []float64{5, 6, 7})
	if err != nil || !slices.Equal(m.Index, []int{0, 2, 1}) || !slices.Equal(m.Value, []float64{6, 5, 7}) {
		t.Errorf("found %+v, %v", m, err)
	}
	for _, starts := range [][]int64{{0, 2}, {0, 4, 3}, {1, 2, 3}, {0, -1, 3}, {0, 2, 4}} {
		if _, err := Compressed(2, 3, starts, []uint32{2, 0, 1}, []float64{5, 6, 7}); err == nil {
			t.Errorf("%v: expected an error", starts)
		}
	}
	if _, err := Compressed(2, 3, []int64{0, 2, 3}, []uint32{3, 0, 1}, []float64{5, 6, 7}); err == nil {
		t.Error("a column too many: expected an error")
	}
}

// Whatever a file holds, it is refused in one line or makes a program that can be solved.
func FuzzQPS(f *testing.F) {
	f.Add(every)
	f.Add("\f\nENDATA\n")
	f.Add(strings.Replace(every, " L  L2", " L  L 2", 1))
	f.Add("ROWS\n N C\nCOLUMNS\n X C 1\nBOUNDS\n FR X 0\n UP X\nQUADOBJ\n X X 1\nENDATA")
	f.Fuzz(func(t *testing.T, text string) {
		in, err := file.NewInput(&file.Input{Name: "f"}, strings.NewReader(text))
		if err != nil {
			return
		}
		p, err := readQPS("f", in.Reader())
		if err == nil {
			err = p.Check()
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("found an error of several lines: %q", err)
			}
			return
		}
		if len(p.Q) > 20 {
			return
		}
		if s := p.Solve(convex.Limits{Steps: 30, Threads: 1}); s.Status == convex.Optimal && !(s.Gap() < 1e-8) {
			t.Errorf("found an optimum with a gap of %g", s.Gap())
		}
	})
}
