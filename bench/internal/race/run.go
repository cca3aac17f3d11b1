package race

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/page"
)

// Run is main with its arguments.
func Run(ctx context.Context, args []string) error {
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
	if err := measure.WriteCSV(filepath.Join(l.opt.out, measure.ResultsFile), l.log.Rows); err != nil {
		return err
	}
	l.plot(ctx, filepath.Join(l.opt.out, measure.ResultsFile))
	r := measure.Record{Machine: l.machine, Notes: l.notes, Rows: l.log.Rows}
	if err := r.WriteRun(l.opt.out); err != nil {
		return err
	}
	p, err := writePages(l.opt.out, []measure.Record{r})
	if err != nil {
		return err
	}
	fmt.Print(p.Terminal())
	l.progress("wrote %s", filepath.Join(l.opt.out, "RESULTS.md"))
	return nil
}

// render makes the pages again from what earlier runs left in their folders.
func render(opt options) error {
	var records []measure.Record
	for _, folder := range opt.render {
		r, err := measure.ReadRecord(folder)
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	_, err := writePages(opt.out, records)
	return err
}

// writePages writes RESULTS.md, with the figures that are there, and TABLES.md.
func writePages(folder string, records []measure.Record) (page.Page, error) {
	drawn, err := filepath.Glob(filepath.Join(folder, "figures", "*.svg"))
	for i, path := range drawn {
		drawn[i] = "figures/" + filepath.Base(path)
	}
	p := page.Page{Records: records, Figures: drawn}
	return p, errors.Join(err, os.WriteFile(filepath.Join(folder, "RESULTS.md"), []byte(p.Summary()), 0o666),
		os.WriteFile(filepath.Join(folder, "TABLES.md"), []byte(p.Tables()), 0o666))
}
