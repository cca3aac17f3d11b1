package race

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// A way is how Fenchel is run: none of it may change a bit of the model.
type way struct {
	threads int
	cache   int64 // bytes; 0: the default, 1 GB
}

// report is what the command prints with --json, as far as it is used here.
type report struct {
	Status   solver.Status
	Computed int64 `json:"kernel_evaluations_computed"`
	Support  int64
	Seconds  struct{ Read, Train, Certify float64 }
}

// enterFenchel makes the first runs of Fenchel and compares their bits. They are
// entered to be timed again, but for that with a small cache.
func (c *kernelContest) enterFenchel(ctx context.Context) ([]entry, error) {
	ways := []way{{threads: c.opt.Threads}, {threads: 1}, {threads: c.opt.Threads, cache: task.SmallCache}}
	if c.opt.Threads == 1 {
		ways = slices.Delete(ways, 0, 1)
	}
	if c.Within > 0 || c.kind != "text" { // long, or one of many sizes
		ways = ways[:1]
	}
	var entries []entry
	models := map[string]bool{}
	for i, w := range ways {
		m, digest, err := c.fenchel(ctx, w, c.Gap, 1)
		if err != nil {
			return nil, err
		}
		c.log.Add(m)
		if m.Kind == "unreached" {
			return nil, nil
		}
		if i == 0 {
			c.own = m.Seconds
		}
		if i == 0 && c.Within == 0 && c.kind == "text" {
			if err := c.trace(m); err != nil {
				return nil, err
			}
		}
		models[digest] = true
		if w.cache == 0 && c.Within == 0 {
			entries = append(entries, func(ctx context.Context, repeat int) error {
				m, _, err := c.fenchel(ctx, w, c.Gap, repeat)
				c.log.Add(m)
				return err
			})
		}
	}
	if len(ways) > 1 {
		m := c.row("bits", measure.OwnName)
		m.Target, m.Note = c.Gap, map[bool]string{true: "same", false: "different"}[len(models) == 1]
		c.log.Add(m)
	}
	return entries, nil
}

// refer looks for the optimum, unless a good one is known.
func (c *kernelContest) refer(ctx context.Context) error {
	if c.references.Find(c.key()).Gap() <= c.Gap/10 {
		return nil
	}
	_, _, err := c.fenchel(ctx, way{threads: c.opt.Threads}, c.Gap/10, 1)
	return err
}

// fenchel runs the command once, and returns what it learned and the digest of
// its model.
func (c *kernelContest) fenchel(ctx context.Context, w way, gap float64, repeat int) (m measure.Measurement, digest string, err error) {
	m = c.row(c.kind, measure.OwnName)
	m.Setting, m.Threads, m.Target, m.Repeat = fmt.Sprintf("gap=%g", gap), w.threads, gap, repeat
	out := c.modelOf(measure.OwnName)
	argv := []string{c.binary, "train", c.t.Text, "-o", out, "-q", "--json", "--trace", c.tracePath(), "--loss", "hinge", "--bias", "free",
		"--kernel", "rbf", "--gamma", measure.Number(c.Gamma), "--C", measure.Number(c.C), "--gap", measure.Number(gap), "--threads", strconv.Itoa(w.threads),
		"--time", max(c.opt.limit, c.Within).String()}
	if w.cache > 0 {
		argv = append(argv, "--cache", strconv.FormatInt(w.cache, 10))
		m.Setting += fmt.Sprintf(" cache=%s", measure.Megabytes(w.cache))
	}
	r, err := peer.RunProcess(ctx, argv)
	var said report
	if broken := json.Unmarshal([]byte(r.Output), &said); broken != nil { // else a limit was reached at worst
		return m, "", fmt.Errorf("fenchel on %s: %w, %w", c.t.Name, err, broken)
	}
	m.Seconds, m.Certify, m.Peak, m.Support, m.Evaluations = r.Seconds, said.Seconds.Certify, r.Peak, said.Support, said.Computed
	if said.Status != solver.Converged {
		m.Kind, m.Note = "unreached", fmt.Sprintf("%s after %s", said.Status, measure.Seconds(r.Seconds))
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return m, "", err
	}
	sum := sha256.Sum256(data)
	learned, err := model.Decode(data)
	if err != nil {
		return m, "", err
	}
	s := fenchel.Summarise(learned)
	c.references.Improve(c.key(), s.Primal, s.Dual, measure.OwnName)
	m.Objective = s.Primal
	if repeat == 1 {
		m.Test, err = c.testAccuracy(learned)
	}
	return m, hex.EncodeToString(sum[:]), err
}

func (c *kernelContest) tracePath() string { return filepath.Join(c.t.Dir, "kernel-trace.csv") }

// trace notes the certificates on the way of the last run, for the figure.
func (c *kernelContest) trace(run measure.Measurement) error {
	file, err := os.Open(c.tracePath())
	if err != nil {
		return err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil || len(lines) < 2 {
		return err
	}
	column := func(line []string, name string) float64 {
		x, bad := strconv.ParseFloat(line[slices.Index(lines[0], name)], 64)
		if bad != nil {
			err = bad
		}
		return x
	}
	clock := func(line []string) float64 { return column(line, "train_seconds") + column(line, "certify_seconds") }
	rest := run.Seconds - clock(lines[len(lines)-1]) // reading and writing, all before the first
	for _, line := range lines[1:] {
		if line[slices.Index(lines[0], "gap")] == "" { // an epoch without a certificate
			continue
		}
		m := c.row("trace", measure.OwnName)
		m.Threads, m.Evaluations = run.Threads, int64(column(line, "evaluations_computed"))
		m.Seconds, m.Objective = rest+clock(line), column(line, "primal")
		m.Note = fmt.Sprintf("gap %g", column(line, "gap"))
		c.log.Add(m)
	}
	return err
}
