package table_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// linesOf makes a table row by row, from row 0 on.
func linesOf(header string, rows int, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range rows {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

// What a person would take each column for.
func TestRecognise(t *testing.T) {
	cycle := func(i int, of ...string) string { return of[i%len(of)] }
	for _, c := range []struct {
		name, text string
		opt        data.Options
		want       string // summary
		features   string // the first few
		warnings   string // of each the beginning, "|" between
	}{
		{"ids in text", linesOf("id,age,churn", 500, func(i int) string { return fmt.Sprintf("c-%d,%d,%s", i, i*7%60, cycle(i, "yes", "no")) }), data.Options{},
			"3: 1 numeric, 1 ignored (id), target churn", "[age]", `column "id": ids (nearly all values differ, or they number the rows): ignored (to keep: 'categorical=id')`},
		{"ids in text asked for", linesOf("id,age,churn", 20, func(i int) string { return fmt.Sprintf("c-%d,%d,%s", i, i*7%60, cycle(i, "yes", "no")) }), data.Options{Categorical: []string{"id"}},
			"3: 1 numeric, 1 with 20 categories, target churn", "[id=c-0 id=c-1 id=c-2]", ""},
		{"consecutive integers", linesOf("nr,age,y", 12, func(i int) string { return fmt.Sprintf("%d,%d,%d", 100+i, i%3, i%2) }), data.Options{},
			"3: 1 numeric, 1 ignored (nr), target y", "[age]", `column "nr": ids (nearly all values differ, or they number the rows): ignored (to keep: 'numeric=nr')`},
		{"consecutive integers in another order", linesOf("nr,age,y", 12, func(i int) string { return fmt.Sprintf("%d,%d,%d", i*5%12, i%3, i%2) }), data.Options{},
			"3: 1 numeric, 1 ignored (nr), target y", "[age]", `column "nr"`},
		{"consecutive integers asked for", linesOf("nr,age,y", 12, func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i%3, i%2) }), data.Options{Numeric: []string{"n*"}},
			"3: 2 numeric, target y", "[nr age]", ""},
		{"all but one different", linesOf("nr,age,y", 12, func(i int) string { return fmt.Sprintf("%d,%d,%d", max(i, 1), i%3, i%2) }), data.Options{},
			"3: 2 numeric, target y", "[nr age]", ""},
		{"years", linesOf("year,rain,y", 30, func(i int) string { return fmt.Sprintf("%d,%d,%d", 1990+i, i*i%7, i) }), data.Options{},
			"3: 2 numeric, target y", "[year rain]", ""},
		{"numbers of customers", linesOf("customer_id,age,y", 5, func(i int) string { return fmt.Sprintf("%d,%d,%d", int64(3000000000)+int64(i*i*977), i%3, i%2) }), data.Options{},
			"3: 1 numeric, 1 ignored (customer_id), target y", "[age]", `column "customer_id"`},
		{"nothing else to learn from", linesOf("x,y", 20, func(i int) string { return fmt.Sprintf("%d,%d", i, i*i) }), data.Options{},
			"2: 1 numeric, target y", "[x]", `"x": integers that number the rows, kept as there is nothing else to learn from`},
		{"dates", linesOf("when,age,y", 6, func(i int) string { return fmt.Sprintf("2024-02-%02d,%d,%d", 28+i%2, i%3, i%2) }), data.Options{},
			"3: 1 numeric, 1 date, target y", "[when age]", ""},
		{"times, some missing", linesOf("when,age,y", 6, func(i int) string {
			return cycle(i, "", "2024-02-28T06:00:00Z", "2024-02-28 12:00") + fmt.Sprintf(",%d,%d", i%3, i%2)
		}), data.Options{},
			"3: 1 numeric, 1 date, target y", "[when age]", ""},
		{"a date that is none", linesOf("when,age,y", 6, func(i int) string { return cycle(i, "2024-02-30", "2024-02-28") + fmt.Sprintf(",%d,%d", i%3, i%2) }), data.Options{},
			"3: 1 numeric, 1 with 2 categories, target y", "[when=2024-02-30 when=2024-02-28 age]", `column "when": 3 of 6 fields are not dates (first: "2024-02-30" at `},
		{"codes with leading zeros", linesOf("zip,age,y", 6, func(i int) string { return cycle(i, "10115", "01067") + fmt.Sprintf(",%d,%d", i%3, i%2) }), data.Options{},
			"3: 1 numeric, 1 with 2 categories, target y", "[zip=10115 zip=01067 age]", ""},
		{"codes that show late", linesOf("zip,age,y", 6000, func(i int) string {
			return map[bool]string{true: "01067", false: "10115"}[i > 5990] + fmt.Sprintf(",%d,%d", i%3, i%2)
		}), data.Options{},
			"3: 1 numeric, 1 with 2 categories, target y", "[zip=10115 zip=01067 age]", ""},
		{"codes asked for as numbers", linesOf("zip,age,y", 6, func(i int) string { return cycle(i, "10115", "01067") + fmt.Sprintf(",%d,%d", i%3, i%2) }), data.Options{Numeric: []string{"1"}},
			"3: 2 numeric, target y", "[zip age]", ""},
		{"numbers with leading zeros", linesOf("x,age,y", 6, func(i int) string { return cycle(i, "007", "0.5", "-1") + fmt.Sprintf(",%d,%d", i%3, i%2) }), data.Options{},
			"3: 2 numeric, target y", "[x age]", ""},
		{"sentences", linesOf("review,stars,y", 12, func(i int) string { return fmt.Sprintf("I liked it %d times,%d,%d", i%10, i%3, i%2) }), data.Options{},
			"3: 1 numeric, 1 text of 3 terms, target y", "[review=it review=liked review=times]", `column "review": sentences, most of them different: each word is a feature, weighted by how rare it is (other terms: 'ngrams', 'hash', 'min-count'; to leave it out: 'ignore=review')`},
		{"1001 categories", linesOf("city,age,y", 2002, func(i int) string { return fmt.Sprintf("c%d,%d,%d", i%1001, i%3, i%2) }), data.Options{},
			"3: 1 numeric, 1 with 1001 categories, target y", "[city=c0 city=c1 city=c2]", `column "city": 1001 categories, a feature for each (to leave it out: 'ignore=city')`},
		{"true and false", linesOf("a,b,c,d,y", 6, func(i int) string {
			return cycle(i, "true", "false") + "," + cycle(i, "yes", "no", "") + "," + cycle(i, "TRUE", "FALSE") + "," + cycle(i, "True", "maybe") + fmt.Sprintf(",%d", i%2)
		}), data.Options{},
			"5: 3 true/false, 1 with 2 categories, target y", "[a b c]", ""},
		{"decimal commas", linesOf("a;b;y", 6, func(i int) string { return fmt.Sprintf("%d,5;%d;%d", i%4, i%3, i%2) }), data.Options{},
			"3: 2 numeric, target y", "[a b]", ""},
		{"to be ignored", linesOf("a,b1,b2,w,y", 6, func(i int) string { return fmt.Sprintf("%d,x,7,1,%d", i%4, i%2) }), data.Options{Ignore: []string{"b*"}, Weights: "w"},
			"5: 1 numeric, 2 ignored (b1, b2), target y, weights w", "[a]", ""},
		{"numbers as categories", linesOf("a,b,y", 6, func(i int) string { return fmt.Sprintf("%d,%d,%d", i%4, i%3, i%2) }), data.Options{Categorical: []string{"2"}},
			"3: 1 numeric, 1 with 3 categories, target y", "[a b=0 b=1]", ""},
		{"row names", linesOf(",x,y", 3, func(i int) string { return fmt.Sprintf("%d,%g,%d", i*3, float64(i)+.5, i%2) }), data.Options{},
			"3: 1 numeric, 1 ignored (1), target y", "[x]", `column "1"`},
		{"an empty last column", linesOf("a,b,y,", 4, func(i int) string { return fmt.Sprintf("%d.5,%d,%d,", i, i*i, i%2) }), data.Options{},
			"4: 2 numeric, 1 ignored (4), target y", "[a b]", `column "4": no values: ignored`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readtest.ReadText(c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Schema.Summary(); got != c.want {
				t.Errorf("found %s, expected %s", got, c.want)
			}
			if got := fmt.Sprint(s.Feature[:min(3, len(s.Feature))]); got != c.features || len(s.Feature) != s.Cols() || s.Schema.Check(s.Cols()) != nil {
				t.Errorf("found features %s of %d, %v, expected %s", got, s.Cols(), s.Schema.Check(s.Cols()), c.features)
			}
			if (c.warnings == "") != (len(s.Warnings) == 0) || len(s.Warnings) > 0 && !strings.HasPrefix(s.Warnings[0].Error(), c.warnings) {
				t.Errorf("found warnings %v, expected %s", s.Warnings, c.warnings)
			}
			anyWay(t, s, c.text, c.opt)
		})
	}
}

// anyWay reads a table from small chunks, a compressed file and several files, and with
// its own schema: rows, schema and features must be the same.
func anyWay(t *testing.T, want *data.Set, text string, opt data.Options) {
	t.Helper()
	folder := t.TempDir()
	whole := readtest.Put(t, folder, "a.csv.gz", string(readtest.Pack(t, "gzip", []byte(text))))
	var shards []string
	lines := strings.SplitAfter(text, "\n")
	for i, cut := range [][2]int{{1, 2}, {2, len(lines) / 2}, {len(lines) / 2, len(lines)}} {
		shards = append(shards, readtest.Put(t, folder, fmt.Sprintf("s%d.csv", i), lines[0]+strings.Join(lines[cut[0]:cut[1]], "")))
	}
	again := opt
	again.Schema, again.Ignore, again.Categorical, again.Numeric = want.Schema, nil, nil, nil
	tiny := opt
	tiny.Chunk, tiny.Threads = 50, 3
	for _, c := range []struct {
		name    string
		sources []string
		opt     data.Options
	}{{"chunks", []string{whole}, tiny}, {"shards", shards, opt}, {"shards in chunks", shards, tiny}, {"schema", []string{whole}, again}} {
		s, err := data.Read(context.Background(), c.sources, c.opt)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if s.Digest() != want.Digest() || !reflect.DeepEqual(s.Schema, want.Schema) {
			t.Errorf("%s: found %s %+v, expected %s %+v", c.name, readtest.Show(s), s.Schema, readtest.Show(want), want.Schema)
		}
	}
}

// Values of recognised columns, by hand.
func TestRecognisedValues(t *testing.T) {
	for text, want := range map[string]string{
		"when,b,c,y\n2024-02-28,yes,\"1\",1\n2024-03-01,no,2,0\n,,4,1\n":               "[[0 1 1] [2 0 2] [1 0.5 4]]",
		"when;b;c;y\n2024-02-28 06:00;yes;1,5;1\n2023-02-28T18:00:00;no;-2;0\n?;;;1\n": "[[0.25 1 1.5] [-364.25 0 -2] [-182 0.5 -0.25]]",
	} {
		s, err := readtest.ReadText(text, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(readtest.RowsOf(s.X)); got != want {
			t.Errorf("found %s, expected %s", got, want)
		}
	}
}

// What a model's schema takes for a date is refused when it is none.
func TestSpelledRefused(t *testing.T) {
	s, err := readtest.ReadText("when,b,y\n2024-02-28,yes,1\n2024-03-01,no,0\n", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"when,b,y\nyesterday,yes,1\n":   `standard input:2:1: found "yesterday", expected a date or time such as 2024-05-31 or 2024-05-31 18:30:00, as in the training data`,
		"when,b,y\n2024-02-28,sure,1\n": `standard input:2:12: found "sure", expected true or false, yes or no, as in the training data`,
	} {
		if _, err := readtest.ReadText(text, data.Options{Schema: s.Schema}); err == nil || err.Error() != want {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
	if _, err := readtest.ReadText("a,b,y\n1,u,1\n2,v,0\n", data.Options{Numeric: []string{"b"}}); err == nil || err.Error() != `standard input:2:3: found "u" in column "b", expected a number, as 'numeric' says` {
		t.Errorf("found %v", err)
	}
	for _, opt := range []data.Options{{Ignore: []string{"c"}}, {Ignore: []string{"y"}}, {Ignore: []string{"a"}, Numeric: []string{"1"}}, {Numeric: []string{"z*"}}, {Ignore: []string{"a", "b"}}} {
		if _, err := readtest.ReadText("a,b,y\n1,u,1\n2,v,0\n", opt); err == nil {
			t.Errorf("found no error with %+v", opt)
		}
	}
}

// A schema from a file may say anything.
func TestForgedColumns(t *testing.T) {
	for _, c := range []data.Column{{Kind: "time"}, {Kind: set.KindIgnored}, {Why: set.WhyID}, {Kind: set.KindIgnored, Why: "luck"}, {Kind: set.KindIgnored, Why: set.WhyID, Fill: 1}, {Kind: set.KindDate, From: "2024-01-01 06:00"}, {Kind: set.KindDate}, {Kind: set.KindDate, From: "soon"}, {From: "2024-01-01"}, {Kind: set.KindBoolean, Category: []string{"a"}}} {
		s := &data.Schema{Columns: []data.Column{c}, Target: -1, Weight: -1}
		if err := s.Check(s.Width()); err == nil {
			t.Errorf("found no error for %+v", c)
		}
	}
}

// The target may have decimal commas; a table without a header leaves its last column to
// what is there.
func TestCommaTarget(t *testing.T) {
	s, err := readtest.ReadText("a;y\n1;2,5\n2;-3\n4;2,50\n", data.Options{})
	if err != nil || fmt.Sprint(s.Target.Number) != "[2.5 -3 2.5]" || fmt.Sprint(s.Target.Label, s.Target.Code) != "[2.5 -3] [0 1 0]" {
		t.Errorf("found %+v, %v", s, err)
	}
}

// Fields asked for by ID keep their spelling, whatever the column is and however it is cut.
func TestIDs(t *testing.T) {
	text := linesOf("a,c,y", 40, func(i int) string { return fmt.Sprintf("%d.50,c%d,%d", i, i%3, i%2) })
	for _, id := range []string{"a", "c", "y", "2"} {
		for _, size := range []int{0, 20} {
			s, err := readtest.ReadText(text, data.Options{ID: id, Threads: 3, Blocking: data.Blocking{Chunk: size}})
			if err != nil || len(s.ID) != 40 || s.Cols() != 4 {
				t.Fatalf("%s: found %+v, %v", id, s, err)
			}
			want := map[string]string{"a": "39.50", "c": "c0", "y": "1", "2": "c0"}[id]
			if s.ID[39] != want {
				t.Errorf("%s: found %q, expected %q", id, s.ID[39], want)
			}
		}
	}
	if s, err := readtest.ReadText(text, data.Options{}); err != nil || s.ID != nil {
		t.Errorf("found %v, %v", s.ID, err)
	}
}

// A stream leaves out what numbers its first rows: later ones are not known.
func TestStreamIgnoresNumbers(t *testing.T) {
	for _, c := range []struct {
		header, features string
		opt              data.Options
		warned           bool
	}{
		{"id,a,b", "[a b]", data.Options{}, true},
		{"nr,a,b", "[a b]", data.Options{}, true},
		{"year,a,b", "[year a b]", data.Options{}, false},
		{"id,a,b", "[id a b]", data.Options{Numeric: []string{"id"}}, false},
		{"id,a,b", "[a]", data.Options{Ignore: []string{"b", "1"}}, false},
		{"id,a,b", "[id a b]", data.Options{Columns: 3}, false},
		{"id,y,label", "[id]", data.Options{Ignore: []string{"y"}}, false}, // all there is
	} {
		c.opt.Stdin = strings.NewReader(linesOf(c.header, 3000, func(i int) string { return fmt.Sprintf("%d,%g,%d", i+7, float64(i)/4, i%3) }))
		rows, err := data.Blocks(context.Background(), []string{"-"}, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(rows.Feature); got != c.features || (len(rows.Warnings) > 0) != c.warned {
			t.Errorf("%s: found %s, %v, expected %s, a warning: %t", c.header, got, rows.Warnings, c.features, c.warned)
		}
		n := 0
		for x, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
			got, d := x.Dims()
			if n += got; d != len(rows.Feature) {
				t.Errorf("found %d columns, expected %d", d, len(rows.Feature))
			}
		}
		if rows.Close(); n != 3000 {
			t.Errorf("found %d rows", n)
		}
	}
}

// A stream leaves out an id in random order where the name says that it is one: that no later
// row has an integer of the first ones, or that they are without gaps, it cannot know.
func TestStreamIgnoresIDs(t *testing.T) {
	for _, c := range []struct {
		header, features string
		spread           int // of the integers, so that they are or are not different
	}{
		{"customer_id,a,b", "[a b]", 2999},
		{"customer_id,a,b", "[customer_id a b]", 5},
		{"size,a,b", "[size a b]", 2999},
	} {
		text := linesOf(c.header, 2999, func(i int) string { return fmt.Sprintf("%d,%g,%d", i*1234567%c.spread, float64(i)/4, i%3) })
		rows, err := data.Blocks(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: strings.NewReader(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(rows.Feature); got != c.features || (len(rows.Warnings) > 0) != (c.features == "[a b]") {
			t.Errorf("%s, %d: found %s, %v, expected %s", c.header, c.spread, got, rows.Warnings, c.features)
		}
		rows.Close()
	}
}
