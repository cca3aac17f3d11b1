// Package inference speaks the Open Inference Protocol, version 2, over gRPC (service inference.GRPCInferenceService;
// https://github.com/kserve/open-inference-protocol). Each request becomes one over HTTP that package serve answers, with the
// same limits, token, counters and log; nothing is computed here. The messages are in package protocol.
package inference

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/fenchel-ml/fenchel/internal/inference/protocol"
	"github.com/fenchel-ml/fenchel/serve"
)

// With protoc 3.21, and of these versions or later ones:
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12 google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
//
//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative protocol/inference.proto

// Handler answers requests over gRPC, and has models answer all others, with which it answers its own. A message has at most
// most bytes with the five before it: Options.MaxBytes of models. It needs HTTP/2, see [Protocols].
func Handler(models *serve.Server, most int64) http.Handler {
	const frame = 5
	s := &service{models: models, most: most}
	g := grpc.NewServer(grpc.MaxRecvMsgSize(int(max(1, min(most, math.MaxInt32)-frame))), grpc.UnaryInterceptor(recovered))
	protocol.RegisterGRPCInferenceServiceServer(g, s)
	grpc_health_v1.RegisterHealthServer(g, &healthService{of: s})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			models.ServeHTTP(w, r)
			return
		}
		limited, release := models.Limit(w, r)
		defer release()
		g.ServeHTTP(w, limited)
	})
}

// Protocols are those of a server with [Handler]: HTTP/2 without TLS too, by prior knowledge.
func Protocols() *http.Protocols {
	p := &http.Protocols{}
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// recovered answers where a handler panics.
func recovered(ctx context.Context, q any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (a any, err error) {
	defer func() {
		if recover() != nil {
			err = status.Error(codes.Internal, "a fault of this program: please report it")
		}
	}()
	return handle(ctx, q)
}

// service translates requests.
type service struct {
	protocol.UnimplementedGRPCInferenceServiceServer
	models http.Handler
	most   int64
}

// A recorder keeps an answer over HTTP.
type recorder struct {
	header http.Header
	code   int
	body   []byte
}

func (r *recorder) Header() http.Header  { return r.header }
func (r *recorder) WriteHeader(code int) { r.code = code }
func (r *recorder) Write(b []byte) (int, error) {
	r.body = append(r.body, b...) // whose memory is another request's next
	return len(b), nil
}

// statuses are the codes of gRPC for those of HTTP, by https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md where it has them.
var statuses = map[int]codes.Code{
	http.StatusBadRequest: codes.InvalidArgument, http.StatusUnauthorized: codes.Unauthenticated, http.StatusNotFound: codes.NotFound,
	http.StatusRequestEntityTooLarge: codes.ResourceExhausted, http.StatusTooManyRequests: codes.Unavailable, http.StatusServiceUnavailable: codes.Unavailable,
}

// A request over HTTP: the body is JSON, and behind it tensors.
type request struct {
	method, path string
	head         []byte
	tensors      [][]byte
}

// ask has a request answered; an answer that is none is an error with a status.
func (s *service) ask(ctx context.Context, q request) (*recorder, error) {
	size := int64(len(q.head))
	parts := []io.Reader{bytes.NewReader(q.head)}
	for _, t := range q.tensors {
		size += int64(len(t))
		parts = append(parts, bytes.NewReader(t))
	}
	r, err := http.NewRequestWithContext(ctx, q.method, "/", io.MultiReader(parts...))
	if err != nil {
		return nil, err
	}
	r.URL.Path, r.ContentLength = q.path, size
	if q.head != nil {
		r.Header.Set("Inference-Header-Content-Length", strconv.Itoa(len(q.head)))
	}
	sent, _ := metadata.FromIncomingContext(ctx)
	for _, name := range []string{"Authorization", "Traceparent"} {
		for _, value := range sent.Get(name) {
			r.Header.Add(name, value)
		}
	}
	if from, ok := peer.FromContext(ctx); ok {
		r.RemoteAddr = from.Addr.String()
	}
	w := &recorder{header: http.Header{}}
	s.models.ServeHTTP(w, r)
	if w.code == http.StatusOK {
		return w, nil
	}
	var said struct{ Error string }
	if err := json.Unmarshal(w.body, &said); err != nil || said.Error == "" {
		said.Error = string(w.body)
	}
	code, ok := statuses[w.code]
	if !ok {
		code = codes.Internal
	}
	return w, status.Error(code, said.Error)
}

// modelPath is the path of a model over HTTP.
func modelPath(name, version, verb string) (string, error) {
	if name == "" || strings.Contains(name+version, "/") {
		return "", status.Errorf(codes.NotFound, "found the model %q and the version %q, expected the name of a model, and a version or none", name, version)
	}
	path := "/v2/models/" + name
	if version != "" {
		path += "/versions/" + version
	}
	return path + verb, nil
}

func (s *service) ServerLive(ctx context.Context, _ *protocol.ServerLiveRequest) (*protocol.ServerLiveResponse, error) {
	_, err := s.ask(ctx, request{method: http.MethodGet, path: "/v2/health/live"})
	return &protocol.ServerLiveResponse{Live: err == nil}, err
}

// ready reports whether the answer to a request is yes; code: the one over HTTP that says no.
func (s *service) ready(ctx context.Context, path string, no int) (bool, error) {
	a, err := s.ask(ctx, request{method: http.MethodGet, path: path})
	if err != nil && a != nil && a.code == no {
		return false, nil
	}
	return err == nil, err
}

func (s *service) ServerReady(ctx context.Context, _ *protocol.ServerReadyRequest) (*protocol.ServerReadyResponse, error) {
	ready, err := s.ready(ctx, "/v2/health/ready", http.StatusServiceUnavailable)
	return &protocol.ServerReadyResponse{Ready: ready}, err
}

func (s *service) ModelReady(ctx context.Context, q *protocol.ModelReadyRequest) (*protocol.ModelReadyResponse, error) {
	path, err := modelPath(q.GetName(), q.GetVersion(), "/ready")
	if err != nil {
		return nil, err
	}
	ready, err := s.ready(ctx, path, http.StatusNotFound)
	return &protocol.ModelReadyResponse{Ready: ready}, err
}

func (s *service) ServerMetadata(ctx context.Context, _ *protocol.ServerMetadataRequest) (*protocol.ServerMetadataResponse, error) {
	out := &protocol.ServerMetadataResponse{}
	err := s.describe(ctx, "/v2", out)
	out.Extensions = nil // which are those over HTTP
	return out, err
}

func (s *service) ModelMetadata(ctx context.Context, q *protocol.ModelMetadataRequest) (*protocol.ModelMetadataResponse, error) {
	path, err := modelPath(q.GetName(), q.GetVersion(), "")
	if err != nil {
		return nil, err
	}
	out := &protocol.ModelMetadataResponse{}
	return out, s.describe(ctx, path, out)
}

// describe reads a description, whose fields have the same names in JSON.
func (s *service) describe(ctx context.Context, path string, out any) error {
	a, err := s.ask(ctx, request{method: http.MethodGet, path: path})
	if err != nil {
		return err
	}
	return json.Unmarshal(a.body, out)
}

// healthService is gRPC's own question about health, which Kubernetes asks.
type healthService struct {
	grpc_health_v1.UnimplementedHealthServer
	of *service
}

func (h *healthService) Check(ctx context.Context, q *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	if name := q.GetService(); name != "" && name != protocol.GRPCInferenceService_ServiceDesc.ServiceName {
		return nil, status.Errorf(codes.NotFound, "found the service %q, expected %q or none", name, protocol.GRPCInferenceService_ServiceDesc.ServiceName)
	}
	ready, err := h.of.ready(ctx, "/v2/health/ready", http.StatusServiceUnavailable)
	if !ready {
		return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_NOT_SERVING}, err
	}
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}, err
}
