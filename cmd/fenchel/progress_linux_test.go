package main

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/train"
)

// openTerminal returns a pseudo-terminal and what waits until it has shown a text.
func openTerminal(t *testing.T) (terminal *os.File, shows func(text string) bool) {
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
			_ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 160})
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
	var seen bytes.Buffer
	var mutex sync.Mutex
	go func() {
		room := make([]byte, 4096)
		for {
			n, err := master.Read(room)
			mutex.Lock()
			seen.Write(room[:n])
			mutex.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return terminal, func(text string) bool {
		for range 500 {
			mutex.Lock()
			found := bytes.Contains(seen.Bytes(), []byte(text))
			mutex.Unlock()
			if found {
				return true
			}
			time.Sleep(10 * time.Millisecond)
		}
		return false
	}
}

// On a terminal a bar shows how training goes, also when a class has come to its goal,
// until it is done; so it does with the rows of a stream.
func TestBar(t *testing.T) {
	terminal, shows := openTerminal(t)
	d := newDisplay(terminal, 1e-3)
	if d.bar == nil {
		t.Fatal("no bar on a terminal")
	}
	for epoch, gap := range []float64{0.1, 1e-4, 1e-5} {
		d.show(train.Progress{Output: train.Output{Classes: 1}, Progress: solver.Progress{Epoch: epoch + 3, Certificate: problem.Certificate{Primal: 1, Dual: 1 - gap}}})
		if want := fmt.Sprintf("epoch %d ", epoch+3); !shows(want) {
			t.Fatalf("never showed %q", want)
		}
	}
	if d.bar.Completed() {
		t.Error("the bar has ended before training: it will stay")
	}
	d.rows(12345)
	if !shows("12345 rows") {
		t.Error("never showed the rows")
	}
	d.done()
	fmt.Fprintln(terminal, "the end")
	if !shows("the end") {
		t.Error("never came to an end")
	}
}
