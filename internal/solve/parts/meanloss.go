package parts

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// MeanLoss is the mean loss as a function of predictions.
type MeanLoss struct {
	Risk    *problem.Risk
	Slope   []float64 // of the rows, at the last predictions
	threads int
	part    []float64 // of blocks of rows
}

// NewMeanLoss returns that of the rows of a problem.
func NewMeanLoss(r *problem.Risk, threads int) *MeanLoss {
	n := len(r.Y)
	return &MeanLoss{Risk: r, Slope: make([]float64, n), threads: threads, part: make([]float64, (n+BlockRows-1)/BlockRows)}
}

// Sum adds up what each returns for every row, in blocks.
func (o *MeanLoss) Sum(each func(lo, hi int) float64) float64 {
	parallel.Blocks(len(o.Slope), BlockRows, o.threads, func(b, lo, hi int) { o.part[b] = each(lo, hi) })
	total := 0.0
	for _, v := range o.part {
		total += v
	}
	return total
}

// Value returns the mean loss at predictions m + t along, and its derivative by t. along may be
// nil. It leaves the slopes of the rows in Slope.
func (o *MeanLoss) Value(m []float64, t float64, along []float64) (value, derivative float64) {
	parts := make([]float64, len(o.part))
	value = o.Sum(func(lo, hi int) (sum float64) {
		var buffer [4][BlockRows]float64
		n := hi - lo
		at, reach, rest, v := buffer[0][:n], buffer[1][:n], buffer[2][:n], buffer[3][:n]
		parts[lo/BlockRows] = o.slopes(lo, hi, at, rest, m, t, along)
		loss.ValueTo(o.Risk.Loss, v, rest, at, o.Risk.Y[lo:hi], reach)
		for k, s := range o.Risk.S[lo:hi] {
			sum += float64(s * v[k])
		}
		return sum
	}) / o.Risk.N
	for _, v := range parts {
		derivative += v / o.Risk.N
	}
	return value, derivative
}

// Derivative is that of Value alone.
func (o *MeanLoss) Derivative(m []float64, t float64, along []float64) float64 {
	return o.Sum(func(lo, hi int) float64 {
		var at, rest [BlockRows]float64
		return o.slopes(lo, hi, at[:hi-lo], rest[:hi-lo], m, t, along)
	}) / o.Risk.N
}

// slopes sets at to some of the predictions m + t along, and Slope to the slopes there. moved is their
// share of the derivative by t.
func (o *MeanLoss) slopes(lo, hi int, at, rest, m []float64, t float64, along []float64) (moved float64) {
	copy(at, m[lo:hi])
	if along != nil {
		vec.Axpy64(at, t, along[lo:hi])
	}
	slope, y := o.Slope[lo:hi], o.Risk.Y[lo:hi]
	if curved, ok := o.Risk.Loss.(loss.Curved); ok {
		loss.DifferentiateTo(curved, slope, rest, at, y)
	} else {
		for k, p := range at {
			slope[k] = o.Risk.Loss.Derivative(p, y[k])
		}
	}
	if along != nil {
		for k, s := range o.Risk.S[lo:hi] {
			moved += float64(s * slope[k] * along[lo+k])
		}
	}
	return moved
}
