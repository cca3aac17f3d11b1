package pose

import (
	"slices"

	"github.com/fenchel-ml/fenchel/problem"
)

// Objective is the problem of one output, with the part of it that problems of
// all families have. Its rows may be some of those of the data.
type Objective struct {
	problem.Problem
	*problem.Risk
	joint  *problem.JointRisk // of all classes; nil: of one prediction
	Family Family
	Rows   []uint32 // which; nil: all
	all    int      // rows of the data
}

// Certify judges a point of all rows.
func (o Objective) Certify(p problem.Point) problem.Certificate {
	return o.Problem.Certify(o.Restrict(p))
}

// Inside returns the point that the certificate of p is about, p itself if it is.
func (o Objective) Inside(p problem.Point) problem.Point {
	bounded, ok := o.Problem.(problem.Bounded)
	if !ok {
		return p
	}
	part := o.Restrict(p)
	w := bounded.Inside(part.W)
	if &w[0] == &part.W[0] {
		return p
	}
	part.W = w
	return o.Extend(part)
}

// Restrict takes what belongs to the rows of the problem out of a point of all rows;
// lift puts it there, with zeros for the others.
func (o Objective) Restrict(p problem.Point) problem.Point {
	if o.Rows == nil {
		return p
	}
	if _, ok := o.Family.(MachineFamily); ok {
		p.W = append(Select(p.W, o.Rows), p.W[o.all])
	}
	if p.A != nil {
		p.A = Select(p.A, o.Rows)
	}
	return p
}

func (o Objective) Extend(p problem.Point) problem.Point {
	if o.Rows == nil {
		return p
	}
	spread := func(part []float64, n int) []float64 {
		all := make([]float64, n)
		for k, i := range o.Rows {
			all[i] = part[k]
		}
		return all
	}
	if _, ok := o.Family.(MachineFamily); ok {
		bias := p.W[len(o.Rows)]
		p.W = spread(p.W, o.all+1)
		p.W[o.all] = bias
	}
	if p.A != nil {
		p.A = spread(p.A, o.all)
	}
	return p
}

// Outside returns the first row that the problem is not about but that has a coefficient
// in a point of all rows, -1 if there is none.
func (o Objective) Outside(w []float64) int {
	if _, machine := o.Family.(MachineFamily); !machine || o.Rows == nil {
		return -1
	}
	inside := make([]bool, o.all)
	for _, i := range o.Rows {
		inside[i] = true
	}
	for i, x := range w[:o.all] {
		if x != 0 && !inside[i] {
			return i
		}
	}
	return -1
}

// Classifier returns the point of a problem with slack in units of its margin, and the
// certificate of what that stands for.
func (o Objective) Classifier(p problem.Point, c problem.Certificate) (problem.Point, problem.Certificate) {
	for step := 0x1p-53; ; step *= 2 { // once, but for an objective between two numbers of single precision, or coefficients that cancel
		unit := problem.MarginUnit(c.Primal)
		w := Scaled(1/unit, p.W)
		again := problem.Point{W: o.Point(w, c.Primal), A: p.A}
		found := o.Certify(again)
		inside := o.Inside(again)
		if &inside.W[0] == &again.W[0] && problem.MarginUnit(found.Primal) == unit {
			return problem.Point{W: w, A: p.A}, found
		}
		p.W = Scaled(max(0.5, 1-step), inside.W)
		c = o.Certify(p)
	}
}

// Point returns the point that weights of a model stand for, of which the objective is
// claimed to be primal.
func (o Objective) Point(w []float64, primal float64) []float64 {
	switch o.Problem.(type) {
	case *problem.Slack, *problem.LinearSlack:
	default:
		return w
	}
	unit := problem.MarginUnit(primal)
	point := make([]float64, len(w))
	for i, x := range w {
		point[i] = unit * x
	}
	return point
}

// Size is how many numbers a point of all rows has as weights.
func (o Objective) Size() int {
	if _, machine := o.Family.(MachineFamily); machine && o.Rows != nil {
		return o.all + 1
	}
	_, cols := o.Dims()
	return cols + 1
}

// Biased reports whether predictors may have a bias.
func (o Objective) Biased() bool {
	f, _ := o.Family.(LinearFamily)
	return o.Bias != problem.None || f.constant != 0
}

// DualOf returns the dual variables of all rows that say the same as the coefficients of a
// kernel machine where C is so many times smaller.
func (o Objective) DualOf(w []float64, growth float64) []float64 {
	a := slices.Clone(o.Restrict(problem.Point{W: w}).W[:len(o.Y)])
	for i, beta := range a {
		lo, hi := o.Loss.Domain(o.Y[i])
		a[i] = min(max(-beta*(growth*o.Lambda*o.N/o.S[i]), lo), hi)
	}
	return o.Extend(problem.Point{W: make([]float64, len(a)+1), A: a}).A
}

// Derivatives returns the dual point that weights of all rows themselves suggest:
// with nu the one that they belong to, as the loss's level is not among them.
func (o Objective) Derivatives(w []float64) []float64 {
	if p, ok := o.Problem.(*problem.Nu); ok {
		a := slices.Clone(o.Restrict(problem.Point{W: w}).W)
		for i, beta := range a[:p.Len()] {
			a[i] = -beta * (p.Lambda * p.N / p.S[i])
		}
		return o.Extend(problem.Point{W: a, A: a[:p.Len()]}).A
	}
	if o.joint != nil {
		return o.JointDerivatives(w)
	}
	a := make([]float64, len(o.Y))
	o.Family.Predict(a, o.Restrict(problem.Point{W: w}).W)
	for i, y := range o.Y {
		a[i] = o.Loss.Derivative(a[i], y)
	}
	return o.Extend(problem.Point{W: w, A: a}).A
}
