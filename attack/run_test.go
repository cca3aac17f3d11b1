package attack

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"
)

// go test -C attack . -run Adversary -adversary 10m
var (
	long          = flag.Bool("long", false, "more cases")
	adversaryTime = flag.Duration("adversary", 0, "try to break the program for so long; 0: a fixed number of cases")
	adversarySeed = flag.Uint64("adversary.seed", 1, "seed of the cases")
	adversaryCase = flag.Int("adversary.case", -1, "run this case alone, and describe it")
)

// quickCases is how many cases every run of the tests tries; longCases with -long.
const (
	quickCases = 15
	longCases  = 600
)

// mostShown is how many findings of one kind are told.
const mostShown = 10

// describe says how to make a failure again, and with all the whole problem too.
func describe(f Failure, all bool) string {
	text := f.Finding.String()
	if lines := strings.SplitAfter(text, "\n"); !all && f.Kind != "hang" && len(lines) > 12 { // of a stack
		text = strings.Join(lines[:12], "")
	}
	if f.Problem != nil && (all || f.Kind == "hang") {
		text += "\n" + f.Problem.String()
	}
	return fmt.Sprintf("-adversary.seed %d -adversary.case %d: %s", f.Seed, f.Number, text)
}

// TestAdversary tries to break the program.
func TestAdversary(t *testing.T) {
	c := Config{Seed: *adversarySeed, Time: *adversaryTime}
	switch {
	case *adversaryCase >= 0:
		c.First, c.Cases = *adversaryCase, 1
	case c.Time == 0 && *long:
		c.Cases = longCases
	case c.Time == 0:
		c.Cases = quickCases
	}
	shown := map[string]int{}
	c.Failed = func(f Failure) {
		t.Fail()
		if shown[f.Kind]++; shown[f.Kind] <= mostShown || *adversaryCase >= 0 {
			t.Log(describe(f, *adversaryCase >= 0))
		}
	}
	begun := time.Now()
	tally := Run(c)
	t.Logf("%s\n%s", time.Since(begun).Round(time.Second), tally)
}
