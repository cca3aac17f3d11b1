package fenchel

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestTurnsShareTheTime: those under way have an even part of the time that is left, those
// to come another.
func TestTurnsShareTheTime(t *testing.T) {
	for _, c := range []struct{ outputs, workers, most, rounds int }{{1, 1, 1, 1}, {5, 1, 1, 5}, {5, 1, 5, 5}, {5, 2, 5, 3}, {4, 2, 2, 2}, {6, 1, 2, 6}, {3, 8, 3, 1}} {
		turns := newTurns(newLimit(time.Hour), c.outputs, c.workers, c.most, 1<<30)
		for k := range min(turns.most, c.outputs) {
			turns.begin(k)
		}
		want := time.Duration(float64(time.Hour) * 0.98 / float64(c.rounds))
		if got := turns.share(); got > want || got < want-time.Minute {
			t.Errorf("%+v: %v, expected %v", c, got, want)
		}
	}
	late := newTurns(&limit{begun: time.Now().Add(-time.Hour), time: time.Minute}, 3, 1, 3, 1)
	if late.begin(0); late.share() != 1 {
		t.Errorf("%v when all is over, expected the least limit", late.share())
	}
	free := newTurns(newLimit(0), 3, 1, 3, 1)
	if free.begin(0); free.share() != 0 {
		t.Errorf("%v without a limit", free.share())
	}
}

// TestTurnsAreEven: at any time, those that have begun have made about as many epochs, whenever
// each ends; on several workers none waits for one at work, and no more are at work.
func TestTurnsAreEven(t *testing.T) {
	for _, c := range []struct{ outputs, workers, most int }{{5, 1, 5}, {7, 2, 7}, {7, 3, 4}, {4, 2, 1}, {3, 8, 3}} {
		turns := newTurns(newLimit(0), c.outputs, c.workers, c.most, 1<<30)
		var mutex sync.Mutex
		made, working, most := map[int]int{}, 0, 0
		turns.each(func(o int) {
			mutex.Lock()
			made[o], working = 0, working+1
			mutex.Unlock()
			for epoch := range 100 + 10*o {
				mutex.Lock()
				working--
				mutex.Unlock()
				turns.next(o, epoch)
				mutex.Lock()
				working++
				most, made[o] = max(most, working), epoch+1
				least := epoch
				for _, m := range made {
					least = min(least, m)
				}
				if c.workers == 1 && len(made) == min(c.outputs, c.most) && c.most > 1 && epoch > least+least/lead+2 {
					t.Errorf("%+v: output %d makes epoch %d, another has made %d", c, o, epoch+1, least)
				}
				mutex.Unlock()
			}
			mutex.Lock()
			delete(made, o)
			working--
			mutex.Unlock()
		})
		if most > c.workers {
			t.Errorf("%+v: %d at work at once", c, most)
		}
	}
}

// TestInterruptedClassesAreEven: however early a run is interrupted, every class has made about
// as many epochs: linear, with a kernel, and of pairs of classes.
func TestInterruptedClassesAreEven(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@blobs:n=600,d=5,classes=5,spread=3"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []Spec{
		{Solver: "sdca", Loss: "logistic"},
		{Solver: "pegasos", Scheme: "one-against-one"},
		{Kernel: "rbf", Solver: "sdca", Bias: "none"},
		{Kernel: "rbf", Solver: "smo", Scheme: "one-against-one"},
	} {
		for _, threads := range []int{1, 2} {
			ctx, cancel := context.WithCancel(context.Background())
			steps := 0
			spec.Gap, spec.Threads = 1e-300, threads
			spec.Step = func(s Step) {
				if steps++; steps == 100 {
					cancel()
				}
			}
			r, err := Train(ctx, set, spec)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Interrupted {
				t.Errorf("%+v: found status %s", spec, r.Status)
			}
			epochs := []int{}
			for _, o := range r.Model.Outputs {
				epochs = append(epochs, o.Certificate.Epochs)
			}
			least, most := slices.Min(epochs), slices.Max(epochs)
			if least < 1 || threads == 1 && most > least+max(least/lead, mostAhead)+1 {
				t.Errorf("%s %s %s, %d threads: found %v epochs", spec.Kernel, spec.Solver, spec.Scheme, threads, epochs)
			}
			cancel()
		}
	}
}

// TestTurnsChangeNoModel: the model is the same, bit for bit, where classes take turns and where
// there is room for one at a time only.
func TestTurnsChangeNoModel(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@blobs:n=500,d=4,classes=4,spread=3"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []Spec{
		{Loss: "logistic", Gap: 1e-5}, {Scheme: "one-against-one"}, {Kernel: "rbf"}, {Kernel: "rbf", Loss: "logistic", Scheme: "one-against-one"},
		{Kernel: "rbf", Nu: 0.2}, {Kernel: "rbf", Loss: "squared", Solver: "cholesky"},
	} {
		var want []byte
		for _, threads := range []int{1, 2, 8} {
			spec.Threads = threads
			r, err := Train(context.Background(), set, spec)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := r.Model.Write(&got); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = alone(t, set, spec)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%+v: another model", spec)
			}
		}
	}
}

// alone returns the model of which every class is trained before the next one begins.
func alone(t *testing.T, set *data.Set, spec Spec) []byte {
	t.Helper()
	j, err := prepare(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	solutions := make([]*solver.Solution, j.labels.Outputs())
	for c := range solutions {
		p, err := j.problem(c)
		if err != nil {
			t.Fatal(err)
		}
		opt := solver.Options{Gap: j.spec.Gap, Seed: j.spec.Seed + uint64(c), Short: j.spec.short()}
		if solutions[c], err = solver.Run(context.Background(), j.solver, p.Problem, opt); err != nil {
			t.Fatal(err)
		}
		solutions[c].Point = p.Extend(solutions[c].Point)
	}
	r, err := j.result(solutions, set.BeginDigest(1))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Model.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestTogether: as many classes take turns as there is memory for.
func TestTogether(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@blobs:n=3000,d=4,classes=5"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec        Spec
		least, most int
	}{
		{Spec{}, 5, math.MaxInt},
		{Spec{Kernel: "rbf"}, 5, math.MaxInt},
		{Spec{Kernel: "rbf", Run: Run{Cache: 10 << 20}}, 1, 1}, // the matrix takes 72 MB
		{Spec{Kernel: "rbf", Run: Run{Cache: 80 << 20}}, 5, math.MaxInt},
		{Spec{Kernel: "rbf", Scheme: "one-against-one", Run: Run{Cache: 34 << 20, Threads: 4}}, 1, 1}, // classes take 14 MB, pairs 12 each
		{Spec{Kernel: "rbf", Scheme: "one-against-one", Run: Run{Cache: 80 << 20, Threads: 4}}, 4, 4}, // one on each core
		{Spec{Kernel: "rbf", Scheme: "one-against-one", Solver: "smo", Run: Run{Cache: 100 << 20}}, 1, 1},
		{Spec{Kernel: "rbf", Scheme: "one-against-one", Solver: "smo", Run: Run{Cache: 120 << 20}}, 10, math.MaxInt},
		{Spec{Kernel: "rbf", Loss: "squared", Solver: "cholesky"}, 5, 30},
		{Spec{Solver: "gram"}, 5, 24},                             // 1.9 GB, and 96 MB each
		{Spec{Solver: "gram", Scheme: "one-against-one"}, 20, 63}, // 12 MB of inner products and 31 MB each
	} {
		j, err := prepare(context.Background(), set, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.runsAtOnce(); got < c.least || got > c.most {
			t.Errorf("%s: %d, expected %d to %d", fmt.Sprint(c.spec.Kernel, c.spec.Solver, c.spec.Cache), got, c.least, c.most)
		}
	}
}
