package linear

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// TestRegret: on the problems of the ablation, "auto" takes at most three times as long as the
// best of all solvers, where that is more than 20 ms longer, and 1.3 times in the geometric mean.
func TestRegret(t *testing.T) {
	if *ablate == "" {
		t.Skip("takes ten minutes: asked for by -ablation regret")
	}
	type regret struct {
		ratio      float64
		auto, best time.Duration
		problem    ablatedProblem
		better     string
	}
	var all []regret
	sum, only := 0.0, regexp.MustCompile(*ablateOnly)
	for _, a := range ablatedProblems(t) {
		if !only.MatchString(a.String()) {
			continue
		}
		p := a.make(t)
		name, _ := Choose(p, a.gap)
		auto := timed(t, p, name, a.gap, time.Minute)
		r := regret{1, auto, auto, a, name}
		for _, e := range Entries() {
			if e.Name == name || must(New(e.Name)).Accepts(p) != nil {
				continue
			}
			if best := timed(t, p, e.Name, a.gap, r.best); best < r.best {
				r.best, r.better = best, e.Name
			}
		}
		r.ratio = r.auto.Seconds() / r.best.Seconds()
		sum += math.Log(r.ratio)
		all = append(all, r)
		if r.ratio > 3 && r.auto-r.best > 20*time.Millisecond {
			t.Errorf("%s: %s takes %v, %s %v", a, name, r.auto, r.better, r.best)
		}
	}
	slices.SortFunc(all, func(a, b regret) int { return cmp.Compare(b.ratio, a.ratio) })
	for _, r := range all[:min(10, len(all))] {
		t.Logf("%.2fx %s: %v, %s %v", r.ratio, r.problem, r.auto, r.better, r.best)
	}
	mean := math.Exp(sum / float64(max(1, len(all))))
	if t.Logf("%d problems, geometric mean %.3f", len(all), mean); mean > 1.3 {
		t.Errorf("geometric mean %.3f, expected at most 1.3", mean)
	}
}

// timed returns how long a solver takes for a gap, at the best of two runs; an hour if it takes
// longer than a limit.
func timed(t *testing.T, p *problem.Linear, name string, gap float64, limit time.Duration) time.Duration {
	best := time.Hour
	for range 2 {
		start := time.Now()
		r := must(solver.Run(t.Context(), must(New(name)), p, solver.Options{Gap: gap, Seed: 1, Time: limit + time.Millisecond}))
		if taken := time.Since(start); r.Status == solver.Converged {
			best = min(best, taken)
		}
	}
	return best
}
