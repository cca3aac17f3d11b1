package train

import (
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// terms are what an objective is made of.
type terms struct {
	loss    loss.Loss
	penalty penalty.Penalty
	bias    problem.Bias
}

// newTerms makes the terms that a Spec or a model's Statement names.
func newTerms(lossName, penaltyName, biasName string) (t terms, err error) {
	if t.loss, err = loss.New(lossName); err != nil {
		return t, err
	}
	if t.penalty, err = penalty.New(penaltyName); err != nil {
		return t, err
	}
	t.bias, err = problem.ParseBias(biasName)
	return t, err
}

// solvable returns why no solver can prove anything of a loss with a penalty.
func (t terms) solvable() error {
	_, strong := t.penalty.(penalty.Strong)
	_, curved := t.loss.(loss.Curved)
	if !strong && !curved {
		return fmt.Errorf("the penalty l1 needs a smooth loss such as squared-hinge, logistic or squared: with a non-smooth one neither the dual nor single weights determine the optimum; elastic-net works with every loss")
	}
	return nil
}

// stated is what the problems of all outputs share. Their targets are made one
// output at a time: for many classes they would need more memory than the rows.
type stated struct {
	terms
	family  family
	labels  *labels
	weights []float64
	lambda  float64
	threads int
}

// output makes the problem of output c.
func (s *stated) output(c int) (objective, error) {
	return s.family.problem(s, s.labels.targets(c, s.threads))
}

// newFamily makes what x is trained with: that of the kernel, if there is one.
func newFamily(kernelSpec string, x matrix.Matrix, cache int64, threads int) (family, error) {
	if kernelSpec == "" {
		return linearFamily{problem.NewRows(x, threads)}, nil
	}
	return newMachineFamily(kernelSpec, x, kernel.Options{Cache: cache, Threads: threads})
}

// orOnes returns the weights, n ones if there are none.
func orOnes(weights []float64, n int) []float64 {
	if weights != nil {
		return weights
	}
	return slices.Repeat([]float64{1}, n)
}

func sum(weights []float64) float64 {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	return total
}
