// Package engine is Fenchel as a process that answers requests, for programs in other
// languages that keep one running: the Python package does.
//
// A frame is a length, 4 bytes, little-endian, and so many bytes of JSON. Requests come in on
// one stream, answers go out on another; numbers in bulk are in a [Memory], a file that both
// sides have open, of which a frame tells the places. A request is
//
//	{"id": 7, "verb": "fit", ...}
//
// and has exactly one answer,
//
//	{"id": 7, "result": {...}}   or   {"id": 7, "error": {"kind": "data", "message": "..."}}
//
// in the order of the requests. {"verb": "cancel", "id": 7} has none of its own: what request
// 7 has found so far becomes its answer. The caller writes numbers at the beginning of the
// memory, the engine appends its own behind the size that the request states; what is in it
// is the caller's again with the answer. The end of the requests ends the engine at once.
//
// No mathematics lives here. A verb is one method of a request in one file; verbs has them.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Protocol is the version of what frames say: both sides have to have the same.
const Protocol = 3

// verbs are what a request can ask for.
var verbs = map[string]func(*request) (any, error){
	"info": (*request).info, "fit": with((*request).fit), "score": with((*request).score), "verify": with((*request).verify), "audit": with((*request).audit), "certify": with((*request).certify),
	"pca": with((*request).components), "pca-learn": with((*request).learn), "pca-verify": with((*request).verifyComponents), "pca-evaluate": with((*request).evaluateComponents), "pca-project": with((*request).project), "pca-invert": with((*request).invert), "map": with((*request).makeMap), "images": with((*request).images),
	"leave-out": with((*request).leaveOut), "read": with((*request).read), "sparsify": with((*request).sparsify), "stream": with((*request).stream), "tune": with((*request).tune), "qp": with((*request).quadratic), "onnx": with((*request).onnx), "report": with((*request).report), "pca-report": with((*request).reportComponents),
}

// with gives a verb the arguments of its request: all fields of its JSON but id and verb.
func with[Q any](do func(*request, *Q) (any, error)) func(*request) (any, error) {
	return func(r *request) (any, error) {
		q := new(Q)
		if err := json.Unmarshal(r.text, q); err != nil {
			return nil, fmt.Errorf("request %s: %w", r.head.Verb, err)
		}
		return do(r, q)
	}
}

// Serve answers the requests of in on out until in ends; nil: it did. What is still computed
// then is stopped, and has no answer. Where ctx ends first, the next request is an error.
func Serve(ctx context.Context, in io.Reader, out io.Writer, memory *Memory) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{memory: memory, models: newStore(mostModels), out: out, running: map[int64]context.CancelFunc{}}
	frames, ended := make(chan *request), make(chan struct{})
	go func() {
		defer close(ended)
		s.work(frames)
	}()
	defer func() { // nobody reads the answer, but the memory of its request is the caller's
		close(frames)
		s.ended.Store(true)
		cancel()
		<-ended
	}()
	for {
		text, err := readFrame(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil { // the process got a signal: every request from now on would be cancelled at once
			return errors.New("a signal ended the engine before this request")
		}
		r := &request{server: s}
		if err := json.Unmarshal(text, &r.head); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		if r.head.Verb == "cancel" {
			s.cancel(r.head.ID)
			continue
		}
		r.text = text
		r.ctx = s.begin(ctx, r.head.ID)
		frames <- r
		runtime.Gosched() // to the request, on this core: waking another core takes longer
	}
}

// begin makes the context of a request, which cancel ends.
func (s *server) begin(ctx context.Context, id int64) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.running[id] = cancel
	return ctx
}

// cancel ends the context of a request; a request that is unknown has had its answer.
func (s *server) cancel(id int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if cancel := s.running[id]; cancel != nil {
		cancel()
		delete(s.running, id)
	}
}

// work answers requests one after another.
func (s *server) work(requests <-chan *request) {
	for r := range requests {
		result, err := r.answer()
		if s.ended.Load() {
			return
		}
		s.cancel(r.head.ID)
		reply := map[string]any{"id": r.head.ID}
		if err != nil {
			reply["error"] = failureOf(err)
		} else {
			reply["result"] = result
		}
		if err := writeFrame(s.out, reply); err != nil {
			return // the reader is gone, and so, soon, are its requests
		}
	}
}

// answer does what a request asks for.
func (r *request) answer() (any, error) {
	do, ok := verbs[r.head.Verb]
	if !ok {
		return nil, registry.Unknown("request", r.head.Verb, slices.Sorted(maps.Keys(verbs)))
	}
	mapped, err := r.memory.open(r.head.Size)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	r.mapped = mapped
	result, err := do(r)
	return result, errors.Join(err, mapped.close())
}

// info says who answers.
func (r *request) info() (any, error) {
	return map[string]any{"version": pose.Version(), "protocol": Protocol}, nil
}

// failure is an error as an answer has it.
type failure struct {
	Kind    string `json:"kind"` // data, parameter, limit, interrupted, memory, unknown-model
	Message string `json:"message"`
}

// failureOf tells errors apart by what the caller can do about them.
func failureOf(err error) failure {
	var fault pose.DataError
	var read *data.ReadError
	var late fenchel.LimitError
	kind := "parameter"
	switch {
	case errors.Is(err, errUnknownModel):
		kind = "unknown-model"
	case errors.Is(err, context.Canceled):
		return failure{"interrupted", "interrupted before there was a model"}
	case errors.As(err, &late), errors.Is(err, errBudget):
		kind = "limit"
	case errors.Is(err, errNoRoom):
		kind = "memory"
	case errors.As(err, &fault), errors.As(err, &read):
		kind = "data"
	}
	return failure{kind, err.Error()}
}

// server is one run of Serve.
type server struct {
	memory *Memory
	models *store
	out    io.Writer

	ended atomic.Bool // no more requests are read

	mutex   sync.Mutex
	running map[int64]context.CancelFunc
}

// errUnknownModel says that the caller has to send the bytes of a model.
var errUnknownModel = errors.New("found the key of a model that is not here, expected its bytes")
