package race

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/library"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/model"
)

// The race of whole processes: from the command line to the model file on
// disk, reading included, as a user waits for it. Fenchel proves its answer
// and hashes the rows in that time; a peer runs once, with the loosest of its
// tolerances that is accurate enough, which its user would have to guess. The
// files are in the page cache for all.
func init() {
	register(race{name: "whole", order: 20, share: 22, run: runWhole})
}

func runWhole(ctx context.Context, l *lab) error {
	binary, err := l.fenchelBinary(ctx)
	if err != nil {
		return err
	}
	sets := slices.DeleteFunc(l.opt.chosen(), func(s task.Source) bool { return !s.Accept })
	losses := l.opt.accepted()
	return l.eachTask(ctx, sets, func(t *task.Task, open sessions, end time.Time) error {
		cache := l.cacheFile(ctx, binary, t)
		cases := float64(len(losses) * len(l.opt.lambdas()))
		for _, loss := range losses {
			for _, lambda := range l.opt.lambdas() {
				c := newContest(l, "whole", t, loss, lambda, open, sliceOf(time.Now(), end, 1, cases))
				cases--
				if err := c.runWhole(ctx, binary, cache); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// cacheFile writes the task as Fenchel's binary cache; "" where this version
// has none.
func (l *lab) cacheFile(ctx context.Context, binary string, t *task.Task) string {
	path := filepath.Join(t.Dir, "data.fen")
	if _, err := os.Stat(path); err == nil {
		if err := os.Remove(path); err != nil { // perhaps of another version
			l.note("%v", err)
			return ""
		}
	}
	if _, err := peer.RunProcess(ctx, []string{binary, "convert", t.Text, path}); err != nil {
		l.note("There is no binary cache .fen in this version: %v", err)
		return ""
	}
	return path
}

// process is a competitor in this race.
type process struct {
	row     measure.Measurement
	argv    []string
	weights func() ([]float64, error)
	took    float64 // seconds, the last time
}

func (c *contest) runWhole(ctx context.Context, binary, cache string) error {
	c.progress("whole %s %s lambda=%s", c.t.Name, c.loss, c.lambda)
	if err := c.refer(ctx, min(c.opt.limit/2, c.share/8)); err != nil {
		return err
	}
	competitors := []process{c.ownProcess(binary, "text", c.t.Text)}
	if cache != "" {
		competitors = append(competitors, c.ownProcess(binary, "cache", cache))
	}
	for _, p := range c.peers {
		c.extend(p)
		best, found, err := c.fastest(ctx, p, task.WholeTarget)
		if err != nil {
			return err
		}
		if found {
			competitors = append(competitors, c.peerProcess(best))
		}
	}
	for repeat := 1; repeat <= c.opt.mostRepeats(); repeat++ {
		for k, p := range competitors {
			if !c.opt.worth(repeat, p.took) || c.late() && !c.opt.owed(repeat, p.took) {
				continue
			}
			took, err := c.measure(ctx, p, repeat)
			if err != nil {
				return err
			}
			competitors[k].took = took
		}
	}
	c.settle()
	return ctx.Err()
}

// ownProcess is the command fenchel on a file.
func (c *contest) ownProcess(binary, kind, path string) process {
	out := filepath.Join(c.t.Dir, "fenchel.model")
	m := c.row(kind, measure.OwnName)
	m.Setting, m.Threads = fmt.Sprintf("gap=%g", task.WholeTarget), c.opt.Threads
	m.Bytes = c.t.TextBytes
	return process{row: m, argv: []string{binary, "train", path, "-o", out, "-q", "--loss", c.loss, "--lambda", measure.Number(c.lambda.Value(c.t.Rows)),
		"--bias", "none", "--gap", measure.Number(task.WholeTarget), "--threads", strconv.Itoa(c.opt.Threads), "--time", c.opt.limit.String()},
		weights: func() ([]float64, error) {
			learned, err := model.ReadFile(out)
			if err != nil {
				return nil, err
			}
			return learned.Outputs[0].Weights, nil
		}}
}

// peerProcess is a peer's command at a setting that was found accurate.
func (c *contest) peerProcess(best point) process {
	out := filepath.Join(c.t.Dir, "peer.model")
	j := peer.Job{Task: c.t, Loss: c.loss, Lambda: c.lambda, Method: best.method, Knob: best.knob}
	m := c.row("text", best.contender)
	m.Setting, m.Threads, m.Bytes = j.Setting(), 1, c.t.TextBytes
	return process{row: m, argv: best.peer.Command(j, out), weights: func() ([]float64, error) { return best.peer.Weights(j, out) }}
}

// measure runs a process once, judges what it learned and returns its seconds.
func (c *contest) measure(ctx context.Context, p process, repeat int) (float64, error) {
	limited, cancel := context.WithTimeout(ctx, 4*c.opt.limit)
	defer cancel()
	r, err := peer.RunProcess(limited, p.argv)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	m := p.row
	m.Target, m.Repeat, m.Seconds, m.Peak = task.WholeTarget, repeat, r.Seconds, r.Peak
	if err != nil {
		m.Kind, m.Note = "unreached", err.Error()
		if !errors.Is(err, peer.ErrTimeout) {
			c.note("%s on %s: %v", m.Contender, c.t.Name, err)
		}
		c.log.Add(m)
		return r.Seconds, nil
	}
	w, err := p.weights()
	if err == nil {
		m.Objective, err = library.Judge(c.t, c.loss, c.lambda, w)
	}
	c.log.Add(m)
	return r.Seconds, err
}
