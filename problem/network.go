package problem

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/loss"
)

// Network is the problem of a feed-forward network, of which the last layer predicts:
//
//	P(w) = (1/N) sum_i s_i l_i(f(x_i; w)) + lambda/2 sum_l |W_l|^2
//
// over the rows to learn from, N the sum of their weights; biases have no penalty. It is not convex:
// nothing here bounds it from below, so that no certificate has a dual value. What is said of a point
// instead is its gradient, which is 0 at a stationary one.
//
// A point has the parameters layer by layer, see package network. Some rows may be held out of the
// objective: they judge when to stop.
type Network struct {
	*Rows
	network.Shape
	Learn, Held []uint32 // rows, in order
	N           float64  // the sum of the weights of those to learn from
	Lambda      float64

	risk  *Risk      // of one score
	joint *JointRisk // of a score for each class; nil: of one
	s     []float64  // row weights
	zero  float64
}

// leastHeld is how many rows judge when to stop at least: fewer say too little.
const leastHeld = 10

// batchRows is how many rows go through the network together in sums over many.
const batchRows = 512

// NewNetwork states the problem of the risk of one score or, where that is nil, of scores for all classes.
// held is the share of the rows that are held out, drawn by the seed; none where they would be too few.
func NewNetwork(rows *Rows, hidden []int, activation string, r *Risk, all *JointRisk, held float64, seed uint64) (*Network, error) {
	n, d := rows.X.Dims()
	p := &Network{Rows: rows, risk: r, joint: all}
	outputs := 1
	if all != nil {
		p.s, p.Lambda, outputs = all.S, all.Lambda, all.Classes
	} else {
		p.s, p.Lambda = r.S, r.Lambda
	}
	var err error
	if p.Shape, err = network.New(d, hidden, outputs, activation); err != nil {
		return nil, err
	}
	if err := rows.checkFinite(); err != nil {
		return nil, err
	}
	order := make([]uint32, n)
	for i, place := range rand.New(rand.NewPCG(seed, heldStream)).Perm(n) {
		order[i] = uint32(place)
	}
	count := int(held * float64(n))
	if count < leastHeld {
		count = 0
	}
	p.Held, p.Learn = order[:count:count], order[count:]
	slices.Sort(p.Held)
	slices.Sort(p.Learn)
	p.N = p.weightOf(p.Learn)
	p.zero = p.Loss(make([]float64, p.Parameters()), p.Learn)
	return p, nil
}

// heldStream keeps the numbers that hold rows out apart from others of the seed.
const heldStream = 0x68656c64

// NetworkRisk checks targets, weights, loss and lambda, for NewNetwork.
func NetworkRisk(rows *Rows, y, weights []float64, l loss.Loss, lambda float64) (*Risk, error) {
	n, threads := rows.size()
	return newConvexRisk(n, y, weights, l, lambda, Free, threads)
}

// NetworkJointRisk is NetworkRisk for a loss of all classes.
func NetworkJointRisk(rows *Rows, y []uint32, classes int, weights []float64, l joint.Loss, lambda float64) (*JointRisk, error) {
	n, threads := rows.size()
	return newJointRisk(n, y, classes, weights, l, lambda, Free, threads)
}

// Dims returns the number of rows, and of parameters less one.
func (p *Network) Dims() (rows, cols int) { return len(p.s), p.Parameters() - 1 }

func (p *Network) weightOf(rows []uint32) float64 {
	var sum vec.Sum
	for _, i := range rows {
		sum.Add(p.s[i])
	}
	return sum.Value()
}

// Targets returns the mean and the deviation of the targets of the rows to learn from where they are
// numbers; else 0 and 1, which are the units of scores then.
func (p *Network) Targets() (mean, deviation float64) {
	if p.joint != nil {
		return 0, 1
	}
	if _, margin := p.risk.Loss.(loss.Margin); margin {
		return 0, 1
	}
	var sum, squares vec.Sum
	for _, i := range p.Learn {
		sum.Add(p.s[i] * p.risk.Y[i])
	}
	mean = sum.Value() / p.N
	for _, i := range p.Learn {
		off := p.risk.Y[i] - mean
		squares.Add(float64(p.s[i]*off) * off)
	}
	if deviation = math.Sqrt(squares.Value() / p.N); !(deviation > 0x1p-40*math.Abs(mean)) {
		deviation = 1
	}
	return mean, deviation
}

// Slopes replaces the scores of rows by the slopes of their losses, each times its row weight and scale.
func (p *Network) Slopes(scores []float64, rows []uint32, scale float64) {
	if p.joint == nil {
		for k, i := range rows {
			scores[k] = scale * p.s[i] * p.risk.Loss.Derivative(scores[k], p.risk.Y[i])
		}
		return
	}
	for k, i := range rows {
		own := scores[k*p.joint.Classes : (k+1)*p.joint.Classes]
		p.joint.Loss.Derivative(own, own, int(p.joint.Y[i]))
		for c := range own {
			own[c] *= scale * p.s[i]
		}
	}
}

// Loss returns the mean loss of rows, by their weights.
func (p *Network) Loss(w []float64, rows []uint32) float64 {
	var sum vec.Sum
	p.each(rows, func(pass *network.Pass, batch []uint32) {
		pass.Run(w, p.Threads, nil)
		scores := pass.Scores()
		for k, i := range batch {
			if p.joint == nil {
				sum.Add(p.s[i] * p.risk.Loss.Value(scores[k], p.risk.Y[i]))
			} else {
				c := p.joint.Classes
				sum.Add(p.s[i] * p.joint.Loss.Value(scores[k*c:(k+1)*c], int(p.joint.Y[i])))
			}
		}
	})
	return sum.Value() / p.weightOf(rows)
}

// each sends rows through the network, a batch at a time.
func (p *Network) each(rows []uint32, do func(*network.Pass, []uint32)) {
	pass := p.NewPass(min(batchRows, len(rows)))
	for batch := range slices.Chunk(rows, batchRows) {
		pass.Take(p.X, batch)
		do(pass, batch)
	}
}

// Gradient sets g to the gradient of the objective.
func (p *Network) Gradient(g, w []float64) {
	clear(g)
	p.each(p.Learn, func(pass *network.Pass, batch []uint32) {
		pass.Run(w, p.Threads, func(scores []float64, lo, hi int) { p.Slopes(scores, batch[lo:hi], 1/p.N) })
		pass.AddGradient(g, p.Threads, nil, nil)
	})
	for l := range len(p.Units) - 1 {
		vec.Axpy64(p.Layer(g, l).Weights, p.Lambda, p.Layer(w, l).Weights)
	}
}

// Penalise adds to g, the gradient of a piece of the parameters, what the penalty adds.
func (p *Network) Penalise(g, w []float64, piece network.Piece) {
	if !piece.Bias {
		vec.Axpy64(g[piece.Lo:piece.Hi], p.Lambda, w[piece.Lo:piece.Hi])
	}
}

// Slope returns the norm of the gradient.
func (p *Network) Slope(w []float64) float64 {
	g := make([]float64, p.Parameters())
	p.Gradient(g, w)
	return math.Sqrt(vec.SquaredNorm64(g))
}

// Certify returns the objective of a point, and no bound.
func (p *Network) Certify(pt Point) Certificate {
	if !pt.fits(p) {
		return pt.shapeless(p)
	}
	squares := 0.0
	for l := range len(p.Units) - 1 {
		squares += vec.SquaredNorm64(p.Layer(pt.W, l).Weights)
	}
	primal := p.Loss(pt.W, p.Learn) + float64(0.5*p.Lambda*squares)
	return Certificate{Primal: primal, Dual: math.Inf(-1), Zero: p.zero}
}
