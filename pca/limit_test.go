package pca

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/solver"
)

// countdown is a context that is cancelled when it has been asked so many times.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	mutex  sync.Mutex
	left   int
}

func newCountdown(left int) *countdown {
	ctx, cancel := context.WithCancel(context.Background())
	return &countdown{Context: ctx, cancel: cancel, left: left}
}

func (c *countdown) Err() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.left--; c.left == 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// TestInterruptedComponents: whenever a search is interrupted, components come out, with a proof
// that verification confirms.
func TestInterruptedComponents(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@text:n=1000,d=200"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"krylov:tol=1e-15", "covariance", "gram", "power:tol=1e-15", "randomized:power=50", "vr-pca:tol=1e-15", "oja", "capped-msg"} {
		for _, asked := range []int{1, 4, 20}[nightly(0, 1):] {
			ctx := newCountdown(asked + 2)
			r, err := Fit(ctx, set, Spec{K: 5, Method: method, Gap: 1e-12, Epochs: map[bool]int{true: 10}[method == "oja" || method == "capped-msg"]})
			if err != nil {
				t.Fatalf("%s, %d: %v", method, asked, err)
			}
			p := r.Model.Proof
			if ctx.Context.Err() != nil && r.Status != solver.Interrupted && r.Status != solver.Converged {
				t.Errorf("%s, %d: found status %s", method, asked, r.Status)
			}
			if gap := p.Relative(); math.IsNaN(gap) || gap > 0.9 {
				t.Errorf("%s, %d: found gap %g", method, asked, gap)
			}
			v, err := Verify(context.Background(), r.Model, set, 0)
			if err != nil || len(v.Problems) > 0 {
				t.Errorf("%s, %d: verify: %v %v", method, asked, err, v)
			}
		}
	}
}

// TestInterruptedShare: components of a share that was not reached come with a warning.
func TestInterruptedShare(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@text:n=3000,d=400"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Fit(newCountdown(3), set, Spec{Share: 0.95, Method: "krylov"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != solver.Interrupted || len(r.Warnings) != 1 || r.Model.Statement.K < 1 {
		t.Errorf("found %s, warnings %v, %d components", r.Status, r.Warnings, r.Model.Statement.K)
	}
}

// TestLimitOfComponents: a search ends by its limit with components and a proof, however short
// that is (the first and the last method would take hours); a search that is done earlier is not
// changed by it.
func TestLimitOfComponents(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@text:n=3000,d=500"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"power:tol=1e-15,passes=100000", "krylov:tol=1e-15", "covariance", "randomized:power=100000"} {
		r, err := Fit(context.Background(), set, Spec{K: 10, Method: method, Gap: 1e-13, Time: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.TimeLimit && (strings.Contains(method, "00000") || r.Status != solver.Converged && r.Status != solver.Stalled) {
			t.Errorf("%s: found status %s", method, r.Status)
		}
		if v, err := Verify(context.Background(), r.Model, set, 0); err != nil || len(v.Problems) > 0 {
			t.Errorf("%s: verify: %v %v", method, err, v)
		}
	}
	if r, err := Fit(context.Background(), set, Spec{K: 10, Time: time.Nanosecond}); err != nil || r.Status != solver.TimeLimit {
		t.Errorf("no time at all: found %v, error %v", r, err)
	}
	var want []float64
	for _, limit := range []time.Duration{0, time.Hour} {
		r, err := Fit(context.Background(), set, Spec{K: 10, Time: limit})
		if err != nil || r.Status != solver.Converged {
			t.Fatalf("found %v, error %v", r, err)
		}
		for i, x := range r.Model.Components {
			if want != nil && want[i] != x {
				t.Fatal("another result with a limit that was not reached")
			}
		}
		want = r.Model.Components
	}
}

// TestLateCertificate: when the time of a certificate is over its bound holds; when it is
// cancelled it is none.
func TestLateCertificate(t *testing.T) {
	for _, source := range []string{"@low-rank:n=500,d=60", "@text:n=4200,d=4200"} { // both routes
		set, err := data.Read(context.Background(), []string{source}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := view.Preprocess(set.X, "none", true, 0)
		if err != nil {
			t.Fatal(err)
		}
		n, d := rows.Dims()
		b, err := batch.OfSample(rows, method.Problem{Rows: n, Cols: d, K: 4, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := certificate.Certify(context.Background(), rows, b, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		over, done := context.WithTimeout(context.Background(), 0)
		defer done()
		late, err := certificate.Certify(over, rows, b, 0, 1)
		if err != nil || late.Upper < whole.Upper*(1-1e-9) || late.Captured > whole.Captured*(1+1e-9) || !(late.Loss() < 1) {
			t.Errorf("%s: found %+v (error %v), expected bounds that hold beside %+v", source, late, err, whole)
		}
		cancelled, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := certificate.Certify(cancelled, rows, b, 0, 1); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: found error %v of a cancelled context", source, err)
		}
	}
}
