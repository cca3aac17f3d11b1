package dual

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// A Local is [SDCA] on the rows of one partition, while the others are elsewhere: each round it starts from the same u
// as they do, and [Merge] joins their changes.
type Local struct {
	s    *sdca
	from []float64 // the dual variables before the last round; nil: its moves are settled
}

// NewLocal is for a part of a problem (see [problem.Linear.Within]) whose constant column has the squared weight
// beta, at dual variables 0. group is that of each column, nil: rows are dense (see [Groups]).
func NewLocal(p *problem.Linear, seed uint64, beta float64, group []uint8) (*Local, error) {
	n, d := p.Dims()
	if !(beta >= 0) || group != nil && (len(group) != d+1 || slices.Max(group) >= groups) {
		return nil, fmt.Errorf("found the weight %g of the constant column and the groups of %d columns, expected 0 at least, and for each of %d a group below %d", beta, len(group), d+1, groups)
	}
	s := &sdca{p: p, seed: seed, penalty: p.Penalty.(penalty.Separable), iterate: iterate{a: make([]float64, n), u: make([]float64, d+1)}, factor: 1 / (p.Lambda * p.N)}
	s.sigma = 1
	s.calm, s.wake = make([]uint8, n), make([]uint32, n)
	if s.w = s.u; !penalty.IsRidge(p.Penalty) {
		s.w = make([]float64, d+1)
	}
	s.last[0] = uint32(d)
	s.step, s.exact = loss.StepOf(p.Loss)
	s.chooseSizes()
	s.beta = beta
	s.part = []partition{{u: make([]float64, d+1)}}
	if x, ok := p.X.(*matrix.CSR); ok && group != nil && !s.separate() {
		s.columns = &columnSigmas{x: x, sigma: make([]float64, d+1), norm: make([]float64, n), group: group}
	}
	return &Local{s: s}, nil
}

// A Round is what all partitions are told at the beginning of one.
type Round struct {
	U     []float64 // d+1
	Theta float64   // which share of the last round's moves stays
	Spare float64   // what is not worth a step, as a row's part of the gap
	Sigma []float64 // by how much steps are held back: of all columns, or of each group
}

// A Change is what the steps of a round came to in one partition.
type Change struct {
	U              []float64 // of u, d+1
	Sum, Rise, Gap float64   // of s_i a_i, of s_i l*(a_i), and the sum of s_i times the part of the gap
}

// Check says why a round is none of these rows.
func (l *Local) Check(r Round) error {
	sigmas := 1
	if l.s.columns != nil {
		sigmas = groups
	}
	finite := func(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
	switch {
	case len(r.U) != len(l.s.u) || len(r.Sigma) != sigmas:
		return fmt.Errorf("found a round of %d columns and %d groups, expected %d and %d", len(r.U), len(r.Sigma), len(l.s.u), sigmas)
	case !(r.Theta >= 0) || !(r.Spare >= 0) || slices.ContainsFunc(r.U, func(x float64) bool { return !finite(x) }):
		return errors.New("found a round whose numbers are negative, infinite or none, expected finite ones")
	case slices.ContainsFunc(r.Sigma, func(x float64) bool { return !(x > 0 || sigmas > 1 && x == 0) || !finite(x) }):
		return errors.New("found by how much steps are held back as negative, infinite or none, expected finite numbers above 0")
	}
	return nil
}

// Round takes the rest of the last round's moves back, and visits every row that is awake.
func (l *Local) Round(r Round) Change {
	s, part := l.s, &l.s.part[0]
	l.Settle(r.Theta)
	copy(part.u, r.U)
	copy(s.u, r.U)
	s.spare = r.Spare
	if s.columns != nil {
		for j, g := range s.columns.group {
			s.columns.sigma[j] = r.Sigma[g]
		}
	} else {
		s.sigma = r.Sigma[0]
	}
	l.from = append(l.from[:0], s.a...)
	s.arrange()
	if s.columns != nil {
		s.columns.weigh(s.active, s.p.Threads)
	}
	s.sweep(part, s.rows)
	s.epoch++
	c := Change{U: part.u, Sum: part.sum, Rise: part.rise, Gap: part.gap}
	for j, x := range r.U {
		by := s.sigma
		if s.columns != nil {
			by = s.columns.sigma[j]
		}
		c.U[j] = (c.U[j] - x) / by
	}
	return c
}

// Settle keeps a share of the last round's moves.
func (l *Local) Settle(theta float64) {
	for i, before := range l.from {
		if theta < 1 {
			l.s.a[i] = before + float64(theta*(l.s.a[i]-before))
		}
	}
	l.from = l.from[:0]
}

// Duals returns the dual variables; they may change with the next round.
func (l *Local) Duals() []float64 { return l.s.a }

// A Memory is all that a Local knows of earlier rounds.
type Memory struct {
	A, From []float64
	Calm    []uint8
	Wake    []uint32
	Epoch   uint32
}

// Memory returns it; it may change with the next round.
func (l *Local) Memory() Memory {
	return Memory{A: l.s.a, From: l.from, Calm: l.s.calm, Wake: l.s.wake, Epoch: l.s.epoch}
}

// Resume goes on from a memory, which it takes over.
func (l *Local) Resume(m Memory) error {
	n := len(l.s.a)
	if len(m.A) != n || len(m.Calm) != n || len(m.Wake) != n || len(m.From) != 0 && len(m.From) != n {
		return fmt.Errorf("found a memory of %d rows, expected %d", len(m.A), n)
	}
	if slices.ContainsFunc(m.A, math.IsNaN) || slices.ContainsFunc(m.From, math.IsNaN) {
		return errors.New("found dual variables that are no numbers, expected numbers")
	}
	l.s.a, l.s.calm, l.s.wake, l.s.epoch, l.from = m.A, m.Calm, m.Wake, m.Epoch, m.From
	return nil
}

// betaOfPartitions is how much of the weight of the constant column is left where partitions are many.
const betaOfPartitions = 0.01

// Beta returns the squared weight of the constant column for rows of that mean squared norm.
func Beta(p *problem.Whole, mean float64) float64 {
	switch p.Risk.Bias {
	case problem.Feature:
		return 1
	case problem.Free:
		// Many partitions correct the constant column at once: with as much weight as in one partition it swings.
		return betaOfPartitions * betaOfFree(p.Risk.Loss, mean, p.Risk.Lambda)
	}
	return 0
}

// A Merge is [SDCA] where the rows are elsewhere: it keeps u, and joins the changes of the partitions.
type Merge struct {
	p          *problem.Whole
	penalty    penalty.Separable
	partitions int
	beta       float64
	u, w       []float64
	theta      float64 // of the last round
	sum        float64
	conjugate  float64
	rowGap     float64
	epoch      uint32
	sigma      float64
	columns    *columnSigmas // nil: rows are dense
}

// NewMerge begins at dual variables 0 with a bias; rows says how many use each column, nil: they are dense. conjugate is the sum of
// the weighted conjugates there.
func NewMerge(p *problem.Whole, partitions int, beta, bias, conjugate float64, rows []float64) *Merge {
	d := len(p.Norms) - 1
	m := &Merge{p: p, penalty: p.Penalty.(penalty.Separable), partitions: partitions, beta: beta, u: make([]float64, d+1), theta: 1, conjugate: conjugate, sigma: 1}
	if m.w = m.u; !penalty.IsRidge(p.Penalty) {
		m.w = make([]float64, d+1)
		rows = nil
	}
	m.u[d] = bias
	if partitions > 1 {
		m.sigma = firstSigma
	}
	if rows != nil {
		m.columns = &columnSigmas{sigma: make([]float64, d+1), group: Groups(rows), merged: make([]float64, d+1), apart: make([]float64, d+1)}
		for j := range m.columns.sigma {
			m.columns.sigma[j] = m.sigma
		}
	}
	return m
}

// Next returns what the partitions are told.
func (m *Merge) Next() Round {
	r := Round{U: m.u, Theta: m.theta, Spare: 0.05 * m.rowGap, Sigma: []float64{m.sigma}}
	if c := m.columns; c != nil {
		if m.partitions > 1 {
			c.relearn(m.epoch, m.partitions)
		}
		r.Sigma = make([]float64, groups)
		for j, g := range c.group {
			r.Sigma[g] = c.sigma[j]
		}
	}
	return r
}

// Join takes in the changes of a round, of every partition one.
func (m *Merge) Join(changes []Change) {
	change := make([]float64, len(m.u))
	for _, c := range changes {
		vec.Axpy64(change, 1, c.U)
	}
	if s := m.columns; s != nil {
		for j, by := range change {
			s.merged[j] += float64(by * by)
		}
		for _, c := range changes {
			for j, by := range c.U {
				s.apart[j] += float64(by * by)
			}
		}
	}
	along, squared := vec.Dot64(m.u, change), vec.SquaredNorm64(change)
	last := len(m.u) - 1
	x, c := m.u[last], change[last]
	along -= float64(x * c)
	squared -= float64(c * c)
	if m.p.Risk.Bias != problem.None {
		along += float64(x*c) / m.beta
		squared += float64(c*c) / m.beta
	}
	var sum, rise, gap float64
	for _, c := range changes {
		sum, rise, gap = sum+c.Sum, rise+c.Rise, gap+c.Gap
	}
	theta, best := shareOf(-rise/m.p.Risk.N, m.p.Risk.Lambda, along, squared, m.partitions)
	if m.theta = theta; m.columns == nil && m.partitions > 1 {
		m.sigma = adapted(m.sigma, best, m.partitions)
	}
	vec.Axpy64(m.u, theta, change)
	m.sum += float64(theta * sum)
	m.conjugate += float64(theta * rise)
	m.rowGap = gap / m.p.Risk.N
	if m.p.Risk.Bias == problem.Free {
		m.u[last] -= float64(m.beta / (m.p.Risk.Lambda * m.p.Risk.N) * m.sum)
	}
	m.epoch++
}

// Weights returns the weights and the bias that belong to u; they may change with the next round.
func (m *Merge) Weights() []float64 {
	if &m.w[0] == &m.u[0] {
		return m.u
	}
	d := len(m.u) - 1
	m.penalty.Weights(m.w[:d], m.u[:d])
	m.w[d] = m.u[d]
	if m.p.Risk.Bias == problem.Feature {
		m.penalty.WeightsAt(m.w[d:], m.u[d:], []uint32{uint32(d)})
	}
	return m.w
}

// Theta returns which share of the last round's moves stays.
func (m *Merge) Theta() float64 { return m.theta }

// Gap returns about the relative gap, from what visits met on the way.
func (m *Merge) Gap() float64 {
	_, conjugate := m.p.Penalty.Conjugate(m.u[:m.p.Penalised()])
	dual := -m.conjugate/m.p.Risk.N - float64(m.p.Risk.Lambda*conjugate)
	return problem.Relative(dual+m.rowGap, dual, m.p.Zero())
}
