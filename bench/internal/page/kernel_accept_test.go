package page

import (
	"testing"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// fakeKernel makes a measurement of the kernel machine on a9a.
func fakeKernel(kind, contender string, threads int, seconds float64) measure.Measurement {
	return measure.Measurement{Race: "kernel", Kind: kind, Set: "a9a", Size: measure.Size{Rows: 32561, Columns: 123, Nonzeros: 451592}, Loss: "hinge", Lambda: "1/n", Kernel: "rbf:gamma=0.05",
		Contender: contender, Setting: "e=0.1", Threads: threads, Target: task.WholeTarget, Seconds: seconds, Objective: 0.3, Accuracy: 5e-4, Test: 0.85, Support: 11600, Repeat: 1}
}

// TestAcceptKernels: each rule, on both sides of its border.
func TestAcceptKernels(t *testing.T) {
	edit := func(m measure.Measurement, change func(*measure.Measurement)) measure.Measurement {
		change(&m)
		return m
	}
	own, lib := fakeKernel("text", measure.OwnName, 2, 1), fakeKernel("text", "libsvm", 1, 20)
	one := fakeKernel("text", measure.OwnName, 1, 2.5)
	slow := edit(fakeKernel("unreached", "libsvm", 1, 30), func(m *measure.Measurement) { m.Note = "stopped after 30 s" })
	peak := func(setting string, bytes int64) measure.Measurement {
		return edit(own, func(m *measure.Measurement) { m.Setting, m.Peak = setting, bytes })
	}
	const fixed = 2*8*(451592+32561) + 64<<20
	large := func(kind string, seconds float64) measure.Measurement {
		return edit(fakeKernel(kind, measure.OwnName, 2, seconds), func(m *measure.Measurement) { m.Set, m.Kernel, m.Note = "covtype2", "rbf:gamma=10", "time-limit" })
	}
	for i, c := range []struct {
		criterion string
		rows      []measure.Measurement
		want      state
	}{
		{"kernel machine", []measure.Measurement{own, lib}, passed},
		{"kernel machine", []measure.Measurement{edit(own, func(m *measure.Measurement) { m.Seconds = 1.01 }), lib}, failed},
		{"kernel machine", []measure.Measurement{own, lib, fakeKernel("text", "scikit-learn", 2, 19)}, failed}, // LIBSVM too
		{"kernel machine", []measure.Measurement{own, slow}, passed},
		{"kernel machine", []measure.Measurement{own, edit(slow, func(m *measure.Measurement) { m.Seconds = 19 })}, unproven},
		{"kernel machine", []measure.Measurement{own, edit(slow, func(m *measure.Measurement) { m.Seconds = 0 })}, unproven},
		{"kernel machine", []measure.Measurement{lib}, failed},
		{"kernel machine", []measure.Measurement{edit(peak("gap=0.001 cache=100MB", 1), func(m *measure.Measurement) { m.Seconds = 0.5 }), edit(own, func(m *measure.Measurement) { m.Seconds = 2 }), lib}, failed},
		{"kernel machine on one core", []measure.Measurement{own, one, lib}, passed},
		{"kernel machine on one core", []measure.Measurement{own, edit(one, func(m *measure.Measurement) { m.Seconds = 2.6 }), lib}, failed},
		{"kernel machine's objective", []measure.Measurement{own, lib}, passed},
		{"kernel machine's objective", []measure.Measurement{edit(own, func(m *measure.Measurement) { m.Accuracy = 1.1e-3 })}, failed},
		{"kernel machine's test accuracy", []measure.Measurement{own, edit(lib, func(m *measure.Measurement) { m.Test = 0.8509 })}, passed},
		{"kernel machine's test accuracy", []measure.Measurement{own, edit(lib, func(m *measure.Measurement) { m.Test = 0.8511 })}, failed},
		{"kernel machine's test accuracy", []measure.Measurement{own, slow}, unproven},
		{"kernel machine's peak memory", []measure.Measurement{peak("gap=0.001", 1<<30+fixed)}, passed},
		{"kernel machine's peak memory", []measure.Measurement{peak("gap=0.001", 1<<30+fixed+1)}, failed},
		{"kernel machine's peak memory", []measure.Measurement{peak("gap=0.001", 1), peak("gap=0.001 cache=100MB", 100<<20+fixed)}, passed},
		{"kernel machine's peak memory", []measure.Measurement{peak("gap=0.001", 1), peak("gap=0.001 cache=100MB", 100<<20+fixed+1)}, failed},
		{"same bits", []measure.Measurement{own, edit(own, func(m *measure.Measurement) { m.Kind, m.Note = "bits", "same" })}, passed},
		{"same bits", []measure.Measurement{own, edit(own, func(m *measure.Measurement) { m.Kind, m.Note = "bits", "different" })}, failed},
		{"kernel machine at size", []measure.Measurement{large("text", 180)}, passed},
		{"kernel machine at size", []measure.Measurement{large("text", 181)}, failed},
		{"kernel machine at size", []measure.Measurement{large("unreached", 100)}, failed},
	} {
		found := false
		for _, v := range acceptKernels(c.rows) {
			if v.criterion == c.criterion {
				found = true
				if v.state != c.want {
					t.Errorf("%d: %s: %+v, want %s", i, c.criterion, v, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%d: no verdict %q", i, c.criterion)
		}
	}
	thunder := acceptKernels([]measure.Measurement{own, lib, fakeKernel("text", "thundersvm", 2, 1.4)})
	if v := thunder[2]; v.required != ">= 1.5x ThunderSVM" || v.state != failed {
		t.Errorf("ThunderSVM: %+v", v)
	}
}
