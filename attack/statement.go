package attack

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fenchel-ml/fenchel/attack/exact"
)

// statement draws what is asked about n rows.
func (r draw) statement(p *Problem, n int) {
	s := &p.Spec
	s.Bias = one(r, "", "free", "none", "feature")
	s.Scaling = one(r, "none", "none", "", "max", "std")
	if p.kernel != nil && p.kernel.Has("precomputed", "spectrum", "mismatch", "ssk", "wl", "random-walk") {
		s.Scaling = "none"
	}
	s.NoDual = r.chance(5)
	switch k := r.IntN(100); {
	case p.kernel != nil && k < 15:
		s.Radius = one(r, 1, r.power(-6, 6))
		if s.Bias == "free" && r.chance(80) {
			s.Bias = ""
		}
	case k < 25:
		s.Task, s.Slack = "classification", one(r, 0.1, r.power(-6, 4))
		return
	case p.kernel != nil && k < 40:
		r.withNu(p)
		return
	}
	s.Loss = r.loss(s.Task)
	if s.Radius == 0 {
		s.Penalty = one(r, "", "l2", "l2", "l1", "elastic-net", fmt.Sprintf("elastic-net:ratio=%g", r.Float64()), "nonnegative-l1", fmt.Sprintf("nonnegative:ratio=%g", r.Float64()))
		if p.kernel != nil {
			s.Penalty = ""
		}
		switch r.IntN(3) {
		case 0:
			s.Lambda = r.power(-8, 8)
		case 1:
			s.C = r.power(-8, 8)
		}
		if p.kernel != nil && !p.kernel.IsIndefinite() && r.chance(20) {
			s.Map = r.mapSpec()
		}
	}
	r.classes(p)
}

// withNu draws the share of rows beyond the margin.
func (r draw) withNu(p *Problem) {
	s := &p.Spec
	s.Task = one(r, "one-class", "classification", "regression")
	s.Nu, s.Bias = one(r, 0.1, 0.5, r.Float64(), r.power(-4, 0)), ""
	if s.Task == "regression" && r.chance(70) {
		s.Lambda = r.power(-6, 6)
	}
	if s.Task == "classification" {
		r.classes(p)
	}
}

// classes draws what only classes have.
func (r draw) classes(p *Problem) {
	s := &p.Spec
	if s.Task != "classification" {
		return
	}
	if r.chance(30) {
		s.Scheme = one(r, "one-against-rest", "one-against-one")
	}
	switch r.IntN(8) {
	case 0:
		s.Balanced = true
	case 1:
		s.ClassWeight = map[string]float64{one(r, "1", "a", "-1"): r.power(-3, 3)}
	}
}

// loss draws one for the task, with a parameter that may be extreme.
func (r draw) loss(task string) string {
	name := ""
	for all := slices.Sorted(maps.Keys(exact.LossDefaults)); ; {
		name = all[r.IntN(len(all))]
		twin, err := exact.NewLoss(name)
		if err == nil && twin.Margin == (task != "regression") || r.chance(2) {
			break
		}
	}
	if key := exact.LossDefaults[name].Key; key != "" && r.chance(50) {
		return fmt.Sprintf("%s:%s=%g", name, key, one(r, r.power(-3, 3), r.power(-20, 20), 1e-160))
	}
	return name
}
