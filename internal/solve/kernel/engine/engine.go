// Package engine holds the algorithms that move one coefficient after another and keep the
// predictions of all rows: stochastic ascent and descent, perceptrons, budgets, cutting planes.
package engine

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/support"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/solver"
)

// engine is what the algorithms of this package share (thesis, algorithms 1.3
// and 1.4): a predictor, its values on all rows, and its norm, kept together
// while one coefficient after another moves.
//
//	w = sum_j beta_j Phi(x_j),  r = K beta,  |w|^2 = beta^T r
//
// A bias that is a feature adds the constant column 1 to Phi, so 1 to every
// value of the kernel: the sum of the beta is its weight.
//
// Coefficients and responses are stored without a common factor, scale, so that
// to shrink or to project w costs O(1). To move a coefficient costs one row of
// the kernel, which is n evaluations, and nothing else here costs any.
//
// The mean of the iterates is kept lazily, as it would cost another row a step
// otherwise: with iterates scale_t v_t and A_t = sum of the scales up to t, a
// change d of v in step t takes A_{t-1} d off a vector z, and A_T v_T + z is the
// sum of all iterates.
type engine struct {
	gram         *gram.Gram
	constant     float64 // squared value of the constant column
	scale        float64
	coefficients []float64                    // beta/scale
	responses    []float64                    // r/scale, without the constant
	sum          float64                      // of the coefficients
	squared      float64                      // |w|^2
	mean         *mean                        // nil: not wanted
	soon         func(yield func(i int) bool) // rows likely to move next; nil: nobody knows
	ahead        []int
	limit        support.Limit
	asked        int    // how often whether that is reached
	used         []bool // rows that ever moved
	moved        int    // their number
	one          [1]int // arguments, reused
	factor       [1]float64
}

// mean is the sum of iterates, less A times the current one.
type mean struct {
	total        float64 // sum of the weights of the iterates
	scales       float64 // A
	coefficients []float64
	responses    []float64
	sum          float64
}

// newEngine begins at w, n coefficients and a bias; nil: at zero. Its
// evaluations are not counted.
func newEngine(gram *gram.Gram, constant float64, w []float64, averages bool) *engine {
	n := gram.Len()
	e := &engine{gram: gram, constant: constant, scale: 1, coefficients: make([]float64, n), responses: make([]float64, n), used: make([]bool, n)}
	if averages {
		e.mean = &mean{coefficients: make([]float64, n), responses: make([]float64, n)}
	}
	if w != nil {
		copy(e.coefficients, w[:n])
		for i, c := range e.coefficients {
			if c != 0 {
				e.use(i)
			}
		}
		e.refresh()
	}
	return e
}

// response returns the prediction on row i, without a free bias.
func (e *engine) response(i int) float64 {
	return e.scale * (e.responses[i] + float64(e.constant*e.sum))
}

// margins sets dst_i = y_i times the prediction on row i.
func (e *engine) margins(dst, y []float64) {
	bias := float64(e.constant * e.sum)
	for i, r := range e.responses {
		dst[i] = float64(e.scale*(r+bias)) * y[i]
	}
}

// add moves coefficient i by delta.
func (e *engine) add(i int, delta float64) { e.addStored(i, delta/e.scale) }

// addStored moves coefficient i by scale times d.
func (e *engine) addStored(i int, d float64) {
	e.look(i)
	e.one[0] = i
	if rows := e.gram.Rows(e.one[:]); !e.gram.Cut() {
		e.addRow(i, d, rows)
	}
}

// use notes that a row moves.
func (e *engine) use(i int) {
	if !e.used[i] {
		e.used[i] = true
		e.moved++
	}
}

// look computes row i, if it has to be, together with rows that are likely to
// be needed next: sixteen rows take hardly longer than two.
func (e *engine) look(i int) {
	if e.soon == nil || e.gram.Kept(i) {
		return
	}
	most := min(16, e.gram.Capacity()/4)
	e.ahead = append(e.ahead[:0], i)
	for j := range e.soon {
		if len(e.ahead) >= most {
			break
		}
		if !e.gram.Kept(j) && !slices.Contains(e.ahead, j) {
			e.ahead = append(e.ahead, j)
		}
	}
	if len(e.ahead) <= most {
		e.gram.Prefetch(e.ahead)
	}
}

// among returns the rows of order, of the next few, that are likely to move.
func among(order []int, likely func(i int) bool) func(yield func(i int) bool) {
	return func(yield func(i int) bool) {
		for _, i := range order[:min(len(order), 256)] {
			if likely(i) && !yield(i) {
				return
			}
		}
	}
}

// addAll moves several coefficients, of which as many rows are computed at once
// as the cache holds.
func (e *engine) addAll(which []int, delta []float64) {
	if len(which) == 1 {
		e.add(which[0], delta[0])
		return
	}
	for most := e.gram.Capacity(); len(which) > 0; {
		k := min(most, len(which))
		rows := e.gram.Rows(which[:k])
		if e.gram.Cut() {
			return
		}
		for j, i := range which[:k] {
			e.addRow(i, delta[j]/e.scale, rows[j:j+1])
		}
		which, delta = which[k:], delta[k:]
	}
}

// addRow moves coefficient i by scale times d; row is row i of the kernel.
func (e *engine) addRow(i int, d float64, row []gram.Row) {
	delta := float64(e.scale * d) // 2*delta is a sum, which could be fused with the product
	e.squared += float64(2*delta*e.response(i)) + float64(delta*delta*(e.gram.Diagonal[i]+e.constant))
	e.squared = max(0, e.squared)
	e.coefficients[i] += d
	e.use(i)
	e.factor[0] = d
	e.gram.AddRows(e.responses, row, e.factor[:])
	e.sum += d
	if m := e.mean; m != nil && m.scales != 0 {
		late := -float64(m.scales * d)
		m.coefficients[i] += late
		e.factor[0] = late
		e.gram.AddRows(m.responses, row, e.factor[:])
		m.sum += late
	}
}

// multiply shrinks or stretches w.
func (e *engine) multiply(by float64) {
	e.squared *= float64(by * by)
	e.scale *= by
	// The mean is what two parts leave that cancel: 1/scale times too large each.
	if size := math.Abs(e.scale); !(size >= 1.0/64 && size <= 64) {
		e.flatten()
	}
}

// rescale replaces the common factor: w becomes scale times what is stored.
func (e *engine) rescale(scale float64) {
	by := scale / e.scale
	e.squared *= float64(by * by)
	e.scale = scale
}

// project shrinks w into the ball of that radius.
func (e *engine) project(radius float64) {
	if e.squared > radius*radius {
		e.multiply(radius / math.Sqrt(e.squared))
		e.squared = radius * radius
	}
}

// flatten makes the common factor 1.
func (e *engine) flatten() {
	if m := e.mean; m != nil {
		vec.Axpy64(m.coefficients, m.scales, e.coefficients)
		vec.Axpy64(m.responses, m.scales, e.responses)
		m.sum += float64(m.scales * e.sum)
		m.scales = 0
	}
	for i := range e.coefficients {
		e.coefficients[i] *= e.scale
		e.responses[i] *= e.scale
	}
	e.sum *= e.scale
	e.scale = 1
}

// count adds w to the mean, with a weight.
func (e *engine) count(weight float64) {
	e.mean.total += weight
	e.mean.scales += float64(weight * e.scale)
}

// refresh recomputes the responses and the norm in double precision, and
// returns how far any response had drifted away.
func (e *engine) refresh() (drift float64) {
	e.flatten()
	fresh := make([]float64, len(e.responses))
	if e.gram.Combine(fresh, e.coefficients); e.gram.Cut() {
		return 0
	}
	var sum, squared vec.Sum
	for i, r := range fresh {
		drift = max(drift, math.Abs(r-e.responses[i]))
		sum.Add(e.coefficients[i])
		squared.Add(e.coefficients[i] * r)
	}
	e.responses, e.sum = fresh, sum.Value()
	e.squared = max(0, squared.Value()+float64(e.constant*e.sum*e.sum))
	return drift
}

// iterate is a predictor as a point, n coefficients and the bias that is a
// feature or 0, with its predictions on all rows and its squared norm.
type iterate struct {
	w, responses []float64
	squared      float64
}

// last returns the current iterate, a copy.
func (e *engine) last() iterate {
	return e.iterate(e.scale, e.coefficients, e.responses, e.sum)
}

// average returns the mean of the iterates that were counted; the current one
// if there was none.
func (e *engine) average() iterate {
	m := e.mean
	if m.total == 0 {
		return e.last()
	}
	coefficients, responses := slices.Clone(m.coefficients), slices.Clone(m.responses)
	vec.Axpy64(coefficients, m.scales, e.coefficients)
	vec.Axpy64(responses, m.scales, e.responses)
	return e.iterate(1/m.total, coefficients, responses, m.sum+float64(m.scales*e.sum))
}

func (e *engine) iterate(scale float64, coefficients, responses []float64, sum float64) iterate {
	n := len(coefficients)
	it := iterate{w: make([]float64, n+1), responses: make([]float64, n)}
	bias := float64(e.constant * scale * sum)
	it.w[n] = bias
	var squared vec.Sum
	for i := range n {
		it.w[i] = scale * coefficients[i]
		it.responses[i] = float64(scale*responses[i]) + bias
		squared.Add(it.w[i] * it.responses[i])
	}
	it.squared = max(0, squared.Value())
	return it
}

func (it iterate) clone() iterate {
	it.w, it.responses = slices.Clone(it.w), slices.Clone(it.responses)
	return it
}

// multiply stretches the iterate.
func (it *iterate) multiply(by float64) {
	for i := range it.w {
		it.w[i] *= by
	}
	for i := range it.responses {
		it.responses[i] *= by
	}
	it.squared *= float64(by * by)
}

// supported is a run with an engine, and what the run is told of its certificates.
type supported struct {
	e *engine
	*solver.Support
}

// newSupported returns the run of an engine of which the support is the rows that ever moved:
// all others have no dual variable, or there are none.
func newSupported(e *engine, start solver.Start) supported {
	e.limit = start.Over
	return supported{e, support.SupportOf(start, func() (all, spared int) { return e.moved, e.moved })}
}

// pace is after how many steps an engine asks for the limit, if each is cheap.
const pace = 64

// ended reports whether to leave an epoch. A row that was cut short ends it at once.
func (e *engine) ended() bool {
	e.asked++
	return e.gram.Cut() || e.asked%pace == 0 && e.limit.Reached()
}
