package problem

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
)

// JointRisk is the part of a problem of several classes that sees predictions only: the
// average of one loss of the K predictions of each row, and its conjugate.
type JointRisk struct {
	Y       []uint32  // n classes, each below Classes
	S       []float64 // n row weights
	N       float64   // their sum
	Classes int       // K
	Loss    joint.Loss
	Lambda  float64
	Bias    Bias
	Numbers []*Risk // of each target, in place of classes and their loss: several targets that are numbers; nil: classes

	threads int
	zero    float64
}

// newJointRisk checks the numbers. weights == nil means that every row counts once.
func newJointRisk(n int, y []uint32, classes int, weights []float64, l joint.Loss, lambda float64, bias Bias, threads int) (*JointRisk, error) {
	switch {
	case n == 0:
		return nil, errors.New("problem: found no rows, expected at least one")
	case l == nil:
		return nil, errors.New("problem: found no loss, expected one, such as joint.Softmax{}")
	case classes < 2:
		return nil, dataError("found %d classes, expected at least two", classes)
	case len(y) != n:
		return nil, fmt.Errorf("problem: found the classes of %d rows, expected one for each of %d rows", len(y), n)
	}
	for i, c := range y {
		if int64(c) >= int64(classes) {
			return nil, dataError("row %d: class %d, expected a number below %d", i+1, c, classes)
		}
	}
	// Row weights and lambda are those of any problem: a loss of one prediction stands in.
	r, err := newRisk(n, slices.Repeat([]float64{1}, n), weights, l.Two(), lambda, bias, threads)
	if err != nil {
		return nil, err
	}
	p := &JointRisk{Y: y, S: r.S, N: r.N, Classes: classes, Loss: l, Lambda: lambda, Bias: bias, threads: threads}
	p.zero = p.atZero()
	return p, nil
}

// atZero returns the objective of the zero point: the loss there is one number for each class.
func (p *JointRisk) atZero() float64 {
	zero, value := make([]float64, p.Classes), make([]float64, p.Classes)
	for y := range value {
		value[y] = p.Loss.Value(zero, y)
	}
	return sumBlocks(len(p.Y), p.threads, func(_, lo, hi int) float64 {
		var total vec.Sum
		for i := lo; i < hi; i++ {
			total.Add(p.S[i] * value[p.Y[i]])
		}
		return total.Value()
	}) / p.N
}

// Constant is the squared value of the constant column that the penalty sees.
func (p *JointRisk) Constant() float64 {
	if p.Bias == Feature {
		return 1
	}
	return 0
}

// Zero returns the objective of the zero point.
func (p *JointRisk) Zero() float64 { return p.zero }

// Slopes sets a, n x K, to the derivatives of the losses at predictions, which may be a.
func (p *JointRisk) Slopes(a, predictions []float64) {
	k := p.Classes
	parallel.Blocks(len(p.Y), blockRows, p.threads, func(_, lo, hi int) {
		var value [blockRows]float64
		p.ValueSlopes(value[:], a[lo*k:hi*k], predictions[lo*k:hi*k], lo)
	})
}

// feasible sets v_ik = s_i a_ik, n x K numbers, for dual variables moved into their domain and,
// if the bias is free, balanced: for each class the sum of v over the rows is then exactly 0.
//
// Of the numbers those of the other classes count. That of the class itself is minus their
// sum, exactly; what stands in v is this rounded by as many additions.
func (p *JointRisk) feasible(v, a []float64) {
	if p.Numbers != nil {
		p.feasibleNumbers(v, a)
		return
	}
	k := p.Classes
	// However they are added, numbers that add up to at most this add up to at most 1.
	room := 1 - float64(2*k+8)*unit
	parallel.Blocks(len(p.Y), blockRows, p.threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, y := v[i*k:(i+1)*k], int(p.Y[i])
			sum := 0.0
			for c, x := range a[i*k : (i+1)*k] {
				if !(x > 0) || c == y { // NaN too
					x = 0
				}
				row[c] = min(x, 1)
				sum += row[c]
			}
			shrink := 1.0
			if sum > room {
				shrink = room / (sum * (1 + float64(2*k+8)*unit))
			}
			for c, x := range row {
				if x = p.S[i] * (shrink * x); x < negligible {
					x = 0
				}
				row[c] = x
			}
		}
	})
	if p.Bias == Free {
		balanceFlows(v, p.Y, k)
	}
	p.closeRows(v)
}

// closeRows sets the number of each row's class to minus the sum of the others.
func (p *JointRisk) closeRows(v []float64) {
	k := p.Classes
	parallel.Blocks(len(p.Y), blockRows, p.threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row, sum := v[i*k:(i+1)*k], 0.0
			for _, x := range row {
				sum += x // that of the class is 0
			}
			row[p.Y[i]] = -sum
		}
	})
}

// conjugates returns (1/N) sum_i s_i l_i*(scale v_i/s_i) and a bound on its error: that of each
// conjugate, see joint.Loss, and as much again for the rounding of v_i/s_i.
func (p *JointRisk) conjugates(v []float64, scale float64) (value, bound float64) {
	if p.Numbers != nil {
		return p.conjugateNumbers(v, scale)
	}
	k := p.Classes
	units, classes := float64(2*(k+16))*unit, elementary.Log(float64(k))
	errs := make([]float64, blocksOf(len(p.Y)))
	sum := sumBlocks(len(p.Y), p.threads, func(b, lo, hi int) float64 {
		a := make([]float64, (hi-lo)*k)
		var moved, below, value, logs [blockRows]float64
		for i := lo; i < hi; i++ {
			row := a[(i-lo)*k : (i-lo+1)*k]
			for c, x := range v[i*k : (i+1)*k] {
				row[c] = min(scale*(max(x, 0)/p.S[i]), 1)
				moved[i-lo] += row[c]
			}
			below[i-lo] = min(moved[i-lo], 1)
		}
		joint.Conjugates(p.Loss, value[:], a, p.Y[lo:hi])
		elementary.LogTo(logs[:], below[:hi-lo])
		var total vec.Sum
		for i := lo; i < hi; i++ {
			moved, c := moved[i-lo], value[i-lo]
			if moved == 0 {
				continue // the conjugate at 0 is 0
			}
			total.Add(p.S[i] * c)
			each := float64(units*(math.Abs(c)+float64(moved*(44+classes+2*math.Abs(logs[i-lo]))))) + float64(float64(k)*0x1p-1000)
			errs[b] += float64(p.S[i] * each)
		}
		return total.Value()
	})
	return sum / p.N, sumBound(errs)/p.N + float64(4*unit*math.Abs(sum/p.N))
}

// lossesOf returns the sum of the weighted losses of the rows from lo to hi at predictions,
// each of which is off by reach[i-lo] at most, and a bound on its error. As slopes are in
// the simplex less the class, a loss is off by twice that.
func (p *JointRisk) lossesOf(predictions, reach []float64, lo, hi int) (sum, bound float64) {
	if p.Numbers != nil {
		return p.lossesOfNumbers(predictions, reach, lo, hi)
	}
	k := p.Classes
	units := float64(k+16) * unit
	var total vec.Sum
	var values [blockRows]float64
	joint.Values(p.Loss, values[:], predictions, p.Y[lo:hi])
	for i := lo; i < hi; i++ {
		row := predictions[(i-lo)*k : (i-lo+1)*k]
		value, most := values[i-lo], 0.0
		for _, x := range row {
			most = max(most, math.Abs(x))
		}
		total.Add(p.S[i] * value)
		off := reach[i-lo]
		bound += float64(p.S[i] * (float64(2*off) + float64(units*(value+float64(4*(most+off)))) + float64(float64(k)*0x1p-1000)))
	}
	return total.Value(), bound
}

// NewJointNumbers is NewJoint of several targets that are numbers, with one loss of each prediction: the sum of these
// over the targets, and a penalty of all weights together, which alone makes it one problem.
func NewJointNumbers(rows *Rows, y [][]float64, weights []float64, l loss.Loss, p penalty.Penalty, lambda float64, bias Bias) (*Joint, error) {
	n, threads := rows.size()
	if len(y) < 2 {
		return nil, dataError("found %d targets, expected at least two", len(y))
	}
	risk := JointRisk{Y: make([]uint32, n), Classes: len(y), Lambda: lambda, Bias: bias, threads: threads}
	for c, targets := range y {
		one, err := newConvexRisk(n, targets, weights, l, lambda, bias, threads)
		if err != nil {
			return nil, fmt.Errorf("target %d: %w", c+1, err)
		}
		risk.Numbers, risk.S, risk.N = append(risk.Numbers, one), one.S, one.N
		risk.zero += one.zero
	}
	if err := rows.checkFinite(); err != nil {
		return nil, err
	}
	return newJointOf(rows, risk, p)
}

// Smoothness is that of the loss.
func (p *JointRisk) Smoothness() float64 {
	if p.Numbers != nil {
		return p.Numbers[0].Loss.Smoothness()
	}
	return p.Loss.Smoothness()
}

// ValueSlopes sets value to the losses of the rows from first on at predictions, K of each row, and dst, which may be
// these, to the derivatives.
func (p *JointRisk) ValueSlopes(value, dst, predictions []float64, first int) {
	k := p.Classes
	rows := len(predictions) / k
	if p.Numbers == nil {
		joint.ValueSlopes(p.Loss, value, dst, predictions, p.Y[first:first+rows])
		return
	}
	for i := range rows {
		value[i] = 0
		for c, one := range p.Numbers {
			x, y := predictions[i*k+c], one.Y[first+i]
			value[i] += one.Loss.Value(x, y)
			dst[i*k+c] = one.Loss.Derivative(x, y)
		}
	}
}

// column copies a column of n x K numbers.
func (p *JointRisk) column(dst, all []float64, c int) []float64 {
	for i := range dst {
		dst[i] = all[i*p.Classes+c]
	}
	return dst
}

// feasibleNumbers is feasible target by target.
func (p *JointRisk) feasibleNumbers(v, a []float64) {
	parallel.Each(p.Classes, p.threads, func(_, c int) {
		own, from := make([]float64, len(p.Y)), p.column(make([]float64, len(p.Y)), a, c)
		p.Numbers[c].feasible(own, from)
		for i, x := range own {
			v[i*p.Classes+c] = x
		}
	})
}

// conjugateNumbers is conjugates, the sum over the targets.
func (p *JointRisk) conjugateNumbers(v []float64, scale float64) (value, bound float64) {
	own := make([]float64, len(p.Y))
	for c, one := range p.Numbers {
		x, err := one.conjugates(p.column(own, v, c), scale)
		value += x
		bound += err + float64(float64(2*p.Classes)*unit*math.Abs(x))
	}
	return value, bound
}

// lossesOfNumbers is lossesOf, the sum over the targets.
func (p *JointRisk) lossesOfNumbers(predictions, reach []float64, lo, hi int) (sum, bound float64) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for c, one := range p.Numbers {
		p.column(s[0][:hi-lo], predictions, c)
		copy(s[3][:], reach[:hi-lo])
		x, err := one.lossesOf(s, lo, hi)
		sum += x
		bound += err + float64(float64(2*p.Classes)*unit*x)
	}
	return sum, bound
}

// bestNumbers is BestBiases target by target.
func (p *JointRisk) bestNumbers(b, m []float64) {
	parallel.Each(p.Classes, p.threads, func(_, c int) {
		var own []float64
		if m != nil {
			own = p.column(make([]float64, len(p.Y)), m, c)
		}
		b[c] = p.Numbers[c].BestBias(own, b[c], 1e-12)
	})
}
