package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kernelSection is the part of TABLES.md on kernel machines.
func kernelSection(rows []measurement) string {
	threads := kernelThreads(rows)
	return strings.Join(slices.DeleteFunc([]string{kernelRaces(rows, threads), kernelCosts(rows, threads), kernelAlone(rows, threads),
		kernelGrowth(rows, threads)}, func(s string) bool { return s == "" }), "\n")
}

// kernelThreads is the most cores that Fenchel had.
func kernelThreads(rows []measurement) int {
	most := 1
	for _, m := range rows {
		if m.Contender == ownName {
			most = max(most, m.Threads)
		}
	}
	return most
}

// kernelRows are what was measured of one kernelProblem.
func kernelMeasured(p kernelProblem, rows []measurement) kernelStanding {
	return kernelStanding{p, where(rows, func(m measurement) bool { return m.Race == "kernel" && m.Set == p.set && m.Kernel == p.kernel() })}
}

// kernelStanding is what the measurements of one problem say.
type kernelStanding struct {
	kernelProblem
	rows []measurement
}

// runs are the whole processes of a competitor that reached the accuracy.
func (s kernelStanding) runs(contender string, threads int) []measurement {
	return where(s.rows, func(m measurement) bool {
		return m.Kind == "text" && m.Contender == contender && (threads == 0 || m.Threads == threads) && !ownCache(m)
	})
}

// ownCache reports whether a run had a cache of its own size.
func ownCache(m measurement) bool { return strings.Contains(m.Setting, "cache=") }

// libsvm returns the runs of LIBSVM's fastest way: that of the system, or the
// copy inside scikit-learn.
func (s kernelStanding) libsvm() []measurement {
	own, copied := s.runs("libsvm", 0), s.runs("scikit-learn", 0)
	if timingOf(copied).Best < timingOf(own).Best {
		return copied
	}
	return own
}

// longer is what the fastest way of LIBSVM takes more seconds than, and why it
// was stopped; 0: nothing is known.
func (s kernelStanding) longer() (least float64, why string) {
	least = math.Inf(1)
	for _, m := range s.rows {
		if m.Kind == "unreached" && (m.Contender == "libsvm" || m.Contender == "scikit-learn") && m.Seconds < least {
			least, why = m.Seconds, m.Note
		}
	}
	if math.IsInf(least, 1) {
		return 0, ""
	}
	return least, why
}

// kernelRaces compares the times.
func kernelRaces(rows []measurement, threads int) string {
	raced := racedMachines(rows)
	header := []string{"set", "rows", "C", "gamma", "Fenchel, 1 core", fmt.Sprintf("%d cores", threads)}
	for _, name := range raced {
		header = append(header, name, "by", "ratio", "to 1 core")
	}
	t := newTable(header...)
	for _, p := range kernelProblems {
		s := kernelMeasured(p, rows)
		if len(s.rows) == 0 || p.within > 0 {
			continue
		}
		one, all := timingOf(s.runs(ownName, 1)), timingOf(s.runs(ownName, threads))
		cells := []string{p.set, fmt.Sprint(s.rows[0].Rows), number(p.c), number(p.gamma), one.String(), all.String()}
		for _, name := range raced {
			cells = append(cells, s.against(name, one, all)...)
		}
		t.add(cells...)
	}
	return t.under(fmt.Sprintf("Kernel machines, to accuracy %g", wholeTarget),
		"Whole processes, from text to the model on disk, Fenchel's proof included. Hinge loss, Gaussian kernel, free bias; 1 GB of cache. Where a peer was stopped, the ratio is a lower bound.")
}

// against compares one peer.
func (s kernelStanding) against(name string, one, all timing) []string {
	if runs := s.runs(name, 0); len(runs) > 0 {
		t := timingOf(runs)
		return []string{t.String(), runs[0].Setting, ratio(t.Best, all.Best), ratio(t.Best, one.Best)}
	}
	for _, m := range s.rows {
		if m.Kind == "unreached" && m.Contender == name && m.Seconds > 0 {
			return []string{"-", m.Note, "> " + ratio(m.Seconds, all.Best), "> " + ratio(m.Seconds, one.Best)}
		}
	}
	return []string{"-", "", "-", "-"}
}

// kernelCosts tells what each needed, and what it learned.
func kernelCosts(rows []measurement, threads int) string {
	t := newTable("set", "who", "objective", "above the best", "support vectors", "test accuracy", "values of the kernel", "peak memory", "proof", "optimum known to")
	for _, p := range kernelProblems {
		s := kernelMeasured(p, rows)
		for _, name := range distinct(s.rows, func(m measurement) string { return m.Contender }) {
			runs := s.runs(name, 0)
			if name == ownName {
				runs = s.runs(name, threads)
			}
			if len(runs) == 0 || p.within > 0 {
				continue
			}
			m := runs[0]
			values, accuracy := "-", "-"
			if m.Evaluations > 0 {
				values = fmt.Sprintf("%.3g n^2", float64(m.Evaluations)/(float64(m.Rows)*float64(m.Rows)))
			}
			if m.Test > 0 {
				accuracy = fmt.Sprintf("%.2f %%", 100*m.Test)
			}
			t.add(p.set, name, fmt.Sprintf("%.7g", m.Objective), fmt.Sprintf("%.2g", m.Accuracy), fmt.Sprint(m.Support), accuracy, values,
				megabytes(peakOf(runs)), seconds(m.Certify), s.known())
		}
	}
	return t.under("Kernel machines, what they needed", "The proof is part of Fenchel's time. Values of the kernel are those computed by the solver, proof aside, where n^2 is the whole matrix.")
}

// known spells how well the optimum is known.
func (s kernelStanding) known() string {
	for _, m := range s.rows {
		if m.Kind == "reference" {
			return fmt.Sprintf("%.2g", m.Accuracy)
		}
	}
	return "-"
}

// peakOf is the most memory of some runs.
func peakOf(runs []measurement) (most int64) {
	for _, m := range runs {
		most = max(most, m.Peak)
	}
	return most
}

// kernelAlone tells of the sets that Fenchel trains on alone.
func kernelAlone(rows []measurement, threads int) string {
	t := newTable("set", "rows", "columns", "C", "gamma", "gap", fmt.Sprintf("%d cores", threads), "support vectors", "test accuracy", "values of the kernel", "peak memory")
	for _, p := range kernelProblems {
		if p.within == 0 {
			continue
		}
		for _, m := range kernelMeasured(p, rows).rows {
			if m.Contender != ownName || m.Kind != "text" && m.Kind != "unreached" {
				continue
			}
			took, accuracy := seconds(m.Seconds), "-"
			if m.Kind == "unreached" {
				took = m.Note
			}
			if m.Test > 0 {
				accuracy = fmt.Sprintf("%.2f %%", 100*m.Test)
			}
			t.add(p.set, fmt.Sprint(m.Rows), fmt.Sprint(m.Columns), number(p.c), number(p.gamma), number(p.gap), took, fmt.Sprint(m.Support), accuracy,
				fmt.Sprintf("%.3g n^2", float64(m.Evaluations)/(float64(m.Rows)*float64(m.Rows))), megabytes(m.Peak))
		}
	}
	return t.under("Kernel machines at size", "Whole processes of Fenchel. mnist is ten classes, one against the rest; values of the kernel are those of all classes.")
}

// kernelGrowth is how times grow with the rows of one set.
func kernelGrowth(rows []measurement, threads int) string {
	t := newTable("who", "cores", "rows", "times", "exponent")
	sizes := where(rows, func(m measurement) bool {
		full := m.Kind == "text" && m.Set == growing && !ownCache(m) && (m.Contender != ownName || m.Threads == threads)
		return m.Kind == "rows" || full
	})
	slices.SortStableFunc(sizes, func(a, b measurement) int { return int(a.Rows - b.Rows) })
	if !slices.ContainsFunc(sizes, func(m measurement) bool { return m.Kind == "rows" }) {
		return ""
	}
	for _, name := range distinct(sizes, func(m measurement) string { return m.Contender }) {
		own := where(sizes, func(m measurement) bool { return m.Contender == name })
		var x, y []float64
		var spelled, counts []string
		for _, n := range distinct(own, func(m measurement) int64 { return m.Rows }) {
			best := timingOf(where(own, func(m measurement) bool { return m.Rows == n })).Best
			x, y = append(x, float64(n)), append(y, best)
			counts, spelled = append(counts, strconv.FormatInt(n, 10)), append(spelled, seconds(best))
		}
		t.add(name, fmt.Sprint(own[0].Threads), strings.Join(counts, ", "), strings.Join(spelled, ", "), exponent(x, y))
	}
	return t.under("Kernel machines, growth", fmt.Sprintf("The first rows of %s, to accuracy %g. The exponent is the slope of log time over log rows.", growing, wholeTarget))
}
