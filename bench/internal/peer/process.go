package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// LaunchVerb, as first argument, makes this program start another one and
// measure it. The largest memory of a process as the system tells it begins
// with that of the process it was started from, so a process that holds whole
// data sets must not start what it measures.
const LaunchVerb = "launch-and-measure"

// ProcessResult is what one whole process needed.
type ProcessResult struct {
	Seconds float64
	Peak    int64  // bytes of memory; 0: not known on this system
	Code    int    // exit
	Output  string // all of standard output
	Error   string
}

// Launch runs a command and prints its result.
func Launch(argv []string) int {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	err := cmd.Run()
	r := ProcessResult{Seconds: time.Since(begin).Seconds(), Output: stdout.String(), Error: Tail(stderr.String())}
	if cmd.ProcessState == nil {
		r.Code, r.Error = -1, err.Error()
	} else {
		r.Code, r.Peak = cmd.ProcessState.ExitCode(), peakMemory(cmd.ProcessState)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return 1
	}
	return 0
}

// RunProcess measures a command that must succeed.
func RunProcess(ctx context.Context, argv []string) (ProcessResult, error) {
	self, err := os.Executable()
	if err != nil {
		return ProcessResult{}, err
	}
	cmd := exec.CommandContext(ctx, self, append([]string{LaunchVerb}, argv...)...)
	endWithChildren(cmd)
	out, err := cmd.Output()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ProcessResult{}, ErrTimeout
	}
	if err != nil {
		return ProcessResult{}, err
	}
	var r ProcessResult
	if err := json.Unmarshal(out, &r); err != nil {
		return r, err
	}
	if r.Code != 0 {
		return r, fmt.Errorf("%s ended with %d: %s", filepath.Base(argv[0]), r.Code, r.Error)
	}
	return r, nil
}
