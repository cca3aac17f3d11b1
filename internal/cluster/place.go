package cluster

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/internal/solve/hessian"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// A Place has some of the rows.
type Place struct {
	set     *data.Set
	threads int
	number  int // in the order of the places

	draft    *Draft
	problems []*problem.Linear
	locals   []*dual.Local
	duals    [][]float64 // of Newton's method, at the last weights
	units    []*problem.Units
	round    int // requests that changed something
	last     *Answer
}

// NewPlace is for the rows of a set, which is place number so many.
func NewPlace(set *data.Set, number, threads int) *Place {
	return &Place{set: set, number: number, threads: threads}
}

// Answer answers a request.
func (p *Place) Answer(q *Request) (*Answer, error) {
	switch q.Verb {
	case "describe":
		return p.describe()
	case "begin":
		return p.begin(q.Draft)
	}
	if p.draft == nil {
		return nil, fmt.Errorf("place %d: found the request %s before any problem, expected begin", p.number, q.Verb)
	}
	of, ok := map[string]func(c int, w *Work, out *Output) error{
		"round": p.roundOf, "units": p.unitsOf, "shares": p.shareOf, "curve": p.curveOf, "slopes": p.slopesOf, "duals": p.dualsOf,
	}[q.Verb]
	if !ok {
		return nil, registry.Unknown("request", q.Verb, []string{"describe", "begin", "round", "units", "shares", "curve", "slopes", "duals"})
	}
	if q.Verb == "round" && q.Round == p.round && p.last != nil {
		return p.last, nil
	}
	a := &Answer{Output: make([]Output, len(q.Work))}
	for c := range q.Work {
		if !q.Work[c].Skip {
			if err := of(c, &q.Work[c], &a.Output[c]); err != nil {
				return nil, err
			}
		}
	}
	if q.Verb == "round" {
		p.round, p.last = q.Round, a
	}
	return a, nil
}

// describe sums up the rows.
func (p *Place) describe() (*Answer, error) {
	if err := pose.CheckSet(p.set); err != nil {
		return nil, err
	}
	n, d := p.set.X.Dims()
	weights := pose.OrOnes(p.set.Weight, n)
	_, sparse := p.set.X.(*matrix.CSR)
	s := &Summary{Rows: n, Cols: d, Nonzeros: matrix.Nonzeros(p.set.X), Sparse: sparse, Numbers: p.set.Target.Number != nil, Weight: pose.Sum(weights), Users: make([]float64, d+1)}
	if t := p.set.Target; t.Code != nil {
		s.Labels, s.Counts = t.Label, make([]float64, len(t.Label))
		for i, c := range t.Code {
			s.Counts[c] += weights[i]
		}
	}
	rows := problem.NewRows(p.set.X, p.threads)
	s.Squares = rows.ColumnNorms()
	for j, norm := range s.Squares {
		s.Squares[j] = norm * norm
	}
	for _, x := range rows.SquaredNorm {
		s.SquaredNorms += x
	}
	for i := range n {
		x := p.set.X.Row(i)
		for k := range x.Value {
			s.Users[x.Column(k)]++
		}
	}
	s.Users[d] = float64(n)
	return &Answer{Summary: s}, nil
}

// begin states the problem of each output.
func (p *Place) begin(d *Draft) (*Answer, error) {
	p.draft, p.problems, p.locals, p.round, p.last = d, nil, nil, 0, nil
	posed, err := pose.Restate(&model.Model{Statement: d.Statement, Classes: d.Classes}, p.set, p.threads)
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	for c := range posed.Labels.Outputs() {
		o, err := posed.Output(c)
		if err != nil {
			return nil, err
		}
		l, ok := o.Problem.(*problem.Linear)
		if !ok {
			return nil, fmt.Errorf("found the problem %T, expected that of a linear model", o.Problem)
		}
		l = l.Within(d.N[c])
		p.problems = append(p.problems, l)
		out := Output{Zero: l.Zero(), Conjugate: conjugatesAtZero(l)}
		if d.Beta != nil {
			group := d.Group
			if !penalty.IsRidge(l.Penalty) {
				group = nil
			}
			p.locals = append(p.locals, dual.NewLocal(l, d.Statement.Seed+uint64(p.number)*0x9e3779b97f4a7c15, d.Beta[c], group))
		}
		a.Output = append(a.Output, out)
	}
	p.units, p.duals = make([]*problem.Units, len(p.problems)), make([][]float64, len(p.problems))
	return a, nil
}

// conjugatesAtZero returns the weighted sum of the conjugates at dual variables 0.
func conjugatesAtZero(p *problem.Linear) (sum float64) {
	for i, y := range p.Y {
		sum += float64(p.S[i] * p.Loss.Conjugate(0, y))
	}
	return sum
}

// roundOf makes a round of dual ascent.
func (p *Place) roundOf(c int, w *Work, out *Output) error {
	out.Change = p.locals[c].Round(w.Round)
	out.Total, out.Largest = p.problems[c].Sizes(p.locals[c].Duals())
	return nil
}

// dualVariables are those of the last request, of which a share of the moves stays.
func (p *Place) dualVariables(c int) []float64 {
	if p.locals != nil {
		return p.locals[c].Duals()
	}
	return p.duals[c]
}

// unitsOf counts dual variables in units.
func (p *Place) unitsOf(c int, w *Work, out *Output) error {
	if p.locals != nil {
		p.locals[c].Settle(w.Theta)
	}
	p.units[c] = p.problems[c].Units(p.dualVariables(c), w.Units)
	out.Units = problem.Target{Plus: p.units[c].Plus, Minus: p.units[c].Minus}
	return nil
}

// shareOf states the share of a certificate.
func (p *Place) shareOf(c int, w *Work, out *Output) error {
	l := p.problems[c]
	if p.locals != nil {
		p.locals[c].Settle(w.Theta)
	}
	a, target := p.dualVariables(c), problem.Target{}
	units := p.units[c]
	if l.Bias == problem.Free {
		target = w.Target[p.number]
		units = l.Units(a, w.Units) // those of the request before may be used up
	}
	out.Share = l.Share(w.W, a, units, target)
	return nil
}

// dualsOf returns the dual variables.
func (p *Place) dualsOf(c int, _ *Work, out *Output) error {
	out.Duals = p.dualVariables(c)
	return nil
}

// slopesOf returns derivatives of the average loss along a direction.
func (p *Place) slopesOf(c int, w *Work, out *Output) error {
	l := p.problems[c]
	curved := l.Loss.(loss.Curved)
	n := len(l.Y)
	at, along := make([]float64, n), make([]float64, n)
	l.Predict(at, w.W)
	l.Predict(along, w.D)
	prediction, first, second := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, t := range w.T {
		for i := range prediction {
			prediction[i] = at[i] + float64(t*along[i])
		}
		loss.DifferentiateTo(curved, first, second, prediction, l.Y)
		var one, two float64
		for i, s := range l.S {
			one += float64(s * first[i] * along[i])
			two += float64(s * second[i] * along[i] * along[i])
		}
		out.First, out.Second = append(out.First, one/l.N), append(out.Second, two/l.N)
	}
	return nil
}

// A Curve is the average loss near some weights: value, gradient and Hessian, of which the lower triangle counts, by rows; with a
// bias a last column.
type Curve struct {
	Gradient, Hessian []float64
}

// curveOf states the average loss near some weights.
func (p *Place) curveOf(c int, w *Work, out *Output) error {
	l := p.problems[c]
	n := len(l.Y)
	prediction, a, bent, v := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	l.Predict(prediction, w.W)
	loss.DifferentiateTo(l.Loss.(loss.Curved), a, bent, prediction, l.Y)
	for i, s := range l.S {
		v[i] = s * a[i] / l.N
		bent[i] *= s / l.N
	}
	p.duals[c] = a
	out.Curve = &Curve{}
	out.Curve.Gradient, _ = l.Combine(v)
	out.Curve.Hessian = hessian.New(l, nil).Sum(l, bent)
	out.Total, out.Largest = l.Sizes(a)
	return nil
}
