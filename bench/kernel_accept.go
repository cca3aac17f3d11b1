package main

import (
	"fmt"
	"math"
	"slices"
)

// Requirements of kernel machines beside those of each kernelProblem.
const (
	thunderFaster = 1.5
	sameAccuracy  = 0.001    // of test rows, by which two models may differ
	spareMemory   = 64 << 20 // bytes beside the cache and twice the rows
	defaultCache  = 1 << 30
	bytesPerEntry = 8 // of a row in memory: a column and a value
)

// acceptKernels judges all kernel machines that were measured.
func acceptKernels(rows []measurement) []verdict {
	var all []verdict
	for _, p := range kernelProblems {
		s := kernelMeasured(p, rows)
		if len(s.rows) == 0 {
			continue
		}
		for _, v := range s.judge() {
			v.problem = caseOf{p.set, "hinge, " + p.kernel(), string(p.lambda())}
			all = append(all, v)
		}
	}
	return all
}

// judge applies every requirement to one problem.
func (s kernelStanding) judge() []verdict {
	threads := kernelThreads(s.rows)
	if s.within > 0 {
		return []verdict{s.judgeWithin(), s.judgeMemory()}
	}
	all := []verdict{s.judgeFaster("kernel machine", s.faster, threads)}
	if s.oneCore > 0 {
		all = append(all, s.judgeFaster("kernel machine on one core", s.oneCore, 1))
	}
	if slices.ContainsFunc(s.rows, func(m measurement) bool { return m.Contender == "thundersvm" }) {
		all = append(all, s.judgeThunder(threads))
	}
	all = append(all, s.judgeObjective(threads), s.judgeTest(threads), s.judgeMemory())
	if slices.ContainsFunc(s.rows, func(m measurement) bool { return m.Kind == "bits" }) {
		all = append(all, s.judgeBits())
	}
	return all
}

// judgeFaster compares whole processes with LIBSVM's.
func (s kernelStanding) judgeFaster(criterion string, factor float64, threads int) verdict {
	v := verdict{criterion: criterion, required: fmt.Sprintf(">= %gx LIBSVM", factor)}
	own, theirs := timingOf(s.runs(ownName, threads)), s.libsvm()
	switch {
	case !own.found():
		v.state, v.measured = failed, "Fenchel did not reach it"
	case len(theirs) == 0:
		longer, why := s.longer()
		v.state, v.measured = judgeLonger("LIBSVM", own.Best, longer, factor, why)
	default:
		v.state, v.measured = judgeRatio(theirs, own, factor)
	}
	return v
}

// judgeRatio compares with a peer's runs.
func judgeRatio(theirs []measurement, own timing, factor float64) (state, string) {
	best := timingOf(theirs).Best
	return pass(best/own.Best >= factor),
		fmt.Sprintf("%s (%s : %s, %s %s)", ratio(best, own.Best), seconds(best), seconds(own.Best), theirs[0].Contender, theirs[0].Setting)
}

func (s kernelStanding) judgeThunder(threads int) verdict {
	v := verdict{criterion: "kernel machine", required: fmt.Sprintf(">= %gx ThunderSVM", thunderFaster), state: unproven, measured: "ThunderSVM did not reach it"}
	if own, theirs := timingOf(s.runs(ownName, threads)), s.runs("thundersvm", 0); own.found() && len(theirs) > 0 {
		v.state, v.measured = judgeRatio(theirs, own, thunderFaster)
	}
	return v
}

// judgeObjective wants the objective as near to the best possible, as far as
// that is known, as was asked for.
func (s kernelStanding) judgeObjective(threads int) verdict {
	v := verdict{criterion: "kernel machine's objective", required: fmt.Sprintf("<= %g above the best", s.gap), state: unproven, measured: "not measured"}
	if own := s.runs(ownName, threads); len(own) > 0 {
		v.state, v.measured = pass(own[0].Accuracy <= s.gap), fmt.Sprintf("%.2g", own[0].Accuracy)
		if theirs := s.libsvm(); len(theirs) > 0 {
			v.measured += fmt.Sprintf(" (LIBSVM %.2g)", theirs[0].Accuracy)
		}
	}
	return v
}

// judgeTest wants the test accuracy of LIBSVM's model, or a better one.
func (s kernelStanding) judgeTest(threads int) verdict {
	v := verdict{criterion: "kernel machine's test accuracy", required: fmt.Sprintf("LIBSVM's to %g points", 100*sameAccuracy), state: unproven, measured: "not measured"}
	own, theirs := s.runs(ownName, threads), s.libsvm()
	if len(own) == 0 || own[0].Test == 0 {
		return v
	}
	v.measured = fmt.Sprintf("%.2f %%", 100*own[0].Test)
	if len(theirs) > 0 {
		v.measured += fmt.Sprintf(" (LIBSVM %.2f %%)", 100*theirs[0].Test)
		v.state = pass(math.Abs(own[0].Test-theirs[0].Test) <= sameAccuracy)
	}
	return v
}

// judgeMemory wants no more memory than the cache, twice the rows and some.
func (s kernelStanding) judgeMemory() verdict {
	v := verdict{criterion: "kernel machine's peak memory", required: "cache + 2 x rows + 64 MB", state: unproven, measured: "not measured"}
	for _, m := range s.rows {
		if m.Contender != ownName || m.Kind != "text" || m.Peak == 0 {
			continue
		}
		cache := int64(defaultCache)
		if ownCache(m) {
			cache = smallCache
		}
		allowed := cache + 2*bytesPerEntry*(m.Nonzeros+m.Rows) + spareMemory
		measured := fmt.Sprintf("%s of %s", megabytes(m.Peak), megabytes(allowed))
		switch {
		case m.Peak > allowed:
			v.state, v.measured = failed, measured
			return v
		case v.state != passed || ownCache(m):
			v.state, v.measured = passed, measured
		}
	}
	return v
}

// judgeBits wants the same model whatever the cores and the cache.
func (s kernelStanding) judgeBits() verdict {
	v := verdict{criterion: "same bits", required: "same model from 1 core, all, a small cache"}
	for _, m := range s.rows {
		if m.Kind == "bits" {
			v.state, v.measured = pass(m.Note == "same"), m.Note
		}
	}
	return v
}

// judgeWithin wants an end in time.
func (s kernelStanding) judgeWithin() verdict {
	v := verdict{criterion: "kernel machine at size", required: fmt.Sprintf("gap %g within %s", s.gap, seconds(s.within.Seconds())), state: failed}
	for _, m := range s.rows {
		switch {
		case m.Contender != ownName:
		case m.Kind == "text":
			v.state, v.measured = pass(m.Seconds <= s.within.Seconds()), seconds(m.Seconds)
		case m.Kind == "unreached":
			v.measured = m.Note
		}
	}
	return v
}
