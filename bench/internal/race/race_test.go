package race

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// TestMain lets the test binary measure processes, as the command does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == peer.LaunchVerb {
		os.Exit(peer.Launch(os.Args[2:]))
	}
	code := m.Run()
	os.RemoveAll(programs)
	os.Exit(code)
}

var long = flag.Bool("long", false, "run all races, not a tenth of them")

var programs string // the folder of the command fenchel

// program is the command fenchel, built once for all tests.
var program = sync.OnceValues(func() (string, error) {
	root, err := repositoryRoot()
	if err != nil {
		return "", err
	}
	if programs, err = os.MkdirTemp("", "race"); err != nil {
		return "", err
	}
	return (&lab{opt: options{Config: task.Config{Work: programs}, root: root}}).fenchelBinary(context.Background())
})

// TestSmoke runs every race on tiny sets without peers; without -long that of whole processes.
func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the command fenchel")
	}
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	work, out := t.TempDir(), t.TempDir()
	args := []string{"--fenchel", binary, "--quick", "--rcv1-rows", "400", "--sets", "rcv1-shaped", "--peers", "none", "--repeats", "1", "--limit", "1s",
		"--budget", "3s", "--work", work, "--out", out, "--no-figures", "--threads", "2", "--busy"}
	if !*long {
		args = append(args, "--races", "whole")
	}
	if err := Run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, "TABLES.md"))
	if err != nil {
		t.Fatal(err)
	}
	wants := []string{"Do not edit", "## Requirements", "## Whole processes", "## Solving alone, to accuracy 1e-06", "## Speed-up by cores", "## The optima",
		"## Growth", "## Memory", "## Reading", "## The cost of a row of capped MSG", "| same bits | rcv1-shaped | hinge | 1/n | same model from 1 core and all | same | pass |"}
	if !*long {
		wants = wants[:3]
	}
	for _, want := range wants {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("TABLES.md has no %q", want)
		}
	}
	results, err := os.ReadFile(filepath.Join(out, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(results), strings.Join(measure.CsvHeader, ",")+"\n") {
		t.Errorf("results.csv begins with %.80q", results)
	}
}

// TestFlags: wrong ones are refused before anything runs.
func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--sets nothing", `unknown set "nothing"`}, {"--races nothing", `unknown race`}, {"--losses absolute", "unknown loss"},
		{"--threads 0", "positive"}, {"stray", `"stray"`}, {"--peers nobody", "unknown peer"},
	} {
		if _, err := parseOptions(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.args, err, c.want)
		}
	}
}

// TestLoosest: the first setting that is accurate enough, also when a tighter
// one is worse again; none when none is.
func TestLoosest(t *testing.T) {
	points := []point{{knob: 1, objective: 2}, {knob: 0.1, objective: 1.005}, {knob: 0.01, objective: 1.02}, {knob: 0.001, objective: 1.0005}}
	for _, c := range []struct{ target, knob float64 }{{1, 1}, {1e-2, 0.1}, {1e-3, 0.001}} {
		if got, ok := loosest(points, 1, c.target); !ok || got.knob != c.knob {
			t.Errorf("target %g: %v %v, want %g", c.target, got.knob, ok, c.knob)
		}
	}
	if got, ok := loosest(points, 1, 1e-6); ok {
		t.Errorf("target 1e-6: found %v, want none", got.knob)
	}
}

// TestSlow: a sweep ends early where a peer has reached 1e-3, is slow and slower
// than is asked for.
func TestSlow(t *testing.T) {
	c := &contest{lab: &lab{references: &task.References{Known: map[string]task.Reference{}}}, t: &task.Task{}, own: 8}
	c.references.Improve(c.key(), 1, 1, "a")
	for _, k := range []struct {
		own, seconds, objective float64
		want                    bool
	}{{8, 21, 1.0005, true}, {8, 19, 1.0005, false}, {8, 21, 1.01, false}, {1, 9, 1, false}, {0, 21, 1, false}} {
		c.own = k.own
		if got := c.slow([]point{{seconds: k.seconds, objective: k.objective}}); got != k.want {
			t.Errorf("%+v: slow is %v", k, got)
		}
	}
}

// TestWorth: a long run is repeated once, a short one often.
func TestWorth(t *testing.T) {
	o := options{repeats: 5}
	for _, c := range []struct {
		repeat  int
		seconds float64
		want    bool
	}{{1, 80, true}, {2, 80, true}, {3, 80, false}, {5, 4, true}, {6, 4, false}, {20, 0.05, true}, {21, 0.05, false}} {
		if got := o.worth(c.repeat, c.seconds); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestOwed: lateness spares the repeats of long runs, not of short ones.
func TestOwed(t *testing.T) {
	o := options{repeats: 5}
	for _, c := range []struct {
		repeat  int
		seconds float64
		want    bool
	}{{1, 80, true}, {2, 80, false}, {2, 2.1, false}, {5, 2, true}, {5, 0.05, true}, {6, 0.05, false}} {
		if got := o.owed(c.repeat, c.seconds); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestSettled: four equal answers end a sweep, but not at the loose end.
func TestSettled(t *testing.T) {
	same := []point{{knob: 0.3}, {knob: 0.1}, {knob: 0.03}, {knob: 0.01}}
	if !settled(same) {
		t.Error("four equal answers: want settled")
	}
	if settled(same[:3]) {
		t.Error("three equal answers: want not settled")
	}
	if settled([]point{{knob: 10}, {knob: 3}, {knob: 1}, {knob: 0.3}}) {
		t.Error("loose settings: want not settled")
	}
	same[1].objective = 1
	if settled(same) {
		t.Error("different answers: want not settled")
	}
}

func TestAmdahl(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		alone, together time.Duration
		threads, cores  int
		want            time.Duration
	}{
		{100 * ms, 50 * ms, 2, 10, 10 * ms},   // all of it divides
		{100 * ms, 100 * ms, 2, 10, 100 * ms}, // none
		{100 * ms, 75 * ms, 2, 10, 55 * ms},   // half
		{100 * ms, 40 * ms, 4, 8, 30 * ms},    // four fifths
		{100 * ms, 40 * ms, 2, 10, 10 * ms},   // noise never makes more than all
		{100 * ms, 130 * ms, 2, 10, 100 * ms}, // nor less than nothing
	} {
		if got := amdahl(c.alone, c.together, c.threads, c.cores); got != c.want {
			t.Errorf("%v alone, %v on %d: %v on %d, want %v", c.alone, c.together, c.threads, got, c.cores, c.want)
		}
	}
}

// TestSliceOf: parts use up the whole, in proportion to what is left.
func TestSliceOf(t *testing.T) {
	now := time.Unix(1000, 0)
	end := now.Add(100 * time.Second)
	for _, c := range []struct {
		part, whole float64
		want        time.Duration
	}{{1, 4, 25 * time.Second}, {3, 3, 100 * time.Second}, {1, 0, 0}} {
		if got := sliceOf(now, end, c.part, c.whole).Sub(now); got != c.want {
			t.Errorf("%g of %g: %s, want %s", c.part, c.whole, got, c.want)
		}
	}
	if got := sliceOf(end, now, 1, 1); got != end {
		t.Error("no time left: want an end at once")
	}
}
