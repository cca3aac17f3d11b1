package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// interrupted starts fenchel, interrupts it once ready returns, and returns its
// exit code and the rest of its standard error.
func interrupted(t *testing.T, dir string, ready func(stderr *bufio.Reader), args ...string) (code int, rest string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent Ctrl-C here")
	}
	cmd := exec.Command("fenchel", args...)
	cmd.Dir = dir
	open, stdin, err := os.Pipe() // an input that gives nothing and does not end
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	defer open.Close()
	cmd.Stdin = open
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr := bufio.NewReader(pipe)
	ready(stderr)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(stderr)
	_ = cmd.Wait() // the exit code says it all
	return cmd.ProcessState.ExitCode(), string(text)
}

// Ctrl-C during training: the best model so far is written, with its proof.
func TestInterruptWritesTheModel(t *testing.T) {
	dir := t.TempDir()
	source := "@toy:n=20000,d=20"
	started := func(stderr *bufio.Reader) {
		if line, err := stderr.ReadString('\n'); err != nil || !strings.HasPrefix(line, "epoch ") {
			t.Errorf("found %q (error %v), expected a line of progress", line, err)
		}
	}
	code, rest := interrupted(t, dir, started, "train", source, "-o", "m", "--loss", "logistic", "--gap", "1e-300", "--threads", "1")
	if code != exitInterrupted {
		t.Fatalf("exit code: found %d, expected %d\n%s", code, exitInterrupted, rest)
	}
	cmd := exec.Command("fenchel", "verify", "m", source)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
	cmd = exec.Command("fenchel", "info", "m")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "status     interrupted: ") {
		t.Errorf("info: found %s (error %v), expected the status interrupted", out, err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 {
		t.Errorf("found %v left behind", files)
	}
}

// Ctrl-C while an input gives nothing: the end, with one line.
func TestInterruptWhileReading(t *testing.T) {
	beginning := func(*bufio.Reader) { time.Sleep(500 * time.Millisecond) } // nothing is printed that could be waited for
	code, rest := interrupted(t, t.TempDir(), beginning, "train", "-", "-o", "m")
	if code != exitInterrupted || rest != "fenchel: standard input: interrupted\n" {
		t.Errorf("found exit code %d and %q, expected %d and one line", code, rest, exitInterrupted)
	}
}
