// Command fenchel trains linear models and kernel machines, and proves how good
// they are.
//
// One file per verb, of train three: the flags are in trainflags.go, what is
// reported in trainreport.go. What verbs share: root.go, how a command line is
// understood; input.go, the flags for reading data; proof.go, what a model is and proves;
// and the packages below internal: exitcode, how a run ends; interrupt, how it is ended
// early; terminal, what is shown meanwhile; paths, the files that are written; printing,
// how anything is spelled. No mathematics lives here.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	_ "github.com/fenchel-ml/fenchel/data/parquet" // registers itself
	"github.com/fenchel-ml/fenchel/internal/parallel"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with its surroundings as arguments.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stderr = terminal.NewScreen(stderr)
	ctx, stop := interrupt.Interruptible(stderr, interrupt.Burst, interrupt.Quit)
	defer stop()
	parallel.OnFault(func(name string) {
		fmt.Fprintf(stderr, "fenchel: %s: found less of the file than when it was opened, expected one that does not change while it is in use\n", printing.Visible(name))
		os.Exit(exitcode.Data)
	})
	defer parallel.Guard()()
	root := newRoot(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &checked{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if out.err != nil && (err == nil || exitcode.PrintsNothing(err) || errors.Is(err, out.err)) {
		err = exitcode.BadData(fmt.Errorf("standard output: %w", out.err))
	}
	if err == nil {
		return exitcode.OK
	}
	if strings.HasPrefix(err.Error(), "unknown command ") { // cobra's, on several lines
		err = unknownVerb(root, args)
	}
	e := exitcode.Of(err)
	if errors.Is(err, context.Canceled) {
		e = &exitcode.Error{Code: exitcode.Interrupted, Err: errors.New(strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted"))}
	}
	if e.Err != nil {
		fmt.Fprintf(stderr, "fenchel: %s\n", printing.Visible(printing.Message(strings.ReplaceAll(e.Err.Error(), "\n", " "))))
	}
	return e.Code
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
