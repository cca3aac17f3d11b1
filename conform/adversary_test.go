package conform_test

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
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

// awaited are faults that are known and not mended yet: they are counted, and do not
// fail the test. The list is to be empty.
var awaited = []struct{ pattern, why string }{
	{`^forged (features deleted|problem\.kernel) `, "names that the rows do not have, and the kernel of a machine without support"},
	{`^forged tensor (weight|coefficients) `, "an objective within the rounding of a kernel of very large rows"},
	{`^forged certificates`, "a bound raised by no more than what rounding explains"},
	{`^(objective|overclaim) .*[0-9]e-(1[4-9]|2|3)[0-9]`, "values so small that their squares underflow"},
}

// isAwaited reports whether a failure is one of these.
func isAwaited(f adversary.Failure) bool {
	for _, a := range awaited {
		if regexp.MustCompile(a.pattern).MatchString(f.Finding.String()) {
			return true
		}
	}
	return false
}

// mostShown is how many findings of one kind are told.
const mostShown = 10

// describe says how to make a failure again, and with all the whole problem too.
func describe(f adversary.Failure, all bool) string {
	text := f.Finding.String()
	if lines := strings.SplitAfter(text, "\n"); !all && f.Kind != "hang" && len(lines) > 12 { // of a stack
		text = strings.Join(lines[:12], "")
	}
	if f.Problem != nil && (all || f.Kind == "hang") {
		text += "\n" + f.Problem.String()
	}
	return fmt.Sprintf("-adversary.seed %d -adversary.case %d: %s", f.Seed, f.Number, text)
}

// TestAdversary tries to break the program; see package adversary.
func TestAdversary(t *testing.T) {
	c := adversary.Config{Seed: *adversarySeed, Time: *adversaryTime}
	switch {
	case *adversaryCase >= 0:
		c.First, c.Cases = *adversaryCase, 1
	case c.Time == 0:
		c.Cases = quickCases
	}
	shown := map[string]int{}
	known := 0
	c.Failed = func(f adversary.Failure) {
		if isAwaited(f) {
			known++
			f.Kind = "known: " + f.Kind
		} else {
			t.Fail()
		}
		if shown[f.Kind]++; shown[f.Kind] <= mostShown || *adversaryCase >= 0 {
			t.Log(describe(f, *adversaryCase >= 0))
		}
	}
	begun := time.Now()
	tally := adversary.Run(c)
	if known > 0 {
		t.Logf("%d failures of known faults", known)
	}
	t.Logf("%s\n%s", time.Since(begun).Round(time.Second), tally)
}
