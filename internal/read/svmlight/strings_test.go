package svmlight_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/svmlight"
	"github.com/fenchel-ml/fenchel/matrix"
)

func TestStrings(t *testing.T) {
	const text = "en\tthe cat\n\n fr \tété\t1 \r\nen\t\nen\t𝄞a"
	for _, opt := range []data.Options{{Format: "strings"}, {Format: "strings", Blocking: data.Blocking{Chunk: 3}, Threads: 3}, {Format: "strings", Columns: 40}, {Format: "strings", Columns: 2}} {
		s, err := readtest.ReadText(text, opt)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(7, opt.Columns); s.Rows() != 4 || s.Cols() != want || len(s.Warnings) > 0 {
			t.Errorf("found %d rows of %d columns, expected 4 of %d; warnings %v", s.Rows(), s.Cols(), want, s.Warnings)
		}
		for i, want := range []string{"the cat", "été\t1 ", "", "𝄞a"} {
			row, k := s.X.Row(i), 0
			for _, r := range want {
				if row.Column(k) != k || row.Value[k] != float32(r) {
					t.Errorf("row %d, place %d: found %g in column %d, expected %q", i, k, row.Value[k], row.Column(k), r)
				}
				k++
			}
			if row.Nonzeros() != k {
				t.Errorf("row %d: found %d characters, expected %q", i, row.Nonzeros(), want)
			}
		}
		if got := strings.Join(s.Target.Label, "|"); got != "en|fr" || s.Target.Code[1] != 1 || s.Target.Code[3] != 0 {
			t.Errorf("labels %q %v", got, s.Target.Code)
		}
	}
}

func TestStringsErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"\n \n", ` found no rows, expected at least one`},
		{"en\tcat\nfr chat\n", `2:1: found "fr chat", expected a label, a tab and a text`},
		{"\tcat\nen\tcat\n", `2:1: found a label, expected none, as in the rows before`},
		{"en\tcat\n \tcat\n", `2:1: found no label, expected one, as the rows before have`},
		{"en\tc\x00t\n", `1:5: found a zero byte, expected text`},
		{"en\tc\xfft\n", `1:4: found "c\xfft", expected UTF-8 text`},
		{"nan\tcat\n", `1:1: found "nan", expected a finite number or a name as target`},
	} {
		_, err := readtest.ReadText(c.text, data.Options{Format: "strings"})
		if want := "standard input:" + c.want; err == nil || err.Error() != want {
			t.Errorf("%q:\nfound    %v\nexpected %s", c.text, err, want)
		}
	}
}

func TestStringsWritten(t *testing.T) {
	const text = "en\tthe cat\nfr\tété\t1 \n1\t\nen\t𝄞a\n"
	s, err := readtest.ReadText(text, data.Options{Format: "strings"})
	if err != nil {
		t.Fatal(err)
	}
	dense := *s
	dense.X = &matrix.Dense{Rows: 4, Cols: 7, Value: make([]float32, 28)}
	for i := range 4 {
		row := s.X.Row(i)
		for k, v := range row.Value {
			dense.X.(*matrix.Dense).Value[7*i+row.Column(k)] = v
		}
	}
	for _, s := range []*data.Set{s, &dense} {
		var out bytes.Buffer
		if err := svmlight.Strings.Write(&out, s); err != nil || out.String() != text {
			t.Errorf("found %q (%v), expected %q", out.String(), err, text)
		}
	}
	for want, broken := range map[string]func(*data.Set){
		"no place for row weights": func(s *data.Set) { s.Weight = make([]float64, 4) },
		`label "a\tb": `:           func(s *data.Set) { s.Target = data.Labels([]string{"a\tb", "1", "1", "1"}) },
		"found 8 columns and no row": func(s *data.Set) {
			s.X = &matrix.CSR{Cols: 8, Start: s.X.(*matrix.CSR).Start, Index: s.X.(*matrix.CSR).Index, Value: s.X.(*matrix.CSR).Value}
		},
		"row 1, column 1: found 0.5":   func(s *data.Set) { s.X = &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{0.5}} },
		"row 1, column 1: found 10":    func(s *data.Set) { s.X = &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{'\n'}} },
		"row 1, column 1: found 0":     func(s *data.Set) { s.X = &matrix.Dense{Rows: 1, Cols: 2, Value: []float32{0, 97}} },
		"carriage return":              func(s *data.Set) { s.X = &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{'\r'}} },
		"row 1, column 1: found 1e+09": func(s *data.Set) { s.X = &matrix.Dense{Rows: 1, Cols: 1, Value: []float32{1e9}} },
	} {
		wrong := *s
		broken(&wrong)
		if err := svmlight.Strings.Write(io.Discard, &wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found error %v, expected %q", err, want)
		}
	}
}

func FuzzStrings(f *testing.F) {
	for _, text := range append([]string{"en\tthe cat\nfr\tété\n", "a\t\x00", "\t", "1\t\xff\r\n"}, readtest.AllKinds...) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readtest.FuzzRead(t, data, "strings") })
}
