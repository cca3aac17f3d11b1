package race

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/search"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/train"
)

// The race of searches: Fenchel against what scikit-learn has for the same model, with the same
// rows, folds and grid, reading left out. LogisticRegressionCV begins each C at the one before, as
// Fenchel does; GridSearchCV solves each problem alone, two at a time.
func init() {
	register(race{name: "tune", order: 45, share: 3, run: runTune})
}

//go:embed tune.py
var tuneScript string

// contests are those of the race; with --quick fewer rows, and fewer values.
var tuneContests = []struct {
	set, file, loss, kernel, axes, quickAxes string
	rows, quickRows                          int
}{
	{"imdb", "imdb/imdb_tfidf.train.svm.gz", "logistic", "", "C=1e-4..1e4/10", "C=1e-2..1e2/3", 25000, 5000},
	{"ijcnn1", "ijcnn1/ijcnn1.trn.bz2", "hinge", "rbf", "C=2^-5..2^15/7 gamma=2^-15..2^3/7", "C=1..100 gamma=0.1,1", 10000, 2000},
	{"a9a", "adult/a9a.gz", "hinge", "rbf", "C=2^-5..2^15/7 gamma=2^-15..2^3/7", "C=1..100 gamma=0.01,0.1", 5000, 1500},
}

func runTune(ctx context.Context, l *lab) error {
	for _, c := range tuneContests {
		file := filepath.Join(l.opt.Data, c.file)
		if _, err := os.Stat(file); err != nil {
			l.progress("tune: %s is not there", file)
			continue
		}
		rows, axesText := c.rows, c.axes
		if l.opt.quick {
			rows, axesText = c.quickRows, c.quickAxes
		}
		set, err := spreadOver(ctx, file, rows)
		if err != nil {
			return err
		}
		axes, err := search.ParseAxes(axesText)
		if err != nil {
			return err
		}
		m := measure.Measurement{Race: "tune", Set: c.set, Rows: int64(set.Rows()), Columns: int64(set.Cols()), Nonzeros: matrix.Nonzeros(set.X), Loss: c.loss, Kernel: c.kernel, Lambda: axesText, Threads: l.opt.Threads, Repeat: 1}
		spec := search.Spec{Train: train.Spec{Loss: c.loss, Kernel: c.kernel, Threads: l.opt.Threads}, Axes: axes, Folds: search.Folds{K: 5, Seed: 1}}
		if err := l.tuneOwn(ctx, set, spec, m); err != nil {
			return err
		}
		if err := l.tunePeer(ctx, set, file, spec, m); err != nil {
			l.progress("tune: %s: %v", c.set, err)
		}
	}
	return nil
}

// spreadOver reads so many rows, spread evenly over a file: it may be in the order of the classes.
func spreadOver(ctx context.Context, file string, rows int) (*dataset.Set, error) {
	set, err := dataset.Read(ctx, []string{file}, dataset.Options{})
	if err != nil || set.Rows() <= rows {
		return set, err
	}
	taken := make([]int, rows)
	for i := range taken {
		taken[i] = i * set.Rows() / rows
	}
	return set.Subset(taken)
}

// tuneOwn takes the time of Fenchel's search.
func (l *lab) tuneOwn(ctx context.Context, set *dataset.Set, spec search.Spec, m measure.Measurement) error {
	begun := time.Now()
	found, err := search.Run(ctx, set, spec)
	if err != nil {
		return err
	}
	best := found.Candidates[found.Best]
	m.Contender, m.Seconds, m.Test, m.Target = measure.OwnName, time.Since(begun).Seconds(), best.Mean, solver.DefaultGap
	m.Setting, m.Evaluations = best.String(), found.Computed
	l.log.Add(m)
	return nil
}

// tunePeer takes that of scikit-learn, with the same folds.
func (l *lab) tunePeer(ctx context.Context, set *dataset.Set, file string, spec search.Spec, m measure.Measurement) error {
	folds, err := spec.Folds.Deal(set, set.Target.Code, set.Target.Label)
	if err != nil {
		return err
	}
	of := make([]string, set.Rows())
	for f, fold := range folds {
		for _, i := range fold.Judge {
			of[i] = strconv.Itoa(f)
		}
	}
	values := map[string][]float64{}
	for _, a := range spec.Axes {
		values[a.Key] = a.Numbers()
	}
	ask, err := json.Marshal(map[string]any{"file": file, "rows": set.Rows(), "folds": strings.Join(of, " "), "values": values, "kernel": spec.Train.Kernel, "threads": l.opt.Threads})
	if err != nil {
		return err
	}
	python := l.opt.Python
	if python == "" {
		python = "python3"
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, python, "-c", tuneScript)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(ask), &out, &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("scikit-learn: %w: %.300s", err, errs.String())
	}
	var said struct {
		Contender, Setting string
		Seconds, Score     float64
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil {
		return err
	}
	m.Contender, m.Setting, m.Seconds, m.Test = said.Contender, said.Setting, said.Seconds, said.Score
	l.log.Add(m)
	return nil
}
