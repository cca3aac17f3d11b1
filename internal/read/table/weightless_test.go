package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// So are those of ARFF, where a number in braces behind a row is its weight.
func TestWeightlessBehindRows(t *testing.T) {
	header := "@relation r\n@attribute x numeric\n@attribute c string\n@attribute y {0,1}\n@data\n"
	all := header + "1,a,0\n2,b,1,{2}\n?,word,0,{0}\n{0 5, 1 z, 2 1}, {0}\n{0 4, 1 q}, {0.0}\n5,a,1\n"
	want := readtest.ReadNamed(t, "x.arff", header+"1,a,0\n2,b,1,{2}\n5,a,1\n", data.Options{})
	for _, chunk := range []int{0, 10} {
		got := readtest.ReadNamed(t, "x.arff", all, data.Options{Blocking: data.Blocking{Chunk: chunk}})
		if got.Digest() != want.Digest() || fmt.Sprint(got.Schema) != fmt.Sprint(want.Schema) || !strings.Contains(fmt.Sprint(got.Warnings), "3 rows of weight 0: left out") {
			t.Errorf("found %d rows, %v and the warnings %v", got.Rows(), got.Schema, got.Warnings)
		}
		if s, err := readtest.ReadText(all, data.Options{Blocking: data.Blocking{Chunk: chunk}}); err != nil || s.Digest() != want.Digest() { // cannot be read twice
			t.Errorf("standard input: %v", err)
		}
	}
	if s := readtest.ReadNamed(t, "x.arff", all, data.Options{Schema: want.Schema, Unweighted: true}); s.Rows() != 6 || s.Weight != nil {
		t.Errorf("without weights: found %d rows", s.Rows())
	}
}

// Rows of weight 0 are as if they were not there: in means, categories and what columns are.
func TestWeightless(t *testing.T) {
	var all, counted strings.Builder
	for i := range 300 {
		line := fmt.Sprintf("%d.5,%c,%d,%d\n", i, 'a'+rune(i%3), i%4, i%2)
		if i%4 == 0 { // a category, a missing number and a word that no other row has
			line = fmt.Sprintf("%s,z%d,0.0,%d\n", []string{"", "word"}[i/4%2], i, i%2)
		} else {
			counted.WriteString(line)
		}
		all.WriteString(line)
	}
	for _, chunk := range []int{0, 100} {
		opt := data.Options{Weights: "w", Blocking: data.Blocking{Chunk: chunk}}
		want := readtest.MustRead(t, opt, readtest.Put(t, t.TempDir(), "x.csv", "x,c,w,y\n"+counted.String()))
		got := readtest.MustRead(t, opt, readtest.Put(t, t.TempDir(), "x.csv", "x,c,w,y\n"+all.String()))
		if want.Digest() != got.Digest() || got.Rows() != 225 || !strings.Contains(fmt.Sprint(got.Warnings), "75 rows of weight 0: left out") {
			t.Errorf("chunks of %d: found %d rows and the warnings %v", chunk, got.Rows(), got.Warnings)
		}
		if fmt.Sprint(want.Schema) != fmt.Sprint(got.Schema) {
			t.Errorf("found the schema %v, expected %v", got.Schema, want.Schema)
		}
		predicted := readtest.MustRead(t, data.Options{Schema: got.Schema, Unweighted: true}, readtest.Put(t, t.TempDir(), "x.csv", "x,c,w,y\n"+counted.String()+"1.5,a,0,1\n"))
		if predicted.Rows() != 226 || predicted.Weight != nil {
			t.Errorf("without weights: found %d rows", predicted.Rows())
		}
	}
}
