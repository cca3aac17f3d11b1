package newton

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec/ramp"
	"github.com/fenchel-ml/fenchel/loss"
)

// ramps is one ramp of every row in the interior-point method, whose symbols are
// explained there, in the form of ramp.Rows: x is a if that is at most J/2, else -b,
// because of two numbers whose sum is J the smaller one has the digits of both.
type ramps struct {
	jump, width float64 // J, W
	shift       float64 // t, counted from the first ramp of the row
	x, r, u     []float64
}

// newRamps returns the ramps of rows that are still to be centred.
func newRamps(l loss.Cornered, n int) []ramps {
	_, all := l.Ramps(1)
	var s []ramps
	for _, e := range all {
		if e.Jump > 0 {
			s = append(s, ramps{jump: e.Jump, width: e.Width, shift: e.At - all[0].At,
				x: make([]float64, n), r: make([]float64, n), u: make([]float64, n)})
		}
	}
	return s
}

// A corner is what a loss is without its ramps, for one target: its slope, where the
// first ramp begins and the loss there.
type corner struct{ slope, at, value float64 }

// A corners knows the corners of a loss by target; the two of classes by heart.
type corners struct {
	loss    loss.Cornered
	classes bool
	known   [2]corner
}

func newCorners(l loss.Cornered) *corners {
	c := &corners{loss: l}
	c.known = [2]corner{c.of(-1), c.of(1)}
	_, c.classes = l.(loss.Margin)
	return c
}

func (c *corners) of(y float64) corner {
	if c.classes {
		return c.known[class(y)]
	}
	slope, all := c.loss.Ramps(y)
	return corner{slope, all[0].At, c.loss.Value(all[0].At, y)}
}

// smaller is the inverse of ramp.Split: the larger of a and b follows from the smaller.
func smaller(a, b float64) float64 {
	if a <= b {
		return a
	}
	return -b
}

// end is how far above t the ramp ends.
func (e *ramps) end() float64 { return float64(e.width * e.jump) }

// share returns the largest part of its way to the ramp that a row beside it goes in
// its move, or most if that is more. Products are compared, because they are cheaper
// than quotients. A row that is infinitely far away goes no part of its way.
func (e *ramps) share(away, move []float64, most float64) float64 {
	half := e.end() / 2
	middle := e.shift + half
	move = move[:len(away)]
	for i, q := range away {
		q -= middle
		if toward, way := -math.Copysign(1, q)*move[i], math.Abs(q)-half; toward > float64(most*way) {
			most = toward / way
		}
	}
	return most
}

// centre sets the variables of row i to a r = b u, q above t.
func (e *ramps) centre(i int, q, room float64) {
	away := q - e.end()/2
	e.u[i], e.r[i] = max(away, 0)+room, max(-away, 0)+room
	e.x[i] = smaller(e.jump*(e.u[i]/(e.u[i]+e.r[i])), e.jump*(e.r[i]/(e.u[i]+e.r[i])))
}

// keep leaves the given rows, which increase from block to block.
func (e *ramps) keep(rows []int32) {
	e.x, e.r, e.u = kept(e.x, rows), kept(e.r, rows), kept(e.u, rows)
}

// kept moves the given numbers to the front, whose places increase from block to block.
func kept(v []float64, rows []int32) []float64 {
	var room [parts.BlockRows]float64
	for lo := 0; lo < len(rows); lo += parts.BlockRows {
		block := rows[lo:min(lo+parts.BlockRows, len(rows))]
		for k, i := range block {
			room[k] = v[i]
		}
		copy(v[lo:], room[:len(block)])
	}
	return v[:len(rows)]
}

// grow makes room for n rows.
func (e *ramps) grow(n int) {
	more := make([]float64, n-len(e.x))
	e.x, e.r, e.u = append(e.x, more...), append(e.r, more...), append(e.u, more...)
}

// A rows is a block of rows as the passes see them.
type rows struct {
	lo, hi       int
	away         []float64 // predictions, counted from t of the first ramp
	before, move []float64 // steps of the predictions: predictor's, corrector's
	weight       []float64 // s
}

// of returns the ramps of a block of rows. The passes over them are the loops of
// ramp.Rows: 2 to 8 ns a row where plain Go takes 25.
func (e *ramps) of(b rows) *ramp.Rows {
	return &ramp.Rows{Jump: e.jump, Width: e.width, Shift: e.shift, X: e.x[b.lo:b.hi], R: e.r[b.lo:b.hi], U: e.u[b.lo:b.hi],
		Away: b.away[b.lo:b.hi], Before: b.before[b.lo:b.hi], Move: b.move[b.lo:b.hi], Weight: b.weight[b.lo:b.hi]}
}

// common returns by how much the conjugate of a loss is below those of its two
// ramps: a slope comes from the first as far as that goes. That is so for corners; for
// wide ramps 0 will do.
func common(first, second *ramps, b rows) (sum float64) {
	if first.width > 0 || second.width > 0 {
		return 0
	}
	for i := b.lo; i < b.hi; i++ {
		_, left := ramp.Split(first.x[i], first.jump)
		taken, _ := ramp.Split(second.x[i], second.jump)
		sum += float64(b.weight[i] * float64((second.shift-first.shift)*min(left, taken)))
	}
	return sum
}

// addSlopes adds scale s a to v.
func addSlopes(v []float64, e *ramp.Rows, scale float64) {
	for i, x := range e.X {
		a, _ := ramp.Split(x, e.Jump)
		v[i] += float64(float64(e.Weight[i]*scale) * a)
	}
}

// class returns 0 for a target below 0, else 1, without a branch: rows of either class
// follow each other at random.
func class(y float64) int { return int(math.Float64bits(y)>>63) ^ 1 }

// blocksOf returns how many blocks n rows make.
func blocksOf(n int) int { return (n + parts.BlockRows - 1) / parts.BlockRows }
