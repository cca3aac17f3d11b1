package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/train"
)

// TestPCAProblems: the problems name sets that exist; quick ones are the first.
func TestPCAProblems(t *testing.T) {
	for _, p := range pcaProblems {
		if s := sourceOf(p.set); s.name != p.set {
			t.Errorf("%s: found %+v", p.set, s)
		}
	}
	if got := (pcaProblem{k: 8, center: true}).String(); got != "k = 8, centred" {
		t.Errorf("spelled %q", got)
	}
}

// TestReducers spells what scikit-learn is asked for.
func TestReducers(t *testing.T) {
	for _, c := range []struct {
		problem pcaProblem
		want    []string
	}{
		{pcaProblem{k: 8, center: true, dense: true}, []string{
			`PCA {"n_components":8,"svd_solver":"covariance_eigh","random_state":1}`, `PCA {"n_components":8,"svd_solver":"arpack","random_state":1}`,
			`PCA {"n_components":8,"svd_solver":"randomized","random_state":1}`, `PCA {"n_components":8,"svd_solver":"full","random_state":1}`,
			`oneDAL {"n_components":8,"svd_solver":"covariance_eigh","random_state":1}`, `oneDAL {"n_components":8,"svd_solver":"full","random_state":1}`,
			`IncrementalPCA {"n_components":8}`}},
		{pcaProblem{k: 5}, []string{`TruncatedSVD {"n_components":5,"algorithm":"randomized","random_state":1}`,
			`TruncatedSVD {"n_components":5,"algorithm":"arpack","random_state":1}`}},
		{pcaProblem{k: 5, center: true}, []string{`PCA {"n_components":5,"svd_solver":"arpack","random_state":1}`}},
	} {
		var got []string
		for _, m := range (&sklearn{}).reducers(c.problem, 10) {
			got = append(got, m.code)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.problem, got, c.want)
		}
	}
}

// axes is a peer that finds the first features, or breaks.
type axes struct{ sklearn }

func (*axes) name() string { return "axes" }

func (*axes) reducers(p pcaProblem, d int) []reducerMethod {
	return []reducerMethod{{name: "first", setting: "a"}, {name: "broken"}, {name: "stream", stream: true}}
}

func (*axes) load(context.Context, *config, *task, int, bool) (reduction, error) {
	return &axes{}, nil
}

func (*axes) components(_ context.Context, m reducerMethod, k, d int) (float64, []float64, error) {
	if m.name == "broken" {
		return 0, nil, errors.New("found nothing")
	}
	found := make([]float64, k*d)
	for i := range k {
		found[i*d+i] = 3 // lengths and products are not the judge's business
		found[i*d] += float64(i)
	}
	return 1, found, nil
}

func (*axes) multiply(context.Context, productShape, int) (float64, error) { return 1, nil }

func (*axes) close() {}

// TestPCAContest: everyone is timed and judged by the same bound; a way that breaks
// is told of; components of a peer need not be orthonormal.
func TestPCAContest(t *testing.T) {
	set, err := dataset.Read(context.Background(), []string{"@low-rank:n=3000,d=20"}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{opt: options{config: config{threads: 2}, repeats: 2, limit: 10 * time.Second}, log: &log{}, started: time.Now(), reducers: []reducer{&axes{}}}
	small := &task{source: source{name: "low-rank"}, set: set, rows: set.Rows(), cols: set.Cols()}
	c := &pcaContest{lab: l, pcaProblem: pcaProblem{set: "low-rank", k: 3, center: true, dense: true, faster: 1.5, streamFaster: 10}, t: small,
		x: denseOf(set.X), loaded: map[reducer]reduction{l.reducers[0]: &axes{}}, deadline: time.Now().Add(time.Minute)}
	if err := c.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	find := func(kind, who string) []measurement {
		return where(l.log.rows, func(m measurement) bool { return m.Kind == kind && strings.HasPrefix(m.Contender, who) })
	}
	own := find("memory", ownName)
	if len(own) != 2 || !(own[0].Seconds > 0 && own[0].Accuracy < 1e-9 && own[0].Objective > 0 && own[0].Objective <= own[0].Total) {
		t.Errorf("Fenchel: %+v", own)
	}
	for _, kind := range []string{"memory", "stream"} {
		theirs := find(kind, "axes ")
		if len(theirs) != 2 || !(theirs[0].Objective > 0 && theirs[0].Objective < own[0].Objective && theirs[0].Accuracy > 1e-6) {
			t.Errorf("the peer, kind %s: %+v", kind, theirs)
		}
	}
	first := 0.0 // variance of the first three features
	for i := range set.Rows() {
		for j := range c.k {
			x := float64(c.x.Row(i).Value[j]) - c.rows.Offset[j]
			first += x * x / float64(set.Rows())
		}
	}
	if got := find("memory", "axes ")[0].Objective; !(got > first*(1-1e-9) && got < first*(1+1e-9)) {
		t.Errorf("the first features capture %g, want %g", got, first)
	}
	if broken := find("unreached", "axes broken"); len(broken) != 1 || broken[0].Note != "found nothing" {
		t.Errorf("the broken way: %+v", broken)
	}
	if proof := find("certificate", ownName); len(proof) != 2 || proof[0].Setting != "exact" || proof[0].Note != "for certain" {
		t.Errorf("certificates: %+v", proof)
	}
	if stream := find("stream", ownName); len(stream) != 2 || stream[0].Setting != train.StreamMethod || !(stream[0].Accuracy < 0.1) {
		t.Errorf("the stream: %+v", stream)
	}
	if others := find("streams", ownName); len(others) < 5 {
		t.Errorf("%d other methods of a stream, want more", len(others))
	}
	if others := find("batches", ownName); len(others) == 0 || others[0].Setting == own[0].Setting {
		t.Errorf("other methods for all rows: %+v", others)
	}
}

// TestDenseOf: zeros that are not stored are there.
func TestDenseOf(t *testing.T) {
	sparse := &matrix.CSR{Cols: 3, Start: []int64{0, 1, 1}, Index: []uint32{2}, Value: []float32{7}}
	if got := denseOf(sparse); !slices.Equal(got.Value, []float32{0, 0, 7, 0, 0, 0}) || got.Rows != 2 || got.Cols != 3 {
		t.Errorf("found %+v", got)
	}
}

// TestPCAWorker asks scikit-learn, where it is installed.
func TestPCAWorker(t *testing.T) {
	if testing.Short() {
		t.Skip("starts python")
	}
	opt := &config{work: t.TempDir(), threads: 1, python: os.Getenv("FENCHEL_PYTHON")}
	p := &sklearn{}
	if _, err := p.find(context.Background(), opt); err != nil {
		t.Skipf("no scikit-learn: %v (FENCHEL_PYTHON names a python that has it)", err)
	}
	if err := exec.Command(p.python, "-c", "import threadpoolctl").Run(); err != nil {
		t.Skip("no threadpoolctl")
	}
	x := &matrix.Dense{Rows: 4, Cols: 2, Value: []float32{1, 0, -1, 0, 5, 1, 5, -1}}
	rows := &task{binary: filepath.Join(opt.work, "data.bin")}
	file, err := os.Create(rows.binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeTask(file, x, make([]float64, 4)), file.Close()); err != nil {
		t.Fatal(err)
	}
	for _, dense := range []bool{true, false} {
		s, err := p.load(context.Background(), opt, rows, 3, dense)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		problem := pcaProblem{k: 1, center: true, dense: dense}
		took, found, err := s.components(context.Background(), p.reducers(problem, 2)[0], 1, 2)
		if err != nil || !(took > 0) || len(found) != 2 || !(found[0]*found[0] > found[1]*found[1]) {
			t.Errorf("dense %t: %v in %g s, %v", dense, found, took, err)
		}
		for _, shape := range []productShape{{m: 3, n: 4, k: 5}, {m: 3, n: 3, k: 9, gram: true}} {
			if took, err := s.multiply(context.Background(), shape, 1); err != nil || !(took > 0) {
				t.Errorf("%s: %g s, %v", shape, took, err)
			}
		}
		if _, _, err := s.components(context.Background(), reducerMethod{code: "Nothing {}"}, 1, 2); err == nil {
			t.Error("no such class: want an error")
		}
	}
}

// fakePCA makes a measurement of principal components of mnist, k = 8.
func fakePCA(kind, contender, setting string, seconds, misses float64) measurement {
	return measurement{Race: "pca", Kind: kind, Set: "mnist", Rows: 60000, Columns: 784, Loss: "k = 8, centred", Components: 8, Contender: contender, Setting: setting,
		Threads: 2, Repeat: 1, Seconds: seconds, Objective: 40 * (1 - misses), Accuracy: misses, Total: 100}
}

// fakeText makes one of imdb.
func fakeText(kind, contender, setting string, seconds, objective float64) measurement {
	m := fakePCA(kind, contender, setting, seconds, 1e-4)
	m.Set, m.Rows, m.Columns, m.Loss, m.Components, m.Objective, m.Total = "imdb", 25000, 35860, "k = 50", 50, objective, 1
	return m
}

// fakeProduct and fakeStep are of the other parts of the race.
func fakeProduct(contender, setting string, seconds float64) measurement {
	return measurement{Race: "pca", Kind: "product", Set: "A B^T, 2048 x 2048 x 2048", Contender: contender, Setting: setting, Threads: 2, Repeat: 1, Seconds: seconds, Evaluations: 2 << 33}
}

func fakeStep(kind string, d, k, operations int64, seconds float64) measurement {
	return measurement{Race: "pca", Kind: kind, Columns: d, Components: k, Contender: ownName, Setting: "capped-msg", Threads: 1, Seconds: seconds, Evaluations: operations}
}

// fakeComponents are results in which everything of the race occurs.
func fakeComponents() []measurement {
	proof := fakePCA("certificate", ownName, "exact", 0.3, 1e-10)
	proof.Note = "for certain"
	stopped := fakePCA("streams", ownName, "msg", 6, 1e-2)
	stopped.Note = "stopped after 4096 rows"
	broken := fakePCA("unreached", "scikit-learn PCA", "svd_solver=arpack", 0, 0)
	broken.Objective, broken.Note = 0, "stopped after 60 s"
	text := fakeText("text", ownName, "krylov", 2.5, 0.06)
	text.Peak, text.Bytes, text.Note = 300e6, 49e6, "gap 3e-05"
	return []measurement{fakePCA("memory", ownName, "covariance", 0.2, 1e-10), fakePCA("memory", "scikit-learn PCA", "svd_solver=full", 3, 1e-10),
		fakePCA("memory", "scikit-learn PCA", "svd_solver=randomized", 0.1, 1e-4), broken, fakePCA("batches", ownName, "krylov", 0.5, 1e-9), proof,
		fakePCA("stream", ownName, "history", 0.2, 1e-5), fakePCA("stream", "scikit-learn IncrementalPCA", "batch_size=3920", 5, 1e-3),
		fakePCA("streams", ownName, "oja", 0.2, 1e-2), stopped,
		fakeText("memory", ownName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 8, 0.06), text,
		fakeProduct(ownName, "Gemm32", 0.1), fakeProduct("scikit-learn", "BLAS of numpy", 0.08),
		fakeStep("d", 256, 8, 3e4, 3e-6), fakeStep("d", 16384, 8, 9e5, 6e-5), fakeStep("k", 2048, 4, 1e5, 8e-6), fakeStep("k", 2048, 64, 2e6, 2e-4)}
}

// TestAcceptComponents: each rule, on both sides of its border.
func TestAcceptComponents(t *testing.T) {
	own, lib := fakePCA("memory", ownName, "covariance", 1, 1e-6), fakePCA("memory", "scikit-learn PCA", "full", 1.5, 1e-6)
	stream, theirs := fakePCA("stream", ownName, "history", 1, 1e-3), fakePCA("stream", "scikit-learn IncrementalPCA", "", 10, 1e-3)
	text := fakeText("text", ownName, "krylov", 4.9, 0.06)
	text.Peak = 399e6
	edit := func(m measurement, change func(*measurement)) measurement { change(&m); return m }
	for i, c := range []struct {
		criterion string
		rows      []measurement
		want      state
	}{
		{"components", []measurement{own}, passed},
		{"components", []measurement{edit(own, func(m *measurement) { m.Accuracy = 1.1e-6 })}, failed},
		{"components", []measurement{edit(own, func(m *measurement) { m.Rows = quickRows })}, unproven},
		{"components in memory", []measurement{own, lib}, passed},
		{"components in memory", []measurement{own, edit(lib, func(m *measurement) { m.Seconds = 1.4 })}, failed},
		{"components in memory", []measurement{own, lib, fakePCA("memory", "scikit-learn PCA", "randomized", 0.1, 2e-6)}, passed},
		{"components in memory", []measurement{own, lib, fakePCA("memory", "scikit-learn PCA", "arpack", 0.1, 1e-7)}, failed},
		{"components in memory", []measurement{own}, unproven},
		{"certificate of components", []measurement{own, fakePCA("certificate", ownName, "exact", 1, 1e-6)}, passed},
		{"certificate of components", []measurement{own, fakePCA("certificate", ownName, "exact", 1.1, 1e-6)}, failed},
		{"components of a stream", []measurement{stream, theirs}, passed},
		{"components of a stream", []measurement{stream, edit(theirs, func(m *measurement) { m.Seconds = 9.9 })}, failed},
		{"what a stream's capture", []measurement{stream, theirs}, passed},
		{"what a stream's capture", []measurement{stream, edit(theirs, func(m *measurement) { m.Objective *= 1.00001 })}, failed},
		{"what a stream's capture", []measurement{stream}, unproven},
		{"components in memory", []measurement{fakeText("memory", ownName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 1, 0.06)}, passed},
		{"components in memory", []measurement{fakeText("memory", ownName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 0.9, 0.06)}, failed},
		{"components", []measurement{fakeText("memory", ownName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 1, 0.06000001)}, passed},
		{"components", []measurement{fakeText("memory", ownName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 1, 0.060001)}, failed},
		{"components from text", []measurement{text}, passed},
		{"components from text", []measurement{edit(text, func(m *measurement) { m.Seconds = 5 })}, failed},
		{"peak memory", []measurement{text}, passed},
		{"peak memory", []measurement{edit(text, func(m *measurement) { m.Peak = 400e6 })}, failed},
		{"peak memory", []measurement{edit(text, func(m *measurement) { m.Peak = 0 })}, unproven},
		{"product of matrices", []measurement{fakeProduct(ownName, "Gemm32", 1), fakeProduct("scikit-learn", "", 0.7)}, passed},
		{"product of matrices", []measurement{fakeProduct(ownName, "Gemm32", 1), fakeProduct("scikit-learn", "", 0.69)}, failed},
		{"product of matrices", []measurement{fakeProduct(ownName, "Gemm32", 1)}, unproven},
		{"time of a row of capped MSG", []measurement{fakeStep("d", 1024, 8, 1, 1), fakeStep("d", 16384, 8, 16, 16)}, passed},
		{"time of a row of capped MSG", []measurement{fakeStep("d", 1024, 8, 1, 1), fakeStep("d", 16384, 8, 16, 64)}, failed},
		{"operations of a row of capped MSG", []measurement{fakeStep("d", 1024, 8, 1, 1), fakeStep("d", 16384, 8, 64, 8)}, failed},
		{"time of a row of capped MSG", []measurement{fakeStep("d", 256, 8, 1, 1), fakeStep("d", 512, 8, 2, 2)}, unproven},
	} {
		found := false
		for _, v := range acceptComponents(c.rows) {
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
}
