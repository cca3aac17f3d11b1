package kernel

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/kerneltest"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// concealed is a loss of which nobody knows an inverse.
type concealed struct{ loss.Loss }

// TestChoose: what is chosen takes the problem, whatever is known of the loss.
func TestChoose(t *testing.T) {
	for _, l := range []loss.Loss{concealed{loss.Squared{}}, loss.Squared{}, loss.Hinge{}, loss.Logistic{}} {
		p := kerneltest.Chequered(t, 20, l, problem.None, 1, gram.Options{})
		name, why := Choose(p, 1e-3)
		s, err := New(name)
		if err != nil || s.Accepts(p) != nil || why == "" {
			t.Errorf("%T: chosen %s, %q: %v", l, name, why, err)
		}
	}
}
