package problem

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// exactJoint returns the value for predictions.
func exactJoint(l joint.Loss, p []*big.Float, y int) *big.Float {
	if _, svm := l.(joint.CrammerSinger); svm {
		worst := newBig(0)
		for k, x := range p {
			if k != y {
				worst = atLeast(worst, add(newBig(1), sub(x, p[y])))
			}
		}
		return worst
	}
	top := p[0]
	for _, x := range p {
		top = atLeast(top, x)
	}
	sum := newBig(0)
	for _, x := range p {
		if away := sub(x, top); away.Cmp(newBig(-1000)) > 0 {
			sum = add(sum, exponential(away))
		}
	}
	return add(sub(top, p[y]), logarithm(sum))
}

// exactJointConjugate returns the conjugate at numbers of the other classes.
func exactJointConjugate(l joint.Loss, a []*big.Float, y int) *big.Float {
	moved, sum := newBig(0), newBig(0)
	for k, x := range a {
		if k == y {
			continue
		}
		moved = add(moved, x)
		sum = add(sum, entropic(x))
	}
	if _, svm := l.(joint.CrammerSinger); svm {
		return newBig(0).Neg(moved)
	}
	return add(sum, entropic(sub(newBig(1), moved)))
}

// jointDraw is a small problem and a point of it.
type jointDraw struct {
	*Joint
	w, a []float64
}

func newJointDraw(t *testing.T, r *rand.Rand, wild bool) jointDraw {
	n, d, k := 3+r.IntN(8), 1+r.IntN(3), 2+r.IntN(4)
	size := func() float64 {
		if !wild {
			return 1
		}
		return math.Exp(20 * r.NormFloat64())
	}
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	spread := min(size(), 1e12)
	for i := range x.Value {
		x.Value[i] = float32(spread * r.NormFloat64())
	}
	y, s := make([]uint32, n), make([]float64, n)
	for i := range y {
		y[i], s[i] = uint32(r.IntN(k)), math.Exp(r.NormFloat64())
	}
	pen := []penalty.Penalty{penalty.L2{}, penalty.L1{}, penalty.ElasticNet{Ratio: 0.3}}[r.IntN(3)]
	l := []joint.Loss{joint.Softmax{}, joint.CrammerSinger{}}[r.IntN(2)]
	p, err := NewJoint(NewRows(x, 1), y, k, s, l, pen, 0.1*size(), Bias(r.IntN(3)))
	if err != nil {
		t.Fatal(err)
	}
	draw := jointDraw{p, make([]float64, (d+1)*k), make([]float64, n*k)}
	weights := size()
	for j := range draw.w {
		draw.w[j] = weights * r.NormFloat64()
	}
	if p.Bias == None {
		clear(draw.w[d*k:])
	}
	share := [...]float64{1e-150, 1e-9, 0.1, 1, 3}[r.IntN(5)]
	for i := range draw.a {
		draw.a[i] = share * r.ExpFloat64()
		if r.IntN(4) == 0 {
			draw.a[i] = [...]float64{-1, 0, math.NaN(), math.Inf(1)}[r.IntN(4)]
		}
	}
	return draw
}

// primal is the exact objective.
func (p jointDraw) primal() *big.Float {
	_, d := p.X.Dims()
	k, sum := p.Classes, newBig(0)
	for i, y := range p.Y {
		at := bigs(p.w[d*k:])
		for j, v := range p.X.Row(i).Value {
			for c := range at {
				at[c] = add(at[c], mul(newBig(float64(v)), newBig(p.w[j*k+c])))
			}
		}
		sum = add(sum, mul(newBig(p.S[i]), exactJoint(p.Loss, at, int(y))))
	}
	return add(quo(sum, exactTotal(p.S)), mul(newBig(p.Lambda), exactPenalty(p.Penalty, bigs(p.w[:p.Penalised()]))))
}

// dual is the exact dual objective at what feasible makes of the point, at that scale; and
// the largest |u_j|.
func (p jointDraw) dual(t *testing.T, scale float64) (value, largest *big.Float) {
	t.Helper()
	_, d := p.X.Dims()
	k, v := p.Classes, make([]float64, len(p.a))
	p.feasible(v, p.a)
	u, sum := bigs(make([]float64, (d+1)*k)), newBig(0)
	for i, y := range p.Y {
		own, rest := make([]*big.Float, k), newBig(0)
		for c := range own {
			if own[c] = newBig(v[i*k+c]); c != int(y) {
				rest = add(rest, own[c])
			}
		}
		if rest.Cmp(newBig(p.S[i])) > 0 {
			t.Fatalf("row %d: dual variables add up to %v, more than the weight %g", i, rest, p.S[i])
		}
		own[y] = newBig(0).Neg(rest)
		a := make([]*big.Float, k)
		for c := range own {
			for j, x := range p.X.Row(i).Value {
				u[j*k+c] = add(u[j*k+c], mul(newBig(float64(x)), own[c]))
			}
			u[d*k+c] = add(u[d*k+c], own[c])
			a[c] = mul(newBig(scale), quo(own[c], newBig(p.S[i])))
		}
		sum = add(sum, mul(newBig(p.S[i]), exactJointConjugate(p.Loss, a, int(y))))
	}
	if p.Bias == Free {
		for c, x := range u[d*k:] {
			if x.Sign() != 0 {
				t.Fatalf("class %d: dual variables add up to %v, expected exactly 0", c, x)
			}
		}
	}
	u, largest = u[:p.Penalised()], newBig(0)
	for j := range u {
		u[j] = mul(newBig(scale), quo(u[j], mul(newBig(-p.Lambda), exactTotal(p.S))))
		largest = atLeast(largest, magnitude(u[j]))
	}
	value = newBig(0).Neg(quo(sum, exactTotal(p.S)))
	if p.Penalty.StrongConvexity() > 0 {
		value = sub(value, mul(newBig(p.Lambda), exactPenaltyConjugate(p.Penalty, u)))
	}
	return value, largest
}

// TestJointExact compares objectives with those in big arithmetic: both are off by no more than
// they say, and the certificate's bound is below every objective.
func TestJointExact(t *testing.T) {
	for seed := range uint64(min(600, *draws/5)) { // 200, unless more are asked for
		p := newJointDraw(t, rand.New(rand.NewPCG(seed, 27)), seed%2 == 1)
		exact := p.primal()
		primal, bound := p.Primal(p.w)
		if off := magnitude(sub(newBig(primal), exact)); bound-bound == 0 && primal-primal == 0 && off.Cmp(newBig(bound)) > 0 {
			t.Fatalf("seed %d: primal %g, want %.17g: off by %g, more than %g", seed, primal, exact, off, bound)
		}
		dual, bound := p.Dual(p.a)
		c := p.Certify(Point{W: p.w, A: p.a})
		if !math.IsInf(c.Dual, -1) && newBig(c.Dual).Cmp(exact) > 0 || len(c.Warnings) > 0 {
			t.Fatalf("seed %d: bound %g above %g: %v", seed, c.Dual, exact, c.Warnings)
		}
		if p.Penalty.StrongConvexity() == 0 {
			continue // at a scale of its own, see TestJointBox
		}
		want, _ := p.dual(t, 1)
		if off := magnitude(sub(newBig(dual), want)); bound-bound == 0 && dual-dual == 0 && off.Cmp(newBig(bound)) > 0 {
			t.Fatalf("seed %d: dual %g, want %.17g: off by %g, more than %g", seed, dual, want, off, bound)
		}
		if seed%2 == 0 && !(bound < 1e-11*(1+math.Abs(dual))) {
			t.Fatalf("seed %d: the bound %g on the rounding of %g is of no use", seed, bound, dual)
		}
	}
}

// TestJointBox: with the penalty l1 the point is in the box, exactly, at the scale that is
// computed: the dual there is finite and not below what is claimed.
func TestJointBox(t *testing.T) {
	tested := 0
	for seed := range uint64(600) {
		p := newJointDraw(t, rand.New(rand.NewPCG(seed, 28)), false)
		if p.Penalty.StrongConvexity() > 0 {
			continue
		}
		tested++
		v := make([]float64, len(p.a))
		p.feasible(v, p.a)
		u := make([]float64, len(p.w))
		chain := p.CombineTo(u, v) + p.Classes
		u = u[:p.Penalised()]
		for j := range u {
			u[j] *= -1 / (p.Lambda * p.N)
		}
		rounding, underflow, uError := roundingsOf(chain, 1/(p.Lambda*p.N), p.magnitude(v), len(u))
		c := conjugation{penalty: p.Penalty, u: u, uError: uError, widen: func(u []float64) { p.widen(u, v, rounding, underflow) }}
		scale := c.evaluate()
		value, largest := p.dual(t, scale)
		if largest.Cmp(newBig(1)) > 0 {
			t.Fatalf("seed %d: at the scale %g a number is %v, outside of the box", seed, scale, largest)
		}
		dual, bound := p.Dual(p.a)
		if newBig(dual-bound).Cmp(value) > 0 {
			t.Fatalf("seed %d: dual %g with the bound %g, want %v", seed, dual, bound, value)
		}
	}
	if tested < 100 {
		t.Errorf("only %d problems with the penalty l1", tested)
	}
}

// TestBalanceFlows: sums are exactly 0, nothing grows, and what is lost is not far more than the
// excess.
func TestBalanceFlows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 27))
	for trial := range 800 {
		n, k := 1+r.IntN(40), 2+r.IntN(6)
		v, y := make([]float64, n*k), make([]uint32, n)
		spread := float64(trial%5) * 3
		for i := range y {
			y[i] = uint32(r.IntN(k))
			for c := range k {
				if c != int(y[i]) && r.IntN(3) > 0 {
					v[i*k+c] = math.Exp(spread * r.NormFloat64())
				}
			}
		}
		if trial%10 == 0 { // a cycle that is balanced but for little
			clear(v)
			for i := range y {
				y[i] = uint32(i % k)
				v[i*k+(i+1)%k] = 1 - 1e-9*r.Float64()
			}
		}
		before := slices.Clone(v)
		balanceFlows(v, y, k)
		sums, kept, all := make([]*big.Float, k), 0.0, 0.0
		for c := range sums {
			sums[c] = newBig(0)
		}
		for i := range v {
			if v[i] < 0 || v[i] > before[i] {
				t.Fatalf("trial %d: %g became %g", trial, before[i], v[i])
			}
			kept, all = kept+v[i], all+before[i]
			sums[i%k] = add(sums[i%k], newBig(v[i]))
			sums[y[i/k]] = sub(sums[y[i/k]], newBig(v[i]))
		}
		for c, s := range sums {
			if s.Sign() != 0 {
				t.Fatalf("trial %d: class %d has %v, expected exactly 0", trial, c, s)
			}
		}
		if trial%10 == 0 && n >= k && n%k == 0 && kept < (1-1e-8)*all {
			t.Errorf("trial %d: of %g only %g is left", trial, all, kept)
		}
	}
}

// TestJointThreads: the bits do not depend on the threads, sparse rows and dense ones are the
// same problem.
func TestJointThreads(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 27))
	n, d, k := 5000, 6, 4
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	sparse := &matrix.CSR{Cols: d, Start: []int64{0}}
	y, a, w := make([]uint32, n), make([]float64, n*k), make([]float64, (d+1)*k)
	for i := range y {
		y[i] = uint32(r.IntN(k))
		index := []uint32{}
		for j := range d {
			if r.IntN(2) == 0 {
				x.Value[i*d+j] = float32(r.NormFloat64())
				index = append(index, uint32(j))
			}
		}
		value := []float32{}
		for _, j := range index {
			value = append(value, x.Value[i*d+int(j)])
		}
		sparse.Append(index, value)
	}
	for i := range a {
		a[i] = r.Float64() / float64(k)
	}
	for j := range w {
		w[j] = r.NormFloat64()
	}
	var first Certificate
	for trial, threads := range []int{1, 2, 3} {
		var m matrix.Matrix = x
		if trial == 2 {
			m = sparse
		}
		p, err := NewJoint(NewRows(m, threads), y, k, nil, joint.Softmax{}, penalty.L2{}, 0.01, Free)
		if err != nil {
			t.Fatal(err)
		}
		c := p.Certify(Point{W: w, A: a})
		if trial == 0 {
			first = c
		} else if trial == 1 && (c.Primal != first.Primal || c.Dual != first.Dual) || math.Abs(c.Dual-first.Dual) > 1e-12 || math.Abs(c.Primal-first.Primal) > 1e-12 {
			t.Errorf("%d threads: %+v, expected %+v", threads, c, first)
		}
	}
}

func TestNewJointRefuses(t *testing.T) {
	x := NewRows(&matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}, 1)
	for _, c := range []struct {
		y       []uint32
		classes int
		weights []float64
		lambda  float64
		l       joint.Loss
		pen     penalty.Penalty
		want    string
	}{
		{[]uint32{0, 1}, 1, nil, 1, joint.Softmax{}, penalty.L2{}, "problem: found 1 classes, expected at least two"},
		{[]uint32{0, 2}, 2, nil, 1, joint.Softmax{}, penalty.L2{}, "problem: row 2: class 2, expected a number below 2"},
		{[]uint32{0}, 2, nil, 1, joint.Softmax{}, penalty.L2{}, "problem: found the classes of 1 rows, expected one for each of 2 rows"},
		{[]uint32{0, 1}, 2, nil, 0, joint.Softmax{}, penalty.L2{}, "problem: lambda=0: expected a number > 0"},
		{[]uint32{0, 1}, 2, []float64{1, -1}, 1, joint.Softmax{}, penalty.L2{}, "problem: row 2: weight -1, expected a number from 1e-150 to 1e+150"},
		{[]uint32{0, 1}, 2, nil, 1, nil, penalty.L2{}, "problem: found no loss, expected one, such as joint.Softmax{}"},
		{[]uint32{0, 1}, 2, nil, 1, joint.Softmax{}, penalty.LP{Exponent: 1.5}, "problem: a loss of several classes needs the penalty l2, l1, elastic-net or nuclear"},
	} {
		if _, err := NewJoint(x, c.y, c.classes, c.weights, c.l, c.pen, c.lambda, Free); err == nil || err.Error() != c.want {
			t.Errorf("found %v, expected %q", err, c.want)
		}
	}
}
