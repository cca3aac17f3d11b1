package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/fenchel-ml/fenchel/model"
)

// The race of whole processes: from the command line to the model file on
// disk, reading included, as a user waits for it. Fenchel proves its answer
// and hashes the rows in that time; a peer runs once, with the loosest of its
// tolerances that is accurate enough, which its user would have to guess. The
// files are in the page cache for everyone.
func init() {
	register(race{name: "whole", order: 20, share: 22, run: runWhole})
}

func runWhole(ctx context.Context, l *lab) error {
	binary, err := l.fenchelBinary(ctx)
	if err != nil {
		return err
	}
	sets := slices.DeleteFunc(l.opt.chosen(), func(s source) bool { return !s.accept })
	losses := l.opt.accepted()
	return l.eachTask(ctx, sets, func(t *task, open sessions, end time.Time) error {
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
func (l *lab) cacheFile(ctx context.Context, binary string, t *task) string {
	path := filepath.Join(t.dir, "data.fen")
	if _, err := os.Stat(path); err == nil {
		if err := os.Remove(path); err != nil { // perhaps of another version
			l.note("%v", err)
			return ""
		}
	}
	if _, err := runProcess(ctx, []string{binary, "convert", t.text, path}); err != nil {
		l.note("There is no binary cache .fen in this version: %v", err)
		return ""
	}
	return path
}

// process is a competitor in this race.
type process struct {
	row     measurement
	argv    []string
	weights func() ([]float64, error)
	took    float64 // seconds, the last time
}

func (c *contest) runWhole(ctx context.Context, binary, cache string) error {
	c.progress("whole %s %s lambda=%s", c.t.name, c.loss, c.lambda)
	if err := c.refer(ctx, min(c.opt.limit/2, c.share/8)); err != nil {
		return err
	}
	competitors := []process{c.ownProcess(binary, "text", c.t.text)}
	if cache != "" {
		competitors = append(competitors, c.ownProcess(binary, "cache", cache))
	}
	for _, p := range c.peers {
		c.extend(p)
		best, found, err := c.fastest(ctx, p, wholeTarget)
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
	out := filepath.Join(c.t.dir, "fenchel.model")
	m := c.row(kind, ownName)
	m.Setting, m.Threads = fmt.Sprintf("gap=%g", wholeTarget), c.opt.threads
	m.Bytes = c.t.textBytes
	return process{row: m, argv: []string{binary, "train", path, "-o", out, "-q", "--loss", c.loss, "--lambda", number(c.lambda.value(c.t.rows)),
		"--bias", "none", "--gap", number(wholeTarget), "--threads", strconv.Itoa(c.opt.threads), "--time", c.opt.limit.String()},
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
	out := filepath.Join(c.t.dir, "peer.model")
	j := job{c.t, c.loss, c.lambda, best.method, best.knob}
	m := c.row("text", best.contender)
	m.Setting, m.Threads, m.Bytes = j.setting(), 1, c.t.textBytes
	return process{row: m, argv: best.peer.command(j, out), weights: func() ([]float64, error) { return best.peer.weights(j, out) }}
}

// measure runs a process once, judges what it learned and returns its seconds.
func (c *contest) measure(ctx context.Context, p process, repeat int) (float64, error) {
	limited, cancel := context.WithTimeout(ctx, 4*c.opt.limit)
	defer cancel()
	r, err := runProcess(limited, p.argv)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	m := p.row
	m.Target, m.Repeat, m.Seconds, m.Peak = wholeTarget, repeat, r.Seconds, r.Peak
	if err != nil {
		m.Kind, m.Note = "unreached", err.Error()
		if !errors.Is(err, errTimeout) {
			c.note("%s on %s: %v", m.Contender, c.t.name, err)
		}
		c.log.add(m)
		return r.Seconds, nil
	}
	w, err := p.weights()
	if err == nil {
		m.Objective, err = judge(c.t, c.loss, c.lambda, w)
	}
	c.log.add(m)
	return r.Seconds, err
}
