// Command bench races Fenchel against the programs people use today, on the
// same rows, the same objective and the same accuracy, in one run:
//
//	go run ./bench            # everything, about an hour
//	go run ./bench --quick    # about two minutes
//	go run ./bench --races solve --sets a9a,imdb --losses hinge
//
// It is run from the root of the repository. A peer races if it is installed,
// and a set if its file is in --data; what is missing is named and skipped.
//
// How accurate weights are is judged by package problem, whoever made them:
// (P(w) - P*)/P*, P* being the least objective anyone has shown. Fenchel is
// stopped by its own proof; a peer gets the loosest of its tolerances whose
// weights are accurate enough, found by a sweep whose cost is not counted.
//
// One race is one file that registers itself (see [race]), and so is one peer
// (see [program]); the races of kernel machines and of principal components are
// in the files kernel_*.go and pca_*.go too. Every measurement goes into
// results.csv; the page RESULTS.md and the figures are made from those rows alone. The figures are drawn by the
// module bench/plot, which keeps the drawing library out of the module that
// users depend on.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == launchVerb {
		os.Exit(launch(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is main with its arguments.
func run(ctx context.Context, args []string) error {
	opt, err := parseOptions(args)
	if err != nil {
		return err
	}
	l, err := newLab(ctx, opt)
	if err != nil {
		return err
	}
	started := time.Now()
	err = l.runRaces(ctx)
	if err == nil {
		l.machine.Took = time.Since(started)
	}
	// What was measured is reported, also when a race broke or was interrupted.
	return errors.Join(err, l.report(context.WithoutCancel(ctx)))
}

// report writes results.csv, the figures and RESULTS.md, and prints the tables.
func (l *lab) report(ctx context.Context) error {
	if err := os.MkdirAll(l.opt.out, 0o777); err != nil {
		return err
	}
	results := filepath.Join(l.opt.out, "results.csv")
	if err := writeCSV(results, l.log.rows); err != nil {
		return err
	}
	figures := l.plot(ctx, results)
	page := page{Machine: l.machine, Rows: l.log.rows, Notes: l.notes, Figures: figures}
	if err := os.WriteFile(filepath.Join(l.opt.out, "RESULTS.md"), []byte(page.markdown()), 0o666); err != nil {
		return err
	}
	fmt.Print(page.terminal())
	l.progress("wrote %s", filepath.Join(l.opt.out, "RESULTS.md"))
	return nil
}
