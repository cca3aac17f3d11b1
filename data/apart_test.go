package data_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
)

// gappy is a table of n rows with missing numbers of every kind of column, and a rare category.
func gappy(n int, sparse bool) []string {
	r := rand.New(rand.NewPCG(7, 1))
	field := func(text string) string {
		if r.IntN(4) == 0 {
			return ""
		}
		return text
	}
	rows := []string{"a;sure;day;comma;colour;zero;y"}
	for i := range n {
		colour := []string{"red", "green", "blue", "", "ochre"}[min(r.IntN(12), 3)]
		if i%19 == 5 {
			colour = "ochre"
		}
		a := r.NormFloat64() + float64(i%3)*10
		if sparse && r.IntN(5) > 0 {
			a = 0
		}
		rows = append(rows, strings.Join([]string{field(fmt.Sprintf("%.3f", a)), field([]string{"yes", "no"}[r.IntN(2)]), field(fmt.Sprintf("2024-0%d-11", 1+r.IntN(9))),
			field(strings.Replace(fmt.Sprintf("%.2f", r.NormFloat64()), ".", ",", 1)), colour, field("0"), fmt.Sprint(r.IntN(2))}, ";"))
	}
	return rows
}

func readRows(t *testing.T, rows []string, take []int, opt data.Options) *data.Set {
	t.Helper()
	text := []string{rows[0]}
	for _, i := range take {
		text = append(text, rows[1+i])
	}
	set, err := data.ReadFrom(context.Background(), strings.NewReader(strings.Join(text, "\n")+"\n"), "t.csv", opt)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// byName returns the values of each feature that is not all zero.
func byName(s *data.Set) map[string][]float32 {
	all := map[string][]float32{}
	if err := matrix.Check(s.X); err != nil {
		return map[string][]float32{err.Error(): nil}
	}
	for i := range s.Rows() {
		row := s.X.Row(i)
		for k, v := range row.Value {
			name := s.Feature[row.Column(k)]
			if all[name] == nil && v != 0 {
				all[name] = make([]float32, s.Rows())
			}
			if v != 0 {
				all[name][i] = v
			}
		}
	}
	return all
}

// Rows that are taken apart have the features that reading the former alone makes of both.
func TestApart(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		rows := gappy(120, sparse)
		all := make([]int, 120)
		for i := range all {
			all[i] = i
		}
		whole := readRows(t, rows, all, data.Options{Blocking: data.Blocking{Chunk: 1 << 9}})
		learn, judge := []int{}, []int{}
		for i := range all {
			switch {
			case i%19 != 5 && i%3 != 2: // the numbers of the others are larger, and they have one more colour
				learn = append(learn, i)
			default:
				judge = append(judge, i)
			}
		}
		slices.Reverse(judge)
		learned, judged, changed, err := whole.Apart(learn, judge)
		if err != nil {
			t.Fatal(err)
		}
		alone := readRows(t, rows, learn, data.Options{})
		for _, c := range []struct{ found, want *data.Set }{{learned, alone}, {judged, readRows(t, rows, judge, data.Options{Schema: alone.Schema})}} {
			if found, want := byName(c.found), byName(c.want); !reflect.DeepEqual(found, want) {
				t.Errorf("sparse %v: found\n%v\nexpected\n%v", sparse, found, want)
			}
		}
		for at, c := range learned.Schema.Columns {
			if c.Category == nil && c.Fill != alone.Schema.Columns[at].Fill {
				t.Errorf("column %s: %g stands for a missing number, expected %g", c.Name, c.Fill, alone.Schema.Columns[at].Fill)
			}
		}
		plain, _ := whole.Subset(judge)
		for i := range judge {
			if one := reflect.DeepEqual(plain.X.Row(i).Value, judged.X.Row(i).Value); one == slices.Contains(changed, i) {
				t.Errorf("row %d of those to be judged on: found it the same %v, and in the list of others %v", i, one, !one)
			}
		}
	}
}

// A column whose numbers are missing in all rows that are learned from is zero in all rows, as if it were left out.
func TestApartWithoutNumbers(t *testing.T) {
	set := readRows(t, []string{"a,b,y", "1,,1", "2,,2.5", "3,7,3", "5,8,4"}, []int{0, 1, 2, 3}, data.Options{})
	learned, judged, changed, err := set.Apart([]int{0, 1}, []int{2, 3})
	if err != nil || len(byName(learned)) != 1 || len(byName(judged)) != 1 || !slices.Equal(changed, []int{0, 1}) {
		t.Errorf("found %v, %v, changed %v, error %v", byName(learned), byName(judged), changed, err)
	}
}

// A number whose mean was 0 is not stored in a sparse row, and is there where it has another mean.
func TestApartOfZeroMean(t *testing.T) {
	set := readRows(t, []string{"z,c,y", "1,p,1", "-1,q,2.5", ",p,3", ",q,4"}, []int{0, 1, 2, 3}, data.Options{})
	learned, judged, _, err := set.Apart([]int{0, 2}, []int{1, 3})
	if want := map[string][]float32{"z": {1, 1}, "c=p": {1, 1}}; err != nil || !reflect.DeepEqual(byName(learned), want) {
		t.Errorf("found %v, error %v, expected %v", byName(learned), err, want)
	}
	if want := map[string][]float32{"z": {-1, 1}}; !reflect.DeepEqual(byName(judged), want) {
		t.Errorf("found %v, expected %v", byName(judged), want)
	}
}

// Caches keep which numbers were missing, one after another too.
func TestGapsOfCaches(t *testing.T) {
	rows := gappy(40, false)
	all := make([]int, 40)
	for i := range all {
		all[i] = i
	}
	set := readRows(t, rows, all, data.Options{})
	path := filepath.Join(t.TempDir(), "t.fen")
	if err := data.Write(context.Background(), path, set, ""); err != nil {
		t.Fatal(err)
	}
	cached, err := data.Read(context.Background(), []string{path}, data.Options{})
	if err != nil || len(set.Gaps) < 40 || !reflect.DeepEqual(cached.Gaps, set.Gaps) {
		t.Errorf("found %v, error %v, expected %v", cached.Gaps, err, set.Gaps)
	}
	twice, err := data.Read(context.Background(), []string{path, path}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(set.Gaps)
	for _, g := range set.Gaps {
		want = append(want, [2]uint32{g[0] + 40, g[1]})
	}
	if !slices.Equal(twice.Gaps, want) {
		t.Errorf("found %v, expected %v", twice.Gaps, want)
	}
	set.Gaps[0][0] = 40
	if err := set.Check(); err == nil || !strings.Contains(err.Error(), "found row 40 without feature") {
		t.Errorf("found the error %v", err)
	}
}
