package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

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
