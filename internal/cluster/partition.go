package cluster

import (
	"errors"
	"fmt"
	"slices"

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

// A Partition has some of the rows.
type Partition struct {
	set     *data.Set
	threads int
	number  int // in the order of the partitions

	digests []set.RowDigest // of the rows, in order

	draft    *Draft
	problems []*problem.Linear
	locals   []*dual.Local
	round    int // requests that changed something
	last     *Answer

	seen *seen // rows for products; nil: none were asked for
}

// Answer answers a request.
func (p *Partition) Answer(q *Request) (*Answer, error) {
	if lookups[q.Verb] != nil {
		return p.look(q)
	}
	switch q.Verb {
	case "describe":
		return p.describe(q.View)
	case "scores":
		return p.scores(q.Model)
	case "begin":
		return p.begin(q.Draft)
	case "resume":
		return &Answer{}, p.resume(q.Memory[p.number], q.Run)
	case "memory":
		raw, err := p.memory()
		return &Answer{Memory: raw}, err
	}
	if p.draft == nil {
		return nil, fmt.Errorf("found the request %s before any problem, expected begin", q.Verb)
	}
	of, ok := map[string]func(c int, w *Work, out *Output) error{
		"round": p.roundOf, "units": p.unitsOf, "shares": p.shareOf, "curve": p.curveOf, "duals": p.dualsOf,
	}[q.Verb]
	if !ok {
		return nil, registry.Unknown("request", q.Verb, []string{"describe", "scores", "begin", "resume", "memory", "round", "units", "shares", "curve", "duals"})
	}
	if q.Verb == "round" && q.Round == p.round && p.last != nil {
		return p.last, nil
	}
	if err := p.check(q); err != nil {
		return nil, err
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

// looker returns what lookups see.
func (p *Partition) looker() looker { return looker{p.set, p.threads, &p.seen} }

// look answers such a request.
func (p *Partition) look(q *Request) (*Answer, error) {
	_, d := p.set.X.Dims()
	if err := q.View.check(d); err != nil {
		return nil, fmt.Errorf("%s: %w", q.Verb, err)
	}
	if q.Verb != "moments" && q.Verb != "columns" && slices.ContainsFunc(p.set.Weight, func(w float64) bool { return w != 1 }) {
		return nil, pose.DataError{Reason: "found row weights, which components have no use for"}
	}
	return lookups[q.Verb](p.looker(), q.View)
}

// check says why a partition cannot answer a request.
func (p *Partition) check(q *Request) error {
	if len(q.Work) != len(p.problems) {
		return fmt.Errorf("found work for %d predictors, expected %d", len(q.Work), len(p.problems))
	}
	if q.Verb == "round" && q.Round < 1 {
		return fmt.Errorf("found the round %d, expected 1 at least", q.Round)
	}
	for c := range q.Work {
		if w := &q.Work[c]; !w.Skip {
			if err := p.checkWork(q.Verb, c, w); err != nil {
				return fmt.Errorf("%s of predictor %d: %w", q.Verb, c+1, err)
			}
		}
	}
	return nil
}

func (p *Partition) checkWork(verb string, c int, w *Work) error {
	l := p.problems[c]
	_, d := l.Dims()
	_, curved := l.Loss.(loss.Curved)
	slopes := w.Slopes || verb == "curve" || w.Duals != nil
	switch {
	case verb == "curve" && !curved || verb == "round" && w.Slopes && !curved:
		return errors.New("found a request for slopes, expected a loss that has curvatures")
	case w.Duals != nil && len(w.Duals) <= p.number:
		return fmt.Errorf("found the dual variables of %d partitions, expected those of partition %d too", len(w.Duals), p.number+1)
	case w.Duals != nil && vectorOf("dual variables", w.Duals[p.number], len(l.Y)) != nil:
		return vectorOf("dual variables", w.Duals[p.number], len(l.Y))
	case !slopes && p.locals == nil:
		return errors.New("found a request for dual variables, expected a problem that has them")
	case verb == "round" && !slopes:
		return p.locals[c].Check(w.Round)
	case !slopes && !(w.Theta >= 0):
		return fmt.Errorf("found the share %g of a round, expected 0 at least", w.Theta)
	case w.Units < -mostUnits || w.Units > mostUnits:
		return fmt.Errorf("found units of 2^%d, expected at most 2^%d", w.Units, mostUnits)
	case verb == "shares" && l.Bias == problem.Free && len(w.Target) <= p.number:
		return fmt.Errorf("found the sums for %d partitions, expected those of partition %d too", len(w.Target), p.number+1)
	case slopes || verb == "shares":
		return vectorOf("weights", w.W, d+1)
	}
	return nil
}

// describe sums up the rows: their numbers, and of the columns, scaled, how they are used and how long they are.
func (p *Partition) describe(v *View) (*Answer, error) {
	if err := pose.CheckSet(p.set); err != nil {
		return nil, err
	}
	scaled, err := p.looker().scaled(v)
	if err != nil {
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
	rows := problem.NewRows(scaled, p.threads)
	s.Squares = rows.ColumnNorms()
	for j, norm := range s.Squares {
		s.Squares[j] = norm * norm
	}
	for _, x := range rows.SquaredNorm {
		s.SquaredNorms += x
	}
	for i := range n {
		x := scaled.Row(i)
		for k := range x.Value {
			s.Users[x.Column(k)]++
			if x.Value[k] != 0 {
				s.Present++
			}
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

// scores tells what a model says of the rows.
func (p *Partition) scores(raw []byte) (*Answer, error) {
	m, err := model.Decode(raw)
	if err == nil {
		err = pose.CheckPair(m, p.set)
	}
	if _, d := p.set.X.Dims(); err == nil && d != m.Cols() {
		err = fmt.Errorf("found rows of %d features, expected %d", d, m.Cols())
	}
	if err != nil {
		return nil, err
	}
	x, err := m.Prepare(p.set.X)
	if err != nil {
		return nil, err
	}
	t := p.set.Target
	return &Answer{Scored: &Scored{Scores: slices.Concat(model.Scores(m, x, p.threads)...), Label: t.Label, Code: t.Code, Number: t.Number, Weight: p.set.Weight}}, nil
}

// begin states the problem of each output, and forgets all that was before.
func (p *Partition) begin(d *Draft) (*Answer, error) {
	p.draft, p.problems, p.locals, p.round, p.last = nil, nil, nil, 0, nil
	if err := d.check(p.set.Rows()); err != nil {
		return nil, err
	}
	scaling, err := d.scaling(p.set.Cols())
	if err != nil {
		return nil, err
	}
	posed, err := pose.Restate(&model.Model{Statement: d.Statement, Classes: d.Classes, Scaling: scaling}, p.set, p.threads)
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
		if err := knows(l.Loss, l.Penalty); err != nil {
			return nil, err
		}
		if !(d.N[c] > 0) {
			return nil, fmt.Errorf("found the sum %g of row weights, expected one above 0", d.N[c])
		}
		l = l.Within(d.N[c])
		p.problems = append(p.problems, l)
		out := Output{Zero: l.Zero(), Conjugate: conjugatesAtZero(l)}
		if d.Beta != nil {
			group := d.Group
			if !penalty.IsRidge(l.Penalty) {
				group = nil
			}
			local, err := dual.NewLocal(l, d.Statement.Seed+uint64(p.number)*0x9e3779b97f4a7c15, d.Beta[c], group)
			if err != nil {
				return nil, err
			}
			p.locals = append(p.locals, local)
		}
		a.Output = append(a.Output, out)
	}
	p.draft = d
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
func (p *Partition) roundOf(c int, w *Work, out *Output) error {
	if w.Slopes {
		return p.curveOf(c, w, out)
	}
	out.Change = p.locals[c].Round(w.Round)
	out.Total, out.Largest = p.problems[c].Sizes(p.locals[c].Duals())
	return nil
}

// dualVariables are those of the last round, of which a share of the moves stays, others that are told, or the slopes of the losses at w.
func (p *Partition) dualVariables(c int, w *Work) []float64 {
	if w.Duals != nil {
		return w.Duals[p.number]
	}
	if !w.Slopes {
		p.locals[c].Settle(w.Theta)
		return p.locals[c].Duals()
	}
	l := p.problems[c]
	a := make([]float64, len(l.Y))
	l.Predict(a, w.W)
	curved, ok := l.Loss.(loss.Curved)
	if ok {
		loss.DifferentiateTo(curved, a, make([]float64, len(a)), a, l.Y)
		return a
	}
	for i, y := range l.Y {
		a[i] = l.Loss.Derivative(a[i], y)
	}
	return a
}

// unitsOf counts dual variables in units.
func (p *Partition) unitsOf(c int, w *Work, out *Output) error {
	a := p.dualVariables(c, w)
	out.Total, out.Largest = p.problems[c].Sizes(a)
	u := p.problems[c].Units(a, w.Units)
	out.Units = problem.Target{Plus: u.Plus, Minus: u.Minus}
	return nil
}

// shareOf states the share of a certificate.
func (p *Partition) shareOf(c int, w *Work, out *Output) error {
	l, a := p.problems[c], p.dualVariables(c, w)
	var units *problem.Units
	var target problem.Target
	if l.Bias == problem.Free {
		units, target = l.Units(a, w.Units), w.Target[p.number]
		if target.Plus > units.Plus || target.Minus > units.Minus {
			return fmt.Errorf("found the sums %d and %d to be kept of units, expected at most %d and %d", target.Plus, target.Minus, units.Plus, units.Minus)
		}
	}
	out.Share = l.Share(w.W, a, units, target)
	return nil
}

// dualsOf returns the dual variables.
func (p *Partition) dualsOf(c int, w *Work, out *Output) error {
	out.Duals = p.dualVariables(c, w)
	return nil
}

// curveOf states the average loss near some weights.
func (p *Partition) curveOf(c int, w *Work, out *Output) error {
	l := p.problems[c]
	n := len(l.Y)
	a, bent, v := make([]float64, n), make([]float64, n), make([]float64, n)
	l.Predict(a, w.W)
	out.Curve = &Curve{}
	loss.ValueTo(l.Loss, v, bent, a, l.Y, make([]float64, n))
	for i, s := range l.S {
		out.Curve.Loss += float64(s * v[i] / l.N)
	}
	loss.DifferentiateTo(l.Loss.(loss.Curved), a, bent, a, l.Y)
	for i, s := range l.S {
		v[i] = s * a[i] / l.N
		bent[i] = float64(bent[i] * (s / l.N))
		out.Curve.Bend += bent[i]
	}
	out.Curve.Gradient, _ = l.Combine(v)
	if p.draft.Beta == nil {
		out.Curve.Hessian = hessian.New(l, nil).Sum(l, bent)
	}
	out.Total, out.Largest = l.Sizes(a)
	return nil
}

// A memory is the state of a partition: all but its rows.
type memory struct {
	Partition, Round int
	Draft            *Draft
	Locals           []dual.Memory
	Last             *Answer
}

// memory returns it in bytes.
func (p *Partition) memory() ([]byte, error) {
	m := memory{Partition: p.number, Draft: p.draft, Round: p.round, Last: p.last}
	for _, l := range p.locals {
		m.Locals = append(m.Locals, l.Memory())
	}
	return encode(m)
}

// resume goes on from a memory of that run, or from nothing.
func (p *Partition) resume(raw []byte, run string) error {
	var m memory
	err := decode(raw, &m)
	if err == nil && (m.Draft == nil || m.Draft.Run != run || m.Partition != p.number) {
		err = errors.New("found that of another run or partition")
	}
	if err == nil {
		_, err = p.begin(m.Draft)
	}
	if err == nil && (len(m.Locals) != len(p.locals) || m.Round < 0) {
		err = fmt.Errorf("found that of %d predictors in round %d, expected %d", len(m.Locals), m.Round, len(p.locals))
	}
	for c := 0; err == nil && c < len(p.locals); c++ {
		err = p.locals[c].Resume(m.Locals[c])
	}
	if p.round, p.last = m.Round, m.Last; err != nil {
		p.draft = nil
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}
