package page

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
)

var update = flag.Bool("update", false, "rewrite testdata")

// fake makes a measurement of the sets of the acceptance table.
func fake(race, kind, set string, nonzeros int64, contender string, threads int, target, seconds float64) measure.Measurement {
	return measure.Measurement{Race: race, Kind: kind, Set: set, Size: measure.Size{Rows: 100, Columns: 10, Nonzeros: nonzeros}, Loss: "hinge", Lambda: "1/n",
		Contender: contender, Setting: "e=0.1", Threads: threads, Target: target, Seconds: seconds, Objective: 0.5, Repeat: 1}
}

// FakeRows are results in which everything occurs that the page can show.
func FakeRows() []measure.Measurement {
	text := fake("whole", "text", "imdb", 4e6, measure.OwnName, 2, 1e-3, 0.5)
	text.Bytes, text.Peak = 50e6, 60e6
	cache := fake("whole", "cache", "imdb", 4e6, measure.OwnName, 2, 1e-3, 0.2)
	cache.Bytes = 50e6
	lib := fake("whole", "text", "imdb", 4e6, "liblinear -s 3", 1, 1e-3, 3)
	lib.Bytes, lib.Peak = 50e6, 90e6
	unreached := fake("solve", "unreached", "imdb", 4e6, "liblinear -s 3", 1, 1e-6, 2)
	unreached.Note = "stopped at its limit of iterations after 2 s"
	bits := fake("solve", "bits", "imdb", 4e6, measure.OwnName, 0, 1e-3, 0)
	bits.Note = "same"
	read := fake("read", "text", "imdb", 4e6, measure.OwnName, 2, 0, 0.1)
	read.Bytes = 50e6
	memory := fake("bandwidth", "read", "", 0, "memory", 2, 0, 0.1)
	memory.Bytes, memory.Loss = 2e9, ""
	epoch := fake("bandwidth", "epoch", "rcv1-shaped", 6e7, measure.OwnName, 2, 0, 0.05)
	epoch.Bytes, epoch.Threads = 5e8, 2
	alone, both := fake("partitions", "split", "imdb", 4e6, measure.OwnName, 1, 1e-3, 0.2), fake("partitions", "split", "imdb", 4e6, measure.OwnName, 2, 1e-3, 0.1)
	alone.Setting, both.Setting = "sdca:partitions=1", ""
	return append(append(fakeKernels(), fakeComponents()...),
		fake("solve", "timed", "a9a", 4e5, measure.OwnName, 2, 1e-3, 0.1), fake("solve", "timed", "a9a", 4e5, "liblinear -s 3", 1, 1e-3, 0.05),
		fake("solve", "timed", "imdb", 4e6, measure.OwnName, 1, 1e-3, 0.2), fake("solve", "timed", "imdb", 4e6, measure.OwnName, 2, 1e-3, 0.1),
		fake("solve", "timed", "imdb", 4e6, measure.OwnName, 2, 1e-3, 0.12), fake("solve", "timed", "imdb", 4e6, "liblinear -s 3", 1, 1e-3, 0.4),
		fake("solve", "timed", "imdb", 4e6, "scikit-learn SGD", 2, 1e-3, 0.7), fake("solve", "timed", "imdb", 4e6, measure.OwnName, 2, 1e-6, 0.3),
		unreached, bits, text, cache, lib, read, memory, epoch, alone, both,
		fake("growth", "rows", "rows=1000", 1e4, measure.OwnName, 2, 1e-3, 0.1), fake("growth", "rows", "rows=4000", 4e4, measure.OwnName, 2, 1e-3, 0.4),
	)
}

// fakeKernels are results of kernel machines.
func fakeKernels() []measure.Measurement {
	own := fakeKernel("text", measure.OwnName, 2, 1.5)
	own.Peak, own.Evaluations, own.Certify, own.Setting = 300e6, 3e8, 0.25, "gap=0.001"
	small := own
	small.Setting, small.Peak = "gap=0.001 cache=104.9MB", 150e6
	bits := fakeKernel("bits", measure.OwnName, 0, 0)
	bits.Note = "same"
	reference := fakeKernel("reference", "libsvm", 0, 0)
	reference.Accuracy = 8e-5
	stopped := fakeKernel("unreached", "scikit-learn", 2, 45)
	stopped.Note = "stopped after 45 s at e=1"
	part, theirs := fakeKernel("rows", measure.OwnName, 2, 0.4), fakeKernel("rows", "libsvm", 1, 10)
	part.Set, part.Rows, theirs.Set, theirs.Rows = "rows=16280", 16280, "rows=16280", 16280
	large := fakeKernel("text", measure.OwnName, 2, 100)
	large.Set, large.Rows, large.Kernel, large.Evaluations, large.Lambda, large.Test, large.Peak = "covtype2", 92962, "rbf:gamma=10", 4e9, "1/(10n)", 0, 1.1e9
	return []measure.Measurement{own, fakeKernel("text", measure.OwnName, 1, 2.5), small, bits, fakeKernel("sweep", "libsvm", 1, 36), fakeKernel("text", "libsvm", 1, 40),
		stopped, reference, part, theirs, large}
}

// TestPage compares the pages of fake results with those in testdata, which were
// read by eye when they were written.
func TestPage(t *testing.T) {
	p := Page{Figures: []string{"figures/hinge-c1.svg"}, Records: []measure.Record{{Rows: FakeRows(), Notes: []string{"vw did not race"},
		Machine: measure.Machine{CPU: "Abacus", Cores: 2, Threads: 2, Caches: "L1 1K", Memory: "1.0 GB", System: "plan9", Go: "go1.26", Date: "2026-01-01", Commit: "0123456789",
			Peers: []string{"liblinear 2.30"}, Limit: time.Minute, Took: 90 * time.Second}}}}
	for name, got := range map[string]string{"RESULTS.golden.md": p.Summary(), "TABLES.golden.md": p.Tables()} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("the page differs from %s (run with -update and read the difference):\n%s", path, got)
		}
	}
	if short := p.Terminal(); !strings.Contains(short, "met") {
		t.Errorf("terminal: %s", short)
	}
}

// TestResultsAreShort: the page in the repository is one to read.
func TestResultsAreShort(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 300 {
		t.Errorf("RESULTS.md has %d lines, expected at most 300", n)
	}
}

// TestAccept: each rule, on both sides of its border.
func TestAccept(t *testing.T) {
	lib := func(target, seconds float64, nonzeros int64) measure.Measurement {
		return fake("solve", "timed", "imdb", nonzeros, "liblinear -s 3", 1, target, seconds)
	}
	own := func(target, seconds float64, nonzeros int64) measure.Measurement {
		return fake("solve", "timed", "imdb", nonzeros, measure.OwnName, 2, target, seconds)
	}
	stopped := fake("solve", "unreached", "imdb", 4e6, "liblinear -s 3", 1, 1e-3, 10)
	stopped.Note = "stopped after 10 s"
	late := stopped
	late.Seconds, late.Note = 0, measure.OutOfBudget
	soon := stopped // another method, which may be the faster one
	soon.Contender, soon.Seconds = "liblinear -s 7", 2
	different, same := fake("solve", "bits", "imdb", 4e6, measure.OwnName, 0, 1e-3, 0), fake("solve", "bits", "imdb", 4e6, measure.OwnName, 0, 1e-2, 0)
	different.Note, same.Note = "different", "same"
	whole := func(contender, kind string, bytes int64, seconds float64, peak int64) measure.Measurement {
		m := fake("whole", kind, "imdb", 4e6, contender, 2, 1e-3, seconds)
		m.Bytes, m.Peak = bytes, peak
		return m
	}
	elsewhere := whole("liblinear -s 0", "text", 50e6, 5, 80e6)
	elsewhere.Loss = "logistic"
	larger := elsewhere
	larger.Peak = 200e6
	split := func(setting string, threads int, seconds float64) measure.Measurement {
		m := fake("partitions", "split", "imdb", 4e6, measure.OwnName, threads, 1e-3, seconds)
		m.Setting = setting
		return m
	}
	moved := func(kind string, threads int, seconds float64) measure.Measurement {
		m := fake("bandwidth", kind, "rcv1-shaped", 6e7, measure.OwnName, threads, 0, seconds)
		m.Bytes = 1e9
		return m
	}
	for _, c := range []struct {
		criterion string
		rows      []measure.Measurement
		want      state
	}{
		{"2 threads against one partition", []measure.Measurement{split("sdca:partitions=1", 1, 1.6), split("", 2, 1)}, passed},
		{"2 threads against one partition", []measure.Measurement{split("sdca:partitions=1", 1, 1.5), split("", 2, 1)}, failed},
		{"epochs of SDCA on 2 threads", []measure.Measurement{moved("read", 1, 1), moved("read", 2, 0.6), moved("epoch", 1, 0.1), moved("epoch", 2, 1)}, passed},
		{"epochs of SDCA on 2 threads", []measure.Measurement{moved("read", 1, 1), moved("read", 2, 0.5), moved("epoch", 1, 0.1), moved("epoch", 2, 1)}, failed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 1, 4e6), lib(1e-3, 3, 4e6)}, passed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 1, 4e6), lib(1e-3, 2.9, 4e6)}, failed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 1, 2e6), lib(1e-3, 2, 2e6)}, passed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 1, 2e6), lib(1e-3, 1.9, 2e6)}, failed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 0.02, 1e5), lib(1e-3, 0.001, 1e5)}, passed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 0.03, 1e5), lib(1e-3, 0.001, 1e5)}, failed},
		{"solve to 1e-06", []measure.Measurement{own(1e-6, 1, 1e5), lib(1e-6, 2, 1e5)}, passed},
		{"solve to 1e-06", []measure.Measurement{own(1e-6, 1, 1e5), lib(1e-6, 1.9, 1e5)}, failed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 1, 4e6), lib(1e-3, 5, 4e6),
			fake("solve", "timed", "imdb", 4e6, "scikit-learn LinearSVC", 2, 1e-3, 2)}, failed}, // LIBLINEAR too
		{"solve to 0.001", []measure.Measurement{own(1e-3, 1, 4e6), stopped}, passed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 5, 4e6), stopped}, unproven},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 1, 4e6), late}, unproven},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 1, 4e6), stopped, soon}, unproven},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 0.5, 4e6), stopped, soon}, passed},
		{"solve to 0.001", []measure.Measurement{own(1e-3, 0.5, 4e6), stopped, soon, late}, unproven},
		{"solve to 0.001", []measure.Measurement{lib(1e-3, 5, 4e6)}, failed},
		{"same bits", []measure.Measurement{same, different, same}, failed},
		{"same bits", []measure.Measurement{same, same}, passed},
		{"whole process from text", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 0), whole("liblinear -s 3", "text", 50e6, 5, 0)}, passed},
		{"whole process from text", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 0), whole("liblinear -s 3", "text", 50e6, 4.9, 0)}, failed},
		{"whole process from text", []measure.Measurement{whole(measure.OwnName, "text", 9e6, 1, 0), whole("liblinear -s 3", "text", 9e6, 3, 0)}, passed},
		{"whole process from text", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 2, 0), stopped}, passed},
		{"whole process from text", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 2.1, 0), stopped}, unproven},
		{"whole process from text", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 0), lib(1e-3, 5, 4e6)}, passed}, // solving alone is enough
		{"whole process from text", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 0), lib(1e-3, 4, 4e6)}, unproven},
		{"whole process from cache", []measure.Measurement{whole(measure.OwnName, "cache", 50e6, 1, 0), whole("liblinear -s 3", "text", 50e6, 9, 0)}, failed},
		{"whole process from cache", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 0), whole("liblinear -s 3", "text", 50e6, 9, 0)}, unproven},
		{"peak memory", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 80e6)}, unproven},
		{"peak memory", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 80e6), elsewhere}, passed},
		{"peak memory", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 81e6), elsewhere, larger}, failed},
		{"peak memory", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 80e6), whole("liblinear -s 3", "text", 50e6, 5, 80e6)}, passed},
		{"peak memory", []measure.Measurement{whole(measure.OwnName, "text", 50e6, 1, 81e6), whole("liblinear -s 3", "text", 50e6, 5, 80e6)}, failed},
	} {
		found := false
		for _, v := range append(accept(c.rows), acceptMachine(c.rows)...) {
			if v.problem.loss == "logistic" { // of the other problem
				continue
			}
			if v.criterion == c.criterion {
				found = true
				if v.state != c.want {
					t.Errorf("%s: %+v, want %s", c.criterion, v, c.want)
				}
			}
		}
		if !found {
			t.Errorf("no verdict %q", c.criterion)
		}
	}
	alone := standing{[]measure.Measurement{split("sdca:partitions=1", 1, 1.6), split("", 1, 1)}}
	if v, ok := alone.judgeSplit(); ok {
		t.Errorf("one core is judged as if it were all: %+v", v)
	}
}
