package reduce

import (
	"context"
	"errors"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/engine"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// Separate runs a perceptron over the rows that the trained machine has right by the margin 1,
// until it makes no mistakes (thesis 1.5.2). It has at most kappa |w|^2 support vectors, and is
// wrong on no more rows than w has margins below 1: before any refit. A free bias counts as the
// weight of a constant, which adds b^2 to |w|^2 and 1 to kappa.
//
// Cost: n values of the kernel for each mistake.
type Separate struct{}

func init() {
	register("separate", "a perceptron of the rows that the machine has right by its margin (thesis 1.5.2): few errors, margins do not count", func(p *registry.Params) (Method, error) { return Separate{}, p.Err() })
}

// Choose implements Method.
func (m Separate) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	if err := t.single("separate"); err != nil {
		return nil, err
	}
	if t.Risks == nil {
		return nil, errors.New("separate: found a model with nu, expected one of lambda or C, whose margin is 1")
	}
	r, out := t.Risks[0], t.Outputs[0]
	if _, margin := r.Loss.(loss.Margin); !margin {
		return nil, fmt.Errorf("separate: found the loss %T, expected one of two classes, such as hinge", r.Loss)
	}
	gram, err := t.part()
	if err != nil {
		return nil, err
	}
	bias := problem.None
	if out.Bias != 0 {
		bias = problem.Feature
	}
	p, err := problem.NewKernel(gram, r.Y, r.Weight, r.Loss, r.Lambda, bias)
	if err != nil {
		return nil, err
	}
	squared, err := t.squared()
	if err != nil {
		return nil, err
	}
	w, err := engine.Separate(p, out.Response[:t.Rows], squared+float64(out.Bias*out.Bias), opt.Seed)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := gather(t, [][]float64{w[:t.Rows]})
	if c.Bias[0] = w[t.Rows]; opt.Support > 0 && c.Len() > opt.Support {
		return nil, fmt.Errorf("separate: made %d support vectors, which its rows need, expected no limit or a larger one than %d", c.Len(), opt.Support)
	}
	return t.finish(c, opt)
}

// squared returns |w|^2 of the first output of the trained machine.
func (t *Target) squared() (float64, error) {
	own, err := gram.NewGram(t.Gram.Kernel, t.Support, gram.Options{Threads: t.Gram.Threads()})
	if err != nil {
		return 0, err
	}
	response, sum := make([]float64, own.Len()), 0.0
	own.Combine(response, t.Coefficients[0])
	for k, v := range t.Coefficients[0] {
		sum += float64(v * response[k])
	}
	return sum, nil
}
