package reduce

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/gram"
	solverkernel "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Risk is the problem of an output that coefficients are fitted to.
type Risk struct {
	Y, Weight []float64 // of all rows, or of Rows; nil weights: ones
	Rows      []uint32  // which rows it is about; nil: all
	Loss      loss.Loss
	Lambda    float64
	Bias      problem.Bias
}

// mostImages is the memory that a refit may take for the images of the rows, in bytes.
var mostImages = int64(4) << 30

// Refit gives the vectors of a choice those coefficients that are best for the problem among
// all machines of these vectors, to a relative duality gap. The problem is the linear one of the
// images of the rows x in the span of the vectors, <Phi(x),Phi(y)> = k(x,V) K^-1 k(V,y) with
// K = k(V,V) and y one of V (Williams, Seeger: Nystrom), and the certificates are about that.
// It needs 4 n |V| bytes.
func (c *Choice) Refit(ctx context.Context, k kernel.Kernel, x matrix.Matrix, risks []Risk, gap float64, threads int) ([]problem.Certificate, error) {
	c.span, c.points = span{}, nil
	return c.again(ctx, k, x, risks, gap, threads)
}

// again is Refit that begins where the one before, of the same vectors and problems, ended.
func (c *Choice) again(ctx context.Context, k kernel.Kernel, x matrix.Matrix, risks []Risk, gap float64, threads int) ([]problem.Certificate, error) {
	n, _ := x.Dims()
	if c.points == nil {
		c.points = make([]*problem.Point, len(risks))
	}
	if bytes := 4 * int64(n) * int64(c.Len()); bytes > mostImages {
		return nil, fmt.Errorf("refit: %d rows and %d vectors need %.1f GB, expected at most %.1f: choose fewer vectors, or none", n, c.Len(), float64(bytes)/1e9, float64(mostImages)/1e9)
	}
	certificates := make([]problem.Certificate, len(risks))
	for o, r := range risks {
		s, own := c.span, firsts(c.Len())
		var err error
		switch {
		case r.Rows != nil: // of a pair of classes: vectors of the others are none of its rows
			own = c.among(r.Rows)
			s, err = newSpan(ctx, k, matrix.Subset(c.Matrix(), own), matrix.Subset(x, r.Rows), threads)
		case s.images == nil:
			s, err = newSpan(ctx, k, c.Matrix(), x, threads)
			c.span = s
		}
		if err != nil {
			return nil, err
		}
		solution, err := s.fit(ctx, r, c.points[o], gap, threads)
		if err != nil {
			return nil, err
		}
		w, beta := solution.Point.W, []float64(nil)
		if s.basis != nil {
			beta = s.basis.Coefficients(w[:len(w)-1])
		}
		c.Coefficients[o], c.Bias[o], certificates[o], c.points[o] = make([]float64, c.Len()), w[len(w)-1], solution.Certificate, &solution.Point
		for j, at := range own {
			c.Coefficients[o][at] = beta[j]
		}
	}
	c.Loss = math.NaN()
	return certificates, nil
}

// among returns the places of those vectors that are among some rows, in increasing order.
func (c *Choice) among(rows []uint32) (places []int) {
	for at, i := range c.Rows {
		if _, found := slices.BinarySearch(rows, uint32(i)); found {
			places = append(places, at)
		}
	}
	return places
}

// span is what the images of some vectors span, with those of rows; nil: no vectors.
type span struct {
	basis  *featuremap.Nystrom
	images matrix.Matrix
}

func newSpan(ctx context.Context, k kernel.Kernel, vectors, x matrix.Matrix, threads int) (s span, err error) {
	if n, _ := vectors.Dims(); n == 0 {
		rows, _ := x.Dims()
		s.images, err = matrix.NewDense(rows, 1, make([]float32, rows))
		return s, err
	}
	if s.basis, err = featuremap.RestoreNystrom(k, vectors); err != nil {
		return s, err
	}
	s.images, err = featuremap.Images(ctx, s.basis, x, threads)
	return s, err
}

// fit solves the problem of an output in the span.
func (s span) fit(ctx context.Context, r Risk, from *problem.Point, gap float64, threads int) (*solver.Solution, error) {
	p, err := problem.NewLinear(problem.NewRows(s.images, threads), r.Y, r.Weight, r.Loss, penalty.L2{}, r.Lambda, r.Bias)
	if err != nil {
		return nil, err
	}
	name, _ := linear.Choose(p, gap)
	method, err := linear.New(name)
	if err != nil {
		return nil, err
	}
	return solver.Run(ctx, method, p, solver.Options{Gap: gap, Seed: 1, From: from})
}

// total adds up the weights of n rows.
func total(weight []float64, n int) float64 {
	if weight == nil {
		return float64(n)
	}
	sum := 0.0
	for _, s := range weight {
		sum += s
	}
	return sum
}

// machine trains a kernel machine of some rows of a matrix, by the solver that suits it: their
// coefficients, and the bias.
func (r Risk) machine(ctx context.Context, gram *gram.Gram, rows []int) ([]float64, error) {
	part, err := gram.Part(rows)
	if err != nil {
		return nil, err
	}
	p, err := problem.NewKernel(part, r.Y, r.Weight, r.Loss, r.Lambda, r.Bias)
	if err != nil {
		return nil, err
	}
	name, _ := solverkernel.Choose(p, 1e-3)
	s, err := solverkernel.New(name)
	if err != nil {
		return nil, err
	}
	solution, err := solver.Run(ctx, s, p, solver.Options{Gap: 1e-3, Seed: 1})
	if err != nil {
		return nil, err
	}
	return solution.Point.W, nil
}
