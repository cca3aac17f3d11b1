package network

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// A descent is a run of a method. Where targets are numbers, scores are in the unit of their deviation, the
// weights of the last layer too, and the objective in its square: steps are then those for targets of
// deviation 1.
type descent struct {
	Method
	p      *problem.Network
	limit  parts.Limit
	random *rand.PCG
	pass   *network.Pass
	order  []uint32

	w, g, mean, square []float64 // point, gradient, and the means of gradients and of their squares
	unit               float64   // of the scores
	t, since           float64   // steps in all, and in these means
	divisor            float64   // of the length of steps
	most               int       // epochs

	waiting
	epoch int
	done  string
}

// waiting is how long a run waits for a better point.
type waiting struct {
	best          []float64
	least         float64 // there
	found         int     // epoch of the best
	waited, times int     // epochs since, and how often steps were shortened
}

var _ solver.Reporter = (*descent)(nil)

// How a run ends by itself.
const (
	leastSteps = 500   // to wait for a better point
	mostSteps  = 20000 // where an epoch has few
	mostEpochs = 100   // where it has many
	mostTimes  = 2     // that steps are shortened
	shorter    = 5     // divides their length
	better     = 1e-4  // relative
)

// Of Adam.
const epsilon = 1e-8

// Start begins at parameters that the seed draws, or at those of an earlier model.
func (m Method) Start(p problem.Problem, start solver.Start) solver.State {
	q := p.(*problem.Network)
	n := q.Parameters()
	d := &descent{Method: m, p: q, limit: start.Over, random: rand.NewPCG(start.Seed, 0), order: append([]uint32(nil), q.Learn...), divisor: 1,
		w: make([]float64, n), g: make([]float64, n), mean: make([]float64, n), square: make([]float64, n)}
	d.batch = min(d.batch, len(d.order))
	d.pass = q.NewPass(d.batch)
	steps := (len(d.order) + d.batch - 1) / d.batch
	d.most = max(mostEpochs, (mostSteps+steps-1)/steps)
	if d.patience == 0 {
		d.patience = max(5, (leastSteps+steps-1)/steps)
	}
	var mean float64
	mean, d.unit = q.Targets()
	d.least = math.Inf(1)
	if from := start.From; from != nil && len(from.W) == n {
		copy(d.w, from.W)
		d.judge()
	} else {
		q.Draw(d.w, start.Seed)
		last := q.Last(d.w)
		for k := range last.Weights {
			last.Weights[k] *= d.unit
		}
		for k := range last.Bias {
			last.Bias[k] = mean
		}
		d.best = append(d.best, d.w...)
	}
	return d
}

// Epoch is a pass over the rows.
func (d *descent) Epoch() {
	parts.Shuffle(d.order, d.random)
	for at := 0; at < len(d.order) && !d.limit.Reached(); at += d.batch {
		d.step(d.order[at:min(at+d.batch, len(d.order))])
	}
	d.epoch++
	if d.judge(); d.epoch >= d.most {
		d.end("all its epochs were made")
	}
}

// step is one of a batch.
func (d *descent) step(rows []uint32) {
	d.t++
	d.since++
	d.pass.Take(d.p.X, rows)
	scale := float64(len(d.p.Learn)) / (d.p.N * float64(len(rows)))
	d.pass.Run(d.w, d.p.Threads, func(scores []float64, lo, hi int) { d.p.Slopes(scores, rows[lo:hi], scale) })
	eta, last := d.length.Eta(d.t)/d.divisor, d.p.Hidden()
	d.pass.AddGradient(d.g, d.p.Threads, func(p network.Piece) { clear(d.g[p.Lo:p.Hi]) }, func(p network.Piece) {
		d.p.Penalise(d.g, d.w, p)
		unit := 1.0
		if p.Lo >= last {
			unit = d.unit
		}
		d.move(p.Lo, p.Hi, eta*unit, unit/(d.unit*d.unit))
	})
}

// move moves the parameters from lo to hi by their gradient times scale:
//
//	Adam  m <- b1 m + (1-b1) g, v <- b2 v + (1-b2) g^2, w <- w - eta (m/(1-b1^t)) / (sqrt(v/(1-b2^t)) + e)
//	SGD   m <- mu m + g, w <- w - eta m
func (d *descent) move(lo, hi int, eta, scale float64) {
	w, g, m := d.w[lo:hi], d.g[lo:hi], d.mean[lo:hi]
	if !d.adam {
		for k, x := range g {
			m[k] = float64(d.momentum*m[k]) + float64(scale*x)
			w[k] -= float64(eta * m[k])
		}
		return
	}
	v, beta1, beta2 := d.square[lo:hi], d.decays[0], d.decays[1]
	eta /= 1 - elementary.Exp(d.since*elementary.Log(beta1))
	grown := 1 / (1 - elementary.Exp(d.since*elementary.Log(beta2)))
	for k, x := range g {
		x *= scale
		m[k] = float64(beta1*m[k]) + float64(d.rests[0]*x)
		v[k] = float64(beta2*v[k]) + float64(d.rests[1]*float64(x*x))
		w[k] -= float64(eta*m[k]) / (math.Sqrt(float64(grown*v[k])) + epsilon)
	}
}

// judge judges the point by the rows held out, or the objective where none are, and waits no longer than
// patience for a better one.
func (d *descent) judge() {
	var loss float64
	if len(d.p.Held) > 0 {
		loss = d.p.Loss(d.w, d.p.Held)
	} else {
		loss = d.p.Certify(problem.Point{W: d.w}).Primal
	}
	d.waited++
	if loss < d.least-float64(better*math.Abs(d.least)) || math.IsInf(d.least, 1) && loss <= math.MaxFloat64 {
		d.best, d.least, d.found, d.waited = append(d.best[:0], d.w...), loss, d.epoch, 0
	}
	if d.waited < d.patience && loss <= math.MaxFloat64 {
		return
	}
	if d.times++; d.times > mostTimes {
		d.end("shorter steps brought nothing")
		return
	}
	copy(d.w, d.best)
	clear(d.mean)
	clear(d.square)
	d.since, d.waited = 0, 0
	d.divisor *= shorter
}

// end ends the run.
func (d *descent) end(why string) {
	what := "objective"
	if n := len(d.p.Held); n > 0 {
		what = fmt.Sprintf("mean loss of %d rows held out", n)
	}
	d.done = fmt.Sprintf("%s: the least %s, %.6g, was after epoch %d of %d", why, what, d.least, d.found, d.epoch)
}

// Point returns the best point.
func (d *descent) Point() problem.Point { return problem.Point{W: d.best} }

// Report says when the method has ended.
func (d *descent) Report() solver.Report { return solver.Report{Gap: math.NaN(), Done: d.done} }
