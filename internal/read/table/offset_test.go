package table_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/table"
)

func TestTableOffsets(t *testing.T) {
	rows := readtest.Times(3000)
	first := readtest.ReadNamed(t, "a.csv", readtest.AsCSV(rows), data.Options{Threads: 1})
	readtest.CheckTimes(t, first, rows)
	if got := first.Schema.Offsets(); got[0] != 1.7e9 || got[1] != 0 || got[2] != 0 || got[3] != 0 {
		t.Errorf("offsets %v, expected one of the time alone", got)
	}
	if w := fmt.Sprint(first.Warnings); !strings.Contains(w, `column "t": 1700000000 subtracted before rounding to single precision (values differ by 2e-08 of their size)`) {
		t.Errorf("warnings %s", w)
	}
	for _, opt := range []data.Options{{Threads: 3}, {Threads: 2, Blocking: data.Blocking{Chunk: 100}}, {Threads: 1, Blocking: data.Blocking{Chunk: 5000}}} {
		other := readtest.ReadNamed(t, "a.csv", readtest.AsCSV(rows), opt)
		if first.Digest() != other.Digest() || fmt.Sprint(first.Schema.Columns) != fmt.Sprint(other.Schema.Columns) {
			t.Errorf("threads %d, chunks of %d: other rows", opt.Threads, opt.Chunk)
		}
	}
	shuffled := slices.Clone(rows)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	other := readtest.ReadNamed(t, "b.csv", readtest.AsCSV(shuffled), data.Options{})
	if got, want := other.Schema.Offsets(), first.Schema.Offsets(); !slices.Equal(got, want) {
		t.Errorf("shuffled rows have the offsets %v, expected %v", got, want)
	}
	later := readtest.ReadNamed(t, "c.csv", readtest.AsCSV(shuffled[:50]), data.Options{Schema: first.Schema})
	readtest.CheckTimes(t, later, shuffled[:50])
	if later.Schema.Offsets()[0] != 1.7e9 {
		t.Error("rows of a model have another offset")
	}
}

// Other formats follow the schema of a model too, as far as they hold the numbers.
func TestOffsetsOfOtherFormats(t *testing.T) {
	rows := readtest.Times(200)
	s := readtest.ReadNamed(t, "a.csv", readtest.AsCSV(rows), data.Options{})
	for _, text := range []string{readtest.ArrayOf(rows, "<f4", false), "0 1:1700000000 2:270 3:1990 4:0.1\n"} {
		name := "a.npy"
		if text[0] == '0' {
			name = "a.svm"
		}
		other := readtest.ReadNamed(t, name, text, data.Options{Schema: s.Schema, Columns: s.Cols()})
		if got, want := readtest.RowOf(other, 0), readtest.RowOf(s, 0); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, expected %v", name, got, want)
		}
	}
	var out bytes.Buffer
	if err := (table.CSV{}).Write(&out, s); err != nil {
		t.Fatal(err)
	}
	again := readtest.ReadNamed(t, "again.csv", out.String(), data.Options{})
	readtest.CheckTimes(t, again, rows)
}

func TestStreamOffsets(t *testing.T) {
	rows := readtest.Times(3000)
	for name, text := range map[string]string{"a.csv": readtest.AsCSV(rows), "a.npy": readtest.ArrayOf(rows, "<f8", false)} {
		got, s := readtest.StreamOf(t, name, text, data.Options{})
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
			text := map[string]string{"b.npy": readtest.ArrayOf(rows, "<f8", true), "b.svm": "0 1:1700000000 2:270 3:1990 4:0.1\n", "b.csv": readtest.AsCSV(rows)}[other]
			later, _ := readtest.StreamOf(t, other, text, data.Options{Schema: s.Schema, Columns: len(got[0])})
			if !slices.Equal(later[0][:2], got[0][:2]) {
				t.Errorf("%s by the schema of %s: found %v, expected %v", other, name, later[0], got[0])
			}
		}
	}
}

// The first rows of a stream may say that there is nothing to lose.
func TestStreamLoses(t *testing.T) {
	rows := readtest.Times(3000)
	for i := range rows[:1000] {
		rows[i][0] = 1.7e9
	}
	for _, opt := range []data.Options{{}, {Threads: 3, Blocking: data.Blocking{Chunk: 300}}} {
		_, s := readtest.StreamOf(t, "a.csv", readtest.AsCSV(rows), opt)
		if len(s.Late) != 1 || !strings.Contains(s.Late[0].Error(), `column "t": rounding to single precision changes values by up to`) {
			t.Errorf("found %v, expected a word about the time", s.Late)
		}
	}
	x := readtest.ReadNamed(t, "a.csv", readtest.AsCSV(rows), data.Options{Unmoved: true})
	if x.Schema.Offsets() != nil || !strings.Contains(fmt.Sprint(x.Warnings), "rounding to single precision changes values") {
		t.Errorf("offsets %v and warnings %v, expected none and one", x.Schema.Offsets(), x.Warnings)
	}
}

// What NumPy, pandas and R write for a missing number stands for one, as an empty field does.
func TestMissingSpellings(t *testing.T) {
	empty := readtest.ReadNamed(t, "a.csv", "a,b,y\n1,2,0\n,3,1\n5,4,1\n", data.Options{})
	for _, missing := range []string{"?", "NA", "na", "N/A", "nan", "NaN", "NAN", "null", "NULL", "<NA>", `"nan"`} {
		s := readtest.ReadNamed(t, "a.csv", "a,b,y\n1,2,0\n"+missing+",3,1\n5,4,1\n", data.Options{})
		if s.Digest() != empty.Digest() || fmt.Sprint(s.Schema.Columns) != fmt.Sprint(empty.Schema.Columns) {
			t.Errorf("%s: other rows than with an empty field", missing)
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
		opt := data.Options{Target: "a", Numeric: []string{"c*"}}
		s := readtest.ReadNamed(t, "a.csv", b.String(), opt)
		offsets := s.Schema.Offsets()
		for j := range d {
			low, high, worst := math.Inf(1), math.Inf(-1), 0.0
			for i := range n {
				if want := rows[i][j]; !math.IsNaN(want) {
					got := readtest.ValueAt(s.X.Row(i), j)
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
			if other := readtest.ReadNamed(t, "a.csv", b.String(), opt); other.Digest() != s.Digest() || fmt.Sprint(other.Schema.Columns) != fmt.Sprint(s.Schema.Columns) {
				t.Errorf("try %d: chunks of %d bytes change the rows", try, cut)
			}
		}
		if again := readtest.ReadNamed(t, "a.csv", b.String(), data.Options{Schema: s.Schema}); again.Digest() != s.Digest() {
			t.Errorf("try %d: the schema makes other rows", try)
		}
	}
}
