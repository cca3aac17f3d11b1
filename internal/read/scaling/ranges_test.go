package scaling_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// svmScale is a slow twin of svm-scale: rows of index to value, and per index the least and
// largest value, with 0 where a row has none.
func svmScale(rows []map[int]float64, lower, upper float64) []map[int]float64 {
	low, high := svmRanges(rows)
	var out []map[int]float64
	for _, row := range rows {
		scaled := map[int]float64{}
		for index := range low {
			v := row[index]
			switch {
			case low[index] == high[index]: // "skip single-valued attribute"
				continue
			case v == low[index]:
				v = lower
			case v == high[index]:
				v = upper
			default:
				v = lower + (upper-lower)*(v-low[index])/(high[index]-low[index])
			}
			if v != 0 {
				scaled[index] = v
			}
		}
		out = append(out, scaled)
	}
	return out
}

func svmRanges(rows []map[int]float64) (low, high map[int]float64) {
	low, high = map[int]float64{}, map[int]float64{}
	for _, row := range rows {
		for index := range row {
			low[index], high[index] = math.Inf(1), math.Inf(-1)
		}
	}
	for index := range low {
		for _, row := range rows {
			low[index], high[index] = min(low[index], row[index]), max(high[index], row[index])
		}
	}
	return low, high
}

// randomRows are sparse rows in text and as svmScale takes them; index 3 is constant.
func randomRows(seed uint64) (text string, rows []map[int]float64) {
	r := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for i := range 40 {
		row := map[int]float64{3: 2}
		for index := 1; index <= 6; index++ {
			if index != 3 && r.IntN(3) > 0 {
				row[index] = float64(float32(math.Round(100*r.NormFloat64()) / 8))
			}
		}
		fmt.Fprintf(&b, "%d", i%3)
		for index := 1; index <= 6; index++ {
			if v, ok := row[index]; ok {
				fmt.Fprintf(&b, " %d:%g", index, v)
			}
		}
		b.WriteByte('\n')
		rows = append(rows, row)
	}
	return b.String(), rows
}

func readRows(t *testing.T, text string) *data.Set {
	t.Helper()
	s, err := data.ReadFrom(context.Background(), strings.NewReader(text), "x.svm", data.Options{Format: "libsvm"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Rows are scaled as svm-scale scales them, and what is saved gives the same rows.
func TestRanges(t *testing.T) {
	for seed := range uint64(5) {
		text, rows := randomRows(seed)
		s := readRows(t, text)
		for _, ends := range [][2]float64{{-1, 1}, {0, 1}, {-0.5, 2}} {
			r, err := scaling.NewRanges(s, ends[0], ends[1], 0)
			if err != nil {
				t.Fatal(err)
			}
			var file strings.Builder
			if err := r.Write(&file, 1); err != nil {
				t.Fatal(err)
			}
			again, err := scaling.ReadRanges(strings.NewReader(file.String()), 1, s.Cols())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []*scaling.Ranges{r, again} {
				scaled, err := r.Apply(s)
				if err != nil {
					t.Fatal(err)
				}
				sameRows(t, scaled, svmScale(rows, ends[0], ends[1]))
			}
		}
	}
}

func sameRows(t *testing.T, s *data.Set, want []map[int]float64) {
	t.Helper()
	for i, row := range want {
		x := s.X.Row(i)
		if len(x.Value) != len(row) {
			t.Fatalf("row %d: found %d values, expected %d", i+1, len(x.Value), len(row))
		}
		for k, v := range x.Value {
			if want := float32(row[x.Column(k)+1]); v != want {
				t.Fatalf("row %d, index %d: found %g, expected %g", i+1, x.Column(k)+1, v, want)
			}
		}
	}
}

// The file has the layout of svm-scale -s, with -y: this one was written by hand.
func TestRangesFile(t *testing.T) {
	const file = "y\n0 1\n-2 6\nx\n-1 1\n1 0 4\n3 -1.5 0.10000000000000001\n"
	r, err := scaling.ReadRanges(strings.NewReader(file), 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	s, err := data.FromDense([][]float32{{0, 5, -1.5}, {4, 5, 0.1}, {1, 7, 0}}, data.Numbers([]float64{-2, 6, 2}))
	if err != nil {
		t.Fatal(err)
	}
	scaled, err := r.Apply(s)
	if err != nil {
		t.Fatal(err)
	}
	third := float32(-1 + 2*1.5/1.6)
	want := []float32{-1, 0, -1, 1, 0, float32(-1 + 2*(float64(float32(0.1))+1.5)/1.6), -0.5, 0, third}
	for i := range 3 {
		if row := scaled.X.Row(i).Value; !slices.Equal(row, want[3*i:3*i+3]) {
			t.Errorf("row %d: found %v, expected %v", i+1, row, want[3*i:3*i+3])
		}
	}
	if !slices.Equal(scaled.Target.Number, []float64{0, 1, 0.5}) {
		t.Errorf("found the targets %v, expected 0, 1, 0.5", scaled.Target.Number)
	}
	var again strings.Builder
	if err := r.Write(&again, 1); err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(file, "0.10000000000000001", "0.1", 1); again.String() != want {
		t.Errorf("found the file %q, expected %q", again.String(), want)
	}
	if warnings := r.Unseen(s, 1, "f"); len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "1 feature is without a range in f (first: 2)") {
		t.Errorf("found the warnings %v, expected one of feature 2", warnings)
	}
}

// Files that are none are refused with the line.
func TestRangesFileRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 `line 1: found "", expected the word y or x`,
		"z\n":                              `line 1: found "z"`,
		"x\n":                              `line 2: found "", expected two finite numbers`,
		"x\n1 -1\n":                        `line 2: found "1 -1", expected increasing numbers`,
		"x\n-1 nan\n":                      `line 2: found "-1 nan", expected two finite numbers`,
		"x\n-1 1\n2 0 1\n1 0 1\n":          `line 4: found "1 0 1", expected an index above 2`,
		"x\n-1 1\n0 0 1\n":                 `line 3: found "0 0 1", expected an index above 0`,
		"x\n-1 1\n1 1 0\n":                 `line 3: found "1 1 0", expected an index and two increasing numbers`,
		"x\n-1 1\n2000000000 0 1\n":        `line 3: found "2000000000 0 1", expected an index above 0`,
		"y\n0 1\n1 0\nx\n-1 1\n":           `line 3: found "1 0", expected increasing numbers`,
		"x\n" + strings.Repeat("1", 1<<17): `line 2: found a line of more than`,
	} {
		if _, err := scaling.ReadRanges(strings.NewReader(text), 1, 3); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: found %v, expected %s", text, err, want)
		}
	}
}

// What an offset has kept of close values is there after the scaling.
func TestRangesOffset(t *testing.T) {
	var b strings.Builder
	b.WriteString("when,y\n")
	for i := range 9 {
		fmt.Fprintf(&b, "%.3f,%d\n", 1.7e9+0.25*float64(i), i)
	}
	s, err := data.ReadFrom(context.Background(), strings.NewReader(b.String()), "x.csv", data.Options{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := scaling.NewRanges(s, 0, 8, 0)
	if err != nil {
		t.Fatal(err)
	}
	scaled, err := r.Apply(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		if v := scaled.X.Row(i).Value[0]; v != float32(i) {
			t.Errorf("row %d: found %g, expected %d", i+1, v, i)
		}
	}
	if scaled.Schema != nil || r.Min[0] != 1.7e9 {
		t.Errorf("found a schema %v or the least value %g, expected none and 1.7e9", scaled.Schema != nil, r.Min[0])
	}
}

// Standardised columns have mean 0 and variance 1, and the file says so to svm-scale.
func TestStandard(t *testing.T) {
	s, err := data.FromDense([][]float32{{1, 5}, {2, 5}, {3, 5}, {6, 5}}, set.Target{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := scaling.NewStandard(s)
	if err != nil {
		t.Fatal(err)
	}
	scaled, err := r.Apply(s)
	if err != nil {
		t.Fatal(err)
	}
	sum, squares := 0.0, 0.0
	for i := range 4 {
		v := float64(scaled.X.Row(i).Value[0])
		sum, squares = sum+v, squares+v*v
	}
	if math.Abs(sum) > 1e-6 || math.Abs(squares/4-1) > 1e-6 || scaled.X.Row(0).Value[1] != 5 {
		t.Errorf("found the sum %g, the mean square %g and the constant %g, expected 0, 1 and 5", sum, squares/4, scaled.X.Row(0).Value[1])
	}
	if r.Min[0] != 3 || strconv.FormatFloat(r.Max[0], 'g', 8, 64) != strconv.FormatFloat(3+math.Sqrt(3.5), 'g', 8, 64) {
		t.Errorf("found the range from %g to %g, expected 3 to 3 + sqrt(3.5)", r.Min[0], r.Max[0])
	}
}

// Ranges that are none, targets that are none, and too many values are refused.
func TestRangesRefused(t *testing.T) {
	s := readRows(t, "a 1:1\nb 2:2\n")
	for _, ends := range [][2]float64{{1, 1}, {2, 1}, {math.NaN(), 1}, {-math.MaxFloat64, math.MaxFloat64}} {
		if _, err := scaling.NewRanges(s, ends[0], ends[1], 0); err == nil {
			t.Errorf("from %g to %g: found no error", ends[0], ends[1])
		}
	}
	r, err := scaling.NewRanges(s, -1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.MeasureTarget(s.Target, 0, 1); err == nil {
		t.Error("labels that are words: found no error")
	}
	r.Target = &scaling.TargetRange{Upper: 1, Max: 1}
	if _, err := r.Apply(s); err == nil {
		t.Error("labels that are words, by a file: found no error")
	}
	wide := readRows(t, strings.Repeat("1 1:1 9000000:1\n2 2:3\n", 100))
	r, err = scaling.NewRanges(wide, -1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for j := range r.Max { // every feature varies
		r.Max[j] = 1
	}
	if _, err := r.Apply(wide); err == nil || !strings.Contains(err.Error(), "expected at most") {
		t.Errorf("1.8e9 values: found %v", err)
	}
}

// No file of ranges makes the reader panic, or take more memory than its lines are worth.
func FuzzReadRanges(f *testing.F) {
	f.Add("y\n0 1\n-2 6\nx\n-1 1\n1 0 4\n3 -1.5 0.1\n")
	f.Add("x\n-1 1\n16000000 0 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := scaling.ReadRanges(strings.NewReader(text), 1, 2)
		if err != nil {
			return
		}
		var file strings.Builder
		if err := r.Write(&file, 1); err != nil {
			t.Fatal(err)
		}
		again, err := scaling.ReadRanges(strings.NewReader(file.String()), 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		if again.Lower != r.Lower || again.Upper != r.Upper || (again.Target == nil) != (r.Target == nil) {
			t.Fatalf("found %v after writing, expected %v", again, r)
		}
	})
}
