package iterate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// eager is what Scaled and Soft compute, on dense vectors, every step at once.
type eager struct {
	Options
	w, h, g, sum []float64
	eta, share   float64
	total        float64
	late         []turn
}

func newEager(o Options, w []float64) *eager {
	d := o.Columns + 1
	e := &eager{Options: o, w: make([]float64, d), h: make([]float64, d), g: make([]float64, d), sum: make([]float64, d), share: 1}
	copy(e.w, w)
	return e
}

func (e *eager) Dot(x matrix.Vector) float64 { return e.dot(e.w, x) }
func (e *eager) Begin(eta float64)           { e.eta = eta; clear(e.g) }
func (e *eager) Share(share float64)         { e.share = share }
func (e *eager) Add(x matrix.Vector, a float64) {
	e.add(e.g, x, a)
}

func (e *eager) Turn(x matrix.Vector, direct, early, late float64) {
	e.add(e.g, x, direct)
	e.add(e.h, x, early)
	e.late = append(e.late, turn{x, late})
}

func (e *eager) End(weight float64) {
	factor, before := e.shrinkage(e.eta)
	for j, w := range e.w {
		if before {
			w *= factor
		}
		w = vec.Shrink(w-e.eta*(e.g[j]+e.share*e.h[j]), e.eta*e.L1)
		if !before {
			w *= factor
		}
		e.w[j] = w
		e.sum[j] += weight * w
	}
	e.total += weight
	for _, t := range e.late {
		e.add(e.h, t.x, t.b)
	}
	e.late = nil
}

func (e *eager) Direct(h []float64) {
	copy(e.h, h)
	if !e.Constant {
		e.h[e.Columns] = 0
	}
}

// randomRow has some of d columns, or all.
func randomRow(r *rand.Rand, d int, dense bool) matrix.Vector {
	var x matrix.Vector
	if !dense {
		x.Index = []uint32{}
	}
	for j := range d {
		if dense || r.Float64() < 0.3 {
			if !dense {
				x.Index = append(x.Index, uint32(j))
			}
			x.Value = append(x.Value, float32(r.NormFloat64()))
		}
	}
	return x
}

func distance(a, b []float64) float64 {
	far, size := 0.0, 1e-3
	for j := range a {
		far, size = max(far, math.Abs(a[j]-b[j])), max(size, math.Abs(b[j]))
	}
	return far / size
}

// TestTwins: over 1000 random sequences of steps, with batches, step lengths that change,
// directions and thresholds, the delayed iterates are those of dense vectors.
func TestTwins(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := 1 + r.IntN(12)
		o := Options{Columns: d, Constant: r.IntN(2) == 0, Forward: r.IntN(2) == 0, L2: r.Float64(), Averaged: true}
		turns, dense := r.IntN(2) == 0, r.IntN(3) == 0
		if r.IntN(2) == 0 {
			o.L1 = 0.3 * r.Float64()
		}
		w := make([]float64, d+1)
		for j := range d {
			w[j] = r.NormFloat64()
		}
		twin := newEager(o, w)
		var it Iterate = NewScaled(o, w)
		if o.L1 > 0 {
			it = NewSoft(o, w)
		}
		got := make([]float64, d+1)
		eta := r.Float64()
		for step := range 60 {
			if r.IntN(20) == 0 {
				eta = 1.2 * r.Float64()
			}
			if step == 0 && o.Forward && o.L2 > 0.1 {
				eta = 1 / o.L2 // the factor is 0
			}
			randomStep(t, r, it, twin, eta, turns, dense)
			if turns && r.IntN(15) == 0 {
				for j := range got {
					got[j] = r.NormFloat64()
				}
				it.(Delayed).Direct(got)
				twin.Direct(got)
			}
			if r.IntN(10) > 0 {
				continue
			}
			if it.Last(got); distance(got, twin.w) > 1e-11 {
				t.Fatalf("seed %d, step %d, %T %+v: %v, eagerly %v", seed, step, it, o, got, twin.w)
			}
		}
		if o.L1 > 0 || turns {
			continue
		}
		it.Average(got)
		for j := range twin.sum {
			twin.sum[j] /= twin.total
		}
		if distance(got, twin.sum) > 1e-8 {
			t.Fatalf("seed %d: average %v, eagerly %v", seed, got, twin.sum)
		}
	}
}

func randomStep(t *testing.T, r *rand.Rand, it Iterate, twin *eager, eta float64, turns, dense bool) {
	t.Helper()
	rows := make([]matrix.Vector, 1+r.IntN(3))
	for k := range rows {
		rows[k] = randomRow(r, twin.Columns, dense)
		if a, b := it.Dot(rows[k]), twin.Dot(rows[k]); math.Abs(a-b) > 1e-10*(1+math.Abs(b)) {
			t.Fatalf("%T %+v: prediction %v, eagerly %v", it, twin.Options, a, b)
		}
	}
	it.Begin(eta)
	twin.Begin(eta)
	if turns && twin.L1 == 0 {
		share := r.Float64()
		it.(Delayed).Share(share)
		twin.Share(share)
	}
	for _, x := range rows {
		a, early, late := r.NormFloat64(), 0.3*r.NormFloat64(), 0.3*r.NormFloat64()
		if !turns {
			it.Add(x, a)
			twin.Add(x, a)
			continue
		}
		it.(Delayed).Turn(x, a, early, late)
		twin.Turn(x, a, early, late)
	}
	weight := r.Float64()
	it.End(weight)
	twin.End(weight)
}

// denseLink computes all of w from theta, as the sources do (linear.md 2.5).
func denseLink(theta []float64, p, scale, radius float64) []float64 {
	q := p / (p - 1)
	m, sum := 0.0, 0.0
	for _, x := range theta {
		m = max(m, math.Abs(x))
	}
	w := make([]float64, len(theta))
	if m == 0 {
		return w
	}
	for _, x := range theta {
		sum += math.Pow(math.Abs(x)/m, q)
	}
	norm := (p - 1) * m * scale * math.Pow(sum, 1/q)
	for j, x := range theta {
		w[j] = math.Copysign((p-1)*m*scale*math.Pow(sum, (2-q)/q)*math.Pow(math.Abs(x)/m, q-1), x) * min(1, radius/norm)
	}
	return w
}

func normP(w []float64, p float64) float64 {
	sum := 0.0
	for _, x := range w {
		sum += math.Pow(math.Abs(x), p)
	}
	return math.Pow(sum, 1/p)
}

// TestLink: the link that only touches the columns of a row is the dense one to 1e-10, with
// and without a ball, and so is the average; no iterate leaves the ball.
func TestLink(t *testing.T) {
	for _, p := range []float64{1.05, 1.2, 1.5, 1.8, 2} {
		for _, radius := range []float64{math.Inf(1), 3} {
			r := rand.New(rand.NewPCG(1, uint64(100*p)))
			o := Options{Columns: 30, Constant: true, Averaged: true}
			it := NewLink(o, p, 0.01, radius, nil, 0)
			theta, sum, total := make([]float64, 31), make([]float64, 31), 0.0
			got := make([]float64, 31)
			for step := range 3000 {
				x, a := randomRow(r, 30, false), 0.3*r.NormFloat64()
				it.Begin(1)
				it.Add(x, a)
				it.End(float64(step))
				o.add(theta, x, -a)
				w := denseLink(theta, p, 1/(float64(step+2)*0.01), radius)
				for j := range w {
					sum[j] += float64(step) * w[j]
				}
				total += float64(step)
				if it.Last(got); distance(got, w) > 1e-10 {
					t.Fatalf("p %g, step %d: %v, dense %v", p, step, got, w)
				}
				if normP(got, p) > radius*(1+1e-12) {
					t.Fatalf("p %g, step %d: |w|_p = %g, radius %g", p, step, normP(got, p), radius)
				}
			}
			it.Average(got)
			for j := range sum {
				sum[j] /= total
			}
			if distance(got, sum) > 1e-5 {
				t.Errorf("p %g: average %v, dense %v", p, got, sum)
			}
			again := NewLink(o, p, 0.01, math.Inf(1), sum, 50)
			if again.Last(got); distance(got, sum) > 1e-10 {
				t.Errorf("p %g: begun at %v it is %v", p, sum, got)
			}
		}
	}
}

// TestEntropic: the weights are B sinh/cosh over the sum, their norm is below B, and the iterate
// begins where it is told to.
func TestEntropic(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	o := Options{Columns: 20, Averaged: true, L1: 0.02}
	it := NewEntropic(o, 5, nil)
	theta, got, tau := make([]float64, 21), make([]float64, 21), 0.0
	for step := range 3000 {
		eta := 3 / math.Sqrt(float64(step+1))
		x, a := randomRow(r, 20, false), r.NormFloat64()-0.5
		it.Begin(eta)
		it.Add(x, a)
		it.End(1)
		o.add(theta, x, -eta*a)
		tau += eta * o.L1
		most := tau
		for _, v := range theta[:20] {
			most = max(most, math.Abs(v))
		}
		z := math.Exp(tau - most)
		for _, v := range theta[:20] {
			z += math.Exp(v-most) + math.Exp(-v-most)
		}
		want := make([]float64, 21)
		for j, v := range theta[:20] {
			want[j] = 5 * (math.Exp(v-most) - math.Exp(-v-most)) / z
		}
		if it.Last(got); distance(got, want) > 1e-9 || normP(got, 1) > 5*(1+1e-12) {
			t.Fatalf("step %d: %v, want %v", step, got, want)
		}
	}
	for j := range got {
		got[j] = r.NormFloat64() / 10
	}
	got[20] = 0
	w := make([]float64, 21)
	if NewEntropic(o, 5, got).Last(w); distance(w, got) > 1e-6 {
		t.Errorf("begun at %v it is %v", got, w)
	}
}

// TestFenchelEquality: the link attains the conjugate: r(w) + r*(theta) = <theta, w> for r = |w|_p^2/(2(p-1)), on
// all weights and on a ball, where r* is ((p-1)/2)|theta|_q^2 up to |w|_p = B and B |theta|_q - B^2/(2(p-1))
// beyond.
func TestFenchelEquality(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, p := range []float64{1.05, 1.2, 1.5, 1.8, 2} {
		for _, radius := range []float64{math.Inf(1), 3, 0.1} {
			for range 100 {
				theta := make([]float64, 1+r.IntN(20))
				for j := range theta {
					theta[j] = 3 * r.NormFloat64()
				}
				w := denseLink(theta, p, 1, radius)
				q, size, length, inner := p/(p-1), 0.0, 0.0, 0.0
				for j, v := range theta {
					size += math.Pow(math.Abs(w[j]), p)
					length += math.Pow(math.Abs(v), q)
					inner += v * w[j]
				}
				size, length = math.Pow(size, 1/p), math.Pow(length, 1/q)
				value, conjugate := size*size/(2*(p-1)), (p-1)/2*length*length
				if (p-1)*length > radius {
					conjugate = radius*length - radius*radius/(2*(p-1))
				}
				if off := math.Abs(value + conjugate - inner); off > 1e-12*max(1, inner) {
					t.Fatalf("p=%g, radius %g: r + r* = %v, <theta, w> = %v", p, radius, value+conjugate, inner)
				}
			}
		}
	}
}
