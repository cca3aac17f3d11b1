// Package attack tries to break the program: it makes random problems of
// extreme sizes, trains them by every solver that takes them, and does not believe
// a word of what the models say. Objectives and bounds are computed again in
// arithmetic of several hundred bits (package exact), from the stored numbers alone. Then
// models are forged, and files damaged.
//
// A bound above an objective that anything reached is a false proof: the worst bug
// there is, and what this package is for.
//
// A run goes from file to file: draw.go, rows.go, problem.go and statement.go make
// a problem; trial.go trains it; court.go, claim.go and their neighbours judge what
// was claimed; forge.go and damage.go are the attacks; tally.go counts. A case
// depends on the seed and its own number alone.
package attack

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// A Config says how much to try. Cases begin with First and end after Cases of
// them, or after Time, whichever is given.
type Config struct {
	Seed  uint64
	First int
	Cases int           // 0: no limit
	Time  time.Duration // 0: no limit
	Case  time.Duration // after which a case counts as hanging; 0: a minute

	// Failed is told of each finding as it is made.
	Failed func(Failure)
}

// A Failure is a finding with the case that made it.
type Failure struct {
	Seed   uint64
	Number int
	Finding
	Problem *Problem // nil: it was not made
}

// Run runs cases until a limit is reached, or one of them hangs.
func Run(c Config) *Tally {
	t := NewTally()
	begun := time.Now()
	for number := c.First; c.Cases == 0 || number < c.First+c.Cases; number++ {
		if c.Time > 0 && time.Since(begun) >= c.Time {
			break
		}
		if !runCase(c, number, t) {
			break
		}
	}
	return t
}

// runCase runs one case, and returns false if it hangs.
func runCase(c Config, number int, t *Tally) bool {
	attempt := &trial{draw: drawOf(c.Seed, number), tally: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if cause := recover(); cause != nil {
				attempt.fail("panic", "", "%v\n%s", cause, debug.Stack())
			}
		}()
		attempt.problem = attempt.draw.problem()
		attempt.run()
		attempt.attack()
	}()
	limit := c.Case
	if limit == 0 {
		limit = time.Minute
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C: // the case still runs: nothing of it may be touched
		t.Failures["hang"]++
		c.report(Failure{c.Seed, number, Finding{"hang", "", fmt.Sprintf("still running after %s\n%s", limit, stacks())}, drawOf(c.Seed, number).problem()})
		return false
	}
	for _, f := range attempt.found {
		t.Failures[f.Kind]++
		c.report(Failure{c.Seed, number, f, attempt.problem})
	}
	return true
}

// stacks says where all goroutines stand.
func stacks() []byte {
	text := make([]byte, 1<<20)
	return text[:runtime.Stack(text, true)]
}

func (c Config) report(f Failure) {
	if c.Failed != nil {
		c.Failed(f)
	}
}
