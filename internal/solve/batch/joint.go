package batch

import (
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
)

// A jointObjective is the mean of losses of K predictions a row as a function of (d+1) x K numbers,
// the last K of which are the biases.
type jointObjective struct {
	p           *problem.Joint
	slope       []float64 // n x K, of the rows, at the last predictions
	weighted    []float64 // and times the weights of the rows, by N
	part, moved []float64 // of blocks of rows
}

var _ risk = (*jointObjective)(nil)

func newJointObjective(p *problem.Joint) *jointObjective {
	blocks := (len(p.Y) + parts.BlockRows - 1) / parts.BlockRows
	return &jointObjective{p: p, slope: make([]float64, len(p.Y)*p.Classes), weighted: make([]float64, len(p.Y)*p.Classes), part: make([]float64, blocks), moved: make([]float64, blocks)}
}

func (o *jointObjective) Value(m []float64, t float64, along []float64) (value, derivative float64) {
	k := o.p.Classes
	parallel.Blocks(len(o.p.Y), parts.BlockRows, o.p.Threads, func(b, lo, hi int) {
		sum, moved := 0.0, 0.0
		var value [parts.BlockRows]float64
		at := o.slope[lo*k : hi*k]
		copy(at, m[lo*k:hi*k])
		if along != nil {
			vec.Axpy64(at, t, along[lo*k:hi*k])
		}
		o.p.ValueSlopes(value[:], at, at, lo)
		for i := lo; i < hi; i++ {
			sum += float64(o.p.S[i] * value[i-lo])
			if along != nil {
				moved += float64(o.p.S[i] * vec.Dot64(o.slope[i*k:(i+1)*k], along[i*k:(i+1)*k]))
			}
		}
		o.part[b], o.moved[b] = sum, moved
	})
	for b, v := range o.part {
		value += v
		derivative += o.moved[b]
	}
	return value / o.p.N, derivative / o.p.N
}

func (o *jointObjective) gradient(dst []float64) {
	k := o.p.Classes
	parallel.Blocks(len(o.p.Y), parts.BlockRows, o.p.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			share, to := o.p.S[i]/o.p.N, o.weighted[i*k:(i+1)*k]
			for c, x := range o.slope[i*k : (i+1)*k] {
				to[c] = share * x
			}
		}
	})
	o.p.CombineTo(dst, o.weighted)
	if o.p.Bias == problem.None {
		clear(dst[len(dst)-k:])
	}
}

// dual returns the slopes at predictions m, once biases that are free have been moved to where they
// are best for these: the slopes of each class then add up to 0, and nothing is lost where the
// certificate balances them.
func (o *jointObjective) dual(m []float64) []float64 {
	if o.p.Bias == problem.Free {
		k := o.p.Classes
		b, moved := make([]float64, k), append([]float64(nil), m...)
		o.p.BestBiases(b, m)
		for i := range moved {
			moved[i] += b[i%k]
		}
		m = moved
	}
	o.Value(m, 0, nil)
	return append([]float64(nil), o.slope...)
}

// smoothness bounds that of the mean loss.
func (o *jointObjective) smoothness() float64 {
	return o.p.Smoothness() * meanNorm(o.p.SquaredNorm, o.p.S, o.p.N, o.p.Bias)
}

// best moves biases that are free to where they are best for the weights, and returns the slopes there.
func (o *jointObjective) best(w, m []float64) (slopes []float64) {
	if o.p.Bias == problem.Free {
		k := o.p.Classes
		b := make([]float64, k)
		o.predict(m, w)
		o.p.BestBiases(b, m)
		vec.Axpy64(w[len(w)-k:], 1, b)
	}
	o.predict(m, w)
	return o.dual(m)
}

func (o *jointObjective) predict(dst, w []float64) { o.p.PredictTo(dst, w) }

// beginJoint returns the weights of a warm start, or zeros with the best biases.
func beginJoint(p *problem.Joint, from *problem.Point) []float64 {
	_, cols := p.Dims()
	w := make([]float64, cols+1)
	bias := w[len(w)-p.Classes:]
	switch {
	case from != nil && len(from.W) == len(w):
		copy(w, from.W)
	case p.Bias == problem.Free:
		p.BestBiases(bias, nil)
	}
	if p.Bias == problem.None {
		clear(bias)
	}
	return w
}
