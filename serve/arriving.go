package serve

import (
	"context"
	"io"
	"net/http"
	"slices"
)

// A request counts towards Options.Concurrency from when its body has been received: clients that send slowly do not block others.
// Memory for bodies that are being received is bounded too: bytes beyond the first freeBytes of each body add up to mostArriving at most.
const freeBytes = 64 << 10

// mostArriving is how many bytes bodies may have beyond freeBytes, all together: a megabyte for each request that may be answered at a time, and
// at least one body of the largest size.
func (s *Server) mostArriving() int64 { return max(s.opt.MaxBytes, int64(s.opt.Concurrency)<<20) }

// arriving is a body that comes.
type arriving struct {
	io.ReadCloser
	server  *Server
	read    int64
	counted int64 // of read, in server.arriving
}

func (a *arriving) Read(b []byte) (int, error) {
	n, err := a.ReadCloser.Read(b)
	a.read += int64(n)
	if more := a.read - freeBytes - a.counted; more > 0 {
		a.counted += more
		if s := a.server; s.arriving.Add(more) > s.mostArriving() {
			return n, refuse(http.StatusTooManyRequests, "found more than %d bytes of requests that arrive at a time, expected fewer: come again", s.mostArriving())
		}
	}
	return n, err
}

// Limit bounds the body of a request, by Options.MaxBytes and by what the bodies that arrive take together; release gives its share
// back, after the request was answered. [Server.ServeHTTP] does so itself: this is for handlers that read the body of limited before they
// ask it. A request that they make with the context of limited is not counted again.
func (s *Server) Limit(w http.ResponseWriter, r *http.Request) (limited *http.Request, release func()) {
	release = s.limit(w, r)
	return r.WithContext(context.WithValue(r.Context(), counted{}, true)), release
}

// counted is the key of the contexts of requests whose bytes are counted.
type counted struct{}

func (s *Server) limit(w http.ResponseWriter, r *http.Request) (release func()) {
	r.Body = http.MaxBytesReader(w, r.Body, s.opt.MaxBytes)
	if r.Context().Value(counted{}) != nil {
		return func() {}
	}
	a := &arriving{ReadCloser: r.Body, server: s}
	r.Body = a
	return func() { s.arriving.Add(-a.counted) }
}

// enter counts a request towards Options.Concurrency, or refuses it.
func (s *Server) enter(work *work) error {
	if s.running.Add(1) > int64(s.opt.Concurrency) {
		s.running.Add(-1)
		return refuse(http.StatusTooManyRequests, "found more than %d requests at a time, expected fewer: come again", s.opt.Concurrency)
	}
	work.runs = true
	return nil
}

// leave counts it no more, if it was counted.
func (s *Server) leave(work *work) {
	if work.runs {
		s.running.Add(-1)
		work.runs = false
	}
}

// read reads the body of a request into memory that grows with what comes, and enters.
func (s *Server) read(work *work, r *http.Request) ([]byte, error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, refuse(http.StatusUnsupportedMediaType, "found the content encoding %q, expected none", encoding)
	}
	if claimed := r.ContentLength; claimed > s.opt.MaxBytes {
		return nil, &http.MaxBytesError{Limit: s.opt.MaxBytes}
	} else if claimed > 0 && int64(cap(work.body)) < claimed {
		work.body = make([]byte, 0, min(claimed, freeBytes)+512)
	}
	into := work.body[:0]
	for {
		if len(into) == cap(into) {
			more := len(into)
			if r.ContentLength > 0 {
				more = min(more, int(r.ContentLength)-len(into))
			}
			into = slices.Grow(into, max(512, more))
		}
		n, err := r.Body.Read(into[len(into):cap(into)])
		into = into[:len(into)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if work.body = into; cap(into) > 1<<20 { // the memory of large ones is given back
		work.body = nil
	}
	return into, s.enter(work)
}
