//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
)

// A mapped cache that is cut short while a run goes on is told in one line.
func TestCutWhileTraining(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.fen")
	if code := run([]string{"convert", "@blobs:n=3000,classes=2,spread=9", path}, nil, io.Discard, os.Stderr); code != exitcode.OK {
		t.Fatal(code)
	}
	c := exec.Command("fenchel", "train", path, "--kernel", "laplacian", "--solver", "sdca", "--bias", "none", "--cache", "1MB", "--gap", "1e-12", "--time", "60s")
	var out bytes.Buffer
	c.Stdout = &out
	said, err := c.StderrPipe()
	if err != nil || c.Start() != nil {
		t.Skip("no program to start: ", err)
	}
	begun := make([]byte, 1)
	if _, err := said.Read(begun); err != nil { // it trains
		t.Fatal(err)
	}
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(said)
	c.Wait()
	lines := bytes.Split(bytes.TrimSpace(rest), []byte("\n"))
	want := "fenchel: " + path + ": found less of the file than when it was opened, expected one that does not change while it is in use"
	if last := string(lines[len(lines)-1]); c.ProcessState.ExitCode() != exitcode.Data || last != want || out.Len() > 0 {
		t.Errorf("found the exit code %d, %q and %q, expected %d and %q", c.ProcessState.ExitCode(), last, out.String(), exitcode.Data, want)
	}
}
