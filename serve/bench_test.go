package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// sink is an answer that nobody reads.
type sink struct{ header http.Header }

func (s sink) Header() http.Header         { return s.header }
func (s sink) Write(p []byte) (int, error) { return len(p), nil }
func (s sink) WriteHeader(int)             {}

func benchmark(b *testing.B, s http.Handler, path, body string) {
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		s.ServeHTTP(sink{http.Header{}}, httptest.NewRequest("POST", path, strings.NewReader(body)))
	}
}

// BenchmarkRow answers one row of a table.
func BenchmarkRow(b *testing.B) {
	s, _ := newTestServer(b, Options{})
	benchmark(b, s, "/predict/paid", `{"age":30,"colour":"red","member":true,"since":"2024-01-01"}`)
}

// BenchmarkEmpty is a handler that does nothing.
func BenchmarkEmpty(b *testing.B) {
	benchmark(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }), "/", "{}")
}

// image is a tensor of 256 rows of 784 numbers.
func image() string {
	var b strings.Builder
	b.WriteString(`{"inputs":[{"name":"x","datatype":"FP32","shape":[256,784],"data":[`)
	for i := range 256 * 784 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%.6g", float64(i*7919%1000)/997)
	}
	b.WriteString(`]}]}`)
	return b.String()
}

// BenchmarkTensor reads the JSON of a large tensor.
func BenchmarkTensor(b *testing.B) {
	text := []byte(image())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := parseRequest(text, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTensorStandard is the same by encoding/json.
func BenchmarkTensorStandard(b *testing.B) {
	text := []byte(image())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var q struct {
			Inputs []struct {
				Name, Datatype string
				Shape          []int
				Data           []float64
			}
		}
		if err := json.Unmarshal(text, &q); err != nil {
			b.Fatal(err)
		}
	}
}
