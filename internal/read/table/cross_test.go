package table_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// crossed are options for products of these pairs of columns.
func crossed(bits int, pairs ...string) data.Options {
	return data.Options{Spelling: set.Spelling{Terms: set.Terms{Crossed: pairs, Bits: bits, Columns: []string{"review"}}}}
}

// Products are of the features that rows have: of numbers, categories and terms of texts; read again, in chunks and as a record they are the same.
func TestCross(t *testing.T) {
	all := []string{"city,review", "stars,city", "stars,review"}
	for _, opt := range []data.Options{crossed(0, all...), crossed(6, all...), crossed(0, "city,stars")} {
		s, err := readtest.ReadText(reviews, opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if s.Cols() != len(s.Feature) || s.Cols() != s.Schema.Width() || len(s.Indicator()) != s.Cols() {
			t.Fatalf("found %d features with %d names, %d indicators", s.Cols(), len(s.Feature), len(s.Indicator()))
		}
		again, err := readtest.ReadText(reviews, data.Options{Schema: s.Schema, Columns: s.Cols()})
		if err != nil || s.Digest() != again.Digest() {
			t.Errorf("rows are others when they are read by their schema: %v", err)
		}
		opt.Chunk, opt.Threads = 40, 3
		if small, err := readtest.ReadText(reviews, opt); err != nil || small.Digest() != s.Digest() || !slices.Equal(small.Feature, s.Feature) {
			t.Errorf("rows are others in small chunks: %v", err)
		}
		var buffer matrix.Vector
		for i, record := range []map[string]any{{"stars": 5, "review": "I liked it, all of it", "city": "Rome"}, {"stars": 2.0, "review": "This was no good film", "city": "Paris"}} {
			if buffer, err = s.Schema.Row(buffer, record); err != nil || !near(values(s, buffer), values(s, s.X.Row(i))) {
				t.Errorf("row %d: found %v (%v), expected %v", i, values(s, buffer), err, values(s, s.X.Row(i)))
			}
		}
		record := map[string]any{"stars": 2, "review": "a good film in Rome", "city": "Oslo"} // pairs that no row had
		row, err := s.Schema.Row(matrix.Vector{}, record)
		if err != nil || opt.Terms.Bits == 0 && slices.ContainsFunc(row.Index, func(j uint32) bool { return strings.Contains(s.Feature[j], "Oslo*review=good") }) {
			t.Errorf("found %v, %v", row, err)
		}
	}
	s, err := readtest.ReadText("a,b,c,y\n2,p,3,no\n0,q,5,yes\n-1,p,0.5,no\n4,q,1,yes\n", data.Options{Spelling: set.Spelling{Terms: set.Terms{Crossed: []string{"a,b", "a,c"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if names := "a b=p b=q c a*b=p a*b=q a*c"; strings.Join(s.Feature, " ") != names {
		t.Errorf("found %q, expected %q", s.Feature, names)
	}
	for i, want := range []map[string]float64{{"a": 2, "b=p": 1, "c": 3, "a*b=p": 2, "a*c": 6}, {"b=q": 1, "c": 5}, {"a": -1, "b=p": 1, "c": 0.5, "a*b=p": -1, "a*c": -0.5}, {"a": 4, "b=q": 1, "c": 1, "a*b=q": 4, "a*c": 4}} {
		if got := values(s, s.X.Row(i)); !near(got, want) {
			t.Errorf("row %d: found %v, expected %v", i, got, want)
		}
	}
	if want := "4: 2 numeric, 1 with 2 categories, 2 products of a and b, 1 product of a and c, target y"; s.Schema.Summary() != want {
		t.Errorf("found %q, expected %q", s.Schema.Summary(), want)
	}
}

// In a fold the products are those of the rows that are learned from, as if the others were not there.
func TestCrossApart(t *testing.T) {
	table := func(rows []int) string {
		var b strings.Builder
		b.WriteString("n,c,d,review,y\n")
		for _, i := range rows {
			number := fmt.Sprint(i % 5)
			if i%7 == 3 {
				number = ""
			}
			fmt.Fprintf(&b, "%s,c%d,d%d,word%d and other%d with word%d here,%d\n", number, i%4, i*i%6, i%3, i%5, i%11, i%2)
		}
		return b.String()
	}
	for _, bits := range []int{0, 5} {
		checkApart(t, 60, table, crossed(bits, "n,c", "c,d", "d,review", "n,review"))
	}
}

func TestCrossRefusals(t *testing.T) {
	for want, pairs := range map[string][]string{
		"'cross=stars': found 1 column, expected two with a comma between": {"stars"},
		`unknown cross column "nix": known: stars, review, city, y`:        {"stars,nix"},
		`'cross=stars,y': found "y", expected two different columns`:       {"stars,y"},
		`'cross=city,city': found "city", expected two different columns`:  {"city,city"},
	} {
		if _, err := readtest.ReadText(reviews, crossed(0, pairs...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
	opt := crossed(0, "stars,city")
	opt.Ignore = []string{"city"}
	if _, err := readtest.ReadText(reviews, opt); err == nil || !strings.Contains(err.Error(), `cross column "city": found one that is ignored`) {
		t.Errorf("found %v", err)
	}
	large := data.Options{Spelling: set.Spelling{Terms: set.Terms{Crossed: []string{"a,b"}}}}
	if _, err := readtest.ReadText("a,b,y\n1,2,0\n1e30,1e30,1\n", large); err == nil || !strings.Contains(err.Error(), "row 2: found a product a*b that is too large") {
		t.Errorf("found %v", err)
	}
	if _, err := readtest.ReadText("1 1:2\n2 1:3\n", large); err == nil || !strings.HasPrefix(err.Error(), "cross a,b: format libsvm has no use for it") {
		t.Errorf("found %v", err)
	}
	rare := data.Options{Spelling: set.Spelling{Terms: set.Terms{Crossed: []string{"a,b"}, MinCount: 2}}}
	if _, err := readtest.ReadText("a,b,y\n1,2,0\n3,1,1\n", rare); err == nil || !strings.Contains(err.Error(), "'min-count=2': found no column of sentences") {
		t.Errorf("found %v", err)
	}
	s, err := readtest.ReadText("a,b,y\n1,2,0\n3,1,1\n", large)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Schema.Row(matrix.Vector{}, map[string]any{"a": 1e30, "b": math.MaxFloat32}); err == nil {
		t.Error("a product that is too large: found no error")
	}
	broken := s.Schema.Clone()
	broken.Crossings[0].Pairs = [][2]uint32{{0, 1}}
	if err := broken.Check(broken.Width()); err == nil {
		t.Error("a pair that is none: found no error")
	}
	for _, columns := range [][2]int{{0, 0}, {0, 2}, {0, 7}, {-1, 1}} {
		broken.Crossings[0].Columns = columns
		if err := broken.Check(broken.Width()); err == nil {
			t.Errorf("%v: found no error", columns)
		}
	}
}
