package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/experiment"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/gradient"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/programming"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/thesis"
	"github.com/fenchel-ml/fenchel/matrix"
)

// looked are the experiments as tests can afford to run them.
var looked = []struct {
	spec, data string
	targets    []string // that there must be
	holds      []string // that hold even so
}{
	{"thesis-fig6.3:rows=400", "", []string{"F1", "F2", "F6"}, []string{"k=1, Gaussian: all roughly", "never ends stuck"}},
	{"pgs-fig9:most=15000", "", []string{"X4", "L9"}, []string{"10 features: the error is reached", "20 features: the steps fall"}},
	{"sg-race", "", []string{"X5", "X6"}, []string{"sag: passes", "saga: passes", "svrg: passes", "s2gd: passes", "sdca: passes", "miso: passes", "1e4 times closer"}},
	{"sg-bounds", "", []string{"Thm 4.3", "Lemma 4.4", "(31)"}, []string{"last iterate after 500 steps", "last iterate after 64000 steps", "last half after 64000 steps"}},
	{"sg-crossover", "", []string{"X9"}, []string{"n=1000: work at which gradient", "n=4000: work at which gradient", "n=16000: work at which gradient", "n=4000: work at which SAG"}},
	{"sg-nonconvex", "", []string{"X10"}, []string{"eta=0.02: the mean", "eta=0.005: the mean", "from eta=0.02 to 0.01", "from eta=0.01 to 0.005"}},
	{"sg-batches", "", []string{"X7"}, []string{"with replacement, 1 rows", "without replacement, 256 rows"}},
	{"thesis-scaling", "", []string{"X9"}, []string{"grow like the rows", "do not"}},
	{"thesis-bounds", "", []string{"X8", "F7"}, []string{"fewest values", "one row"}},
	{"thesis-table2.7:set=other", "@blobs:n=600,classes=2,d=4", nil, nil},
	{"thesis-fig2.8:set=other", "@blobs:n=600,classes=2,d=4", []string{"X3"}, []string{"all end near"}},
	{"thesis-fig2.9:set=other,passes=20", "@blobs:n=600,classes=2,d=4", []string{"X5"}, nil},
	{"thesis-fig2.10:set=other", "@blobs:n=600,classes=2,d=4", []string{"X6"}, []string{"falls towards"}},
	{"thesis-fig6.4:rows=400", "", []string{"F3", "F4", "F5"}, []string{"orthogonal above Gaussian"}},
	{"thesis-fig5.4:rows=300,pad=40", "@text:n=200,d=30", []string{"5.4a", "5.4b", "5.4c"}, []string{"starts at k+1"}},
	{"thesis-fig6.5", "@heavy-tailed:n=1500,d=40,rank=10,rare=0.1", []string{"M1", "M2", "M3", "M4", "M5", "M6"}, nil},
	{"thesis-fig6.5:scale=thesis,moments=all,threshold=0,unit=d", "@heavy-tailed:n=1500,d=40,rank=10,rare=0.1", []string{"M1", "M6"}, nil},
}

var long = flag.Bool("long", false, "run all experiments, and on two cores too, not every second and fourth")

// TestTheory: the figures that explain, and the theorems, are quick enough to be run whole: every claim holds.
func TestTheory(t *testing.T) {
	for spec, targets := range map[string][]string{
		"thesis-fig1.5": {"F4"}, "thesis-fig3.1": {"F4"}, "thesis-fig3.3": {"F4"}, "thesis-fig2.1": {"T12"}, "thesis-fig2.4": {"T12", "T13"},
		"thesis-two-point": {"P11"}, "sg-convex": {"Thm 4.5"}, "sg-noise": {"Thm 4.8"},
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			e, err := experiment.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			r, err := e.Run(t.Context(), experiment.Options{Seed: 3, Quick: spec == "thesis-two-point"})
			if err != nil || len(r.Points) == 0 {
				t.Fatalf("%d points, %v", len(r.Points), err)
			}
			for _, target := range targets {
				if !has(r, func(c experiment.Check) bool { return c.Target == target }) {
					t.Errorf("no target %s", target)
				}
			}
			for _, c := range r.Checks {
				if !c.Holds {
					t.Errorf("%s: %s: expected %s, found %s", c.Target, c.Claim, c.Expected, c.Found)
				}
			}
		})
	}
}

// TestExperiments: every experiment gives points and its targets, the same on one
// core and two (without -long every second one, and every fourth on two).
func TestExperiments(t *testing.T) {
	for k, l := range looked {
		t.Run(l.spec, func(t *testing.T) {
			if !*long && k%2 != 0 {
				t.Skip("every second: -long does all")
			}
			one := look(t, l.spec, l.data, 1)
			if (*long || k%4 == 0) && !reflect.DeepEqual(one, look(t, l.spec, l.data, 2)) {
				t.Error("another result on another number of cores")
			}
			if len(one.Points) == 0 {
				t.Error("no points")
			}
			for _, target := range l.targets {
				if !has(one, func(c experiment.Check) bool { return c.Target == target }) {
					t.Errorf("no target %s", target)
				}
			}
			for _, claim := range l.holds {
				if !has(one, func(c experiment.Check) bool { return strings.Contains(c.Claim, claim) && c.Holds }) {
					t.Errorf("%q does not hold", claim)
				}
			}
		})
	}
}

func has(r *experiment.Result, f func(experiment.Check) bool) bool {
	for _, c := range r.Checks {
		if f(c) {
			return true
		}
	}
	return false
}

// look runs an experiment quickly.
func look(t *testing.T, spec, data string, threads int) *experiment.Result {
	t.Helper()
	e, err := experiment.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	opt := experiment.Options{Runs: 1, Quick: true, Seed: 3, Threads: threads}
	if data != "" {
		set := readSet(t, data)
		opt.Data, opt.Labels, opt.Codes = set.X, set.Target.Label, set.Target.Code
		if len(opt.Labels) == 2 {
			opt.Classes = make([]float64, len(opt.Codes))
			for i, c := range opt.Codes {
				opt.Classes[i] = 2*float64(c) - 1
			}
		}
	}
	r, err := e.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t *testing.T, sources ...string) matrix.Matrix { return readSet(t, sources...).X }

func readSet(t *testing.T, sources ...string) *data.Set {
	t.Helper()
	set, err := data.Read(t.Context(), sources, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestTable: what is counted in the table of costs has the exponents it must have;
// seconds are not looked at.
func TestTable(t *testing.T) {
	if !*long {
		t.Skip("takes some seconds: -long does it")
	}
	r := look(t, "thesis-table", "", 1)
	for _, c := range r.Checks {
		if strings.HasSuffix(c.Claim, "sum of k'^2") && !c.Holds {
			t.Errorf("%s: expected %s, found %s", c.Claim, c.Expected, c.Found)
		}
	}
}

// timed are the experiments with times, which are not the same twice.
var timed = []struct {
	spec, data string
	targets    []string
	holds      []string
}{
	{"thesis-timing:set=other", "@blobs:n=600,classes=2,d=4", []string{"X4"}, nil},
	{"qp-exact", "", []string{"Y1", "Y13", "Y14"}, []string{"C = 1: one optimum", "C = 100: one optimum", "C = 1: the gap is never", "C = 100: the gap is never", "one problem"}},
	{"qp-scaling", "", []string{"Y2", "Y4", "K22"}, []string{"steps of Pegasos"}},
	{"qp-ridge", "", []string{"Y8", "Y9"}, []string{"both forms are one solution"}},
	{"qp-accuracy:seconds=1", "", []string{"Y3"}, []string{"interior-point", "active-set"}},
	{"qp-working-set", "", []string{"Y6", "Y7"}, []string{"taken from the two ends", "one objective"}},
	{"qp-active-set", "", []string{"6.1", "6.7", "Y11"}, []string{"a step frees", "never falls", "few steps", "rows at 0"}},
	{"qp-strings", "", []string{"Y5", "Y10"}, []string{"are separated"}},
	{"qp-low-rank", "", []string{"Y11", "Y15"}, []string{"falls with the rank", "left of the trace", "active sets end"}},
}

// TestTimed: experiments with times give points, their targets, and what does not depend on
// times.
func TestTimed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for k, l := range timed {
		t.Run(l.spec, func(t *testing.T) {
			if !*long && k%3 != 0 {
				t.Skip("takes seconds: -long does it")
			}
			t.Parallel()
			r := look(t, l.spec, l.data, 1)
			if len(r.Points) == 0 {
				t.Error("no points")
			}
			for _, target := range l.targets {
				if !has(r, func(c experiment.Check) bool { return c.Target == target }) {
					t.Errorf("no target %s", target)
				}
			}
			for _, claim := range l.holds {
				if !has(r, func(c experiment.Check) bool { return strings.Contains(c.Claim, claim) && c.Holds }) {
					t.Errorf("%q does not hold", claim)
				}
			}
		})
	}
}

// TestStandIn: without data those of a generator are in their place, of which nothing is judged; data without
// rows are refused.
func TestStandIn(t *testing.T) {
	for _, spec := range []string{"thesis-fig5.4:rows=200", "thesis-fig2.10:rows=100,pairs=2", "thesis-timing:rows=200"} {
		e, err := experiment.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context(), experiment.Options{Quick: true, Runs: 1})
		if err != nil || len(r.Points) == 0 || !strings.Contains(r.Unjudged, "no data given") || !r.Holds() {
			t.Errorf("%s: found %+v, %v", spec, r, err)
		}
		if _, err := e.Run(t.Context(), experiment.Options{Data: &matrix.Dense{Cols: 3}}); err == nil {
			t.Errorf("%s: no rows were taken", spec)
		}
	}
}

// TestFolder: the sets of a figure are found by the names of their files, below the folder too, a panel each.
func TestFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "below")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for k, name := range []string{"a9a", "a9a.t", "reuters.trn"} {
		var text strings.Builder
		for i := range 200 {
			fmt.Fprintf(&text, "%+d 1:%d 2:%d\n", 2*(i%2)-1, i%2, (i*7+k)%5)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e, err := experiment.New("thesis-fig2.8:epochs=2")
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(t.Context(), experiment.Options{Quick: true, Runs: 1, Folder: filepath.Dir(folder)})
	if err != nil {
		t.Fatal(err)
	}
	panels := map[string]bool{}
	for _, p := range r.Points {
		panels[p.Column] = true
	}
	if !reflect.DeepEqual(panels, map[string]bool{"adult": true, "reuters": true}) || !slices.ContainsFunc(r.Notes, func(n string) bool {
		return strings.HasPrefix(n, "mnist is left out")
	}) || !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "adult: 200 rows learned from, 200 judged on") }) {
		t.Errorf("found panels %v, notes %q", panels, r.Notes)
	}
	for _, c := range r.Checks {
		if strings.HasPrefix(c.Claim, "reuters: SMO") {
			t.Errorf("%s: the source does not claim it", c.Claim)
		}
	}
}

// classes are n, one after the other.
func classes(n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(2*(i%2) - 1)
	}
	return y
}

// TestPGSRows: the figures of the paper on the primal gradient solver on few documents: all panels, and the steps
// fall with the rows.
func TestPGSRows(t *testing.T) {
	e, err := experiment.New("pgs-fig5-8:rows=2000,most=3000")
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Run(t.Context(), experiment.Options{Quick: true, Runs: 2})
	if err != nil {
		t.Fatal(err)
	}
	panels := map[string]bool{}
	for _, p := range r.Points {
		panels[p.Row+p.Column] = true
	}
	if len(panels) != 12 || len(r.Checks) != 13 || r.Unjudged != "" {
		t.Errorf("found panels %v, %d checks, unjudged %q", panels, len(r.Checks), r.Unjudged)
	}
	for _, c := range r.Checks {
		if c.Target == "L9" && !c.Holds {
			t.Errorf("%s: %s", c.Claim, c.Found)
		}
	}
}

// TestInterrupted: a run that is ended says so.
func TestInterrupted(t *testing.T) {
	for k, entry := range experiment.Entries() {
		if k%3 != 0 && !*long {
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		e, err := experiment.New(entry.Name)
		if err != nil {
			t.Fatal(err)
		}
		opt := experiment.Options{Quick: true, Data: read(t, "@text:n=300,d=60"), Classes: classes(300), Progress: func(string, int, int) { cancel() }}
		if _, err := e.Run(ctx, opt); ctx.Err() != nil && !errors.Is(err, context.Canceled) { // others are done at once
			t.Errorf("%s: error %v, want that of the context", entry.Name, err)
		}
		cancel()
	}
}

// TestInterruptedKeeps: an interrupted run returns the error and the curves that it had finished.
func TestInterruptedKeeps(t *testing.T) {
	e, err := experiment.New("thesis-fig2.8:rows=200,epochs=2")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt := experiment.Options{Runs: 2, Data: read(t, "@text:n=600,d=60"), Classes: classes(600), Progress: func(_ string, done, _ int) {
		if done == 5 { // in the third method
			cancel()
		}
	}}
	r, err := e.Run(ctx, opt)
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Points) == 0 {
		t.Errorf("found %+v and %v, expected the first curves and the end of the context", r, err)
	}
}

// TestCSV: one line for each point, below the names.
func TestCSV(t *testing.T) {
	r := &experiment.Result{}
	r.Curve(experiment.Point{Row: "k=1", Column: "a, b", Curve: "MSG", XAxis: experiment.Iterations, YAxis: "k'"}, []float64{1, 1.01, 3}, []float64{5, 6, 0.25})
	var out bytes.Buffer
	if err := r.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	want := "row,column,curve,x_axis,x,y_axis,y\nk=1,\"a, b\",MSG,iterations (log),1,k',5\nk=1,\"a, b\",MSG,iterations (log),3,k',0.25\n"
	if out.String() != want {
		t.Errorf("found %q, expected %q", out.String(), want)
	}
}

// missed are the targets that do not hold, with seed 1: those of figure 6.4 because
// Warmuth and Kuzmin's algorithm needs fewer directions on average than the thesis
// reads off its curves; those of figure 6.5 because here the incremental algorithm is
// stuck on some splits, and Warmuth and Kuzmin's algorithm is the best instead of the
// worst for k = 4 and 8.
var missed = map[string][]string{
	"thesis-fig6.4": {
		"F3 k=4, Gaussian: k' of Warmuth & Kuzmin is about 10",
		"F3 k=1, orthogonal: k' of Warmuth & Kuzmin is about 10",
	},
	"thesis-fig6.5": {
		"M1 k=1: incremental makes the most progress per iteration",
		"M1 k=1: incremental is the fastest",
		"M3 k=1: capped MSG is much faster than MSG, almost as fast as incremental",
		"M6 k=1: capped MSG is nearly as good as incremental where that shines",
		"M1 k=4: incremental makes the most progress per iteration",
		"M1 k=4: incremental is the fastest",
		"M3 k=4: capped MSG is much faster than MSG, almost as fast as incremental",
		"M4 k=4: W&K is worse, and its k' exceeds MSG's",
		"M5 k=4: GROUSE is better than W&K but much worse than MSG and capped MSG",
		"M6 k=4: capped MSG is nearly as good as incremental where that shines",
		"M1 k=8: incremental makes the most progress per iteration",
		"M4 k=8: W&K is worse, and its k' exceeds MSG's",
		"M5 k=8: GROUSE is better than W&K but much worse than MSG and capped MSG",
	},
}

// TestTargets runs the experiments in full and asks for every target of the
// reference, which takes about ten minutes: with FENCHEL_SLOW=1.
func TestTargets(t *testing.T) {
	if os.Getenv("FENCHEL_SLOW") == "" {
		t.Skip("takes ten minutes: set FENCHEL_SLOW=1")
	}
	for spec, files := range map[string][]string{
		"thesis-fig6.3": nil,
		"thesis-fig6.4": nil,
		"thesis-fig5.4": {"adult/a9a.gz"},
		"thesis-fig6.5": {"mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz"},
	} {
		t.Run(spec, func(t *testing.T) {
			e, err := experiment.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			opt := experiment.Options{Seed: 1}
			if files != nil {
				opt.Data = read(t, realFiles(t, files)...)
			}
			r, err := e.Run(t.Context(), opt)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range r.Checks {
				known := slices.Contains(missed[spec], c.Target+" "+c.Claim)
				if t.Logf("%s %v: %s: expected %s, found %s", c.Target, c.Holds, c.Claim, c.Expected, c.Found); c.Holds == known {
					t.Errorf("%s %s: holds: %v, expected %v", c.Target, c.Claim, c.Holds, !known)
				}
			}
		})
	}
}

// realFiles returns files of the shared data folder (beside the checkout, or where
// FENCHEL_DATA says), or skips the test where there are none.
func realFiles(t *testing.T, names []string) []string {
	t.Helper()
	folder := os.Getenv("FENCHEL_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	var full []string
	for _, name := range names {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("real data not found at %s (set FENCHEL_DATA)", path)
		}
		full = append(full, path)
	}
	return full
}
