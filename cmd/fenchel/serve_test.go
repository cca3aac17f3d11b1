package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestServe: a server tells where it listens, answers, and ends with 0 when it is asked to terminate, after the requests that run.
func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals on Windows")
	}
	path := filepath.Join(t.TempDir(), "line.model")
	if out, err := exec.Command("fenchel", "train", "@linear:n=50,d=2", "-q", "-o", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command("fenchel", "serve", path, "--listen", "127.0.0.1:0", "--log")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // where a check ends the test
	lines := bufio.NewReader(stderr)
	first, err := lines.ReadString('\n')
	at := regexp.MustCompile(`^serving line at (http://127\.0\.0\.1:[1-9][0-9]*)\n$`).FindStringSubmatch(first)
	if at == nil {
		t.Fatalf("found %q (%v)", first, err)
	}
	answer, err := http.Post(at[1]+"/predict", "application/json", strings.NewReader("[1,2]"))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode != 200 || !strings.HasPrefix(string(text), `{"number":`) {
		t.Errorf("found %d %s", answer.StatusCode, text)
	}
	if line, _ := lines.ReadString('\n'); !strings.Contains(line, `"path":"/predict","code":200,"rows":1`) {
		t.Errorf("found the line %s", line)
	}
	slow, err := net.Dial("tcp", strings.TrimPrefix(at[1], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := io.WriteString(slow, "POST /predict HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(slow)
	if line, err := answers.ReadString('\n'); !strings.Contains(line, "100 Continue") {
		t.Fatalf("found %q (%v), expected that the request is read", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	stderr.Close() // nobody reads the log any more
	if _, err := io.WriteString(slow, "[1,2]"); err != nil {
		t.Fatal(err)
	}
	_, _ = answers.ReadString('\n') // the empty line behind
	if line, err := answers.ReadString('\n'); err != nil || !strings.Contains(line, "200 OK") {
		t.Errorf("a request that ran: found %q (%v), expected 200", line, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("found %v, expected exit code 0", err)
	}
}
