package svmlight_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/structure"
)

// symbolsOf returns what row i of a set stands for.
func symbolsOf(s *data.Set, i int) []float32 { return structure.Symbols(s.X.Row(i)) }

func TestTokens(t *testing.T) {
	s, err := readtest.ReadText("a\tGET 200  7\tGET\nb\t 0 007 16777217 -1\n a \t\n", data.Options{Format: "tokens"})
	if err != nil {
		t.Fatal(err)
	}
	get := structure.Symbol([]byte("GET"))
	if got := symbolsOf(s, 0); !slices.Equal(got, []float32{get, 200, 7, get}) || get <= 1<<23 {
		t.Errorf("found %v, expected the symbol of GET, 200, 7 and that of GET", got)
	}
	for _, v := range symbolsOf(s, 1) { // none is spelled as its own number
		if v <= 1<<23 || v > 1<<24 {
			t.Errorf("found the symbol %g of a word, expected one above 2^23", v)
		}
	}
	if len(symbolsOf(s, 1)) != 4 || len(symbolsOf(s, 2)) != 0 || s.Structure != structure.Sequences || strings.Join(s.Target.Label, "") != "ab" {
		t.Errorf("found %+v", s)
	}
}

// Words that share a symbol are told, whatever the chunks.
func TestTokensThatShareASymbol(t *testing.T) {
	words, first, other := map[float32]string{}, "", ""
	for i := 0; first == ""; i++ {
		word := fmt.Sprint("w", i)
		if known, ok := words[structure.Symbol([]byte(word))]; ok {
			first, other = known, word
		}
		words[structure.Symbol([]byte(word))] = word
	}
	for _, chunk := range []int{0, 3} {
		s, err := readtest.ReadText("a\tx "+other+"\nb\ty "+first+" 5\n", data.Options{Format: "tokens", Blocking: data.Blocking{Chunk: chunk}})
		if want := fmt.Sprintf("symbols of more than one word, which count as equal: 1 of 3, the first of %q and %q", min(first, other), max(first, other)); err != nil || len(s.Warnings) != 1 || s.Warnings[0].Error() != want {
			t.Errorf("found %v, error %v, expected the warning %s", s.Warnings, err, want)
		}
	}
}

func TestGraphs(t *testing.T) {
	const text = "+1\tC C O\t1-2 2-3\n-1\t4\n\n+1\t\t\n-1\t9 9\t1-1 2-1 1-2 1-1\r\n"
	for _, opt := range []data.Options{{}, {Blocking: data.Blocking{Chunk: 3}, Threads: 3}, {Columns: 20}, {Columns: 2}} {
		opt.Format = "graphs"
		s, err := readtest.ReadText(text, opt)
		if err != nil {
			t.Fatal(err)
		}
		c, o := structure.Symbol([]byte("C")), structure.Symbol([]byte("O"))
		for i, want := range [][]float32{{3, c, c, o, 1, 2, 2, 3}, {1, 4}, nil, {2, 9, 9, 1, 1, 2, 1, 1, 2, 1, 1}} {
			if got := symbolsOf(s, i); !slices.Equal(got, want) {
				t.Errorf("row %d: found %v, expected %v", i, got, want)
			}
		}
		if s.Cols() != max(11, opt.Columns) || s.Structure != structure.Graphs {
			t.Errorf("found %d columns of %v", s.Cols(), s.Structure)
		}
		if len(s.Warnings) != 1 || s.Warnings[0].Error() != "graphs with an edge more than once, which counts as often: 1, the first at standard input:5:4" {
			t.Errorf("found the warnings %v", s.Warnings)
		}
		var out bytes.Buffer
		if err := writerOf(t, "graphs").Write(&out, s); err == nil {
			again, err := readtest.ReadText(out.String(), data.Options{Format: "graphs"})
			if err != nil || again.Digest() != s.Digest() {
				t.Errorf("found other rows after writing %q: %v", out.String(), err)
			}
		} else if opt.Columns != 20 {
			t.Error(err)
		}
	}
}

func writerOf(t *testing.T, name string) set.Writer {
	f, err := set.Registered.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return f.(set.Writer)
}

func TestGraphsErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"C C\n", `1:1: found "C C", expected a label, a tab, labels of vertices, a tab and edges`},
		{"a\tC C\t1-3\n", `1:7: found "1-3", expected an edge such as 1-2, between vertices from 1 to 2`},
		{"a\tC C\t1-2 2\n", `1:11: found "2", expected an edge such as 1-2, between vertices from 1 to 2`},
		{"a\tC C\t1-2-1\n", `1:7: found "1-2-1", expected an edge`},
		{"a\tC C\t1--2\n", `1:7: found "1--2", expected an edge`},
		{"a\tC C\t99999999999-2\n", `1:7: found "99999999999-2", expected an edge`},
		{"a\t\t1-1\n", `1:4: found "1-1", expected no edges without vertices`},
		{"a\tC\n\tC\n", `2:1: found no label, expected one, as the rows before have`},
		{"a\tC \xff\n", `1:3: found "C \xff", expected UTF-8 text`},
	} {
		_, err := readtest.ReadText(c.text, data.Options{Format: "graphs"})
		if want := "standard input:" + c.want; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q:\nfound    %v\nexpected %s", c.text, err, want)
		}
	}
}

// Rows without labels are rows without targets, which can be written again.
func TestStructuredWithoutLabels(t *testing.T) {
	for format, text := range map[string]string{"strings": "\tcat\n\t\n", "tokens": "\t1 2\n\t3\n", "graphs": "\t1 1\t1-2\n\t\t\n"} {
		s, err := data.Read(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: strings.NewReader(text)}, Format: format})
		if err != nil || !s.Target.Absent() || s.Rows() != 2 {
			t.Fatalf("%s: found %+v, error %v, expected two rows without targets", format, s, err)
		}
		var out bytes.Buffer
		if err := writerOf(t, format).Write(&out, s); err != nil || out.String() != text {
			t.Errorf("%s: wrote %q, error %v", format, out.String(), err)
		}
		s.Structure = structure.Graphs
		if err := writerOf(t, format).Write(&out, s); (err == nil) != (format == "graphs") {
			t.Errorf("%s: found error %v about graphs", format, err)
		}
	}
}

func FuzzGraphs(f *testing.F) {
	for _, text := range append([]string{"+1\tC C O\t1-2 2-3\n-1\t4\n", "\t\t\n\tC\n", "a\tC\t1-1 1-1\n\tC\n", "1\t1\xff\r\n", "1\tC\t99999999-1\n", "\r\r\r\x01\r\rx\tC\t" + strings.Repeat("\n", 9)}, readtest.AllKinds...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readtest.FuzzRead(t, data, "graphs") })
}

func FuzzTokens(f *testing.F) {
	for _, text := range append([]string{"a\tGET 200\nb\t\n", "\t1\n", "a\t\x00 0 16777216 16777217\n"}, readtest.AllKinds...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readtest.FuzzRead(t, data, "tokens") })
}
