package peer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// vw is Vowpal Wabbit. It cannot hold rows in memory: solving alone is timed
// as a process that reads VW's own binary cache. Columns are numbers, which VW
// does not hash, and there are bits enough for all of them.
type vw struct{ binary string }

func init() { registerPeer(&vw{}) }

func (*vw) Name() string { return "vw" }

func (p *vw) Find(ctx context.Context, _ *task.Config) (string, error) {
	path, err := exec.LookPath("vw")
	if err != nil {
		return "", errors.New("found no vw in PATH")
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	p.binary = path
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return version + " (solving alone is a process that reads VW's cache)", nil
}

// Methods: VW's own online passes for any loss it has, and L-BFGS for smooth
// ones. It has no squared hinge.
func (*vw) Methods(loss string, _ int) []Method {
	switch loss {
	case "hinge":
		return []Method{{Name: "SGD", Knob: "passes", Ladder: doubling(64)}}
	case "logistic":
		return []Method{{Name: "SGD", Knob: "passes", Ladder: doubling(64)}, {Name: "BFGS", code: "--bfgs", Knob: "passes", Ladder: doubling(512)[2:]}}
	}
	return nil
}

// Open writes the text in VW's format, and lets VW make its cache of it.
func (p *vw) Open(ctx context.Context, t *task.Task) (Session, error) {
	s := &vwSession{peer: p, model: filepath.Join(t.Dir, "vw.model")}
	if err := writeVW(t); err != nil {
		return nil, err
	}
	_, err := RunProcess(ctx, []string{p.binary, "-d", vwText(t), "--cache_file", vwCache(t), "-k", "--noconstant", "--quiet"})
	return s, err
}

func vwText(t *task.Task) string  { return filepath.Join(t.Dir, "data.vw") }
func vwCache(t *task.Task) string { return filepath.Join(t.Dir, "data.vw.cache") }

// writeVW turns "label column:value ..." into "label | column:value ...".
func writeVW(t *task.Task) error {
	return file.WriteFile(vwText(t), func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<20)
		for i, y := range t.Y {
			fmt.Fprintf(out, "%g |", y)
			row := t.Set.X.Row(i)
			for k, v := range row.Value {
				if v != 0 {
					fmt.Fprintf(out, " %d:%g", row.Column(k)+1, v)
				}
			}
			fmt.Fprintln(out)
		}
		return out.Flush()
	})
}

// flags state the problem. VW's penalty is lambda for an online step, and of
// the sum over rows for L-BFGS.
func (*vw) flags(j Job, model string) []string {
	l2 := j.Lambda.Value(j.Task.Rows)
	if j.Method.code != "" {
		l2 *= float64(j.Task.Rows)
	}
	flags := []string{"--loss_function", j.Loss, "--l2", measure.Number(l2), "--noconstant", "-b", strconv.Itoa(bits.Len(uint(j.Task.Cols))),
		"--holdout_off", "--passes", measure.Number(j.Knob), "--predict_only_model", "--readable_model", model, "--quiet"}
	if j.Method.code != "" {
		flags = append(flags, j.Method.code)
	}
	return flags
}

func (p *vw) Command(j Job, model string) []string {
	return append([]string{p.binary, "-d", vwText(j.Task), "--cache_file", vwCache(j.Task), "-k"}, p.flags(j, model)...)
}

func (*vw) Weights(j Job, model string) ([]float64, error) {
	file, err := os.Open(model)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readVWModel(file, j.Task.Cols)
}

type vwSession struct {
	peer  *vw
	model string
}

func (s *vwSession) Solve(ctx context.Context, j Job) (got solved, err error) {
	r, err := RunProcess(ctx, append([]string{s.peer.binary, "--cache_file", vwCache(j.Task)}, s.peer.flags(j, s.model)...))
	if err != nil {
		return got, err
	}
	got.Seconds = r.Seconds
	got.Weights, err = s.peer.Weights(j, s.model)
	return got, err
}

func (*vwSession) Close() {}

// readVWModel reads a readable model: a header that ends with a line of ":"
// and a digit, then "column:weight" for weights that are not zero.
func readVWModel(r io.Reader, cols int) ([]float64, error) {
	in := bufio.NewScanner(r)
	w, body := make([]float64, cols), false
	for in.Scan() {
		left, right, _ := strings.Cut(in.Text(), ":")
		if !body {
			body = left == "" && len(right) == 1
			continue
		}
		column, err := strconv.Atoi(left)
		value, errValue := strconv.ParseFloat(right, 64)
		if err != nil || errValue != nil || column < 1 || column > cols {
			return nil, fmt.Errorf("vw model: found %q, expected column:weight with a column from 1 to %d", in.Text(), cols)
		}
		w[column-1] = value
	}
	if !body && in.Err() == nil {
		return nil, errors.New("vw model: found no weights")
	}
	return w, in.Err()
}
