package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// A verdict is one row of the acceptance table: what is required of Fenchel on
// a set of the table, and what was measured.
type verdict struct {
	criterion          string
	problem            caseOf
	required, measured string
	state              state
}

// state says whether a requirement is met.
type state string

const (
	passed   state = "pass"
	failed   state = "FAIL"
	unproven state = "-" // not measured
)

// Requirements, as ratios of LIBLINEAR's best time to ours.
const (
	large, medium = 3_000_000, 1_000_000 // nonzeros
	spare         = 0.020                // seconds by which we may be slower on small sets
	smallText     = 10_000_000           // bytes
	smallMemory   = 40_000_000           // bytes that are always allowed below large
)

// accept judges all problems of the acceptance table that were measured.
func accept(rows []measure.Measurement) []verdict {
	var all []verdict
	for _, s := range task.Sources {
		for _, loss := range task.AcceptedLosses {
			for _, l := range task.Lambdas {
				key := caseOf{s.Name, loss, string(l)}
				if one := standingOf(rows, key); s.Accept && len(one.rows) > 0 {
					others := leastPeak(measure.Where(rows, func(m measure.Measurement) bool { return m.Set == s.Name }))
					all = append(all, one.judge(key, threadsOf(rows), others)...)
				}
			}
		}
	}
	return all
}

// judge applies every requirement to one problem. others is the least memory of
// LIBLINEAR on the set.
func (s standing) judge(key caseOf, threads int, others int64) []verdict {
	size := s.rows[0].Nonzeros
	var all []verdict
	add := func(v verdict) { v.problem = key; all = append(all, v) }
	if slices.ContainsFunc(s.rows, func(m measure.Measurement) bool { return m.Race == "solve" }) {
		add(s.judgeSolve(1e-3, threads, factorFor(size)))
		add(s.judgeSolve(1e-6, threads, 2))
		add(s.judgeBits())
	}
	if slices.ContainsFunc(s.rows, func(m measure.Measurement) bool { return m.Race == "whole" }) {
		text := 5.0
		if s.rows[slices.IndexFunc(s.rows, func(m measure.Measurement) bool { return m.Race == "whole" })].Bytes < smallText {
			text = 3
		}
		add(s.judgeWhole("text", text, threads))
		add(s.judgeWhole("cache", 10, threads))
		add(s.judgeMemory(size, others))
	}
	return all
}

// factorFor is the ratio required of solving alone to 1e-3; 0: the small sets'
// rule.
func factorFor(nonzeros int64) float64 {
	switch {
	case nonzeros > large:
		return 3
	case nonzeros >= medium:
		return 2
	}
	return 0
}

// judgeSolve compares solving alone.
func (s standing) judgeSolve(target float64, threads int, factor float64) verdict {
	v := verdict{criterion: fmt.Sprintf("solve to %g", target), required: fmt.Sprintf(">= %gx", factor)}
	if factor == 0 {
		v.required = fmt.Sprintf("at most %s slower", measure.Seconds(spare))
	}
	own := s.fenchel("solve", "timed", target, threads)
	best, way := s.liblinear("solve", "timed", target)
	why, longer := s.unreached("liblinear", target)
	switch {
	case !own.Found(): // not measured
		v.state = failed
		v.measured, _ = s.unreached(measure.OwnName, target)
		v.measured = "Fenchel did not reach it: " + v.measured
	case !best.Found():
		v.state, v.measured = judgeLonger("LIBLINEAR", own.Best, longer, factor, why)
	default:
		v.measured = fmt.Sprintf("%s (%s : %s, %s)", measure.Ratio(best.Best, own.Best), measure.Seconds(best.Best), measure.Seconds(own.Best), way)
		v.state = pass(best.Best/own.Best >= factor && factor > 0 || factor == 0 && own.Best <= best.Best+spare)
	}
	return v
}

// judgeLonger compares with a peer that did not reach the accuracy in the
// time that it was given, for the reason why: a lower bound on what it needs.
// factor 0 is the small sets' rule.
func judgeLonger(peer string, own, longer, factor float64, why string) (state, string) {
	if longer == 0 {
		return unproven, peer + " was not measured"
	}
	measured := fmt.Sprintf("> %s (> %s : %s, %s: %s)", measure.Ratio(longer, own), measure.Seconds(longer), measure.Seconds(own), peer, why)
	if longer/own >= factor && factor > 0 || factor == 0 && own <= longer+spare {
		return passed, measured
	}
	return unproven, measured
}

func pass(ok bool) state {
	if ok {
		return passed
	}
	return failed
}

// judgeBits wants the same model from one core and from all, at every target.
func (s standing) judgeBits() verdict {
	v := verdict{criterion: "same bits", required: "same model from 1 core and all", state: unproven, measured: "not measured"}
	for _, m := range s.rows {
		if m.Race == "solve" && m.Kind == "bits" {
			if v.state != failed {
				v.state, v.measured = pass(m.Note == "same"), m.Note
			}
		}
	}
	return v
}

// judgeWhole compares whole processes, LIBLINEAR's from text.
func (s standing) judgeWhole(kind string, factor float64, threads int) verdict {
	v := verdict{criterion: "whole process from " + kind, required: fmt.Sprintf(">= %gx", factor), state: unproven, measured: "not measured"}
	own := s.fenchel("whole", kind, task.WholeTarget, threads)
	best, way := s.peer("whole", "text", "liblinear", task.WholeTarget)
	alone, _ := s.peer("solve", "timed", "liblinear", task.WholeTarget)
	switch why, longer := s.unreached("liblinear", task.WholeTarget); {
	case !own.Found(): // not measured
	case !best.Found() && alone.Found():
		v.state, v.measured = judgeLonger("LIBLINEAR", own.Best, alone.Best, factor, "solving alone")
	case !best.Found():
		v.state, v.measured = judgeLonger("LIBLINEAR", own.Best, longer, factor, why) // its solving alone
	default:
		v.measured = fmt.Sprintf("%s (%s : %s, %s)", measure.Ratio(best.Best, own.Best), measure.Seconds(best.Best), measure.Seconds(own.Best), way)
		v.state = pass(best.Best/own.Best >= factor)
	}
	return v
}

// judgeMemory compares the most memory of whole processes from text. LIBLINEAR's is
// that of its rows: where it did not reach the accuracy, others is the least that it
// took on other problems of the set.
func (s standing) judgeMemory(size, others int64) verdict {
	v := verdict{criterion: "peak memory", required: "<= " + measure.Megabytes(smallMemory), state: unproven, measured: "not measured"}
	own, theirs, where := int64(0), leastPeak(s.rows), ""
	for _, m := range s.rows {
		if m.Race == "whole" && m.Kind == "text" && m.Contender == measure.OwnName {
			own = max(own, m.Peak)
		}
	}
	if theirs == 0 && size > large {
		theirs, where = others, ", on another problem of the set"
	}
	allowed := int64(smallMemory)
	if size > large {
		v.required, allowed = "<= LIBLINEAR's", theirs
	}
	if own > 0 {
		v.measured = measure.Megabytes(own)
		if theirs > 0 {
			v.measured += " (LIBLINEAR " + measure.Megabytes(theirs) + where + ")"
		}
		if allowed > 0 {
			v.state = pass(own <= allowed)
		}
	}
	return v
}

// leastPeak is the least memory of LIBLINEAR's processes; 0: there were none.
func leastPeak(rows []measure.Measurement) (least int64) {
	for _, m := range rows {
		if m.Race == "whole" && m.Kind == "text" && strings.HasPrefix(m.Contender, "liblinear ") && (least == 0 || m.Peak < least) {
			least = m.Peak
		}
	}
	return least
}

// acceptance judges everything that was measured.
func acceptance(rows []measure.Measurement) []verdict {
	return slices.Concat(accept(rows), acceptMachine(rows), acceptKernels(rows), acceptComponents(rows))
}

// tally counts verdicts.
func tally(verdicts []verdict) string {
	count := map[state]int{}
	for _, v := range verdicts {
		count[v.state]++
	}
	return fmt.Sprintf("%d met, %d missed, %d not measured.", count[passed], count[failed], count[unproven])
}

// verdictTable has a row for each verdict. Ratios are of the peer's best time to
// Fenchel's on all cores; in brackets are both times and the peer's solver.
func verdictTable(verdicts []verdict) *table {
	t := newTable("requirement", "set", "problem", "lambda", "required", "measured", "verdict")
	for _, v := range verdicts {
		t.add(v.criterion, v.problem.set, v.problem.loss, v.problem.lambda, v.required, v.measured, string(v.state))
	}
	return t
}
