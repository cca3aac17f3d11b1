package svmlight_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

const vwText = "1 2.5 'first|f a:2 b |other:0.5 a:4 c\n\n-1 | a b:-1 b:3 gone:0\r\n1 tag|f a:0 b:1 b:-1\n"

// record returns the values of a row by the names of its features.
func record(s *data.Set, i int) map[string]float32 {
	found, row := map[string]float32{}, s.X.Row(i)
	for k, v := range row.Value {
		found[s.Feature[row.Column(k)]] = v
	}
	return found
}

// Chunks of any size give the same rows. Features are named namespace^feature, and values of a repeated feature are added.
func TestVW(t *testing.T) {
	want := []map[string]float32{{"f^a": 2, "f^b": 1, "other^a": 2, "other^c": 0.5}, {"a": 1, "b": 2}, {}}
	for _, opt := range []data.Options{{Format: "vw"}, {Format: "vw", Blocking: data.Blocking{Chunk: 3}, Threads: 3}, {}} {
		s, err := readtest.ReadText(vwText, opt)
		if err != nil {
			t.Fatal(err)
		}
		if names := "f^a f^b other^a other^c a b gone"; strings.Join(s.Feature, " ") != names {
			t.Errorf("found the features %q, expected %q", s.Feature, names)
		}
		for i := range want {
			if found := record(s, i); !reflect.DeepEqual(found, want[i]) {
				t.Errorf("row %d: found %v, expected %v", i, found, want[i])
			}
		}
		if !slices.Equal(s.Target.Number, []float64{1, -1, 1}) || !slices.Equal(s.Weight, []float64{2.5, 1, 1}) {
			t.Errorf("found targets %v and weights %v", s.Target.Number, s.Weight)
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

// A schema finds the features by their names; those that it does not have are counted. Schema.Row takes what a row names.
func TestVWSchema(t *testing.T) {
	from, err := readtest.ReadText(vwText, data.Options{Format: "vw"})
	if err != nil {
		t.Fatal(err)
	}
	opt := data.Options{Format: "vw", Schema: from.Schema, Columns: from.Cols(), Blocking: data.Blocking{Chunk: 5}, Threads: 2, Unweighted: true}
	if _, err := readtest.ReadText("0.5 3|other c:8 new |f b:3 z:2\n| new b a:3\n", opt); err == nil {
		t.Fatal("a number that touches the bar is read as a tag, found no error")
	}
	s, err := readtest.ReadText("|other c:8 new |f b:3 z:2\n| new b a:3\n", opt)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(s.Warnings) != `[3 values of 3 features (first: "other^new") are unknown to the model: ignored]` || s.Cols() != from.Cols() || !s.Target.Absent() || s.Weight != nil {
		t.Errorf("found %v, %d columns, %v", s.Warnings, s.Cols(), s.Weight)
	}
	for i, want := range []map[string]float32{{"other^c": 8, "f^b": 3}, {"a": 3, "b": 1}} {
		if found := record(s, i); !reflect.DeepEqual(found, want) {
			t.Errorf("row %d: found %v, expected %v", i, found, want)
		}
		given := map[string]any{}
		for name, v := range want {
			given[name] = v
		}
		row, err := from.Schema.Row(matrix.Vector{}, given)
		if err != nil || !reflect.DeepEqual(matrix.Vector{Index: slices.Clone(s.X.Row(i).Index), Value: slices.Clone(s.X.Row(i).Value)}, row) {
			t.Errorf("row %d: Schema.Row found %v, %v, expected %v", i, row, err, s.X.Row(i))
		}
	}
	for _, opt := range []data.Options{{Format: "vw", Columns: 3}, {Format: "vw", Columns: 1, Schema: &data.Schema{Target: -1, Weight: -1, Header: true, Columns: []data.Column{{Name: "f^a"}}}}} {
		if _, err := readtest.ReadText(vwText, opt); err == nil || !strings.Contains(err.Error(), "found features with names (Vowpal Wabbit)") {
			t.Errorf("found %v", err)
		}
	}
}

func TestVWErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\n \n", ` found 0 rows and 0 features, expected at least one of each`},
		{"1 |\n", ` found 1 row and 0 features, expected at least one of each`},
		{"1 |f a\n1 f a\n", `2:1: found "1 f a", expected a row with a bar, as in 1 |name feature:2 other`},
		{"1 |f a b:x\n", `1:10: found "x", expected a finite number behind the colon`},
		{"1 |f:nan a\n", `1:6: found "nan", expected a finite number behind the colon`},
		{"1 |f :2\n", `1:6: found a feature without a name, expected name:value`},
		{"1 |f a:1e39\n", `1:6: found the value 1e+39, expected one of single precision: 0, or from 1.2e-38 to 3.4e38`},
		{"1 |f a:3e38 a:3e38\n", `1:1: found values of a feature that add up to +Inf, expected a finite number`},
		{"1 |f \xff\n", `1:6: found "\xff", expected UTF-8 text`},
		{"1 |f\xff a\n", `1:4: found "f\xff", expected UTF-8 text`},
		{"1|f a\n", `1:1: found "1" before |, without a blank between, which makes it a tag, expected a blank before |, or the tag '1`},
		{"1 1 0.5 |f a\n", `1:1: found 3 words before the bar, expected a label, an importance and a tag (an initial prediction is not read)`},
		{"1:2 |f a\n", `1:1: found "1:2", expected one label a row, without colons and commas`},
		{"1 -2 |f a\n", `1:2: found "-2", expected a positive number as weight`},
		{"1 |f a\n|f a\n", `2:1: found no label, expected one, as the rows before have`},
		{"'x |f a\n1 |f a\n", `2:1: found a label, expected none, as in the rows before`},
	} {
		for _, chunk := range []int{0, 3} {
			_, err := readtest.ReadText(c.text, data.Options{Format: "vw", Blocking: data.Blocking{Chunk: chunk}})
			if want := "standard input:" + c.want; err == nil || err.Error() != want {
				t.Errorf("%q:\nfound    %v\nexpected %s", c.text, err, want)
			}
		}
	}
}

func FuzzVW(f *testing.F) {
	for _, text := range []string{vwText, "1 |f a:x\n", "|a:2 b:3 b\n|a:2\n", "1 2 3|x\r\n-1|y z:1e300"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { readtest.FuzzRead(t, text, "vw") })
}
