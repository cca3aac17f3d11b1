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
		events, code := watch(t, append(words, "-q", "-o", watched), c.input)
		last := events[max(0, strings.LastIndex(events, "\nevent: ")):]
		for _, want := range append(c.says, "event: end\n") {
			if !strings.Contains(last, want) {
				t.Errorf("%s: %q is not in the last event: %.3000s", c.args, want, last)
			}
		}
		if code != c.code {
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

// watch runs a command with --live, gives it input when its page is open, and returns the events of that and the exit code.
func watch(t *testing.T, args []string, input []byte) (events string, code int) {
	t.Helper()
	cmd := exec.Command("fenchel", append(args, "--live", "localhost:0")...)
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
		t.Fatalf("%s: found %q (%v)", args, first, err)
	}
	answer, err := http.Get(at[1] + "events")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = stdin.Write(input)
		stdin.Close()
		_, _ = io.Copy(io.Discard, lines)
	}()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("%s: %v", args, err)
	}
	answer.Body.Close()
	_ = cmd.Wait()
	return string(text), cmd.ProcessState.ExitCode()
}

// TestLiveReproduce: the page of an experiment has, in the end, what the source claims, with the figure; the files are the same.
func TestLiveReproduce(t *testing.T) {
	plain, watched := t.TempDir(), t.TempDir()
	rows := filepath.Join(plain, "rows.svm")
	if code := run([]string{"convert", "@spirals:n=300", rows}, nil, io.Discard, io.Discard); code != 0 {
		t.Fatalf("found the exit code %d", code)
	}
	input, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"reproduce", "thesis-fig2.8", "--quick", "--data", "-", "-o"}
	if code := run(append(args, plain), bytes.NewReader(input), io.Discard, io.Discard); code != 0 {
		t.Fatalf("found the exit code %d", code)
	}
	events, code := watch(t, append(args, watched), input)
	last := events[max(0, strings.LastIndex(events, "\nevent: ")):]
	if code != 0 || !strings.Contains(events, "A run of Fenchel") {
		t.Errorf("found the exit code %d and the events %.3000s", code, events)
	}
	for _, want := range []string{"event: end\n", "The run has ended", "What the source claims", "Command: fenchel reproduce thesis-fig2.8", "<svg", "the numbers of this picture"} {
		if !strings.Contains(last, want) {
			t.Errorf("%q is not in the last event: %.3000s", want, last)
		}
	}
	for _, extension := range []string{".csv", ".svg", ".html"} {
		a, err1 := os.ReadFile(filepath.Join(plain, "thesis-fig2.8"+extension))
		b, err2 := os.ReadFile(filepath.Join(watched, "thesis-fig2.8"+extension))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: another file with --live (%v, %v)", extension, err1, err2)
		}
	}
}
