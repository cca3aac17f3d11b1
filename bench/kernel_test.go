package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
)

// TestKernelFlags spells what peers are started with.
func TestKernelFlags(t *testing.T) {
	j := machineJob{task: &task{text: "data.svm", rows: 10, cols: 10, nonzeros: 11}, c: 10, gamma: 0.1, knob: 0.03, threads: 2}
	for _, c := range []struct {
		peer machinePeer
		want string
	}{
		{&libsvm{"svm-train"}, "svm-train -q -s 0 -t 2 -g 0.1 -c 10 -e 0.03 -m 1000 data.svm out"},
		{&thundersvm{"thundersvm-train"}, "thundersvm-train -o 2 -s 0 -t 2 -g 0.1 -c 10 -e 0.03 -m 1000 data.svm out"},
		{&sklearn{python: "python", script: "worker.py", env: []string{"A=1"}},
			`env A=1 python worker.py machine data.svm 10 out true {"C":10,"gamma":0.1,"tol":0.03,"cache_size":1000}`},
	} {
		if got := strings.Join(c.peer.machine(j, "out"), " "); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.peer.name(), got, c.want)
		}
	}
}

// TestKernelProblems: the problems name sets that exist.
func TestKernelProblems(t *testing.T) {
	for _, p := range kernelProblems {
		if s := sourceOf(p.set); s.name != p.set || s.many != (p.set == "mnist") {
			t.Errorf("%s: found %+v", p.set, s)
		}
	}
	if got := (kernelProblem{c: 10}).lambda(); got != "1/(10n)" {
		t.Errorf("lambda of C=10: %s, want 1/(10n)", got)
	}
}

// mimic is a peer that is Fenchel itself, with the tolerance as its gap, and
// writes models as LIBSVM does.
type mimic struct {
	libsvm
	binary, called string
}

func (p *mimic) name() string { return p.called }

func (p *mimic) machine(j machineJob, model string) []string {
	return []string{p.binary, "train", j.task.text, "-o", model, "-q", "--kernel", "rbf", "--gamma", number(j.gamma), "--C", number(j.c), "--gap", number(j.knob)}
}

func (p *mimic) learned(_ context.Context, path string) (*model.Model, error) {
	m, err := model.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := m.WriteLIBSVM(&text); err != nil {
		return nil, err
	}
	return model.Decode(text.Bytes())
}

// sleeper is a peer that takes too long, failer one that breaks.
type sleeper struct{ mimic }

func (*sleeper) machine(machineJob, string) []string { return []string{"sleep", "60"} }

type failer struct{ mimic }

func (p *failer) machine(machineJob, string) []string { return []string{p.binary, "nonsense"} }

// kernelLab is a lab with a small set and the command fenchel.
func kernelLab(t *testing.T) (*lab, *task, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the command fenchel")
	}
	root, err := repositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{opt: options{config: config{work: t.TempDir(), threads: 2, progress: t.Logf}, root: root, repeats: 2, limit: 2 * time.Second}, log: &log{}, started: time.Now()}
	if l.references, err = openReferences(filepath.Join(l.opt.work, "references.json")); err != nil {
		t.Fatal(err)
	}
	binary, err := l.fenchelBinary(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Read(context.Background(), []string{"@spirals:n=600"}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	spirals := &task{source: source{name: "spirals"}, dir: t.TempDir()}
	spirals.text = filepath.Join(spirals.dir, "data.svm")
	if err := dataset.Write(context.Background(), spirals.text, set, "libsvm"); err != nil {
		t.Fatal(err)
	}
	if err := spirals.load(context.Background(), &l.opt.config); err != nil {
		t.Fatal(err)
	}
	return l, spirals, binary
}

var spiralProblem = kernelProblem{set: "spirals", c: 1, gamma: 10, gap: wholeTarget, faster: 2}

// TestKernelContest: Fenchel writes the same model in every way it is run, a peer
// is swept until it is accurate enough and no further, and one that is too slow
// is given a bound.
func TestKernelContest(t *testing.T) {
	l, spirals, binary := kernelLab(t)
	l.machines = []machinePeer{&mimic{called: "mimic", binary: binary}, &sleeper{mimic{called: "sleeper"}}, &failer{mimic{called: "failer", binary: binary}}}
	c := newKernelContest(l, spiralProblem, spirals, binary, time.Now().Add(time.Minute))
	c.test = spirals.set
	if err := c.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	find := func(kind, who string) []measurement {
		return where(l.log.rows, func(m measurement) bool { return m.Kind == kind && m.Contender == who })
	}
	if own := find("text", ownName); len(own) != 5 { // two ways twice, one with a small cache once
		t.Errorf("%d runs of Fenchel, want 5", len(own))
	} else if m := own[0]; !(m.Seconds > 0 && m.Peak > 0 && m.Support > 0 && m.Evaluations > 0 && m.Test > 0.9 && m.Accuracy <= wholeTarget) {
		t.Errorf("Fenchel: %+v", m)
	}
	if bits := find("bits", ownName); len(bits) != 1 || bits[0].Note != "same" {
		t.Errorf("bits: %+v", bits)
	}
	if trace := find("trace", ownName); len(trace) == 0 || trace[len(trace)-1].Seconds > find("text", ownName)[0].Seconds+1e-9 {
		t.Errorf("trace: %+v", trace)
	}
	sweep, timed := find("sweep", "mimic"), find("text", "mimic")
	if len(timed) != 2 || len(sweep) < 2 {
		t.Fatalf("the peer was swept %d times and timed %d times, want more and 2", len(sweep), len(timed))
	}
	for i, m := range sweep {
		if reached := m.Accuracy <= wholeTarget; reached != (i == len(sweep)-1) {
			t.Errorf("step %d of %d has the accuracy %g", i, len(sweep), m.Accuracy)
		}
	}
	if m := timed[1]; m.Setting != sweep[len(sweep)-1].Setting || m.Objective == 0 || m.Test != find("text", ownName)[0].Test {
		t.Errorf("timed: %+v", m)
	}
	if late := find("unreached", "sleeper"); len(late) != 1 || late[0].Seconds != l.opt.limit.Seconds() {
		t.Errorf("the slow peer: %+v, want one row of %s", late, l.opt.limit)
	}
	if broken := find("unreached", "failer"); len(broken) != 1 || broken[0].Seconds != 0 {
		t.Errorf("the broken peer: %+v, want a row without a time", broken)
	}
	if known := find("reference", l.references.find(c.key()).By); len(known) != 1 || !(known[0].Accuracy <= wholeTarget/10) {
		t.Errorf("reference: %+v", known)
	}
}

// TestKernelGrowth runs on parts of a set, which are its first rows.
func TestKernelGrowth(t *testing.T) {
	l, spirals, binary := kernelLab(t)
	c := newKernelContest(l, spiralProblem, spirals, binary, time.Now())
	if err := c.grow(context.Background(), time.Now()); err != nil {
		t.Fatal(err)
	}
	sizes := distinct(where(l.log.rows, func(m measurement) bool { return m.Kind == "rows" }), func(m measurement) int64 { return m.Rows })
	if len(sizes) != 3 || sizes[0] != 75 || sizes[2] != 300 {
		t.Errorf("sizes %v, want 75, 150 and 300", sizes)
	}
	if _, err := os.Stat(filepath.Join(l.opt.work, "sets", "part")); !os.IsNotExist(err) {
		t.Errorf("the parts were left behind: %v", err)
	}
}

// fakeKernel makes a measurement of the kernel machine on a9a.
func fakeKernel(kind, contender string, threads int, seconds float64) measurement {
	return measurement{Race: "kernel", Kind: kind, Set: "a9a", Rows: 32561, Columns: 123, Nonzeros: 451592, Loss: "hinge", Lambda: "1/n", Kernel: "rbf:gamma=0.05",
		Contender: contender, Setting: "e=0.1", Threads: threads, Target: wholeTarget, Seconds: seconds, Objective: 0.3, Accuracy: 5e-4, Test: 0.85, Support: 11600, Repeat: 1}
}

// TestAcceptKernels: each rule, on both sides of its border.
func TestAcceptKernels(t *testing.T) {
	edit := func(m measurement, change func(*measurement)) measurement { change(&m); return m }
	own, lib := fakeKernel("text", ownName, 2, 1), fakeKernel("text", "libsvm", 1, 20)
	one := fakeKernel("text", ownName, 1, 2.5)
	slow := edit(fakeKernel("unreached", "libsvm", 1, 30), func(m *measurement) { m.Note = "stopped after 30 s" })
	peak := func(setting string, bytes int64) measurement {
		return edit(own, func(m *measurement) { m.Setting, m.Peak = setting, bytes })
	}
	const fixed = 2*8*(451592+32561) + 64<<20
	large := func(kind string, seconds float64) measurement {
		return edit(fakeKernel(kind, ownName, 2, seconds), func(m *measurement) { m.Set, m.Kernel, m.Note = "covtype2", "rbf:gamma=10", "time-limit" })
	}
	for i, c := range []struct {
		criterion string
		rows      []measurement
		want      state
	}{
		{"kernel machine", []measurement{own, lib}, passed},
		{"kernel machine", []measurement{edit(own, func(m *measurement) { m.Seconds = 1.01 }), lib}, failed},
		{"kernel machine", []measurement{own, lib, fakeKernel("text", "scikit-learn", 2, 19)}, failed}, // LIBSVM too
		{"kernel machine", []measurement{own, slow}, passed},
		{"kernel machine", []measurement{own, edit(slow, func(m *measurement) { m.Seconds = 19 })}, unproven},
		{"kernel machine", []measurement{own, edit(slow, func(m *measurement) { m.Seconds = 0 })}, unproven},
		{"kernel machine", []measurement{lib}, failed},
		{"kernel machine", []measurement{edit(peak("gap=0.001 cache=100MB", 1), func(m *measurement) { m.Seconds = 0.5 }), edit(own, func(m *measurement) { m.Seconds = 2 }), lib}, failed},
		{"kernel machine on one core", []measurement{own, one, lib}, passed},
		{"kernel machine on one core", []measurement{own, edit(one, func(m *measurement) { m.Seconds = 2.6 }), lib}, failed},
		{"kernel machine's objective", []measurement{own, lib}, passed},
		{"kernel machine's objective", []measurement{edit(own, func(m *measurement) { m.Accuracy = 1.1e-3 })}, failed},
		{"kernel machine's test accuracy", []measurement{own, edit(lib, func(m *measurement) { m.Test = 0.8509 })}, passed},
		{"kernel machine's test accuracy", []measurement{own, edit(lib, func(m *measurement) { m.Test = 0.8511 })}, failed},
		{"kernel machine's test accuracy", []measurement{own, slow}, unproven},
		{"kernel machine's peak memory", []measurement{peak("gap=0.001", 1<<30+fixed)}, passed},
		{"kernel machine's peak memory", []measurement{peak("gap=0.001", 1<<30+fixed+1)}, failed},
		{"kernel machine's peak memory", []measurement{peak("gap=0.001", 1), peak("gap=0.001 cache=100MB", 100<<20+fixed)}, passed},
		{"kernel machine's peak memory", []measurement{peak("gap=0.001", 1), peak("gap=0.001 cache=100MB", 100<<20+fixed+1)}, failed},
		{"same bits", []measurement{own, edit(own, func(m *measurement) { m.Kind, m.Note = "bits", "same" })}, passed},
		{"same bits", []measurement{own, edit(own, func(m *measurement) { m.Kind, m.Note = "bits", "different" })}, failed},
		{"kernel machine at size", []measurement{large("text", 180)}, passed},
		{"kernel machine at size", []measurement{large("text", 181)}, failed},
		{"kernel machine at size", []measurement{large("unreached", 100)}, failed},
	} {
		found := false
		for _, v := range acceptKernels(c.rows) {
			if v.criterion == c.criterion {
				found = true
				if v.state != c.want {
					t.Errorf("%d: %s: %+v, want %s", i, c.criterion, v, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%d: no verdict %q", i, c.criterion)
		}
	}
	thunder := acceptKernels([]measurement{own, lib, fakeKernel("text", "thundersvm", 2, 1.4)})
	if v := thunder[2]; v.required != ">= 1.5x ThunderSVM" || v.state != failed {
		t.Errorf("ThunderSVM: %+v", v)
	}
}
