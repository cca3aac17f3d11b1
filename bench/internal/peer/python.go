package peer

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// A pythonPeer is a library of estimators with scikit-learn's methods fit and coef_. The code of its Methods is a class
// and its arguments, in which the knob, C, lambda and the threads are filled in. With a plus
// behind the class, it runs with one thread and with all, and the sooner counts: idle threads of a
// library may wait in a loop, and take longer than they save.
type pythonPeer struct {
	name    string
	probe   string // a program that prints the version
	modules string // those of its classes, imported before the clock runs
	methods func(loss string, d int) []Method

	python, script string
	threads        int
	single         map[string]bool // methods that were sooner with one thread
}

//go:embed driver/python.py
var pythonScript string

func (p *pythonPeer) Name() string { return p.name }

func (p *pythonPeer) Find(ctx context.Context, opt *task.Config) (string, error) {
	why := errors.New("found no python in PATH")
	for _, name := range []string{opt.Python, "python3", "python"} {
		path, err := exec.LookPath(name)
		if err != nil || name == "" {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "-c", p.probe).Output()
		if err != nil {
			why = fmt.Errorf("%s cannot import it", path)
			continue
		}
		p.python, p.script, p.threads, p.single = path, filepath.Join(opt.Work, "python_worker.py"), opt.Threads, map[string]bool{}
		return strings.TrimSpace(string(out)), os.WriteFile(p.script, []byte(pythonScript), 0o666)
	}
	return "", why
}

func (p *pythonPeer) Methods(loss string, d int) []Method { return p.methods(loss, d) }

// environment limits the libraries below to so many threads.
func (p *pythonPeer) environment(threads int) (env []string) {
	for _, library := range []string{"OMP", "OPENBLAS", "MKL"} {
		env = append(env, library+"_NUM_THREADS="+strconv.Itoa(threads))
	}
	return env
}

// command begins one of the script with so many threads.
func (p *pythonPeer) command(threads int) []string {
	return append(append([]string{"env"}, p.environment(threads)...), p.python, p.script)
}

// estimator fills a job into its method's code.
func (p *pythonPeer) estimator(j Job) string {
	return strings.NewReplacer("KNOB", measure.Number(j.Knob), "LAMBDA", measure.Number(j.Lambda.Value(j.Task.Rows)),
		"1/C", measure.Number(1/j.Lambda.C()), `"C":C`, `"C":`+measure.Number(j.Lambda.C())).Replace(j.Method.code)
}

func (p *pythonPeer) Open(ctx context.Context, t *task.Task) (Session, error) {
	w, err := startWorker(ctx, []string{p.python, p.script, "serve", t.Binary, strconv.Itoa(p.threads), p.modules}, p.environment(p.threads))
	return &pythonSession{peer: p, worker: w, model: filepath.Join(t.Dir, p.name+".f64")}, err
}

func (p *pythonPeer) Command(j Job, model string) []string {
	threads := p.threads
	if p.single[j.Method.Name] {
		threads = 1
	}
	return append(p.command(threads), "once", j.Task.Text, strconv.Itoa(j.Task.Cols), model, p.estimator(j), strconv.Itoa(threads))
}

func (p *pythonPeer) Weights(j Job, model string) ([]float64, error) {
	return readFloats(model, j.Task.Cols)
}

type pythonSession struct {
	peer   *pythonPeer
	worker *Worker
	model  string
}

func (s *pythonSession) Solve(ctx context.Context, j Job) (got solved, err error) {
	reply, err := s.peer.ask(ctx, s.worker, s.model+"\t"+s.peer.estimator(j))
	if err != nil {
		return got, err
	}
	got.Seconds, got.Threads, s.peer.single[j.Method.Name] = reply.Seconds, reply.Threads, reply.Threads == 1
	got.Weights, err = readFloats(s.model, j.Task.Cols)
	return got, err
}

func (s *pythonSession) Close() { s.worker.Close() }

// A pythonReply is what a worker answers.
type pythonReply struct {
	Seconds float64
	Threads int // with which it took them
	Error   string
}

// ask has a worker do one piece of work.
func (p *pythonPeer) ask(ctx context.Context, w *Worker, question string) (reply pythonReply, err error) {
	answer, err := w.ask(ctx, question)
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		return reply, fmt.Errorf("%s answered %q: %w", p.name, answer, err)
	}
	if reply.Error != "" {
		return reply, fmt.Errorf("%s: %s", p.name, reply.Error)
	}
	return reply, nil
}
