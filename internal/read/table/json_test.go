package table_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// mixedCSV is a table of all kinds of columns, of which one begins late.
func mixedCSV() string {
	var b strings.Builder
	b.WriteString("id,a,word,ok,day,gap,text,late,label\n")
	for i := range 400 {
		gap, late := fmt.Sprint(i%7), ""
		if i%5 == 0 {
			gap = ""
		}
		if i > 350 {
			late = fmt.Sprint(i)
		}
		fmt.Fprintf(&b, "%d,%g,%s,%t,2024-05-%02d,%s,\"é, %d\",%s,%s\n", i, float64(i)*0.5+1e9, []string{"x", "y z", "007"}[i%3], i%2 == 0, i%28+1, gap, i%2, late, []string{"p", "q"}[i*7%11%2])
	}
	return b.String()
}

// asJSON writes the rows of a CSV without quoted quotes as objects: of empty fields null, or nothing.
func asJSON(t *testing.T, csv, before, between, after string, nulls bool) string {
	all := strings.Split(strings.TrimSuffix(csv, "\n"), "\n")
	names := strings.Split(all[0], ",")
	var rows []string
	for i, line := range all[1:] {
		fields := strings.Split(strings.ReplaceAll(line, "\"é, ", "é~ "), ",")
		var out []string
		for k, f := range fields {
			f = strings.ReplaceAll(strings.TrimSuffix(f, `"`), "~", ",")
			value, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case f == "" && !nulls && (i > 0 || names[k] == "late"):
				continue
			case f == "":
				value = []byte("null")
			case f == "true" || f == "false" || f[0] != '0' && json.Valid([]byte(f)) && i%2 == 0:
				value = []byte(f)
			case i%3 == 0:
				value = bytes.ReplaceAll(value, []byte("é"), []byte(`\u00e9`))
			}
			out = append(out, fmt.Sprintf("%q: %s", names[k], value))
		}
		if i%4 == 1 && i > 8 {
			slices.Reverse(out) // the first rows say the order of columns
		}
		rows = append(rows, "{"+strings.Join(out, ", ")+"}")
	}
	return before + strings.Join(rows, between) + after
}

// The same table as CSV and as JSON is the same set, however its objects are laid out and the rows are cut.
func TestJSONIsCSV(t *testing.T) {
	csv := strings.Replace(mixedCSV(), ",late,label\n", ",label,late\n", 1)
	lines := strings.Split(strings.TrimSuffix(csv, "\n"), "\n")
	for i, line := range lines[1:] { // keys that come late are the last columns
		fields := strings.Split(line, ",")
		n := len(fields)
		fields[n-1], fields[n-2] = fields[n-2], fields[n-1]
		lines[i+1] = strings.Join(fields, ",")
	}
	csv = strings.Join(lines, "\n") + "\n"
	want, err := readtest.ReadText(csv, data.Options{})
	if err != nil || want.Cols() < 9 {
		t.Fatal(want, err)
	}
	for name, text := range map[string]string{
		"lines": asJSON(t, csv, "", "\n", "\n", true), "no last break": asJSON(t, csv, "\n \n", "\r\n\n", "", false),
		"array": asJSON(t, csv, " [", ",", "]", false), "pretty": strings.ReplaceAll(asJSON(t, csv, "[\n", " ,\n", "\n]\n", true), `, "`, ",\n \""),
		"objects": strings.ReplaceAll(asJSON(t, csv, "", "\n", "\n", true), "{", "{\n"),
	} {
		for _, opt := range []data.Options{{}, {Blocking: data.Blocking{Chunk: 1000}, Threads: 3}, {Blocking: data.Blocking{Chunk: 7}}} {
			got, err := readtest.ReadText(text, opt)
			readtest.Same(t, name, want, got, nil, err)
			path := readtest.Put(t, t.TempDir(), "x.json", text)
			got, err = readtest.ReadPath(path, opt)
			readtest.Same(t, name+" of a file", want, got, nil, err)
		}
		path := readtest.Put(t, t.TempDir(), "x.json", text)
		rows, cols, err := readtest.Streamed(t, []string{path}, data.Options{Schema: want.Schema})
		if err != nil || cols != want.Cols() || !slices.EqualFunc(rows, readtest.RowsOf(want.X), slices.Equal) {
			t.Errorf("%s: streamed: found other rows, %v", name, err)
		}
	}
}

// What a model knows is taken by name; what it does not is said.
func TestJSONOfModels(t *testing.T) {
	s, err := readtest.ReadText("{\"a\":1,\"b\":\"x\",\"y\":\"p\"}\n{\"a\":3,\"b\":\"z\",\"y\":\"q\"}\n{\"a\":5,\"b\":\"x\",\"y\":\"p\"}\n", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := readtest.ReadText("{\"zzz\":[1].0}", data.Options{Schema: s.Schema})
	if err == nil {
		t.Fatal("found no error", got)
	}
	got, err = readtest.ReadText("{\"b\":\"x\"}\n{\"c\":7,\"a\":\"3\",\"b\":null}\n{\"a\":1,\"d\":0}\n", data.Options{Schema: s.Schema})
	if err != nil || !got.Target.Absent() || !strings.Contains(fmt.Sprint(got.Warnings), `(first: "c")`) || !strings.Contains(fmt.Sprint(got.Warnings), "1 number is missing") {
		t.Fatal(got, err)
	}
	if rows := fmt.Sprint(readtest.RowsOf(got.X)); rows != "[[3 1 0] [3 0 0] [1 0 0]]" {
		t.Errorf("found %s", rows)
	}
	if _, err = readtest.ReadText("{\"a\":1}\n{\"A\":1}\n", data.Options{Schema: s.Schema}); err == nil || err.Error() != "standard input:2:1: found none of the columns of the model, expected some: a, b" {
		t.Errorf("found %v", err)
	}
	late := "{\"a\":1,\"y\":\"p\"}\n{\"a\":1,\"y\":\"p\"}\n" + strings.Repeat("{\"a\":2,\"y\":\"q\"}\n", 200) + "{\"a\":1,\"w\":2,\"y\":\"p\"}\n"
	if s, err = readtest.ReadText(late, data.Options{Target: "w", SkipUnlabelled: true}); err != nil || s.Rows() != 1 {
		t.Errorf("a target that comes late: found %v, %v", s, err)
	}
	_, _, err = readtest.Streamed(t, []string{readtest.Put(t, t.TempDir(), "x", strings.ReplaceAll(late, `"y"`, `"b":1,"y"`))}, data.Options{})
	if err == nil || !strings.Contains(err.Error(), ":203:") || !strings.Contains(err.Error(), `found the key "w"`) {
		t.Errorf("a stream of a key that comes late: found %v", err)
	}
}

// Errors say where.
func TestJSONErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\":1,\"y\":2}\n{\"a\":{\"b\":1},\"y\":2}\n": `:2:6: found an object at "a", expected a number`,
		"{\"a\":1,\"y\":[2]}\n":                          `:1:12: found an array at "y"`,
		"{\"a\":1,\"y\":2}\n{\"a\":1,\"y\":2\n":          ":2:13: found the end of the text",
		"{\"a\":1,\"y\":2}\n[1]\n":                       `:2:1: found "[", expected an object`,
		"{\"a\":1,\"y\":2}\n\n{\"a\":1,\"a\":2}\n":       `:3:12: found the key "a" twice`,
		"{\"a\":1,\"y\":2} 3\n{\"a\":1}":                 `:1:15: found "3"`,
		"{\"a\":NaN,\"y\":2}\n":                          `:1:6: found "NaN", expected a value of "a" (null is a missing one)`,
		"{\"a\":1,\"y\":2}\n{\"a\":1e999,\"y\":3}\n":     `:2:6: found "1e999"`,
		"{\"a\":1,\"y\":\"\xff\"}\n":                     ":1:12: found a string that is not UTF-8",
		"[{\"a\":1,\"y\":2},{\"a\":1,\"y\":2}":           "expected a comma or ]",
		"[{\"a\":1,\"y\":2},{\"a\":1,\"y\":2},":          "expected an object",
		"[{\"a\":1,\"y\":2} {\"a\":1,\"y\":2}]":          `:1:16: found "{`,
		"[{\"a\":1,\"y\":2},{\"a\":[],\"y\":2}]":         ":1:21: found an array",
		"[{\"a\":1,\"y\":2}] x":                          "expected an object",
		"[]":                                             "found no column",
		"{\"a\":{\"0\":1}}":                              `found an object at "a"`,
		"{}\n{}\n":                                       "standard input: found no column",
		"{\"a\":1}\n{\"a\":2}\n":                         "found one column",
	} {
		for _, chunk := range []int{0, 5} {
			s, err := readtest.ReadText(text, data.Options{Format: "json", Blocking: data.Blocking{Chunk: chunk}})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: found %v, %v, expected %s", text, s, err, want)
			}
		}
	}
}

// A small file takes no memory for a table of nothing.
func TestJSONOfFewKeys(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&b, "{\"k%d\":1}\n", i)
	}
	var wide strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&wide, "%c\"k%d\":1", ",{"[min(1, max(0, 1-i))], i)
	}
	for _, text := range []string{b.String(), wide.String() + "}\n" + strings.Repeat("{}\n", 1<<20)} {
		if _, err := readtest.ReadText(text, data.Options{Unlabelled: true}); err == nil || !strings.Contains(err.Error(), "few of all keys") {
			t.Errorf("found %v", err)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{"{\"a\":1,\"b\":\"x\\u00e9\",\"y\":null}\n{\"b\":true,\"a\":-2e3,\"y\":\"q\"}\n", "[{\"a\":1,\"y\":2},\n{\"y\":3, \"z\":0.5}]", "{\"a\":\n1}{\"a\":2,\"y\":1}", "{}\n{\"a\":{}}", "[]", "{\"a\":1}\n{\"b\":\"007\"}\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { readtest.FuzzRead(t, data, "json") })
}
