package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLive: the page lasts as long as the run, says how it ended, and changes neither the model nor the exit code.
func TestLive(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says []string
	}{
		{"train @blobs:n=3000,d=20,classes=3,spread=5 --test @blobs:n=200,d=20,classes=3,spread=5 --gap 1e-7", 0, []string{"It has converged", "What is proved", "Training"}},
		{"train @spirals:n=2000 --kernel rbf --C 100 --gap 1e-9 --epochs 2", 3, []string{"limit of epochs", "status</td><td>epoch-limit"}},
		{"tune @blobs:n=2000,d=20,classes=3,spread=5 --search C=1e-3..100", 0, []string{"It has converged", "best</td><td>C=", "Candidates", "fold 5"}},
	} {
		words := strings.Fields(c.args)
		folder := t.TempDir()
		plain, watched := filepath.Join(folder, "plain"), filepath.Join(folder, "watched")
		if code := run(append(words, "-q", "-o", plain), nil, io.Discard, io.Discard); code != c.code {
			t.Fatalf("%s: found the exit code %d", c.args, code)
		}
		cmd := exec.Command("fenchel", append(words, "-q", "-o", watched, "--live", "localhost:0")...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(stderr)
		first, err := lines.ReadString('\n')
		at := regexp.MustCompile(`^live at (http://127\.0\.0\.1:[1-9][0-9]*/)\n$`).FindStringSubmatch(first)
		if at == nil {
			_ = cmd.Process.Kill()
			t.Fatalf("%s: found %q (%v)", c.args, first, err)
		}
		answer, err := http.Get(at[1] + "events")
		if err != nil {
			t.Fatal(err)
		}
		events, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		last := string(events[max(0, bytes.LastIndex(events, []byte("\nevent: "))):])
		for _, want := range append(c.says, "event: end\n") {
			if !strings.Contains(last, want) {
				t.Errorf("%s: %q is not in the last event (%v): %.3000s", c.args, want, err, last)
			}
		}
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%s --live: found the exit code %d, expected %d", c.args, code, c.code)
		}
		a, err1 := os.ReadFile(plain)
		b, err2 := os.ReadFile(watched)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: another model with --live (%v, %v)", c.args, err1, err2)
		}
	}
	for address, want := range map[string]string{"8080": "--live 8080: expected HOST:PORT", "localhost:99999": "--live localhost:99999: listen"} {
		var stderr bytes.Buffer
		if code := run([]string{"train", "@toy:n=20", "--live", address}, nil, io.Discard, &stderr); code != map[bool]int{true: 2, false: 1}[strings.Contains(address, ":")] || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: found %d, %s", address, code, stderr.String())
		}
	}
}
