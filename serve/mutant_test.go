package serve

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

var long = flag.Bool("long", false, "send a million mutated requests, not a hundred thousand")

// A seed is a request that is answered, and what its answer is compared with.
type seed struct {
	path, body string
	raw        string                                               // binary tensors behind it
	twin       func(m *model.Model, body []byte) (scores []float64) // by encoding/json; nil: the answer is not compared
}

func seeds() []seed {
	return []seed{
		{"/predict/numbers?with=score", `[[1,2,3,4],[-0,1e-45,1e38,-2.5]]`, "", twinRows},
		{"/predict/numbers?with=score", ` [1.0 , 2,3.25E+2,-4e-3]`, "", twinRows},
		{"/predict/sparse?with=score", `[{"1":1,"1000":-3.5},{},{"7":1e5}]`, "", twinRows},
		{"/predict/paid?with=score", `[{"age":30,"colour":"red","member":true,"since":"2024-01-01"},{"age":null,"colour":"","member":"no","since":null,"paid":1}]`, "", twinRecords},
		{"/predict/age?with=explanation,predict", `{"colour":"red","member":true,"since":"2024-01-01","paid":"no"}`, "", nil},
		{"/v2/models/numbers/infer", `{"id":"a","inputs":[{"name":"x","datatype":"FP64","shape":[2,4],"data":[[1,2,3,4],[5,6,7,8.5]]}],"outputs":[{"name":"score","parameters":{"binary_data":false}}]}`, "", twinTensor},
		{"/v2/models/numbers/versions/1/infer", `{"inputs":[{"name":"x","datatype":"UINT8","shape":[1,4],"parameters":{"binary_data_size":4}}],"parameters":{"binary_data_output":true}}`, "abcd", nil},
		{"/v2/models/machine/infer", `{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]}`, "12345678", nil},
		{"/v2/models/paid/infer", `{"inputs":[{"name":"age","datatype":"FP64","shape":[1],"data":[30]},{"name":"colour","datatype":"BYTES","shape":[1],"data":["red"]},{"name":"member","datatype":"BOOL","shape":[1],"data":[true]},{"name":"since","datatype":"BYTES","shape":[1,1],"parameters":{"binary_data_size":14}}]}`, "\n\x00\x00\x002024-01-01", nil},
		{"/v2/models/three/infer", `{"inputs":[{"name":"x","datatype":"INT64","shape":[0,10],"data":[]}],"outputs":[{"name":"probability"},{"name":"predict","parameters":{"binary_data":true}}]}`, "", nil},
		{"/?model=paid", "c0=30&c1=red&c2=true&c3=2024-01-01", "", nil},
	}
}

// scoresOf are the scores of dense rows in double precision, nil where one cannot be.
func scoresOf(m *model.Model, rows [][]float64) (scores []float64) {
	for _, row := range rows {
		x := matrix.Vector{}
		for _, v := range row {
			x.Value = append(x.Value, float32(v))
		}
		if len(row) != m.Cols() {
			return nil
		}
		scores = m.Scores(scores, x)
	}
	return scores
}

// twinRows reads arrays of all features and objects of some.
func twinRows(m *model.Model, body []byte) (scores []float64) {
	var all any
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	rows, many := all.([]any)
	if many && len(rows) > 0 {
		_, single := rows[0].(float64)
		many = !single
	}
	if !many {
		rows = []any{all}
	}
	for _, row := range rows {
		x := matrix.Vector{}
		switch row := row.(type) {
		case []any:
			for _, v := range row {
				number, _ := v.(float64)
				x.Value = append(x.Value, float32(number))
			}
		case map[string]any:
			x.Index = []uint32{}
			for j := range m.Cols() {
				if v, ok := row[strconv.Itoa(j+1)].(float64); ok {
					x.Index, x.Value = append(x.Index, uint32(j)), append(x.Value, float32(v))
				}
			}
		}
		scores = m.Scores(scores, x)
	}
	return scores
}

func twinRecords(m *model.Model, body []byte) (scores []float64) {
	var rows []map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	if d.UseNumber(); d.Decode(&rows) != nil {
		rows = make([]map[string]any, 1)
		d = json.NewDecoder(bytes.NewReader(body))
		if d.UseNumber(); d.Decode(&rows[0]) != nil {
			return nil
		}
	}
	for _, row := range rows {
		x, err := m.Schema.Row(matrix.Vector{}, row)
		if err != nil {
			return nil
		}
		scores = m.Scores(scores, x)
	}
	return scores
}

func twinTensor(m *model.Model, body []byte) []float64 {
	var q struct {
		Inputs []struct {
			Shape []int
			Data  any
		}
	}
	if json.Unmarshal(body, &q) != nil || len(q.Inputs) != 1 {
		return nil
	}
	var flat []float64
	var flatten func(v any)
	flatten = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, v := range v {
				flatten(v)
			}
		case float64:
			flat = append(flat, v)
		case bool:
			flat = append(flat, map[bool]float64{true: 1}[v])
		}
	}
	flatten(q.Inputs[0].Data)
	var rows [][]float64
	for ; len(flat) >= 4; flat = flat[4:] {
		rows = append(rows, flat[:4])
	}
	return scoresOf(m, rows)
}

// pieces are put into requests.
var pieces = []string{"", "0", "-0", "1", "-1", "1e-45", "1e-400", "3.4028236e38", "1e39", "1e308", "1e400", "9007199254740993", "18446744073709551616", "2147483648", "4611686018427387904", "null", "true", "false", "NaN", "Infinity",
	"[]", "[[]]", "{}", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\"", "\"\"", `"\u0000"`, `"\ud800"`, "\"\xff\"", ",", ":", "}", "]", " ", "\x00", "\xef\xbb\xbf", "\u2028", "shape", "data", `"name":"x",`, `"binary_data_size"`, "BYTES", "FP16", "[1,", "[-1,4]", "[4294967296,4294967296]", "[0,4]", "[2,2,2]", "//", "%00", "&c0=", "\xff\xff\xff\xff", "\xff\xff\xff\x7f"}

// mutate changes a text at a few places.
func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(3) {
		i := r.IntN(len(text) + 1)
		j := i + r.IntN(min(len(text)-i, 12)+1)
		switch piece := pieces[r.IntN(len(pieces))]; r.IntN(6) {
		case 0:
			text = text[:i] + piece + text[i:]
		case 1:
			text = text[:i] + piece + text[j:]
		case 2: // again
			text = text[:j] + text[i:]
		case 3:
			text = text[:i] + string(rune(r.IntN(300))) + text[j:]
		case 4: // a number or a word
			k := strings.IndexFunc(text[i:], func(c rune) bool { return c >= '0' && c <= '9' || c == '"' })
			if k >= 0 {
				k += i
				end := k + 1 + strings.IndexAny(text[k+1:]+",", ",]}:")
				text = text[:k] + piece + text[min(end, len(text)):]
			}
		default:
			if text = text[:i]; r.IntN(4) > 0 {
				text += piece
			}
		}
	}
	return text
}

// TestMutants: requests that are changed at random get an answer that is JSON, with a code that tells of the request and never of
// the program; an answer of 200 has the scores that a slow twin makes of the request; and nothing is kept.
func TestMutants(t *testing.T) {
	s, models := newTestServer(t, Options{MaxRows: 100, MaxBytes: 1 << 16})
	count := 100_000
	if *long {
		count = 1_000_000
	}
	if testing.Short() {
		count /= 50
	}
	all, r := seeds(), rand.New(rand.NewPCG(1, 2))
	for _, of := range all {
		if code, found := judge(t, s, models, of, of.body+of.raw, len(of.body)); code != 200 {
			t.Fatalf("%s %q: found %d %s", of.path, of.body, code, found)
		}
	}
	codes, before := map[int]int{}, memory()
	for range count {
		of := all[r.IntN(len(all))]
		body, raw := of.body, of.raw
		if body = mutate(r, body); r.IntN(3) == 0 && raw != "" {
			body, raw = of.body, mutate(r, raw)
		}
		length := len(body)
		if r.IntN(50) == 0 {
			length += r.IntN(5) - 2
		}
		body += raw
		code, _ := judge(t, s, models, of, body, length)
		if codes[code]++; t.Failed() {
			return
		}
	}
	if after := memory(); after > before+32<<20 {
		t.Errorf("found %d bytes in memory after the requests, %d before", after, before)
	}
	if codes[200] < count/100 || codes[400] < count/10 {
		t.Errorf("found the codes %v, expected some of 200 and of 400", codes)
	}
}

func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// judge sends a request, and looks at the answer.
func judge(t *testing.T, s *Server, models map[string]*model.Model, of seed, body string, length int) (int, string) {
	t.Helper()
	r := httptest.NewRequest("POST", of.path, strings.NewReader(body))
	if of.raw != "" || length != len(body) {
		r.Header.Set(headerLength, strconv.Itoa(length))
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	text := w.Body.Bytes()
	if n := w.Header().Get(headerLength); n != "" {
		at, err := strconv.Atoi(n)
		if err != nil || at > len(text) {
			t.Fatalf("%s %q: found the length %q", of.path, body, n)
		}
		text = text[:at]
	}
	switch {
	case w.Code != 200 && w.Code != 400 && w.Code != 413:
		t.Errorf("%s %q: found %d %s", of.path, body, w.Code, text)
	case w.Header().Get("Content-Type") != kindPage && !json.Valid(text):
		t.Errorf("%s %q: found %s, which is no JSON", of.path, body, text)
	case s.running.Load() != 0:
		t.Errorf("%s %q: found a request that runs", of.path, body)
	case w.Code == 200 && of.twin != nil:
		name := strings.Split(strings.TrimPrefix(strings.TrimPrefix(of.path, "/predict/"), "/v2/models/"), "/")[0]
		m := models[strings.Split(name, "?")[0]]
		if found, want := scoresIn(text), of.twin(m, []byte(body)); !agree(found, want) {
			t.Errorf("%s %q: found the scores %g in %s, expected %g", of.path, body, found, text, want)
		}
	}
	return w.Code, string(text)
}

// scoresIn are the scores of an answer.
func scoresIn(text []byte) (scores []float64) {
	var rows []struct{ Score *float64 }
	var row struct {
		Score   *float64
		Outputs []struct {
			Name string
			Data []float64
		}
	}
	if json.Unmarshal(text, &rows) == nil {
		for _, r := range rows {
			if r.Score != nil {
				scores = append(scores, *r.Score)
			}
		}
		return scores
	}
	_ = json.Unmarshal(text, &row)
	if row.Score != nil {
		return []float64{*row.Score}
	}
	if len(row.Outputs) > 0 {
		return row.Outputs[0].Data
	}
	return nil
}

// agree allows for numbers that double precision rounds before single precision does.
func agree(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-6*(1+math.Abs(a[i])) {
			return false
		}
	}
	return true
}
