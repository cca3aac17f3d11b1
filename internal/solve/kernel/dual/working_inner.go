package dual

import (
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
)

// block is the dual problem of a working set: all that it needs, in one place.
type block struct {
	Dual
	square    symmetric // K, the constant of a bias that is a feature included
	single    bool      // the matrix is rounded to single precision
	definite  bool
	allRows   bool // the working set is all rows
	unchanged bool // the working set, and so the matrix, are those of the last solution
	face      face
	most      int  // free coefficients, of which more are left to a broader face
	settled   bool // the arithmetic ended the last solution
	unsolved  bool // it was left to a broader face
	gradient  gradient
	descends  bool // by it
}

// begin copies what belongs to the rows of the set.
func (b *block) begin(d *Dual, set []int, p *problem.Kernel) {
	b.loss, b.free, b.sigma, b.Limit = d.loss, d.free, d.sigma, d.Limit
	b.square.lower.Stop = b.Limit
	b.Negative = 0
	b.definite, b.single, b.unchanged, b.square.threads = p.Definite(), p.Single(), false, p.Threads()
	b.y = Gather(b.y, d.y, set)
	b.C = Gather(b.C, d.C, set)
	b.Lo = Gather(b.Lo, d.Lo, set)
	b.Hi = Gather(b.Hi, d.Hi, set)
	b.Beta = Gather(b.Beta, d.Beta, set)
	b.R = Gather(b.R, d.R, set)
	b.Up = Gather(b.Up, d.Up, set)
	b.Low = Gather(b.Low, d.Low, set)
	b.K = Gather(b.K, d.K, set)
	b.Own = b.Own[:0]
	for k, c := range b.C {
		b.Own = append(b.Own, b.K[k]+b.sigma/c)
	}
	q := len(set)
	if b.unchanged = q == p.Len() && b.allRows; b.unchanged {
		return // all rows in order, as before
	}
	b.allRows = q == p.Len()
	b.read(set, p)
	for k := range set {
		b.K[k] = b.row(k)[k]
	}
}

// read finds K of the set: where it is, if all of it is at hand, or else in a copy.
func (b *block) read(set []int, p *problem.Kernel) {
	q, constant := len(set), p.Constant()
	if b.allRows && constant == 0 {
		if value, stride, ok := p.Whole(); ok {
			b.square.value, b.square.stride = value, stride
			return
		}
	}
	value := b.square.room(q * q)
	b.square.stride = q
	p.Square(value, set)
	if constant != 0 {
		for k := range value {
			value[k] += constant
		}
	}
}

func (b *block) row(k int) []float64 { return b.square.value[k*b.square.stride:][:len(b.R)] }

func Gather[T any](dst, src []T, at []int) []T {
	dst = dst[:0]
	for _, i := range at {
		dst = append(dst, src[i])
	}
	return dst
}

// solve goes on until the violation is that share of what it was: by pairs, and
// where these lead nowhere on the whole face. On a9a and w8a pairs are enough.
// A face of more than most is left to steps on a broader one.
func (b *block) solve(share float64, most int) {
	goal := share * b.violation()
	b.settled, b.most = false, most
	if b.descends {
		b.descend(goal)
		return
	}
	b.unsolved = !b.pairs(goal) && b.definite && !ablated.has(withoutFace)
	if b.unsolved && b.interior() <= b.most {
		b.unsolved = false
		b.face.begin(&b.Dual, &b.square, b.square.times, b.roundings(b.single), b.unchanged)
		b.settled = b.face.solve(goal)
	}
}

// pairs makes steps of pairs, and reports whether it was worth while to do so to the
// end.
func (b *block) pairs(goal float64) bool {
	n := len(b.R)
	for steps := 1; steps <= mostPairs*n; steps++ {
		if !b.advance(goal) {
			return true
		}
		if steps%1024 == 0 && b.Limit.Reached() {
			return true
		}
		if b.definite && steps%n == 0 && steps > b.patience() && !ablated.has(withoutFace) {
			return false
		}
	}
	return false
}

// mostPairs is how many steps are made at most for each coefficient.
const mostPairs = 100

// patience returns how many pairs cost about what the steps on the face do, which
// factor a matrix of the free coefficients some ten times.
func (b *block) patience() int {
	free := b.interior()
	if free > b.most {
		return 1000 + 10*free
	}
	return 1000 + 10*free + free*free/32*free/len(b.R)
}

// advance makes the step of a pair, or of one coefficient where there is no
// free bias, unless the violation is at most goal.
func (b *block) advance(goal float64) bool {
	i, j, kij := b.choose(goal)
	if i < 0 && j < 0 {
		return false
	}
	t := b.step(i, j, kij)
	if !(t > 0) {
		return false
	}
	if i >= 0 {
		vec.Axpy64(b.R, t, b.row(i))
	}
	if j >= 0 {
		vec.Axpy64(b.R, -t, b.row(j))
	}
	b.move(i, j, t)
	return true
}

// choose returns what to move next, -1 and -1 if the violation is at most goal.
func (b *block) choose(goal float64) (i, j int, kij float64) {
	if !b.free {
		i, j, violation := b.bestOne()
		if violation <= goal {
			return -1, -1, 0
		}
		return i, j, 0
	}
	i, j = b.Extremes()
	if i < 0 || b.Up[i]-b.R[i]-(b.Low[j]-b.R[j]) <= goal {
		return -1, -1, 0
	}
	if j = b.Partner(i, b.row(i)); j < 0 {
		return -1, -1, 0
	}
	return i, j, b.row(i)[j]
}
