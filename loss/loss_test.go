package loss_test

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/loss"
)

// values holds one row per loss: its value at (p, y), by hand from its formula.
var values = []struct {
	spec    string
	p, y    float64
	want    float64
	wantErr string
}{
	{"hinge", 0.25, 1, 0.75, ""},
	{"squared-hinge", -0.5, 1, 2.25, ""},       // (1+0.5)^2
	{"huber-hinge", 0.5, 1, 0.125, ""},         // 0.5^2/2
	{"huber-hinge:width=0.5", -1, 1, 1.75, ""}, // 1+1-0.25
	{"logistic", 0, -1, math.Ln2, ""},          // log 2
	{"squared", 3, 1, 2, ""},                   // 2^2/2
	{"absolute", -1, 2, 3, ""},                 //
	{"quantile", 3, 1, 1, ""},
	{"quantile:tau=0.25", -1, 1, 0.5, ""},
	{"quantile:tau=1", 0, 1, 0, `loss "quantile": tau=1: expected a number between 0 and 1`},
	{"huber", 3, 0, 2.5, ""},                       // 1*3 - 1/2
	{"huber:delta=4", 3, 0, 4.5, ""},               // 3^2/2
	{"epsilon-insensitive", 1, 0, 0.9, ""},         // 1 - 0.1
	{"epsilon-insensitive:epsilon=0", 1, 0, 1, ""}, //
	{"epsilon-insensitive:epsilon=0.125", 1, 0, 0.875, ""},
	{"squared-epsilon-insensitive", 2, 0, 1.9 * 1.9, ""}, //
	{"poisson", 0, 1, 0, ""},
	{"poisson", 0, 0, 1, ""},
	{"poisson", 1, 1, math.E - 2, ""},
	{"hing", 0, 1, 0, `unknown loss "hing": did you mean "hinge"? known: `},
	{"huber:delta=0", 0, 1, 0, `loss "huber": delta=0: expected a number > 0`},
	{"huber:delta=nan", 0, 1, 0, `loss "huber": delta=nan: expected a number > 0`},
	{"huber:detla=1", 0, 1, 0, `loss "huber": unknown parameter "detla": did you mean "delta"?`},
	{"hinge:x=1", 0, 1, 0, `loss "hinge": unknown parameter "x": there are none`},
	{"huber:delta", 0, 1, 0, `loss "huber": found "delta", expected key=value`},
	{"huber:delta=1,delta=2", 0, 1, 0, `loss "huber": parameter "delta" is given twice`},
}

func TestValues(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range values {
		l, err := loss.New(c.spec)
		if c.wantErr != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.wantErr) {
				t.Errorf("New(%q): error %v, want %s...", c.spec, err, c.wantErr)
			}
			continue
		}
		if err != nil {
			t.Errorf("New(%q): %v", c.spec, err)
			continue
		}
		name, _, _ := strings.Cut(c.spec, ":")
		tested[name] = true
		if got := l.Value(c.p, c.y); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: Value(%g, %g) = %v, want %v", c.spec, c.p, c.y, got, c.want)
		}
	}
	for _, e := range loss.Entries() {
		if !tested[e.Name] {
			t.Errorf("loss %q has no row in this table", e.Name)
		}
	}
}

func TestLaws(t *testing.T) {
	for _, c := range values {
		if c.wantErr != "" {
			continue
		}
		l, err := loss.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := conform.Loss(l); err != nil {
			t.Errorf("%s breaks its laws:\n%v", c.spec, err)
		}
	}
}
