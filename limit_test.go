package fenchel

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// slow is a kernel of which a value takes a while; it counts them.
func slow(pause time.Duration, values *atomic.Int64) *kernel.Func {
	rbf := kernel.RBF{Gamma: 1}
	return &kernel.Func{Value: func(x, y matrix.Vector) float64 { values.Add(1); time.Sleep(pause); return rbf.Eval(x, y) }, Largest: rbf.Size, Rounding: rbf.Relative}
}

// TestLimitOfAMap: where the features of a map alone take longer than the limit, or the
// rows of a kernel, that is an error, and it does not wait for them.
func TestLimitOfAMap(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@toy:n=3000,d=3"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	var values atomic.Int64
	for name, spec := range map[string]Spec{
		"map":    {Custom: Custom{Kernel: slow(10*time.Millisecond, &values)}, Kernel: "own", Map: "nystrom:rank=100", Run: Run{Threads: 1}},
		"matrix": {Custom: Custom{Kernel: slow(10*time.Millisecond, &values)}, Kernel: "own", Run: Run{Threads: 1}}, // its diagonal takes 30 s
	} {
		values.Store(0)
		limited := spec
		limited.Time = 50 * time.Millisecond
		var late LimitError
		if _, err := Train(context.Background(), set, limited); !errors.As(err, &late) {
			t.Errorf("%s: found error %v, expected that the time was over", name, err)
		}
		if _, err := Train(ctx, set, spec); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: found error %v, expected that of the context", name, err)
		}
		if n := values.Load(); n > 500 {
			t.Errorf("%s: found %d values computed, expected few in 70 ms of 10 ms each", name, n)
		}
	}
}

// TestLimitOfAllClasses: the time is shared, so that no class is left at zero; on a machine that
// is busy two seconds may be none, and more of them are tried.
func TestLimitOfAllClasses(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@blobs:n=2000,d=4,classes=4,spread=3"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for limit := 2 * time.Second; ; limit *= 2 {
		r, err := Train(context.Background(), set, Spec{Kernel: "rbf", Solver: "sdca", Bias: "none", Gap: 1e-300, Run: Run{Threads: 1, Time: limit}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.TimeLimit && r.Status != solver.Stalled {
			t.Errorf("found status %s", r.Status)
		}
		atZero := func(o model.Output) bool { return !(o.Certificate.Primal < o.Certificate.Zero) }
		switch c := slices.IndexFunc(r.Model.Outputs, atZero); {
		case c < 0:
			return
		case limit > 30*time.Second:
			t.Fatalf("in %v class %d ends at %+v", limit, c, r.Model.Outputs[c].Certificate)
		}
	}
}
