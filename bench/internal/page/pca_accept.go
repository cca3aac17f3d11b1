package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// Requirements of principal components beside those of each pcaProblem.
const (
	optimal      = 1e-6  // share of the optimum by which components may miss it
	productSpeed = 0.7   // of the peer's BLAS
	fullProduct  = 1e10  // operations of a product that is large enough to be judged
	fullColumns  = 16384 // features of the largest rows of capped MSG
	stepGrowth   = 0.15  // by which the exponent of the time of a row in d may differ from 1
)

// acceptComponents judges the race of principal components.
func acceptComponents(rows []measure.Measurement) []verdict {
	var all []verdict
	for _, p := range task.PcaProblems {
		s := pcaMeasured(p, rows)
		for _, v := range s.judge() {
			v.problem = caseOf{p.Set, p.String(), ""}
			if n := s.rows[0].Rows; n <= task.QuickRows { // what is required is of all rows
				v.state, v.measured = unproven, fmt.Sprintf("%s, of %d rows", v.measured, n)
			}
			all = append(all, v)
		}
	}
	for _, p := range productsOf(rows) {
		v := verdict{criterion: "product of matrices", required: fmt.Sprintf(">= %g %% of BLAS", 100*productSpeed), problem: caseOf{p.set, p.setting, ""},
			state: unproven, measured: "the peer was not measured"}
		if p.theirs.Found() {
			if p.work >= fullProduct {
				v.state = pass(p.speed() >= productSpeed)
			}
			v.measured = fmt.Sprintf("%.0f %% on %d (%s : %s)", 100*p.speed(), p.threads, measure.Seconds(p.theirs.Best), measure.Seconds(p.own.Best))
		}
		all = append(all, v)
	}
	return append(all, judgeSteps(rows)...)
}

// judge applies every requirement to one problem.
func (s pcaStanding) judge() []verdict {
	var all []verdict
	if len(s.of("memory")) > 0 {
		all = append(all, s.judgeOptimal()...)
		if s.Every {
			for _, w := range s.theirs("memory") {
				all = append(all, s.judgeWay(w)...)
			}
		} else if s.Faster > 0 {
			all = append(all, s.judgeFaster())
		}
		if s.Dense {
			all = append(all, s.judgeCertificate())
		}
	}
	if s.StreamFaster > 0 && len(s.of("stream")) > 0 {
		all = append(all, s.judgeStream()...)
	}
	if s.Within > 0 && len(s.of("text")) > 0 {
		all = append(all, s.judgeCommand()...)
	}
	return all
}

// fastest returns the way with the least time, among some.
func (s pcaStanding) fastest(kind string, ways []pcaWay) (best measure.Timing, by pcaWay) {
	best.Best = math.Inf(1)
	for _, w := range ways {
		if t := measure.TimingOf(s.by(kind, w)); t.Best < best.Best {
			best, by = t, w
		}
	}
	return best, by
}

// accurate reports whether a way captures all but a millionth of the optimum, by
// proof.
func (s pcaStanding) accurate(w pcaWay) bool {
	return !slices.ContainsFunc(s.by("memory", w), func(m measure.Measurement) bool { return !(m.Accuracy <= optimal) })
}

// judgeOptimal wants that Fenchel misses next to nothing of rows in memory; where
// the certificate proves less, peers are what it is compared with.
func (s pcaStanding) judgeOptimal() []verdict {
	if s.Faster == 0 || s.Every {
		return nil
	}
	v := verdict{criterion: "components", required: fmt.Sprintf("within %g of the optimum", optimal), state: failed, measured: "not measured"}
	for _, w := range s.own("memory") {
		v.state, v.measured = pass(s.accurate(w)), missed(s.by("memory", w)[0])
	}
	return []verdict{v}
}

// judgeFaster compares with the fastest way of the peer that is accurate.
func (s pcaStanding) judgeFaster() verdict {
	v := verdict{criterion: "components in memory", required: fmt.Sprintf(">= %gx", s.Faster), state: unproven, measured: "the peer was not measured"}
	own, _ := s.fastest("memory", s.own("memory"))
	theirs := s.theirs("memory")
	first, by := s.fastest("memory", theirs)
	best, way := s.fastest("memory", slices.DeleteFunc(slices.Clone(theirs), func(w pcaWay) bool { return !s.accurate(w) }))
	if !own.Found() || !best.Found() {
		return v
	}
	v.state = pass(best.Best/own.Best >= s.Faster)
	v.measured = fmt.Sprintf("%s (%s : %s, %s)", measure.Ratio(best.Best, own.Best), measure.Seconds(best.Best), measure.Seconds(own.Best), way)
	if by != way {
		v.measured += fmt.Sprintf("; %s to %s, which is less accurate", measure.Ratio(first.Best, own.Best), by)
	}
	return v
}

// judgeCertificate wants the proof of dense rows to take no longer than finding components.
func (s pcaStanding) judgeCertificate() verdict {
	v := verdict{criterion: "certificate of components", required: "<= finding them", state: failed, measured: "not measured"}
	own, _ := s.fastest("memory", s.own("memory"))
	proof, _ := s.fastest("certificate", s.own("certificate"))
	if own.Found() && proof.Found() {
		v.state = pass(proof.Best <= own.Best)
		v.measured = fmt.Sprintf("%s : %s", measure.Seconds(proof.Best), measure.Seconds(own.Best))
	}
	return v
}

// judgeWay wants to be no slower than one way of the peer, and no less accurate.
func (s pcaStanding) judgeWay(w pcaWay) []verdict {
	own, by := s.fastest("memory", s.own("memory"))
	theirs := measure.TimingOf(s.by("memory", w))
	name := strings.TrimPrefix(w.String(), "scikit-learn ")
	slower := verdict{criterion: "components in memory", required: fmt.Sprintf(">= %gx %s", s.Faster, name), state: failed, measured: "Fenchel was not measured"}
	worse := verdict{criterion: "components", required: "no less than " + name, state: failed, measured: "Fenchel was not measured"}
	if own.Found() {
		slower.state = pass(theirs.Best/own.Best >= s.Faster)
		slower.measured = fmt.Sprintf("%s (%s : %s)", measure.Ratio(theirs.Best, own.Best), measure.Seconds(theirs.Best), measure.Seconds(own.Best))
		worse.state, worse.measured = compareCaptured(s.by("memory", by)[0], s.by("memory", w)[0], optimal)
	}
	return []verdict{slower, worse}
}

// compareCaptured wants as much variance captured as a peer does, but for a share.
func compareCaptured(own, theirs measure.Measurement, slack float64) (state, string) {
	return pass(own.Objective >= theirs.Objective*(1-slack)),
		fmt.Sprintf("%s : %s (%+.2g)", share(own.Objective, own.Total), share(theirs.Objective, theirs.Total), own.Objective/theirs.Objective-1)
}

// judgeStream compares the default method for streams.
func (s pcaStanding) judgeStream() []verdict {
	faster := verdict{criterion: "components of a stream", required: fmt.Sprintf(">= %gx", s.StreamFaster), state: unproven, measured: "the peer was not measured"}
	better := verdict{criterion: "what a stream's capture", required: "no less than the peer's", state: unproven, measured: "the peer was not measured"}
	own, by := s.fastest("stream", s.own("stream"))
	theirs, way := s.fastest("stream", s.theirs("stream"))
	if own.Found() && theirs.Found() {
		faster.state = pass(theirs.Best/own.Best >= s.StreamFaster)
		faster.measured = fmt.Sprintf("%s (%s : %s, %s : %s)", measure.Ratio(theirs.Best, own.Best), measure.Seconds(theirs.Best), measure.Seconds(own.Best), way, by.setting)
		better.state, better.measured = compareCaptured(s.by("stream", by)[0], s.by("stream", way)[0], 0)
	}
	return []verdict{faster, better}
}

// judgeCommand bounds the time and the memory of the whole command.
func (s pcaStanding) judgeCommand() []verdict {
	runs := s.of("text")
	took, peak := measure.TimingOf(runs), mostMemory(runs)
	memory := verdict{criterion: "peak memory", required: "< " + measure.Megabytes(s.Peak), state: unproven, measured: "not measured"}
	if peak > 0 {
		memory.state, memory.measured = pass(peak < s.Peak), measure.Megabytes(peak)
	}
	return []verdict{{criterion: "components from text", required: "< " + measure.Seconds(s.Within.Seconds()), measured: took.String(),
		state: pass(took.Best < s.Within.Seconds())}, memory}
}

// judgeSteps wants the cost of a row of capped MSG to grow like d: by the clock, and
// by the operations that the state counts.
func judgeSteps(rows []measure.Measurement) (all []verdict) {
	s := stepsOf(rows, "d")
	if len(s.sizes) == 0 {
		return nil
	}
	for _, cost := range []struct {
		name string
		of   []float64
	}{{"time", s.times}, {"operations", s.operations}} {
		e := measure.Slope(s.sizes, cost.of)
		v := verdict{criterion: cost.name + " of a row of capped MSG", required: fmt.Sprintf("d^(1 +- %g)", stepGrowth), state: unproven, measured: fmt.Sprintf("d^%.2f", e),
			problem: caseOf{"", fmt.Sprintf("k = 8, d = %g to %g", s.sizes[0], s.sizes[len(s.sizes)-1]), ""}}
		if s.columns >= fullColumns {
			v.state = pass(math.Abs(e-1) <= stepGrowth)
		}
		all = append(all, v)
	}
	return all
}
