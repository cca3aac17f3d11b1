package parquet_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A vector is what org.apache.spark.ml writes; a vectorRow has one.
type vector struct {
	Type    int32     `parquet:"type,int(8)"`
	Size    *int32    `parquet:"size,optional"`
	Indices []int32   `parquet:"indices,list,optional"`
	Values  []float64 `parquet:"values,list,optional"`
}

type vectorRow struct {
	Label    float64 `parquet:"label"`
	Features *vector `parquet:"features,optional"`
	Age      float64 `parquet:"age"`
}

func sparse(size int32, entries ...float64) *vector {
	v := &vector{Size: &size}
	for k := 0; k < len(entries); k += 2 {
		v.Indices, v.Values = append(v.Indices, int32(entries[k])), append(v.Values, entries[k+1])
	}
	return v
}

func dense(values ...float64) *vector { return &vector{Type: 1, Values: values} }

// vectorFile writes rows in groups of so many.
func vectorFile(t testing.TB, rows []vectorRow, group int) string {
	var out bytes.Buffer
	w := parquet.NewGenericWriter[vectorRow](&out)
	for lo := 0; lo < len(rows); lo += group {
		if _, err := w.Write(rows[lo:min(lo+group, len(rows))]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "vectors.parquet")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// someVectors are rows of both types.
func someVectors() []vectorRow {
	return []vectorRow{{1, sparse(3, 0, 1.5), 2}, {0, dense(1, 0, -2), 3}, {1, sparse(3), 4}}
}

// manyVectors are rows of d entries, some written dense, and their LIBSVM text; a zero is written too.
func manyVectors(n, d int) (rows []vectorRow, text string) {
	var b strings.Builder
	for i := range n {
		label := float64(i*i%7%2)*2 - 1
		all, v := make([]float64, d), sparse(int32(d))
		fmt.Fprint(&b, label)
		for j := range d {
			if (i*31+j*j)%5 != 0 {
				continue
			}
			all[j] = float64((i*7+j*13)%11-5) / 3
			v.Indices, v.Values = append(v.Indices, int32(j)), append(v.Values, all[j])
			if all[j] != 0 {
				fmt.Fprintf(&b, " %d:%.17g", j+1, all[j])
			}
		}
		if fmt.Fprintln(&b); i%3 == 0 {
			v = dense(all...)
		}
		rows = append(rows, vectorRow{label, v, float64(i)})
	}
	return rows, b.String()
}

// Rows of vectors are those of the same LIBSVM text, and make the same model, however they are cut.
func TestVectors(t *testing.T) {
	rows, text := manyVectors(3000, 40)
	want, err := readtest.ReadText(text, data.Options{Format: "libsvm"})
	if err != nil {
		t.Fatal(err)
	}
	spec := fenchel.Spec{Loss: "logistic", Seed: 3}
	model, err := fenchel.Train(t.Context(), want, spec)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []int{7, 3000} {
		path := vectorFile(t, rows, group)
		for _, opt := range []data.Options{{Threads: 1}, {Threads: 3, Blocking: data.Blocking{Chunk: 5}}, {Threads: 2, ID: "age"}} {
			opt.Ignore = []string{"age"}
			got, err := readtest.ReadPath(path, opt)
			if err != nil {
				t.Fatal(err)
			}
			if _, sparse := got.X.(*matrix.CSR); !sparse || got.Digest() != want.Digest() || got.Feature[39] != "features_39" || len(got.Feature) != 40 || opt.ID != "" && got.ID[2999] != "2999.0" {
				t.Fatalf("group %d, %+v: found other rows: %T, %v", group, opt, got.X, got.Feature)
			}
			other, err := fenchel.Train(t.Context(), got, spec)
			if err != nil {
				t.Fatal(err)
			}
			for k, w := range model.Model.Outputs[0].Weights {
				if math.Float64bits(w) != math.Float64bits(other.Model.Outputs[0].Weights[k]) {
					t.Fatalf("weight %d: found %g, expected %g", k, other.Model.Outputs[0].Weights[k], w)
				}
			}
			if model.Model.Outputs[0].Bias != other.Model.Outputs[0].Bias {
				t.Errorf("found another bias")
			}
			opt.Schema, opt.Ignore = got.Schema, nil
			if again, err := readtest.ReadPath(path, opt); err != nil || again.Digest() != want.Digest() {
				t.Errorf("by the schema: found %v, %v", again, err)
			}
			checked, err := fenchel.Verify(t.Context(), other.Model, got, fenchel.Options{})
			if err != nil || !checked.OK() {
				t.Errorf("found %v, %v, expected a proof", checked, err)
			}
		}
	}
}

// A table may have a vector and other columns: features come in the order of the columns in the file, and predict finds the columns by name.
func TestVectorsAmongOthers(t *testing.T) {
	rows, _ := manyVectors(200, 6)
	type city struct {
		Label    float64  `parquet:"label"`
		Age      *float64 `parquet:"age,optional"`
		Features *vector  `parquet:"features,optional"`
		City     string   `parquet:"city"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[city](&out)
	for i, r := range rows {
		one := city{r.Label, &r.Age, r.Features, []string{"Ulm", "Bonn"}[i%2]}
		if i == 3 {
			one.Age = nil
		}
		if _, err := w.Write([]city{one}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := data.ReadFrom(t.Context(), bytes.NewReader(out.Bytes()), "rows", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "[age features_0 features_1 features_2 features_3 features_4 features_5 city=Ulm city=Bonn]"
	if fmt.Sprint(s.Feature) != want || s.Schema.Summary() != `4: 1 numeric, 1 with 2 categories, 1 vector of 6, target label` || len(s.Gaps) != 1 {
		t.Fatalf("found %v, %s, %v", s.Feature, s.Schema.Summary(), s.Gaps)
	}
	for i, r := range rows {
		row := make([]float64, 9)
		for k, v := 0, s.X.Row(i); k < len(v.Value); k++ {
			row[v.Column(k)] = float64(v.Value[k])
		}
		all := make([]float64, 6)
		if copy(all, r.Features.Values); r.Features.Type == 0 {
			all = make([]float64, 6)
			for k, j := range r.Features.Indices {
				all[j] = r.Features.Values[k]
			}
		}
		for j, v := range all {
			if row[1+j] != float64(float32(v)) {
				t.Fatalf("row %d: found %v, expected %v", i, row, all)
			}
		}
		if row[7+i%2] != 1 || i != 3 && row[0] != r.Age {
			t.Fatalf("row %d: found %v", i, row)
		}
		record := map[string]any{"age": r.Age, "features": all, "city": []string{"Ulm", "Bonn"}[i%2]}
		if i == 3 {
			record["age"] = nil
		}
		made, err := s.Schema.Row(matrix.Vector{}, record)
		if x := s.X.Row(i); err != nil || fmt.Sprint(made.Index, made.Value) != fmt.Sprint(x.Index, x.Value) {
			t.Fatalf("row %d of a record: found %v, %v, expected %v", i, made, err, x)
		}
	}
	if _, err := s.Schema.Row(matrix.Vector{}, map[string]any{"age": 1, "features": []float64{1}, "city": "Ulm"}); err == nil || !strings.Contains(err.Error(), "expected a list of 6 numbers") {
		t.Errorf("found %v", err)
	}
	// The columns of a file to predict may stand in another order, and the target be absent.
	other := vectorFile(t, rows, 200)
	if _, err := readtest.ReadPath(other, data.Options{Schema: s.Schema}); err == nil || !strings.Contains(err.Error(), `found no column "city"`) {
		t.Errorf("found %v", err)
	}
	s, err = readtest.ReadPath(other, data.Options{Target: "1", Numeric: []string{"age"}})
	if err != nil || fmt.Sprint(s.Feature) != "[features_0 features_1 features_2 features_3 features_4 features_5 age]" {
		t.Fatal(s, err)
	}
}

// What is no vector is refused in one line, with its row.
func TestBadVectors(t *testing.T) {
	good := sparse(4, 1, 2)
	short, odd, sized := sparse(4, 0, 1, 2, 1), dense(1, 2, 3, 4), sparse(4, 1, 1)
	short.Values, odd.Type, sized.Size = short.Values[:1], 2, nil
	listed := dense(1, 2, 3, 4)
	listed.Indices = []int32{1}
	for name, c := range map[string]struct {
		bad  *vector
		want string
	}{
		"size":     {sparse(5, 1, 1), `found a vector of 5, expected 4 as in the first row`},
		"dense":    {dense(1, 2, 3), `found a vector of 3, expected 4 as in the first row`},
		"unsorted": {sparse(4, 2, 1, 1, 1), `found the index 1 behind 2 in a vector of 4`},
		"repeated": {sparse(4, 2, 1, 2, 1), `found the index 2 behind 2 in a vector of 4`},
		"range":    {sparse(4, 4, 1), `found the index 4 behind -1 in a vector of 4`},
		"negative": {sparse(4, -1, 1), `found the index -1 behind -1 in a vector of 4`},
		"lengths":  {short, `found 2 indices and 1 values in a vector`},
		"null":     {nil, `found no vector (null), expected one of 4`},
		"type":     {odd, `found a vector of type 2 with 0 indices`},
		"indices":  {listed, `found a vector of type 1 with 1 indices`},
		"no size":  {sized, `found a sparse vector without a size`},
		"NaN":      {dense(1, 2, math.NaN(), 4), `found NaN, expected a finite number`},
		"infinite": {sparse(4, 1, 1e39), `found 1e+39, expected a finite number of single precision`},
	} {
		var rows []vectorRow
		for i := range 9 {
			rows = append(rows, vectorRow{float64(i % 2), good, 1})
		}
		rows[7].Features = c.bad
		path := vectorFile(t, rows, 4)
		_, err := readtest.ReadPath(path, data.Options{Ignore: []string{"age"}})
		if want := path + `:8: column "features": ` + c.want; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: found %v, expected %s", name, err, want)
		}
	}
	rows, _ := manyVectors(20, 4)
	path := vectorFile(t, rows, 20)
	for want, opt := range map[string]data.Options{
		`column "features": found vectors of 4, expected one value in each row`:  {Target: "features"},
		`id column "features": found vectors, expected one value in each row`:    {ID: "features"},
		`column "features": found vectors of 4, expected one value in each row `: {Categorical: []string{"features"}},
	} {
		if _, err := readtest.ReadPath(path, opt); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
	s, err := readtest.ReadPath(path, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	narrow, _ := manyVectors(20, 3)
	if _, err := readtest.ReadPath(vectorFile(t, narrow, 20), data.Options{Schema: s.Schema}); err == nil || !strings.HasSuffix(err.Error(), `column "features": found vectors of 3, expected vectors of 4 as in the training data`) {
		t.Errorf("found %v", err)
	}
	if _, err := readtest.ReadText("label,features,age\n1,2,3\n", data.Options{Schema: s.Schema}); err == nil || !strings.HasSuffix(err.Error(), `column "features": found no vectors, expected vectors of 4 as in the training data`) {
		t.Errorf("found %v", err)
	}
	for i := range rows {
		rows[i].Features = nil
	}
	if _, err := readtest.ReadPath(vectorFile(t, rows, 20), data.Options{}); err == nil || !strings.Contains(err.Error(), `column "features": found vectors of which the first rows have none`) {
		t.Errorf("found %v", err)
	}
}

// What single precision loses of the entries of vectors is said, and measured as that of LIBSVM text.
func TestVectorsLose(t *testing.T) {
	var rows []vectorRow
	var text strings.Builder
	for i := range 300 {
		day := 1.7e9 + float64(i)
		rows = append(rows, vectorRow{float64(i % 2), sparse(8, 3, day, 7, float64(1+i)*1e-50), 0})
		fmt.Fprintf(&text, "%d 4:%.17g 8:%g\n", i%2, day, float64(1+i)*1e-50)
	}
	want, err := readtest.ReadText(text.String(), data.Options{Format: "libsvm", Unmoved: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := readtest.ReadPath(vectorFile(t, rows, 64), data.Options{Ignore: []string{"age"}, Blocking: data.Blocking{Chunk: 50}})
	if err != nil || got.Digest() != want.Digest() || got.Rounding != want.Rounding || want.Rounding == 0 {
		t.Fatalf("found %v, %v, expected %v", got.Rounding, err, want.Rounding)
	}
	if said := fmt.Sprint(got.Warnings); len(got.Warnings) != 2 || !strings.Contains(said, `column "features_3": rounding`) || !strings.Contains(said, `column 8: rounding`) {
		t.Errorf("found %s", said)
	}
}
