package peer

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// liblinear is LIBLINEAR as the system installed it. Its command prints no
// times, so solving alone is timed by a small driver around train() where a C
// compiler and the header are present (liblinear-dev), and otherwise by taking
// the time of a run that stops at once off the time of the run.
type liblinear struct {
	binary string // liblinear-train
	driver string // "": none
	why    string // there is none
	dir    string
}

func init() { registerPeer(&liblinear{}) }

//go:embed driver/liblinear.c
var liblinearDriver string

func (*liblinear) Name() string { return "liblinear" }

func (p *liblinear) Find(ctx context.Context, opt *task.Config) (string, error) {
	p.dir = opt.Work
	for _, name := range []string{"liblinear-train", "train"} {
		path, err := exec.LookPath(name)
		if err != nil || p.binary != "" {
			continue
		}
		// Other programs are called train too; LIBLINEAR's tells its usage.
		if usage, _ := exec.CommandContext(ctx, path).CombinedOutput(); bytes.Contains(usage, []byte("L2-regularized")) {
			p.binary = path
		}
	}
	if p.binary == "" {
		return "", errors.New("found no liblinear-train, nor LIBLINEAR's train, in PATH")
	}
	version, err := p.compile(ctx)
	if err != nil {
		p.why = err.Error()
		return "(of unknown version; solving alone is timed by subtraction, for want of a driver: " + p.why + ")", nil
	}
	return version + " (solving alone is timed around train() of the system's library)", nil
}

// compile builds the driver against the system's library and returns the
// library's version.
func (p *liblinear) compile(ctx context.Context) (string, error) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		return "", errors.New("no C compiler cc in PATH")
	}
	source, driver := filepath.Join(p.dir, "liblinear.c"), filepath.Join(p.dir, Executable("liblinear-driver"))
	if err := os.WriteFile(source, []byte(liblinearDriver), 0o666); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, cc, "-O2", "-o", driver, source, "-llinear", "-lm").CombinedOutput(); err != nil {
		return "", fmt.Errorf("cc: %w: %s", err, Tail(string(out)))
	}
	out, err := exec.CommandContext(ctx, driver).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", driver, err)
	}
	p.driver = driver
	return strings.TrimSpace(string(out)), nil
}

// Methods: the dual solvers take tolerances of a gradient in [0,1] or so, the
// primal ones of a ratio of gradients.
func (*liblinear) Methods(loss string, _ int) []Method {
	solvers := map[string][]string{"hinge": {"3"}, "squared-hinge": {"1", "2"}, "logistic": {"0", "7"}}
	var all []Method
	for _, s := range solvers[loss] {
		steps := ladder(1, -8)
		switch s {
		case "0", "2":
			steps = ladder(0, -8) // at more they stop before they begin
		case "7":
			steps = append([]float64{10, 8, 6, 5, 4, 3, 2}, ladder(0, -8)...) // a pass gains much
		}
		all = append(all, Method{Name: "-s " + s, code: s, Knob: "e", Ladder: steps})
	}
	return all
}

func (p *liblinear) Open(ctx context.Context, t *task.Task) (Session, error) {
	if p.driver == "" {
		return &liblinearProcess{peer: p, floor: math.NaN()}, nil
	}
	w, err := startWorker(ctx, []string{p.driver, t.Binary}, nil)
	return &liblinearSession{peer: p, worker: w, model: filepath.Join(t.Dir, "liblinear.model")}, err
}

func (p *liblinear) Command(j Job, model string) []string {
	return []string{p.binary, "-s", j.Method.code, "-c", measure.Number(j.Lambda.C()), "-e", measure.Number(j.Knob), "-B", "-1", "-q", j.Task.Text, model}
}

func (p *liblinear) Weights(j Job, model string) ([]float64, error) {
	file, err := os.Open(model)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readLiblinearModel(file, j.Task.Cols)
}

// liblinearSession is the driver with the rows in memory.
type liblinearSession struct {
	peer   *liblinear
	worker *Worker
	model  string
}

func (s *liblinearSession) Solve(ctx context.Context, j Job) (got solved, err error) {
	answer, err := s.worker.ask(ctx, fmt.Sprintf("%s %s %s %s", j.Method.code, measure.Number(j.Knob), measure.Number(j.Lambda.C()), s.model))
	if err != nil {
		return got, err
	}
	seconds, capped := strings.CutSuffix(answer, " capped")
	got.Capped = capped
	if got.Seconds, err = strconv.ParseFloat(seconds, 64); err != nil {
		return got, fmt.Errorf("liblinear driver: %s", answer)
	}
	got.Weights, err = s.peer.Weights(j, s.model)
	return got, err
}

func (s *liblinearSession) Close() { s.worker.Close() }

// liblinearProcess times solving by subtraction, where there is no driver. A
// run of the dual solvers that stops at once makes one pass: what is taken off
// too much favours LIBLINEAR.
type liblinearProcess struct {
	peer  *liblinear
	floor float64 // seconds of a run that stops at once
}

func (s *liblinearProcess) Solve(ctx context.Context, j Job) (got solved, err error) {
	model := filepath.Join(j.Task.Dir, "liblinear.model")
	if math.IsNaN(s.floor) {
		loose := j
		loose.Knob = 1e30
		r, err := RunProcess(ctx, s.peer.Command(loose, model))
		if err != nil {
			return got, err
		}
		s.floor = r.Seconds
	}
	r, err := RunProcess(ctx, s.peer.Command(j, model))
	if err != nil {
		return got, err
	}
	got.Seconds = max(0, r.Seconds-s.floor)
	got.Weights, err = s.peer.Weights(j, model)
	return got, err
}

func (*liblinearProcess) Close() {}

// readLiblinearModel reads the weights of a model of two classes. LIBLINEAR
// scores its first label, which is that of the first row, so the sign of the
// weights depends on the order of the rows.
func readLiblinearModel(r io.Reader, cols int) ([]float64, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<24)
	sign, w := 1.0, make([]float64, 0, cols)
	body := false
	for in.Scan() {
		text := strings.TrimSpace(in.Text())
		if body {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("liblinear model: weight %d: found %q, expected a number", len(w)+1, text)
			}
			w = append(w, sign*x)
			continue
		}
		key, value, _ := strings.Cut(text, " ")
		switch key {
		case "label":
			if strings.HasPrefix(value, "-") {
				sign = -1
			}
		case "bias":
			if b, err := strconv.ParseFloat(value, 64); err != nil || b >= 0 {
				return nil, fmt.Errorf("liblinear model: found bias %q, expected none (below 0)", value)
			}
		case "w":
			body = true
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("liblinear model: %w", err)
	}
	if len(w) != cols {
		return nil, fmt.Errorf("liblinear model: found %d weights, expected %d", len(w), cols)
	}
	return w, nil
}
