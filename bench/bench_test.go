package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestMain lets the test binary measure processes, as the command does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == launchVerb {
		os.Exit(launch(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// TestSmoke runs every race on tiny sets without peers.
func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the command fenchel")
	}
	work, out := t.TempDir(), t.TempDir()
	args := []string{"--quick", "--rcv1-rows", "400", "--sets", "rcv1-shaped", "--peers", "none", "--repeats", "1", "--limit", "1s",
		"--budget", "10s", "--work", work, "--out", out, "--no-figures", "--threads", "2"}
	if err := run(context.Background(), args); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(out, "TABLES.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Do not edit", "## Requirements", "## Solving alone, to accuracy 1e-06", "## Speed-up by cores", "## The optima",
		"## Whole processes", "## Growth", "## Memory", "## Reading", "## The cost of a row of capped MSG", "| same bits | rcv1-shaped | hinge | 1/n | same model from 1 core and all | same | pass |"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("TABLES.md has no %q", want)
		}
	}
	results, err := os.ReadFile(filepath.Join(out, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(results), strings.Join(csvHeader, ",")+"\n") {
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

func TestLadder(t *testing.T) {
	if got, want := ladder(1, -2), []float64{10, 3, 1, 0.3, 0.1, 0.03, 0.01}; !slices.Equal(got, want) {
		t.Errorf("ladder(1, -2) = %v, want %v", got, want)
	}
	if got, want := doubling(5), []float64{1, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("doubling(5) = %v, want %v", got, want)
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
	c := &contest{lab: &lab{references: &references{known: map[string]reference{}}}, t: &task{}, own: 8}
	c.references.improve(c.key(), 1, 1, "a")
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

// TestSlope: power laws have their exponents, one size has none.
func TestSlope(t *testing.T) {
	x := []float64{1, 10, 100, 1000}
	for _, e := range []float64{0, 0.5, 1, 2} {
		var y []float64
		for _, v := range x {
			y = append(y, 3*math.Pow(v, e))
		}
		if got := slope(x, y); math.Abs(got-e) > 1e-12 {
			t.Errorf("slope of x^%g = %g", e, got)
		}
	}
	if got := slope(x[:1], x[:1]); !math.IsNaN(got) {
		t.Errorf("slope of one point = %g, want NaN", got)
	}
}

func TestTimingOf(t *testing.T) {
	var rows []measurement
	for _, s := range []float64{3, 1, 2, 10} {
		rows = append(rows, measurement{Seconds: s})
	}
	if got := timingOf(rows); got.Best != 1 || got.Median != 2.5 || got.N != 4 {
		t.Errorf("timing %+v, want best 1, median 2.5 of 4", got)
	}
	if got := timingOf(nil); got.found() || got.String() != "-" {
		t.Errorf("timing of nothing %+v", got)
	}
}

// TestReadLiblinearModel: LIBLINEAR scores the label it met first.
func TestReadLiblinearModel(t *testing.T) {
	model := func(labels, bias, weights string) string {
		return "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel " + labels + "\nnr_feature 3\nbias " + bias + "\nw\n" + weights
	}
	for _, c := range []struct {
		text string
		want []float64
		err  string
	}{
		{model("1 -1", "-1", "0.5 \n-2 \n0 \n"), []float64{0.5, -2, 0}, ""},
		{model("-1 1", "-1", "0.5 \n-2 \n0 \n"), []float64{-0.5, 2, 0}, ""},
		{model("1 -1", "-1", "0.5 \n-2 \n"), nil, "found 2 weights, expected 3"},
		{model("1 -1", "1", "0.5 \n-2 \n0 \n"), nil, "bias"},
		{model("1 -1", "-1", "0.5 \nnothing \n0 \n"), nil, "weight 2"},
		{"", nil, "found 0 weights"},
	} {
		got, err := readLiblinearModel(strings.NewReader(c.text), 3)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error %v, want one with %q", c.text, err, c.err)
			}
			continue
		}
		for j := range c.want {
			if err != nil || got[j] != c.want[j] {
				t.Errorf("%q: %v, %v; want %v", c.text, got, err, c.want)
				break
			}
		}
	}
}

// TestReadVWModel: weights that are zero are left out of the file.
func TestReadVWModel(t *testing.T) {
	const header = "Version 9.11.9\nId \nbits:8\nChecksum: 1\n:0\n"
	got, err := readVWModel(strings.NewReader(header+"1:-1.5\n3:0.25\n"), 3)
	if err != nil || !slices.Equal(got, []float64{-1.5, 0, 0.25}) {
		t.Errorf("%v, %v; want -1.5 0 0.25", got, err)
	}
	for _, text := range []string{"", header + "4:1\n", header + "0:1\n", header + "1:nothing\n"} {
		if got, err := readVWModel(strings.NewReader(text), 3); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

func TestSigns(t *testing.T) {
	for _, c := range []struct {
		labels []string
		class  string
		want   []float64
	}{
		{[]string{"2", "1", "2"}, "", []float64{1, -1, 1}},
		{[]string{"-1", "+1"}, "", []float64{-1, 1}},
		{[]string{"3", "1", "2", "1"}, "1", []float64{-1, 1, -1, 1}},
	} {
		got, err := signs(dataset.Labels(c.labels), c.class)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v, class %q: %v, %v; want %v", c.labels, c.class, got, err, c.want)
		}
	}
	for _, class := range []string{"", "9"} {
		if got, err := signs(dataset.Labels([]string{"3", "1", "2"}), class); err == nil {
			t.Errorf("three labels, class %q: %v, want an error", class, got)
		}
	}
}

// TestWriteTask reads the binary task back, as liblinear.c and sklearn.py do:
// zeros are left out, an empty row stays.
func TestWriteTask(t *testing.T) {
	x := &matrix.Dense{Rows: 3, Cols: 2, Value: []float32{0, 5, 0, 0, 7, 8}}
	var file bytes.Buffer
	if err := writeTask(&file, x, []float64{1, -1, 1}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Magic [8]byte
		Size  [3]int64
		Start [4]int64
		Y     [3]float64
		Index [3]uint32
		Value [3]float32
	}
	want := got
	copy(want.Magic[:], taskMagic)
	want.Size, want.Start, want.Y = [3]int64{3, 2, 3}, [4]int64{0, 1, 1, 3}, [3]float64{1, -1, 1}
	want.Index, want.Value = [3]uint32{1, 0, 1}, [3]float32{5, 7, 8}
	if err := binary.Read(&file, binary.LittleEndian, &got); err != nil || got != want || file.Len() != 0 {
		t.Errorf("%+v, %v, %d bytes left; want %+v", got, err, file.Len(), want)
	}
}

// TestReferences: only what is better is taken over, and it survives the file.
func TestReferences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "references.json")
	r, err := openReferences(path)
	if err != nil {
		t.Fatal(err)
	}
	key := referenceKey("sha256:00", "hinge", "1/n")
	r.improve(key, 2, 1, "a")
	r.improve(key, 3, 1.5, "b")
	r.improve(key, 1.9, 0, "c")
	if err := r.save(); err != nil {
		t.Fatal(err)
	}
	if r, err = openReferences(path); err != nil {
		t.Fatal(err)
	}
	if got, want := r.find(key), (reference{1.9, 1.5, "c"}); got != want {
		t.Errorf("reference %+v, want %+v", got, want)
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

// TestProcess measures a process of its own: the memory it takes must show.
func TestProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := runProcess(context.Background(), []string{self, "-test.run", "^TestLadder$"})
	if err != nil || r.Seconds <= 0 {
		t.Errorf("%+v, %v; want a time", r, err)
	}
	if _, err := runProcess(context.Background(), []string{self, "-test.nosuchflag"}); err == nil {
		t.Error("a process that fails: want an error")
	}
}
