package engine

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// aTable is the CSV of a table with a text, a category, a gap and a target.
func aTable() string {
	var text strings.Builder
	text.WriteString("note,city,x,y\r\n")
	for i := range 60 {
		fmt.Fprintf(&text, "\"%s day, of w%d\nand w%d\",%s,%s,%d\r\n", []string{"good", "bad"}[i%2], i%7, i%5, []string{"Rome", "Bonn", ""}[i%3], []string{"1.5", "", "-2"}[(i/2)%3], 1-i%2)
	}
	return text.String()
}

// A model of a table is that of the command's reader and trainer; verify and score make features by its schema.
func TestTable(t *testing.T) {
	c := newCaller(t)
	csv := aTable()
	rowsOf, err := data.ReadFrom(t.Context(), strings.NewReader(csv), "table", data.Options{Target: "y", Spelling: data.Spelling{Terms: set.Terms{Columns: []string{"note"}, MinCount: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	codes := write(c, rowsOf.Target.Code)
	q := map[string]any{"table": map[string]any{"csv": write(c, []byte(csv)), "target": "y", "text": []string{"note"}}, "codes": codes, "labels": rowsOf.Target.Label}
	got := c.ask("fit", map[string]any{"data": q, "spec": map[string]any{"loss": "logistic", "gap": 1e-4, "scaling": "none"}})
	file := c.bytes(got.Result.Model, 1)
	want, err := fenchel.Train(t.Context(), rowsOf, fenchel.Spec{Loss: "logistic", Gap: 1e-4, Scaling: "none"})
	if err != nil {
		t.Fatal(err)
	}
	var expected bytes.Buffer
	if err := want.Model.Write(&expected); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, expected.Bytes()) {
		t.Error("found another model than that of fenchel.Train")
	}
	at := write(c, file)
	if r := c.ask("verify", map[string]any{"model": source{Key: "a", Bytes: &at}, "data": q}); len(r.Result.Problems) > 0 {
		t.Errorf("verify found %v", r.Result.Problems)
	}
	rows := "x,note,more\r\n,good w1,1\r\n3,\"bad\nday\",2\r\n"
	if f := c.refused("score", map[string]any{"model": source{Key: "a"}, "table": map[string]any{"csv": write(c, []byte(rows))}}); f.Kind != "data" || !strings.Contains(f.Message, `no column "city"`) {
		t.Errorf("found the error %v, expected one about the column city", f)
	}
	rows = strings.ReplaceAll(rows, "more", "city")
	read, err := data.ReadFrom(t.Context(), strings.NewReader(rows), "new", data.Options{Schema: want.Model.Schema, Header: "yes"})
	if err != nil {
		t.Fatal(err)
	}
	for _, predictions := range []bool{false, true} {
		scored := c.ask("score", map[string]any{"model": source{Key: "a"}, "table": map[string]any{"csv": write(c, []byte(rows))}, "predictions": predictions})
		raw := c.bytes(scored.Result.Scores, 8)
		found := unsafe.Slice((*float64)(unsafe.Pointer(&raw[0])), scored.Result.Scores.Count)
		for i := range 2 {
			score := want.Model.Scores(nil, read.X.Row(i))
			expected := score[0]
			if predictions {
				expected = float64(want.Model.Decide(score))
			}
			if found[i] != expected {
				t.Errorf("row %d: found %v, expected %v", i+1, found[i], expected)
			}
		}
	}
}

// What no table can be is refused.
func TestTableRefused(t *testing.T) {
	c := newCaller(t)
	csv := write(c, []byte(aTable()))
	for field, value := range map[string]any{"ngrams": "0", "words": "french", "hash": 60, "text": []string{"none"}, "target": "none", "max_share": 7} {
		table := map[string]any{"csv": csv, "target": "y"}
		table[field] = value
		c.refused("fit", map[string]any{"data": map[string]any{"table": table}, "spec": map[string]any{}})
	}
	c.refused("fit", map[string]any{"data": map[string]any{"table": map[string]any{"csv": Place{Offset: 1 << 40, Count: 5}}}, "spec": map[string]any{}})
	numbers := write(c, make([]float64, 59))
	c.refused("fit", map[string]any{"data": map[string]any{"table": map[string]any{"csv": csv, "target": "y"}, "numbers": numbers}, "spec": map[string]any{}})
	_, q := generated(t, c, "@toy")
	got := c.ask("fit", map[string]any{"data": q, "spec": map[string]any{}})
	at := write(c, c.bytes(got.Result.Model, 1))
	if f := c.refused("score", map[string]any{"model": source{Key: "b", Bytes: &at}, "table": map[string]any{"csv": csv}}); !strings.Contains(f.Message, "found a table, expected numbers") {
		t.Errorf("found the error %v, expected one about a table", f)
	}
}
