package race

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// options are the flags.
type options struct {
	task.Config
	root, out, fenchel string

	races, sets, losses []string // nil: all
	rivals              []string // peers that may race; nil: all
	render              []string // folders of runs whose pages are made again
	quick, noFigures    bool
	busy                bool
	repeats             int
	limit, budget       time.Duration // of one training, of everything
}

// parseOptions reads the flags, and fills in what depends on others.
func parseOptions(args []string) (options, error) {
	var o options
	var races, sets, losses, peers, folders string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.BoolVar(&o.quick, "quick", false, "small sets and few repeats, about two minutes")
	f.BoolVar(&o.busy, "busy", false, "race though other programs use the processor; the page says so")
	f.BoolVar(&o.noFigures, "no-figures", false, "draw none (drawing downloads a library the first time)")
	f.DurationVar(&o.budget, "budget", 0, "time for everything (default 60m, with --quick 130s)")
	f.DurationVar(&o.limit, "limit", 0, "time for one training (default 90s, with --quick 5s)")
	f.IntVar(&o.repeats, "repeats", 0, "timed runs of each competitor, budget permitting, and four times as many of less than 0.1 s (default 5, with --quick 3)")
	f.IntVar(&o.Threads, "threads", min(2, runtime.NumCPU()), "cores that each competitor may use")
	f.IntVar(&o.Rows, "rcv1-rows", 0, "rows of the set shaped like rcv1 (default 800000, with --quick 20000); below 200000 the growing sets shrink with it")
	f.StringVar(&races, "races", "", "comma-separated races to run (default all: "+strings.Join(raceNames(), ", ")+")")
	f.StringVar(&sets, "sets", "", "comma-separated sets (default all, with --quick those of the acceptance table)")
	f.StringVar(&losses, "losses", "", "comma-separated losses (default "+strings.Join(task.LossNames, ", ")+", with --quick "+strings.Join(task.AcceptedLosses, ", ")+")")
	f.StringVar(&peers, "peers", "", "comma-separated peers (default all that are installed: "+strings.Join(peer.PeerNames(), ", ")+"; none for none)")
	f.StringVar(&o.Data, "data", os.Getenv("FENCHEL_DATA"), "folder of the real sets; also FENCHEL_DATA (default shared/data beside the checkout)")
	f.StringVar(&o.Work, "work", "", "folder for converted sets, drivers and reference optima (default in the user's cache)")
	f.StringVar(&o.out, "out", "", "folder for RESULTS.md, TABLES.md, results.csv, run.json and figures (default bench; with --quick or a choice of races or sets, out in the work folder)")
	f.StringVar(&folders, "render", "", "comma-separated folders of earlier runs: make RESULTS.md and TABLES.md from their results.csv and run.json, and measure nothing")
	f.StringVar(&o.Python, "python", "", "python with scikit-learn (default python3 or python in PATH)")
	f.StringVar(&o.fenchel, "fenchel", "", "fenchel binary for the race of whole processes (default: built here)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("found argument %q, expected flags only", f.Arg(0))
	}
	o.races, o.sets, o.losses, o.rivals = list(races), list(sets), list(losses), list(peers)
	o.render = list(folders)
	if err := errors.Join(known("race", o.races, raceNames()), known("set", o.sets, append(task.SetNames(), arraysName)), known("loss", o.losses, task.LossNames),
		known("peer", o.rivals, append(peer.PeerNames(), "none"))); err != nil {
		return o, err
	}
	if o.repeats < 0 || o.Threads < 1 || o.limit < 0 || o.budget < 0 || o.Rows < 0 {
		return o, errors.New("--repeats, --threads, --limit, --budget, --rcv1-rows: expected positive values")
	}
	return o, o.complete()
}

// Runs of less than shortRun seconds are repeated so many times as often as others:
// they cost little, and what else a machine does disturbs them most.
const (
	shortRun     = 0.1
	shortOftener = 4
)

// worth reports whether a run of so many seconds is worth repeating so often: once is
// enough for one of more than five seconds, because others need the time.
func (o *options) worth(repeat int, seconds float64) bool {
	switch {
	case seconds > 5:
		return repeat <= 2
	case seconds > shortRun:
		return repeat <= o.repeats
	}
	return repeat <= o.mostRepeats()
}

// mostRepeats is how often the shortest runs are repeated.
func (o *options) mostRepeats() int { return shortOftener * o.repeats }

// owed reports whether a run of so many seconds is made so often though time is up: the
// first, and all the repeats of one of two seconds at most. Two runs say little about a
// process of 50 ms, of which the first alone may take memory that the machine has to find.
func (o *options) owed(repeat int, seconds float64) bool {
	return repeat == 1 || repeat <= o.repeats && seconds <= 2
}

// complete sets what was left to defaults.
func (o *options) complete() error {
	partial := o.quick || o.races != nil || o.sets != nil || o.losses != nil || o.rivals != nil
	choose := func(full, quick int) int {
		if o.quick {
			return quick
		}
		return full
	}
	o.budget = cmp.Or(o.budget, time.Duration(choose(60*60, 130))*time.Second)
	o.limit = cmp.Or(o.limit, time.Duration(choose(90, 5))*time.Second)
	o.repeats = cmp.Or(o.repeats, choose(5, 3))
	o.Rows = cmp.Or(o.Rows, choose(800000, 20000))
	if o.losses == nil {
		o.losses = task.LossNames
		if o.quick {
			o.losses = task.AcceptedLosses
		}
	}
	if o.Work == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("no cache folder of the user: %w: name one with --work", err)
		}
		o.Work = filepath.Join(cache, "fenchel-bench")
	}
	var err error
	if o.root, err = repositoryRoot(); err != nil {
		return err
	}
	o.Data = cmp.Or(o.Data, filepath.Join(o.root, "..", "shared", "data"))
	if o.out == "" {
		o.out = filepath.Join(o.root, "bench")
		if partial {
			o.out = filepath.Join(o.Work, "out")
		}
	}
	return os.MkdirAll(o.Work, 0o777)
}

// repositoryRoot is the nearest folder at or above the current one that holds
// this command.
func repositoryRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "bench", "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("this folder is not in a checkout of Fenchel: run \"go run -C bench .\" in its root")
		}
		dir = up
	}
}

// list splits a comma-separated flag.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// known refuses names that do not exist.
func known(what string, names, all []string) error {
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("unknown %s %q: known: %s", what, name, strings.Join(all, ", "))
		}
	}
	return nil
}

// wants reports whether a name was chosen; nothing chosen is everything.
func wants(chosen []string, name string) bool { return chosen == nil || slices.Contains(chosen, name) }

// chosen are the sets of this run, for linear models.
func (o *options) chosen() []task.Source {
	return slices.DeleteFunc(slices.Clone(task.Sources), func(s task.Source) bool {
		return !wants(o.sets, s.Name) || o.sets == nil && o.quick && !s.Accept || s.Many
	})
}

// accepted are the chosen losses of the acceptance table.
func (o *options) accepted() []string {
	return slices.DeleteFunc(slices.Clone(o.losses), func(loss string) bool { return !slices.Contains(task.AcceptedLosses, loss) })
}

// kernelProblems are those of this run.
func (o *options) kernelProblems() []task.KernelProblem {
	return slices.DeleteFunc(slices.Clone(task.KernelProblems), func(p task.KernelProblem) bool {
		return !wants(o.sets, p.Set) || o.sets == nil && o.quick && !p.Quick
	})
}

// lambdas are the penalties raced with.
func (o *options) lambdas() []task.Lambda {
	if o.quick {
		return task.Lambdas[:1]
	}
	return task.Lambdas
}
