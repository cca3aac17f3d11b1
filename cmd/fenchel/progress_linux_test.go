package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// openTerminal returns a pseudo-terminal and what waits until it has shown a text.
func openTerminal(t *testing.T) (terminal *os.File, shows func(text string) bool) {
	terminal, seen := openTerminalOf(t, 160)
	return terminal, func(text string) bool {
		for range 6000 { // a minute, on a machine that is busy
			if strings.Contains(seen(), text) {
				return true
			}
			time.Sleep(10 * time.Millisecond)
		}
		return false
	}
}

// openTerminalOf is openTerminal of so many columns, with what returns all that was shown.
func openTerminalOf(t *testing.T, width int) (terminal *os.File, seen func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { master.Close() })
	var number int
	conn, err := master.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) {
			_ = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
			_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)})
			number, _ = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		})
	}
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { terminal.Close() })
	var shown bytes.Buffer
	var mutex sync.Mutex
	go func() {
		room := make([]byte, 4096)
		for {
			n, err := master.Read(room)
			mutex.Lock()
			shown.Write(room[:n])
			mutex.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return terminal, func() string {
		mutex.Lock()
		defer mutex.Unlock()
		return shown.String()
	}
}

// On a terminal a line shows how training goes, until it is done, below what is printed
// meanwhile; so it does with the rows of a stream.
func TestLineOnATerminal(t *testing.T) {
	pty, shows := openTerminal(t)
	d := terminal.NewDisplay(pty)
	if !d.Screen.IsTerminal() {
		t.Fatal("found no terminal")
	}
	d.State.Aim(fenchel.Spec{Gap: 1e-3})
	for epoch, gap := range []float64{0.1, 1e-4, 1e-5} {
		d.State.Certified(fenchel.Progress{Output: fenchel.Output{Classes: 1},
			Progress: solver.Progress{Epoch: epoch + 3, Certificate: problem.Certificate{Primal: 1, Dual: 1 - gap}}}, d.Now())
		if want := fmt.Sprintf("epoch %d ", epoch+4); !shows(want) {
			t.Fatalf("never showed %q", want)
		}
	}
	fmt.Fprintln(d.Screen, "a warning")
	if !shows("\ra warning\r\n\rtraining ") {
		t.Error("a warning is not above the line")
	}
	d.Learned(12345)
	if !shows("12345 rows") {
		t.Error("never showed the rows")
	}
	d.Done()
	d.Done() // once more
	fmt.Fprintln(pty, "the end")
	if !shows("\rthe end") {
		t.Error("never came to an end")
	}
}

// TestEveryPhaseOnATerminal: a command shows its phases in no more letters than the terminal is
// wide, however narrow.
func TestEveryPhaseOnATerminal(t *testing.T) {
	for _, width := range []int{20, 40, 80} {
		terminal, seen := openTerminalOf(t, width)
		cmd := exec.Command("fenchel", "train", "@blobs:n=20000,d=40,classes=6,spread=4", "--kernel", "rbf", "--gap", "1e-9", "-o", t.TempDir()+"/m", "--json", "--threads", "1")
		cmd.Stderr = terminal
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 6000 { // a minute, on a machine that is busy
			if strings.Contains(seen(), "\rtraining ") {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // the exit code is that of the interruption
		if !strings.Contains(seen(), "\rtraining ") {
			t.Errorf("%d: found %q, expected the phase of training", width, seen())
		}
		for _, line := range strings.FieldsFunc(seen(), func(r rune) bool { return r == '\r' || r == '\n' }) {
			if line = strings.TrimRight(line, "\b"); len(line) >= width && !strings.HasPrefix(line, "stopping: ") {
				t.Errorf("found %d letters, expected fewer than %d: %q", len(line), width, line)
			}
		}
	}
}
