package inference

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/inference/protocol"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/serve"
)

const table = `age,colour,member,since,paid
30,red,true,2024-01-01,yes
41,blue,false,2024-02-01,no
?,red,true,2024-03-05,yes
25.5,green,false,2024-04-01,no
60,,true,2024-05-01,yes
33,blue,true,2024-06-01,no
`

// newServer serves a model of a table with classes, and one of four numbers.
func newServer(t testing.TB, opt serve.Options) *serve.Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve.New(opt)
	for name, c := range map[string]struct {
		source string
		spec   fenchel.Spec
	}{"paid": {path, fenchel.Spec{Loss: "logistic"}}, "numbers": {"@linear:n=100,d=4", fenchel.Spec{}}} {
		set, err := fenchel.Read(context.Background(), []string{c.source}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := fenchel.Train(context.Background(), set, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(name, r.Model); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// listening serves on a port of this machine, with TLS where there is a certificate.
func listening(t testing.TB, handler http.Handler, certificates ...tls.Certificate) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = l.Addr().String()
	if certificates != nil {
		l = tls.NewListener(l, &tls.Config{Certificates: certificates, NextProtos: []string{"h2", "http/1.1"}})
	}
	h := &http.Server{Handler: handler, Protocols: Protocols()}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	t.Cleanup(func() {
		h.Close()
		<-ended
	})
	return address
}

func dial(t testing.TB, address string, opt ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	c, err := grpc.NewClient(address, append([]grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}, opt...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// connect returns a client of a server.
func connect(t testing.TB, s *serve.Server, most int64) protocol.GRPCInferenceServiceClient {
	t.Helper()
	return protocol.NewGRPCInferenceServiceClient(dial(t, listening(t, Handler(s, most))))
}

func input(name, datatype string, contents *protocol.InferTensorContents, shape ...int64) *protocol.ModelInferRequest_InferInputTensor {
	return &protocol.ModelInferRequest_InferInputTensor{Name: name, Datatype: datatype, Shape: shape, Contents: contents}
}

// loans are two rows of the table, of which one has a missing number and a text that is no JSON by itself.
func loans() *protocol.ModelInferRequest {
	texts := func(all ...string) *protocol.InferTensorContents {
		c := &protocol.InferTensorContents{}
		for _, text := range all {
			c.BytesContents = append(c.BytesContents, []byte(text))
		}
		return c
	}
	q := &protocol.ModelInferRequest{ModelName: "paid", Id: "<7>", Inputs: []*protocol.ModelInferRequest_InferInputTensor{
		input("since", "BYTES", texts("2024-06-15", "2023-12-31"), 2),
		input("age", "FP64", &protocol.InferTensorContents{Fp64Contents: []float64{35.1, math.NaN()}}, 2, 1),
		input("member", "BOOL", &protocol.InferTensorContents{BoolContents: []bool{true, false}}, 2),
		input("colour", "BYTES", texts("red", "\"ünïcode\"\\"), 2),
	}}
	for _, name := range []string{"predict", "score", "probability"} {
		q.Outputs = append(q.Outputs, &protocol.ModelInferRequest_InferRequestedOutputTensor{Name: name})
	}
	return q
}

// raw moves the contents of a request into bytes.
func raw(t testing.TB, q *protocol.ModelInferRequest) *protocol.ModelInferRequest {
	t.Helper()
	for _, in := range q.Inputs {
		b, err := packed(in.Datatype, in.Contents, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		q.RawInputContents, in.Contents = append(q.RawInputContents, b), nil
	}
	return q
}

// TestInfer: values and bytes get the labels and numbers that the rows have over HTTP, to the last bit, and the names, shapes and id of the protocol.
func TestInfer(t *testing.T) {
	s := newServer(t, serve.Options{})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("POST", "/predict/paid?with=predict,score,probability", strings.NewReader(
		`[{"age":35.1,"colour":"red","member":true,"since":"2024-06-15"},{"age":null,"colour":"\"ünïcode\"\\","member":false,"since":"2023-12-31"}]`)))
	var want []struct {
		Label       string
		Score       float64
		Probability map[string]float64
	}
	if err := json.Unmarshal(w.Body.Bytes(), &want); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	var labels []string
	var scores, probabilities []float64
	for _, row := range want {
		labels, scores = append(labels, row.Label), append(scores, row.Score)
		probabilities = append(probabilities, row.Probability["no"], row.Probability["yes"])
	}
	c := connect(t, s, 1<<20)
	for _, q := range []*protocol.ModelInferRequest{loans(), raw(t, loans())} {
		a, err := c.ModelInfer(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for i, o := range a.Outputs {
			found = append(found, fmt.Sprint(o.Name, o.Datatype, o.Shape))
			if (q.RawInputContents != nil) != (o.Contents == nil) || o.Contents == nil && len(a.RawOutputContents) != 3 {
				t.Fatalf("found %v, expected values where values were sent, and bytes where bytes were", a)
			}
			if o.Contents == nil {
				o.Contents = unpacked(o.Datatype, a.RawOutputContents[i])
			}
		}
		if a.ModelName != "paid" || a.ModelVersion != "1" || a.Id != "<7>" || fmt.Sprint(found) != "[predictBYTES[2] scoreFP64[2 1] probabilityFP64[2 2]]" {
			t.Errorf("found %s %s %s %v", a.ModelName, a.ModelVersion, a.Id, found)
		}
		var predicted []string
		for _, label := range a.Outputs[0].Contents.BytesContents {
			predicted = append(predicted, string(label))
		}
		if !slices.Equal(predicted, labels) || !slices.Equal(a.Outputs[1].Contents.Fp64Contents, scores) || !slices.Equal(a.Outputs[2].Contents.Fp64Contents, probabilities) {
			t.Errorf("found %v, expected %v, %v, %v", a, labels, scores, probabilities)
		}
	}
}

// TestTypes: the same row in each type has the same number; values in another field, or beyond their type, are refused.
func TestTypes(t *testing.T) {
	s := newServer(t, serve.Options{})
	c := connect(t, s, 1<<20)
	infer := func(datatype string, contents *protocol.InferTensorContents) (*protocol.ModelInferResponse, error) {
		return c.ModelInfer(context.Background(), &protocol.ModelInferRequest{ModelName: "numbers", ModelVersion: "1", Inputs: []*protocol.ModelInferRequest_InferInputTensor{input("input", datatype, contents, 1, 4)}})
	}
	whole, natural := &protocol.InferTensorContents{IntContents: []int32{1, 2, 3, 100}}, &protocol.InferTensorContents{UintContents: []uint32{1, 2, 3, 100}}
	want := ""
	for datatype, contents := range map[string]*protocol.InferTensorContents{
		"FP64": {Fp64Contents: []float64{1, 2, 3, 100}}, "FP32": {Fp32Contents: []float32{1, 2, 3, 100}}, "INT64": {Int64Contents: []int64{1, 2, 3, 100}}, "UINT64": {Uint64Contents: []uint64{1, 2, 3, 100}},
		"INT8": whole, "INT16": whole, "INT32": whole, "UINT8": natural, "UINT16": natural, "UINT32": natural,
	} {
		a, err := infer(datatype, contents)
		if err != nil {
			t.Fatalf("%s: %v", datatype, err)
		}
		if found := fmt.Sprint(a.Outputs[0].Contents.Fp64Contents); want == "" {
			want = found
		} else if found != want {
			t.Errorf("%s: found %s, expected %s", datatype, found, want)
		}
	}
	for says, of := range map[string]struct {
		datatype string
		contents *protocol.InferTensorContents
	}{
		"found 300, expected values of UINT8":            {"UINT8", &protocol.InferTensorContents{UintContents: []uint32{1, 2, 3, 300}}},
		"found -129, expected values of INT8":            {"INT8", &protocol.InferTensorContents{IntContents: []int32{1, 2, 3, -129}}},
		"found 40000, expected values of INT16":          {"INT16", &protocol.InferTensorContents{IntContents: []int32{1, 2, 3, 40000}}},
		"found values that are none of FP64":             {"FP64", &protocol.InferTensorContents{Fp32Contents: []float32{1, 2, 3, 4}}},
		"found values that are none of INT64":            {"INT64", &protocol.InferTensorContents{Int64Contents: []int64{1, 2, 3, 4}, IntContents: []int32{1}}},
		"found 24 bytes of binary data, expected 32":     {"FP64", &protocol.InferTensorContents{Fp64Contents: []float64{1, 2, 3}}},
		"found 0 bytes of binary data, expected 32":      {"FP64", nil},
		`found the datatype "FP16"`:                      {"FP16", nil},
		`type BYTES, expected one of numbers`:            {"BYTES", &protocol.InferTensorContents{BytesContents: [][]byte{{1}, {2}, {3}, {}}}},
		"expected a finite number that single precision": {"FP64", &protocol.InferTensorContents{Fp64Contents: []float64{1, 2, math.Inf(1), 4}}},
	} {
		if a, err := infer(of.datatype, of.contents); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: found %v (%v), expected %q", of.datatype, a, err, says)
		}
	}
}

// TestRefusals: what cannot be answered has the code of gRPC and the words that it has over HTTP.
func TestRefusals(t *testing.T) {
	s := newServer(t, serve.Options{MaxRows: 3})
	c := connect(t, s, 1<<12)
	ctx := context.Background()
	row := func(name, version string, rows int, change func(*protocol.ModelInferRequest)) error {
		q := &protocol.ModelInferRequest{ModelName: name, ModelVersion: version, RawInputContents: [][]byte{make([]byte, 16*rows)}, Inputs: []*protocol.ModelInferRequest_InferInputTensor{input("input", "FP32", nil, int64(rows), 4)}}
		change(q)
		_, err := c.ModelInfer(ctx, q)
		return err
	}
	none := func(*protocol.ModelInferRequest) {}
	for _, r := range []struct {
		err  error
		code codes.Code
		says string
	}{
		{row("numbers", "", 2, none), codes.OK, ""},
		{row("numbers", "", 0, none), codes.OK, ""},
		{row("none", "", 1, none), codes.NotFound, `found the model "none", expected one of numbers, paid`},
		{row("numbers", "2", 1, none), codes.NotFound, `found version "2" of the model numbers, expected one of 1`},
		{row("", "", 1, none), codes.NotFound, "expected the name of a model"},
		{row("numbers/versions/1", "", 1, none), codes.NotFound, "expected the name of a model"},
		{row("..", "", 1, none), codes.NotFound, `found the model ".."`},
		{row("numbers", "", 4, none), codes.ResourceExhausted, "found 4 rows, expected at most 3"},
		{row("numbers", "", 300, none), codes.ResourceExhausted, "larger than max"},
		{row("numbers", "", 1, func(q *protocol.ModelInferRequest) { q.RawInputContents = append(q.RawInputContents, nil) }), codes.InvalidArgument, "raw_input_contents: found 2 tensors, expected one for each of the 1 inputs"},
		{row("numbers", "", 1, func(q *protocol.ModelInferRequest) { q.Inputs[0].Contents = &protocol.InferTensorContents{} }), codes.InvalidArgument, "expected one of both"},
		{row("numbers", "", 1, func(q *protocol.ModelInferRequest) { q.Inputs[0].Shape = nil }), codes.InvalidArgument, "found no shape"},
		{row("numbers", "", 1, func(q *protocol.ModelInferRequest) { q.Inputs[0].Shape[0] = -1 }), codes.InvalidArgument, "found -1, expected a whole number"},
		{row("numbers", "", 1, func(q *protocol.ModelInferRequest) { q.Inputs, q.RawInputContents = nil, nil }), codes.InvalidArgument, "inputs: found none"},
		{row("numbers", "", 1, func(q *protocol.ModelInferRequest) {
			q.Outputs = []*protocol.ModelInferRequest_InferRequestedOutputTensor{{Name: "class"}}
		}), codes.InvalidArgument, `found "class", expected some of`},
		{row("numbers", "", 1, func(q *protocol.ModelInferRequest) {
			q.Outputs = []*protocol.ModelInferRequest_InferRequestedOutputTensor{{Name: "predict", Parameters: map[string]*protocol.InferParameter{"classification": {}}}}
		}), codes.InvalidArgument, "classification: found it asked for"},
		{row("paid", "", 1, none), codes.InvalidArgument, `input "input": found the shape [1 4], expected [rows]`},
		{row("numbers", "", 1, func(q *protocol.ModelInferRequest) { // a byte each in the message
			q.Inputs[0], q.RawInputContents = input("input", "INT64", &protocol.InferTensorContents{Int64Contents: make([]int64, 2000)}, 500, 4), nil
		}), codes.InvalidArgument, "found 16000 bytes of values, expected at most 4096"},
	} {
		if status.Code(r.err) != r.code || r.err != nil && !strings.Contains(r.err.Error(), r.says) {
			t.Errorf("found %v, expected %s: %s", r.err, r.code, r.says)
		}
	}
	if err := dial(t, listening(t, Handler(s, 1<<12))).Invoke(ctx, "/inference.GRPCInferenceService/ModelTrain", &protocol.ServerLiveRequest{}, &protocol.ServerLiveResponse{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("found %v, expected that there is no such method", err)
	}
}

// TestAbout: descriptions, and health by both services, also while the server drains.
func TestAbout(t *testing.T) {
	s := newServer(t, serve.Options{Token: "secret"})
	connection := dial(t, listening(t, Handler(s, 1<<12)))
	c, health := protocol.NewGRPCInferenceServiceClient(connection), grpc_health_v1.NewHealthClient(connection)
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer secret")
	about, err := c.ServerMetadata(ctx, &protocol.ServerMetadataRequest{})
	if err != nil || about.Name != "fenchel" || about.Version == "" {
		t.Errorf("found %v, %v", about, err)
	}
	m, err := c.ModelMetadata(ctx, &protocol.ModelMetadataRequest{Name: "paid", Version: "1"})
	if err != nil || m.Name != "paid" || fmt.Sprint(m.Versions) != "[1]" || m.Platform != "fenchel" || len(m.Inputs) != 4 || m.Inputs[1].Name != "colour" || m.Inputs[1].Datatype != "BYTES" || fmt.Sprint(m.Outputs[1].Shape) != "[-1 2]" {
		t.Errorf("found %v, %v", m, err)
	}
	if _, err := c.ModelMetadata(ctx, &protocol.ModelMetadataRequest{Name: "none"}); status.Code(err) != codes.NotFound {
		t.Errorf("found %v", err)
	}
	for name, want := range map[string]bool{"paid": true, "none": false} {
		if r, err := c.ModelReady(ctx, &protocol.ModelReadyRequest{Name: name}); err != nil || r.Ready != want {
			t.Errorf("%s: found %v, %v", name, r, err)
		}
	}
	stranger := context.Background()
	if _, err := c.ModelReady(stranger, &protocol.ModelReadyRequest{Name: "paid"}); status.Code(err) != codes.Unauthenticated {
		t.Errorf("found %v, expected that a token is needed", err)
	}
	if _, err := c.ModelInfer(stranger, loans()); status.Code(err) != codes.Unauthenticated {
		t.Errorf("found %v, expected that a token is needed", err)
	}
	for _, drained := range []bool{false, true} {
		if drained {
			s.Drain()
		}
		live, err1 := c.ServerLive(stranger, &protocol.ServerLiveRequest{})
		ready, err2 := c.ServerReady(stranger, &protocol.ServerReadyRequest{})
		said, err3 := health.Check(stranger, &grpc_health_v1.HealthCheckRequest{Service: "inference.GRPCInferenceService"})
		if err1 != nil || err2 != nil || err3 != nil || !live.Live || ready.Ready == drained || (said.Status == grpc_health_v1.HealthCheckResponse_SERVING) == drained {
			t.Errorf("drained %t: found %v, %v, %v (%v, %v, %v)", drained, live, ready, said, err1, err2, err3)
		}
	}
	if _, err := health.Check(stranger, &grpc_health_v1.HealthCheckRequest{Service: "other"}); status.Code(err) != codes.NotFound {
		t.Errorf("found %v", err)
	}
}

// TestShared: the same port answers over HTTP, with TLS too; requests are logged and counted as those, with their trace and where they are from.
func TestShared(t *testing.T) {
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	defer certified.Close()
	var log bytes.Buffer
	s := newServer(t, serve.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	log.Reset()
	address := listening(t, Handler(s, 1<<12), certified.TLS.Certificates...)
	trust := certified.Client().Transport.(*http.Transport).TLSClientConfig
	c := protocol.NewGRPCInferenceServiceClient(dial(t, address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: trust.RootCAs, ServerName: "example.com"}))))
	ctx := metadata.AppendToOutgoingContext(context.Background(), "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if _, err := c.ModelInfer(ctx, loans()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"path":"/v2/models/paid/infer","code":200,"rows":2,`, `"trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`, `"from":"127.0.0.1:`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("found the log %s, expected %s", &log, want)
		}
	}
	r, err := certified.Client().Get("https://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, _ := io.ReadAll(r.Body); !strings.Contains(string(text), `fenchel_rows_total{model="paid"} 2`) {
		t.Errorf("found %s", text)
	}
}

// TestLarge: the bytes of a request are counted once, though it is answered by another.
func TestLarge(t *testing.T) {
	const most, rows = 4 << 20, 190_000
	c := connect(t, newServer(t, serve.Options{MaxBytes: most, MaxRows: rows, Concurrency: 1}), most)
	q := &protocol.ModelInferRequest{ModelName: "numbers", Inputs: []*protocol.ModelInferRequest_InferInputTensor{input("input", "FP32", nil, rows, 4)}, RawInputContents: [][]byte{make([]byte, 16*rows)}}
	if _, err := c.ModelInfer(context.Background(), q, grpc.MaxCallRecvMsgSize(most)); err != nil {
		t.Errorf("found %v", err)
	}
}

// TestSlow: a client that sends its request slowly does not block another, and gets an answer in the end.
func TestSlow(t *testing.T) {
	address := listening(t, Handler(newServer(t, serve.Options{Concurrency: 1}), 1<<12))
	c := protocol.NewGRPCInferenceServiceClient(dial(t, address))
	body, slow := io.Pipe()
	transport := &http.Transport{Protocols: Protocols()}
	transport.Protocols.SetHTTP1(false)
	request, err := http.NewRequest("POST", "http://"+address+"/inference.GRPCInferenceService/ServerReady", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("Te", "trailers")
	ended := make(chan string, 1)
	go func() {
		r, err := transport.RoundTrip(request)
		if err != nil {
			ended <- err.Error()
			return
		}
		answer, _ := io.ReadAll(r.Body)
		r.Body.Close()
		ended <- fmt.Sprint(r.StatusCode, answer, r.Trailer.Get("Grpc-Status"))
	}()
	_, _ = slow.Write([]byte{0, 0})
	if _, err := c.ModelInfer(context.Background(), loans()); err != nil {
		t.Errorf("beside a slow one: found %v", err)
	}
	_, _ = slow.Write([]byte{0, 0, 0})
	slow.Close()
	if found := <-ended; found != "200 [0 0 0 0 2 8 1]0" {
		t.Errorf("found %s, expected that it is ready", found)
	}
	transport.CloseIdleConnections()
}

// TestStatus: what models answer over HTTP has a code of gRPC, with their words or all they said.
func TestStatus(t *testing.T) {
	for says, of := range map[string]struct {
		over int
		code codes.Code
	}{`{"error":"come again"}`: {429, codes.Unavailable}, `{"error":"a fault"}`: {500, codes.Internal}, "no JSON": {405, codes.Internal}, `{"error":"too much"}`: {413, codes.ResourceExhausted}} {
		s := &service{most: 1 << 12, models: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(of.over)
			_, _ = io.WriteString(w, says)
		})}
		_, err := s.ServerReady(context.Background(), &protocol.ServerReadyRequest{})
		want := strings.TrimSuffix(strings.TrimPrefix(says, `{"error":"`), `"}`)
		if status.Code(err) != of.code || status.Convert(err).Message() != want {
			t.Errorf("%d: found %v, expected %s and %s", of.over, err, of.code, want)
		}
	}
	if _, err := recovered(context.Background(), nil, nil, func(context.Context, any) (any, error) { panic("no") }); status.Code(err) != codes.Internal {
		t.Errorf("a panic: found %v", err)
	}
}

// FuzzInfer: whatever a message says, there is an answer, or a status that tells of a fault of the request.
func FuzzInfer(f *testing.F) {
	s := &service{models: newServer(f, serve.Options{MaxRows: 100}), most: 1 << 16}
	for _, q := range []*protocol.ModelInferRequest{loans(), raw(f, loans())} {
		b, err := proto.Marshal(q)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		q := &protocol.ModelInferRequest{}
		if proto.Unmarshal(b, q) != nil {
			return
		}
		a, err := s.ModelInfer(context.Background(), q)
		switch status.Code(err) {
		case codes.OK:
			for i, o := range a.Outputs {
				if o.Contents == nil {
					o.Contents = unpacked(o.Datatype, a.RawOutputContents[i])
				}
				total := int64(1)
				for _, n := range o.Shape {
					total *= n
				}
				if found := len(o.Contents.Fp64Contents) + len(o.Contents.BytesContents); int64(found) != total {
					t.Fatalf("%s: found %d values, expected those of the shape %d", o.Name, found, o.Shape)
				}
			}
		case codes.InvalidArgument, codes.NotFound, codes.ResourceExhausted:
		default:
			t.Fatalf("found %v", err)
		}
	})
}

// TestIntervals: a model with intervals answers them as it does over HTTP, where they are asked for.
func TestIntervals(t *testing.T) {
	s := newServer(t, serve.Options{})
	set, err := fenchel.Read(t.Context(), []string{"@linear:n=100,d=4"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := fenchel.Train(t.Context(), set, fenchel.Spec{Decision: fenchel.Decision{Interval: 0.8}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add("covered", r.Model); err != nil {
		t.Fatal(err)
	}
	c := connect(t, s, 1<<20)
	q := &protocol.ModelInferRequest{ModelName: "covered", Inputs: []*protocol.ModelInferRequest_InferInputTensor{
		input("x", "FP64", &protocol.InferTensorContents{Fp64Contents: []float64{1, 2, 3, 4, 0, 0, 0, 0}}, 2, 4)},
		Outputs: []*protocol.ModelInferRequest_InferRequestedOutputTensor{{Name: "interval"}}}
	a, err := c.ModelInfer(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	for _, values := range [][]float32{{1, 2, 3, 4}, {0, 0, 0, 0}} {
		x := matrix.Vector{Value: values}
		lower, upper := r.Model.Interval(x, r.Model.Score(x))
		want = append(want, lower, upper)
	}
	if o := a.Outputs[0]; fmt.Sprint(o.Name, o.Datatype, o.Shape) != "intervalFP64[2 2]" || !slices.Equal(o.Contents.Fp64Contents, want) {
		t.Errorf("found %v, expected %g", o, want)
	}
	q.ModelName = "numbers"
	if _, err := c.ModelInfer(t.Context(), q); status.Code(err) != codes.InvalidArgument {
		t.Errorf("a model without intervals: found %v", err)
	}
}
