package dataset

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
	"github.com/fenchel-ml/fenchel/dataset/internal/table"
	"github.com/fenchel-ml/fenchel/dataset/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// times are rows of a time in hundredths of a second, of which half are too large for
// single precision; a temperature that is not; a year; and a constant.
func times(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{float64(170000000000+int64(i)) / 100, 270 + float64(i%401)/10, float64(1990 + i%30), 0.1, float64(i % 7)}
	}
	return rows
}

func asCSV(rows [][]float64) string {
	var b strings.Builder
	b.WriteString("t,p,year,c,y\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "%.2f,%.1f,%g,%g,%g\n", r[0], r[1], r[2], r[3], r[4])
	}
	return b.String()
}

func readNamed(t *testing.T, name, text string, opt Options) *Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(context.Background(), []string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// checkTimes checks that no value of a column differs by more than 1e-6 of its spread from
// what it was.
func checkTimes(t *testing.T, s *Set, rows [][]float64) {
	t.Helper()
	offsets := s.Schema.Offsets()
	for j := range s.Cols() {
		low, high, worst := math.Inf(1), math.Inf(-1), 0.0
		for i, row := range rows {
			v := valueAt(s.X.Row(i), j)
			if offsets != nil {
				v += offsets[j]
			}
			low, high = min(low, row[j]), max(high, row[j])
			worst = max(worst, math.Abs(v-row[j]))
		}
		if high > low && worst > 1e-6*(high-low) {
			t.Errorf("feature %d differs by %g, the spread is %g", j+1, worst, high-low)
		}
	}
}

func valueAt(x matrix.Vector, j int) float64 {
	for k, v := range x.Value {
		if x.Column(k) == j {
			return float64(v)
		}
	}
	return 0
}

func TestTableOffsets(t *testing.T) {
	rows := times(3000)
	first := readNamed(t, "a.csv", asCSV(rows), Options{Threads: 1})
	checkTimes(t, first, rows)
	if got := first.Schema.Offsets(); got[0] != 1.7e9 || got[1] != 0 || got[2] != 0 || got[3] != 0 {
		t.Errorf("offsets %v, expected one of the time alone", got)
	}
	if w := fmt.Sprint(first.Warnings); !strings.Contains(w, `column "t": 1700000000 subtracted before rounding to single precision (values differ by 2e-08 of their size)`) {
		t.Errorf("warnings %s", w)
	}
	for _, opt := range []Options{{Threads: 3}, {Threads: 2, Chunk: 100}, {Threads: 1, Chunk: 5000}} {
		other := readNamed(t, "a.csv", asCSV(rows), opt)
		if first.Digest() != other.Digest() || fmt.Sprint(first.Schema.Columns) != fmt.Sprint(other.Schema.Columns) {
			t.Errorf("threads %d, chunks of %d: other rows", opt.Threads, opt.Chunk)
		}
	}
	shuffled := slices.Clone(rows)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	other := readNamed(t, "b.csv", asCSV(shuffled), Options{})
	if got, want := other.Schema.Offsets(), first.Schema.Offsets(); !slices.Equal(got, want) {
		t.Errorf("shuffled rows have the offsets %v, expected %v", got, want)
	}
	later := readNamed(t, "c.csv", asCSV(shuffled[:50]), Options{Schema: first.Schema})
	checkTimes(t, later, shuffled[:50])
	if later.Schema.Offsets()[0] != 1.7e9 {
		t.Error("rows of a model have another offset")
	}
}

// npyOf makes an array of any of the types, row after row or column after column.
func arrayOf(rows [][]float64, descr string, fortran bool) string {
	var b bytes.Buffer
	order := "False"
	if fortran {
		order = "True"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", descr, order, len(rows), len(rows[0]))
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	b.WriteString(header)
	put := func(v float64) {
		switch descr {
		case "<f8":
			binary.Write(&b, binary.LittleEndian, v)
		case ">f8":
			binary.Write(&b, binary.BigEndian, v)
		case "<i8":
			binary.Write(&b, binary.LittleEndian, int64(v))
		case "<u4":
			binary.Write(&b, binary.LittleEndian, uint32(v))
		case "<f4":
			binary.Write(&b, binary.LittleEndian, float32(v))
		}
	}
	if fortran {
		for j := range rows[0] {
			for i := range rows {
				put(rows[i][j])
			}
		}
		return b.String()
	}
	for _, row := range rows {
		for _, v := range row {
			put(v)
		}
	}
	return b.String()
}

func TestArrayOffsets(t *testing.T) {
	for _, descr := range []string{"<f8", ">f8", "<i8", "<u4"} {
		for _, fortran := range []bool{false, true} {
			for _, target := range []string{"", "2"} {
				rows := times(20000)
				if strings.Contains("<i8<u4", descr) {
					for i := range rows {
						rows[i] = []float64{(1 << 31) + float64(3*i), 7, float64(i % 5), 0, float64(i % 7)}
					}
				}
				features := make([][]float64, len(rows))
				at := 4
				if target != "" {
					at = 1
				}
				for i, row := range rows {
					features[i] = slices.Delete(slices.Clone(row), at, at+1)
				}
				name := fmt.Sprintf("%s, fortran %v, target %q", descr, fortran, target)
				t.Run(name, func(t *testing.T) {
					text := arrayOf(rows, descr, fortran)
					s := readNamed(t, "a.npy", text, Options{Threads: 1, Target: target})
					checkTimes(t, s, features)
					if got := s.Schema.Offsets(); got == nil || got[0] == 0 || got[1] != 0 || got[2] != 0 || !s.Schema.Array || s.Schema.Table() {
						t.Errorf("offsets %v, expected one of the first column", got)
					}
					other := readNamed(t, "a.npy", text, Options{Threads: 3, Target: target})
					if s.Digest() != other.Digest() {
						t.Error("threads change the rows")
					}
					later := readNamed(t, "b.npy", arrayOf(rows[5000:6000], descr, !fortran), Options{Schema: s.Schema, Columns: s.Cols()})
					for i := range 1000 {
						if !slices.Equal(rowOf(s, 5000+i), rowOf(later, i)) {
							t.Fatalf("row %d: other features for the same schema", i+1)
						}
					}
					if err := s.Schema.Check(s.Cols()); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

func rowOf(s *Set, i int) []float64 {
	row := make([]float64, s.Cols())
	s.X.Row(i).AddTo(row, 1)
	return row
}

// An array of mostly zeros is sparse, whatever an offset makes of one column.
func TestArrayOffsetSparse(t *testing.T) {
	rows := make([][]float64, 3000)
	for i := range rows {
		rows[i] = make([]float64, 12)
		rows[i][3], rows[i][11] = 1.7e9+float64(i), 1
	}
	s := readNamed(t, "a.npy", arrayOf(rows, "<f8", false), Options{Labels: ""})
	checkTimes(t, s, rows)
	if _, dense := s.X.(*matrix.Dense); dense {
		t.Error("found dense rows, expected sparse ones")
	}
}

// Other formats follow the schema of a model too, as far as they hold the numbers.
func TestOffsetsOfOtherFormats(t *testing.T) {
	rows := times(200)
	s := readNamed(t, "a.csv", asCSV(rows), Options{})
	for _, text := range []string{arrayOf(rows, "<f4", false), "0 1:1700000000 2:270 3:1990 4:0.1\n"} {
		name := "a.npy"
		if text[0] == '0' {
			name = "a.svm"
		}
		other := readNamed(t, name, text, Options{Schema: s.Schema, Columns: s.Cols()})
		if got, want := rowOf(other, 0), rowOf(s, 0); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, expected %v", name, got, want)
		}
	}
	var out bytes.Buffer
	if err := (table.CSV{}).Write(&out, s); err != nil {
		t.Fatal(err)
	}
	again := readNamed(t, "again.csv", out.String(), Options{})
	checkTimes(t, again, rows)
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		offset float64
	}{
		{[]float64{1.7e9, 1.7e9 + 50}, 1.7e9},
		{[]float64{-1.7e9, -1.7e9 - 50}, -1.7e9},
		{[]float64{1.7e9, 1.7e9}, 0},
		{[]float64{1990, 2020}, 0},
		{[]float64{1 << 24, 1<<24 + 1}, 16777216},
		{[]float64{0, 1e9}, 0},
		{[]float64{1e-40, 1.1e-40}, 0},
		{[]float64{0.1, 0.1 + 1e-12}, 0.1 + 5e-13},
		{[]float64{math.MaxFloat32, math.MaxFloat32 * (1 - 1e-9)}, math.MaxFloat32},
	} {
		var s set.Spread
		for _, v := range c.values {
			s.Add(v)
		}
		s.Settle()
		got := s.Offset()
		if math.Abs(got-c.offset) > 1e-6*math.Abs(c.values[0]) || (got == 0) != (c.offset == 0) {
			t.Errorf("%v: offset %v, expected %v", c.values, got, c.offset)
		}
		if got == 0 {
			continue
		}
		for _, v := range c.values {
			if loss := math.Abs(float64(float32(v-got)) - (v - got)); loss > 1e-7*(s.High-s.Low) {
				t.Errorf("%v: %v less %v is rounded by %g", c.values, v, got, loss)
			}
		}
	}
}

// streamOf reads a file as a stream.
func streamOf(t *testing.T, name, text string, opt Options) (rows [][]float64, s *RowStream) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Blocks(context.Background(), []string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for x, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		n, d := x.Dims()
		for i := range n {
			row := make([]float64, d)
			x.Row(i).AddTo(row, 1)
			rows = append(rows, row)
		}
	}
	return rows, s
}

func TestStreamOffsets(t *testing.T) {
	rows := times(3000)
	for name, text := range map[string]string{"a.csv": asCSV(rows), "a.npy": arrayOf(rows, "<f8", false)} {
		got, s := streamOf(t, name, text, Options{})
		if offsets := s.Schema.Offsets(); offsets == nil || offsets[0] != 1.7e9 {
			t.Fatalf("%s: offsets %v", name, offsets)
		}
		for i, row := range got {
			if math.Abs(row[0]+1.7e9-rows[i][0]) > 30*1e-6 {
				t.Fatalf("%s: row %d: found %v, expected %v", name, i+1, row, rows[i])
			}
		}
		if !strings.Contains(fmt.Sprint(s.Warnings), "1700000000 subtracted") || s.Late != nil {
			t.Errorf("%s: warnings %v, %v", name, s.Warnings, s.Late)
		}
		for _, other := range []string{"b.npy", "b.svm", "b.csv"} {
			text := map[string]string{"b.npy": arrayOf(rows, "<f8", true), "b.svm": "0 1:1700000000 2:270 3:1990 4:0.1\n", "b.csv": asCSV(rows)}[other]
			later, _ := streamOf(t, other, text, Options{Schema: s.Schema, Columns: len(got[0])})
			if !slices.Equal(later[0][:2], got[0][:2]) {
				t.Errorf("%s by the schema of %s: found %v, expected %v", other, name, later[0], got[0])
			}
		}
	}
}

// The first rows of a stream may say that there is nothing to lose.
func TestStreamLoses(t *testing.T) {
	rows := times(3000)
	for i := range rows[:1000] {
		rows[i][0] = 1.7e9
	}
	for _, opt := range []Options{{}, {Threads: 3, Chunk: 300}} {
		_, s := streamOf(t, "a.csv", asCSV(rows), opt)
		if len(s.Late) != 1 || !strings.Contains(s.Late[0].Error(), `column "t": rounding to single precision changes values by up to`) {
			t.Errorf("found %v, expected a word about the time", s.Late)
		}
	}
	x := readNamed(t, "a.csv", asCSV(rows), Options{Unmoved: true})
	if x.Schema.Offsets() != nil || !strings.Contains(fmt.Sprint(x.Warnings), "rounding to single precision changes values") {
		t.Errorf("offsets %v and warnings %v, expected none and one", x.Schema.Offsets(), x.Warnings)
	}
}

// What NumPy, pandas and R write for a missing number stands for one, as an empty field does.
func TestMissingSpellings(t *testing.T) {
	empty := readNamed(t, "a.csv", "a,b,y\n1,2,0\n,3,1\n5,4,1\n", Options{})
	for _, missing := range []string{"?", "NA", "na", "N/A", "nan", "NaN", "NAN", "null", "NULL", "<NA>", `"nan"`} {
		s := readNamed(t, "a.csv", "a,b,y\n1,2,0\n"+missing+",3,1\n5,4,1\n", Options{})
		if s.Digest() != empty.Digest() || fmt.Sprint(s.Schema.Columns) != fmt.Sprint(empty.Schema.Columns) {
			t.Errorf("%s: other rows than with an empty field", missing)
		}
	}
}

// Sparse text cannot have offsets: what is lost is measured, whatever the chunks are.
func TestSparseTextLoses(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%d 1:1 2:%.2f 3:%d 5:%d # 7:1\n", i%2, 1.7e9+float64(i)/100, 1990+i%30, i%3)
	}
	for _, opt := range []Options{{Threads: 1}, {Threads: 3, Chunk: 500}, {Chunk: 40}} {
		s := readNamed(t, "a.svm", b.String(), opt)
		if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0].Error(), "feature 2: rounding to single precision changes values by up to 1 of their spread") {
			t.Errorf("warnings %v, expected one about the second feature", s.Warnings)
		}
		if math.Abs(s.Rounding-1) > .01 { // all of the spread
			t.Errorf("rounding %g, expected 1", s.Rounding)
		}
		_, stream := streamOf(t, "a.svm", b.String(), opt)
		if len(stream.Late) != 1 {
			t.Errorf("stream: %v, expected one warning", stream.Late)
		}
	}
	for _, text := range []string{
		strings.Replace(b.String(), "2:1700000001.00", "", 1),                     // one row lacks it: it is zero there
		strings.Replace(b.String(), "2:1700000001.00", "2:5", 1),                  // far away
		strings.ReplaceAll(strings.ReplaceAll(b.String(), ".", ""), "2:17", "2:"), // integers that differ by less than a millionth of the spread
	} {
		if s := readNamed(t, "a.svm", text, Options{}); s.Warnings != nil {
			t.Errorf("warnings %v, expected none", s.Warnings)
		}
	}
}

// Columns of any kind, with gaps, in any spelling: neither threads nor chunks matter, and a
// model's schema makes the same rows.
func TestOffsetsOfAnyColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for try := range 40 {
		n, d := 20+r.IntN(300), 1+r.IntN(6)
		size, spread, digits := make([]float64, d), make([]float64, d), make([]int, d)
		for j := range d {
			size[j] = math.Pow(10, float64(r.IntN(13)-3)) * float64(1-2*r.IntN(2))
			spread[j] = math.Abs(size[j]) * math.Pow(10, -float64(r.IntN(9)))
			digits[j] = r.IntN(6)
		}
		var b strings.Builder
		b.WriteString("a" + strings.Repeat(",b", d) + "\n")
		text := b.String()
		for j := range d {
			text = strings.Replace(text, ",b", fmt.Sprintf(",c%d", j), 1)
		}
		b.Reset()
		b.WriteString(text)
		rows := make([][]float64, n)
		for i := range n {
			rows[i] = make([]float64, d)
			fmt.Fprint(&b, []string{"p", "q"}[i%2])
			for j := range d {
				v := fmt.Sprintf("%.*f", digits[j], size[j]+r.Float64()*spread[j])
				rows[i][j], _ = decimal.Float64([]byte(v))
				switch r.IntN(60) {
				case 0:
					v, rows[i][j] = "", math.NaN()
				case 1:
					v = " " + v + " "
				case 2:
					v = `"` + v + `"`
				}
				b.WriteString("," + v)
			}
			b.WriteByte('\n')
		}
		opt := Options{Target: "a", Numeric: []string{"c*"}}
		s := readNamed(t, "a.csv", b.String(), opt)
		offsets := s.Schema.Offsets()
		for j := range d {
			low, high, worst := math.Inf(1), math.Inf(-1), 0.0
			for i := range n {
				if want := rows[i][j]; !math.IsNaN(want) {
					got := valueAt(s.X.Row(i), j)
					if offsets != nil {
						got += offsets[j]
					}
					low, high, worst = min(low, want), max(high, want), max(worst, math.Abs(got-want))
				}
			}
			if high > low && worst > 1e-6*(high-low) {
				t.Errorf("try %d: column %d: values from %v to %v differ by %g", try, j, low, high, worst)
			}
			if offsets != nil && offsets[j] != 0 && max(math.Abs(low), math.Abs(high)) < 16*(high-low) {
				t.Errorf("try %d: column %d: values from %v to %v need no offset", try, j, low, high)
			}
		}
		for _, cut := range []int{60, 700} {
			opt.Chunk, opt.Threads = cut, 3
			if other := readNamed(t, "a.csv", b.String(), opt); other.Digest() != s.Digest() || fmt.Sprint(other.Schema.Columns) != fmt.Sprint(s.Schema.Columns) {
				t.Errorf("try %d: chunks of %d bytes change the rows", try, cut)
			}
		}
		if again := readNamed(t, "a.csv", b.String(), Options{Schema: s.Schema}); again.Digest() != s.Digest() {
			t.Errorf("try %d: the schema makes other rows", try)
		}
	}
}

// Caches of tables that have other offsets are not read as one.
func TestCachesOfOtherOffsets(t *testing.T) {
	dir := t.TempDir()
	var first *Schema
	for _, like := range []bool{false, true} {
		var paths []string
		for i, part := range [][][]float64{times(4000)[:1000], times(4000)[3000:]} {
			for _, row := range part {
				row[0] += float64(1000 * i)
			}
			opt := Options{}
			if like {
				opt.Schema = first
			}
			s := readNamed(t, "a.csv", asCSV(part), opt)
			if i == 0 && !like {
				first = s.Schema
			}
			path := filepath.Join(dir, fmt.Sprintf("%v%d.fen", like, i))
			if err := Write(context.Background(), path, s, ""); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		s, err := Read(context.Background(), paths, Options{})
		if err == nil {
			s.Close()
		}
		blocks, failed := Blocks(context.Background(), paths, Options{})
		if failed == nil {
			blocks.Close()
		}
		if (err == nil) != like || (failed == nil) != like {
			t.Errorf("made alike %v: found %v and %v", like, err, failed)
		}
	}
}

// A record becomes the row that its line of a table becomes.
func TestRecordOffset(t *testing.T) {
	rows := times(100)
	s := readNamed(t, "a.csv", asCSV(rows), Options{})
	for _, value := range []any{rows[3][0], fmt.Sprintf("%.2f", rows[3][0])} {
		row, err := s.Schema.Row(matrix.Vector{}, map[string]any{"t": value, "p": rows[3][1], "year": rows[3][2], "c": rows[3][3]})
		if err != nil || !slices.Equal(row.Value, s.X.Row(3).Value) {
			t.Errorf("found %v (%v), expected %v", row.Value, err, s.X.Row(3).Value)
		}
	}
}
