package spectral

import (
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// The steps of the theory.

// stepMSG is sqrt(2k/T)/G for T steps of MSG, G^2 = mean |x|^4: no two feasible M
// are farther apart than sqrt(2k).
func stepMSG(k, steps int, fourth float64) schedule.Schedule {
	return schedule.Constant{C: math.Sqrt(2*float64(k)/float64(steps)) / math.Sqrt(fourth)}
}

// stepAnytime is sqrt(k/t)/G for MSG when the number of steps is not known. It is
// also the upper end of the values that are good in practice: 2 to 4 times less
// was best in experiments.
func stepAnytime(k int, fourth float64) schedule.Schedule {
	return schedule.InverseRoot{C: math.Sqrt(float64(k)) / math.Sqrt(fourth)}
}

// stepEntropy is ln(1 + sqrt(2D/(T L*))), D = (d-k) ln(d/(d-k)), for T steps of
// Warmuth and Kuzmin's algorithm on rows of |x| <= 1, of which the best subspace
// leaves L* on average. L* = 0 would be an infinite step: T L* counts as at least
// 1e-6 of D.
func stepEntropy(d, k, steps int, loss float64) schedule.Schedule {
	distance := entropyDistance(d, k)
	total := max(float64(steps)*loss, 1e-6*distance)
	return schedule.Constant{C: elementary.Log1p(math.Sqrt(2 * (distance / total)))}
}

// stepMirror is sqrt(B/T), B = ln(d/(d-k)), for T steps of the same algorithm by
// the general analysis of mirror descent.
func stepMirror(d, k, steps int) schedule.Schedule {
	return schedule.Constant{C: math.Sqrt(entropyDistance(d, k) / float64(d-k) / float64(steps))}
}

func TestTheorySteps(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"MSG", stepMSG(2, 100, 1).Step(1), 0.2},
		{"MSG, |x|^4 = 16", stepMSG(2, 100, 16).Step(1), 0.05},
		{"anytime", stepAnytime(4, 16).Step(4), 0.25},
		{"entropy", stepEntropy(4, 2, 100, 0.5).Step(1), math.Log(1 + math.Sqrt(2*2*math.Ln2/50))},
		{"mirror", stepMirror(4, 2, 100).Step(1), math.Sqrt(math.Ln2 / 100)},
	} {
		if math.Abs(c.got-c.want) > 1e-15 {
			t.Errorf("%s: %v, expected %v", c.name, c.got, c.want)
		}
	}
	if eta := stepEntropy(4, 2, 100, 0).Step(1); !(eta > 0 && eta < 10) {
		t.Errorf("a step of %v where the best subspace leaves nothing", eta)
	}
}
