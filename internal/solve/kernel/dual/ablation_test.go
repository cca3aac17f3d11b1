package dual

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/ablation"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

var ablate = flag.String("ablation", "", `solve the problems of the ablation without each of these mechanisms, "all" for every one`)

var ablateOnly = flag.String("ablation.only", "", "of these the problems whose name matches")

// mechanisms are what the ablation leaves out, by name.
var mechanisms = []struct {
	name string
	out  mechanism
}{
	{"face", withoutFace},
	{"broad", withoutBroad},
	{"sample", withoutSample},
	{"clusters", withoutClusters},
}

// An ablatedProblem is rows with a kernel, a loss and a goal.
type ablatedProblem struct {
	set    *ablatedSet
	kernel string
	loss   loss.Loss
	c      float64 // 1/(lambda n)
	gap    float64
	bias   problem.Bias
}

func (a ablatedProblem) String() string {
	return fmt.Sprintf("%s %s %s C=%g gap=%g bias=%v", a.set.name, a.kernel, strings.TrimPrefix(fmt.Sprintf("%T", a.loss), "loss."), a.c, a.gap, a.bias)
}

// An ablatedSet is read when it is first asked for.
type ablatedSet struct {
	name    string
	real    bool
	classes bool
	kernels []string
	source  string
	rows    int    // the first; 0: all
	class   string // that is +1 against all others; "": the greater of two

	x matrix.Matrix
	y []float64
}

// TestAblation solves a list of problems with all mechanisms of working and without
// each of those that -ablation names, and prints what each brings: see package ablation.
func TestAblation(t *testing.T) {
	if *ablate == "" {
		t.Skip("takes a quarter of an hour: asked for by -ablation all, or -ablation face,sample")
	}
	only := regexp.MustCompile(*ablateOnly)
	problems := slices.DeleteFunc(ablatedProblems(t), func(a ablatedProblem) bool { return !only.MatchString(a.String()) })
	t.Logf("%d problems", len(problems))
	chosen := strings.Split(*ablate, ",")
	rows := make([]ablation.Row, len(mechanisms))
	for _, a := range problems {
		all := mechanism(0).run(t, a)
		t.Logf("%s: %s", a, all)
		for k, m := range mechanisms {
			if *ablate == "all" || slices.Contains(chosen, m.name) {
				without := m.out.run(t, a)
				if rows[k].Add(t, a.String(), a.set.real, all, without); !without.Same(all) {
					t.Logf("  without %s: %s", m.name, without)
				}
			}
		}
	}
	for k, m := range mechanisms {
		if !rows[k].Empty() {
			t.Logf("without %-10s %v", m.name, &rows[k])
		}
	}
}

// run solves a without m, each time with a kernel matrix that has no values yet.
func (m mechanism) run(t *testing.T, a ablatedProblem) ablation.Outcome {
	defer func() { ablated = 0 }()
	ablated = m
	outcome, err := ablation.Solve(t.Context(), Working{}, func() problem.Problem { return a.make(t) }, a.gap)
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

func (a ablatedProblem) make(t *testing.T) *problem.Kernel {
	t.Helper()
	s := a.set
	if s.x == nil {
		s.read(t)
	}
	k, err := kernel.New(a.kernel)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gram.NewGram(k, s.x, gram.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.NewKernel(g, s.y, nil, a.loss, 1/(a.c*float64(len(s.y))), a.bias)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// read takes the first rows of a set.
func (s *ablatedSet) read(t *testing.T) {
	t.Helper()
	set, err := data.Read(t.Context(), []string{s.source}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := set.Rows()
	if s.rows > 0 && s.rows < n {
		n = s.rows
	}
	rows := make([]uint32, n)
	greater := slices.Max(set.Target.Number)
	for i := range rows {
		rows[i] = uint32(i)
		switch {
		case !s.classes:
			s.y = append(s.y, set.Target.Number[i])
		case s.class != "" && set.Target.Label[set.Target.Code[i]] == s.class, s.class == "" && set.Target.Number[i] == greater:
			s.y = append(s.y, 1)
		default:
			s.y = append(s.y, -1)
		}
	}
	s.x = matrix.Subset(set.X, rows)
}

// ablatedProblems lists the problems, set by set: large ones only with a few losses.
func ablatedProblems(t *testing.T) (list []ablatedProblem) {
	add := func(s *ablatedSet, k string, l loss.Loss, c, gap float64, bias problem.Bias) {
		list = append(list, ablatedProblem{s, k, l, c, gap, bias})
	}
	for _, s := range ablatedSets(t) {
		for _, k := range s.kernels {
			if !s.classes {
				for _, l := range []loss.Loss{loss.EpsilonInsensitive{Epsilon: 0.1}, loss.Absolute{}, loss.Squared{}} {
					add(s, k, l, 1, 1e-3, problem.Free)
					add(s, k, l, 100, 1e-3, problem.Free)
				}
				continue
			}
			add(s, k, loss.Hinge{}, 1, 1e-3, problem.Free)
			add(s, k, loss.Hinge{}, 100, 1e-3, problem.Free)
			if s.rows > 12000 {
				continue
			}
			add(s, k, loss.Logistic{}, 1, 1e-3, problem.Free)
			add(s, k, loss.SquaredHinge{}, 1, 1e-3, problem.Free)
			if s.rows >= 8000 {
				continue
			}
			add(s, k, loss.Hinge{}, 0.1, 1e-3, problem.None)
			add(s, k, loss.Hinge{}, 1e4, 1e-3, problem.Free)
			add(s, k, loss.Hinge{}, 10, 1e-6, problem.Free)
			add(s, k, loss.Logistic{}, 100, 1e-3, problem.Free)
			add(s, k, loss.SquaredHinge{}, 100, 1e-3, problem.None)
			add(s, k, loss.HuberHinge{Width: 1}, 10, 1e-4, problem.Free)
		}
	}
	return list
}

// ablatedSets are those of the folder of real sets, and generated ones.
func ablatedSets(t *testing.T) []*ablatedSet {
	folder := cmp.Or(os.Getenv("FENCHEL_DATA"), "../../../../shared/data")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no real sets: %v", err)
	}
	file := func(name, path, class string, rows int, kernels ...string) *ablatedSet {
		return &ablatedSet{name: name, real: true, classes: class != "number", kernels: kernels, source: filepath.Join(folder, path), rows: rows, class: class}
	}
	generated := func(spec string, kernels ...string) *ablatedSet {
		return &ablatedSet{name: spec, classes: true, kernels: kernels, source: spec}
	}
	return []*ablatedSet{
		file("a1a", "adult/a1a.gz", "", 0, "rbf:gamma=0.05", "linear"),
		file("a9a, 5,000 rows", "adult/a9a.gz", "", 5000, "linear", "poly:degree=2,gamma=0.1,coef0=1"),
		file("w1a", "web/w1a.gz", "", 0, "rbf:gamma=0.05", "poly:degree=3,gamma=0.1,coef0=1"),
		file("ijcnn1, 4,000 rows", "ijcnn1/ijcnn1.trn.bz2", "", 4000, "rbf:gamma=2"),
		file("covtype, 4,000 rows", "covtype/covtype_ramp_92962.svm.gz", "2", 4000, "rbf:gamma=10", "laplacian:gamma=1"),
		file("mnist, 2,000 rows", "mnist/t10k-images-idx3-ubyte.gz", "8", 2000, "rbf:gamma=0.02", "intersection"),
		file("20news1, 2,000 rows", "20newsgroups/20news_tfidf.train.svm.gz", "1", 2000, "linear", "rbf:gamma=1"),
		file("abalone", "regression/abalone.csv.gz", "number", 0, "rbf:gamma=1"),
		generated("@spirals:n=1500", "rbf:gamma=10", "rbf:gamma=1000"),
		generated("@blobs:n=2000,classes=2,spread=3", "rbf:gamma=0.1"),
		file("a9a, 12,000 rows", "adult/a9a.gz", "", 12000, "rbf:gamma=0.05"),
		file("w8a, 12,000 rows", "web/w8a.gz", "", 12000, "rbf:gamma=0.05"),
		file("ijcnn1, 12,000 rows", "ijcnn1/ijcnn1.trn.bz2", "", 12000, "rbf:gamma=2"),
		file("a9a", "adult/a9a.gz", "", 40000, "rbf:gamma=0.05"),
		file("w8a", "web/w8a.gz", "", 50000, "rbf:gamma=0.05"),
		file("covtype, 30,000 rows", "covtype/covtype_ramp_92962.svm.gz", "2", 30000, "rbf:gamma=10"),
		file("covtype, 12,000 rows", "covtype/covtype_ramp_92962.svm.gz", "2", 12000, "rbf:gamma=10"),
	}
}
