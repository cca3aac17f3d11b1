package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/pca"
)

// pcaSection is the part of TABLES.md on principal components.
func pcaSection(rows []measure.Measurement) string {
	return strings.Join(slices.DeleteFunc([]string{pcaMemory(rows), pcaStreams(rows), pcaCommand(rows), pcaCertificates(rows), pcaProducts(rows), pcaCosts(rows)},
		func(s string) bool { return s == "" }), "\n")
}

// pcaWay is who found components, and how.
type pcaWay struct{ contender, setting string }

func wayOf(m measure.Measurement) pcaWay { return pcaWay{m.Contender, m.Setting} }

func (w pcaWay) String() string { return w.contender + " " + w.setting }

// pcaStanding is what the measurements of one problem say.
type pcaStanding struct {
	task.PcaProblem
	rows []measure.Measurement
}

// pcaMeasured keeps the rows of a problem.
func pcaMeasured(p task.PcaProblem, rows []measure.Measurement) pcaStanding {
	return pcaStanding{p, measure.Where(rows, func(m measure.Measurement) bool { return m.Race == "pca" && m.Set == p.Set && m.Loss == p.String() })}
}

// of returns the rows of a kind.
func (s pcaStanding) of(kind string) []measure.Measurement {
	return measure.Where(s.rows, func(m measure.Measurement) bool { return m.Kind == kind })
}

// by returns the rows of a kind that one way is about.
func (s pcaStanding) by(kind string, w pcaWay) []measure.Measurement {
	return measure.Where(s.of(kind), func(m measure.Measurement) bool { return wayOf(m) == w })
}

// own and theirs are the ways of a kind.
func (s pcaStanding) own(kind string) []pcaWay {
	return measure.Distinct(measure.Where(s.of(kind), func(m measure.Measurement) bool { return m.Contender == measure.OwnName }), wayOf)
}

func (s pcaStanding) theirs(kind string) []pcaWay {
	return measure.Distinct(measure.Where(s.of(kind), func(m measure.Measurement) bool { return m.Contender != measure.OwnName }), wayOf)
}

// share spells a part of a whole.
func share(part, whole float64) string {
	if !(whole > 0) {
		return "-"
	}
	return fmt.Sprintf("%.6f %%", 100*part/whole)
}

// missed spells what a basis may miss, by proof.
func missed(m measure.Measurement) string { return fmt.Sprintf("%.2g", max(m.Accuracy, 0)) }

// pcaMemory compares solving in memory.
func pcaMemory(rows []measure.Measurement) string {
	t := newTable("set", "rows", "columns", "problem", "who", "time", "ratio", "variance captured", "may miss")
	for _, p := range task.PcaProblems {
		s := pcaMeasured(p, rows)
		own := measure.TimingOf(measure.Where(s.of("memory"), func(m measure.Measurement) bool { return m.Contender == measure.OwnName }))
		solved := slices.Concat(s.of("memory"), s.of("batches"))
		for _, w := range slices.Concat(s.own("memory"), s.theirs("memory"), s.own("batches")) {
			runs := measure.Where(solved, func(m measure.Measurement) bool { return wayOf(m) == w })
			best := measure.TimingOf(runs)
			against := ""
			m := runs[0]
			if m.Contender != measure.OwnName || m.Kind == "batches" {
				against = measure.Ratio(best.Best, own.Best)
			}
			t.add(p.Set, fmt.Sprint(m.Rows), fmt.Sprint(m.Columns), p.String(), w.String(), best.String(), against, share(m.Objective, m.Total), missed(m))
		}
		for _, m := range s.of("unreached") {
			t.add(p.Set, fmt.Sprint(m.Rows), fmt.Sprint(m.Columns), p.String(), wayOf(m).String(), "-", "-", m.Note, "-")
		}
	}
	return t.under("Principal components of rows in memory",
		"Rows are in single precision, images as dense arrays and texts sparse, for all competitors. Fenchel's method is its default; below the peer's are its others, which ran once. The ratio is that of the time to that of the default. What is captured is a share of the variance; what may be missed, a share of the most that any k directions capture, by Fenchel's certificate.")
}

// pcaStreams compares methods for streams: one line for each.
func pcaStreams(rows []measure.Measurement) string {
	var standings []pcaStanding
	header := []string{"who"}
	for _, p := range task.PcaProblems {
		if s := pcaMeasured(p, rows); len(s.of("stream")) > 0 {
			standings = append(standings, s)
			header = append(header, fmt.Sprintf("%s, %s: time", p.Set, p), "ratio", "captured", "may miss")
		}
	}
	var all []measure.Measurement
	for _, kind := range []string{"stream", "streams"} {
		for _, s := range standings {
			all = append(all, s.of(kind)...)
		}
	}
	t := newTable(header...)
	for _, w := range measure.Distinct(all, wayOf) {
		cells := []string{w.String()}
		for _, s := range standings {
			cells = append(cells, s.stream(w)...)
		}
		t.add(cells...)
	}
	return t.under("Principal components of a stream",
		fmt.Sprintf("Each row is read once. Fenchel's method, unless another is asked for, is %s, and it keeps some rows apart, which it does not learn. The ratio is that of the method's time to Fenchel's; the methods below the peer's ran once, with their defaults.", pca.StreamMethod))
}

// stream are the cells of a way on one problem.
func (s pcaStanding) stream(w pcaWay) []string {
	own := measure.TimingOf(measure.Where(s.of("stream"), func(m measure.Measurement) bool { return m.Contender == measure.OwnName }))
	for _, kind := range []string{"stream", "streams"} {
		runs := s.by(kind, w)
		switch {
		case len(runs) == 0:
		case runs[0].Note != "":
			return []string{runs[0].Note, "-", share(runs[0].Objective, runs[0].Total), missed(runs[0])}
		default:
			best := measure.TimingOf(runs)
			return []string{best.String(), measure.Ratio(best.Best, own.Best), share(runs[0].Objective, runs[0].Total), missed(runs[0])}
		}
	}
	return []string{"-", "-", "-", "-"}
}

// pcaCommand tells of whole processes.
func pcaCommand(rows []measure.Measurement) string {
	t := newTable("set", "text", "problem", "method", "time", "peak", "proof")
	for _, p := range task.PcaProblems {
		s := pcaMeasured(p, rows)
		for _, w := range s.own("text") {
			runs := s.by("text", w)
			t.add(p.Set, measure.Megabytes(runs[0].Bytes), p.String(), w.setting, measure.TimingOf(runs).String(), measure.Megabytes(mostMemory(runs)), runs[0].Note)
		}
	}
	return t.under("The whole command", "fenchel pca, from the text to the model on disk, with its certificate.")
}

func mostMemory(rows []measure.Measurement) (most int64) {
	for _, m := range rows {
		most = max(most, m.Peak)
	}
	return most
}

// pcaCertificates tells what proofs cost and what they prove.
func pcaCertificates(rows []measure.Measurement) string {
	t := newTable("set", "rows", "columns", "problem", "route", "time", "proved that none captures more", "holds")
	for _, p := range task.PcaProblems {
		s := pcaMeasured(p, rows)
		for _, w := range s.own("certificate") {
			runs := s.by("certificate", w)
			m := runs[0]
			t.add(p.Set, fmt.Sprint(m.Rows), fmt.Sprint(m.Columns), p.String(), w.setting, measure.TimingOf(runs).String(), "than by a share of "+missed(m), m.Note)
		}
	}
	return t.under("Certificates of components", "Of Fenchel's components in memory; the bound judges all competitors.")
}

// pcaProducts compares products of matrices.
func pcaProducts(rows []measure.Measurement) string {
	t := newTable("product", "cores", "Fenchel", "time", "Gflop/s", "peer's time", "Gflop/s", "speed")
	for _, p := range productsOf(rows) {
		rate := func(x measure.Timing) string { return fmt.Sprintf("%.0f", float64(p.work)/x.Best/1e9) }
		t.add(p.set, fmt.Sprint(p.threads), p.setting, p.own.String(), rate(p.own), p.theirs.String(), rate(p.theirs), fmt.Sprintf("%.0f %%", 100*p.speed()))
	}
	return t.under("Products of matrices", "In single precision; GramSingle sums in double precision every 256 rows. The peer is the BLAS that numpy was built with. Gflop/s are of all elements, also where symmetry halves the work.")
}

// pcaProduct is a kernel against the peer's.
type pcaProduct struct {
	set, setting string
	threads      int
	work         int64
	own, theirs  measure.Timing
}

// speed is that of Fenchel as a part of the peer's.
func (p pcaProduct) speed() float64 { return p.theirs.Best / p.own.Best }

func productsOf(rows []measure.Measurement) []pcaProduct {
	rows = measure.Where(rows, func(m measure.Measurement) bool { return m.Race == "pca" && m.Kind == "product" })
	type key struct {
		set, contender, setting string
		threads                 int
	}
	keyOf := func(m measure.Measurement) key { return key{m.Set, m.Contender, m.Setting, m.Threads} }
	var all []pcaProduct
	for _, k := range measure.Distinct(rows, keyOf) {
		if k.contender != measure.OwnName {
			continue
		}
		own := measure.Where(rows, func(m measure.Measurement) bool { return keyOf(m) == k })
		theirs := measure.Where(rows, func(m measure.Measurement) bool {
			return m.Set == k.set && m.Threads == k.threads && m.Contender != measure.OwnName
		})
		all = append(all, pcaProduct{k.set, k.setting, k.threads, own[0].Evaluations, measure.TimingOf(own), measure.TimingOf(theirs)})
	}
	return all
}

// pcaCosts tells how the cost of a row of capped MSG grows.
func pcaCosts(rows []measure.Measurement) string {
	t := newTable("growing", "others", "sizes", "time of a row", "exponent", "operations", "exponent")
	for _, kind := range []string{"d", "k"} {
		s := stepsOf(rows, kind)
		if len(s.sizes) == 0 {
			continue
		}
		var cells [3][]string
		for i := range s.sizes {
			for j, text := range []string{fmt.Sprint(s.sizes[i]), measure.Seconds(s.times[i]), fmt.Sprintf("%.3g", s.operations[i])} {
				cells[j] = append(cells[j], text)
			}
		}
		list := func(j int) string { return strings.Join(cells[j], ", ") }
		others := map[string]string{"d": "k = 8, K = 9", "k": fmt.Sprintf("d = %d, K = k+1", s.columns)}[kind]
		t.add(kind, others, list(0), list(1), exponent(s.sizes, s.times), list(2), exponent(s.sizes, s.operations))
	}
	return t.under("The cost of a row of capped MSG", "On one core, of normal rows, once some were learned. The exponent is the slope of log time, or of log operations, over log size. Operations are those that the state counts.")
}

// steps are what rows of capped MSG cost while d or k grows.
type steps struct {
	sizes, times, operations []float64
	columns                  int64 // of the largest
}

func stepsOf(rows []measure.Measurement, kind string) (s steps) {
	rows = measure.Where(rows, func(m measure.Measurement) bool { return m.Race == "pca" && m.Kind == kind })
	size := func(m measure.Measurement) int64 {
		if kind == "d" {
			return m.Columns
		}
		return m.Components
	}
	for _, of := range measure.Distinct(rows, size) {
		runs := measure.Where(rows, func(m measure.Measurement) bool { return size(m) == of })
		s.sizes = append(s.sizes, float64(of))
		s.times = append(s.times, measure.TimingOf(runs).Best)
		s.operations = append(s.operations, float64(runs[0].Evaluations))
		s.columns = max(s.columns, runs[0].Columns)
	}
	return s
}
