// Package serve answers over HTTP what models predict, by the Open Inference Protocol (version 2, REST, with the extension of
// binary tensors; https://github.com/kserve/open-inference-protocol), and of rows that are JSON objects.
//
// A [Server] is an http.Handler: it may be part of a program's own server. [Server.Load] reads models from files and folders,
// and [Server.Watch] reads them again when they change: a file is decoded whole, then replaces the model before at once; one
// that is damaged replaces nothing. Names in requests are looked up among the models that are loaded, and never become
// paths.
package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Options bound what requests may ask for. The zero value has the defaults.
type Options struct {
	MaxRows     int          // rows of a request; 0: 100,000
	MaxBytes    int64        // bytes of its body; 0: 64 MB
	Concurrency int          // requests that are answered at a time, once they have come; others are told to come again; 0: 256
	Token       string       // that every request has to bear but those about health; "": none
	Log         *slog.Logger // a line for each request, without its contents, and for each model that is read; nil: none
}

// Server answers requests. Any number of goroutines may use it.
type Server struct {
	opt   Options
	token [sha256.Size]byte
	repository
	draining atomic.Bool
	running  atomic.Int64 // requests that are answered
	arriving atomic.Int64 // bytes of bodies, but for the first ones of each
	counters counters
}

// New makes a server without models.
func New(opt Options) *Server {
	if opt.MaxRows == 0 {
		opt.MaxRows = 100_000
	}
	if opt.MaxBytes == 0 {
		opt.MaxBytes = 64 << 20
	}
	if opt.Concurrency == 0 {
		opt.Concurrency = 256
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opt: opt, token: sha256.Sum256([]byte(opt.Token))}
	s.repository.log, s.repository.counters = opt.Log, &s.counters
	s.models.Store(&catalog{})
	return s
}

// HTTP returns a server for an address that bounds how long a request may take to arrive, and its head.
func (s *Server) HTTP(address string) *http.Server {
	return &http.Server{Addr: address, Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.opt.Log.Handler(), slog.LevelDebug)}
}

// Drain has the server say that it is not ready, so that those who ask for its health send no more requests; it answers those
// that come.
func (s *Server) Drain() { s.draining.Store(true) }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	work := works.Get().(*work)
	defer works.Put(work)
	out := s.answer(work, w, r)
	h := w.Header()
	h["Content-Type"], h["X-Content-Type-Options"] = headers[out.kind], headers["nosniff"] // which nobody changes
	if out.kind == kindPage {
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("Referrer-Policy", "no-referrer")
	}
	h.Set("Content-Length", strconv.Itoa(len(out.body)))
	if out.header > 0 {
		h.Set(headerLength, strconv.Itoa(out.header))
	}
	switch out.code {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	case http.StatusMethodNotAllowed:
		h.Set("Allow", out.allow)
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	}
	trace := r.Header.Get("Traceparent")
	if isTrace(trace) {
		h.Set("Traceparent", trace)
	} else {
		trace = ""
	}
	w.WriteHeader(out.code)
	_, _ = w.Write(out.body) // who asked may be gone
	took := time.Since(begin)
	use := (*usage)(nil)
	if out.model != nil {
		use = out.model.use
	}
	s.counters.count(use, out.code, out.rows, took)
	s.report(r, out, took, trace)
}

// report logs a request, without what it held.
func (s *Server) report(r *http.Request, out reply, took time.Duration, trace string) {
	if !s.opt.Log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	line := []slog.Attr{slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("code", out.code), slog.Int("rows", out.rows),
		slog.Int("bytes", len(out.body)), slog.Float64("seconds", took.Seconds()), slog.String("from", r.RemoteAddr)}
	if out.model != nil {
		line = append(line, slog.String("model", out.model.name), slog.String("version", out.model.version))
	}
	if trace != "" {
		line = append(line, slog.String("trace", trace))
	}
	s.opt.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", line...)
}

// isTrace reports whether a header is of the form of W3C's trace context.
func isTrace(text string) bool {
	if len(text) != 55 {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if dash := i == 2 || i == 35 || i == 52; dash != (c == '-') || !dash && !(c-'0' <= 9 || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// answer is the reply to a request, whatever happens.
func (s *Server) answer(work *work, w http.ResponseWriter, r *http.Request) (out reply) {
	defer func() {
		if fault := recover(); fault != nil {
			s.opt.Log.Error("a fault of this program", "fault", fmt.Sprint(fault), "stack", string(debug.Stack()))
			out = failed(refuse(http.StatusInternalServerError, "a fault of this program: please report it"))
		}
	}()
	if healthy(r.URL.Path) {
		return s.health(r)
	}
	if s.opt.Token != "" {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if found := sha256.Sum256([]byte(token)); !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(found[:], s.token[:]) != 1 {
			return failed(refuse(http.StatusUnauthorized, "found no token, or another, expected the header Authorization with Bearer and the token"))
		}
	}
	defer s.limit(w, r)()
	defer s.leave(work)
	if r.Method != http.MethodPost { // which is when the body has come
		if err := s.enter(work); err != nil {
			return failed(err)
		}
	}
	out, err := s.route(work, r)
	if err != nil {
		of := failed(err)
		of.model = out.model
		return of
	}
	return out
}
