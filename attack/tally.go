package attack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Tally counts what was done and what was found.
type Tally struct {
	Problems, Refused int            // problems, and those that no solver took
	Trained           map[string]int // models, by solver
	Declined          map[string]int // trainings refused with a reason, by solver
	Certificates      int            // recomputed
	Intervals         int            // of scores of optima, compared with those of other models of the problem
	Slow              int            // trainings ended by the clock
	Forged            map[string]int // models, by what became of them
	Damaged           map[string]int // files, by kind and what became of them
	Failures          map[string]int // by kind
	reasons           map[string]int
}

// NewTally returns an empty one.
func NewTally() *Tally {
	return &Tally{Trained: map[string]int{}, Declined: map[string]int{}, Forged: map[string]int{}, Damaged: map[string]int{}, Failures: map[string]int{}, reasons: map[string]int{}}
}

func (t *Tally) refuse(solver string, err error) {
	t.Declined[solver]++
	t.reasons[strings.SplitN(err.Error(), ":", 2)[0]]++
}

// String is the table of all counts.
func (t *Tally) String() string {
	var b strings.Builder
	line := func(name string, n int) { fmt.Fprintf(&b, "%-44s %8d\n", name, n) }
	each := func(name string, counts map[string]int) {
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			line(name+" "+key, counts[key])
		}
	}
	line("problems", t.Problems)
	line("problems that no solver took", t.Refused)
	each("trained by", t.Trained)
	each("declined by", t.Declined)
	line("trainings ended by the clock", t.Slow)
	line("certificates recomputed", t.Certificates)
	line("intervals of optimal scores compared", t.Intervals)
	each("forged models:", t.Forged)
	each("damaged:", t.Damaged)
	each("FAILED:", t.Failures)
	return b.String()
}
