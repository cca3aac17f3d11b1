// Package live serves a page about a run while it lasts: pictures of gaps, bounds and scores, with their numbers. It is made of what
// is in memory; whoever loads it again sees the newest state at once. Begin with [Begin].
package live

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fenchel-ml/fenchel/internal/reportpage"
)

const (
	refresh     = 500 * time.Millisecond // between two events
	patience    = 5 * time.Second        // with a reader that takes nothing
	farewell    = 2 * time.Second        // for pages to get the last event, at most
	mostStreams = 16                     // of events at a time
)

// A Page is served while a run lasts. A nil page is told things in vain.
type Page struct {
	line     func() string // how far the run is, in words
	listener net.Listener
	server   *http.Server
	served   chan struct{} // closed when nothing is served any more
	over     chan struct{} // closed when the run has ended
	streams  atomic.Int64  // of events, now

	mutex  sync.Mutex // of what follows
	record record
	ending *reportpage.Page // what came out; nil: the run lasts
	made   time.Time        // when the fragment was
	shown  string           // the fragment
}

// Open begins to serve at an address, HOST:PORT; without a host, on this machine alone.
func Open(address string, line func() string) (*Page, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errors.New("expected HOST:PORT, such as localhost:8080, or :0 for a port that is free")
	}
	if host == "" {
		host = "localhost"
	}
	p := &Page{line: line, served: make(chan struct{}), over: make(chan struct{})}
	if p.listener, err = net.Listen("tcp", net.JoinHostPort(host, port)); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.page)
	mux.HandleFunc("GET /events", p.events)
	p.record.begun = time.Now()
	p.server = &http.Server{Handler: p.guard(mux), ReadHeaderTimeout: patience, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(p.listener) // it ends when the run does
	}()
	return p, nil
}

// Address is where the page is.
func (p *Page) Address() string { return "http://" + p.listener.Addr().String() + "/" }

// Local reports whether only this machine can see the page.
func (p *Page) Local() bool {
	tcp, ok := p.listener.Addr().(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// guard refuses requests for other names than this machine's where only that may see the page: pages of others could be
// read by a name that leads here.
func (p *Page) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(strings.Trim(host, "[]")); p.Local() && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, fmt.Sprintf("found the host %q, expected localhost", host), http.StatusMisdirectedRequest)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("live").Parse(pageText))

// page answers with the page and the newest state.
func (p *Page) page(w http.ResponseWriter, _ *http.Request) {
	var style, out bytes.Buffer
	_ = reportpage.WriteStyle(&style) // into memory
	nonce := rand.Text()
	fragment, _ := p.fragment()
	err := pageTemplate.Execute(&out, map[string]any{"Nonce": nonce, "Style": template.CSS(style.String()), "Fragment": template.HTML(fragment)})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; style-src 'nonce-%s'; script-src 'nonce-%[1]s'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'", nonce))
	h.Set("Referrer-Policy", "no-referrer")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
	_, _ = w.Write(out.Bytes()) // who asked may be gone
}

// events sends the state whenever it has changed, at once the newest, and what came out at the end.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	defer p.streams.Add(-1)
	if p.streams.Add(1) > mostStreams {
		http.Error(w, "found many pages, expected fewer", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	control, sent := http.NewResponseController(w), ""
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		fragment, last := p.fragment()
		if fragment != sent || last {
			name := map[bool]string{true: "end", false: "message"}[last]
			_ = control.SetWriteDeadline(time.Now().Add(patience))
			_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, strings.ReplaceAll(fragment, "\n", "\ndata: "))
			if control.Flush() != nil || last {
				return
			}
			sent = fragment
		}
		select {
		case <-tick.C:
		case <-p.over:
		case <-r.Context().Done():
			return
		}
	}
}

// fragment is the state as HTML, made anew if the last one is old; last: nothing comes after it.
func (p *Page) fragment() (text string, last bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	now := time.Now()
	if last = p.ending != nil; p.shown != "" && now.Sub(p.made) < refresh/2 {
		return p.shown, last
	}
	state := &reportpage.Page{}
	if p.ending != nil {
		state.Sections = append(state.Sections, p.ending.Sections...)
	} else {
		state.Section("A run of Fenchel").Say(p.line())
	}
	p.record.show(state)
	var out bytes.Buffer
	if err := state.WriteSections(&out); err != nil {
		return template.HTMLEscapeString(err.Error()), last
	}
	p.made, p.shown = now, out.String()
	return p.shown, last
}

// end shows what came out, gives open pages a while to get it, and serves nothing any more.
func (p *Page) end(out *reportpage.Page) {
	p.mutex.Lock()
	p.ending, p.shown = out, ""
	p.mutex.Unlock()
	close(p.over)
	for until := time.Now().Add(farewell); p.streams.Load() > 0 && time.Now().Before(until); {
		time.Sleep(5 * time.Millisecond)
	}
	_ = p.server.Close() // of connections that end anyway
	<-p.served
}
