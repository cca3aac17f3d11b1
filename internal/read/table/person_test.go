package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// Small tables as programs and people write them, and what a person takes them for.
func TestTablesAsAPersonReadsThem(t *testing.T) {
	iris := "5.1,3.5,1.4,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n7.0,3.2,4.7,1.4,Iris-versicolor\n6.3,3.3,6.0,2.5,Iris-virginica\n"
	for _, c := range []struct {
		name, text   string
		rows         int
		header, open bool
		want         string // summary
	}{
		// pandas
		{"to_csv", ",age,city,y\n0,31,Rome,1\n1,25,Oslo,0\n2,47,Rome,1\n", 3, true, false, "4: 1 numeric, 1 with 2 categories, 1 ignored (1), target y"},
		{"to_csv(index=False)", "age,city,y\n31,Rome,1\n25,Oslo,0\n47,Rome,1\n", 3, true, false, "3: 1 numeric, 1 with 2 categories, target y"},
		{"columns 0,1,y of numbers", "0,1,y\n0.5,1.25,0\n0.75,2.5,1\n", 2, true, false, "3: 2 numeric, target y"},
		{"columns 0,1,y of classes", "0,1,y\n0.5,1.25,no\n0.75,2.5,yes\n", 2, true, true, "3: 2 numeric, target y"},
		{"columns 0,1,2,3,y with an index", ",0,1,2,3,y\n0,0.5,1,2,3,no\n1,0.75,2,2,1,yes\n", 2, true, false, "6: 4 numeric, 1 ignored (column 1), target y"},
		{"columns 0 to 3", "0,1,2,3\n0.5,1.5,2.5,1\n0.25,1,0,0\n", 2, true, false, "4: 3 numeric, target 3"},
		{"columns 0 to 5 of integers", "0,1,2,3,4,5\n7,1,2,2,5,0\n9,1,0,4,6,1\n", 2, true, false, "6: 5 numeric, target 5"},
		{"a shuffled index", ",x,y\n7,0.5,1\n3,0.25,0\n12,2,1\n", 3, true, false, "3: 1 numeric, 1 ignored (1), target y"},
		{"an index that begins again", ",x,y\n0,0.5,1\n1,0.25,0\n0,2,1\n1,2.5,0\n", 4, true, false, "3: 1 numeric, 1 ignored (1), target y"},
		{"Unnamed: 0", "Unnamed: 0,x,y\n0,0.5,1\n1,0.25,0\n2,2,1\n", 3, true, false, "3: 1 numeric, 1 ignored (Unnamed: 0), target y"},
		{"booleans and missing values", "a,b,y\nTrue,,0\nFalse,1.5,1\nTrue,2,0\n", 3, true, false, "3: 1 numeric, 1 true/false, target y"},
		{"timestamps", "when,x,y\n2024-01-01 00:00:00,1,0\n2024-01-01 06:00:00,3,1\n", 2, true, false, "3: 1 numeric, 1 date, target y"},
		{"names of columns that repeat", "a,a.1,y\n1,2,0\n3,4,1\n", 2, true, false, "3: 2 numeric, target y"},
		{"years as names", "place,2019,2020,2021\nOslo,1.5,2,3\nRome,2.5,1,4\nOslo,2,1,1\n", 3, true, false, "4: 2 numeric, 1 with 2 categories, target 2021"},
		// R
		{"write.csv", "\"\",\"x\",\"g\",\"y\"\n\"1\",5.1,\"a\",0\n\"2\",4.9,\"b\",1\n\"3\",4.7,\"a\",1\n", 3, true, false, "4: 1 numeric, 1 with 2 categories, 1 ignored (1), target y"},
		{"write.csv of named rows", "\"\",\"mpg\",\"cyl\",\"am\"\n" + strings.Repeat("\"Mazda\",21,6,1\n\"Datsun\",22.8,4,0\n", 2), 4, true, false, "4: 2 numeric, 1 with 2 categories, target am"},
		{"write.csv(row.names=FALSE)", "\"x\",\"y\"\n5.1,\"a\"\n4.9,\"b\"\n", 2, true, false, "2: 1 numeric, target y"},
		{"write.table, a header without a name for the rows", "\"x\"\t\"z\"\t\"y\"\n\"1\"\t5.1\t2\t0\n\"2\"\t4.9\t3\t1\n\"3\"\t4.7\t4\t0\n", 3, true, false, "4: 2 numeric, 1 ignored (1), target y"},
		{"NA and TRUE", "x,ok,y\nNA,TRUE,1\n2,FALSE,0\n3,NA,1\n", 3, true, false, "3: 1 numeric, 1 true/false, target y"},
		{"V1 to V3", "V1,V2,V3\n1,2,a\n3,4,b\n", 2, true, false, "3: 2 numeric, target V3"},
		// Excel
		{"semicolons, decimal commas and a mark", "\ufeffHöhe;Breite;Preis\r\n1,5;2;10,25\r\n2,5;3,75;12\r\n", 2, true, false, "3: 2 numeric, target Preis"},
		{"sep=;", "sep=;\r\na;b;y\r\n1;2,5;x\r\n3;4;z\r\n", 2, true, false, "3: 2 numeric, target y"},
		{"an empty last column", "a;b;y;\r\n1;2;x;\r\n3;4;z;\r\n", 2, true, false, "4: 2 numeric, 1 ignored (4), target y"},
		{"tabs", "a\tb\ty\r\n1\t\"2\"\tx\r\n3\t4\tz\r\n", 2, true, false, "3: 2 numeric, target y"},
		{"postal codes", "zip,rooms,price\n01067,3,800\n10115,2,900\n01067,2,700\n", 3, true, false, "3: 1 numeric, 1 with 2 categories, target price"},
		{"blank lines first", "\n\r\na,b,y\n1,2,x\n3,4,z\n", 2, true, false, "3: 2 numeric, target y"},
		// UCI and other tables without a header
		{"iris", iris, 4, false, false, "5: 4 numeric, target 5"},
		{"abalone", "M,0.455,0.365,15\nM,0.35,0.265,7\nF,0.53,0.42,9\n", 3, false, false, "4: 2 numeric, 1 with 2 categories, target 4"},
		{"adult", "39, State-gov, 77516, <=50K\n50, Private, 83311, <=50K\n38, Private, 215646, >50K\n", 3, false, false, "4: 2 numeric, 1 with 2 categories, target 4"},
		{"mushroom", "p,x,s,n\ne,x,s,y\ne,b,s,w\np,x,y,w\n", 4, false, false, "4: 3 with 2 categories, target 4"},
		{"car", "vhigh,2,small,unacc\nvhigh,2,big,unacc\nlow,4,small,acc\n", 3, false, false, "4: 1 numeric, 2 with 2 categories, target 4"},
		{"tic-tac-toe", "x,o,b,positive\nx,x,o,negative\no,x,b,positive\n", 3, false, false, "4: 3 with 2 categories, target 4"},
		{"wine", "1,14.23,1.71,2.43\n1,13.2,1.78,2.14\n2,12.37,0.94,1.36\n", 3, false, false, "4: 3 numeric, target 4"},
		{"a mark of missing values in line 1", "5.1,?,1.4,a\n4.9,3,1.4,b\n", 2, false, false, "4: 3 numeric, target 4"},
		{"integers that count in several lines", "1,2,3\n4,5,6\n7,8,10\n", 3, false, false, "3: 2 numeric, target 3"},
		{"exclusive or", "0,0,0\n0,1,1\n1,0,1\n1,1,0\n", 4, false, false, "3: 2 numeric, target 3"},
		{"an unknown mark in line 1", "5.1,unknown,1.4,a\n4.9,3,1.4,a\n5,3,1.5,b\n", 3, false, true, "4: 2 numeric, 1 with 2 categories, target 4"},
		// all text
		{"text with a header", "question,colour,answer\n" + strings.Repeat("a,red,yes\nb,blue,no\na,blue,yes\n", 3), 9, true, false, "3: 2 with 2 categories, target answer"},
		{"text with a header and few rows", "animal,sound\ncat,meow\ndog,woof\n", 2, true, true, "2: 1 with 2 categories, target sound"},
		{"text without a header", "red,small,yes\nblue,small,no\nred,large,yes\n", 3, false, false, "3: 2 with 2 categories, target 3"},
		{"text and dates", "day,event\n2024-01-01,a\n2024-01-02,b\n2024-01-03,a\n2024-01-01,b\n", 4, true, false, "2: 1 date, target event"},
		{"reviews", "review,stars,good\n\"I liked it, all of it\",5,yes\nThis was no good film,2,no\nI liked it a lot,4,yes\nnot my kind of film,1,no\n", 4, true, false, "3: 1 numeric, 1 text of 13 terms, target good"},
		// few columns
		{"one column of names and one of numbers", "x,value\na,1\nb,2.5\na,3\n", 3, true, false, "2: 1 with 2 categories, target value"},
		{"bars", "a|y\n1|2\n2|3\n", 2, true, false, "2: 1 numeric, target y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := readtest.ReadText(c.text, data.Options{Format: "csv"})
			if err != nil {
				t.Fatal(err)
			}
			open := strings.Contains(fmt.Sprint(s.Warnings), "'header")
			if got := s.Schema.Summary(); got != c.want || s.Rows() != c.rows || s.Schema.Header != c.header || open != c.open {
				t.Errorf("found %d rows, header %t, open %t, %s, expected %d, %t, %t, %s (%v)",
					s.Rows(), s.Schema.Header, open, got, c.rows, c.header, c.open, c.want, s.Warnings)
			}
		})
	}
}

// One column is all features where targets do not matter.
func TestOneColumn(t *testing.T) {
	for text, rows := range map[string]int{"x\n1\n2.5\n": 2, "1\n2.5\n": 2, "0\n0.5\n0.25\n": 2, "7\n0.5\n": 2} {
		if s, err := readtest.ReadText(text, data.Options{Format: "csv", Unlabelled: true}); err != nil || s.Rows() != rows || s.Cols() != 1 {
			t.Errorf("%q: found %+v, %v, expected %d rows of one feature", text, s, err, rows)
		}
	}
}

// A table without names is read by position for a model that knows names, and that is
// said; its width is checked.
func TestNoNamesForAModelWithNames(t *testing.T) {
	s, err := readtest.ReadText("age,size,y\n31,1.5,a\n25,2.5,b\n", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"31,1.5,a\n25,2.5,b\n":       "[standard input: found no line with the names of the columns: taken by position as age, size, y]",
		"31,1.5\n25,2.5\n":           "[standard input: found no line with the names of the columns: taken by position as age, size]",
		"size,age\n1.5,31\n2.5,25\n": "[]",
	} {
		if s, err := readtest.ReadText(text, data.Options{Schema: s.Schema}); err != nil || fmt.Sprint(s.Warnings) != want || readtest.Show(s)[:10] != "[31 1.5][2" {
			t.Errorf("%q: found %s, %v, %v, expected %s", text, readtest.Show(s), s.Warnings, err, want)
		}
	}
	want := "standard input: found 4 columns, expected the 3 the model was trained on, or these without the target"
	if _, err := readtest.ReadText("31,1.5,a,7\n25,2.5,b,7\n", data.Options{Schema: s.Schema}); err == nil || err.Error() != want {
		t.Errorf("found %v, expected %s", err, want)
	}
}
