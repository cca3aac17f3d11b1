package race

import (
	"bytes"
	"cmp"
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

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/tune"
)

// The race of searches: Fenchel against what scikit-learn has for the same model, with the same
// rows, folds and grid, reading left out. LogisticRegressionCV begins each C at the one before, as
// Fenchel does; GridSearchCV solves each problem alone, two at a time. Paths of the lasso and of
// logistic regression with the penalty l1 race against celer and skglm.
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
		axes, err := tune.ParseAxes(axesText)
		if err != nil {
			return err
		}
		m := measure.Measurement{Race: "tune", Set: c.set, Size: measure.Size{Rows: int64(set.Rows()), Columns: int64(set.Cols()), Nonzeros: matrix.Nonzeros(set.X)}, Loss: c.loss, Kernel: c.kernel, Lambda: axesText, Threads: l.opt.Threads, Repeat: 1}
		spec := tune.Spec{Train: fenchel.Spec{Loss: c.loss, Kernel: c.kernel, Run: fenchel.Run{Threads: l.opt.Threads}}, Axes: axes, Folds: tune.Folds{K: 5, Seed: 1}}
		if err := l.tuneOwn(ctx, set, spec, m); err != nil {
			return err
		}
		if err := l.tunePeer(ctx, set, file, spec, m); err != nil {
			l.progress("tune: %s: %v", c.set, err)
		}
	}
	return runPaths(ctx, l)
}

// spreadOver reads so many rows, spread evenly over a file: it may be in the order of the classes.
func spreadOver(ctx context.Context, file string, rows int) (*data.Set, error) {
	set, err := data.Read(ctx, []string{file}, data.Options{})
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
func (l *lab) tuneOwn(ctx context.Context, set *data.Set, spec tune.Spec, m measure.Measurement) error {
	begun := time.Now()
	found, err := tune.Run(ctx, set, spec)
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
func (l *lab) tunePeer(ctx context.Context, set *data.Set, file string, spec tune.Spec, m measure.Measurement) error {
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
	said, err := l.askScript(ctx, ask)
	if err != nil {
		return fmt.Errorf("scikit-learn: %w", err)
	}
	m.Contender, m.Setting, m.Seconds, m.Test = said.Contender, said.Setting, said.Seconds, said.Score
	l.log.Add(m)
	return nil
}

// saying is what the script says.
type saying struct {
	Contender, Setting                  string
	Seconds, Processor, Score, Accuracy float64
}

// askScript runs the script of the peers.
func (l *lab) askScript(ctx context.Context, ask []byte) (said saying, err error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, cmp.Or(l.opt.Python, "python3"), "-c", tuneScript)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(ask), &out, &errs
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(errs.String()), "\n") // of a traceback the last line says what happened, the others name files
		return said, fmt.Errorf("%w: %.300s", err, lines[len(lines)-1])
	}
	return said, json.Unmarshal(out.Bytes(), &said)
}

// pathContests are paths of 100 values of lambda down to a thousandth of the largest that matters,
// without bias: of rows of a task, and of ones made here, which are dense.
var pathContests = []struct{ set, made, loss string }{
	{"20news1", "", "logistic"},
	{"imdb", "", "logistic"},
	{"imdb", "", "squared"},
	{"dense", "@linear:n=1000,d=10000,support=100,noise=1", "squared"},
}

// runPaths races those; with --quick the first.
func runPaths(ctx context.Context, l *lab) error {
	for _, c := range pathContests {
		var err error
		if c.made == "" {
			err = l.eachTask(ctx, []task.Source{task.SourceOf(c.set)}, func(t *task.Task, _ sessions, _ time.Time) error {
				return l.racePath(ctx, t.Set, t.Y, t.Text, measure.Measurement{Set: c.set, Loss: c.loss})
			})
		} else {
			err = l.racePathMade(ctx, c.made, measure.Measurement{Set: c.set, Loss: c.loss})
		}
		if err != nil || l.opt.quick {
			return err
		}
	}
	return nil
}

// racePathMade is racePath of rows that are made here.
func (l *lab) racePathMade(ctx context.Context, made string, m measure.Measurement) error {
	set, err := data.Read(ctx, []string{made}, data.Options{})
	if err != nil {
		return err
	}
	file := filepath.Join(l.opt.Work, m.Set+".npz")
	if err := data.Write(ctx, file, set, "npz"); err != nil {
		return err
	}
	return l.racePath(ctx, set, set.Target.Number, file, m)
}

// racePath takes the time of Fenchel's path, each of whose solutions is proved to the target, and of
// the peers' with objectives as accurate, judged by a path of a smaller gap.
func (l *lab) racePath(ctx context.Context, set *data.Set, y []float64, file string, m measure.Measurement) error {
	l.progress("path %s %s", m.Set, m.Loss)
	spec := tune.Spec{Path: true, Train: fenchel.Spec{Task: "regression", Loss: m.Loss, Penalty: "l1", Bias: "none", Scaling: "none", Gap: task.WholeTarget, Run: fenchel.Run{Threads: l.opt.Threads}}}
	if m.Loss == "logistic" {
		spec.Train.Task = "classification"
	}
	begun, used := time.Now(), peer.ProcessorTime()
	found, err := tune.Run(ctx, set, spec)
	if err != nil {
		return err
	}
	m.Race, m.Kind, m.Lambda, m.Threads, m.Repeat = "tune", "path", fmt.Sprintf("%d values", len(found.Candidates)), l.opt.Threads, 1
	m.Rows, m.Columns, m.Nonzeros, m.Target = int64(set.Rows()), int64(set.Cols()), matrix.Nonzeros(set.X), task.WholeTarget
	own := m
	own.Contender, own.Seconds = measure.OwnName, time.Since(begun).Seconds()
	own.Note = processorNote(peer.ProcessorTime() - used)
	for _, c := range found.Candidates {
		own.Accuracy = max(own.Accuracy, c.Gap)
	}
	l.log.Add(own)
	return l.pathPeers(ctx, set, spec, map[string]any{"file": file, "y": y, "loss": m.Loss, "limit": 10*own.Seconds + 5}, m)
}

// pathPeers takes the time of the peers.
func (l *lab) pathPeers(ctx context.Context, set *data.Set, spec tune.Spec, ask map[string]any, m measure.Measurement) error {
	spec.Train.Gap = m.Target / 1000
	found, err := tune.Run(ctx, set, spec)
	if err != nil {
		return err
	}
	var lambdas, objectives []float64
	for _, c := range found.Candidates {
		lambdas, objectives = append(lambdas, c.Lambda), append(objectives, c.Objective)
	}
	ask["lambdas"], ask["objectives"], ask["target"] = lambdas, objectives, m.Target
	for _, ask["peer"] = range []any{"celer", "skglm"} {
		text, err := json.Marshal(ask)
		if err != nil {
			return err
		}
		said, err := l.askScript(ctx, text)
		if err != nil {
			l.note("path: %s on %s: %v", ask["peer"], m.Set, err)
			continue
		}
		m.Contender, m.Setting, m.Seconds, m.Accuracy, m.Note = said.Contender, said.Setting, said.Seconds, said.Accuracy, processorNote(said.Processor)
		l.log.Add(m)
	}
	return ctx.Err()
}

func processorNote(seconds float64) string { return fmt.Sprintf("%.2f s of processor time", seconds) }
