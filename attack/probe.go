package attack

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/model"
)

// probes is how many points of each problem are put before its certificate.
const probes = 4

// probe asks the program for the certificate of a point that no solver would make:
// what it then proves must be true all the same. verify recomputes certificates of
// whatever a model holds, and says what it found.
func (t *trial) probe() {
	s := t.models[t.draw.IntN(len(t.models))]
	m, err := model.Decode(s.bytes)
	if err != nil {
		return
	}
	for c := range m.Outputs {
		t.draw.spoil(&m.Outputs[c])
		if t.court.kernel != nil { // of rows outside of a pair nothing else is known
			t.keepMembers(m, c)
		}
	}
	var v *fenchel.Verification
	t.guarded("a point of random numbers", len(s.bytes)+t.proving(), func() { v, err = fenchel.Verify(context.Background(), m, t.problem.Set, fenchel.Options{Threads: 1}) })
	if err == nil && v != nil && len(v.Problems) > 0 {
		t.judgeProbe(s.solver, m, v.Found)
	}
}

// keepMembers sets the coefficients of rows that an output does not learn from to 0.
func (t *trial) keepMembers(m *model.Model, c int) {
	member := make([]bool, t.court.rows)
	for _, i := range t.court.members[c] {
		member[i] = true
	}
	for k, i := range m.Support.Index {
		if !member[i] {
			m.Outputs[c].Weights[k] = 0
		}
	}
}

// spoil changes weights and dual variables to numbers of any size.
func (r draw) spoil(o *model.Output) {
	if r.chance(60) {
		r.disturb(o.Weights)
	}
	if r.chance(20) && o.Bias != 0 {
		o.Bias = r.NormFloat64() * r.power(-10, 10)
	}
	if o.Dual != nil {
		r.disturb(o.Dual)
	}
}

// disturb changes all numbers in one of several ways.
func (r draw) disturb(x []float64) {
	way, size := r.IntN(7), r.power(-20, 20)
	for i, v := range x {
		switch way {
		case 0:
			x[i] = size * r.NormFloat64()
		case 1:
			x[i] = size * v
		case 2:
			x[i] = v * (1 + 1e-3*r.NormFloat64())
		case 3:
			x[i] = r.sign() * r.power(-320, 150)
		case 4:
			x[i] = one(r, v, 0, 1, -1, math.SmallestNonzeroFloat64, -1e-310, 1-0x1p-53, -1+0x1p-53)
		case 5:
			x[i] = one(r, v, v, v, -v, v*0x1p-40)
		}
	}
}

// judgeProbe compares a certificate with what is known of the problem.
func (t *trial) judgeProbe(solver string, m *model.Model, found fenchel.Summary) {
	t.tally.Certificates++
	if claims, err := t.court.examine("a point of random numbers", m); err == nil {
		t.reached = append(t.reached, claims...)
	}
	least, primal, doubts := exact.Zero(), exact.Zero(), 0.0
	for c, j := range t.court.lenient {
		w, bias, err := t.court.point(m, c)
		if err != nil {
			return
		}
		p, off := j.Primal(w, bias)
		primal, doubts = exact.Add(primal, p), doubts+off
		var best exact.Number
		for _, cl := range append(t.claims, t.reached...) {
			if cl.output == c && (best == nil || exact.Less(cl.primal, best)) {
				best = cl.primal
			}
		}
		if best == nil {
			return
		}
		least = exact.Add(least, best)
	}
	fail := func(kind, format string, args ...any) {
		if t.court.indefinite() {
			kind += indefinite
		}
		t.fail(kind, solver, "%s", fmt.Sprintf(format, args...)+fmt.Sprintf(" (weights %.17g, dual variables %.17g)", m.Outputs[0].Weights, m.Outputs[0].Dual))
	}
	if exact.IsFinite(found.Dual) && above(found.Dual, least) {
		fail("false-proof", "a point of random numbers has the bound %.17g, but %s was reached", found.Dual, exact.Describe(least))
	}
	if exact.IsFinite(found.Dual) && found.Dual > found.Primal {
		fail("negative-gap", "a point of random numbers has the bound %.17g above its objective %.17g", found.Dual, found.Primal)
	}
	if d := math.Abs(exact.Float(exact.Sub(exact.Num(finiteOr(found.Primal, 0)), primal))); exact.IsFinite(found.Primal) && exact.IsFinite(doubts) && d > doubts+0x1p-1040 { // what underflows
		fail("objective", "a point of random numbers has the objective %.17g, expected %s, at most %.3g between", found.Primal, exact.Describe(primal), doubts)
	}
}
