package set_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A record becomes the row that its line of a table becomes.
func TestRecordOffset(t *testing.T) {
	rows := readtest.Times(100)
	s := readtest.ReadNamed(t, "a.csv", readtest.AsCSV(rows), data.Options{})
	for _, value := range []any{rows[3][0], fmt.Sprintf("%.2f", rows[3][0])} {
		row, err := s.Schema.Row(matrix.Vector{}, map[string]any{"t": value, "p": rows[3][1], "year": rows[3][2], "c": rows[3][3]})
		if err != nil || !slices.Equal(row.Value, s.X.Row(3).Value) {
			t.Errorf("found %v (%v), expected %v", row.Value, err, s.X.Row(3).Value)
		}
	}
}

// customers is a table with a column of every kind.
const customers = "age;income;city;since;vip;code;size;note;y\n" +
	"34;1,5;Rome;2024-05-31;yes;007;1;a;1\n" +
	";2,25;Paris;2024-06-01;no;012;2.0;;0\n" +
	"51;3;Rome;2024-06-03;yes;007;big;?;1\n" +
	"17;-4,5;Oslo;;no;100;1;a;0\n"

func customerSchema(t testing.TB) *data.Set {
	t.Helper()
	s, err := readtest.ReadText(customers, data.Options{Format: "csv", Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// dense returns a row with its zeros.
func spreadOut(x matrix.Vector, cols int) []float32 {
	row := make([]float32, cols)
	for k, v := range x.Value {
		row[x.Column(k)] = v
	}
	return row
}

// TestRecordIsRow: a record gives the row that the reader makes of a line with the same
// fields, in a table read with the schema.
func TestRecordIsRow(t *testing.T) {
	s := customerSchema(t)
	names := []string{"age", "income", "city", "since", "vip", "code", "size", "note"}
	day := time.Date(2024, 6, 2, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		line   string
		record []any
	}{
		{"34;1,5;Rome;2024-05-31;yes;007;1;a", []any{34, 1.5, "Rome", time.Date(2024, 5, 31, 0, 0, 0, 0, time.UTC), true, "007", 1, "a"}},
		{"34;1,5;Rome;2024-05-31;yes;007;1;a", []any{"34", "1,5", "Rome", "2024-05-31", "yes", "007", "1", "a"}},
		{"-0;0;Paris;2024-06-02 12:00:00;no;012;2.0;?", []any{int8(0), uint16(0), "Paris", day, false, "012", 2.0, nil}},
		{"0,1;0,1;Oslo;2024-06-02T12:00:00;No;100;2.0;", []any{json.Number("0.1"), "0,1", " Oslo ", day, "No", "100", float32(2), ""}},
		{"NA;;;;?;;;N/A", []any{nil, nil, nil, nil, nil, nil, nil, nil}},
		{"NA;null;?;;NA;?;na;N/A", []any{"NA", "null", "?", "", "NA", "?", "na", "N/A"}},
		{"1e6;-2,5;Lima;2023-01-01;TRUE;7;3;other", []any{int64(1e6), -2.5, "Lima", "2023-01-01", "TRUE", "7", 3, "other"}},
		{"3;4;Rome;2024-05-31;yes;007;big;a", []any{uint8(3), int32(4), "Rome", "2024-05-31", true, "007", "big", "a"}},
	} {
		want, err := readtest.ReadText(strings.Join(names, ";")+"\n"+c.line+"\n", data.Options{Format: "csv", Schema: s.Schema})
		if err != nil {
			t.Fatal(c.line, err)
		}
		record := map[string]any{"unknown": 3, "y": "not looked at"}
		for i, v := range c.record {
			record[names[i]] = v
		}
		got, err := s.Schema.Row(matrix.Vector{}, record)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if err := got.Check(s.Cols()); err != nil || got.Index == nil {
			t.Errorf("%s: row %v: %v, expected a sparse one", c.line, got, err)
		}
		if found, expected := spreadOut(got, s.Cols()), spreadOut(want.X.Row(0), s.Cols()); !slices.Equal(found, expected) {
			t.Errorf("%s: found %v, expected %v", c.line, found, expected)
		}
	}
}

// TestRecordRefuses names the column and what was found in it.
func TestRecordRefuses(t *testing.T) {
	s := customerSchema(t)
	good := map[string]any{"age": 34, "income": 1.5, "city": "Rome", "since": "2024-05-31", "vip": true, "code": "007", "size": 1, "note": "a"}
	for _, c := range []struct {
		column string
		value  any
		want   string
	}{
		{"age", true, `column "age": found true, expected a number with a decimal comma`},
		{"age", "x", `column "age": found "x", expected a number with a decimal comma`},
		{"age", "inf", `column "age": found "inf", expected a number with a decimal comma`},
		{"age", math.NaN(), `column "age": found NaN, expected a number with a decimal comma`},
		{"age", 1e300, `column "age": found 1e+300, expected a number with a decimal comma`},
		{"age", time.Time{}, `column "age": found time.Date(`},
		{"age", []int{3}, `column "age": found []int{3}, expected a number with a decimal comma`},
		{"age", "34.5", `column "age": found "34.5", expected a number with a decimal comma`}, // the file has decimal commas
		{"income", "1.5", `column "income": found "1.5", expected a number with a decimal comma`},
		{"city", 3, `column "city": found 3, expected a category: text`},
		{"city", true, `column "city": found true, expected a category: text`},
		{"code", 7, `column "code": found 7, expected a category: text`},
		{"since", 3, `column "since": found 3, expected a time.Time or a date as text such as 2024-05-31`},
		{"since", "yesterday", `column "since": found "yesterday", expected a time.Time`},
		{"vip", 1, `column "vip": found 1, expected true or false, yes or no`},
		{"vip", "maybe", `column "vip": found "maybe", expected true or false`},
	} {
		record := map[string]any{}
		for name, v := range good {
			record[name] = v
		}
		record[c.column] = c.value
		if _, err := s.Schema.Row(matrix.Vector{}, record); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s = %v: found error %v, expected %s", c.column, c.value, err, c.want)
		}
		delete(record, c.column)
		want := fmt.Sprintf("column %q: found nothing in the record, expected a value, or nil for a missing one", c.column)
		if _, err := s.Schema.Row(matrix.Vector{}, record); err == nil || err.Error() != want {
			t.Errorf("without %s: found error %v, expected %s", c.column, err, want)
		}
	}
	for _, bad := range []*data.Schema{nil, {Target: 4}, {Target: -1, Weight: -1, Columns: []data.Column{{Name: "a", Kind: "odd"}}}} {
		if _, err := bad.Row(matrix.Vector{}, good); err == nil {
			t.Errorf("schema %+v: found no error", bad)
		}
	}
}

// TestRecordOfNumbers: without categories rows are dense, as those of a table.
func TestRecordOfNumbers(t *testing.T) {
	s, err := readtest.ReadText("1,2,0\n3,,1\n", data.Options{Format: "csv", Header: "no"})
	if err != nil {
		t.Fatal(err)
	}
	dst := matrix.Vector{Index: []uint32{7}, Value: []float32{9, 9, 9}}
	for _, c := range []struct {
		record map[string]any
		want   []float32
	}{{map[string]any{"1": 0, "2": 5}, []float32{0, 5}}, {map[string]any{"1": 1.5, "2": nil}, []float32{1.5, 2}}} {
		if dst, err = s.Schema.Row(dst, c.record); err != nil || dst.Index != nil || !slices.Equal(dst.Value, c.want) {
			t.Errorf("%v: found %v, error %v, expected %v", c.record, dst, err, c.want)
		}
	}
}

// TestRecordsAtOnce makes the first rows of a schema from several goroutines.
func TestRecordsAtOnce(t *testing.T) {
	s, record := customerSchema(t), wideRecord()
	want, err := customerSchema(t).Schema.Row(matrix.Vector{}, record)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if x, err := s.Schema.Row(matrix.Vector{}, record); err != nil || !slices.Equal(x.Value, want.Value) {
				t.Errorf("found %v, error %v, expected %v", x, err, want)
			}
		})
	}
	all.Wait()
}

func wideRecord() map[string]any {
	return map[string]any{"age": 34.5, "income": 1.5, "city": "Rome", "since": "2024-05-31", "vip": true, "code": "012", "size": 2.0, "note": nil,
		"a": 1.5, "b": "2,5", "c": 3, "d": "u", "e": "v", "f": false, "g": "2024-06-03 10:00:00"}
}

// wideSchema is that of a table of fifteen columns.
func wideSchema(t testing.TB) *data.Schema {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(customers), "\n")
	more := []string{"a;b;c;d;e;f;g;", "1;2;3;u;w;yes;2024-05-31 09:00:00;", "2;3;4;v;v;no;2024-06-01 09:00:00;", "2;3;5;u;x;no;2024-06-02 09:00:00;", "2;3;7;u;v;yes;2024-06-04 09:00:00;"}
	for i := range lines {
		lines[i] = more[i] + lines[i]
	}
	s, err := readtest.ReadText(strings.Join(lines, "\n"), data.Options{Format: "csv", Target: "y", Numeric: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	return s.Schema
}

// TestRecordAllocates nothing after the first call.
func TestRecordAllocates(t *testing.T) {
	s, record, dst := wideSchema(t), wideRecord(), matrix.Vector{}
	if len(s.Columns) != 16 {
		t.Fatalf("found %d columns, expected 15 and the target", len(s.Columns))
	}
	n := testing.AllocsPerRun(100, func() {
		var err error
		if dst, err = s.Row(dst, record); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("found %g allocations a record, expected none", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	s, record, dst := wideSchema(b), wideRecord(), matrix.Vector{}
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if dst, err = s.Row(dst, record); err != nil {
			b.Fatal(err)
		}
	}
}
