package pose

import (
	"runtime/debug"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/solver"
)

// EndOf is the status that the final certificate supports.
func EndOf(s solver.Status, gap, goal float64) solver.Status {
	switch {
	case gap <= goal && s != solver.Diverged:
		return solver.Converged
	case s == solver.Converged: // only rounding the point can have cost that
		return solver.Stalled
	}
	return s
}

// Severity ranks the ends of a run, the worst last.
var Severity = []solver.Status{solver.Converged, solver.EpochLimit, solver.TimeLimit, solver.Stalled, solver.Diverged, solver.Interrupted}

// Worse returns the worse of two ends.
func Worse(a, b solver.Status) solver.Status {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// rank is the place in severity; an end that nobody knows is the worst.
func rank(s solver.Status) int {
	if at := slices.Index(Severity, s); at >= 0 {
		return at
	}
	return len(Severity)
}

// Worst returns the worst of several ends, as they are stored in models.
func Worst(ends []string) solver.Status {
	worst := solver.Converged
	for _, e := range ends {
		worst = Worse(worst, solver.Status(e))
	}
	return worst
}

// Version is the program version noted in models: that of this module, in the
// command or in the program that uses it.
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == "github.com/fenchel-ml/fenchel" && m.Version != "" && m.Version != "(devel)" {
			return m.Version
		}
	}
	return "devel"
})
