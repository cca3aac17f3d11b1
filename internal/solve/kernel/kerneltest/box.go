package kerneltest

import (
	"math"

	"github.com/fenchel-ml/fenchel/problem"
)

// Boxed is the problem min x^T K x/2 - y^T x with lo <= x <= hi and, if
// balanced, sum x = 0: the dual of hinge machines, for an oracle that knows
// nothing of the solvers.
type Boxed struct {
	K         [][]float64
	Y, Lo, Hi []float64
	Balanced  bool
}

// Solve is Mehrotra's predictor and corrector method, on dense matrices, which
// returns the solution and its value.
func (q *Boxed) Solve() (x []float64, value float64) {
	n := len(q.Y)
	x = make([]float64, n)
	s, t := make([]float64, n), make([]float64, n) // multipliers of lo and hi
	for i := range n {
		x[i] = (q.Lo[i] + q.Hi[i]) / 2
		s[i], t[i] = 1, 1
	}
	b := 0.0
	for range 200 {
		mu := q.complementarity(x, s, t, nil, nil, nil, 0)
		rd, rp := q.residual(x, s, t, b)
		if mu < 1e-13*(1+math.Abs(q.value(x))) && norm(rd) < 1e-9 && math.Abs(rp) < 1e-9 {
			break
		}
		factor := q.factor(x, s, t)
		dx, ds, dt, _ := q.direction(factor, x, s, t, rd, rp, 0, nil, nil, nil)
		step := q.longest(x, s, t, dx, ds, dt)
		after := q.complementarity(x, s, t, dx, ds, dt, step)
		target := mu * math.Pow(after/mu, 3)
		dx, ds, dt, db := q.direction(factor, x, s, t, rd, rp, target, dx, ds, dt)
		step = 0.995 * q.longest(x, s, t, dx, ds, dt)
		for i := range n {
			x[i] += step * dx[i]
			s[i] += step * ds[i]
			t[i] += step * dt[i]
		}
		b += step * db
	}
	return x, q.value(x)
}

func (q *Boxed) value(x []float64) (v float64) {
	for i, xi := range x {
		sum := 0.0
		for j, xj := range x {
			sum += q.K[i][j] * xj
		}
		v += xi * (sum/2 - q.Y[i])
	}
	return v
}

// residual returns K x - y + b - s + t, and the sum of x.
func (q *Boxed) residual(x, s, t []float64, b float64) (rd []float64, rp float64) {
	rd = make([]float64, len(x))
	for i := range x {
		for j, xj := range x {
			rd[i] += q.K[i][j] * xj
		}
		rd[i] += b - q.Y[i] - s[i] + t[i]
		rp += x[i]
	}
	if !q.Balanced {
		rp = 0
	}
	return rd, rp
}

// complementarity is the mean product of slacks and multipliers after a step.
func (q *Boxed) complementarity(x, s, t, dx, ds, dt []float64, step float64) (mu float64) {
	for i := range x {
		xi, si, ti := x[i], s[i], t[i]
		if dx != nil {
			xi, si, ti = xi+step*dx[i], si+step*ds[i], ti+step*dt[i]
		}
		mu += (xi-q.Lo[i])*si + (q.Hi[i]-xi)*ti
	}
	return mu / float64(2*len(x))
}

// factor returns Cholesky's factor of K + D.
func (q *Boxed) factor(x, s, t []float64) [][]float64 {
	n := len(x)
	l := make([][]float64, n)
	for i := range l {
		l[i] = append([]float64(nil), q.K[i][:i+1]...)
		l[i][i] += s[i]/(x[i]-q.Lo[i]) + t[i]/(q.Hi[i]-x[i])
		for j := range i + 1 {
			for m := range j {
				l[i][j] -= l[i][m] * l[j][m]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(l[i][i], 1e-14))
			} else {
				l[i][j] /= l[j][j]
			}
		}
	}
	return l
}

func triangular(l [][]float64, rhs []float64) []float64 {
	v := append([]float64(nil), rhs...)
	for i := range v {
		for j := range i {
			v[i] -= l[i][j] * v[j]
		}
		v[i] /= l[i][i]
	}
	for i := len(v) - 1; i >= 0; i-- {
		for j := i + 1; j < len(v); j++ {
			v[i] -= l[j][i] * v[j]
		}
		v[i] /= l[i][i]
	}
	return v
}

func (q *Boxed) direction(l [][]float64, x, s, t, rd []float64, rp, mu float64, px, ps, pt []float64) (dx, ds, dt []float64, db float64) {
	n := len(x)
	rs, rt, z, ones := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		below, above := x[i]-q.Lo[i], q.Hi[i]-x[i]
		rs[i], rt[i] = mu-below*s[i], mu-above*t[i]
		if px != nil {
			rs[i] -= px[i] * ps[i]
			rt[i] += px[i] * pt[i]
		}
		z[i] = -rd[i] + rs[i]/below - rt[i]/above
		ones[i] = 1
	}
	dx = triangular(l, z)
	if q.Balanced {
		u := triangular(l, ones)
		sumU, sumV := 0.0, 0.0
		for i := range n {
			sumU += u[i]
			sumV += dx[i]
		}
		db = (sumV + rp) / sumU
		for i := range n {
			dx[i] -= db * u[i]
		}
	}
	ds, dt = make([]float64, n), make([]float64, n)
	for i := range n {
		ds[i] = (rs[i] - s[i]*dx[i]) / (x[i] - q.Lo[i])
		dt[i] = (rt[i] + t[i]*dx[i]) / (q.Hi[i] - x[i])
	}
	return dx, ds, dt, db
}

// longest returns the step, at most 1, that keeps everything positive.
func (q *Boxed) longest(x, s, t, dx, ds, dt []float64) float64 {
	step := 1.0
	reach := func(v, d float64) {
		if d < 0 {
			step = min(step, -v/d)
		}
	}
	for i := range x {
		reach(x[i]-q.Lo[i], dx[i])
		reach(q.Hi[i]-x[i], -dx[i])
		reach(s[i], ds[i])
		reach(t[i], dt[i])
	}
	return step
}

func norm(v []float64) (most float64) {
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}

// QuadraticOf writes down the dual of a hinge machine.
func QuadraticOf(p *problem.Kernel) *Boxed {
	n := p.Len()
	q := &Boxed{Balanced: p.Bias == problem.Free, Y: p.Y}
	for i := range n {
		c := p.S[i] / (p.Lambda * p.N)
		row := make([]float64, n)
		for j := range row {
			row[j] = p.Kernel.Eval(p.X.Row(i), p.X.Row(j)) + p.Constant()
		}
		q.K = append(q.K, row)
		q.Lo, q.Hi = append(q.Lo, min(0, c*p.Y[i])), append(q.Hi, max(0, c*p.Y[i]))
	}
	return q
}
