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

// TestLive: the page lasts as long as the run, says how it ended, and changes neither the model nor the exit code. The rows come when the page
// is open.
func TestLive(t *testing.T) {
	folder := t.TempDir()
	rows := func(source, name string) []byte {
		path := filepath.Join(folder, name)
		if code := run([]string{"convert", source, path}, nil, io.Discard, io.Discard); code != 0 {
			t.Fatalf("%s: found the exit code %d", source, code)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	blobs := rows("@blobs:n=1000,d=10,classes=3,spread=5", "rows.svm")
	for _, c := range []struct {
		args  string
		input []byte
		code  int
		says  []string
	}{
		{"train - --test @blobs:n=100,d=10,classes=3,spread=5 --gap 1e-7", blobs, 0, []string{"It has converged", "test</td><td>error", "What is proved", "Training"}},
		{"train - --kernel rbf --C 100 --gap 1e-9 --epochs 2", blobs, 3, []string{"limit of epochs", "status</td><td>epoch-limit"}},
		{"train - --folds 3", blobs, 0, []string{"the only candidate", "fold 3"}},
		{"tune - --search C=1e-3..100", blobs, 0, []string{"It has converged", "best</td><td>C=", "Candidates", "fold 5"}},
		{"pca - -k 3", rows("@heavy-tailed:n=5000,d=20", "rows.csv"), 0, []string{"Its epochs are made", "Rows learned"}},
		{"train -", []byte("1 1:2\n0 1:x\n"), 2, []string{"It failed: standard input:2", "expected"}},
	} {
		words := strings.Fields(c.args)
		plain, watched := filepath.Join(folder, "plain"), filepath.Join(folder, "watched")
		if code := run(append(words, "-q", "-o", plain), bytes.NewReader(c.input), io.Discard, io.Discard); code != c.code {
			t.Fatalf("%s: found the exit code %d", c.args, code)
		}
		cmd := exec.Command("fenchel", append(words, "-q", "-o", watched, "--live", "localhost:0")...)
		stdin, err1 := cmd.StdinPipe()
		stderr, err2 := cmd.StderrPipe()
		if err1 != nil || err2 != nil || cmd.Start() != nil {
			t.Fatal(err1, err2)
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
		_, _ = stdin.Write(c.input)
		stdin.Close()
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
		if (err1 == nil) != (c.code != 2) || (err2 == nil) != (c.code != 2) || !bytes.Equal(a, b) {
			t.Errorf("%s: another model with --live (%v, %v)", c.args, err1, err2)
		}
		os.Remove(plain)
		os.Remove(watched)
	}
	for address, want := range map[string]string{"8080": "--live 8080: expected HOST:PORT", "localhost:99999": "--live localhost:99999: listen"} {
		var stderr bytes.Buffer
		if code := run([]string{"train", "@toy:n=20", "--live", address}, nil, io.Discard, &stderr); code != map[bool]int{true: 2, false: 1}[strings.Contains(address, ":")] || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: found %d, %s", address, code, stderr.String())
		}
	}
}
