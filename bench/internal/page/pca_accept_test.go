package page

import (
	"testing"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// fakePCA makes a measurement of principal components of mnist, k = 8.
func fakePCA(kind, contender, setting string, seconds, misses float64) measure.Measurement {
	return measure.Measurement{Race: "pca", Kind: kind, Set: "mnist", Size: measure.Size{Rows: 60000, Columns: 784}, Loss: "k = 8, centred", Components: 8, Contender: contender, Setting: setting,
		Threads: 2, Repeat: 1, Seconds: seconds, Objective: 40 * (1 - misses), Accuracy: misses, Total: 100}
}

// fakeText makes one of imdb.
func fakeText(kind, contender, setting string, seconds, objective float64) measure.Measurement {
	m := fakePCA(kind, contender, setting, seconds, 1e-4)
	m.Set, m.Rows, m.Columns, m.Loss, m.Components, m.Objective, m.Total = "imdb", 25000, 35860, "k = 50", 50, objective, 1
	return m
}

// fakeProduct and fakeStep are of the other parts of the race.
func fakeProduct(contender, setting string, seconds float64) measure.Measurement {
	return measure.Measurement{Race: "pca", Kind: "product", Set: "X^T X, 60000 x 784", Contender: contender, Setting: setting, Threads: 2, Repeat: 1, Seconds: seconds, Evaluations: 2 << 33}
}

func fakeStep(kind string, d, k, operations int64, seconds float64) measure.Measurement {
	return measure.Measurement{Race: "pca", Kind: kind, Size: measure.Size{Columns: d}, Components: k, Contender: measure.OwnName, Setting: "capped-msg", Threads: 1, Seconds: seconds, Evaluations: operations}
}

// fakeComponents are results in which everything of the race occurs.
func fakeComponents() []measure.Measurement {
	proof := fakePCA("certificate", measure.OwnName, "exact", 0.3, 1e-10)
	proof.Note = "for certain"
	stopped := fakePCA("streams", measure.OwnName, "msg", 6, 1e-2)
	stopped.Note = "stopped after 4096 rows"
	broken := fakePCA("unreached", "scikit-learn PCA", "svd_solver=arpack", 0, 0)
	broken.Objective, broken.Note = 0, "stopped after 60 s"
	text := fakeText("text", measure.OwnName, "krylov", 2.5, 0.06)
	text.Peak, text.Bytes, text.Note = 300e6, 49e6, "gap 3e-05"
	return []measure.Measurement{fakePCA("memory", measure.OwnName, "covariance", 0.2, 1e-10), fakePCA("memory", "scikit-learn PCA", "svd_solver=full", 3, 1e-10),
		fakePCA("memory", "scikit-learn PCA", "svd_solver=randomized", 0.1, 1e-4), broken, fakePCA("batches", measure.OwnName, "krylov", 0.5, 1e-9), proof,
		fakePCA("stream", measure.OwnName, "history", 0.2, 1e-5), fakePCA("stream", "scikit-learn IncrementalPCA", "batch_size=3920", 5, 1e-3),
		fakePCA("streams", measure.OwnName, "oja", 0.2, 1e-2), stopped,
		fakeText("memory", measure.OwnName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 8, 0.06), text,
		fakeProduct(measure.OwnName, "GramSingle", 0.1), fakeProduct("scikit-learn", "BLAS of numpy", 0.08),
		fakeStep("d", 256, 8, 3e4, 3e-6), fakeStep("d", 16384, 8, 9e5, 6e-5), fakeStep("k", 2048, 4, 1e5, 8e-6), fakeStep("k", 2048, 64, 2e6, 2e-4)}
}

// TestAcceptComponents: each rule, on both sides of its border.
func TestAcceptComponents(t *testing.T) {
	own, lib := fakePCA("memory", measure.OwnName, "covariance", 1, 1e-6), fakePCA("memory", "scikit-learn PCA", "full", 1.5, 1e-6)
	stream, theirs := fakePCA("stream", measure.OwnName, "history", 1, 1e-3), fakePCA("stream", "scikit-learn IncrementalPCA", "", 10, 1e-3)
	text := fakeText("text", measure.OwnName, "krylov", 4.9, 0.06)
	text.Peak = 399e6
	edit := func(m measure.Measurement, change func(*measure.Measurement)) measure.Measurement {
		change(&m)
		return m
	}
	for i, c := range []struct {
		criterion string
		rows      []measure.Measurement
		want      state
	}{
		{"components", []measure.Measurement{own}, passed},
		{"components", []measure.Measurement{edit(own, func(m *measure.Measurement) { m.Accuracy = 1.1e-6 })}, failed},
		{"components", []measure.Measurement{edit(own, func(m *measure.Measurement) { m.Rows = task.QuickRows })}, unproven},
		{"components in memory", []measure.Measurement{own, lib}, passed},
		{"components in memory", []measure.Measurement{own, edit(lib, func(m *measure.Measurement) { m.Seconds = 1.4 })}, failed},
		{"components in memory", []measure.Measurement{own, lib, fakePCA("memory", "scikit-learn PCA", "randomized", 0.1, 2e-6)}, passed},
		{"components in memory", []measure.Measurement{own, lib, fakePCA("memory", "scikit-learn PCA", "arpack", 0.1, 1e-7)}, failed},
		{"components in memory", []measure.Measurement{own}, unproven},
		{"certificate of components", []measure.Measurement{own, fakePCA("certificate", measure.OwnName, "exact", 1, 1e-6)}, passed},
		{"certificate of components", []measure.Measurement{own, fakePCA("certificate", measure.OwnName, "exact", 1.1, 1e-6)}, failed},
		{"components of a stream", []measure.Measurement{stream, theirs}, passed},
		{"components of a stream", []measure.Measurement{stream, edit(theirs, func(m *measure.Measurement) { m.Seconds = 9.9 })}, failed},
		{"what a stream's capture", []measure.Measurement{stream, theirs}, passed},
		{"what a stream's capture", []measure.Measurement{stream, edit(theirs, func(m *measure.Measurement) { m.Objective *= 1.00001 })}, failed},
		{"what a stream's capture", []measure.Measurement{stream}, unproven},
		{"components in memory", []measure.Measurement{fakeText("memory", measure.OwnName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 1, 0.06)}, passed},
		{"components in memory", []measure.Measurement{fakeText("memory", measure.OwnName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 0.9, 0.06)}, failed},
		{"components", []measure.Measurement{fakeText("memory", measure.OwnName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 1, 0.06000001)}, passed},
		{"components", []measure.Measurement{fakeText("memory", measure.OwnName, "krylov", 1, 0.06), fakeText("memory", "scikit-learn TruncatedSVD", "arpack", 1, 0.060001)}, failed},
		{"components from text", []measure.Measurement{text}, passed},
		{"components from text", []measure.Measurement{edit(text, func(m *measure.Measurement) { m.Seconds = 5 })}, failed},
		{"peak memory", []measure.Measurement{text}, passed},
		{"peak memory", []measure.Measurement{edit(text, func(m *measure.Measurement) { m.Peak = 400e6 })}, failed},
		{"peak memory", []measure.Measurement{edit(text, func(m *measure.Measurement) { m.Peak = 0 })}, unproven},
		{"product of matrices", []measure.Measurement{fakeProduct(measure.OwnName, "GramSingle", 1), fakeProduct("scikit-learn", "", 0.7)}, passed},
		{"product of matrices", []measure.Measurement{fakeProduct(measure.OwnName, "GramSingle", 1), fakeProduct("scikit-learn", "", 0.69)}, failed},
		{"product of matrices", []measure.Measurement{fakeProduct(measure.OwnName, "GramSingle", 1)}, unproven},
		{"time of a row of capped MSG", []measure.Measurement{fakeStep("d", 1024, 8, 1, 1), fakeStep("d", 16384, 8, 16, 16)}, passed},
		{"time of a row of capped MSG", []measure.Measurement{fakeStep("d", 1024, 8, 1, 1), fakeStep("d", 16384, 8, 16, 64)}, failed},
		{"operations of a row of capped MSG", []measure.Measurement{fakeStep("d", 1024, 8, 1, 1), fakeStep("d", 16384, 8, 64, 8)}, failed},
		{"time of a row of capped MSG", []measure.Measurement{fakeStep("d", 256, 8, 1, 1), fakeStep("d", 512, 8, 2, 2)}, unproven},
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
