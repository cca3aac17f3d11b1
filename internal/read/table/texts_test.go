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

// reviews is a table of texts, categories and numbers.
const reviews = "stars,review,city,y\n5,\"I liked it, all of it\",Rome,yes\n2,This was no good film,Paris,no\n4,I liked it a lot,Rome,yes\n1,,Rome,no\n3,\"no, NO film for me\",Oslo,no\n2,I liked the film,Oslo,yes\n"

// texts are options to read a column, "": none, as texts of these terms.
func texts(column string, terms set.Terms) data.Options {
	if column != "" {
		terms.Columns = []string{column}
	}
	return data.Options{Spelling: set.Spelling{Terms: terms}}
}

// values are the features of a row by their names.
func values(s *data.Set, row matrix.Vector) map[string]float64 {
	all := map[string]float64{}
	for k, v := range row.Value {
		if v != 0 {
			all[s.Feature[row.Column(k)]] = float64(v)
		}
	}
	return all
}

func near(a, b map[string]float64) bool {
	for name, v := range a {
		if math.Abs(b[name]-v) > 1e-6 {
			return false
		}
	}
	return len(a) == len(b)
}

// TestTexts: a column of texts makes features of its terms beside those of other columns, as a record and other rows do.
func TestTexts(t *testing.T) {
	for _, terms := range []set.Terms{{}, {Least: 1, Most: 2}, {Weights: "counts"}, {Weights: "sublinear"}, {Least: 2, Most: 3, Within: true}, {Bits: 6}, {By: "uax29"}, {By: "uax29", Least: 1, Most: 2, Bits: 6}, {MinCount: 2}, {MaxShare: 0.4}} {
		s, err := readtest.ReadText(reviews, texts("review", terms))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if s.Cols() != len(s.Feature) || s.Cols() != s.Schema.Width() {
			t.Fatalf("%+v: found %d features with %d names", terms, s.Cols(), len(s.Feature))
		}
		again, err := readtest.ReadText(reviews, data.Options{Schema: s.Schema})
		if err != nil {
			t.Fatal(err)
		}
		if s.Digest() != again.Digest() {
			t.Errorf("%+v: rows are others when they are read by their schema", terms)
		}
		inChunks := texts("review", terms)
		inChunks.Chunk = 40
		small, err := readtest.ReadText(reviews, inChunks)
		if err != nil || small.Digest() != s.Digest() {
			t.Errorf("%+v: rows are others in small chunks (%v)", terms, err)
		}
		records := []map[string]any{{"stars": 5, "review": "I liked it, all of it", "city": "Rome"}, {"stars": 2.0, "review": "This was no good film", "city": "Paris"}, nil, {"stars": 1, "review": nil, "city": "Rome"}}
		var buffer matrix.Vector
		for i, record := range records {
			if record == nil {
				continue
			}
			row, err := s.Schema.Row(buffer, record)
			if err != nil || !near(values(s, row), values(s, s.X.Row(i))) {
				t.Errorf("%+v: row %d: found %v (%v), expected %v", terms, i, values(s, row), err, values(s, s.X.Row(i)))
			}
			buffer = row
		}
		if _, err := s.Schema.Row(buffer, map[string]any{"stars": 1, "review": 7, "city": "Rome"}); err == nil {
			t.Errorf("%+v: found no error for a number in a column of texts", terms)
		}
	}
}

// TestTextValues: counts, weights and lengths of a small column by hand.
func TestTextValues(t *testing.T) {
	s, err := readtest.ReadText(reviews, texts("review", set.Terms{}))
	if err != nil {
		t.Fatal(err)
	}
	idf := func(texts float64) float64 { return math.Log(7/(1+texts)) + 1 } // of six rows, one of them empty
	no, good, film, was, this := idf(2), idf(1), idf(3), idf(1), idf(1)
	length := math.Sqrt(no*no + good*good + film*film + was*was + this*this)
	want := map[string]float64{"stars": 2, "city=Paris": 1, "review=no": no / length, "review=good": good / length, "review=film": film / length, "review=was": was / length, "review=this": this / length}
	if got := values(s, s.X.Row(1)); !near(got, want) {
		t.Errorf("found %v, expected %v", got, want)
	}
	if got := values(s, s.X.Row(3)); !near(got, map[string]float64{"stars": 1, "city=Rome": 1}) {
		t.Errorf("no text: found %v", got)
	}
	if c := s.Schema.Columns[1]; c.Kind != set.KindText || !slices.IsSorted(c.Text.Words) || len(c.Text.Words) != 13 {
		t.Errorf("found %+v", c)
	}
}

// TestTextsApart: the terms and their weights are those of the rows that are learned from, as if the others were not there. (Terms that
// a share leaves out are so by all rows.)
func TestTextsApart(t *testing.T) {
	word := func(i int) string { return []string{"red", "green", "blue", "black", "white"}[(i*i+i/3)%5] }
	row := func(i int) string {
		return fmt.Sprintf("%d,%s %s only%d %s and %s,%d\n", i%4, word(i), word(i+1), i, word(i+2), word(2*i), i%2)
	}
	table := func(rows []int) string {
		var b strings.Builder
		b.WriteString("a,text,y\n")
		for _, i := range rows {
			b.WriteString(row(i))
		}
		return b.String()
	}
	for _, terms := range []set.Terms{{}, {Weights: "counts"}, {Weights: "sublinear", Least: 1, Most: 2}, {MinCount: 3}, {Bits: 5}} {
		checkApart(t, 40, table, texts("text", terms))
	}
}

// checkApart compares n rows, of which two of three are learned from, with a table of those alone, and the others read by its schema.
func checkApart(t *testing.T, n int, table func(rows []int) string, opt data.Options) {
	t.Helper()
	var all, learn, judge []int
	for i := range n {
		if all = append(all, i); i%3 == 0 {
			judge = append(judge, i)
		} else {
			learn = append(learn, i)
		}
	}
	s, err := readtest.ReadText(table(all), opt)
	if err != nil {
		t.Fatal(err)
	}
	learned, judged, _, err := s.Apart(learn, judge)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := readtest.ReadText(table(learn), opt)
	if err != nil {
		t.Fatal(err)
	}
	others, err := readtest.ReadText(table(judge), data.Options{Schema: alone.Schema})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ got, want *data.Set }{{learned, alone}, {judged, others}} {
		for i := range c.got.Rows() {
			if got, want := values(c.got, c.got.X.Row(i)), values(alone, c.want.X.Row(i)); !near(got, want) {
				t.Fatalf("%+v: row %d:\nfound    %v\nexpected %v", opt.Terms, i, got, want)
			}
		}
	}
}

// TestLabelsAndTexts: lines of a label, a tab and a text are read as these, quotes in texts are characters.
func TestLabelsAndTexts(t *testing.T) {
	text := "ham\tI will be home by nine\nspam\t\"WIN\" a prize now, call us\nham\tok see you there then\nspam\tcall now to \"win a prize\nham\t\"home\"\n"
	s, err := readtest.ReadText(text, data.Options{Format: "tsv"})
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows() != 5 || s.Schema.Target != 0 || !slices.Equal(s.Target.Label, []string{"ham", "spam"}) || !slices.Contains(s.Feature, "2=win") || s.Schema.Columns[1].Kind != set.KindText {
		t.Errorf("found %d rows, target %d, labels %v, features %v", s.Rows(), s.Schema.Target, s.Target.Label, s.Feature)
	}
	quoted := "a\tb\n\"x \"\"y\"\" z\"\t\"1\"\n\"q\nr\"\t2\n"
	if s, err = readtest.ReadText(quoted, data.Options{Format: "tsv", Header: "yes"}); err != nil || s.Rows() != 2 {
		t.Errorf("line breaks in quotes: found %v", err)
	}
}

// TestTextRefusals: what cannot be asked of texts.
func TestTextRefusals(t *testing.T) {
	for want, opt := range map[string]data.Options{
		`unknown weights of terms "x": known: tfidf, sublinear, counts`: texts("", set.Terms{Weights: "x"}),
		"found terms of 3 to 2 words":                                   texts("", set.Terms{Least: 3, Most: 2}),
		"'hash': found 'min-count' or 'max-share' too":                  texts("", set.Terms{Bits: 4, MinCount: 2}),
		"found a hash of 30 bits":                                       texts("", set.Terms{Bits: 30}),
		`text column "y": found the target, expected a feature`:         texts("y", set.Terms{}),
		`text column "nix"`:                                             texts("nix", set.Terms{}),
	} {
		if _, err := readtest.ReadText(reviews, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
	for want, terms := range map[string]set.Terms{"ngrams=1..2": {Most: 2}, "ngrams=chars:1..1": {Within: true}, "hash=4": {Bits: 4}, "min-count=2": {MinCount: 2},
		"max-share=0.5": {MaxShare: 0.5}, "term-weights=counts": {Weights: "counts"}} {
		if _, err := readtest.ReadText("x,y\n1,2\n2,3\n", texts("", terms)); err == nil || !strings.Contains(err.Error(), "'"+want+"': found no column of sentences") {
			t.Errorf("found %v, expected %s refused", err, want)
		}
		if _, err := readtest.ReadText("1 1:2\n2 1:3\n", texts("", terms)); err == nil || !strings.HasPrefix(err.Error(), strings.Replace(want, "=", " ", 1)+": format libsvm has no use for it") {
			t.Errorf("found %v, expected %s refused", err, want)
		}
	}
}

// FuzzTexts: whatever a text is, a row of a file and a record with it have the same features.
func FuzzTexts(f *testing.F) {
	f.Add("Hello, wörld \"again\"\nand again", "ΟΔΟΣ 中文 test", uint8(0))
	f.Add("a b cd", "", uint8(9))
	f.Add("?", "na\x00\xff", uint8(18))
	f.Fuzz(func(t *testing.T, one, two string, how uint8) {
		terms := set.Terms{Least: 1 + int(how&1), Within: how&2 != 0, Bits: int(how >> 2 & 7), Weights: []string{"", "counts", "sublinear"}[how>>5%3]}
		clean := func(text string) string {
			return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "\x00", ""))
		}
		one, two = clean(one), clean(two)
		quote := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
		s, err := readtest.ReadText("x,t,y\n1,"+quote(one)+",a\n2,"+quote(two)+",b\n3,word word,a\n", texts("t", terms))
		if err != nil {
			t.Skip(err)
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{one, two} {
			row, err := s.Schema.Row(matrix.Vector{}, map[string]any{"x": i + 1, "t": text})
			if err != nil || !near(values(s, row), values(s, s.X.Row(i))) {
				t.Fatalf("%q by %+v: found %v (%v), expected %v", text, terms, values(s, row), err, values(s, s.X.Row(i)))
			}
		}
	})
}
