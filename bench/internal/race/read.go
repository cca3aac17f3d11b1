package race

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/data"
)

// The race of reading: from a file in the page cache to rows in memory, by
// format. MB/s are of the file as it is on disk. Binary arrays and tables of numbers
// are read by others too (see read_arrays.go).
func init() {
	register(race{name: "read", order: 50, share: 4, run: runRead})
}

// readFormats are the files made of each task. CSV holds every column of every
// row, so only sets of few columns are written that way.
var readFormats = []struct {
	kind, file string
	fits       func(*task.Task) bool
}{
	{"text", "data.svm", func(*task.Task) bool { return true }},
	{"gzip", "data.svm.gz", func(t *task.Task) bool { return t.TextBytes < 200<<20 }},
	{"csv", "data.csv", func(t *task.Task) bool { return int64(t.Rows)*int64(t.Cols) < 50e6 }},
	{"fen", "data.fen", func(*task.Task) bool { return true }},
}

func runRead(ctx context.Context, l *lab) error {
	if wants(l.opt.sets, arraysName) {
		if err := l.readArrays(ctx); err != nil {
			return err
		}
	}
	sets := slices.DeleteFunc(l.opt.chosen(), func(s task.Source) bool {
		return !slices.Contains([]string{"a9a", "covtype2", "imdb", "rcv1-shaped"}, s.Name)
	})
	return l.eachTask(ctx, sets, func(t *task.Task, _ sessions, end time.Time) error {
		l.progress("read %s", t.Name)
		for _, f := range readFormats {
			path := filepath.Join(t.Dir, f.file)
			if !f.fits(t) {
				continue
			}
			if f.kind != "text" {
				if err := data.Write(ctx, path, t.Set, ""); err != nil {
					l.note("Reading %s was not measured: %v", f.kind, err)
					continue
				}
			}
			if err := l.read(ctx, t, f.kind, path, end); err != nil {
				return err
			}
			if f.kind != "text" {
				if err := os.Remove(path); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// read times the reader on one core and on all.
func (l *lab) read(ctx context.Context, t *task.Task, kind, path string, end time.Time) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	for repeat := range l.opt.repeats {
		for _, threads := range slices.Compact([]int{1, l.opt.Threads}) {
			if repeat > 0 && time.Now().After(end) {
				return nil
			}
			runtime.GC()
			begin := time.Now()
			if _, err := data.Read(ctx, []string{path}, data.Options{Threads: threads}); err != nil {
				return err
			}
			m := t.Describe("read", kind)
			m.Contender, m.Threads, m.Repeat, m.Bytes, m.Seconds = measure.OwnName, threads, repeat+1, info.Size(), time.Since(begin).Seconds()
			l.log.Add(m)
		}
	}
	return nil
}
