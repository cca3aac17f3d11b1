package conform_test

import (
	"flag"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/conform/adversary"
)

// go test -run Adversary -adversary 10m ./conform
var (
	adversaryTime = flag.Duration("adversary", 0, "try to break the program for so long; 0: a fixed number of cases")
	adversarySeed = flag.Uint64("adversary.seed", 1, "seed of the cases")
	adversaryCase = flag.Int("adversary.case", -1, "run this case alone, and describe it")
)

// quickCases is how many cases every run of the tests tries.
const quickCases = 60

// TestAdversary tries to break the program; see package adversary.
func TestAdversary(t *testing.T) {
	c := adversary.Config{Seed: *adversarySeed, Time: *adversaryTime}
	switch {
	case *adversaryCase >= 0:
		c.First, c.Cases = *adversaryCase, 1
	case c.Time == 0:
		c.Cases = quickCases
	}
	failed := map[string]int{}
	c.Failed = func(f adversary.Failure) {
		if failed[f.Kind]++; failed[f.Kind] > 20 && *adversaryCase < 0 {
			t.Fail()
			return
		}
		t.Errorf("-adversary.seed %d -adversary.case %d: %s", f.Seed, f.Number, f.Finding)
		if *adversaryCase >= 0 || f.Kind == "hang" {
			t.Logf("%s", f.Problem)
		}
	}
	begun := time.Now()
	tally := adversary.Run(c)
	t.Logf("%s\n%s", time.Since(begun).Round(time.Second), tally)
}
