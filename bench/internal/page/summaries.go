package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// The sections of RESULTS.md: one table for each kind of work, made of its
// race's measurements.

// problemKey is the set and the loss of a measurement.
func problemKey(m measure.Measurement) caseOf { return caseOf{set: m.Set, loss: m.Loss} }

// solveSummary compares with LIBLINEAR at two accuracies.
func solveSummary(rows []measure.Measurement) string {
	threads := threadsOf(rows)
	header := []string{"set", "nonzeros", "loss"}
	for _, l := range task.Lambdas {
		header = append(header, fmt.Sprintf("lambda %s, to 0.001: Fenchel", l), "LIBLINEAR", "ratio", "to 1e-06: Fenchel", "ratio")
	}
	t := newTable(header...)
	for _, k := range measure.Distinct(rows, problemKey) {
		cells := []string{k.set, "", k.loss}
		for _, l := range task.Lambdas {
			s := standingOf(rows, caseOf{k.set, k.loss, string(l)})
			for i, target := range []float64{1e-3, 1e-6} {
				own := s.fenchel("solve", "timed", target, threads)
				theirs, against := s.againstLiblinear(own, target)
				cells = append(cells, measure.Seconds(own.Best))
				if i == 0 {
					cells = append(cells, theirs)
				}
				cells = append(cells, against)
			}
			if len(s.rows) > 0 {
				cells[1] = fmt.Sprint(s.rows[0].Nonzeros)
			}
		}
		t.add(cells...)
	}
	return t.under("Solving alone", fmt.Sprintf("Best times on %d cores; LIBLINEAR is the fastest of its solvers, or of the copies inside scikit-learn.", threads))
}

// againstLiblinear spells LIBLINEAR's time to a target and its ratio to Fenchel's; a
// lower bound where it was stopped.
func (s standing) againstLiblinear(own measure.Timing, target float64) (theirs, against string) {
	if best, _ := s.liblinear("solve", "timed", target); best.Found() {
		return measure.Seconds(best.Best), measure.Ratio(best.Best, own.Best)
	}
	if _, longer := s.unreached("liblinear", target); longer > 0 && own.Found() {
		return "> " + measure.Seconds(longer), "> " + measure.Ratio(longer, own.Best)
	}
	return "-", "-"
}

// wholeSummary compares whole processes with LIBLINEAR's.
func wholeSummary(rows []measure.Measurement) string {
	rows = measure.Where(rows, func(m measure.Measurement) bool { return m.Target > 0 })
	header := []string{"set", "text", "loss"}
	for _, l := range task.Lambdas {
		header = append(header, fmt.Sprintf("lambda %s: Fenchel from text", l), "from cache", "LIBLINEAR", "ratio to text", "to cache")
	}
	t := newTable(append(header, "Fenchel's peak memory", "LIBLINEAR's")...)
	for _, k := range measure.Distinct(rows, problemKey) {
		own := measure.Where(rows, func(m measure.Measurement) bool { return problemKey(m) == k })
		cells := []string{k.set, measure.Megabytes(own[0].Bytes), k.loss}
		for _, l := range task.Lambdas {
			s := standingOf(rows, caseOf{k.set, k.loss, string(l)})
			threads := threadsOf(s.rows)
			text, cache := s.fenchel("whole", "text", task.WholeTarget, threads), s.fenchel("whole", "cache", task.WholeTarget, threads)
			best, _ := s.peer("whole", "text", "liblinear", task.WholeTarget)
			cells = append(cells, measure.Seconds(text.Best), measure.Seconds(cache.Best), measure.Seconds(best.Best), measure.Ratio(best.Best, text.Best), measure.Ratio(best.Best, cache.Best))
		}
		t.add(append(cells, standing{own}.peak(measure.OwnName), standing{own}.peak("liblinear"))...)
	}
	return t.under("Whole processes, to accuracy 0.001", "From the command line to the model on disk, reading, Fenchel's proof and the digest of its rows included.")
}

// growthSummary has the exponents on all cores.
func growthSummary(rows []measure.Measurement) string {
	rows = measure.Where(rows, func(m measure.Measurement) bool { return m.Target > 0 })
	threads := 0
	for _, m := range rows {
		threads = max(threads, m.Threads)
	}
	curves := slices.DeleteFunc(growthCurves(rows), func(c growthCurve) bool { return c.contender == measure.OwnName && c.threads < threads })
	type column struct{ loss, contender string }
	var columns []column
	var kinds []string
	cells := map[string]map[column]string{}
	for _, c := range curves {
		k := column{c.loss, c.contender}
		if !slices.Contains(columns, k) {
			columns = append(columns, k)
		}
		if cells[c.kind] == nil {
			kinds, cells[c.kind] = append(kinds, c.kind), map[column]string{}
		}
		cells[c.kind][k] = fmt.Sprintf("%s (%g to %g)", exponent(c.sizes, c.times), c.sizes[0], c.sizes[len(c.sizes)-1])
	}
	header := []string{"growing"}
	for _, k := range columns {
		header = append(header, k.loss+", "+k.contender)
	}
	t := newTable(header...)
	for _, kind := range kinds {
		row := []string{kind}
		for _, k := range columns {
			row = append(row, cmp.Or(cells[kind][k], "-"))
		}
		t.add(row...)
	}
	return t.under("Growth", "The slope of log time over log size (from one size to another) on sets shaped like rcv1 of which one size grows; lambda 1/n, to accuracy 0.001.")
}

// readSummary has the rates by format.
func readSummary(rows []measure.Measurement) string {
	kinds := measure.Distinct(rows, func(m measure.Measurement) string { return m.Kind })
	t := newTable(append([]string{"set", "by"}, kinds...)...)
	type line struct{ set, contender string }
	for _, k := range measure.Distinct(rows, func(m measure.Measurement) line { return line{m.Set, m.Contender} }) {
		cells := []string{k.set, k.contender}
		for _, kind := range kinds {
			own := measure.Where(rows, func(m measure.Measurement) bool { return line{m.Set, m.Contender} == k && m.Kind == kind })
			cell := "-"
			if len(own) > 0 {
				cell = fmt.Sprintf("%.0f", float64(own[0].Bytes)/measure.TimingOf(own).Best/1e6)
			}
			cells = append(cells, cell)
		}
		t.add(cells...)
	}
	return t.under("Reading", "MB/s of the file as it is on disk, from the page cache to rows in memory, on all cores.")
}

// kernelSummary has the times, and the sets that Fenchel trains on alone.
func kernelSummary(rows []measure.Measurement) string {
	threads := kernelThreads(rows)
	return paragraph(kernelRaces(rows, threads)) + kernelAlone(rows, threads)
}

// pcaSummary compares the default method with the peer's fastest, in memory and of a stream.
func pcaSummary(rows []measure.Measurement) string {
	t := newTable("set", "rows", "columns", "problem", "read", "Fenchel", "time", "may miss", "peer", "time", "may miss", "ratio")
	for _, p := range task.PcaProblems {
		s := pcaMeasured(p, rows)
		for _, kind := range []string{"memory", "stream"} {
			own, by := s.fastest(kind, s.own(kind))
			theirs, way := s.fastest(kind, s.theirs(kind))
			if !own.Found() {
				continue
			}
			cells := []string{p.Set, fmt.Sprint(s.rows[0].Rows), fmt.Sprint(s.rows[0].Columns), p.String(), map[string]string{"memory": "at will", "stream": "once"}[kind],
				by.setting, own.String(), missed(s.by(kind, by)[0]), "-", "-", "-", "-"}
			if theirs.Found() {
				copy(cells[8:], []string{strings.TrimPrefix(way.String(), "scikit-learn "), theirs.String(), missed(s.by(kind, way)[0]), measure.Ratio(theirs.Best, own.Best)})
			}
			t.add(cells...)
		}
	}
	return t.under("Principal components", "The peer is scikit-learn's fastest way. What may be missed is a share of the most that any k directions capture, by Fenchel's certificate.")
}

// racedMachines are the peers that trained kernel machines.
func racedMachines(rows []measure.Measurement) []string {
	return measure.Distinct(measure.Where(rows, func(m measure.Measurement) bool { return m.Contender != measure.OwnName && m.Kind != "reference" }),
		func(m measure.Measurement) string { return m.Contender })
}

// racedPeers are the peers that rows tell of, by the first words of contenders.
func racedPeers(rows []measure.Measurement) []string {
	names := measure.Distinct(measure.Where(rows, func(m measure.Measurement) bool {
		return m.Contender != measure.OwnName && m.Contender != "" && m.Kind != "reference"
	}),
		func(m measure.Measurement) string { return strings.Fields(m.Contender)[0] })
	slices.Sort(names)
	return names
}
