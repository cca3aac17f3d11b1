// Command bench races Fenchel against the programs people use today, on the
// same rows, the same objective and the same accuracy, in one run:
//
//	go run ./bench            # everything, about an hour
//	go run ./bench --quick    # about two minutes
//	go run ./bench --races solve --sets a9a,imdb --losses hinge
//	go run ./bench --render DIR,DIR     # the pages again, from what runs left there
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
// results.csv; the pages RESULTS.md, a summary, and TABLES.md, with every table, and
// the figures are made from those rows alone. Only the summary and the figures are
// committed. The figures are drawn by the module bench/plot, which keeps the drawing
// library out of the module that users depend on.
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
	if opt.render != nil {
		return render(opt)
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

// report writes what was measured, the figures and the pages, and prints the verdicts.
func (l *lab) report(ctx context.Context) error {
	if err := os.MkdirAll(l.opt.out, 0o777); err != nil {
		return err
	}
	if err := writeCSV(filepath.Join(l.opt.out, resultsFile), l.log.rows); err != nil {
		return err
	}
	l.plot(ctx, filepath.Join(l.opt.out, resultsFile))
	r := record{Machine: l.machine, Notes: l.notes, Rows: l.log.rows}
	if err := r.writeRun(l.opt.out); err != nil {
		return err
	}
	p, err := writePages(l.opt.out, []record{r})
	if err != nil {
		return err
	}
	fmt.Print(p.terminal())
	l.progress("wrote %s", filepath.Join(l.opt.out, "RESULTS.md"))
	return nil
}

// render makes the pages again from what earlier runs left in their folders.
func render(opt options) error {
	var records []record
	for _, folder := range opt.render {
		r, err := readRecord(folder)
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	_, err := writePages(opt.out, records)
	return err
}

// writePages writes RESULTS.md, with the figures that are there, and TABLES.md.
func writePages(folder string, records []record) (page, error) {
	drawn, err := filepath.Glob(filepath.Join(folder, "figures", "*.svg"))
	for i, path := range drawn {
		drawn[i] = "figures/" + filepath.Base(path)
	}
	p := page{Records: records, Figures: drawn}
	return p, errors.Join(err, os.WriteFile(filepath.Join(folder, "RESULTS.md"), []byte(p.summary()), 0o666),
		os.WriteFile(filepath.Join(folder, "TABLES.md"), []byte(p.tables()), 0o666))
}
