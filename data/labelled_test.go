package data_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// learned reads rows to be learned from: dense rows, what their targets say, the schema, and the last error.
func learned(t *testing.T, source string, opt data.Options) (rows [][]float32, labels []string, numbers []float64, schema *data.Schema, err error) {
	t.Helper()
	s, err := data.Blocks(t.Context(), []string{source}, opt)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	defer s.Close()
	for {
		x, err := s.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return rows, labels, numbers, s.Schema, err
		}
		n, _ := x.Dims()
		if err := s.Target.Check(n); err != nil || s.Target.Absent() {
			t.Fatalf("%s: found targets of %d of %d rows, %v", source, s.Target.Rows(), n, err)
		}
		rows = append(rows, readtest.RowsOf(x)...)
		for _, c := range s.Target.Code {
			labels = append(labels, s.Target.Label[c])
		}
		numbers = append(numbers, s.Target.Number...)
	}
}

// Rows to be learned from have the targets that Read gives, wherever chunks and blocks end.
func TestLabelledBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	var svm, words, numbers, csv, jsonl bytes.Buffer
	csv.WriteString("a,b,y\n")
	for i := range 5000 { // more distinct numbers than labels are kept of
		a, b := r.IntN(50), r.IntN(9)
		fmt.Fprintf(&svm, "%+d 1:%d 3:%d # x\n\n", 2*(i%3%2)-1, a, b)
		fmt.Fprintf(&words, "%s 1:%d 2:1 3:%d\n", []string{"no", "yes"}[b%2], a, b)
		fmt.Fprintf(&numbers, "%d.5 1:%d 3:%d\n", i, a, b)
		fmt.Fprintf(&csv, "%d,%d,%s\n", a, b, []string{"no", "yes"}[a%2])
		fmt.Fprintf(&jsonl, "{\"a\": %d.5, \"y\": %d.25}\n", a, b)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"a.svm": svm.String(), "words.svm": words.String(), "numbers.svm": numbers.String(), "a.csv": csv.String(), "a.jsonl": jsonl.String(),
		"@toy:n=3000,d=3": "", "@linear:n=3000,d=3": ""} {
		source := name
		if text != "" {
			source = readtest.Put(t, folder, name, text)
		}
		want := readtest.MustRead(t, data.Options{}, source)
		all := readtest.RowsOf(want.X)
		for _, opt := range []data.Options{{}, {Blocking: data.Blocking{Chunk: 100, BlockRows: 7}, Threads: 2}, {Blocking: data.Blocking{Chunk: 4000, BlockRows: 1500}, Threads: 1}} {
			opt.Bits = 6
			rows, labels, found, _, err := learned(t, source, opt)
			if err != nil || len(rows) != want.Rows() {
				t.Fatalf("%s, %+v: found %d rows, %v", name, opt.Blocking, len(rows), err)
			}
			for i := range rows {
				same := slices.Equal(rows[i][:want.Cols()], all[i])
				if want.Target.Number != nil {
					same = same && found[i] == want.Target.Number[i]
				}
				if want.Target.Code != nil {
					same = same && labels[i] == want.Target.Label[want.Target.Code[i]]
				}
				if !same {
					t.Fatalf("%s, row %d: found another row than Read", name, i)
				}
			}
		}
	}
}

// Columns of words are hashed into 2^bits features together, and are what Read makes of them with the schema; words that come later too.
func TestHashedColumns(t *testing.T) {
	var text strings.Builder
	text.WriteString("size,city,note,zip,y\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "%d,City %d,some words and %d others,0%d,%d.5\n", i%17, i%(1+i/10), i%7, 1000+i%40, i)
	}
	path := readtest.Put(t, t.TempDir(), "a.csv", text.String())
	for _, opt := range []data.Options{{}, {Blocking: data.Blocking{Chunk: 300, BlockRows: 64}, Threads: 2}} {
		opt.Bits = 10
		rows, _, numbers, schema, err := learned(t, path, opt)
		if err != nil || len(rows) != 3000 || numbers[7] != 7.5 {
			t.Fatalf("found %d rows, %v", len(rows), err)
		}
		if hashed := schema.Width() - 1; hashed > 1<<10 || hashed < 1<<9 {
			t.Errorf("found %d features of words, expected at most 2^10", hashed)
		}
		want := readtest.MustRead(t, data.Options{Schema: schema}, path)
		if !reflect.DeepEqual(rows, readtest.RowsOf(want.X)) {
			t.Error("found other features than Read makes with the schema")
		}
		again, _, _, _, err := learned(t, path, data.Options{Schema: schema, Blocking: opt.Blocking}) // of as many bits
		if err != nil || !reflect.DeepEqual(rows, again) {
			t.Errorf("found other rows with the schema, %v", err)
		}
	}
}

// What has no target, or not one, is refused with its place.
func TestLabelledBlocksRefuse(t *testing.T) {
	folder := t.TempDir()
	for want, file := range map[string]string{
		"b.csv:3:3: found no target":   "b.csv\na,y\n1,2\n2,\n",
		"i.svm:2: found index 65":      "i.svm\n1 1:1\n1 65:1\n",
		"found a row without a target": "@low-rank:n=20,d=3",
		"c.csv:40002:1: found \"x\"":   "c.csv\na,y\n" + strings.Repeat("1,2\n", 40000) + "x,4\n",
		"d.csv: found 2 targets":       "d.csv\na,b,c\n1,2,3\n",
		"u.csv:3:1: found \"\\xe9\"":   "u.csv\na,y\nx,1\n\xe9,2\n",
	} {
		name, text, isFile := strings.Cut(file, "\n")
		source, opt := name, data.Options{Blocking: data.Blocking{Bits: 6}}
		if isFile {
			source = readtest.Put(t, folder, name, text)
		}
		if name == "d.csv" {
			opt.Target = "b,c"
		}
		_, _, _, _, err := learned(t, source, opt)
		if err == nil || !strings.Contains(strings.TrimPrefix(err.Error(), folder+string(filepath.Separator)), want) {
			t.Errorf("%s: found %v, expected %q", name, err, want)
		}
	}
}
