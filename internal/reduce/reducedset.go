package reduce

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// ReducedSet fits vectors of its own to the machine, one after another, each a [preimage] of
// what is left of it, with the coefficients that are best for all together,
//
//	min |w - sum_k beta_k Phi(z_k)|,  beta = K_zz^-1 K_zx a
//
// (Burges 1996; Schoelkopf et al. 1999). Gaussian kernel, one output.
type ReducedSet struct{}

func init() {
	register("reduced-set", "vectors that are no rows, fitted to the machine one after another (rbf)", func(p *registry.Params) (Method, error) { return ReducedSet{}, p.Err() })
}

// Choose implements Method.
func (ReducedSet) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	if err := opt.size("reduced-set"); err != nil {
		return nil, err
	}
	k, err := t.gaussian("reduced-set")
	if err != nil {
		return nil, err
	}
	full := expansion{gamma: k.Gamma, rows: dense(t.Support), weight: t.Coefficients[0]}
	left := full
	var vectors [][]float64
	var beta, target []float64
	var factor cholesky
	for len(vectors) < min(opt.Support, len(full.rows)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		z := factor.extend(k.Gamma, vectors, left.preimage(full.largest(16, len(vectors))), full.rows)
		if z == nil {
			break // nothing is left that a vector can take
		}
		vectors, target = append(vectors, z), append(target, full.value(z))
		beta = factor.solve(target)
		left.rows = append(full.rows[:len(full.rows):len(full.rows)], vectors...)
		left.weight = full.weight[:len(full.weight):len(full.weight)]
		for _, b := range beta {
			left.weight = append(left.weight, -b)
		}
	}
	return t.virtual(vectors, beta, opt)
}

// largest returns some rows to start from: a few of the largest weights, another few each round.
func (e *expansion) largest(count, round int) (rows [][]float64) {
	n := len(e.rows)
	for j := range min(count, n) {
		rows = append(rows, e.rows[(round*count+j*(n/min(count, n)))%n])
	}
	return rows
}

// virtual makes a choice of vectors that are no rows.
func (t *Target) virtual(vectors [][]float64, beta []float64, opt Options) (*Choice, error) {
	_, cols := t.Support.Dims()
	m, err := asMatrix(vectors, cols)
	if err != nil {
		return nil, err
	}
	return t.finish(&Choice{Vectors: m, Coefficients: [][]float64{beta}, Bias: t.biases()}, opt)
}
