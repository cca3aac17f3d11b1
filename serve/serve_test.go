package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// table is a small table: numbers, words, true and false, dates, with values that are missing.
const table = `age,colour,member,since,paid
30,red,true,2024-01-01,yes
41,blue,false,2024-02-01,no
?,red,true,2024-03-05,yes
25.5,green,false,2024-04-01,no
60,,true,2024-05-01,yes
33,blue,true,2024-06-01,no
47,red,false,2024-07-01,yes
52,green,true,2024-08-01,no
`

// set reads a table.
func readTable(t testing.TB, text string, opt data.Options) *data.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := fenchel.Read(context.Background(), []string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func train(t testing.TB, s *data.Set, spec fenchel.Spec) *model.Model {
	t.Helper()
	r, err := fenchel.Train(context.Background(), s, spec)
	if err != nil {
		t.Fatal(err)
	}
	return r.Model
}

func generated(t testing.TB, source string) *data.Set {
	t.Helper()
	s, err := fenchel.Read(context.Background(), []string{source}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newTestServer serves models of all kinds.
func newTestServer(t testing.TB, opt Options) (*Server, map[string]*model.Model) {
	t.Helper()
	s := New(opt)
	models := map[string]*model.Model{
		"paid":    train(t, readTable(t, table, data.Options{}), fenchel.Spec{Loss: "logistic"}),
		"age":     train(t, readTable(t, table, data.Options{Target: "age", SkipUnlabelled: true}), fenchel.Spec{}),
		"three":   train(t, generated(t, "@blobs:classes=3,n=200"), fenchel.Spec{Loss: "softmax"}),
		"numbers": train(t, generated(t, "@linear:n=100,d=4"), fenchel.Spec{}),
		"machine": train(t, generated(t, "@spirals:n=100"), fenchel.Spec{Kernel: "rbf:gamma=10"}),
		"sparse":  train(t, generated(t, "@text:n=200,d=1000"), fenchel.Spec{Loss: "logistic"}),
	}
	for name, m := range models {
		if err := s.Add(name, m); err != nil {
			t.Fatal(err)
		}
	}
	return s, models
}

// ask sends a request, and returns the code and what is answered.
func ask(s http.Handler, method, path, body string, headers ...string) (int, string) {
	w := send(s, method, path, body, headers...)
	return w.Code, w.Body.String()
}

func send(s http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

type inferred struct {
	Name    string `json:"model_name"`
	Version string `json:"model_version"`
	ID      string `json:"id"`
	Outputs []struct {
		Name, Datatype string
		Shape          []int
		Data           []any
		Parameters     map[string]int
	}
}

func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestInferDense: a tensor of all features, flat or in rows, as numbers and as bytes, is predicted as the model does.
func TestInferDense(t *testing.T) {
	s, models := newTestServer(t, Options{})
	m, set := models["three"], generated(t, "@blobs:classes=3,n=200")
	const n = 5
	var flat, nested []string
	var raw []byte
	for i := range n {
		var row []string
		for _, v := range set.X.Row(i).Value {
			row = append(row, strconv.FormatFloat(float64(v), 'g', -1, 32))
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
		}
		flat = append(flat, row...)
		nested = append(nested, "["+strings.Join(row, ",")+"]")
	}
	head := `{"id":"q7","inputs":[{"name":"x","datatype":"FP32","shape":[5,10]`
	outputs := `"outputs":[{"name":"predict"},{"name":"score"},{"name":"probability"},{"name":"explanation"}]}`
	inBytes := head + fmt.Sprintf(`,"parameters":{"binary_data_size":%d}}],`, len(raw)) + outputs
	for name, q := range map[string]struct{ body, length string }{
		"flat":   {head + `,"data":[` + strings.Join(flat, ",") + `]}],` + outputs, ""},
		"nested": {head + `,"data":[` + strings.Join(nested, ",") + `]}],` + outputs, ""},
		"bytes":  {inBytes + string(raw), strconv.Itoa(len(inBytes))},
	} {
		code, text := ask(s, "POST", "/v2/models/three/infer", q.body, headerLength, q.length)
		if code != 200 {
			t.Fatalf("%s: %d %s", name, code, text)
		}
		got := decode[inferred](t, text)
		if got.Name != "three" || got.Version != "1" || got.ID != "q7" || len(got.Outputs) != 4 {
			t.Fatalf("%s: found %+v", name, got)
		}
		shapes := [][]int{{n}, {n, 3}, {n, 3}, {n, 3, 11}}
		for o, out := range got.Outputs {
			if !slices.Equal(out.Shape, shapes[o]) {
				t.Errorf("%s: %s has shape %d, expected %d", name, out.Name, out.Shape, shapes[o])
			}
		}
		for i := range n {
			scores := m.Scores(nil, set.X.Row(i))
			shares := m.Probabilities(nil, scores)
			if got.Outputs[0].Data[i] != m.Classes[m.Likeliest(scores, shares)] {
				t.Errorf("%s: row %d: found the label %v", name, i, got.Outputs[0].Data[i])
			}
			for c := range 3 {
				sum := 0.0
				for _, part := range got.Outputs[3].Data[(i*3+c)*11 : (i*3+c+1)*11] {
					sum += part.(float64)
				}
				if got.Outputs[1].Data[i*3+c] != scores[c] || got.Outputs[2].Data[i*3+c] != shares[c] || math.Abs(sum-scores[c]) > 1e-12 {
					t.Errorf("%s: row %d, class %d: found score %v, probability %v, explanation %g, expected %g and %g", name, i, c, got.Outputs[1].Data[i*3+c], got.Outputs[2].Data[i*3+c], sum, scores[c], shares[c])
				}
			}
		}
	}
}

// TestBinaryOutput: outputs as bytes hold what JSON does.
func TestBinaryOutput(t *testing.T) {
	s, models := newTestServer(t, Options{})
	body := `{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"FP64","shape":[2,10],"data":[[1,2,3,4,5,6,7,8,9,10],[0,0,0,0,0,0,0,0,0,1]]}],"outputs":[{"name":"score"},{"name":"predict"},{"name":"probability","parameters":{"binary_data":false}}]}`
	w := send(s, "POST", "/v2/models/three/versions/1/infer", body)
	n, err := strconv.Atoi(w.Header().Get(headerLength))
	if w.Code != 200 || err != nil || w.Header().Get("Content-Type") != kindBinary {
		t.Fatalf("%d %v %s", w.Code, err, w.Body)
	}
	got, raw := decode[inferred](t, w.Body.String()[:n]), w.Body.Bytes()[n:]
	if got.Outputs[0].Parameters["binary_data_size"] != 48 || len(got.Outputs[2].Data) != 6 || got.Outputs[0].Data != nil {
		t.Fatalf("found %+v", got)
	}
	scores := models["three"].Scores(nil, matrix.Vector{Value: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}})
	for c, want := range scores {
		if found := math.Float64frombits(binary.LittleEndian.Uint64(raw[8*c:])); found != want {
			t.Errorf("class %d: found %g, expected %g", c, found, want)
		}
	}
	label := models["three"].Class(matrix.Vector{Value: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}})
	if rest := raw[48:]; string(rest[4:4+rest[0]]) != label || len(raw) != 48+got.Outputs[1].Parameters["binary_data_size"] {
		t.Errorf("found %q, expected the label %q", rest, label)
	}
}

// TestColumns: a tensor for each column, or an object for each row, is what the reader of tables makes of the same cells.
func TestColumns(t *testing.T) {
	s, models := newTestServer(t, Options{})
	m := models["paid"]
	set := readTable(t, table, data.Options{})
	body := `{"inputs":[
		{"name":"since","datatype":"BYTES","shape":[4],"data":["2024-01-01","2024-02-01","2024-03-05","2024-04-01"]},
		{"name":"colour","datatype":"BYTES","shape":[4,1],"data":["red","blue","red","green"]},
		{"name":"member","datatype":"BOOL","shape":[4],"data":[true,false,true,false]},
		{"name":"age","datatype":"FP64","shape":[4],"parameters":{"binary_data_size":32}}],"outputs":[{"name":"score"}]}`
	var raw []byte
	for _, v := range []float64{30, 41, math.NaN(), 25.5} {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	code, text := ask(s, "POST", "/v2/models/paid/infer", body+string(raw), headerLength, strconv.Itoa(len(body)))
	if code != 200 {
		t.Fatal(code, text)
	}
	got := decode[inferred](t, text)
	rows := `[{"age":30,"colour":"red","member":true,"since":"2024-01-01"},{"since":"2024-02-01","age":"41","colour":"blue","member":"false","paid":"?"},
		{"age":null,"colour":"red","member":true,"since":"2024-03-05"},{"age":25.5,"colour":"green","member":false,"since":"2024-04-01"}]`
	code, text = ask(s, "POST", "/predict/paid?with=predict,score,probability,explanation", rows)
	if code != 200 {
		t.Fatal(code, text)
	}
	type prediction struct {
		Label       string
		Score       float64
		Probability map[string]float64
		Explanation struct {
			Columns map[string]float64
			Bias    float64
		}
	}
	predicted := decode[[]prediction](t, text)
	for i := range 4 {
		want := m.Score(set.X.Row(i))
		p := predicted[i]
		if got.Outputs[0].Data[i] != want || p.Score != want || p.Label != m.Class(set.X.Row(i)) {
			t.Errorf("row %d: found %v and %+v, expected %g", i, got.Outputs[0].Data[i], p, want)
		}
		sum := p.Explanation.Bias
		for name, x := range p.Explanation.Columns {
			if sum += x; !slices.Contains([]string{"age", "colour", "member", "since"}, name) {
				t.Errorf("row %d: found the column %s", i, name)
			}
		}
		if shares := m.Probabilities(nil, []float64{want}); math.Abs(sum-want) > 1e-12 || p.Probability["no"] != shares[0] || p.Probability["yes"] != shares[1] {
			t.Errorf("row %d: found %+v, expected a sum of %g and %v", i, p, want, shares)
		}
	}
}

// TestRows: rows of features, all or some.
func TestRows(t *testing.T) {
	s, models := newTestServer(t, Options{})
	number := models["numbers"].Predict(matrix.Vector{Value: []float32{1, 2, 3, 4}})
	some := models["numbers"].Predict(matrix.Vector{Value: []float32{0, 2.5, 0, -1}})
	sparse := models["sparse"].Score(matrix.Vector{Index: []uint32{2, 999}, Value: []float32{1, 2}})
	for _, c := range []struct{ path, body, want string }{
		{"/predict/numbers", "[1,2,3,4]", fmt.Sprintf(`{"number":%v}`, number)},
		{"/predict/numbers", "[[1,2,3,4]]", fmt.Sprintf(`[{"number":%v}]`, number)},
		{"/predict/numbers", ` {"2":2.5,"4":-1}`, fmt.Sprintf(`{"number":%v}`, some)},
		{"/predict/numbers", `[[1,2,3,4],{"4":-1,"2":2.5},[0,2.5,0,-1]]`, fmt.Sprintf(`[{"number":%v},`+"\n"+`{"number":%v},`+"\n"+`{"number":%v}]`, number, some, some)},
		{"/predict/sparse?with=score", `{"1000":2,"3":1}`, fmt.Sprintf(`{"score":%v}`, sparse)},
		{"/predict/numbers", "[]", "[]"},
	} {
		if code, text := ask(s, "POST", c.path, c.body); code != 200 || strings.TrimSpace(text) != c.want {
			t.Errorf("%s %s: found %d %s, expected %s", c.path, c.body, code, text, c.want)
		}
	}
}

// TestRefusals: what cannot be answered has a code, and one line that says why.
func TestRefusals(t *testing.T) {
	s, _ := newTestServer(t, Options{MaxRows: 3, MaxBytes: 2000})
	in := func(tensor string) string { return `{"inputs":[` + tensor + `]}` }
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"GET", "/nix", "", 404, `found the path "/nix"`},
		{"GET", "/v2/models/nix", "", 404, `found the model "nix", expected one of age, machine, numbers, paid, sparse, three`},
		{"GET", "/v2/models/../../etc/passwd", "", 404, `found the path "/v2/models/../../etc/passwd"`},
		{"GET", "/v2/models/..", "", 404, `found the model ".."`},
		{"GET", "/v2/models/three/versions/2", "", 404, `found version "2" of the model three, expected one of 1`},
		{"GET", "/v2/models/three/infer", "", 405, `found the method GET, expected POST`},
		{"POST", "/v2", "", 405, `found the method POST, expected GET`},
		{"PUT", "/v2/health/live", "", 405, `found the method PUT`},
		{"GET", "/v2/health/nix", "", 404, `/v2/health/nix`},
		{"POST", "/predict", "{}", 404, `found 6 models, expected the name of one`},
		{"POST", "/v2/models/three/infer", "", 400, `byte 1: found the end of the text, expected an object`},
		{"POST", "/v2/models/three/infer", "{}", 400, `inputs: found none`},
		{"POST", "/v2/models/three/infer", in(`{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}`), 400, `expected one of numbers of shape [rows, 10]`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3]}`), 400, `input \"x\": found 3 values, expected 4 by the shape [1 4]`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[2,4],"data":[[1,2,3],[4,5,6,7,8]]}`), 400, `found arrays of 3 and of 5 values beside each other`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[2,4],"data":[[1,2],[3,4],[5,6],[7,8]]}`), 400, `found arrays of the lengths [4 2] in each other, expected those of the shape [2 4]`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,[2],3,4]}`), 400, `data: found`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP64","shape":[1,4],"data":[1,2,3,1e300]}`), 400, `row 1: feature 4: found 1e+300`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,1e39]}`), 400, `found 1e+39, expected values of FP32`},
		{"POST", "/v2/repository/models/three/load", "{}", 400, "files are read when they change"},
		{"POST", "/predict/numbers", "[1,2,3,1e39]", 400, `byte 8: found \"1e39\", expected a finite number that single precision can hold`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,null]}`), 400, `data: found null`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"INT8","shape":[1,4],"data":[1,2,3,300]}`), 400, `found 300, expected values of INT8`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"INT32","shape":[1,4],"data":[1,2,3,1.5]}`), 400, `found 1.5, expected values of INT32`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP16","shape":[1,4],"data":[1,2,3,1.5]}`), 400, `found the datatype \"FP16\"`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[4294967296,4294967296],"data":[]}`), 400, `found the shape [4294967296 4294967296]`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[1,-4],"data":[]}`), 400, `shape: found -4`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[4,4],"data":[1,2,3,4,1,2,3,4,1,2,3,4,1,2,3,4]}`), 413, `found 4 rows, expected at most 3 in a request`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]},{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}`), 400, `inputs: found \"x\" twice`},
		{"POST", "/v2/models/numbers/infer", in(`{"name":"x","datatype":"FP32","shape":[1,4],"parameters":{"binary_data_size":16}}`), 400, `found 0 bytes of binary data, expected 16`},
		{"POST", "/v2/models/numbers/infer", `{"inputs":[{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}],"outputs":[{"name":"probability"}]}`, 400, `outputs: found \"probability\", expected some of [\"predict\" \"score\" \"explanation\"]`},
		{"POST", "/v2/models/numbers/infer", strings.Repeat(" ", 2001), 413, `found a body of more than 2000 bytes`},
		{"POST", "/v2/models/paid/infer", in(`{"name":"age","datatype":"FP64","shape":[1],"data":[30]}`), 400, `inputs: found none called [\"colour\" \"member\" \"since\"]`},
		{"POST", "/v2/models/paid/infer", in(`{"name":"ages","datatype":"FP64","shape":[1],"data":[30]}`), 400, `inputs: found \"ages\", expected \"age\", \"colour\", \"member\", \"since\"`},
		{"POST", "/v2/models/paid/infer", in(`{"name":"age","datatype":"FP64","shape":[1],"data":[30]},{"name":"colour","datatype":"BYTES","shape":[2],"data":["a","b"]}`), 400, `input \"colour\": found 2 rows, expected 1 as in \"age\"`},
		{"POST", "/predict/paid", `{"age":30}`, 400, `found no value of \"colour\", \"member\", \"since\"`},
		{"POST", "/predict/paid", `{"age":30,"colour":"red","member":true,"since":"yesterday"}`, 400, `row 1: column \"since\": found \"yesterday\", expected a time.Time or a date`},
		{"POST", "/predict/paid", `{"age":"old","colour":"red","member":true,"since":null}`, 400, `row 1: column \"age\": found \"old\"`},
		{"POST", "/predict/paid", `{"age":1,"age":2}`, 400, `found the key \"age\" twice`},
		{"POST", "/predict/paid", `{"Age":1}`, 400, `found the column \"Age\", expected \"age\"`},
		{"POST", "/predict/paid", `[1,2]`, 400, `expected an object`},
		{"POST", "/predict/numbers", `[1,2,3]`, 400, `row 1: found 3 features, expected 4`},
		{"POST", "/predict/numbers", `[1,2,3,4,5]`, 400, `row 1: found 5 features, expected 4`},
		{"POST", "/predict/numbers", `{"0":1}`, 400, `found the feature \"0\", expected the name of one, or a position from 1 to 4`},
		{"POST", "/predict/numbers", `{"1":1,"01":1}`, 400, `found the feature \"01\"`},
		{"POST", "/predict/numbers", `[[1,2,3,4],[1,2,3,4],[1,2,3,4],[1,2,3,4]]`, 413, `found 4 rows, expected at most 3`},
		{"POST", "/predict/numbers", `[1,2,3,NaN]`, 400, `found \"NaN\", expected a number`},
		{"POST", "/predict/numbers", `[3e38,3e38,3e38,3e38]{}`, 400, `expected the end of the text`},
		{"POST", "/predict/numbers?with=nix", `[1,2,3,4]`, 400, `with: found \"nix\"`},
		{"POST", "/?model=nix", ``, 404, `found the model \"nix\"`},
	} {
		code, text := ask(s, c.method, c.path, c.body)
		var e struct{ Error string }
		if err := json.Unmarshal([]byte(text), &e); err != nil || code != c.code || !strings.Contains(text, strings.ReplaceAll(c.want, `"`, `\"`)) && !strings.Contains(text, c.want) || strings.Contains(e.Error, "\n") {
			t.Errorf("%s %s %s: found %d %s, expected %d %s", c.method, c.path, c.body, code, text, c.code, c.want)
		}
	}
	if code, text := ask(s, "POST", "/predict/numbers", "x", "Content-Encoding", "gzip"); code != 415 {
		t.Errorf("compressed: found %d %s, expected 415", code, text)
	}
}

// TestMetadata: paths of the protocol, and that what a model declares is what it takes and gives.
func TestMetadata(t *testing.T) {
	s, models := newTestServer(t, Options{})
	for _, c := range []struct {
		method, path string
		want         string
	}{
		{"GET", "/v2/health/live", `{"live":true,"ready":true}`},
		{"GET", "/v2/health/ready", `{"live":true,"ready":true}`},
		{"GET", "/v2/models/three/ready", `{"name":"three","ready":true}`},
		{"GET", "/v2/models/three/versions/1/ready", `{"name":"three","ready":true}`},
	} {
		if code, text := ask(s, c.method, c.path, ""); code != 200 || text != c.want {
			t.Errorf("%s: found %d %s, expected %s", c.path, code, text, c.want)
		}
	}
	code, text := ask(s, "GET", "/v2", "")
	if about := decode[map[string]any](t, text); code != 200 || about["name"] != "fenchel" || about["version"] == "" {
		t.Errorf("found %d %s", code, text)
	}
	for name := range models {
		_, text := ask(s, "GET", "/v2/models/"+name, "")
		of := decode[struct {
			Name, Platform  string
			Inputs, Outputs []declared
		}](t, text)
		var inputs, outputs []string
		for _, in := range of.Inputs {
			if in.Shape = slices.Clone(in.Shape); in.Shape[0] != -1 {
				t.Errorf("%s: %+v", name, in)
			}
			in.Shape[0] = 1
			size, value := int64(1), map[string]string{"BYTES": `""`, "BOOL": "true"}[in.Datatype]
			for _, n := range in.Shape {
				size *= n
			}
			if value == "" {
				value = "1"
			}
			shape, _ := json.Marshal(in.Shape)
			inputs = append(inputs, fmt.Sprintf(`{"name":%q,"datatype":%q,"shape":%s,"data":[%s]}`, in.Name, in.Datatype, shape, strings.Join(slices.Repeat([]string{value}, int(size)), ",")))
		}
		for _, out := range of.Outputs {
			outputs = append(outputs, fmt.Sprintf(`{"name":%q}`, out.Name))
		}
		code, text := ask(s, "POST", "/v2/models/"+name+"/infer", `{"inputs":[`+strings.Join(inputs, ",")+`],"outputs":[`+strings.Join(outputs, ",")+`]}`)
		if code != 200 {
			t.Fatalf("%s: %d %s", name, code, text)
		}
		for i, out := range decode[inferred](t, text).Outputs {
			want := of.Outputs[i]
			want.Shape[0] = 1
			if out.Name != want.Name || out.Datatype != want.Datatype || fmt.Sprint(out.Shape) != fmt.Sprint(want.Shape) {
				t.Errorf("%s: found %+v, declared %+v", name, out, want)
			}
		}
	}
}

// TestComponents: principal components are served, too.
func TestComponents(t *testing.T) {
	set := generated(t, "@low-rank:n=100")
	r, err := pca.Fit(context.Background(), set, pca.Spec{K: 2})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := r.Model.WriteFile(filepath.Join(folder, "c.model")); err != nil {
		t.Fatal(err)
	}
	s := New(Options{})
	if err := s.Load(folder); err != nil {
		t.Fatal(err)
	}
	row, _ := json.Marshal(set.X.Row(3).Value)
	code, text := ask(s, "POST", "/predict", string(row))
	got := decode[struct{ Components []float64 }](t, text)
	want := make([]float64, 2)
	r.Model.Transform(want, set.X.Row(3))
	if code != 200 || !slices.Equal(got.Components, want) {
		t.Errorf("found %d %s, expected %g", code, text, want)
	}
}

// TestToken: requests have to bear it, but those about health.
func TestToken(t *testing.T) {
	s, _ := newTestServer(t, Options{Token: "secret"})
	for _, c := range []struct {
		path, header string
		code         int
	}{
		{"/v2/health/ready", "", 200}, {"/v2/health/live", "", 200}, {"/v2", "", 401}, {"/v2", "Bearer wrong", 401}, {"/v2", "secret", 401}, {"/v2", "Bearer secret", 200}, {"/v2", "bearer secret", 200}, {"/v2", "Basic secret", 401}, {"//v2/health/../../v2", "", 401}, {"/v2/health/../../v2", "", 404},
		{"/metrics", "", 401}, {"/", "", 401}, {"/v2/models/three", "Bearer secret ", 401}, {"/v2/models/three", "Bearer secret", 200}, {"/openapi.json", "Bearer", 401},
	} {
		if code, text := ask(s, "GET", c.path, "", "Authorization", c.header); code != c.code {
			t.Errorf("%s with %q: found %d %s, expected %d", c.path, c.header, code, text, c.code)
		}
	}
}

// slowBody has a server wait for the rest of a request.
type slowBody struct {
	first      string
	begun, end chan struct{}
}

func (b *slowBody) Read(into []byte) (int, error) {
	if b.first == "" {
		close(b.begun)
		<-b.end
		return 0, io.EOF
	}
	n := copy(into, b.first)
	b.first = b.first[n:]
	return n, nil
}

// TestConcurrency: more requests than may run at a time are told to come again.
func TestConcurrency(t *testing.T) {
	s, _ := newTestServer(t, Options{Concurrency: 1})
	s.running.Add(1)
	for _, w := range []*httptest.ResponseRecorder{send(s, "GET", "/v2", ""), send(s, "POST", "/predict/numbers", "[1,2,3,4]")} {
		if w.Code != 429 || w.Header().Get("Retry-After") == "" {
			t.Errorf("found %d, expected 429", w.Code)
		}
	}
	if code, _ := ask(s, "GET", "/v2/health/ready", ""); code != 200 {
		t.Errorf("health: found %d, expected 200", code)
	}
	s.running.Add(-1)
	if code, _ := ask(s, "GET", "/v2", ""); code != 200 || s.running.Load() != 0 {
		t.Errorf("afterwards: found %d, expected 200", code)
	}
}

// TestSlow: clients that send bodies slowly do not block others; of large bodies only so many bytes may be received at a time.
func TestSlow(t *testing.T) {
	s, _ := newTestServer(t, Options{Concurrency: 1, MaxBytes: 1 << 20})
	half := strings.Repeat(" ", 600<<10)
	for _, c := range []struct {
		first string
		codes [3]int // of a small request, of a large one, and of the slow one
	}{{"[1,", [3]int{200, 200, 400}}, {half + "[1,2,3,4]", [3]int{200, 429, 200}}} {
		body := &slowBody{c.first, make(chan struct{}), make(chan struct{})}
		done := make(chan int)
		go func() {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("POST", "/predict/numbers", body))
			done <- w.Code
		}()
		<-body.begun
		small, _ := ask(s, "POST", "/predict/numbers", "[1,2,3,4]")
		large := send(s, "POST", "/predict/numbers", half+"[1,2,3,4]")
		close(body.end)
		if found := [3]int{small, large.Code, <-done}; found != c.codes || large.Code == 429 && !strings.Contains(large.Body.String(), "bytes of requests that arrive at a time") {
			t.Errorf("%.3s: found %d %.200s, expected %d", c.first, found, large.Body, c.codes)
		}
		if s.arriving.Load() != 0 || s.running.Load() != 0 {
			t.Errorf("found %d bytes and %d requests, expected none", s.arriving.Load(), s.running.Load())
		}
	}
}

// TestOrder: what a request says of all outputs holds for those before it too.
func TestOrder(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	w := send(s, "POST", "/v2/models/numbers/infer", `{"outputs":[{"name":"score"},{"name":"predict","parameters":{"binary_data":false}}],"parameters":{"binary_data_output":true},"inputs":[{"name":"x","datatype":"FP32","shape":[1,4],"data":[1,2,3,4]}]}`)
	if n, _ := strconv.Atoi(w.Header().Get(headerLength)); w.Code != 200 || w.Body.Len() != n+8 {
		t.Errorf("found %d %s, expected one output of 8 bytes and one as JSON", w.Code, w.Body)
	}
}

// TestMethods: HEAD is GET, and other methods are told which there are; all answers say how long they are.
func TestMethods(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	for _, c := range []struct {
		method, path, allow string
		code                int
	}{
		{"HEAD", "/v2", "", 200}, {"HEAD", "/metrics", "", 200}, {"HEAD", "/", "", 200}, {"HEAD", "/v2/models/three", "", 200}, {"HEAD", "/v2/health/live", "", 200},
		{"OPTIONS", "/v2", "GET, HEAD", 405}, {"POST", "/v2/models/three", "GET, HEAD", 405}, {"DELETE", "/v2/health/live", "GET, HEAD", 405}, {"PUT", "/", "GET, HEAD", 405},
		{"HEAD", "/predict/three", "POST", 405}, {"GET", "/v2/models/three/infer", "POST", 405}, {"OPTIONS", "/v2/repository/index", "POST", 405}, {"TRACE", "/predict", "POST", 405},
	} {
		w := send(s, c.method, c.path, "")
		if w.Code != c.code || w.Header().Get("Allow") != c.allow || w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) {
			t.Errorf("%s %s: found %d, %v", c.method, c.path, w.Code, w.Header())
		}
	}
}

// TestMostScores: few bytes do not ask for more numbers than there is room for.
func TestMostScores(t *testing.T) {
	s := New(Options{})
	if err := s.Add("many", train(t, generated(t, "@blobs:classes=200,n=400,d=2"), fenchel.Spec{Loss: "hinge", Gap: 0.5})); err != nil {
		t.Fatal(err)
	}
	body := func(rows int) string { return "[" + strings.Repeat("{},", rows-1) + "{}]" }
	if code, text := ask(s, "POST", "/predict", body(100_000)); code != 413 || !strings.Contains(text, "17500000 numbers") {
		t.Errorf("found %d %.200s", code, text)
	}
	if code, text := ask(s, "POST", "/predict?with=explanation", body(10_000)); code != 413 || !strings.Contains(text, "5250000 numbers") {
		t.Errorf("found %d %.200s", code, text)
	}
	if code, text := ask(s, "POST", "/predict", body(1000)); code != 200 {
		t.Errorf("found %d %.200s", code, text)
	}
}

// TestDrain: a server that is to end is not ready, and answers on.
func TestDrain(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	if code, _ := ask(New(Options{}), "GET", "/v2/health/ready", ""); code != 503 {
		t.Errorf("without models: found %d, expected 503", code)
	}
	s.Drain()
	for path, want := range map[string]int{"/v2/health/ready": 503, "/v2/health/live": 200, "/v2": 200} {
		if code, _ := ask(s, "GET", path, ""); code != want {
			t.Errorf("%s: found %d, expected %d", path, code, want)
		}
	}
}

// TestFault: a fault of the program is no end of the server, and says nothing of itself.
func TestFault(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	broken := *(*s.models.Load())["three"][0]
	broken.model = &model.Model{Classes: []string{"a"}, Outputs: make([]model.Output, 2)}
	next := catalog{"broken": {&broken}}
	s.models.Store(&next)
	code, text := ask(s, "POST", "/predict", "[1,2,3,4,5,6,7,8,9,10]")
	if code != 500 || !strings.Contains(text, "a fault of this program") || strings.Contains(text, "goroutine") {
		t.Errorf("found %d %s", code, text)
	}
	if s.running.Load() != 0 {
		t.Errorf("found %d requests running", s.running.Load())
	}
}

// TestLog: a line of JSON for each request has the trace, and nothing of the row.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	s, _ := newTestServer(t, Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	trace := "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	w := send(s, "POST", "/predict/numbers", "[1,2,3,98765]", "Traceparent", trace)
	line := decode[map[string]any](t, log.String())
	if line["trace"] != trace || w.Header().Get("Traceparent") != trace || line["model"] != "numbers" || line["rows"] != 1.0 || line["code"] != 200.0 || strings.Contains(log.String(), "98765") {
		t.Errorf("found %s", log.String())
	}
	w = send(s, "GET", "/v2", "", "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\n")
	if w.Header().Get("Traceparent") != "" {
		t.Error("a trace that is none is passed on")
	}
}

// TestMetrics: requests are counted by model and code.
func TestMetrics(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	ask(s, "POST", "/predict/numbers", "[[1,2,3,4],[1,2,3,4]]")
	ask(s, "POST", "/predict/numbers", "[1]")
	ask(s, "GET", "/nix", "")
	_, text := ask(s, "GET", "/metrics", "")
	for _, want := range []string{
		`fenchel_requests_total{model="numbers",code="200"} 1`, `fenchel_requests_total{model="numbers",code="400"} 1`, `fenchel_requests_total{model="",code="404"} 1`,
		`fenchel_rows_total{model="numbers"} 2`, `fenchel_request_seconds_count 3`, `fenchel_request_seconds_bucket{le="+Inf"} 3`, `fenchel_model_info{model="numbers",version="1",digest="sha256:`, "fenchel_requests_running 1",
	} {
		if !strings.Contains(text, want+"\n") && !strings.Contains(text, want) {
			t.Errorf("found no %s in\n%s", want, text)
		}
	}
}

// TestReload: files that change are read again, damaged ones are not, under requests all the while; versions and what is gone follow.
func TestReload(t *testing.T) {
	folder := t.TempDir()
	write := func(path string, slope float64) {
		t.Helper()
		path = filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		s, err := data.FromDense([][]float32{{1}, {2}, {3}}, data.Target{Number: []float64{slope, 2 * slope, 3 * slope}})
		if err != nil {
			t.Fatal(err)
		}
		if err := train(t, s, fenchel.Spec{C: 1e9, Gap: 1e-9}).WriteFile(path); err != nil {
			t.Fatal(err)
		}
	}
	slope := func(path string) float64 {
		code, text := ask(s0, "POST", path, "[[1],[0]]")
		if code != 200 {
			return -float64(code)
		}
		rows := decode[[]struct{ Number float64 }](t, text)
		return math.Round(rows[0].Number - rows[1].Number)
	}
	write("a.model", 1)
	write("b/2.model", 2)
	write("b/10.model", 10)
	write("b/.hidden.model", 5)
	s0 = New(Options{})
	if err := s0.Load(folder); err != nil {
		t.Fatal(err)
	}
	refused := map[string]os.FileInfo{}
	expect := func(when string, want map[string]float64) {
		t.Helper()
		s0.reload(refused)
		for path, want := range want {
			if found := slope(path); found != want {
				t.Errorf("%s: %s: found %g, expected %g", when, path, found, want)
			}
		}
	}
	if _, text := ask(s0, "GET", "/v2/models/b", ""); !strings.Contains(text, `"versions":["10","2"]`) {
		t.Errorf("found %s, expected both versions", text)
	}
	expect("at first", map[string]float64{"/predict/a": 1, "/predict/b": 10, "/predict/b?version=2": 2, "/predict/b?version=10": 10})
	stop, asking := make(chan struct{}), sync.WaitGroup{}
	asking.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if code, text := ask(s0, "POST", "/predict/a", "[1]"); code != 200 {
				t.Errorf("while files change: %d %s", code, text)
				return
			}
		}
	})
	write("a.model", 3)
	write("c.model", 7)
	expect("changed", map[string]float64{"/predict/a": 3, "/predict/c": 7, "/predict/b": 10})
	good, err := os.ReadFile(filepath.Join(folder, "a.model"))
	if err != nil {
		t.Fatal(err)
	}
	for when, damaged := range map[string][]byte{"garbage": []byte("garbage"), "cut": good[:len(good)/2], "empty": {}, "a bit": append([]byte{good[0] ^ 1}, good[1:]...)} {
		if err := os.WriteFile(filepath.Join(folder, "a.model"), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		expect(when, map[string]float64{"/predict/a": 3})
		before := s0.counters.faulty.Load()
		if s0.reload(refused); s0.counters.faulty.Load() != before {
			t.Errorf("%s: the same damage is read again", when)
		}
	}
	loop := filepath.Join(folder, "loop.model") // what is no file is no model, nor is it waited for
	_ = os.Symlink(loop, loop)                  // where there are links
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "b", "11.model"), 0o700), os.Mkdir(filepath.Join(folder, "lost+found"), 0)); err != nil {
		t.Fatal(err)
	}
	write("b/.model", 6)
	expect("beside others", map[string]float64{"/predict/a": 3, "/predict/b": 10, "/predict/loop": -404, "/predict/b?version=": 10})
	write("a.model", 4)
	if err := os.Remove(filepath.Join(folder, "b", "10.model")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "c.model")); err != nil {
		t.Fatal(err)
	}
	expect("mended", map[string]float64{"/predict/a": 4, "/predict/b": 2, "/predict/c": -404, "/predict/b?version=10": -404})
	close(stop)
	asking.Wait()
	m, err := model.ReadFile(filepath.Join(folder, "a.model"))
	if err != nil || s0.Add("a", m) != nil {
		t.Fatal(err)
	}
	write("a.model", 8)
	expect("a model of the program itself", map[string]float64{"/predict/a": 4, "/predict/a?version=1": 4})
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := (&catalog{}).find("a", ""); err == nil || !strings.Contains(err.Error(), "all are gone") {
		t.Errorf("found %v", err)
	}
	for range 3 {
		expect("without a folder", map[string]float64{"/predict/a": 4, "/predict/b": 2})
	}
	if s0.counters.faulty.Load() != 5 || s0.counters.reloads.Load() != 3 {
		t.Errorf("found %d damaged and %d read, expected 5 and 3", s0.counters.faulty.Load(), s0.counters.reloads.Load())
	}
}

var s0 *Server

// TestLoad: what cannot be served is refused in a line that names the file, and changes nothing.
func TestLoad(t *testing.T) {
	folder, empty := t.TempDir(), t.TempDir()
	good := filepath.Join(folder, "m.model")
	if err := train(t, generated(t, "@linear:n=20,d=2"), fenchel.Spec{}).WriteFile(good); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(empty, "x.txt")
	if err := os.WriteFile(bad, []byte("1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(Options{})
	if err := s.Load(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sources []string
		want    string
	}{
		{[]string{empty}, "found no model"},
		{[]string{bad}, bad},
		{[]string{good, good}, "one more model m of version 1"},
		{[]string{good, folder}, "one more model m of version 1"},
		{[]string{filepath.Join(folder, "none.model")}, "none.model"},
	} {
		if err := s.Load(c.sources...); err == nil || !strings.Contains(err.Error(), c.want) || !reflect.DeepEqual(s.Models(), []string{"m"}) {
			t.Errorf("%v: found %v and %v, expected %q", c.sources, err, s.Models(), c.want)
		}
	}
	if err := s.Add("a/b", nil); err == nil {
		t.Error("found no error for a name with a slash")
	}
	if err := s.Add("a", nil); err == nil {
		t.Error("found no error for no model")
	}
}

// TestWatch: a server that watches follows a file.
func TestWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.model")
	write := func(n int) {
		if err := train(t, generated(t, "@linear:n=20,d="+strconv.Itoa(n)), fenchel.Spec{}).WriteFile(path); err != nil {
			t.Fatal(err)
		}
	}
	write(2)
	s := New(Options{})
	if err := s.Load(path); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Watch(ctx, time.Millisecond)
	}()
	write(3)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if code, _ := ask(s, "POST", "/predict", "[1,2,3]"); code == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the file was not read again")
		}
	}
	stop()
	<-ended
}

// TestVersions: numbers by value, before them words.
func TestVersions(t *testing.T) {
	names := []string{"10", "9", "b", "2", "a", "01", "1"}
	slices.SortFunc(names, compareVersions)
	if want := []string{"a", "b", "01", "1", "2", "9", "10"}; !slices.Equal(names, want) {
		t.Errorf("found %v, expected %v", names, want)
	}
}

// TestPage: the form of a model has its columns, and answers what the model predicts; names are escaped.
func TestPage(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	odd := strings.ReplaceAll(table, "colour", "<script>alert(1)</script>")
	if err := s.Add("<b>odd</b>", train(t, readTable(t, odd, data.Options{}), fenchel.Spec{Loss: "logistic"})); err == nil {
		t.Error("found no error for a name with a slash")
	}
	if err := s.Add("<b>odd", train(t, readTable(t, odd, data.Options{}), fenchel.Spec{Loss: "logistic"})); err != nil {
		t.Fatal(err)
	}
	w := send(s, "GET", "/?model=paid", "")
	if text := w.Body.String(); w.Code != 200 || !strings.Contains(text, `<option>blue</option>`) || strings.Contains(text, `<option>?</option>`) || !strings.Contains(text, "proved within") || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("found %d %s", w.Code, text)
	}
	if _, text := ask(s, "GET", "/?model=%3Cb%3Eodd", ""); strings.Contains(text, "<script>") || strings.Contains(text, "<b>") {
		t.Errorf("found a name that is not escaped in %s", text)
	}
	if code, text := ask(s, "POST", "/?model=paid", "c0=30&c1=red&c2=true&c3=2024-01-01"); code != 200 || !strings.Contains(text, "<strong>yes</strong>") || !strings.Contains(text, "(bias)") || !strings.Contains(text, `value="30"`) || !strings.Contains(text, "<option selected>red</option>") {
		t.Errorf("found %d %s", code, text)
	}
	if code, text := ask(s, "POST", "/?model=paid", "c0=old"); code != 200 || !strings.Contains(text, `role="alert"`) {
		t.Errorf("found %d %s", code, text)
	}
	if code, text := ask(s, "POST", "/?model=numbers", "c0=1&c1=2&c2=3&c3=4"); code != 200 || !strings.Contains(text, `id="result"`) {
		t.Errorf("found %d %s", code, text)
	}
	if code, text := ask(s, "POST", "/?model=sparse", "row=%7B%223%22%3A1%7D"); code != 200 || !strings.Contains(text, `id="result"`) {
		t.Errorf("found %d %s", code, text)
	}
}

// TestOpenAPI: the description is JSON, and its paths are those that are answered.
func TestOpenAPI(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	of := decode[struct{ Paths map[string]map[string]any }](t, string(OpenAPI()))
	if len(of.Paths) != 13 {
		t.Errorf("found %d paths", len(of.Paths))
	}
	for path, methods := range of.Paths {
		for method := range methods {
			path := strings.NewReplacer("{model}", "three", "{version}", "1").Replace(path)
			if code, text := ask(s, strings.ToUpper(method), path, "[1,2,3,4,5,6,7,8,9,10]"); code == 404 && path != "/predict" || code == 405 {
				t.Errorf("%s %s: found %d %s", method, path, code, text)
			}
		}
	}
	if code, text := ask(s, "GET", "/openapi.json", ""); code != 200 || text != string(OpenAPI()) {
		t.Errorf("found %d", code)
	}
}

// TestCoverage: intervals and sets are those of the model, as JSON and as tensors, and on the page; models without them do not offer them.
func TestCoverage(t *testing.T) {
	s := New(Options{})
	covered := fenchel.Decision{Interval: 0.8}
	numbers, classes := generated(t, "@linear:n=60,d=2"), generated(t, "@blobs:classes=3,n=150,d=2,spread=4")
	one := train(t, numbers, fenchel.Spec{Decision: covered})
	three := train(t, classes, fenchel.Spec{Loss: "logistic", Decision: covered})
	for name, m := range map[string]*model.Model{"one": one, "three": three, "none": train(t, numbers, fenchel.Spec{})} {
		if err := s.Add(name, m); err != nil {
			t.Fatal(err)
		}
	}
	const rows = `[[0.5,1],[-1,0.25],[0,0]]`
	inputs := func(output string) string {
		return `{"inputs":[{"name":"x","datatype":"FP64","shape":[3,2],"data":` + rows + `}],"outputs":[{"name":"` + output + `"}]}`
	}
	code, text := ask(s, "POST", "/predict/one?with=interval", rows)
	if code != 200 {
		t.Fatal(code, text)
	}
	ends := decode[[]struct{ Interval [2]float64 }](t, text)
	code, text = ask(s, "POST", "/predict/three?with=set,predict", rows)
	if code != 200 {
		t.Fatal(code, text)
	}
	sets := decode[[]struct{ Set []string }](t, text)
	_, text = ask(s, "POST", "/v2/models/one/infer", inputs("interval"))
	flat := decode[inferred](t, text).Outputs[0]
	_, text = ask(s, "POST", "/v2/models/three/infer", inputs("set"))
	flags := decode[inferred](t, text).Outputs[0]
	if fmt.Sprint(flat.Shape, flat.Datatype, flags.Shape, flags.Datatype) != "[3 2]FP64[3 3]FP64" {
		t.Errorf("found %+v and %+v", flat, flags)
	}
	for i, values := range [][]float32{{0.5, 1}, {-1, 0.25}, {0, 0}} {
		x := matrix.Vector{Value: values}
		lower, upper := one.Interval(x, one.Score(x))
		if ends[i].Interval != [2]float64{lower, upper} || flat.Data[2*i] != lower || flat.Data[2*i+1] != upper {
			t.Errorf("row %d: found %g and %v, expected %g to %g", i, ends[i], flat.Data[2*i:2*i+2], lower, upper)
		}
		var want []string
		in := make([]float64, 3)
		for _, class := range three.Labels(nil, x, three.Scores(nil, x)) {
			want, in[class] = append(want, three.Classes[class]), 1
		}
		if !slices.Equal(sets[i].Set, want) || fmt.Sprint(flags.Data[3*i:3*i+3]) != fmt.Sprint(in) {
			t.Errorf("row %d: found %v and %v, expected %v", i, sets[i], flags.Data[3*i:3*i+3], want)
		}
	}
	lower, upper := ends[0].Interval[0], ends[0].Interval[1]
	if w := send(s, "POST", "/?model=one", "c0=0.5&c1=1", "Content-Type", "application/x-www-form-urlencoded"); !strings.Contains(w.Body.String(), fmt.Sprintf("</strong> in %.6g to %.6g</p>", lower, upper)) {
		t.Errorf("found no interval %g to %g in the page %s", lower, upper, w.Body)
	}
	if code, text := ask(s, "POST", "/predict/none?with=interval", rows); code != 400 || !strings.Contains(text, `with: found \"interval\"`) {
		t.Errorf("a model without intervals: found %d %s", code, text)
	}
	if code, text := ask(s, "POST", "/predict/three?with=interval", rows); code != 400 || !strings.Contains(text, `expected some of [\"predict\" \"probability\" \"score\" \"set\" \"explanation\"]`) {
		t.Errorf("a model of sets: found %d %s", code, text)
	}
}
