package train

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/solver"
)

// slow is a kernel of which a value takes a while.
func slow(pause time.Duration) *kernel.Func {
	rbf := kernel.RBF{Gamma: 1}
	return &kernel.Func{Value: func(x, y matrix.Vector) float64 { time.Sleep(pause); return rbf.Eval(x, y) }, Largest: rbf.Size, Rounding: rbf.Relative}
}

// TestLimitOfAMap: where the features of a map alone take longer than the limit, or the
// rows of a kernel, that is an error, and it does not wait for them.
func TestLimitOfAMap(t *testing.T) {
	set, err := dataset.Read(context.Background(), []string{"@toy:n=3000,d=3"}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	for name, spec := range map[string]Spec{
		"map":    {Custom: slow(10 * time.Millisecond), Kernel: "own", Map: "nystrom:rank=100", Threads: 1},
		"matrix": {Custom: slow(10 * time.Millisecond), Kernel: "own", Threads: 1}, // its diagonal takes 30 s
	} {
		begin := time.Now()
		limited := spec
		limited.Time = 50 * time.Millisecond
		var late LimitError
		if _, err := Fit(context.Background(), set, limited); !errors.As(err, &late) {
			t.Errorf("%s: found error %v, expected that the time was over", name, err)
		}
		if _, err := Fit(ctx, set, spec); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: found error %v, expected that of the context", name, err)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// TestLimitOfAllClasses: the time is shared, so that no class is left at zero.
func TestLimitOfAllClasses(t *testing.T) {
	set, err := dataset.Read(context.Background(), []string{"@blobs:n=2000,d=4,classes=4,spread=3"}, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Fit(context.Background(), set, Spec{Kernel: "rbf", Solver: "sdca", Bias: "none", Gap: 1e-300, Threads: 1, Time: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for c, o := range r.Model.Outputs {
		if !(o.Certificate.Primal < o.Certificate.Zero) {
			t.Errorf("class %d ends at %+v", c, o.Certificate)
		}
	}
	if r.Status != solver.TimeLimit && r.Status != solver.Stalled {
		t.Errorf("found status %s", r.Status)
	}
}
