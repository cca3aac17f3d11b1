// Command fenchel trains linear models and kernel machines, and proves how good
// they are.
//
// One file per verb, of train three: the flags are in trainflags.go, what is
// reported in trainreport.go. What verbs share: exitcode.go, how a run ends; root.go, how
// a command line is understood; interrupt.go, how a run is ended early; screen.go,
// display.go, progress.go and progressline.go, what is shown meanwhile; input.go, the
// flags for reading data; path.go, the files that are written; proof.go, what a model is
// and proves; text.go, how anything is spelled. No mathematics lives here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/fenchel-ml/fenchel/parallel"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings as arguments.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stderr = newScreen(stderr)
	ctx, stop := interruptible(stderr, burst, quit)
	defer stop()
	parallel.OnFault(func(name string) {
		fmt.Fprintf(stderr, "fenchel: %s: found less of the file than when it was opened, expected one that does not change while it is in use\n", visible(name))
		os.Exit(exitData)
	})
	defer parallel.Guard()()
	root := newRoot(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &checked{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if out.err != nil && (err == nil || printsNothing(err) || errors.Is(err, out.err)) {
		err = badData(fmt.Errorf("standard output: %w", out.err))
	}
	if err == nil {
		return exitOK
	}
	if strings.HasPrefix(err.Error(), "unknown command ") { // cobra's, on several lines
		err = unknownVerb(root, args)
	}
	var e *exit
	if !errors.As(err, &e) {
		e = &exit{exitUsage, err}
	}
	if errors.Is(err, context.Canceled) {
		e = &exit{exitInterrupted, errors.New(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted"))}
	}
	if e.err != nil {
		fmt.Fprintf(stderr, "fenchel: %s\n", visible(strings.ReplaceAll(e.err.Error(), "\n", " ")))
	}
	return e.code
}

// exit is an error that knows the exit code; err == nil prints nothing.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exit) Unwrap() error { return e.err }

// printsNothing reports whether err is an exit code alone.
func printsNothing(err error) bool {
	var e *exit
	return errors.As(err, &e) && e.err == nil
}

// checked remembers the first error of writing, so that what a verb prints
// without looking is not lost unnoticed on a full disk.
type checked struct {
	w   io.Writer
	err error
}

func (c *checked) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	if err != nil {
		var p *fs.PathError
		if c.err = err; errors.As(err, &p) {
			c.err = p.Err
		}
	}
	return n, c.err
}

// badData marks err as one about input, output or data.
func badData(err error) error {
	if err == nil {
		return nil
	}
	return &exit{exitData, err}
}
