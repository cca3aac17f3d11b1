package model

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// Region bounds where all optima of an output's problem are: docs/certificates.md, "Predictions". It is stored as JSON.
type Region struct {
	Radius Bound `json:"radius"`    // the weights of an optimum are at most so far away, in the norm that the penalty measures
	Low    Bound `json:"bias_low"`  // a free bias of an optimum is at least this; null: not known, or the bias is not free
	High   Bound `json:"bias_high"` // and at most this
}

// Interval is a range of numbers.
type Interval struct{ Low, High float64 }

// Provable returns why nothing can be proved of single predictions of models of that problem; nil: it can.
func (m *Model) Provable() error {
	if reason := m.unprovable(); reason != "" {
		return errors.New("nothing is proved of its predictions: " + reason)
	}
	return nil
}

func (m *Model) unprovable() string {
	s := m.Statement
	switch {
	case m.OnePass != nil, m.Network != nil, s.Hidden != nil, m.IsImported(), m.Sparse != nil:
		return "the model has no duality gap of a problem that was solved"
	case s.Radius != 0, s.Slack != 0, s.HardMargin, s.Nu != 0:
		return "expected a problem with lambda or C, not one with a radius, a slack or nu"
	}
	for c := range max(1, len(s.Targets)) {
		if !(m.strength(c) > 0) {
			return fmt.Sprintf("the penalty %s is not strongly convex, so that other weights may be as good; expected l2 or elastic-net", s.Penalty)
		}
		if l, err := loss.New(s.Of(c).Loss); err == nil && !loss.IsConvex(l) { // those of all classes, and of programs, are
			return fmt.Sprintf("the loss %s is not convex", s.Loss)
		}
	}
	if m.IsJoint() && s.Bias == "free" {
		return "the free biases of a loss of all classes are not bounded; expected the bias none or feature"
	}
	if s.Kernel != "" && s.Map == "" {
		k, err := kernel.New(s.Kernel)
		if _, matrix := k.(kernel.Precomputed); err == nil && (matrix || kernel.IsIndefinite(k)) {
			return fmt.Sprintf("the kernel %s does not say how long images of new rows are", s.Kernel)
		}
	}
	return ""
}

// strength returns lambda mu of output c, with mu the strong convexity of the penalty; 0 where it has none.
func (m *Model) strength(c int) float64 {
	p := m.CustomPenalty
	if p == nil {
		var err error
		if p, err = penalty.New(m.Statement.Penalty); err != nil {
			return 0
		}
	}
	return m.Statement.Of(c).Lambda * p.StrongConvexity()
}

// Radius bounds, by the gap of an output alone, how far its weights are from those of every optimum, in the norm that the penalty measures; it is +Inf or NaN
// where there is no gap, or the penalty is not strongly convex.
func (m *Model) Radius(output int) float64 {
	c := m.Outputs[output].Certificate
	return math.Sqrt(2*float64(c.Primal-c.Dual)/m.strength(output)) * (1 + 0x1p-50)
}

// Proved bounds what the exact optimum predicts: see [Model.Proved].
type Proved struct {
	model    *Model
	region   []Region  // of each output
	size     []float64 // norm of the weights, for roundings of a score
	sum      []float64 // sum of the magnitudes of the coefficients
	constant float64   // squared value of the constant column that the penalty sees
	largest  float64   // of support vectors: the largest squared norm, the largest value of the kernel with itself,
	self     float64
	terms    int // and the largest number of stored values
}

// Proved returns what bounds the scores that every exact optimum of the model's problem gives to rows, training rows or others, or
// why nothing does. It rests on what the file claims, which Verify of package fenchel compares with the training rows.
func (m *Model) Proved() (*Proved, error) {
	if err := m.Provable(); err != nil {
		return nil, err
	}
	p, free := &Proved{model: m}, m.Statement.Bias == "free"
	if kind, value, given := strings.Cut(m.Statement.Bias, ":value="); kind == "feature" {
		p.constant = 1
		if given {
			v, err := strconv.ParseFloat(value, 32) // as package problem reads it
			if err != nil {
				return nil, err
			}
			p.constant = v * v
		}
	}
	for c, o := range m.Outputs {
		r := Region{Low: Bound(o.Bias), High: Bound(o.Bias)}
		switch stored := o.Certificate.Region; {
		case stored != nil:
			if r.Radius = stored.Radius; free {
				r.Low, r.High = stored.Low, stored.High
			}
		case free:
			return nil, errors.New("the model does not say how far the bias of the optimum may be from its own: expected one that was trained with 'proved', or with the bias none or feature")
		default:
			r.Radius = Bound(m.Radius(c))
		}
		if !(r.Radius >= 0 && r.Radius <= math.MaxFloat64 && r.High-r.Low >= 0 && r.High-r.Low <= math.MaxFloat64) {
			return nil, errors.New("nothing is proved of its predictions: the model has no finite duality gap, or no finite interval for its bias")
		}
		p.region = append(p.region, r)
		p.size, p.sum = append(p.size, math.Sqrt(vec.SquaredNorm64(o.Weights))), append(p.sum, 0)
		for _, w := range o.Weights {
			p.sum[c] += math.Abs(w)
		}
	}
	if m.Support != nil {
		for i := range m.Support.Len() {
			row := m.Support.Rows.Row(i)
			xx := row.SquaredNorm()
			p.largest, p.terms = max(p.largest, xx), max(p.terms, len(row.Value))
			p.self = max(p.self, m.Support.Kernel.Eval(row, row)+m.Support.Kernel.Error(len(row.Value), xx, xx))
		}
	}
	return p, nil
}

// Region returns that of an output.
func (p *Proved) Region(output int) Region { return p.region[output] }

// Bounds appends the lowest and the highest score that an optimum can give to the raw row x, of each output. scores are those of
// the model for it.
func (p *Proved) Bounds(dst []Interval, x matrix.Vector, scores []float64) []Interval {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	return p.bounds(dst, p.model.prepare(x, s.room(0)), scores)
}

// ScoreRows is [Model.ScoreRows], and writes to bounds, as long as dst, what Bounds says of each score.
func (p *Proved) ScoreRows(dst []float64, bounds []Interval, x matrix.Matrix, lo, hi int) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	s.scoreRows(p.model, dst, x, lo, hi)
	k := len(p.model.Outputs)
	for i, row := range s.rows {
		p.bounds(bounds[i*k:i*k], row, dst[i*k:(i+1)*k])
	}
	clear(s.rows) // the pool must not keep data alive
}

// bounds is Bounds of a row that was made ready.
func (p *Proved) bounds(dst []Interval, row matrix.Vector, scores []float64) []Interval {
	m := p.model
	squared, each := p.length(row)
	length := math.Sqrt(squared+p.constant) * (1 + 0x1p-40)
	for c, score := range scores {
		r, o := p.region[c], m.Outputs[c]
		rounding := float64(16 * 0x1p-53 * (math.Abs(score) + math.Abs(o.Bias)))
		if m.Support != nil {
			rounding += float64(p.sum[c] * each)
		} else {
			rounding += float64(float64(len(o.Weights)+16) * 0x1p-53 * p.size[c] * length)
		}
		off := float64(float64(r.Radius)*length) + rounding
		dst = append(dst, Interval{score - off + float64(r.Low) - o.Bias, score + off + float64(r.High) - o.Bias})
	}
	return dst
}

// length returns the squared norm of a row that was made ready, in the coordinates of the weights, and how far
// a value of the kernel with a support vector may be off; 0 of models without any.
func (p *Proved) length(row matrix.Vector) (squared, each float64) {
	m := p.model
	switch {
	case m.Support != nil:
		k, xx := m.Support.Kernel, row.SquaredNorm()
		squared = max(0, k.Eval(row, row)) + k.Error(len(row.Value), xx, xx)
		return squared, k.Error(max(len(row.Value), p.terms), xx, p.largest) + float64(float64(m.Support.Len()+16)*0x1p-53*math.Sqrt(squared*p.self))
	case m.Map != nil:
		_, features := m.Map.Dims()
		room := images.Get().(*[]float32)
		defer images.Put(room)
		if len(*room) < features {
			*room = make([]float32, features)
		}
		m.Map.Images((*room)[:features], []matrix.Vector{row})
		row = matrix.Vector{Value: (*room)[:features]}
	}
	return row.SquaredNorm(), 0
}

// Length returns the norm of a raw row in the coordinates of the weights: scaled, with the constant column if the penalty sees it; of
// a kernel machine sqrt(k(x,x)).
func (p *Proved) Length(x matrix.Vector) float64 {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	squared, _ := p.length(p.model.prepare(x, s.room(0)))
	return math.Sqrt(squared+p.constant) * (1 + 0x1p-40)
}

// Sure reports whether every optimum predicts the same class of a row with these bounds on the scores; false where the model
// predicts numbers.
func (p *Proved) Sure(bounds []Interval) bool {
	m := p.model
	switch {
	case m.Classes == nil:
		return false
	case m.Statement.Scheme == OneAgainstOne:
		return p.sureVotes(bounds)
	case m.Threshold != nil && len(bounds) == 2:
		return above(Interval{bounds[1].Low - bounds[0].High, bounds[1].High - bounds[0].Low}, m.Threshold.Score)
	case len(bounds) == 1 && m.Threshold != nil:
		return above(bounds[0], m.Threshold.Score)
	case len(bounds) == 1:
		return len(m.Classes) < 2 || above(bounds[0], 0)
	}
	best := 0
	for c, b := range bounds {
		if b.Low > bounds[best].Low {
			best = c
		}
	}
	for c, b := range bounds {
		if c != best && !(bounds[best].Low > b.High) {
			return false
		}
	}
	return true
}

// above reports whether it is known of all numbers of an interval whether they are above a threshold.
func above(b Interval, threshold float64) bool { return b.Low > threshold || b.High <= threshold }

// sureVotes is Sure of pairs of classes: the class with the most sure votes has more than any other can get.
func (p *Proved) sureVotes(bounds []Interval) bool {
	k := len(p.model.Classes)
	least, most := make([]int, k), make([]int, k)
	for o, b := range bounds {
		i, j := Pair(o, k)
		if b.High > 0 {
			most[j]++
		}
		if b.Low > 0 {
			least[j]++
		} else {
			most[i]++
		}
		if b.High <= 0 {
			least[i]++
		}
	}
	best := 0
	for c, n := range least {
		if n > least[best] {
			best = c
		}
	}
	for c, n := range most {
		if c != best && n >= least[best] {
			return false
		}
	}
	return true
}
