package peer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// A Worker is a peer's process that holds a task in memory and answers one
// line with one line. It says "ready" when the rows are loaded.
type Worker struct {
	argv, env []string
	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	errors    bytes.Buffer
}

// ErrTimeout is a training that took longer than allowed.
var ErrTimeout = errors.New("took too long")

func startWorker(ctx context.Context, argv, env []string) (*Worker, error) {
	w := &Worker{argv: argv, env: env}
	return w, w.start(ctx)
}

func (w *Worker) start(ctx context.Context) (err error) {
	w.cmd = exec.Command(w.argv[0], w.argv[1:]...)
	w.cmd.Env = append(os.Environ(), w.env...)
	w.errors.Reset()
	w.cmd.Stderr = &w.errors
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	w.out = bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		return err
	}
	line, err := w.line(ctx)
	if err != nil || line != "ready" {
		w.Close()
		return fmt.Errorf("%s: found %q, expected ready: %v: %s", w.argv[0], line, err, Tail(w.errors.String()))
	}
	return nil
}

// ask sends a line and returns the answer. When ctx ends first the process is
// killed; the next question starts it again.
func (w *Worker) ask(ctx context.Context, question string) (string, error) {
	if w.cmd == nil {
		if err := w.start(context.WithoutCancel(ctx)); err != nil {
			return "", err
		}
	}
	if _, err := io.WriteString(w.in, question+"\n"); err != nil {
		return "", err
	}
	answer, err := w.line(ctx)
	if err != nil {
		w.Close()
		return "", fmt.Errorf("%w: %s", err, Tail(w.errors.String()))
	}
	return answer, nil
}

// line reads a line, until ctx ends.
func (w *Worker) line(ctx context.Context) (string, error) {
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	out := w.out
	go func() {
		text, err := out.ReadString('\n')
		done <- answer{strings.TrimSpace(text), err}
	}()
	select {
	case a := <-done:
		return a.text, a.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", ErrTimeout
		}
		return "", ctx.Err()
	}
}

// Close ends the process.
func (w *Worker) Close() {
	if w.cmd == nil {
		return
	}
	w.in.Close()
	_ = w.cmd.Process.Kill() // it may have ended by itself
	_ = w.cmd.Wait()
	w.cmd = nil
}

// Tail is the end of a text, in one line.
func Tail(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return text[max(0, len(text)-300):]
}

// readFloats reads count little-endian numbers.
func readFloats(path string, count int) ([]float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(data) != 8*count {
		return nil, fmt.Errorf("%s: found %d bytes, expected %d numbers of 8", path, len(data), count)
	}
	w := make([]float64, count)
	for i := range w {
		w[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return w, nil
}

// Executable is the file name of a program on this system.
func Executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
