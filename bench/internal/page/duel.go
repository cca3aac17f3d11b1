package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// A duel is one kind of work on all its problems against one rival.
type duel struct {
	work, rival string
	ratios      []float64 // the rival's time over Fenchel's, where both have one
	lost        int       // problems on which Fenchel did not reach the accuracy, but the rival did
	short       int       // problems on which the rival did not reach the accuracy in the time it had
}

// add takes in the times of one problem. tried says that the rival had its time
// though there is none of theirs.
func (d *duel) add(own, theirs measure.Timing, tried bool) {
	switch {
	case !own.Found() && theirs.Found():
		d.lost++
	case !own.Found():
	case theirs.Found():
		d.ratios = append(d.ratios, theirs.Best/own.Best)
	case tried:
		d.short++
	}
}

// row is the duel in the table of outcomes.
func (d *duel) row() []string {
	won, sum := 0, 0.0
	for _, r := range d.ratios {
		if r > 1 {
			won++
		}
		sum += math.Log(r)
	}
	mean, least, most := "-", "-", "-"
	if n := len(d.ratios); n > 0 {
		mean, least, most = measure.Times(math.Exp(sum/float64(n))), measure.Times(slices.Min(d.ratios)), measure.Times(slices.Max(d.ratios))
	}
	return []string{d.work, d.rival, fmt.Sprint(won), fmt.Sprint(len(d.ratios) - won + d.lost), fmt.Sprint(d.short), mean, least, most}
}

// outcome is the summary: won, lost, by how much, and what was missed.
func (p Page) outcome() string {
	t := newTable("work", "against", "faster", "slower", "peer short", "geometric mean", "least", "most")
	for _, d := range slices.Concat(linearDuels(p.rows()), kernelDuels(p.of("kernel")), pcaDuels(p.of("pca")), readDuels(p.of("read"))) {
		if len(d.ratios)+d.lost+d.short > 0 {
			t.add(d.row()...)
		}
	}
	text := paragraph(t.under("Summary", "Problems on which Fenchel is faster or slower, all cores against the fastest way of the peer, and the ratio of the peer's time to Fenchel's. "+
		"\"Peer short\": it did not reach the accuracy in the time that it had; that is not in the ratios."))
	if verdicts := acceptance(p.rows()); len(verdicts) > 0 {
		text += "Of what is required, " + tally(verdicts) + "\n\n" + paragraph(shortfalls(verdicts))
	}
	return text
}

// shortfalls lists what was not met or not measured, by requirement.
func shortfalls(verdicts []verdict) string {
	type rule struct {
		criterion, required string
		state               state
	}
	var order []rule
	cases := map[rule][]string{}
	for _, v := range verdicts {
		r := rule{v.criterion, v.required, v.state}
		if v.state == passed {
			continue
		}
		if cases[r] == nil {
			order = append(order, r)
		}
		measured, _, _ := strings.Cut(v.measured, " (")
		cases[r] = append(cases[r], strings.Join(strings.Fields(v.problem.set+" "+v.problem.loss+" "+v.problem.lambda+" "+measured), " "))
	}
	var b strings.Builder
	for _, r := range order {
		fmt.Fprintf(&b, "* %s, %s, %s: %s\n", map[state]string{failed: "missed", unproven: "not measured"}[r.state], r.criterion, r.required, strings.Join(cases[r], "; "))
	}
	return b.String()
}

// linearDuels compares solving alone and whole processes of linear models.
func linearDuels(rows []measure.Measurement) []*duel {
	var all []*duel
	threads := threadsOf(rows)
	linear := measure.Where(rows, func(m measure.Measurement) bool { return m.Race == "solve" || m.Race == "whole" })
	for _, rival := range racedPeers(linear) {
		duels := map[string]*duel{}
		at := func(work string) *duel {
			if duels[work] == nil {
				duels[work] = &duel{work: work, rival: rival}
				all = append(all, duels[work])
			}
			return duels[work]
		}
		for _, key := range measure.Distinct(measure.Where(rows, func(m measure.Measurement) bool { return m.Race == "solve" }), caseKey) {
			s := standingOf(rows, key)
			for _, target := range task.Targets {
				best, _ := s.rival("solve", "timed", rival, target)
				_, given := s.unreached(rival, target)
				at(fmt.Sprintf("solving to %g", target)).add(s.fenchel("solve", "timed", target, threads), best, given > 0)
			}
			for _, kind := range []string{"text", "cache"} {
				best, _ := s.peer("whole", "text", rival, task.WholeTarget)
				at("whole process, Fenchel from "+kind).add(s.fenchel("whole", kind, task.WholeTarget, threads), best, false)
			}
		}
	}
	return all
}

// kernelDuels compares whole processes of kernel machines.
func kernelDuels(rows []measure.Measurement) []*duel {
	var all []*duel
	threads := kernelThreads(rows)
	for _, rival := range racedMachines(rows) {
		d := &duel{work: fmt.Sprintf("kernel machines to %g", task.WholeTarget), rival: rival}
		for _, p := range task.KernelProblems {
			s := kernelMeasured(p, rows)
			tried := slices.ContainsFunc(s.rows, func(m measure.Measurement) bool {
				return m.Kind == "unreached" && m.Contender == rival && m.Seconds > 0
			})
			if len(s.rows) > 0 && p.Within == 0 {
				d.add(measure.TimingOf(s.runs(measure.OwnName, threads)), measure.TimingOf(s.runs(rival, 0)), tried)
			}
		}
		all = append(all, d)
	}
	return all
}

// pcaDuels compares principal components and products of matrices.
func pcaDuels(rows []measure.Measurement) []*duel {
	memory, stream := &duel{work: "principal components in memory", rival: "scikit-learn"}, &duel{work: "principal components of a stream", rival: "scikit-learn"}
	products := &duel{work: "products of matrices", rival: "numpy's BLAS"}
	for _, p := range task.PcaProblems {
		s := pcaMeasured(p, rows)
		for kind, d := range map[string]*duel{"memory": memory, "stream": stream} {
			own, _ := s.fastest(kind, s.own(kind))
			theirs, _ := s.fastest(kind, s.theirs(kind))
			d.add(own, theirs, false)
		}
	}
	for _, p := range productsOf(rows) {
		products.add(p.own, p.theirs, false)
	}
	return []*duel{memory, stream, products}
}

// readDuels compares readers of the same files.
func readDuels(rows []measure.Measurement) []*duel {
	var all []*duel
	for _, rival := range racedPeers(rows) {
		d := &duel{work: "reading", rival: rival}
		for _, kind := range measure.Distinct(rows, func(m measure.Measurement) string { return m.Set + " " + m.Kind }) {
			of := measure.Where(rows, func(m measure.Measurement) bool { return m.Set+" "+m.Kind == kind })
			by := func(name string) measure.Timing {
				return measure.TimingOf(measure.Where(of, func(m measure.Measurement) bool { return strings.Fields(m.Contender)[0] == name }))
			}
			d.add(by(measure.OwnName), by(rival), false)
		}
		all = append(all, d)
	}
	return all
}
