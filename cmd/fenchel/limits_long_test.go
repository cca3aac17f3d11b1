package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
)

var (
	limits   = flag.Bool("limits", false, "measure by the clock how limits and interruptions are held, for minutes")
	limitsOf = flag.String("limits-of", "", "only the cases that contain this text")
)

// A limitCase is a command that takes much longer than three seconds.
type limitCase struct {
	name string
	args []string
	time bool          // takes --time
	wait time.Duration // until Ctrl-C
}

// TestLimits measures, with one thread, how long runs take with --time 3s, and how long
// after Ctrl-C in the middle, and after a second one. Only a quiet machine tells.
func TestLimits(t *testing.T) {
	if !*limits {
		t.Skip("takes minutes: ask for it with -limits")
	}
	data := cmp.Or(os.Getenv("FENCHEL_DATA"), "../../../shared/data")
	a9a, err := filepath.Abs(filepath.Join(data, "adult/a9a.gz"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fenchel := func(args ...string) {
		if out, err := inDir(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	fenchel("convert", "@toy:n=200000,d=200", "dense.fen")
	fenchel("train", "@blobs:n=60000,d=20,classes=8", "--kernel", "rbf", "--gap", "0.5", "-q", "-o", "classes.model")
	for _, c := range limitCases(a9a) {
		if !strings.Contains(c.name, *limitsOf) {
			continue
		}
		line := fmt.Sprintf("%-44s", c.name)
		if c.time {
			took, code := measure(t, dir, slices.Concat(c.args, []string{"--time", "3s"}))
			line += mark(fmt.Sprintf("  time %5.2f s, code %3d", took.Seconds(), code), took > 3700*time.Millisecond)
		}
		took, code := measure(t, dir, c.args, c.wait)
		line += mark(fmt.Sprintf("  Ctrl-C %5.2f s, code %3d", took.Seconds(), code), took > time.Second)
		took, code = measure(t, dir, c.args, c.wait, 150*time.Millisecond)
		line += mark(fmt.Sprintf("  twice %5.2f s, code %3d", took.Seconds(), code), took > 300*time.Millisecond)
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			line += fmt.Sprintf("  left %v", left)
		}
		fmt.Println(line)
	}
}

func mark(text string, over bool) string {
	if over {
		return text + " OVER"
	}
	return text + "     "
}

func inDir(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("fenchel", args...)
	cmd.Dir = dir
	return cmd
}

// measure runs fenchel, sends it SIGINT after each of the pauses, and returns how long it
// then went on, 0 if it had ended before, and its exit code.
func measure(t *testing.T, dir string, args []string, pauses ...time.Duration) (took time.Duration, code int) {
	cmd := inDir(dir, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // the exit code says it all
		close(ended)
	}()
	last := time.Now()
	for _, pause := range pauses {
		select {
		case <-ended:
			return 0, cmd.ProcessState.ExitCode()
		case <-time.After(pause):
			last = time.Now()
			_ = cmd.Process.Signal(syscall.SIGINT)
		}
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		<-ended
	}
	return time.Since(last), cmd.ProcessState.ExitCode()
}

// limitCases lists all solvers, maps, methods and verbs that may take long.
func limitCases(a9a string) (cases []limitCase) {
	train := func(name, data string, args ...string) {
		all := slices.Concat([]string{"train", data, "-q", "-o", "m", "--threads", "1", "--gap", "1e-12"}, args)
		cases = append(cases, limitCase{name, all, true, 3 * time.Second})
	}
	special := map[string][]string{
		"sgd": {"--radius", "10", "--bias", "none"}, "nu": {"--nu", "0.2"}, "cholesky": {"--loss", "squared", "--solver", "cholesky:rows=40000"},
		"perceptron": {"--bias", "none", "--solver", "perceptron:passes=99"}, "ramp": {"--bias", "none"}, "pegasos": {"--bias", "none"},
		"rbp": {"--bias", "none", "--solver", "rbp:passes=99"}, "forgetron": {"--bias", "none", "--solver", "forgetron:passes=99"}, "sdca": {"--bias", "none"},
		"hard-margin": {"--hard-margin"}, "interior-point": {"--solver", "interior-point:rank=500"},
	}
	for _, e := range kernelsolver.Entries() {
		train("kernel "+e.Name, a9a, slices.Concat([]string{"--kernel", "rbf", "--solver", e.Name}, special[e.Name])...)
	}
	train("kernel sbp, slack", a9a, "--kernel", "rbf", "--solver", "sbp", "--slack", "0.1")
	train("kernel working, logistic", a9a, "--kernel", "rbf", "--loss", "logistic")
	train("kernel auto, regression", a9a, "--kernel", "rbf", "--task", "regression", "--loss", "epsilon-insensitive")
	train("kernel, several classes", "@blobs:n=30000,d=20,classes=8,spread=3", "--kernel", "rbf", "--solver", "sdca", "--bias", "none")
	train("kernel, pairs of classes", "@blobs:n=30000,d=20,classes=8,spread=3", "--kernel", "rbf", "--scheme", "one-against-one")
	for _, m := range []string{"nystrom:rank=3000", "cholesky:rank=3000", "fourier:dim=20000"} {
		train("map "+m, a9a, "--kernel", "rbf", "--map", m)
	}
	plain := map[string][]string{
		"cd":     {"--loss", "logistic", "--penalty", "l1"},
		"newton": {"--loss", "logistic"}, "simba": {"--slack", "0.1"}, "pegasos": {"--bias", "none"},
	}
	for _, e := range linear.Entries() {
		train("linear "+e.Name, "dense.fen", slices.Concat([]string{"--solver", e.Name}, plain[e.Name])...)
	}
	for _, e := range methods.Entries() {
		data := "dense.fen"
		if e.Name == "gram" { // takes fewer rows than features
			data = "@low-rank:n=4000,d=8000"
		}
		cases = append(cases, limitCase{"pca " + e.Name, []string{"pca", data, "-q", "-k", "8", "-o", "p", "--threads", "1", "--method", e.Name}, false, time.Second})
	}
	cases = append(cases,
		limitCase{"pca stream", []string{"pca", "@low-rank:n=10000000,d=200", "--stream", "-q", "-k", "8", "-o", "p", "--threads", "1"}, false, time.Second},
		limitCase{"predict", []string{"predict", "classes.model", "@blobs:n=3000000,d=20,classes=8", "-o", "scores", "--threads", "1"}, false, time.Second},
		limitCase{"evaluate", []string{"evaluate", "classes.model", "@blobs:n=1000000,d=20,classes=8", "--threads", "1"}, false, time.Second},
		limitCase{"verify", []string{"verify", "classes.model", "@blobs:n=60000,d=20,classes=8", "--threads", "1"}, false, time.Second},
		limitCase{"convert", []string{"convert", "@text:n=3000000", "big.svm", "--threads", "1"}, false, time.Second},
		limitCase{"reproduce", []string{"reproduce", "thesis-fig6.3"}, false, time.Second},
	)
	return cases
}
