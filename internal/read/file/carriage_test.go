package file_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// Text whose lines end in a carriage return alone is the same rows as with line feeds,
// in every format of lines, compressed or not, all at once or row by row; an error is
// in the same line.
func TestCarriageReturns(t *testing.T) {
	folder := t.TempDir()
	for _, file := range []struct{ name, text string }{
		{"a.csv", "a,b,y\n1,-2.5,no\n0.1,3e-5,yes\n7,,no\n"},
		{"b.csv", "\n1,2,3\n4,5,6\n\n7,8,10"},
		{"long.csv", strings.Repeat("1,2,a\n3,4,b\n", file.HeadSize/8)},
		{"bad.csv", "a,y\n1,2\n1\n"},
		{"a.tsv", "a\tb\ty\n1\t-2.5\t3\n0.1\t3e-5\t4.5\n"},
		{"a.svm", "+1 1:1 3:-2.5\n-1 2:0.1 # no\n# none\n+1 1:16777216 4:0\n-1\n"},
		{"bad.svm", "1 1:1\n\n1 2:1 2:1\n"},
		{"a.arff", "% it\n@relation r\n@attribute a numeric\n@attribute y {no,yes}\n@data\n1,no\n-2.5,yes\n"},
		{"bad.arff", "@relation r\n@attribute a numeric\n@attribute y {no,yes}\n@data\n1,maybe\n"},
		{"a.strings", "en\tthe cat\nfr\tété\n1\t\n"},
		{"bom.csv", "\ufeffa,y\n1,2\n3,4\n"},
	} {
		feeds, returns := readtest.Put(t, folder, file.name, file.text), readtest.Put(t, t.TempDir(), file.name, strings.ReplaceAll(file.text, "\n", "\r"))
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		io.WriteString(z, strings.ReplaceAll(file.text, "\n", "\r"))
		z.Close()
		want, wrong := data.Read(t.Context(), []string{feeds}, data.Options{})
		for _, path := range []string{returns, readtest.Put(t, t.TempDir(), file.name+".gz", packed.String())} {
			got, err := data.Read(t.Context(), []string{path}, data.Options{})
			if wrong != nil {
				if expected := path + strings.TrimPrefix(wrong.Error(), feeds); err == nil || err.Error() != expected {
					t.Errorf("%s: found %v, expected %s", path, err, expected)
				}
				continue
			}
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: found %+v, %v, expected %+v", path, got, err, want)
			}
		}
		if strings.HasSuffix(file.name, ".strings") {
			continue
		}
		rows, _, wrong := readtest.Streamed(t, []string{feeds}, data.Options{})
		if got, _, err := readtest.Streamed(t, []string{returns}, data.Options{}); !reflect.DeepEqual(got, rows) || (err == nil) != (wrong == nil) {
			t.Errorf("%s: the stream gives %v, %v, expected %v, %v", file.name, got, err, rows, wrong)
		}
	}
}

// Only lone returns become line feeds, only where the head has no line feed, and in the files
// of targets and weights too.
func TestCarriageReturnsAmongOthers(t *testing.T) {
	folder := t.TempDir()
	at := strings.Repeat("1,2\r", file.HeadSize/4-1)
	in := strings.Repeat("1,2\n", file.HeadSize/8) + "1,\"" + strings.Repeat("\r", file.HeadSize)
	for text, want := range map[string]int{
		"1,\"\r\r\"\"\r\r\"\"\"\n2,\"\r\"\r\n": 2,
		"\"\n\n,\n\",1\r\"c\",2\r":             2, // feeds too
		"1,2\r3,\"4\r5,6":                      0, // a quote that is not closed
		"1,2\r3,4\"\r5,6\"\r":                  3, // quotes within fields
		in + "\"\n5,6\n":                       file.HeadSize/8 + 2,
		"\"a\rb\",1\n\"c\",2\n":                2, // the return is in a field
		at + "3,4\r\n5,6\r7,8\n":               file.HeadSize/4 + 2,
		strings.Repeat("1,", file.HeadSize/2-1) + "1\r\n" + "2,2\r\n": 0, // a return at the end of the head
	} {
		set, err := data.Read(t.Context(), []string{readtest.Put(t, folder, "x.csv", text)}, data.Options{Header: "no"})
		if want == 0 {
			if err == nil || !strings.Contains(err.Error(), "x.csv:2:") {
				t.Errorf("%.20q: found %v, expected an error in line 2", text, err)
			}
			continue
		}
		if err != nil || set.Rows() != want {
			t.Errorf("%.20q: found %+v, %v, expected %d rows", text, set, err, want)
		}
	}
	weights := readtest.Put(t, folder, "w.txt", "1\r2\r3\r")
	set, err := data.Read(t.Context(), []string{readtest.Put(t, folder, "x.svm", "1 1:1\n2 1:2\n1 1:3\n")}, data.Options{Weights: weights})
	if err != nil || !reflect.DeepEqual(set.Weight, []float64{1, 2, 3}) {
		t.Errorf("%s: found %v, %v", filepath.Base(weights), set, err)
	}
}
