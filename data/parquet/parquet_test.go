package parquet_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/data"
	_ "github.com/fenchel-ml/fenchel/data/parquet"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// same is the table in the files of testdata that four programs wrote.
const same = `a,k,m,w,d,t,b,y
1.5,3,1.25,red,2024-01-31,2024-01-01 12:30:00.005000,true,p
,5,-0.50,"blue, x",1969-12-31,,false,q
-2.0,,0.00,,,2024-01-02 01:00:00,,p
0.001,9,3.33,red,2025-02-01,2024-01-03 01:00:00,true,q
7.0,11,0.01,red,2024-01-31,2024-01-04 01:00:00,true,p
0.0,-4,0.99,"blue, x",2024-06-01,2024-01-05 01:00:00,false,q
`

func bytesOf(t testing.TB, name string) []byte {
	if !filepath.IsAbs(name) {
		name = filepath.Join("testdata", name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A table that pyarrow, polars, DuckDB or Spark wrote is that of the CSV: of a file, a stream and packed, however the rows are cut,
// for a new model and for one that is there.
func TestWriters(t *testing.T) {
	for _, name := range []string{"pyarrow.parquet", "polars.parquet", "duckdb.parquet", "spark.parquet"} {
		text := bytesOf(t, name)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(text)
		z.Close()
		for _, opt := range []data.Options{{}, {Blocking: data.Blocking{Chunk: 1}}, {Blocking: data.Blocking{Chunk: 4}, Threads: 3}, {Target: "k", SkipUnlabelled: true}, {Target: "a,k", SkipUnlabelled: true},
			{ID: "w", Ignore: []string{"t", "w"}}, {Categorical: []string{"k", "d"}}, {Numeric: []string{"d"}, Spelling: data.Spelling{Missing: []string{"3"}}}, {Unlabelled: true}} {
			want, err := readtest.ReadText(same, opt)
			got, wrong := readtest.ReadPath(filepath.Join("testdata", name), opt)
			sameSets(t, name, want, got, err, wrong)
			for _, r := range [][]byte{text, packed.Bytes()} {
				got, wrong = data.ReadFrom(t.Context(), bytes.NewReader(r), "rows", opt)
				sameSets(t, name+" as a stream", want, got, err, wrong)
			}
			if err != nil {
				t.Fatal(err)
			}
			opt.Schema, opt.Ignore, opt.Categorical, opt.Numeric, opt.Missing = want.Schema, nil, nil, nil, nil
			got, wrong = readtest.ReadPath(filepath.Join("testdata", name), opt)
			want, err = readtest.ReadText(same, opt)
			sameSets(t, name+" by a schema", want, got, err, wrong)
		}
	}
}

// sameSets compares sets but for the file that is named in them.
func sameSets(t *testing.T, what string, want, got *data.Set, err, wrong error) {
	t.Helper()
	if err != nil || wrong != nil {
		t.Fatalf("%s: found %v, expected %v", what, wrong, err)
	}
	if got.Digest() != want.Digest() || !reflect.DeepEqual(got.Schema, want.Schema) || !reflect.DeepEqual(got.Target, want.Target) || !reflect.DeepEqual(got.ID, want.ID) || !reflect.DeepEqual(got.Gaps, want.Gaps) ||
		len(got.Warnings) != len(want.Warnings) || !reflect.DeepEqual(got.X, want.X) {
		t.Fatalf("%s: found other rows\n%+v\n%+v", what, got, want)
	}
}

func TestConform(t *testing.T) {
	for _, e := range data.Formats() {
		if e.Name == "parquet" {
			f, err := e.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := conform.Format(f, bytesOf(t, "pyarrow.parquet"), nil); err != nil {
				t.Error(err)
			}
		}
	}
}

// A list is a column for each item; what is nested is refused where it is used.
func TestLists(t *testing.T) {
	path := filepath.Join("testdata", "lists.parquet")
	want, err := readtest.ReadText("e_0,e_1,s,y\n1.5,2.0,0,p\n,,0,q\n3.0,,0,p\n0.1,-4.0,0,q\n", data.Options{Ignore: []string{"s"}})
	got, wrong := readtest.ReadPath(path, data.Options{Ignore: []string{"s"}})
	sameSets(t, "lists", want, got, err, wrong)
	if _, err := readtest.ReadPath(path, data.Options{}); err == nil || !strings.Contains(err.Error(), `lists.parquet: column "s": found values of 2 parts`) {
		t.Errorf("found %v", err)
	}
	for name, c := range map[string]struct {
		rows any
		want string
	}{
		"ragged":  {[]struct{ E []float64 }{{[]float64{1, 2}}, {[]float64{1, 2}}, {[]float64{1, 2, 3}}}, `column "E": row 3 of its group: found a list of 3, expected 2`},
		"shorter": {[]struct{ E []float64 }{{[]float64{1, 2}}, {[]float64{1}}}, `column "E": row 2 of its group: found a list of 1, expected 2`},
		"none":    {[]struct{ E []float64 }{{nil}, {nil}}, `column "E": found lists of which the first rows have none`},
		"map":     {[]struct{ E map[string]int }{{map[string]int{"a": 1}}}, `column "E": found values of 2 parts`},
		"struct":  {[]struct{ E struct{ A int } }{{}}, `column "E": found a structure`},
	} {
		path := filepath.Join(t.TempDir(), name+".parquet")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := parquet.NewWriter(f, parquet.SchemaOf(reflect.New(reflect.TypeOf(c.rows).Elem()).Interface()))
		for i := range reflect.ValueOf(c.rows).Len() {
			if err := w.Write(reflect.ValueOf(c.rows).Index(i).Interface()); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if s, err := readtest.ReadPath(path, data.Options{Unlabelled: true}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: found %v, %v, expected %s", name, s, err, c.want)
		}
	}
}

// Values are spelled as a CSV has them.
func TestSpelling(t *testing.T) {
	type row struct {
		D32  int32     `parquet:"d32,decimal(2:9)"`
		D64  int64     `parquet:"d64,decimal(0:18)"`
		Day  int32     `parquet:"day,date"`
		Ms   int64     `parquet:"ms,timestamp(millisecond)"`
		Ns   int64     `parquet:"ns,timestamp(nanosecond)"`
		Time int64     `parquet:"time,time(microsecond)"`
		U64  uint64    `parquet:"u64"`
		U32  uint32    `parquet:"u32"`
		I8   int8      `parquet:"i8"`
		UUID [16]byte  `parquet:"uuid,uuid"`
		Deep *float32  `parquet:"deep,optional"`
		F64  float64   `parquet:"f64"`
		Old  []float64 `parquet:"old"`
	}
	deep := float32(0.1)
	rows := []row{
		{-5, 12, 19722, -1, 1e18 + 5, 1, 1<<64 - 1, 1<<32 - 1, -128, [16]byte{0x12, 15: 0xff}, &deep, 1e16, []float64{1, 2}},
		{123456, -7, -1, 1500, 0, 86399999999, 3, 7, 127, [16]byte{}, nil, 1.5e-7, []float64{math.Inf(-1), math.NaN()}},
	}
	want := [][]string{
		{"-0.05", "12", "2023-12-31", "1969-12-31 23:59:59.999", "2001-09-09 01:46:40.000000005", "00:00:00.000001", "18446744073709551615", "4294967295", "-128", "12000000-0000-0000-0000-0000000000ff", "0.1", "1e+16", "1.0", "2.0"},
		{"1234.56", "-7", "1969-12-31", "1970-01-01 00:00:01.5", "1970-01-01 00:00:00", "23:59:59.999999", "3", "7", "127", "00000000-0000-0000-0000-000000000000", "", "1.5e-07", "-Inf", ""},
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	for column, name := range []string{"d32", "d64", "day", "ms", "ns", "time", "u64", "u32", "i8", "uuid", "deep", "f64", "old_0", "old_1"} {
		s, err := readtest.ReadPath(path, data.Options{ID: name, Ignore: []string{"old_*"}, Unlabelled: true})
		if err != nil || s.ID[0] != want[0][column] || s.ID[1] != want[1][column] {
			t.Errorf("%s: found %v, %v, expected %q, %q", name, s, err, want[0][column], want[1][column])
		}
	}
}

// Messages count rows.
func TestRows(t *testing.T) {
	s, err := readtest.ReadText(strings.ReplaceAll(same, "red", "7"), data.Options{Numeric: []string{"w"}, Spelling: data.Spelling{Missing: []string{"blue, x"}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = readtest.ReadPath(filepath.Join("testdata", "pyarrow.parquet"), data.Options{Schema: s.Schema, Blocking: data.Blocking{Chunk: 2}})
	if want := filepath.Join("testdata", "pyarrow.parquet") + `:1: found "red", expected`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("found %v, expected %s", err, want)
	}
	_, err = readtest.ReadPath(filepath.Join("testdata", "pyarrow.parquet"), data.Options{Target: "k", Blocking: data.Blocking{Chunk: 1}})
	if want := filepath.Join("testdata", "pyarrow.parquet") + `:3: found no target`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("found %v, expected %s", err, want)
	}
	two := []string{filepath.Join("testdata", "pyarrow.parquet"), filepath.Join("testdata", "spark.parquet")}
	if s, err := data.Read(t.Context(), two, data.Options{}); err != nil || s.Rows() != 12 {
		t.Errorf("two files: found %v, %v", s, err)
	}
	two[1] = filepath.Join("testdata", "lists.parquet")
	if _, err := data.Read(t.Context(), two, data.Options{}); err == nil || !strings.Contains(err.Error(), "found other columns") {
		t.Errorf("two tables: found %v", err)
	}
}

// Every damage of a byte, and every cut, is read or refused in one line, in little memory.
func TestDamage(t *testing.T) {
	for _, name := range []string{"pyarrow.parquet", "duckdb.parquet", "lists.parquet", vectorFile(t, someVectors(), 2)} {
		text := bytesOf(t, name)
		for i := range text {
			for _, b := range []byte{0, 0xff, text[i] ^ 1, text[i] + 16} {
				if i%3 != 0 && b != 0xff {
					continue
				}
				damaged := bytes.Clone(text)
				damaged[i] = b
				check(t, damaged)
			}
			check(t, text[:i])
			check(t, append(bytes.Clone(text[:i]), text[len(text)-8:]...))
		}
	}
}

// check reads a file that may be no Parquet.
func check(t *testing.T, text []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	stuck := time.AfterFunc(30*time.Second, func() { panic("found no end of reading") })
	defer stuck.Stop()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := data.Read(ctx, []string{"-"}, data.Options{Format: "parquet", Ignore: []string{"s*"}, Threads: 1, Source: data.Source{Stdin: bytes.NewReader(text)}})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<30 {
		t.Fatalf("found %d bytes allocated for %d", used, len(text))
	}
	if err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "standard input")) || ctx.Err() != nil {
		t.Fatalf("found %q, expected one line", fmt.Sprint(err))
	}
}

func FuzzParquet(f *testing.F) {
	for _, name := range []string{"pyarrow.parquet", "polars.parquet", "duckdb.parquet", "spark.parquet", "lists.parquet"} {
		f.Add(bytesOf(f, name))
	}
	f.Add(bytesOf(f, vectorFile(f, someVectors(), 2)))
	f.Fuzz(func(t *testing.T, text []byte) { check(t, text) })
}

// TestResults: what is written is read again, in the order of the columns, in row groups, by this reader and the library's.
func TestResults(t *testing.T) {
	format, err := set.Registered.New("parquet")
	if err != nil {
		t.Fatal(err)
	}
	writer := format.(set.ResultWriter)
	columns := []set.Result{{Name: "word", Text: true}, {Name: "score"}, {Name: "a, b", Text: true}}
	var file bytes.Buffer
	w, err := writer.Results(&file, columns)
	if err != nil {
		t.Fatal(err)
	}
	const rows = 1<<17 + 1000
	spell := func(i int) (string, float64, string) {
		return fmt.Sprintf("w%d", i%7), float64(i) / 8, strings.Repeat("é", i%3)
	}
	for lo := 0; lo < rows; lo += 1024 {
		var block []byte
		for i := lo; i < min(lo+1024, rows); i++ {
			word, score, last := spell(i)
			block = append(binary.LittleEndian.AppendUint32(block, uint32(len(word))), word...)
			block = binary.LittleEndian.AppendUint64(block, math.Float64bits(score))
			block = append(binary.LittleEndian.AppendUint32(block, uint32(len(last))), last...)
		}
		if n, err := w.Write(block); n != len(block) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := data.ReadFrom(t.Context(), bytes.NewReader(file.Bytes()), "rows", data.Options{Target: "score", ID: "word", Spelling: data.Spelling{Keep: []string{"a, b"}}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Rows() != rows || s.IDName != "word" || s.Kept[0].Name != "a, b" {
		t.Fatalf("found %d rows, %q, %q", s.Rows(), s.IDName, s.Kept[0].Name)
	}
	for i := range rows {
		if word, score, last := spell(i); s.ID[i] != word || s.Target.Number[i] != score || s.Kept[0].Fields[i] != last {
			t.Fatalf("row %d: found %q, %g, %q", i, s.ID[i], s.Target.Number[i], s.Kept[0].Fields[i])
		}
	}
	f, err := parquet.OpenFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil || len(f.RowGroups()) != 2 || f.Root().Columns()[2].Name() != "a, b" {
		t.Error(err, len(f.RowGroups()))
	}
	for _, bad := range [][]set.Result{{{Name: "a"}, {Name: "a"}}, {{Name: ""}}} {
		if _, err := writer.Results(&file, bad); err == nil {
			t.Errorf("%v: found no error", bad)
		}
	}
}
