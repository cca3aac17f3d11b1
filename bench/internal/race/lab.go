// Package race runs the races. A race measures one thing; its file registers it from init,
// so that adding a race is adding a file and, in package page, its sections. It imports all
// other rooms of the races. A stranger begins with [Run] and [lab]; the file bandwidth.go
// is the shortest race.
package race

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// A race measures one thing. Its file registers it from init, so that adding a
// race is adding a file.
type race struct {
	name  string
	order int     // of running
	share float64 // of the budget, against those of the other races

	run func(context.Context, *lab) error
}

var races []race

func register(r race) {
	races = append(races, r)
	slices.SortFunc(races, func(a, b race) int { return a.order - b.order })
}

func raceNames() []string {
	var names []string
	for _, r := range races {
		names = append(names, r.name)
	}
	return names
}

// errSkip is why a race did not run; the run goes on.
type errSkip string

func (e errSkip) Error() string { return string(e) }

// lab is what every race is given.
type lab struct {
	opt        options
	machine    measure.Machine
	peers      []peer.Peer // those installed
	machines   []peer.MachinePeer
	reducers   []peer.Reducer
	readers    []peer.FileReader
	references *task.References
	log        *measure.Log
	notes      []string // what was left out, and why
	started    time.Time
	deadline   time.Time // of the race that runs
	sweeps     map[string][]point
	binary     string // the command fenchel, when it was built
}

// newLab looks at the machine and for the peers.
func newLab(ctx context.Context, opt options) (*lab, error) {
	l := &lab{opt: opt, machine: measure.DescribeMachine(), log: &measure.Log{}, started: time.Now(), sweeps: map[string][]point{}}
	l.opt.Config.Progress = l.progress
	var err error
	if l.references, err = task.OpenReferences(filepath.Join(opt.Work, "references.json")); err != nil {
		return nil, err
	}
	l.machine.Threads, l.machine.Limit, l.machine.Commit = opt.Threads, opt.limit, measure.CommitOf(ctx, opt.root)
	for _, p := range peer.Programs {
		if !wants(opt.rivals, p.Name()) {
			continue
		}
		version, err := p.Find(ctx, &opt.Config)
		if err != nil {
			l.note("%s did not race: %v", p.Name(), err)
			continue
		}
		l.machine.Peers = append(l.machine.Peers, p.Name()+" "+version)
		if p, ok := p.(peer.Peer); ok {
			l.peers = append(l.peers, p)
		}
		if p, ok := p.(peer.MachinePeer); ok {
			l.machines = append(l.machines, p)
		}
		if p, ok := p.(peer.Reducer); ok {
			l.reducers = append(l.reducers, p)
		}
		if p, ok := p.(peer.FileReader); ok {
			l.readers = append(l.readers, p)
		}
	}
	return l, nil
}

// runRaces runs the races one after another, each until its share of what is
// left of the budget is spent.
func (l *lab) runRaces(ctx context.Context) error {
	end := l.started.Add(l.opt.budget)
	total := 0.0
	for _, r := range races {
		if wants(l.opt.races, r.name) {
			total += r.share
		}
	}
	for _, r := range races {
		if !wants(l.opt.races, r.name) {
			continue
		}
		l.deadline = sliceOf(time.Now(), end, r.share, total)
		total -= r.share
		if err := l.waitForQuiet(ctx); err != nil {
			return fmt.Errorf("race %s: %w", r.name, err)
		}
		l.progress("race %s, at most %s", r.name, time.Until(l.deadline).Round(time.Second))
		err := r.run(ctx, l)
		var skip errSkip
		if errors.As(err, &skip) {
			l.note("The race %q did not run: %v", r.name, skip)
			continue
		}
		if err != nil {
			return fmt.Errorf("race %s: %w", r.name, err)
		}
	}
	return nil
}

// patience is how long a race waits for other programs to end.
const patience = 30 * time.Second

// waitForQuiet refuses to race on a busy machine: threads that wait for each other in a loop lose more by it
// than others, up to forty times.
func (l *lab) waitForQuiet(ctx context.Context) error {
	for end := time.Now().Add(patience); ; {
		busy, ok := measure.Busy(ctx)
		switch {
		case !ok || l.opt.busy || busy <= measure.MostBusy:
			l.machine.Busy = max(l.machine.Busy, busy)
			return ctx.Err()
		case time.Now().After(end):
			return fmt.Errorf("found other programs that use %.2g cores, expected at most %g: end them, or race all the same with --busy", busy, measure.MostBusy)
		}
		l.progress("other programs use %.2g cores: waiting", busy)
	}
}

// sliceOf is when a part ends that gets its share of the time from now to end.
func sliceOf(now, end time.Time, part, whole float64) time.Time {
	if !(whole > 0) || !end.After(now) {
		return now
	}
	return now.Add(time.Duration(float64(end.Sub(now)) * min(1, part/whole)))
}

// note keeps a remark for the report, once.
func (l *lab) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(l.notes, text) {
		l.notes = append(l.notes, text)
		l.progress("%s", text)
	}
}

// progress tells the person who waits.
func (l *lab) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%7.1fs  %s\n", time.Since(l.started).Seconds(), fmt.Sprintf(format, args...))
}

// fenchelBinary returns the command that takes part in the race of whole
// processes, built from this checkout.
func (l *lab) fenchelBinary(ctx context.Context) (string, error) {
	if l.opt.fenchel != "" {
		return l.opt.fenchel, nil
	}
	if l.binary != "" {
		return l.binary, nil
	}
	path := filepath.Join(l.opt.Work, peer.Executable("fenchel"))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/fenchel")
	cmd.Dir = l.opt.root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // one static binary, as the README says
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/fenchel: %w: %s", err, out)
	}
	l.binary = path
	return path, nil
}

// plot lets the command plot draw results.csv. Without figures the page is
// complete but for them.
func (l *lab) plot(ctx context.Context, results string) {
	if l.opt.noFigures || len(measure.Where(l.log.Rows, func(m measure.Measurement) bool { return m.Kind == "trace" || m.Kind == "sweep" })) == 0 {
		return
	}
	folder := filepath.Join(l.opt.out, "figures")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		l.note("No figures: %v", err)
		return
	}
	paths := []string{results, folder}
	for i, path := range paths {
		full, err := filepath.Abs(path)
		if err != nil {
			l.note("No figures: %v", err)
			return
		}
		paths[i] = full
	}
	cmd := exec.CommandContext(ctx, "go", "run", "./plot", paths[0], paths[1])
	cmd.Dir = filepath.Join(l.opt.root, "bench")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		l.note("No figures: bench/plot: %v: %s", err, peer.Tail(string(out)))
	}
}
