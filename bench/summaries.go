package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The sections of RESULTS.md: one table for each kind of work, made of its
// race's measurements.

// problemKey is the set and the loss of a measurement.
func problemKey(m measurement) caseOf { return caseOf{set: m.Set, loss: m.Loss} }

// solveSummary compares with LIBLINEAR at two accuracies.
func solveSummary(rows []measurement) string {
	threads := threadsOf(rows)
	header := []string{"set", "nonzeros", "loss"}
	for _, l := range lambdas {
		header = append(header, fmt.Sprintf("lambda %s, to 0.001: Fenchel", l), "LIBLINEAR", "ratio", "to 1e-06: Fenchel", "ratio")
	}
	t := newTable(header...)
	for _, k := range distinct(rows, problemKey) {
		cells := []string{k.set, "", k.loss}
		for _, l := range lambdas {
			s := standingOf(rows, caseOf{k.set, k.loss, string(l)})
			for i, target := range []float64{1e-3, 1e-6} {
				own := s.fenchel("solve", "timed", target, threads)
				theirs, against := s.againstLiblinear(own, target)
				cells = append(cells, seconds(own.Best))
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
func (s standing) againstLiblinear(own timing, target float64) (theirs, against string) {
	if best, _ := s.liblinear("solve", "timed", target); best.found() {
		return seconds(best.Best), ratio(best.Best, own.Best)
	}
	if _, longer := s.unreached("liblinear", target); longer > 0 && own.found() {
		return "> " + seconds(longer), "> " + ratio(longer, own.Best)
	}
	return "-", "-"
}

// wholeSummary compares whole processes with LIBLINEAR's.
func wholeSummary(rows []measurement) string {
	rows = where(rows, func(m measurement) bool { return m.Target > 0 })
	header := []string{"set", "text", "loss"}
	for _, l := range lambdas {
		header = append(header, fmt.Sprintf("lambda %s: Fenchel from text", l), "from cache", "LIBLINEAR", "ratio to text", "to cache")
	}
	t := newTable(append(header, "Fenchel's peak memory", "LIBLINEAR's")...)
	for _, k := range distinct(rows, problemKey) {
		own := where(rows, func(m measurement) bool { return problemKey(m) == k })
		cells := []string{k.set, megabytes(own[0].Bytes), k.loss}
		for _, l := range lambdas {
			s := standingOf(rows, caseOf{k.set, k.loss, string(l)})
			threads := threadsOf(s.rows)
			text, cache := s.fenchel("whole", "text", wholeTarget, threads), s.fenchel("whole", "cache", wholeTarget, threads)
			best, _ := s.peer("whole", "text", "liblinear", wholeTarget)
			cells = append(cells, seconds(text.Best), seconds(cache.Best), seconds(best.Best), ratio(best.Best, text.Best), ratio(best.Best, cache.Best))
		}
		t.add(append(cells, standing{own}.peak(ownName), standing{own}.peak("liblinear"))...)
	}
	return t.under("Whole processes, to accuracy 0.001", "From the command line to the model on disk, reading, Fenchel's proof and the digest of its rows included.")
}

// growthSummary has the exponents on all cores.
func growthSummary(rows []measurement) string {
	rows = where(rows, func(m measurement) bool { return m.Target > 0 })
	threads := 0
	for _, m := range rows {
		threads = max(threads, m.Threads)
	}
	curves := slices.DeleteFunc(growthCurves(rows), func(c growthCurve) bool { return c.contender == ownName && c.threads < threads })
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
func readSummary(rows []measurement) string {
	kinds := distinct(rows, func(m measurement) string { return m.Kind })
	t := newTable(append([]string{"set", "by"}, kinds...)...)
	type line struct{ set, contender string }
	for _, k := range distinct(rows, func(m measurement) line { return line{m.Set, m.Contender} }) {
		cells := []string{k.set, k.contender}
		for _, kind := range kinds {
			own := where(rows, func(m measurement) bool { return line{m.Set, m.Contender} == k && m.Kind == kind })
			cell := "-"
			if len(own) > 0 {
				cell = fmt.Sprintf("%.0f", float64(own[0].Bytes)/timingOf(own).Best/1e6)
			}
			cells = append(cells, cell)
		}
		t.add(cells...)
	}
	return t.under("Reading", "MB/s of the file as it is on disk, from the page cache to rows in memory, on all cores.")
}

// kernelSummary has the times, and the sets that Fenchel trains on alone.
func kernelSummary(rows []measurement) string {
	threads := kernelThreads(rows)
	return paragraph(kernelRaces(rows, threads)) + kernelAlone(rows, threads)
}

// pcaSummary compares the default method with the peer's fastest, in memory and of a stream.
func pcaSummary(rows []measurement) string {
	t := newTable("set", "rows", "columns", "problem", "read", "Fenchel", "time", "may miss", "peer", "time", "may miss", "ratio")
	for _, p := range pcaProblems {
		s := pcaMeasured(p, rows)
		for _, kind := range []string{"memory", "stream"} {
			own, by := s.fastest(kind, s.own(kind))
			theirs, way := s.fastest(kind, s.theirs(kind))
			if !own.found() {
				continue
			}
			cells := []string{p.set, fmt.Sprint(s.rows[0].Rows), fmt.Sprint(s.rows[0].Columns), p.String(), map[string]string{"memory": "at will", "stream": "once"}[kind],
				by.setting, own.String(), missed(s.by(kind, by)[0]), "-", "-", "-", "-"}
			if theirs.found() {
				copy(cells[8:], []string{strings.TrimPrefix(way.String(), "scikit-learn "), theirs.String(), missed(s.by(kind, way)[0]), ratio(theirs.Best, own.Best)})
			}
			t.add(cells...)
		}
	}
	return t.under("Principal components", "The peer is scikit-learn's fastest way. What may be missed is a share of the most that any k directions capture, by Fenchel's certificate.")
}

// racedMachines are the peers that trained kernel machines.
func racedMachines(rows []measurement) []string {
	return distinct(where(rows, func(m measurement) bool { return m.Contender != ownName && m.Kind != "reference" }),
		func(m measurement) string { return m.Contender })
}

// racedPeers are the peers that rows tell of, by the first words of contenders.
func racedPeers(rows []measurement) []string {
	names := distinct(where(rows, func(m measurement) bool { return m.Contender != ownName && m.Contender != "" && m.Kind != "reference" }),
		func(m measurement) string { return strings.Fields(m.Contender)[0] })
	slices.Sort(names)
	return names
}
