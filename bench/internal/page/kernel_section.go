package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// kernelSection is the part of TABLES.md on kernel machines.
func kernelSection(rows []measure.Measurement) string {
	threads := kernelThreads(rows)
	return strings.Join(slices.DeleteFunc([]string{kernelRaces(rows, threads), kernelCosts(rows, threads), kernelAlone(rows, threads),
		kernelGrowth(rows, threads)}, func(s string) bool { return s == "" }), "\n")
}

// kernelThreads is the most cores that Fenchel had.
func kernelThreads(rows []measure.Measurement) int {
	most := 1
	for _, m := range rows {
		if m.Contender == measure.OwnName {
			most = max(most, m.Threads)
		}
	}
	return most
}

// kernelRows are what was measured of one kernelProblem.
func kernelMeasured(p task.KernelProblem, rows []measure.Measurement) kernelStanding {
	return kernelStanding{p, measure.Where(rows, func(m measure.Measurement) bool {
		return m.Race == "kernel" && m.Set == p.Set && m.Kernel == p.Kernel()
	})}
}

// kernelStanding is what the measurements of one problem say.
type kernelStanding struct {
	task.KernelProblem
	rows []measure.Measurement
}

// runs are the whole processes of a competitor that reached the accuracy.
func (s kernelStanding) runs(contender string, threads int) []measure.Measurement {
	return measure.Where(s.rows, func(m measure.Measurement) bool {
		return m.Kind == "text" && m.Contender == contender && (threads == 0 || m.Threads == threads) && !ownCache(m)
	})
}

// ownCache reports whether a run had a cache of its own size.
func ownCache(m measure.Measurement) bool { return strings.Contains(m.Setting, "cache=") }

// libsvm returns the runs of LIBSVM's fastest way: that of the system, or the
// copy inside scikit-learn.
func (s kernelStanding) libsvm() []measure.Measurement {
	own, copied := s.runs("libsvm", 0), s.runs("scikit-learn", 0)
	if measure.TimingOf(copied).Best < measure.TimingOf(own).Best {
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
func kernelRaces(rows []measure.Measurement, threads int) string {
	raced := racedMachines(rows)
	header := []string{"set", "rows", "C", "gamma", "Fenchel, 1 core", fmt.Sprintf("%d cores", threads)}
	for _, name := range raced {
		header = append(header, name, "by", "ratio", "to 1 core")
	}
	t := newTable(header...)
	for _, p := range task.KernelProblems {
		s := kernelMeasured(p, rows)
		if len(s.rows) == 0 || p.Within > 0 {
			continue
		}
		one, all := measure.TimingOf(s.runs(measure.OwnName, 1)), measure.TimingOf(s.runs(measure.OwnName, threads))
		cells := []string{p.Set, fmt.Sprint(s.rows[0].Rows), measure.Number(p.C), measure.Number(p.Gamma), one.String(), all.String()}
		for _, name := range raced {
			cells = append(cells, s.against(name, one, all)...)
		}
		t.add(cells...)
	}
	return t.under(fmt.Sprintf("Kernel machines, to accuracy %g", task.WholeTarget),
		"Whole processes, from text to the model on disk, Fenchel's proof included. Hinge loss, Gaussian kernel, free bias; 1 GB of cache. Where a peer was stopped, the ratio is a lower bound.")
}

// against compares one peer.
func (s kernelStanding) against(name string, one, all measure.Timing) []string {
	if runs := s.runs(name, 0); len(runs) > 0 {
		t := measure.TimingOf(runs)
		return []string{t.String(), runs[0].Setting, measure.Ratio(t.Best, all.Best), measure.Ratio(t.Best, one.Best)}
	}
	for _, m := range s.rows {
		if m.Kind == "unreached" && m.Contender == name && m.Seconds > 0 {
			return []string{"-", m.Note, "> " + measure.Ratio(m.Seconds, all.Best), "> " + measure.Ratio(m.Seconds, one.Best)}
		}
	}
	return []string{"-", "", "-", "-"}
}

// kernelCosts tells what each needed, and what it learned.
func kernelCosts(rows []measure.Measurement, threads int) string {
	t := newTable("set", "who", "objective", "above the best", "support vectors", "test accuracy", "values of the kernel", "peak memory", "proof", "optimum known to")
	for _, p := range task.KernelProblems {
		s := kernelMeasured(p, rows)
		for _, name := range measure.Distinct(s.rows, func(m measure.Measurement) string { return m.Contender }) {
			runs := s.runs(name, 0)
			if name == measure.OwnName {
				runs = s.runs(name, threads)
			}
			if len(runs) == 0 || p.Within > 0 {
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
			t.add(p.Set, name, fmt.Sprintf("%.7g", m.Objective), fmt.Sprintf("%.2g", m.Accuracy), fmt.Sprint(m.Support), accuracy, values,
				measure.Megabytes(peakOf(runs)), measure.Seconds(m.Certify), s.known())
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
func peakOf(runs []measure.Measurement) (most int64) {
	for _, m := range runs {
		most = max(most, m.Peak)
	}
	return most
}

// kernelAlone tells of the sets that Fenchel trains on alone.
func kernelAlone(rows []measure.Measurement, threads int) string {
	t := newTable("set", "rows", "columns", "C", "gamma", "gap", fmt.Sprintf("%d cores", threads), "support vectors", "test accuracy", "values of the kernel", "peak memory")
	for _, p := range task.KernelProblems {
		if p.Within == 0 {
			continue
		}
		for _, m := range kernelMeasured(p, rows).rows {
			if m.Contender != measure.OwnName || m.Kind != "text" && m.Kind != "unreached" {
				continue
			}
			took, accuracy := measure.Seconds(m.Seconds), "-"
			if m.Kind == "unreached" {
				took = m.Note
			}
			if m.Test > 0 {
				accuracy = fmt.Sprintf("%.2f %%", 100*m.Test)
			}
			t.add(p.Set, fmt.Sprint(m.Rows), fmt.Sprint(m.Columns), measure.Number(p.C), measure.Number(p.Gamma), measure.Number(p.Gap), took, fmt.Sprint(m.Support), accuracy,
				fmt.Sprintf("%.3g n^2", float64(m.Evaluations)/(float64(m.Rows)*float64(m.Rows))), measure.Megabytes(m.Peak))
		}
	}
	return t.under("Kernel machines at size", "Whole processes of Fenchel. mnist is ten classes, one against the rest; values of the kernel are those of all classes.")
}

// kernelGrowth is how times grow with the rows of one set.
func kernelGrowth(rows []measure.Measurement, threads int) string {
	t := newTable("who", "cores", "rows", "times", "exponent")
	sizes := measure.Where(rows, func(m measure.Measurement) bool {
		full := m.Kind == "text" && m.Set == task.Growing && !ownCache(m) && (m.Contender != measure.OwnName || m.Threads == threads)
		return m.Kind == "rows" || full
	})
	slices.SortStableFunc(sizes, func(a, b measure.Measurement) int { return int(a.Rows - b.Rows) })
	if !slices.ContainsFunc(sizes, func(m measure.Measurement) bool { return m.Kind == "rows" }) {
		return ""
	}
	for _, name := range measure.Distinct(sizes, func(m measure.Measurement) string { return m.Contender }) {
		own := measure.Where(sizes, func(m measure.Measurement) bool { return m.Contender == name })
		var x, y []float64
		var spelled, counts []string
		for _, n := range measure.Distinct(own, func(m measure.Measurement) int64 { return m.Rows }) {
			best := measure.TimingOf(measure.Where(own, func(m measure.Measurement) bool { return m.Rows == n })).Best
			x, y = append(x, float64(n)), append(y, best)
			counts, spelled = append(counts, strconv.FormatInt(n, 10)), append(spelled, measure.Seconds(best))
		}
		t.add(name, fmt.Sprint(own[0].Threads), strings.Join(counts, ", "), strings.Join(spelled, ", "), exponent(x, y))
	}
	return t.under("Kernel machines, growth", fmt.Sprintf("The first rows of %s, to accuracy %g. The exponent is the slope of log time over log rows.", task.Growing, task.WholeTarget))
}
