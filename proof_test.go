package fenchel

import (
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pose"
)

// Only a finite bound that suffices makes claims true.
func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		primal, dual float64
		rebuilt      bool
		worst        float64
		want         string
	}{
		"proved":               {1, 0.9995, false, 5e-4, ""},
		"rebuilt and enough":   {1, 0.9995, true, 5e-4, ""},
		"rebuilt and too weak": {1, 0.5, true, 0.5, "from its predictions a relative gap of 0.5 is proved, and 0.002 is claimed"},
		"no bound":             {1, math.Inf(-1), false, math.Inf(1), "nothing was found that bounds the objective from below"},
		"no objective":         {math.Inf(1), 0, false, math.Inf(1), "the objective is +Inf, no finite number"},
		"not a number":         {math.NaN(), 0, false, math.NaN(), "the objective is NaN, no finite number"},
	} {
		v := &Verification{Rebuilt: c.rebuilt, Claimed: Summary{Worst: 2e-3}, Found: Summary{Primal: c.primal, Dual: c.dual, Worst: c.worst}}
		if got := v.judge(&pose.Problems{Family: pose.LinearFamily{}}, 1e-3); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: found the reason %q, want %q", name, got, c.want)
		}
	}
}
