package table_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

func TestARFF(t *testing.T) {
	text := `% comment
@RELATION 'a b'
@attribute "n 1" REAL
@attribute c {x, 'y z', "it\"s"}
@ATTRIBUTE s string
@attribute class {no,yes}

@DATA
1.5, x, hello, yes
?, 'y z', 'a, b', no
% comment
{0 4, 1 "it\"s", 2 hello, 3 yes}
{2 hello}
`
	s, err := readtest.ReadText(text, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// A row that leaves out class has its first declared value; n 1 is 0 in the
	// last row, so its mean is (1.5+4+0)/3.
	fill := float32(5.5 / 3)
	rows := [][]float32{{1.5, 1, 0, 0, 1, 0}, {fill, 0, 1, 0, 0, 1}, {4, 0, 0, 1, 1, 0}, {0, 1, 0, 0, 1, 0}}
	features := []string{"n 1", "c=x", "c=y z", `c=it"s`, "s=hello", "s=a, b"}
	if !reflect.DeepEqual(readtest.RowsOf(s.X), rows) || !reflect.DeepEqual(s.Feature, features) {
		t.Errorf("found %v %q, expected %v %q", readtest.RowsOf(s.X), s.Feature, rows, features)
	}
	if !reflect.DeepEqual(s.Target, data.Target{Label: []string{"yes", "no"}, Code: []uint32{0, 1, 0, 1}}) {
		t.Errorf("found %+v", s.Target)
	}
}

func TestARFFErrors(t *testing.T) {
	head := "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute t real\n@data\n"
	for _, c := range []struct{ text, want string }{
		{"@relation r\n@attribute a relational\n", "2:14: found relational, expected numeric, date, string or {values} (this type is not supported)"},
		{"@relation r\n@attribute a money\n", `2:14: found "money", expected numeric, real, integer, date, string or {values}`},
		{"@relation r\n@attribute a real\n@attribute a real\n", `3:1: found a second attribute "a", expected different names`},
		{"@relation r\n@data\n", "2:1: found @data, expected an @attribute before it"},
		{"@relation r\n@attribute 'a\xe9' real\n", `2:12: found "a\xe9", expected UTF-8 text`},
		{"@relation r\n@attribute s string\n@attribute t real\n@data\n\xe9,1\n", `5:1: found "\xe9", expected UTF-8 text`},
		{"@relation r\nrubbish\n", `2:1: found "rubbish", expected @relation, @attribute or @data`},
		{"@relation r\n@attribute a {x,'y\n", "2:17: found an opening quote, expected a closing one in the same line"},
		{"@relation r\n@attribute a {x\n", `2:16: found "\n", expected a comma or } in the list of values`},
		{"@relation r\n@attribute", `2:11: found nothing, expected the name of an attribute`},
		{"@relation r\n@attribute a real", `3:1: found the end of the file, expected @data`},
		{head, "6:1"},
		{head + "1,x\n", "6:1: found 2 fields, expected 3"},
		{head + "1,z,2\n", `6:3: found "z", expected a declared value of the attribute "b"`},
		{head + "u,x,2\n", `6:1: found "u", expected a finite number`},
		{head + "1,x,no\n", `6:5: found "no", expected a finite number as target`},
		{head + "1,,2\n", `6:3: found nothing, expected a value, or ? for a missing one`},
		{head + "1,x,?\n", `6:5: found no target in column "t" (the last one; another: 'target'), expected one in each row ('skip-unlabelled' leaves out rows without a target)`},
		{head + "{0 1, 5 2}\n", `6:7: found "5", expected increasing positions of attributes from 1 to 2`},
		{head + "{1 x, 0 2}\n", `6:7: found "0", expected increasing positions of attributes from 2 to 2`},
		{head + "{0 1\n", `6:5: found "\n", expected a comma or } after the value`},
		{head + "{0 1} x\n", `6:7: found "x", expected a line break after }`},
	} {
		_, err := readtest.ReadText(c.text, data.Options{})
		want := "standard input:" + c.want
		if c.text == head {
			want = "standard input: found no rows, expected at least one"
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q:\nfound    %v\nexpected %s", c.text, err, want)
		}
	}
}

// Weights behind rows, dates, and blanks between values are those of the same CSV.
func TestARFFRows(t *testing.T) {
	head := "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y {p,q}\n@data\n"
	for text, want := range map[string]string{
		head + "1,2,p\n3,4,q, { .5 } \n5,6,'q',{2}\n7,8,p\n":                                                  "a,b,y,w\n1,2,p,1\n3,4,q,.5\n5,6,q,2\n7,8,p,1\n",
		head + "{0 1,1 2},{3}\n{0 3, 1 4, 2 q}\n{0 5,1 6,2 q} , {2}\n":                                        "a,b,y,w\n1,2,p,3\n3,4,q,1\n5,6,q,2\n",
		head + "% none\n1\t2\tp\n3  4 q\n5 6\t'q'\n":                                                          "a,b,y\n1,2,p\n3,4,q\n5,6,q\n",
		strings.Replace(head, "b numeric", `b date "yyyy-MM-dd"`, 1) + "1,2020-01-02,p\n3,\"2020-02-01\",q\n": "a,b,y\n1,2020-01-02,p\n3,2020-02-01,q\n",
	} {
		for _, chunk := range []int{0, 16} {
			got, err := readtest.ReadText(text, data.Options{Blocking: data.Blocking{Chunk: chunk}})
			opt := data.Options{Target: "y"}
			if strings.Contains(want, ",w\n") {
				opt.Weights = "w"
			}
			expected, wrong := readtest.ReadText(want, opt)
			if err != nil || wrong != nil || !reflect.DeepEqual(readtest.RowsOf(got.X), readtest.RowsOf(expected.X)) || !slices.Equal(got.Weight, expected.Weight) || !reflect.DeepEqual(got.Target, expected.Target) {
				t.Errorf("%q:\nfound    %+v, %v\nexpected %+v, %v", text, got, err, expected, wrong)
			}
		}
	}
	for text, want := range map[string]string{
		head + "1,2,p,{-1}\n":  `6:8: found "-1", expected a positive number as weight`,
		head + "1,2,{5}\n":     "6:1: found 2 fields, expected 3",
		head + "1,2,p,{5} x\n": "6:1: found 4 fields, expected 3",
	} {
		if _, err := readtest.ReadText(text, data.Options{}); err == nil || err.Error() != "standard input:"+want {
			t.Errorf("%q: found %v, expected %s", text, err, want)
		}
	}
}
