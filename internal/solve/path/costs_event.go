package path

import (
	"context"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// event is what ends a line of the path.
type event struct {
	step float64
	row  int // -1: the end of the range
	kind int
}

const (
	ends   = iota // the last C
	leaves        // a row of the set is at a bound
	enters        // the margin of a row outside is 0
	opens         // no row is free, and only one bias is left
)

// follow walks to the last C.
func (s *costs) follow(ctx context.Context, to float64, each Each) error {
	idle, steps := 0, 0
	for fresh := true; ; fresh = false {
		s.direction()
		e := s.next(to)
		if e.step > 1e-12*s.c || fresh || e.kind == ends {
			idle = 0
			mended, err := s.tell(ctx, each)
			if err != nil {
				return err
			}
			if s.leap > leastLeap && s.mended == s.c && s.c < to {
				if err := s.restart(ctx, min(to, s.c*(1+s.leap))); err != nil {
					return err
				}
				s.leaped = true
				continue
			}
			if mended {
				s.direction()
				e = s.next(to)
			}
		} else if idle++; idle > 4*len(s.set.Rows)+200 {
			idle = 0
			s.stuck()
			if err := s.restart(ctx, min(to, s.c*(1+s.leap))); err != nil {
				return err
			}
			s.leaped = true
			continue
		}
		s.advance(e.step)
		if e.kind == ends {
			if e.step > 0 {
				_, err := s.tell(ctx, each)
				return err
			}
			return ctx.Err()
		}
		s.change(e)
		if steps++; steps%64 == 0 || s.set.IsWorn() {
			s.renew()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// tell certifies where the path is; a point that is worse than it should be is solved anew.
func (s *costs) tell(ctx context.Context, each Each) (mended bool, err error) {
	if s.c <= s.told*(1+1e-12) {
		return false, nil
	}
	s.told = s.c
	b := s.breakpoint()
	b.Leaped, s.leaped = s.leaped && s.leap > leastLeap, false
	if !(b.Certificate.Gap() <= s.tolerance*math.Abs(b.Certificate.Primal)) {
		s.polish() // which takes away what roundings added up
		b = s.breakpoint()
		b.Certificate = at(s.p, s.c).Certify(b.Point)
		mended = true
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if !enough(b.Certificate, s.tolerance) {
		sol, err := s.optimum(ctx, s.c)
		if err != nil {
			return mended, err
		}
		if s.c > s.mended*(1+1e-9) { // else the path would stay where it is
			mended, s.mended = true, s.c
			s.stuck()
			leaped := b.Leaped
			s.begin(s.c, sol.Point)
			b = s.breakpoint()
			b.Leaped = leaped
		}
		if sol.Certificate.Gap() < b.Certificate.Gap() {
			s.replace(&b, sol)
		}
	}
	if s.mended != s.c {
		s.leap /= 2
	}
	return mended, each(b)
}

// stuck has the path leap farther, twice as far each time that it must be solved anew, and again less
// far where it need not be: breakpoints that roundings do not tell apart would take for ever.
func (s *costs) stuck() { s.leap = min(max(2*s.leap, 1e-9), mostLeap) }

// The leaps, relative to C: from which on breakpoints are missed, and the largest.
const leastLeap, mostLeap = 1e-7, 0.5

// replace hands out what the active set found instead.
func (s *costs) replace(b *Breakpoint, sol *solver.Solution) {
	n := len(s.beta)
	b.Point, b.Certificate = sol.Point, sol.Certificate
	s.gram.Combine(b.Predictions, b.Point.W[:n])
	vec.ScaledAdd(b.Predictions, 1, b.Point.W[n], slices.Repeat([]float64{1}, n))
}

// enough reports whether a gap is as small as it should be, or as roundings allow.
func enough(c problem.Certificate, relative float64) bool {
	return c.Gap() <= relative*math.Abs(c.Primal)+8*c.Rounding+1e-10*c.Zero
}

// breakpoint makes the point, with its certificate.
func (s *costs) breakpoint() Breakpoint {
	p, n := at(s.p, s.c), len(s.beta)
	b := Breakpoint{C: s.c, Free: len(s.set.Rows), Point: problem.Point{W: make([]float64, n+1), A: make([]float64, n)}, Predictions: make([]float64, n)}
	for i, beta := range s.beta {
		first, last := p.Loss.Domain(p.Y[i])
		b.Point.A[i] = min(max(-beta/(s.c*p.S[i]), first), last)
		if s.set.Place[i] < 0 && s.side[i] != 0 {
			b.Bounded++
		}
	}
	p.Weights(b.Point.W, b.Point.A)
	if s.free {
		b.Point.W[n] = s.bias(p)
	}
	values, off := s.responses(b.Point.W)
	for i, r := range s.r {
		b.Predictions[i] = r
		if s.free {
			b.Predictions[i] += b.Point.W[n]
		}
	}
	b.Certificate = p.CertifyNear(b.Point, values, off)
	return b
}

// bias is that of the free rows, the best for the responses where there are none.
func (s *costs) bias(p *problem.Kernel) float64 {
	if len(s.set.Rows) > 0 {
		return s.b
	}
	low, high := s.interval(0)
	switch {
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		return 0
	case math.IsInf(low, 0):
		return high
	case math.IsInf(high, 0):
		return low
	}
	return p.BestBias(s.r, low+(high-low)/2, 1e-12)
}

// pull is t - r - b of a row after a step: above 0 it pays to increase its coefficient. Without
// a free row b counts as 0.
func (s *costs) pull(i int, step float64) float64 {
	v := s.t[i] - s.r[i] - float64(step*s.dr[i])
	if s.free && len(s.set.Rows) > 0 {
		v -= s.b + float64(step*s.db)
	}
	return v
}

// next finds the first event, up to the C where the path ends.
func (s *costs) next(to float64) event {
	e := event{max(0, to-s.c), -1, ends}
	consider := func(room, rate float64, row, kind int) {
		if step := max(0, room) / rate; step < e.step {
			e = event{step, row, kind}
		}
	}
	for k, i := range s.set.Rows {
		least := 1e-13 * (s.high[i] - s.low[i])
		if rate := s.low[i] - s.d[k]; rate > least {
			consider(s.beta[i]-float64(s.c*s.low[i]), rate, i, leaves)
		}
		if rate := s.d[k] - s.high[i]; rate > least {
			consider(float64(s.c*s.high[i])-s.beta[i], rate, i, leaves)
		}
	}
	if s.free && len(s.set.Rows) == 0 {
		return s.opening(e)
	}
	for i, place := range s.set.Place {
		if place >= 0 {
			continue
		}
		rate := -s.dr[i]
		if s.free {
			rate -= s.db
		}
		least := 1e-10*(math.Abs(s.dr[i])+math.Abs(s.db)) + 1e-14*s.most/s.c
		if s.side[i] == s.low[i] && rate > least {
			consider(-s.pull(i, 0), rate, i, enters)
		} else if s.side[i] == s.high[i] && -rate > least {
			consider(s.pull(i, 0), -rate, i, enters)
		}
	}
	return e
}

// interval returns which biases suit all rows after a step, no row being free.
func (s *costs) interval(step float64) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	for i := range s.t {
		v := s.pull(i, step)
		if s.side[i] == s.low[i] {
			low = max(low, v)
		} else {
			high = min(high, v)
		}
	}
	return low, high
}

// ends of the interval: the rows that bound it, and how fast it shrinks.
func (s *costs) bounding(step float64) (up, down int, width, rate float64) {
	up, down = -1, -1
	low, high := math.Inf(-1), math.Inf(1)
	for i := range s.t {
		v := s.pull(i, step)
		if s.side[i] == s.low[i] && v > low {
			up, low = i, v
		} else if s.side[i] != s.low[i] && v < high {
			down, high = i, v
		}
	}
	if up < 0 || down < 0 {
		return up, down, math.Inf(1), 0
	}
	return up, down, high - low, s.dr[down] - s.dr[up]
}

// opening finds where the interval of the bias closes: its width is concave in C, so Newton's
// method from the end comes down to it.
func (s *costs) opening(e event) event {
	step := e.step
	up, _, width, rate := s.bounding(step)
	if !(width < 0) {
		return e
	}
	for range 1000 {
		if !(rate > 0) {
			break
		}
		next := step + width/rate
		if !(next < step) {
			break
		}
		step = max(0, next)
		if up, _, width, rate = s.bounding(step); !(width < 0) || step == 0 {
			break
		}
	}
	return event{step, up, opens}
}

// advance moves along the line.
func (s *costs) advance(step float64) {
	s.c += step
	for i, side := range s.side {
		if s.set.Place[i] < 0 {
			s.beta[i] = float64(s.c * side)
		}
	}
	for k, i := range s.set.Rows {
		s.beta[i] += float64(step * s.d[k])
	}
	vec.Axpy64(s.r, step, s.dr)
	s.b += float64(step * s.db)
	s.drift.r += float64(step*s.drift.dr) + float64(4*unit*(float64(step*largestOf(s.dr))+largestOf(s.r))) + s.drift.roundings(sizeOf(s.beta)+float64(step*sizeOf(s.d)))
}

// change has the row of an event leave or enter.
func (s *costs) change(e event) {
	switch e.kind {
	case leaves:
		s.leave(s.set.Place[e.row])
	case opens:
		s.b = s.t[e.row] - s.r[e.row]
		s.enter(e.row)
	case enters:
		s.enter(e.row)
	}
}

// leave puts a row of the set onto the bound that is nearer.
func (s *costs) leave(at int) {
	i := s.set.Remove(at)
	s.side[i] = s.low[i]
	if s.beta[i]-float64(s.c*s.low[i]) > float64(s.c*s.high[i])-s.beta[i] {
		s.side[i] = s.high[i]
	}
	if move := float64(s.c*s.side[i]) - s.beta[i]; move != 0 {
		s.drift.r += s.add(s.r, []int{i}, []float64{move}) + s.drift.roundings(math.Abs(move))
		s.beta[i] = float64(s.c * s.side[i])
	}
	s.outside(i, 1)
}

// outside adds a row to the load of those outside, or takes it from there.
func (s *costs) outside(i int, sign float64) {
	if s.side[i] != 0 {
		s.drift.load += s.add(s.load, []int{i}, []float64{sign * s.side[i]})
		s.sum += float64(sign * s.side[i])
	}
}

// enter adds a row to the set. Where the set determines it, it moves along the direction of no
// curvature until a bound is met, which may be its own.
func (s *costs) enter(i int) {
	s.outside(i, -1)
	sign := 1.0
	if s.side[i] == s.high[i] && s.beta[i] >= float64(s.c*s.high[i]) {
		sign = -1
	}
	for {
		d, added := s.set.Add(i)
		if added {
			s.side[i] = 0
			return
		}
		if hit := s.slide(i, sign, d); hit < 0 {
			s.side[i] = s.low[i]
			if sign > 0 {
				s.side[i] = s.high[i]
			}
			s.beta[i] = float64(s.c * s.side[i])
			s.outside(i, 1)
			return
		} else {
			s.leave(hit)
		}
	}
}

// slide moves row i, which the set determines by d, as far as all bounds allow, and returns which
// row of the set ends at its bound; -1: row i does.
func (s *costs) slide(i int, sign float64, d []float64) (hit int) {
	room := float64(s.c*s.high[i]) - s.beta[i]
	if sign < 0 {
		room = s.beta[i] - float64(s.c*s.low[i])
	}
	hit = -1
	for k, j := range s.set.Rows {
		d[k] *= -sign
		if d[k] == 0 {
			continue
		}
		bound := float64(s.c * s.high[j])
		if d[k] < 0 {
			bound = float64(s.c * s.low[j])
		}
		if step := max(0, (bound-s.beta[j])/d[k]); step < room {
			room, hit = step, k
		}
	}
	rows, by := append([]int{i}, s.set.Rows...), []float64{sign * room}
	s.beta[i] += float64(sign * room)
	for k, j := range s.set.Rows {
		by = append(by, room*d[k])
		s.beta[j] += float64(room * d[k])
	}
	s.drift.r += s.add(s.r, rows, by) + s.drift.roundings(sizeOf(s.beta))
	return hit
}

// renew takes roundings away, and makes the factor anew after many changes.
func (s *costs) renew() {
	if s.set.IsWorn() {
		rows := s.set.Rows
		s.set.Clear()
		for _, i := range rows {
			s.enter(i)
		}
	}
	s.polish()
}
