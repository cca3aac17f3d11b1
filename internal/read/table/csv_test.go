package table_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

func TestCSV(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opt        data.Options
		rows       [][]float32
		labels     []string
		features   []string
	}{
		{"header, default target", "a,y,b\n1,no,2\n3,yes,4\n", data.Options{},
			[][]float32{{1, 2}, {3, 4}}, []string{"no", "yes"}, []string{"a", "b"}},
		{"no header, last column", "1;2;x\n3;4;z\n", data.Options{},
			[][]float32{{1, 2}, {3, 4}}, []string{"x", "z"}, []string{"1", "2"}},
		{"means and categories in order", "a,c,t\n1,u,0\n,v,0\n4,?,1\nNA,u,1", data.Options{},
			[][]float32{{1, 1, 0, 0}, {2.5, 0, 1, 0}, {4, 0, 0, 1}, {2.5, 1, 0, 0}}, []string{"0", "1"}, []string{"a", "c=u", "c=v", "c=?"}},
		{"target by position, tabs, blanks", "7\t 1 \t2\r\n8\t3\t4\r\n", data.Options{Target: "1"},
			[][]float32{{1, 2}, {3, 4}}, []string{"7", "8"}, []string{"2", "3"}},
		{"quotes", "\"a \"\"b\"\"\";q;y\n1;\"u;v\nw\";0\n\"2\"; z\" ;1\n", data.Options{},
			[][]float32{{1, 1, 0}, {2, 0, 1}}, []string{"0", "1"}, []string{`a "b"`, "q=u;v\nw", `q=z"`}},
		{"byte order mark and blank lines", "\ufeff\n\na|y\n1|2\n\n", data.Options{},
			[][]float32{{1}}, []string{"2"}, []string{"a"}},
		{"weights", "w,a,y\n0.5,1,2\n2,1,3\n", data.Options{Weights: "w"},
			[][]float32{{1}, {1}}, []string{"2", "3"}, []string{"a"}},
		{"header said to be there", "a,b\nx,y\n", data.Options{Header: "yes", Target: "b"},
			[][]float32{{1}}, []string{"y"}, []string{"a=x"}},
		{"header of texts that names the target", "a,Label\nx,u\nz,v\n", data.Options{},
			[][]float32{{1, 0}, {0, 1}}, []string{"u", "v"}, []string{"a=x", "a=z"}},
		{"y for yes, in a column of answers", "u,y\nv,n\nw,y\n", data.Options{},
			[][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, []string{"y", "n"}, []string{"1=u", "1=v", "1=w"}},
		{"y for yes, twice", "y,y\nn,n\n", data.Options{},
			[][]float32{{1, 0}, {0, 1}}, []string{"y", "n"}, []string{"1=y", "1=n"}},
		{"UTF-8", "ñ,y\né,è\nê,é\n", data.Options{},
			[][]float32{{1, 0}, {0, 1}}, []string{"è", "é"}, []string{"ñ=é", "ñ=ê"}},
		{"header said not to be there", "a,b\n1,2\n", data.Options{Header: "no"},
			[][]float32{{1, 0}, {0, 1}}, []string{"b", "2"}, []string{"1=a", "1=1"}},
		{"nothing known of a column", "a,b,y\n,1,2\n?,3,4\n", data.Options{},
			[][]float32{{1}, {3}}, []string{"2", "4"}, []string{"b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readtest.ReadText(c.text, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			if got := readtest.RowsOf(s.X); !reflect.DeepEqual(got, c.rows) {
				t.Errorf("found rows %v, expected %v", got, c.rows)
			}
			if !reflect.DeepEqual(s.Target.Label, c.labels) || !reflect.DeepEqual(s.Feature, c.features) {
				t.Errorf("found %q, %q; expected %q, %q", s.Target.Label, s.Feature, c.labels, c.features)
			}
			if c.opt.Weights != "" && !reflect.DeepEqual(s.Weight, []float64{0.5, 2}) {
				t.Errorf("found weights %v", s.Weight)
			}
		})
	}
}

// Where targets do not matter, the last column is one only if it is called so; the
// table may then have one column, and its schema none that is the target.
func TestUnlabelled(t *testing.T) {
	for text, want := range map[string]struct {
		rows   [][]float32
		target bool
	}{
		"a,b\n1,2\n3,4\n":   {[][]float32{{1, 2}, {3, 4}}, false},
		"1,2\n3,4\n":        {[][]float32{{1, 2}, {3, 4}}, false},
		"1\n3\n":            {[][]float32{{1}, {3}}, false},
		"y,b\nno,2\nno,4\n": {[][]float32{{2}, {4}}, true},
	} {
		opt := data.Options{Format: "csv", Source: data.Source{Stdin: strings.NewReader(text)}, Unlabelled: true}
		s, err := data.Read(context.Background(), []string{"-"}, opt)
		if err != nil || !reflect.DeepEqual(readtest.RowsOf(s.X), want.rows) || s.Target.Absent() == want.target || s.Schema.Check(s.Cols()) != nil {
			t.Errorf("%q: found %+v, %v", text, s, err)
			continue
		}
		opt = data.Options{Format: "csv", Source: data.Source{Stdin: strings.NewReader(text)}, Schema: s.Schema}
		if again, err := data.Read(context.Background(), []string{"-"}, opt); err != nil || again.Digest() != s.Digest() {
			t.Errorf("%q with its own schema: found %+v, %v", text, again, err)
		}
	}
}

func TestCSVErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		opt  data.Options
		want string
	}{
		{"1,2\n3,4,5\n", data.Options{}, "standard input:2:1: found 3 fields, expected 2"},
		{"a,y\n1,2\n3,\n", data.Options{}, `standard input:3:3: found no target in column "y" (by its name; another: 'target'), expected one in each row ('skip-unlabelled' leaves out rows without a target)`},
		{"a,y\n1,2\ninf,3\n", data.Options{}, `standard input:3:1: found "inf", expected a finite number (leave the field empty for a missing value)`},
		{"a,y\n1,2\n1e39,3\n", data.Options{}, `standard input:3:1: found "1e39", expected a number that 32 bits can hold (below 3.4e38)`},
		{"a,y\n1,2\n1,inf\n", data.Options{}, `standard input:3:3: found "inf", expected a finite number or a name as target`},
		{"w,y\n1,2\n-2,1\n", data.Options{Weights: "w", Target: "y"}, `standard input:3:1: found "-2", expected a positive number as weight`},
		{"w,y\n1,2\n,1\n", data.Options{Weights: "w"}, `standard input:3:1: found no weight, expected a positive number as weight`},
		{"1,2\n\"3,4\n", data.Options{}, `standard input:2:1: found an opening quote, expected a closing one`},
		{"1,2\n\"3\"x,4\n", data.Options{}, `standard input:2:4: found "x", expected ',' or a line break after the closing quote`},
		{"alpha,y\n1,2\n", data.Options{Target: "alhpa"}, `standard input: unknown target column "alhpa": did you mean "alpha"? known: alpha, y`},
		{"1,2\n", data.Options{Target: "y"}, `standard input: target column "y": expected a position from 1 to 2, as the columns have no names`},
		{"a,y\n1,2\n", data.Options{Target: "a", Weights: "1"}, `standard input: found "a" as target and as weights, expected two columns`},
		{"a,a\n1,2\n", data.Options{Header: "yes"}, `standard input:1: found two columns named "a", expected different names`},
		{"a,a,y\n1,2,3\n", data.Options{}, `standard input:1: found two columns named "a", expected different names`},
		{"a,b,TARGET\n", data.Options{}, `standard input: found no rows, expected at least one`},
		{"1,2\n3\n", data.Options{Format: "csv"}, "standard input:2:1: found 1 field, expected 2"},
		{"a,y\n1,\xe9\n2,\xe8\n", data.Options{}, `standard input:2:3: found "\xe9", expected UTF-8 text`},
		{"a,y\nu,1\n\"\xe8\",2\n", data.Options{}, `standard input:3:1: found "\xe8", expected UTF-8 text`},
		{"\na,\xe9,y\n1,2,3\n", data.Options{}, `standard input:2:3: found "\xe9", expected UTF-8 text`},
		{"a,y\n", data.Options{Header: "yes"}, `standard input: found no rows, expected at least one`},
		{"\n\n", data.Options{Format: "csv"}, `standard input: found no rows, expected at least one`},
		{"1\n2\n", data.Options{Format: "csv"}, `standard input: found one column, expected at least a feature and a target`},
	} {
		_, err := readtest.ReadText(c.text, c.opt)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\nfound    %v\nexpected %s", c.text, err, c.want)
		}
	}
}

// dates are rows of n dates.
func dates(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "2025-01-%02d,1\n", i+1)
	}
	return b.String()
}

// A few slips in a column of numbers are worth a warning, whatever the chunks.
func TestSlips(t *testing.T) {
	ten := strings.Repeat("7,1\n", 10)
	for _, c := range []struct{ text, want string }{
		{"age,y\n" + ten + "34O,2\n,2\n" + ten, `[column "age": 1 of 21 fields is not a number (first: "34O" at standard input:12): taken as words (to take these as missing: 'numeric=age')]`},
		{"age,y\n\"1,5\",1\n\"2,5\",2\n", `[]`},
		{"age,y\n\"a,5\",1\nb,2\n", `[]`},
		{"age,y\n\n7,1\n\nu,1\n\n" + ten + "\n", `[column "age": 1 of 12 fields is not a number (first: "u" at standard input:5): taken as words (to take these as missing: 'numeric=age')]`},
		{"age,y\nu,1\n" + ten + "v,2\n" + ten, `[column "age": 2 of 22 fields are not numbers (first: "u" at standard input:2, "v" at standard input:13): taken as words (to take these as missing: 'numeric=age')]`},
		{"age,y\n34O,1\n8,2\n8,3\n8,2\n" + ten[:6*4], "[]"}, // nine numbers
		{"age,y\nu,1\nv,2\n" + ten, "[]"},                   // 10 of 12
		{"age,y\nu,1\n,2\n" + ten, `[column "age": 1 of 11 fields is not a number (first: "u" at standard input:2): taken as words (to take these as missing: 'numeric=age')]`},
		{"y,age\nno,1\n" + strings.Repeat("1,7\n", 20), "[]"}, // the target may be what it likes
		{"on,y\n" + dates(9) + "soon,1\n" + dates(9) + dates(9), `[column "on": 1 of 28 fields is not a date (first: "soon" at standard input:11): taken as words (to take these as missing: 'numeric=on')]`},
		{"on,y\n" + dates(10) + "1.2.2025,1\n" + dates(10), `[]`},
		{"on,y\n" + dates(10) + ",1\n" + dates(10), `[]`},
	} {
		for _, size := range []int{0, 7} {
			s, err := readtest.ReadText(c.text, data.Options{Header: "yes", Threads: 2, Blocking: data.Blocking{Chunk: size}})
			if err != nil || fmt.Sprint(s.Warnings) != c.want {
				t.Errorf("%q, chunks of %d:\nfound    %v, %v\nexpected %s", c.text, size, s.Warnings, err, c.want)
			}
		}
	}
}

// A model's schema makes the same features of other tables.
func TestSchema(t *testing.T) {
	train, err := readtest.ReadText("n,c,y\n1,u,0\n3,v,1\n", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text     string
		rows     [][]float32
		warnings string
		target   bool
	}{
		{"n,c,y\n5,v,1\n", [][]float32{{5, 0, 1}}, "[]", true},
		{"c,extra,n\nu,1,\nnew,2,7\n", [][]float32{{2, 1, 0}, {7, 0, 0}},
			`[1 column is unknown to the model (first: "extra"): ignored 1 category is unknown to the model (first: "new" in column "c"): ignored 1 number is missing (n): the mean of the training data stands for each]`, false},
		{"4,u\n5,?\n", [][]float32{{4, 1, 0}, {5, 0, 0}},
			`[standard input: found no line with the names of the columns: taken by position as n, c 1 category is missing where none was in the training data (c): taken as none of the categories]`, false},
		{"4,u,1\n", [][]float32{{4, 1, 0}},
			"[standard input: found no line with the names of the columns: taken by position as n, c, y]", true},
		{"n,c,y\n4,u,\n5,v,?\n", [][]float32{{4, 1, 0}, {5, 0, 1}}, "[]", false},
		{"n,c,y\n4,u,1\n5,v,\n6,u,0\n", [][]float32{{4, 1, 0}, {5, 0, 1}, {6, 1, 0}},
			"[1 of 3 targets is missing (first: standard input:3:5): none is used ('skip-unlabelled' leaves out rows without one)]", false},
	} {
		s, err := readtest.ReadText(c.text, data.Options{Schema: train.Schema})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if !reflect.DeepEqual(readtest.RowsOf(s.X), c.rows) || fmt.Sprint(s.Warnings) != c.warnings || s.Target.Absent() == c.target {
			t.Errorf("%q: found %v %v %v", c.text, readtest.RowsOf(s.X), s.Warnings, s.Target)
		}
	}
	for text, want := range map[string]string{
		"n,y\n1,2\n":       `standard input: found no column "c", expected all columns the model was trained on`,
		"1,\xe9,3\n":       `standard input:1:3: found "\xe9", expected UTF-8 text`,
		"1,2,3,4\n":        `standard input: found 4 columns, expected the 3 the model was trained on, or these without the target`,
		"n,c,y\nbad,u,1\n": `standard input:2:1: found "bad", expected a finite number`,
	} {
		if _, err := readtest.ReadText(text, data.Options{Schema: train.Schema}); err == nil || err.Error() != want {
			t.Errorf("%q: found %v, expected %s", text, err, want)
		}
	}
}

// The counts were found by awk: for adult
//
//	zcat FILE | awk -F', *' 'NF{n++; for(i=1;i<=14;i++) if(i!=1&&i!=3&&i!=5&&i!=11&&i!=12&&i!=13) {if(!((i,$i) in s)){s[i,$i];d++}} else if ($i+0!=0) nz++} END{print n, d+6, nz+8*n}'
//
// and likewise for the others.
func TestRealTables(t *testing.T) {
	for _, c := range []struct {
		name, target      string
		n, d, nonzeros, l int
	}{
		{"adult/adult-train.csv.gz", "", 32561, 108, 394963, 2},
		{"regression/california-housing.csv.gz", "median_house_value", 20640, 13, 185760, -1},
		{"regression/abalone.csv.gz", "", 4177, 10, 33414, 28},
		{"regression/cpu.small.arff.gz", "", 8192, 12, 94903, 56},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := data.Read(context.Background(), []string{readtest.RealData(t, c.name)}, data.Options{Target: c.target})
			if err != nil {
				t.Fatal(err)
			}
			n, d := s.X.Dims()
			nonzeros := 0
			for i := range n {
				for _, v := range s.X.Row(i).Value {
					if v != 0 {
						nonzeros++
					}
				}
			}
			if n != c.n || d != c.d || nonzeros != c.nonzeros || c.l >= 0 && len(s.Target.Label) != c.l {
				t.Errorf("found %d x %d, %d nonzeros, %d labels; expected %+v", n, d, nonzeros, len(s.Target.Label), c)
			}
			if strings.Contains(c.name, "california") {
				if fill := s.Schema.Columns[4].Fill; math.Abs(fill-537.871) > 1e-3 { // awk: mean of $5 where not empty
					t.Errorf("found mean %v, expected 537.871", fill)
				}
			}
		})
	}
}

// A column that turns out to be text in the last row is read again from its
// beginning, header and blank lines left aside: from the file, or from what
// was kept of a stream.
func TestLateText(t *testing.T) {
	text := "\n\na,b,y\n" + strings.Repeat("1,2,0\n+1,3,1\n", 500) + strings.Repeat("1.0,x,1\n", 20)
	want, err := readtest.ReadText(text, data.Options{Threads: 1, Blocking: data.Blocking{Chunk: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(want.Feature, want.Warnings); got != `[a b=2 b=3 b=x] [column "b": 20 of 1020 fields are not numbers (first: "x" at standard input:1004): taken as words (to take these as missing: 'numeric=b')]` {
		t.Fatalf("found %s", got)
	}
	folder := t.TempDir()
	for name, path := range map[string]string{
		"stream": "-",
		"file":   readtest.Put(t, folder, "late.csv", text),
		"gzip":   readtest.Put(t, folder, "late.csv.gz", string(readtest.Pack(t, "gzip", []byte(text)))),
	} {
		for _, threads := range []int{1, 3} {
			s, err := data.Read(context.Background(), []string{path}, data.Options{Source: data.Source{Stdin: strings.NewReader(text)}, Threads: threads, Blocking: data.Blocking{Chunk: 50}})
			for i, w := range s.Warnings {
				s.Warnings[i] = errors.New(strings.ReplaceAll(w.Error(), path+":", "standard input:"))
			}
			readtest.Same(t, name, s, want, err, nil)
		}
	}
}

func BenchmarkCSV(b *testing.B) {
	for kind, line := range map[string]string{
		"mixed":   "39, State-gov, 77516, Bachelors, 13, Never-married, 0.123456, 2174, 0, 40, United-States, <=50K\n",
		"numbers": "-0.41672504,1.3120956,0.5417899,-1.1049602,0.07612034,2.2094183,-0.9386413,0.0017,1,0\n",
	} {
		b.Run("columns="+kind, func(b *testing.B) {
			text := strings.Repeat(line, 100_000)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readtest.ReadText(text, data.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A model that knows its features by their number only takes them from a table
// whose columns are these, or these and a target: nothing else is guessed.
func TestTableForFeaturesWithoutNames(t *testing.T) {
	model := data.Options{Columns: 2}
	for _, c := range []struct {
		name, text string
		opt        data.Options
		rows       [][]float32
		target     bool
		failure    string
	}{
		{"the features", "1,2\n3,4\n", model, [][]float32{{1, 2}, {3, 4}}, false, ""},
		{"the features, named", "a,b\n1,2\n3,4\n", model, [][]float32{{1, 2}, {3, 4}}, false, ""},
		{"the features and a target", "1,2,7\n3,4,8\n", model, [][]float32{{1, 2}, {3, 4}}, true, ""},
		{"the features and weights", "1,9,2\n3,9,4\n", data.Options{Columns: 2, Weights: "2"}, [][]float32{{1, 2}, {3, 4}}, false, ""},
		{"a named target and fewer", "a,y\n1,7\n3,8\n", model, [][]float32{{1, 0}, {3, 0}}, true, ""},
		{"a named target and more", "a,b,c,y\n1,2,5,7\n3,4,6,8\n", model, [][]float32{{1, 2}, {3, 4}}, true, ""},
		{"fewer", "1\n3\n", model, nil, false, ": found 1 column, expected the 2 features of the model, or these with the target"},
		{"more", "1,2,3,4\n", model, nil, false, ": found 4 columns, expected the 2 features of the model, or these with the target"},
		{"components of fewer", "1\n3\n", data.Options{Columns: 2, Unlabelled: true}, nil, false, ": found 1 column, expected the 2 features of the model, or these with the target"},
		{"components of more", "1,2,3,4\n", data.Options{Columns: 2, Unlabelled: true}, nil, false, ": found 4 columns, expected the 2 features of the model, or these with the target"},
		{"components", "1,2\n3,4\n", data.Options{Columns: 2, Unlabelled: true}, [][]float32{{1, 2}, {3, 4}}, false, ""},
		{"categories", "a,b,y\n1,u,7\n3,v,8\n", model, nil, false, `: column "b": found "u" at standard input:2:3, expected numbers: the model knows 2 features without names`},
	} {
		c.opt.Format = "csv"
		s, err := readtest.ReadText(c.text, c.opt)
		if c.failure != "" {
			if err == nil || err.Error() != "standard input"+c.failure {
				t.Errorf("%s: found %v, expected %s", c.name, err, c.failure)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if rows := readtest.RowsOf(s.X); !reflect.DeepEqual(rows, c.rows) || s.Target.Absent() == c.target {
			t.Errorf("%s: found rows %v and a target: %v; expected %v, %v", c.name, rows, !s.Target.Absent(), c.rows, c.target)
		}
		if warned := len(s.Warnings) == 1; warned != strings.HasSuffix(c.name, "target and more") {
			t.Errorf("%s: found the warnings %v", c.name, s.Warnings)
		}
	}
}
