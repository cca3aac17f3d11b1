package cluster

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
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

	digests []set.RowDigest // of the rows, in order

	draft    *Draft
	problems []*problem.Linear
	locals   []*dual.Local
	round    int // requests that changed something
	last     *Answer
}

// Answer answers a request.
func (p *Place) Answer(q *Request) (*Answer, error) {
	switch q.Verb {
	case "describe":
		return p.describe()
	case "begin":
		return p.begin(q.Draft)
	case "resume":
		return &Answer{}, p.resume(q.Memory[p.number])
	case "memory":
		raw, err := p.memory()
		return &Answer{Memory: raw}, err
	}
	if p.draft == nil {
		return nil, fmt.Errorf("place %d: found the request %s before any problem, expected begin", p.number, q.Verb)
	}
	of, ok := map[string]func(c int, w *Work, out *Output) error{
		"round": p.roundOf, "units": p.unitsOf, "shares": p.shareOf, "curve": p.curveOf, "duals": p.dualsOf,
	}[q.Verb]
	if !ok {
		return nil, registry.Unknown("request", q.Verb, []string{"describe", "begin", "resume", "memory", "round", "units", "shares", "curve", "duals"})
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
	s.Buckets = map[int][]byte{}
	for lo := 0; lo < len(p.digests); {
		hi := lo
		for hi < len(p.digests) && p.digests[hi].Bucket() == p.digests[lo].Bucket() {
			hi++
		}
		digest := set.BucketDigest(p.digests[lo:hi])
		s.Buckets[p.digests[lo].Bucket()] = digest[:]
		lo = hi
	}
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
	return a, nil
}

// conjugatesAtZero returns the weighted sum of the conjugates at dual variables 0.
func conjugatesAtZero(p *problem.Linear) (sum float64) {
	for i, y := range p.Y {
		sum += float64(p.S[i] * p.Loss.Conjugate(0, y))
	}
	return sum
}

// roundOf makes a round of dual ascent, or says what a step in the weights needs.
func (p *Place) roundOf(c int, w *Work, out *Output) error {
	if w.Slopes {
		return p.curveOf(c, w, out)
	}
	out.Change = p.locals[c].Round(w.Round)
	out.Total, out.Largest = p.problems[c].Sizes(p.locals[c].Duals())
	return nil
}

// dualVariables are those of the last round, of which a share of the moves stays, or the slopes of the losses at w.
func (p *Place) dualVariables(c int, w *Work) []float64 {
	if !w.Slopes {
		p.locals[c].Settle(w.Theta)
		return p.locals[c].Duals()
	}
	l := p.problems[c]
	a, bent := make([]float64, len(l.Y)), make([]float64, len(l.Y))
	l.Predict(a, w.W)
	loss.DifferentiateTo(l.Loss.(loss.Curved), a, bent, a, l.Y)
	return a
}

// unitsOf counts dual variables in units.
func (p *Place) unitsOf(c int, w *Work, out *Output) error {
	u := p.problems[c].Units(p.dualVariables(c, w), w.Units)
	out.Units = problem.Target{Plus: u.Plus, Minus: u.Minus}
	return nil
}

// shareOf states the share of a certificate.
func (p *Place) shareOf(c int, w *Work, out *Output) error {
	l, a := p.problems[c], p.dualVariables(c, w)
	var units *problem.Units
	var target problem.Target
	if l.Bias == problem.Free {
		units, target = l.Units(a, w.Units), w.Target[p.number]
	}
	out.Share = l.Share(w.W, a, units, target)
	return nil
}

// dualsOf returns the dual variables.
func (p *Place) dualsOf(c int, w *Work, out *Output) error {
	out.Duals = p.dualVariables(c, w)
	return nil
}

// A Curve is the average loss near some weights: gradient and, for Newton's method, the Hessian, of which the lower triangle
// counts, by rows; with a bias a last column.
type Curve struct{ Gradient, Hessian dual.Numbers }

// curveOf states the average loss near some weights.
func (p *Place) curveOf(c int, w *Work, out *Output) error {
	l := p.problems[c]
	n := len(l.Y)
	a, bent, v := make([]float64, n), make([]float64, n), make([]float64, n)
	l.Predict(a, w.W)
	loss.DifferentiateTo(l.Loss.(loss.Curved), a, bent, a, l.Y)
	for i, s := range l.S {
		v[i] = s * a[i] / l.N
		bent[i] *= s / l.N
	}
	out.Curve = &Curve{}
	out.Curve.Gradient, _ = l.Combine(v)
	if p.draft.Beta == nil {
		out.Curve.Hessian = hessian.New(l, nil).Sum(l, bent)
	}
	out.Total, out.Largest = l.Sizes(a)
	return nil
}

// A memory is all that a place knows beside its rows.
type memory struct {
	Draft  *Draft
	Round  int
	Locals []dual.Memory
	Last   *Answer
}

// memory returns it in bytes.
func (p *Place) memory() ([]byte, error) {
	m := memory{Draft: p.draft, Round: p.round, Last: p.last}
	for _, l := range p.locals {
		m.Locals = append(m.Locals, l.Memory())
	}
	return encode(m)
}

// resume goes on from a memory.
func (p *Place) resume(raw []byte) error {
	var m memory
	if err := decode(raw, &m); err != nil {
		return err
	}
	if _, err := p.begin(m.Draft); err != nil {
		return err
	}
	for c, l := range p.locals {
		l.Resume(m.Locals[c])
	}
	p.round, p.last = m.Round, m.Last
	return nil
}
