package data_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// However the lines of a table are cut, and whatever stands above it, its rows are the same.
func TestTableLayouts(t *testing.T) {
	plain := "a,b,name,y\n1,-2.5,x y,3\n0.1,,z,4.5\n7,30,x y,6\n8,31,z,6.5\n"
	bare := "1,-2.5,x y,3\n0.1,,z,4.5\n7,30,x y,6\n8,31,z,6.5\n"
	for name, c := range map[string]struct{ like, text string }{
		"blanks":            {plain, "a b  name\ty\n 1\t -2.5 \"x y\" 3\n0.1   ? z 4.5  \n7\t\t30   \"x y\"  6 \r\n8 31 z 6.5"},
		"blanks, no names":  {bare, "  1    -2.5  \"x y\"  3\n  0.1   ?   z     4.5\n  7    30  \"x y\"  6\n  8    31   z     6.5\n"},
		"aligned, one tab":  {"1,-2.5,3,x y\n0.1,?,4.5,z\n7,30,6,x y\n8,31,6.5,z\n", "1   -2.5   3\t\"x y\"\n0.1   ?   4.5\t\"z\"\n7  30    6\t\"x y\"\n8  31    6.5\t\"z\"\n"},
		"write.table of R":  {"\"\",a,y\nu,1,2\nv,3,4\nw,5,7\n", "\"a\" \"y\"\n\"u\" 1 2\n\"v\" 3 4\n\"w\" 5 7\n"},
		"savetxt of NumPy":  {"a,b,y\n1,2,3\n4,5,6.5\n7,8,9\n", "# a b y\n1 2 3\n4 5 6.5\n7 8 9\n"},
		"comments":          {plain, "# a logger, 3\n#,,,\n" + plain},
		"a title":           {plain, "Sales of 2020\n\n" + plain},
		"a title, a bar":    {bare, "|1x3 Cross validator\n" + bare},
		"a title of blanks": {bare, "The year\n1  -2.5 \"x y\" 3\n0.1 ?  z 4.5\n7 30 \"x y\" 6\n8 31 z 6.5\n"},
		"returns":           {plain, strings.ReplaceAll(plain[:len(plain)-1], "\n", "\r") + "\n"},
		"returns, then feeds": {plain, strings.ReplaceAll(plain[:len(plain)-1], "\n", "\r") +
			"\r\n"},
	} {
		want, err := data.Read(t.Context(), []string{readtest.Put(t, t.TempDir(), "x.csv", c.like)}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"x.csv", "x.data", "x"} {
			got, err := data.Read(t.Context(), []string{readtest.Put(t, t.TempDir(), file, c.text)}, data.Options{Blocking: data.Blocking{Chunk: 40}})
			if err != nil || readtest.Show(got) != readtest.Show(want) {
				t.Errorf("%s, %s: found %v, %v, expected %v", name, file, got, err, want)
				continue
			}
			said := strings.Contains(fmt.Sprint(got.Warnings), "above the table skipped (first: ")
			if said != (strings.Contains(name, "title") || name == "comments") {
				t.Errorf("%s: found the warnings %v", name, got.Warnings)
			}
		}
	}
}

// Text that is no table, or has no rows, is refused in one line that says what it is.
func TestNoTables(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"header.csv":   {"temp,power,price\n", ":1: found one line, which seems to name the columns, expected rows below it"},
		"again.csv":    {"a,b,y\n1,2,3\n4,5,6\na,b,y\n7,8,9\n", `:4:1: found "a", expected a row: these are the names`},
		"hello":        {"hello\n", ": found \"hello\\n\", expected one of the formats"},
		"prose":        {"the quick brown\nfox jumps over\nthe lazy dog\n", `: found "the quick brown\n", expected one of the formats`},
		"rows.json":    {"[\n [1, 2],\n [3, 4]]", ": found JSON of arrays, which is not read"},
		"page.csv":     {"<!DOCTYPE html>\n<table>", ": found HTML, which is not read"},
		"a.mtx":        {"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n", ":1: found a matrix that is \"symmetric\", expected a general one"},
		"a.vw":         {"1 |f a:2 b:3\n-1 |f a:2\n1 2 3 4 |f c\n", ":3:1: found 4 words before the bar"},
		"a.dta":        {"<stata_dta><header>\x00", ": found Stata, which is not read"},
		"a.tar":        {"x.csv" + strings.Repeat("\x00", 252) + "ustar", ": found a tar archive, which is not read"},
		"latin1.csv":   {"temp\xe9rature,y\n1,2\n", "iconv -f LATIN1 -t UTF-8 "},
		"category.csv": {"a,y\nb\xe9,1\nc,2\n", "iconv -f LATIN1 -t UTF-8 "},
	} {
		path := readtest.Put(t, t.TempDir(), name, c.text)
		_, err := data.Read(t.Context(), []string{path}, data.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: found %v, expected %s", name, err, c.want)
		}
	}
	path := readtest.Put(t, t.TempDir(), "x.csv", "u,v,w\n")
	if s, err := data.Read(t.Context(), []string{path}, data.Options{Header: "no"}); err != nil || s.Rows() != 1 {
		t.Errorf("'header=no': found %v, %v", s, err)
	}
}

// zipped is an archive of files, given as name and text.
func zipped(t *testing.T, files ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(files[i+1]))
	}
	z.Close()
	return b.String()
}

// A zip archive of one file is that file; of more, it is refused.
func TestZip(t *testing.T) {
	text := "a,y\n" + strings.Repeat("1,2\n3,4.5\nx,6\n", 100)
	read := func(archive string) (*data.Set, error) {
		return data.Read(context.Background(), []string{readtest.Put(t, t.TempDir(), "x.zip", archive)}, data.Options{Blocking: data.Blocking{Chunk: 64}})
	}
	want, _ := readtest.ReadText(text, data.Options{})
	for _, files := range [][]string{{"d/t.data", text}, {"d/", "", "t.csv", text, "__MACOSX/._t.csv", "\x00", ".DS_Store", ""}} {
		if got, err := read(zipped(t, files...)); err != nil || !reflect.DeepEqual(got.X, want.X) {
			t.Errorf("%v: found %v, %v", files[0], got, err)
		}
	}
	one := zipped(t, "one.csv", "a\n1\n2\n") // read by the extension of what is in it
	if _, err := read(one); err == nil || !strings.Contains(err.Error(), "found one column") {
		t.Errorf("one column: found %v", err)
	}
	for archive, want := range map[string]string{
		zipped(t, "a.csv", text, "b.csv", text): "found a zip archive of 2 files (a.csv, b.csv), expected one",
		zipped(t):                               "",
		zipped(t, "t.csv", text)[:60]:           "found a zip archive, which is not read",
		strings.Replace(zipped(t, "t.csv", text), "\x08\x00\x08\x00", "\x08\x00\x0c\x00", -1): "packed by method 12",
	} {
		if _, err := read(archive); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
	damaged := []byte(zipped(t, "t.csv", text))
	damaged[40] ^= 0x55
	if _, err := read(string(damaged)); err == nil {
		t.Error("a damaged archive is read")
	}
	if _, err := os.Stat(filepath.Join(t.TempDir(), "t.csv")); err == nil {
		t.Error("an archive is unpacked into a folder")
	}
}
