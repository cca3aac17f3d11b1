package dual

import (
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// A visit is what the step of a row needs to know beside its nonzeros.
type visit struct {
	row       uint32
	lo, hi    int64   // where a sparse row begins and ends
	before, y float64 // dual variable and target
	weight, q float64 // s_i and the q of the step
}

// sweep visits rows one after another.
func (s *sdca) sweep(part *partition, rows []uint32) {
	part.sum, part.rise, part.gap, part.moved = 0, 0, 0, part.moved[:0]
	if x, ok := s.p.X.(*matrix.CSR); ok && !s.separate() {
		s.sweepSparse(part, rows, x)
		return
	}
	d := len(part.u) - 1
	var v [1]visit
	for k, i := range rows {
		s.look(v[:], nil, rows[k:k+1])
		x := s.p.X.Row(int(i))
		if change := s.move(part, &v[0], s.predict(part, x)); change != 0 {
			x.AddTo(part.u[:d], change)
		}
	}
}

// sweepSparse is sweep for sparse rows whose weights are u itself.
func (s *sdca) sweepSparse(part *partition, rows []uint32, x *matrix.CSR) {
	d := len(part.u) - 1
	u, constant := part.u[:d], &part.u[d]
	index, value := x.Index, x.Value
	var visits [2 * window]visit // of the row at k: visits[k%len(visits)]
	in := func(k int) []uint32 { return rows[min(k, len(rows)):min(k+window, len(rows))] }
	s.ask(x, in(0))
	s.ask(x, in(window))
	s.look(visits[:], x, in(0))
	for k := range rows {
		if k%window == 0 {
			s.ask(x, in(k+2*window))
			s.look(visits[(k+window)%len(visits):], x, in(k+window))
		}
		if k+ahead < len(rows) {
			v := &visits[(k+ahead)%len(visits)]
			vec.PrefetchRow(index[v.lo:v.hi], value[v.lo:v.hi])
		}
		v := &visits[k%len(visits)]
		index, value := index[v.lo:v.hi], value[v.lo:v.hi]
		change := s.move(part, v, vec.SparseDot(u, index, value)+*constant)
		switch {
		case change == 0:
		case s.columns != nil:
			s.columns.add(u, change, index, value)
		default:
			vec.SparseAxpy(u, change, index, value)
		}
	}
}

// ask asks for what the visits of rows need to know, and change. Neighbours share
// cache lines: one in eight elements asks for all.
func (s *sdca) ask(x *matrix.CSR, rows []uint32) {
	var first [window]uint32
	n, line := 0, ^uint32(0)
	for _, i := range rows {
		if i/8 != line {
			line, first[n] = i/8, i
			n++
		}
	}
	rows = first[:n]
	vec.PrefetchElements(x.Start, rows)
	vec.PrefetchElements(s.a, rows)
	vec.PrefetchElements(s.p.Y, rows)
	vec.PrefetchElements(s.p.S, rows)
	norm, _ := s.norms()
	vec.PrefetchElements(norm, rows)
	vec.PrefetchElements(s.calm, rows)
	vec.PrefetchElements(s.wake, rows)
}

// look reads what the visits of rows need to know; without x they are not sparse.
func (s *sdca) look(dst []visit, x *matrix.CSR, rows []uint32) {
	dst = dst[:len(rows)]
	norm, held := s.norms()
	a, y, weight, norm := s.a, s.p.Y[:len(s.a)], s.p.S[:len(s.a)], norm[:len(s.a)]
	scale := s.sigma * s.factor / (s.mu * overRelaxed)
	constant := scale * s.beta
	if s.p.Bias == problem.Free { // a bias that overshoots is then centred beyond: it need not settle
		constant = s.sigma * s.factor * s.beta
	}
	constant *= held
	for k, i := range rows { // field by field: a visit that is copied as a whole waits for its halves to be stored
		v := &dst[k]
		v.row, v.before, v.y, v.weight = i, a[i], y[i], weight[i]
		v.q = v.weight * (float64(scale*norm[i]) + constant)
	}
	if x != nil {
		for k, i := range rows {
			dst[k].lo, dst[k].hi = x.Start[i], x.Start[i+1]
		}
	}
}

// move makes the step of a row, given its prediction. It returns how many times
// the row must then be added to the weights.
func (s *sdca) move(part *partition, v *visit, prediction float64) (change float64) {
	after, gap, rise := s.step(v.before, prediction, v.q, v.y)
	part.gap += float64(v.weight * gap)
	if s.rests(v, after, gap) {
		return 0
	}
	if s.calm[v.row] != 0 { // the neighbours' partitions share its cache line
		s.calm[v.row] = 0
	}
	s.a[v.row] = after
	if part.keep {
		part.moved = append(part.moved, move{v.row, v.before})
	}
	part.rise += float64(v.weight * rise)
	change = float64(v.weight * (after - v.before))
	part.sum += change
	change *= -s.sigma * s.factor
	_, held := s.norms()
	part.u[len(part.u)-1] += float64(float64(s.beta*held) * change)
	return change
}

// norms returns the squared norms that steps go by, and the sigma of the constant column
// beyond that of all.
func (s *sdca) norms() (norm []float64, constant float64) {
	if c := s.columns; c != nil {
		return c.norm, c.sigma[len(c.sigma)-1]
	}
	return s.p.SquaredNorm, 1
}

// rests lets a row rest whose step would change nothing, or hardly bring anything, and
// reports whether. A step to an end of the domain is not spared however little it brings:
// rows that rest just before one are many, and not known to be done with.
func (s *sdca) rests(v *visit, after, gap float64) bool {
	switch {
	case after == v.before:
		s.rest(v.row, longestRest)
	case gap < s.spare && s.inside(v.y, after):
		s.rest(v.row, longestSpare)
	default:
		return false
	}
	return true
}

// Epochs that a row sleeps at most: one that would not have moved, and one that was
// spared a step, which may be worth it again soon, as the mean gap falls.
const (
	longestRest  = 64
	longestSpare = 16
)

// rest lets a row sleep that did not move: 2, 4, 8, ... epochs, at most so many, once it
// has been calm for s.calmVisits.
func (s *sdca) rest(i uint32, most uint32) {
	s.calm[i] = min(s.calm[i]+1, s.calmVisits+8)
	if beyond := s.calm[i]; !parts.Ablated.Has(parts.WithoutSleep) && beyond > s.calmVisits {
		s.wake[i] = s.epoch + min(1<<(beyond-s.calmVisits), most)
	}
}

// predict returns <w,x> + b, forming the weights from u where they differ.
func (s *sdca) predict(part *partition, x matrix.Vector) float64 {
	d := len(part.u) - 1
	if !s.separate() {
		return x.Dot(part.u[:d]) + part.u[d]
	}
	n := x.Nonzeros()
	if cap(s.gather) < n {
		s.gather = make([]float64, n)
	}
	g := s.gather[:n]
	for k := range g {
		g[k] = part.u[x.Column(k)]
	}
	s.penalty.WeightsAt(g, g, x.Index)
	return matrix.Vector{Value: x.Value}.Dot(g) + s.bias()
}
