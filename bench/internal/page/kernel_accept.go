package page

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
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
func acceptKernels(rows []measure.Measurement) []verdict {
	var all []verdict
	for _, p := range task.KernelProblems {
		s := kernelMeasured(p, rows)
		if len(s.rows) == 0 {
			continue
		}
		for _, v := range s.judge() {
			v.problem = caseOf{p.Set, "hinge, " + p.Kernel(), string(p.Lambda())}
			all = append(all, v)
		}
	}
	return all
}

// judge applies every requirement to one problem.
func (s kernelStanding) judge() []verdict {
	threads := kernelThreads(s.rows)
	if s.Within > 0 {
		return []verdict{s.judgeWithin(), s.judgeMemory()}
	}
	all := []verdict{s.judgeFaster("kernel machine", s.Faster, threads)}
	if s.OneCore > 0 {
		all = append(all, s.judgeFaster("kernel machine on one core", s.OneCore, 1))
	}
	if slices.ContainsFunc(s.rows, func(m measure.Measurement) bool { return m.Contender == "thundersvm" }) {
		all = append(all, s.judgeThunder(threads))
	}
	all = append(all, s.judgeObjective(threads), s.judgeTest(threads), s.judgeMemory())
	if slices.ContainsFunc(s.rows, func(m measure.Measurement) bool { return m.Kind == "bits" }) {
		all = append(all, s.judgeBits())
	}
	return all
}

// judgeFaster compares whole processes with LIBSVM's.
func (s kernelStanding) judgeFaster(criterion string, factor float64, threads int) verdict {
	v := verdict{criterion: criterion, required: fmt.Sprintf(">= %gx LIBSVM", factor)}
	own, theirs := measure.TimingOf(s.runs(measure.OwnName, threads)), s.libsvm()
	switch {
	case !own.Found():
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
func judgeRatio(theirs []measure.Measurement, own measure.Timing, factor float64) (state, string) {
	best := measure.TimingOf(theirs).Best
	return pass(best/own.Best >= factor),
		fmt.Sprintf("%s (%s : %s, %s %s)", measure.Ratio(best, own.Best), measure.Seconds(best), measure.Seconds(own.Best), theirs[0].Contender, theirs[0].Setting)
}

func (s kernelStanding) judgeThunder(threads int) verdict {
	v := verdict{criterion: "kernel machine", required: fmt.Sprintf(">= %gx ThunderSVM", thunderFaster), state: unproven, measured: "ThunderSVM did not reach it"}
	if own, theirs := measure.TimingOf(s.runs(measure.OwnName, threads)), s.runs("thundersvm", 0); own.Found() && len(theirs) > 0 {
		v.state, v.measured = judgeRatio(theirs, own, thunderFaster)
	}
	return v
}

// judgeObjective wants the objective as near to the best possible, as far as
// that is known, as was asked for.
func (s kernelStanding) judgeObjective(threads int) verdict {
	v := verdict{criterion: "kernel machine's objective", required: fmt.Sprintf("<= %g above the best", s.Gap), state: unproven, measured: "not measured"}
	if own := s.runs(measure.OwnName, threads); len(own) > 0 {
		v.state, v.measured = pass(own[0].Accuracy <= s.Gap), fmt.Sprintf("%.2g", own[0].Accuracy)
		if theirs := s.libsvm(); len(theirs) > 0 {
			v.measured += fmt.Sprintf(" (LIBSVM %.2g)", theirs[0].Accuracy)
		}
	}
	return v
}

// judgeTest wants the test accuracy of LIBSVM's model, or a better one.
func (s kernelStanding) judgeTest(threads int) verdict {
	v := verdict{criterion: "kernel machine's test accuracy", required: fmt.Sprintf("LIBSVM's to %g points", 100*sameAccuracy), state: unproven, measured: "not measured"}
	own, theirs := s.runs(measure.OwnName, threads), s.libsvm()
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
		if m.Contender != measure.OwnName || m.Kind != "text" || m.Peak == 0 {
			continue
		}
		cache := int64(defaultCache)
		if ownCache(m) {
			cache = task.SmallCache
		}
		allowed := cache + 2*bytesPerEntry*(m.Nonzeros+m.Rows) + spareMemory
		measured := fmt.Sprintf("%s of %s", measure.Megabytes(m.Peak), measure.Megabytes(allowed))
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
	v := verdict{criterion: "kernel machine at size", required: fmt.Sprintf("gap %g within %s", s.Gap, measure.Seconds(s.Within.Seconds())), state: failed}
	for _, m := range s.rows {
		switch {
		case m.Contender != measure.OwnName:
		case m.Kind == "text":
			v.state, v.measured = pass(m.Seconds <= s.Within.Seconds()), measure.Seconds(m.Seconds)
		case m.Kind == "unreached":
			v.measured = m.Note
		}
	}
	return v
}
