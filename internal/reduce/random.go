package reduce

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
)

// Random takes random rows, and the best machine of these for the squared hinge of all rows, or
// of numbers for the loss of the problem: the reduced SVM (Lee, Mangasarian 2001), with the
// norm of the kernel. A refit of it is the Nystrom approximation of the problem.
type Random struct{}

func init() {
	register("random", "random rows, and the best machine of these (RSVM)", func(p *registry.Params) (Method, error) { return Random{}, p.Err() })
}

var errNoRisk = errors.New("the method trains anew: found a model with nu, expected one of lambda or C")

// Choose implements Method.
func (Random) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	if err := opt.size("random"); err != nil {
		return nil, err
	}
	if t.Risks == nil {
		return nil, errNoRisk
	}
	c := t.random(opt)
	if _, err := c.Refit(ctx, t.Gram.Kernel, t.rows(), smooth(t.Risks), 1e-3, t.Gram.Threads()); err != nil {
		return nil, err
	}
	return t.finish(c, opt)
}

// random takes random rows, without coefficients.
func (t *Target) random(opt Options) *Choice {
	rows := rand.New(rand.NewPCG(opt.Seed, 1)).Perm(t.Rows)[:min(opt.Support, t.Rows)]
	return &Choice{Rows: rows, Coefficients: make([][]float64, len(t.Outputs)), Bias: t.biases(), gram: t.Gram}
}

// smooth returns the problems with the squared hinge instead of losses of a margin.
func smooth(risks []Risk) []Risk {
	all := make([]Risk, len(risks))
	for o, r := range risks {
		if _, margin := r.Loss.(loss.Margin); margin {
			r.Loss = loss.SquaredHinge{}
		}
		all[o] = r
	}
	return all
}
