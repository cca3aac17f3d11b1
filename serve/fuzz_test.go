package serve

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzRequests: whatever is sent, the answer is JSON (and bytes behind it), its code is 200 or tells of a fault of the request, and
// nothing stays behind.
func FuzzRequests(f *testing.F) {
	s, _ := newTestServer(f, Options{MaxRows: 100, MaxBytes: 1 << 16})
	paths := []string{"/v2/models/three/infer", "/v2/models/paid/infer", "/v2/models/machine/infer", "/predict/paid", "/predict/numbers", "/predict/sparse", "/predict/age?with=explanation", "/v2/models/numbers/versions/1/infer", "/?model=paid"}
	f.Add(uint8(0), 0, []byte(`{"id":"1","inputs":[{"name":"x","datatype":"FP32","shape":[1,10],"data":[1,2,3,4,5,6,7,8,9,10]}],"outputs":[{"name":"probability"}]}`))
	f.Add(uint8(1), 0, []byte(`{"inputs":[{"name":"age","datatype":"FP64","shape":[1],"data":[30]},{"name":"colour","datatype":"BYTES","shape":[1],"data":["red"]},{"name":"member","datatype":"BOOL","shape":[1],"data":[true]},{"name":"since","datatype":"BYTES","shape":[1,1],"data":[["2024-01-01"]]}]}`))
	f.Add(uint8(2), 82, []byte(`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]}12345678`))
	f.Add(uint8(3), 0, []byte(`[{"age":30,"colour":"red","member":true,"since":"2024-01-01"},{"age":null,"colour":"","member":"no","since":null,"paid":1}]`))
	f.Add(uint8(4), 0, []byte(`[[1,2,3,4],{"2":1}]`))
	f.Add(uint8(5), 0, []byte(`{"1":1e5,"1000":-3}`))
	f.Add(uint8(6), 0, []byte(`{"colour":"red","member":true,"since":"2024-01-01","paid":"no"}`))
	f.Add(uint8(7), 10, []byte(`{"inputs":[{"name":"x","datatype":"UINT8","shape":[1,4],"parameters":{"binary_data_size":4}}],"parameters":{"binary_data_output":true}}abcd`))
	f.Add(uint8(8), 0, []byte("c0=30&c1=red&c2=true&c3=2024-01-01"))
	f.Fuzz(func(t *testing.T, path uint8, length int, body []byte) {
		r := httptest.NewRequest("POST", paths[int(path)%len(paths)], strings.NewReader(string(body)))
		if length != 0 {
			r.Header.Set(headerLength, json.Number(strings.Repeat("9", max(0, -length)%30)).String())
			if length > 0 {
				b, _ := json.Marshal(length)
				r.Header.Set(headerLength, string(b))
			}
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		switch w.Code {
		case 200, 400, 413, 415:
		default:
			t.Fatalf("found %d %s", w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") == kindJSON && !json.Valid(w.Body.Bytes()) {
			t.Fatalf("found %s, which is no JSON", w.Body)
		}
		if n := s.running.Load(); n != 0 {
			t.Fatalf("found %d requests that run", n)
		}
	})
}
