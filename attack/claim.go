package attack

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/model"
)

// A claim is what a model says of one output, beside what the court finds.
type claim struct {
	solver string
	output int
	said   model.Certificate
	primal exact.Number // of the stored predictor
	off    float64
	dual   exact.Number // of the stored dual variables; nil: none
	a      []float64
	w      []float64
	bias   float64
}

// A Finding is a broken promise. Kind is a short name, one for each sort.
type Finding struct {
	Kind   string
	Solver string
	Detail string
}

func (f Finding) String() string { return fmt.Sprintf("%s (%s): %s", f.Kind, f.Solver, f.Detail) }

// examine recomputes what a model says.
func (c *court) examine(solver string, m *model.Model) (claims []claim, err error) {
	for output, o := range m.Outputs {
		w, bias, err := c.point(m, output)
		if err != nil {
			return nil, err
		}
		cl := claim{solver: solver, output: output, said: o.Certificate, w: w, bias: bias}
		cl.a, cl.dual = c.dual(m, output)
		cl.primal, cl.off = c.judges[output].Primal(w, bias)
		claims = append(claims, cl)
	}
	return claims, nil
}

// judgeOne says what is wrong with a claim by itself.
func judgeOne(j exact.Judge, c claim, goal float64) (found []Finding) {
	fail := func(kind, format string, args ...any) {
		found = append(found, Finding{kind, c.solver, fmt.Sprintf("output %d: ", c.output+1) + fmt.Sprintf(format, args...)})
	}
	primal, dual := float64(c.said.Primal), float64(c.said.Dual)
	if exact.IsFinite(primal) && exact.IsFinite(c.off) && c.off < math.MaxFloat64 {
		if d := math.Abs(exact.Float(exact.Sub(exact.Num(primal), c.primal))); d > c.off {
			fail("objective", "claimed %.17g, found %s, expected at most %.3g between", primal, exact.Describe(c.primal), c.off)
		}
	}
	if exact.IsFinite(dual) {
		if dual > primal {
			fail("negative-gap", "claimed the bound %.17g above the objective %.17g", dual, primal)
		}
		c.overclaims(j, fail)
	}
	if c.said.Status == "converged" {
		if gap := relative(exact.Num(primal), dual, c.said); !(gap <= goal*(1+1e-9)+1e-13) {
			fail("status", "converged with the claimed gap %g, expected at most %g", gap, goal)
		}
		// What was subtracted for rounding may be as large as the tolerance.
		loose := finiteOr(c.off/math.Max(math.Abs(exact.Float(c.primal)), math.Abs(dual)), 0)
		if gap := relative(c.primal, dual, c.said); !(gap <= goal*1.001+1e-12+loose) {
			fail("unproved", "converged, but the gap of the stored predictor is %g, expected at most %g", gap, goal)
		}
	}
	return found
}

// overclaims compares the bound with the value of the stored dual variables, or of
// the best multiple of them: the program may shrink them further than it must.
func (c claim) overclaims(j exact.Judge, fail func(kind, format string, args ...any)) {
	if s, ok := j.(*exact.Slack); ok && s.Linear || c.dual == nil {
		return
	}
	dual := float64(c.said.Dual)
	above := func(found exact.Number) bool {
		slop := 1e-9*math.Max(math.Abs(dual), math.Abs(exact.Float(found))) + c.off
		return exact.Float(exact.Sub(exact.Num(dual), found)) > slop
	}
	if above(c.dual) && above(bestMultiple(j, c.a)) && above(bestMultiple(j, j.Rounded(c.a))) {
		fail("overclaim", "claimed the bound %.17g, the stored dual variables give %s", dual, exact.Describe(c.dual))
	}
}

// bestMultiple returns the largest value of the dual, which is concave, between 0
// and a.
func bestMultiple(j exact.Judge, a []float64) exact.Number {
	at := func(t float64) exact.Number {
		moved := make([]float64, len(a))
		for i, x := range a {
			moved[i] = t * x
		}
		if value := j.Dual(moved); value != nil {
			return value
		}
		return exact.Num(math.Inf(-1))
	}
	best := exact.Largest(at(0), at(1))
	for _, e := range []float64{1e-12, 1e-9, 1e-6, 1e-3} {
		best = exact.Largest(best, at(1-e))
	}
	lo, hi := 0.0, 1.0
	for range 60 {
		left, right := at(lo+(hi-lo)/3), at(hi-(hi-lo)/3)
		best = exact.Largest(best, exact.Largest(left, right))
		if exact.Less(left, right) {
			lo += (hi - lo) / 3
		} else {
			hi -= (hi - lo) / 3
		}
	}
	return best
}

// relative is the gap as --gap means it.
func relative(primal exact.Number, dual float64, said model.Certificate) float64 {
	if !exact.IsFinite(dual) {
		return math.Inf(1)
	}
	gap := exact.Sub(primal, exact.Num(dual))
	if gap.Sign() == 0 {
		return 0
	}
	size := exact.Largest(exact.Largest(exact.Abs(primal), exact.Abs(exact.Num(dual))), exact.Num(1e-12*math.Abs(finiteOr(float64(said.Zero), 0))))
	return exact.Float(exact.Quo(gap, size))
}

func finiteOr(x, other float64) float64 {
	if exact.IsFinite(x) {
		return x
	}
	return other
}

// compare looks for bounds of one solver that are above what another reached: of
// two such claims the bound is a false proof.
func compare(claims []claim) (found []Finding) {
	best := map[int]claim{}
	for _, c := range claims {
		if b, ok := best[c.output]; !ok || exact.Less(c.primal, b.primal) {
			best[c.output] = c
		}
	}
	for _, c := range claims {
		b, dual := best[c.output], float64(c.said.Dual)
		if exact.IsFinite(dual) && above(dual, b.primal) {
			found = append(found, Finding{"false-proof", c.solver, fmt.Sprintf("output %d: claimed the bound %.17g, but %s reached %s", c.output+1, dual, b.solver, exact.Describe(b.primal))})
		}
	}
	return found
}

// above reports whether a bound is above an objective by more than the rounding
// of what states the problem: the sum of row weights, and the lambda of a pair.
func above(bound float64, objective exact.Number) bool {
	slop := exact.Mul(exact.Num(1e-15), exact.Abs(objective))
	return exact.Num(bound).Cmp(exact.Add(objective, slop)) > 0
}

// verify asks the program itself.
func verify(solver string, m *model.Model, p *Problem) []Finding {
	v, err := fenchel.Verify(context.Background(), m, p.Set, fenchel.Options{Threads: 1})
	if err != nil {
		return []Finding{{"verify", solver, err.Error()}}
	}
	if len(v.Problems) > 0 {
		return []Finding{{"verify", solver, v.Problems[0]}}
	}
	return nil
}
