package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// interrupted starts fenchel, sends it signals once ready returns, and returns
// its exit code and the rest of its standard error.
func interrupted(t *testing.T, dir string, ready func(p *os.Process, stderr *bufio.Reader), signals []os.Signal, args ...string) (code int, rest string) {
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
	ready(cmd.Process, stderr)
	for _, s := range signals {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := io.ReadAll(stderr)
	_ = cmd.Wait() // the exit code says it all
	return cmd.ProcessState.ExitCode(), string(text)
}

// interruptedLater interrupts fenchel where nothing is printed that could be waited for: soon,
// and later as long as the rest does not begin as it should, on a machine that is busy.
func interruptedLater(t *testing.T, dir, want string, args ...string) (code int, rest string) {
	for wait := 500 * time.Millisecond; wait < time.Minute && !strings.HasPrefix(rest, want); wait *= 2 {
		code, rest = interrupted(t, dir, func(*os.Process, *bufio.Reader) { time.Sleep(wait) }, []os.Signal{os.Interrupt}, args...)
	}
	return code, rest
}

// Ctrl-C during training, or the two signals that timeout sends, or more of them
// at once: the best model so far is written, with its proof.
func TestInterruptWritesTheModel(t *testing.T) {
	for _, signals := range [][]os.Signal{
		{os.Interrupt},
		{syscall.SIGHUP},
		{syscall.SIGTERM, syscall.SIGTERM},
		{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP},
	} {
		t.Run(fmt.Sprint(signals), func(t *testing.T) {
			if slices.ContainsFunc(signals, signal.Ignored) {
				t.Skip("this process ignores a signal, as under nohup, and fenchel does then too")
			}
			interruptWritesTheModel(t, signals)
		})
	}
}

func interruptWritesTheModel(t *testing.T, signals []os.Signal) {
	dir := t.TempDir()
	source := "@toy:n=20000,d=20"
	started := func(_ *os.Process, stderr *bufio.Reader) {
		if line, err := stderr.ReadString('\n'); err != nil || !strings.HasPrefix(line, "epoch ") {
			t.Errorf("found %q (error %v), expected a line of progress", line, err)
		}
	}
	code, rest := interrupted(t, dir, started, signals, "train", source, "-o", "m", "--loss", "logistic", "--solver", "sgd", "--gap", "1e-300", "--threads", "1") // which ends by no rule of its own, however late the signal comes
	if code != exitcode.Interrupted || !strings.Contains(rest, "stopping: certifying the best model (press again to quit now)\n") {
		t.Fatalf("exit code: found %d, expected %d, and that the best model is certified\n%s", code, exitcode.Interrupted, rest)
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

// Ctrl-C during a search: the best candidate so far is trained and written.
func TestInterruptTrainsTheBestSoFar(t *testing.T) {
	dir := t.TempDir()
	source := "@blobs:n=20000,classes=2,spread=2"
	judged := func(p *os.Process, stderr *bufio.Reader) { // a line says how far it is after 10 seconds
		if runtime.GOOS == "linux" { // of which most may be slept away
			const stop, goOn = syscall.Signal(19), syscall.Signal(18)
			time.Sleep(time.Second)
			_ = p.Signal(stop)
			time.Sleep(9 * time.Second)
			_ = p.Signal(goOn)
		}
		for best := false; !best; { // none yet, where little was done
			line, err := stderr.ReadString('\n')
			if best = strings.Contains(line, " models, best C="); err != nil || !strings.Contains(line, " models") {
				t.Errorf("found %q (error %v), expected how far the search is", line, err)
				return
			}
		}
	}
	code, rest := interrupted(t, dir, judged, []os.Signal{os.Interrupt}, "tune", source, "-o", "m", "--loss", "logistic", "--search", "C=1e-3..1e3/3000", "--folds", "2", "--threads", "1")
	if code != exitcode.Interrupted || !strings.Contains(rest, "stopping: training the best candidate so far (press again to quit now)\n") {
		t.Fatalf("exit code: found %d, expected %d, and that the best candidate is trained\n%s", code, exitcode.Interrupted, rest)
	}
	cmd := exec.Command("fenchel", "verify", "m", source)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}

// Ctrl-C while components are searched: it is said what comes, and the best so far are written,
// with a proof.
func TestInterruptWritesComponents(t *testing.T) {
	dir := t.TempDir()
	source := "@low-rank:n=20000,d=50"
	code, rest := interruptedLater(t, dir, "stopping: ", "pca", source, "-k", "3", "--method", "randomized:power=1000000", "--gap", "1e-15", "-o", "m")
	if code != exitcode.Interrupted || !strings.HasPrefix(rest, "stopping: certifying the best components (press again to quit now)\n") {
		t.Fatalf("found exit code %d and %q, expected %d and what comes", code, rest, exitcode.Interrupted)
	}
	for _, args := range [][]string{{"verify", "m", source}, {"info", "m"}} {
		cmd := exec.Command("fenchel", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || args[0] == "info" && !strings.Contains(string(out), "status     interrupted") {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
	}
}

// Ctrl-C while an input gives nothing: the end, with one line.
func TestInterruptWhileReading(t *testing.T) {
	code, rest := interruptedLater(t, t.TempDir(), "fenchel: standard input: ", "train", "-", "-o", "m")
	if code != exitcode.Interrupted || rest != "fenchel: standard input: interrupted\n" {
		t.Errorf("found exit code %d and %q, expected %d and one line", code, rest, exitcode.Interrupted)
	}
}

// Signals of one burst are one interruption; the second ends a process that does
// not end by itself.
func TestInterruptions(t *testing.T) {
	var count interrupt.Interruptions
	start := time.Unix(0, 0)
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {0, 0}, {999 * time.Millisecond, 0}, {time.Second, 2}, {time.Second, 0}, {1999 * time.Millisecond, 0}, {5 * time.Second, 3}} {
		if got := count.Hear(start.Add(c.after), time.Second); got != c.want {
			t.Errorf("after %s: found number %d, expected %d", c.after, got, c.want)
		}
	}
}

// stubborn is a program that an interruption does not end, the second excepted.
func stubborn() {
	ctx, _ := interrupt.Interruptible(os.Stderr, 0, func() { os.Exit(exitcode.Interrupted) })
	interrupt.Stopping(ctx, "certifying the best model")
	fmt.Fprintln(os.Stderr, "ready")
	<-ctx.Done()
	select {}
}

func TestSecondInterruptForces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent Ctrl-C here")
	}
	cmd := exec.Command("stubborn")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr := bufio.NewReader(pipe)
	for _, want := range []string{"ready", "stopping: certifying the best model (press again to quit now)"} {
		if line, err := stderr.ReadString('\n'); err != nil || line != want+"\n" {
			t.Errorf("found %q (error %v), expected %q", line, err, want)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait() // the exit code says it all
	if code := cmd.ProcessState.ExitCode(); code != exitcode.Interrupted {
		t.Errorf("exit code: found %d, expected %d", code, exitcode.Interrupted)
	}
}

// halfway is a program that is for ever half way through a file.
func halfway() {
	interrupt.Interruptible(os.Stderr, 0, interrupt.Quit)
	_ = file.WriteFile("m", func(w io.Writer) error {
		_, _ = w.Write(make([]byte, 1<<20))
		fmt.Fprintln(os.Stderr, "ready")
		select {}
	})
}

// A second Ctrl-C while a file is written: the old one stays, and nothing beside it.
func TestSecondInterruptKeepsTheFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent Ctrl-C here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "m")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("halfway")
	cmd.Dir = dir
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(pipe).ReadString('\n'); line != "ready\n" {
		t.Fatalf("found %q (error %v)", line, err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) != 1 {
		t.Errorf("found %v, expected a temporary file", files)
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }() // the exit code says it all
	for over := false; !over; {         // two that come too fast are one
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			over = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != exitcode.Interrupted {
		t.Errorf("exit code: found %d, expected %d", code, exitcode.Interrupted)
	}
	files, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if old, err := os.ReadFile(path); string(old) != "old" || len(files) > 0 {
		t.Errorf("found %q (error %v) beside %v, expected what was there before", old, err, files)
	}
}
