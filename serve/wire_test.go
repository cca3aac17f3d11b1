package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// listening serves on a port of this machine.
func listening(t *testing.T, s *Server) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := s.HTTP("")
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		<-ended
	})
	return l.Addr().String()
}

// exchange sends bytes, and returns the codes and bodies of as many answers as are expected.
func exchange(t *testing.T, address, sent string, want int) (codes []int, bodies []string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, sent); err != nil {
		t.Fatal(err)
	}
	b := bufio.NewReader(c)
	for range want {
		r, err := http.ReadResponse(b, nil)
		if err != nil {
			t.Fatalf("%.200q: %v", sent, err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatalf("%.200q: %v", sent, err)
		}
		codes, bodies = append(codes, r.StatusCode), append(bodies, string(body))
	}
	return codes, bodies
}

// TestWire: what may come over a connection: old and pipelined requests, bodies in chunks, ones that wait to be asked, bad heads and paths.
func TestWire(t *testing.T) {
	s, _ := newTestServer(t, Options{MaxBytes: 1 << 16})
	address := listening(t, s)
	const one, head = "[1,2,3,4]", "POST /predict/numbers HTTP/1.1\r\nHost: x\r\n"
	_, number := ask(s, "POST", "/predict/numbers", one)
	length := fmt.Sprintf("Content-Length: %d\r\n", len(one))
	long := strings.Repeat("a", 1<<17)
	for _, c := range []struct {
		sent  string
		codes []int
		body  string // of the first
	}{
		{"POST /predict/numbers HTTP/1.0\r\n" + length + "\r\n" + one, []int{200}, number},
		{strings.Repeat(head+length+"\r\n"+one, 3), []int{200, 200, 200}, number},
		{head + "Transfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n6\r\n2,3,4]\r\n0\r\n\r\n", []int{200}, number},
		{head + "Expect: 100-continue\r\n" + length + "\r\n" + one, []int{100, 200}, ""},
		{head + "Expect: something\r\n" + length + "\r\n" + one, []int{417}, ""},
		{head + length + "Content-Length: 3\r\n\r\n" + one, []int{400}, ""},
		{head + length + "Transfer-Encoding: chunked\r\n\r\n3\r\n[1,\r\n6\r\n2,3,4]\r\n0\r\n\r\n", []int{200}, number},
		{head + "Transfer-Encoding: gzip\r\n\r\n" + one, []int{501}, ""},
		{head + "Content-Length: -1\r\n\r\n" + one, []int{400}, ""},
		{head + "Content-Length: 70000\r\n\r\n" + long[:70000], []int{413}, "{\"error\":\"found a body of more than 65536 bytes, expected at most so many\"}"},
		{head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1000\r\n"+strings.Repeat(" ", 4096)+"\r\n", 17) + "0\r\n\r\n", []int{413}, ""},
		{head + "Content-Encoding: gzip\r\n" + length + "\r\n" + one, []int{415}, ""},
		{head + headerLength + ": 9\r\n" + headerLength + ": 1\r\n" + length + "\r\n" + one, []int{200}, number}, // no matter to rows
		{head + "X: " + long + "\r\n\r\n", []int{431}, ""},
		{"GET /v2/models/" + long[:1<<15] + " HTTP/1.1\r\nHost: x\r\n\r\n", []int{404}, ""},
		{"GET /v2 HTTP/1.1\r\n\r\n", []int{400}, ""}, // no host
		{"GET /v2 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", []int{400}, ""},
		{"GET /v2 HTTP/9.9\r\nHost: a\r\n\r\n", []int{505}, ""},
		{"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", []int{400}, ""},
		{"GET http://elsewhere/v2/models/numbers/ready HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, `{"name":"numbers","ready":true}`},
		{"GET /v2/models/num%62ers/ready/ HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, `{"name":"numbers","ready":true}`},
		{"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", []int{200}, ""},
		{"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", []int{405}, ""},
	} {
		codes, bodies := exchange(t, address, c.sent, len(c.codes))
		if fmt.Sprint(codes) != fmt.Sprint(c.codes) || c.body != "" && bodies[0] != c.body {
			t.Errorf("%.300q: found %d %.300q, expected %d %q", c.sent, codes, bodies, c.codes, c.body)
		}
	}
	for _, path := range []string{"/v2/models/..", "/v2/models/%2e%2e", "/v2/models/%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/v2/models/numbers%00", "/v2/models/%00/ready", "/v2/models//ready", "/v2/models/numbers/versions//ready", "/v2/models/numbers/versions/..%2f1/ready",
		"/v2/models/%ff%fe", "/v2/models/NUMBERS", "/v2/models/numbers.model", "/v2/models/n%C3%BCmbers", "/predict/../v2", "/predict/%2e%2e/numbers", "/v2/models/numbers;x=1", "/v2/models/numbers%0d%0aX:%201", "/v2/models/" + strings.Repeat("a/", 500)} {
		codes, bodies := exchange(t, address, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n", 1)
		if codes[0] != 404 && codes[0] != 405 || !strings.HasPrefix(bodies[0], `{"error":"found`) {
			t.Errorf("%s: found %d %s", path, codes[0], bodies[0])
		}
	}
}

// TestSecondHTTP: over TLS requests come by HTTP/2 too.
func TestSecondHTTP(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	certified := httptest.NewUnstartedServer(nil)
	certified.StartTLS()
	defer certified.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := s.HTTP("")
	go func() {
		_ = h.Serve(tls.NewListener(l, &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}}))
	}()
	defer h.Close()
	client := certified.Client()
	client.Transport.(*http.Transport).ForceAttemptHTTP2 = true
	r, err := client.Post("https://"+l.Addr().String()+"/predict/numbers", "application/json", strings.NewReader("[1,2,3,4]"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	_, want := ask(s, "POST", "/predict/numbers", "[1,2,3,4]")
	if body, _ := io.ReadAll(r.Body); r.ProtoMajor != 2 || string(body) != want {
		t.Errorf("found %s %s, expected HTTP/2 and %s", r.Proto, body, want)
	}
	client.CloseIdleConnections()
}

// TestBroken: connections that end in the midst of a request or of an answer leave nothing behind.
func TestBroken(t *testing.T) {
	s, _ := newTestServer(t, Options{})
	before := runtime.NumGoroutine()
	t.Run("connections", func(t *testing.T) {
		address := listening(t, s)
		rows := "[" + strings.Repeat("[1,2,3,4],", 5000) + "[1,2,3,4]]"
		for i := range 200 {
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			sent := "POST /predict/numbers HTTP/1.1\r\nHost: x\r\nContent-Length: " + fmt.Sprint(len(rows)) + "\r\n\r\n" + rows
			if i%2 == 0 {
				sent = sent[:i*len(sent)/200]
			}
			_, _ = io.WriteString(c, sent)
			c.Close()
		}
		if codes, _ := exchange(t, address, "POST /predict/numbers HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n[1,2,3,4]", 1); codes[0] != 200 {
			t.Errorf("found %d", codes[0])
		}
	})
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before || s.running.Load() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("found %d goroutines and %d requests that run, %d and none before", runtime.NumGoroutine(), s.running.Load(), before)
		}
	}
}
