package race

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// TestKernelProblems: the problems name sets that exist.
func TestKernelProblems(t *testing.T) {
	for _, p := range task.KernelProblems {
		if s := task.SourceOf(p.Set); s.Name != p.Set || s.Many != (p.Set == "mnist") {
			t.Errorf("%s: found %+v", p.Set, s)
		}
	}
	if got := (task.KernelProblem{C: 10}).Lambda(); got != "1/(10n)" {
		t.Errorf("lambda of C=10: %s, want 1/(10n)", got)
	}
}

// mimic is a peer that is Fenchel itself, with the tolerance as its gap, and
// writes models as LIBSVM does.
type mimic struct {
	peer.Libsvm
	binary, called string
}

func (p *mimic) Name() string { return p.called }

func (p *mimic) Machine(j peer.MachineJob, model string) []string {
	return []string{p.binary, "train", j.Task.Text, "-o", model, "-q", "--kernel", "rbf", "--gamma", measure.Number(j.Gamma), "--C", measure.Number(j.C), "--gap", measure.Number(j.Knob)}
}

func (p *mimic) Learned(_ context.Context, path string) (*model.Model, error) {
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

func (*sleeper) Machine(peer.MachineJob, string) []string { return []string{"sleep", "60"} }

type failer struct{ mimic }

func (p *failer) Machine(peer.MachineJob, string) []string { return []string{p.binary, "nonsense"} }

// kernelLab is a lab with a small set and the command fenchel.
func kernelLab(t *testing.T) (*lab, *task.Task, string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the command fenchel")
	}
	root, err := repositoryRoot()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{opt: options{fenchel: binary, Config: task.Config{Work: t.TempDir(), Threads: 2, Progress: t.Logf}, root: root, repeats: 2, limit: 2 * time.Second}, log: &measure.Log{}, started: time.Now()}
	if l.references, err = task.OpenReferences(filepath.Join(l.opt.Work, "references.json")); err != nil {
		t.Fatal(err)
	}
	set, err := data.Read(context.Background(), []string{"@spirals:n=600"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	spirals := &task.Task{Source: task.Source{Name: "spirals"}, Dir: t.TempDir()}
	spirals.Text = filepath.Join(spirals.Dir, "data.svm")
	if err := data.Write(context.Background(), spirals.Text, set, "libsvm"); err != nil {
		t.Fatal(err)
	}
	if err := spirals.Load(context.Background(), &l.opt.Config); err != nil {
		t.Fatal(err)
	}
	return l, spirals, binary
}

var spiralProblem = task.KernelProblem{Set: "spirals", C: 1, Gamma: 10, Gap: task.WholeTarget, Faster: 2}

// TestKernelContest: Fenchel writes the same model in every way it is run, a peer
// is swept until it is accurate enough and no further, and one that is too slow
// is given a bound.
func TestKernelContest(t *testing.T) {
	if !*long {
		t.Skip("races for many seconds: -long does it")
	}
	l, spirals, binary := kernelLab(t)
	l.machines = []peer.MachinePeer{&mimic{called: "mimic", binary: binary}, &sleeper{mimic{called: "sleeper"}}, &failer{mimic{called: "failer", binary: binary}}}
	c := newKernelContest(l, spiralProblem, spirals, binary, time.Now().Add(time.Minute))
	c.test = spirals.Set
	if err := c.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	find := func(kind, who string) []measure.Measurement {
		return measure.Where(l.log.Rows, func(m measure.Measurement) bool { return m.Kind == kind && m.Contender == who })
	}
	if own := find("text", measure.OwnName); len(own) != 5 { // two ways twice, one with a small cache once
		t.Errorf("%d runs of Fenchel, want 5", len(own))
	} else if m := own[0]; !(m.Seconds > 0 && m.Peak > 0 && m.Support > 0 && m.Evaluations > 0 && m.Test > 0.9 && m.Accuracy <= task.WholeTarget) {
		t.Errorf("Fenchel: %+v", m)
	}
	if bits := find("bits", measure.OwnName); len(bits) != 1 || bits[0].Note != "same" {
		t.Errorf("bits: %+v", bits)
	}
	if trace := find("trace", measure.OwnName); len(trace) == 0 || trace[len(trace)-1].Seconds > find("text", measure.OwnName)[0].Seconds+1e-9 {
		t.Errorf("trace: %+v", trace)
	}
	sweep, timed := find("sweep", "mimic"), find("text", "mimic")
	if len(timed) != 2 || len(sweep) < 2 {
		t.Fatalf("the peer was swept %d times and timed %d times, want more and 2", len(sweep), len(timed))
	}
	for i, m := range sweep {
		if reached := m.Accuracy <= task.WholeTarget; reached != (i == len(sweep)-1) {
			t.Errorf("step %d of %d has the accuracy %g", i, len(sweep), m.Accuracy)
		}
	}
	if m := timed[1]; m.Setting != sweep[len(sweep)-1].Setting || m.Objective == 0 || m.Test != find("text", measure.OwnName)[0].Test {
		t.Errorf("timed: %+v", m)
	}
	if late := find("unreached", "sleeper"); len(late) != 1 || late[0].Seconds != l.opt.limit.Seconds() {
		t.Errorf("the slow peer: %+v, want one row of %s", late, l.opt.limit)
	}
	if broken := find("unreached", "failer"); len(broken) != 1 || broken[0].Seconds != 0 {
		t.Errorf("the broken peer: %+v, want a row without a time", broken)
	}
	if known := find("reference", l.references.Find(c.key()).By); len(known) != 1 || !(known[0].Accuracy <= task.WholeTarget/10) {
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
	sizes := measure.Distinct(measure.Where(l.log.Rows, func(m measure.Measurement) bool { return m.Kind == "rows" }), func(m measure.Measurement) int64 { return m.Rows })
	if len(sizes) != 3 || sizes[0] != 75 || sizes[2] != 300 {
		t.Errorf("sizes %v, want 75, 150 and 300", sizes)
	}
	if _, err := os.Stat(filepath.Join(l.opt.Work, "sets", "part")); !os.IsNotExist(err) {
		t.Errorf("the parts were left behind: %v", err)
	}
}
