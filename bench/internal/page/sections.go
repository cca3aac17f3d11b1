package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// The sections of TABLES.md, each made of its race's measurements.

func solveSection(rows []measure.Measurement) string {
	threads := threadsOf(rows)
	var b strings.Builder
	raced := racedPeers(rows)
	for _, target := range task.Targets {
		header := []string{"set", "nonzeros", "loss", "lambda", "Fenchel, 1 core", fmt.Sprintf("%d cores", threads), "proof on top"}
		for _, name := range raced {
			header = append(header, name, "by", "ratio")
		}
		t := newTable(header...)
		for _, key := range measure.Distinct(rows, caseKey) {
			s := standingOf(rows, key)
			one, all := s.fenchel("solve", "timed", target, 1), s.fenchel("solve", "timed", target, threads)
			cells := []string{key.set, fmt.Sprint(s.rows[0].Nonzeros), key.loss, key.lambda, one.String(), all.String(), measure.Seconds(s.proof(target, threads))}
			for _, name := range raced {
				best, way := s.peer("solve", "timed", name, target)
				if !best.Found() {
					way, _ = s.unreached(name, target)
				}
				cells = append(cells, best.String(), way, measure.Ratio(best.Best, all.Best))
			}
			t.add(cells...)
		}
		b.WriteString(t.under(fmt.Sprintf("Solving alone, to accuracy %g", target),
			fmt.Sprintf("Best time (median). The ratio is that of the peer's time to Fenchel's on %d cores; above 1x Fenchel is faster.", threads)) + "\n")
	}
	return b.String() + speedupSection(rows, threads) + "\n" + referenceSection(rows)
}

// speedupSection compares one core with all, at each target.
func speedupSection(rows []measure.Measurement, threads int) string {
	t := newTable("set", "loss", "lambda", "to 0.01", "to 0.001", "to 1e-06")
	if threads > 1 {
		for _, key := range measure.Distinct(rows, caseKey) {
			s := standingOf(rows, key)
			cells := []string{key.set, key.loss, key.lambda}
			for _, target := range task.Targets {
				cells = append(cells, measure.Ratio(s.fenchel("solve", "timed", target, 1).Best, s.fenchel("solve", "timed", target, threads).Best))
			}
			t.add(cells...)
		}
	}
	return t.under("Speed-up by cores", fmt.Sprintf("Fenchel's time on one core over that on %d.", threads))
}

// referenceSection tells how well the optima are known.
func referenceSection(rows []measure.Measurement) string {
	t := newTable("set", "loss", "lambda", "least objective", "found by", "proved within")
	for _, m := range rows {
		if m.Kind == "reference" {
			t.add(m.Set, m.Loss, m.Lambda, fmt.Sprintf("%.10g", m.Objective), m.Contender, fmt.Sprintf("%.2g", m.Accuracy))
		}
	}
	return t.under("The optima", "Accuracies are relative to the least objective known. Where it is proved less closely than a target, peers are judged leniently there.")
}

func wholeSection(rows []measure.Measurement) string {
	rows = measure.Where(rows, func(m measure.Measurement) bool { return m.Target > 0 })
	header := []string{"set", "text", "loss", "lambda", "Fenchel from text", "from cache", "peak"}
	raced := racedPeers(rows)
	for _, name := range raced {
		header = append(header, name, "peak", "ratio to text", "to cache")
	}
	t := newTable(header...)
	for _, key := range measure.Distinct(rows, caseKey) {
		s := standingOf(rows, key)
		threads := threadsOf(s.rows)
		text, cache := s.fenchel("whole", "text", task.WholeTarget, threads), s.fenchel("whole", "cache", task.WholeTarget, threads)
		cells := []string{key.set, measure.Megabytes(s.rows[0].Bytes), key.loss, key.lambda, text.String(), cache.String(), s.peak(measure.OwnName)}
		for _, name := range raced {
			best, _ := s.peer("whole", "text", name, task.WholeTarget)
			cells = append(cells, best.String(), s.peak(name), measure.Ratio(best.Best, text.Best), measure.Ratio(best.Best, cache.Best))
		}
		t.add(cells...)
	}
	return t.under("Whole processes, to accuracy 0.001", "From the command line to the model on disk, reading included; Fenchel's proof and the digest of its rows too.")
}

// peak spells the most memory of a competitor's processes from text.
func (s standing) peak(name string) string {
	most := int64(0)
	for _, m := range s.rows {
		if m.Race == "whole" && m.Kind == "text" && strings.HasPrefix(m.Contender, name) {
			most = max(most, m.Peak)
		}
	}
	return measure.Megabytes(most)
}

// growthSection has the times and the exponents.
func growthSection(rows []measure.Measurement) string {
	t := newTable("growing", "loss", "who", "cores", "sizes", "times", "exponent")
	for _, c := range growthCurves(measure.Where(rows, func(m measure.Measurement) bool { return m.Target > 0 })) {
		var sizes, spelled []string
		for i := range c.sizes {
			sizes, spelled = append(sizes, fmt.Sprintf("%.0f", c.sizes[i])), append(spelled, measure.Seconds(c.times[i]))
		}
		t.add(c.kind, c.loss, c.contender, fmt.Sprint(c.threads), strings.Join(sizes, ", "), strings.Join(spelled, ", "), exponent(c.sizes, c.times))
	}
	return t.under("Growth", "Sets shaped like rcv1 of which one size grows (rows; columns; nonzeros of a row), lambda 1/n, to accuracy 0.001. The exponent is the slope of log time over log size.")
}

// A growthCurve is the best times of a competitor while one size grows.
type growthCurve struct {
	kind, loss, contender string
	threads               int
	sizes, times          []float64
}

func growthCurves(rows []measure.Measurement) []growthCurve {
	type line struct {
		kind, loss, contender string
		threads               int
	}
	lineOf := func(m measure.Measurement) line { return line{m.Kind, m.Loss, m.Contender, m.Threads} }
	var all []growthCurve
	for _, k := range measure.Distinct(rows, lineOf) {
		own := measure.Where(rows, func(m measure.Measurement) bool { return lineOf(m) == k })
		c := growthCurve{kind: k.kind, loss: k.loss, contender: k.contender, threads: k.threads}
		for _, set := range measure.Distinct(own, func(m measure.Measurement) string { return m.Set }) {
			var size float64
			if _, err := fmt.Sscanf(set, k.kind+"=%g", &size); err == nil {
				c.sizes = append(c.sizes, size)
				c.times = append(c.times, measure.TimingOf(measure.Where(own, func(m measure.Measurement) bool { return m.Set == set })).Best)
			}
		}
		if len(c.sizes) > 0 {
			all = append(all, c)
		}
	}
	return all
}

func bandwidthSection(rows []measure.Measurement) string {
	t := newTable("what", "set", "loss", "cores", "time", "bytes that must move", "GB/s", "of the read bandwidth")
	rate := map[int]float64{}
	type line struct {
		kind, set, loss string
		threads         int
	}
	keyOf := func(m measure.Measurement) line { return line{m.Kind, m.Set, m.Loss, m.Threads} }
	for _, k := range measure.Distinct(rows, keyOf) {
		own := measure.Where(rows, func(m measure.Measurement) bool { return keyOf(m) == k })
		best := measure.TimingOf(own)
		speed := float64(own[0].Bytes) / best.Best / 1e9
		share := ""
		switch k.kind {
		case "read":
			rate[k.threads] = speed
		case "epoch":
			share = fmt.Sprintf("%.0f %%", 100*speed/rate[k.threads])
		}
		t.add(k.kind, k.set, k.loss, fmt.Sprint(k.threads), best.String(), measure.Megabytes(own[0].Bytes), fmt.Sprintf("%.1f", speed), share)
	}
	return t.under("Memory", fmt.Sprintf("Summing and copying an array larger than the caches, and epochs of dual coordinate ascent, which must move at least %d bytes a nonzero and %d a row.", measure.BytesPerNonzero, measure.BytesPerRow))
}

func readSection(rows []measure.Measurement) string {
	type line struct {
		set, kind, contender string
		threads              int
	}
	t := newTable("set", "format", "file", "by", "cores", "time", "MB/s")
	keyOf := func(m measure.Measurement) line { return line{m.Set, m.Kind, m.Contender, m.Threads} }
	for _, k := range measure.Distinct(rows, keyOf) {
		own := measure.Where(rows, func(m measure.Measurement) bool { return keyOf(m) == k })
		best := measure.TimingOf(own)
		t.add(k.set, k.kind, measure.Megabytes(own[0].Bytes), k.contender, fmt.Sprint(k.threads), best.String(), fmt.Sprintf("%.0f", float64(own[0].Bytes)/best.Best/1e6))
	}
	return t.under("Reading", "From a file in the page cache to rows in memory; MB/s of the file as it is on disk. "+
		"Fenchel's rows are in single precision, checked, and sparse where that is smaller; rows that can be used where they lie in the file are mapped, of which pages are fetched when first used. "+
		"The others give what they give by default, but single precision where it is said.")
}

func partitionsSection(rows []measure.Measurement) string {
	t := newTable("set", "loss", "cores", "epochs", "seconds", "speed-up")
	one := map[string]float64{}
	rows = measure.Where(rows, func(m measure.Measurement) bool { return m.Kind == "simulated" })
	for _, m := range rows {
		if m.Threads == 1 {
			one[m.Set+m.Loss] = m.Seconds
		}
		t.add(m.Set, m.Loss, fmt.Sprint(m.Threads), strings.TrimSuffix(m.Note, " epochs"), measure.Seconds(m.Seconds), measure.Ratio(one[m.Set+m.Loss], m.Seconds))
	}
	return t.under("Many cores, simulated", "Each core's share of the work, timed one after another: what a machine with so many cores would need. "+
		"What is outside the shares divides as far as its times on one core and on all say.")
}

// namedSection compares methods of the same name.
func namedSection(rows []measure.Measurement) string {
	t := newTable("set", "method", "scikit-learn", "Fenchel", "times faster")
	seconds := map[[3]string][]float64{}
	var names [][2]string
	for _, m := range rows {
		who := "Fenchel"
		if strings.HasPrefix(m.Contender, "scikit-learn") {
			who = "scikit-learn"
		}
		if key := [2]string{m.Set, m.Kind}; !slices.Contains(names, key) {
			names = append(names, key)
		}
		seconds[[3]string{m.Set, m.Kind, who}] = append(seconds[[3]string{m.Set, m.Kind, who}], m.Seconds)
	}
	for _, n := range names {
		theirs, own := seconds[[3]string{n[0], n[1], "scikit-learn"}], seconds[[3]string{n[0], n[1], "Fenchel"}]
		if len(theirs) == 0 || len(own) == 0 {
			continue
		}
		slices.Sort(theirs)
		slices.Sort(own)
		t.add(n[0], n[1], measure.Seconds(theirs[len(theirs)/2]), measure.Seconds(own[len(own)/2]), measure.Ratio(theirs[len(theirs)/2], own[len(own)/2]))
	}
	return t.under("Methods of the same name", "Logistic loss, lambda = 1/n, to an accuracy of 1e-3: medians, the runs taking turns. scikit-learn has the loosest tolerance that is accurate enough; Fenchel proves it.")
}

// exponent spells the slope of log y over log x.
func exponent(x, y []float64) string {
	if e := measure.Slope(x, y); !math.IsNaN(e) {
		return fmt.Sprintf("%.2f", e)
	}
	return "-"
}
