package gradient

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/theory"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

func init() {
	experiment.Plain("sg-convex", "Ulbrich's notes, theorem 4.5", "projected stochastic subgradients with steps c/sqrt(k) on a convex function stay below their bound", sgConvex)
	experiment.Plain("sg-noise", "Ulbrich's notes, theorem 4.8", "constant steps: noise that stays gives a floor in proportion to the step, noise that vanishes gives a geometric rate", sgNoise)
}

// sgConvex minimises the mean of the absolute errors |<w, x_i> - y_i| over the unit ball, a kinked function that is
// not strongly convex, whose optimum 0 is known: y_i = <v, x_i> for a v in the ball.
func sgConvex(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	const n, d, doublings = 400, 10, 14
	runs := opt.RunsOr(100, 10)
	r := &experiment.Result{}
	x, _ := experiment.Sphere(n, d, opt.Seed)
	random := rand.New(rand.NewPCG(opt.Seed, 45))
	v := make([]float64, d)
	for j := range v {
		v[j] = random.NormFloat64()
	}
	algebra.Scale(v, 0.9/math.Sqrt(vec.Dot64(v, v)))
	value := func(w []float64) (sum float64) {
		for i := range n {
			sum += math.Abs(x.Row(i).Dot(w)-x.Row(i).Dot(v)) / n
		}
		return sum
	}
	const diameter, slope2 = 2, 1 // of the unit ball; the largest squared norm of a subgradient
	for _, c := range []float64{0.2, diameter, 20} {
		found := make([]float64, doublings)
		for range runs {
			w, k := make([]float64, d), 1
			for at := range doublings {
				for ; k < 2<<at; k++ {
					i := random.IntN(n)
					row := x.Row(i)
					row.AddTo(w, -math.Copysign(c/math.Sqrt(float64(k)), row.Dot(w)-row.Dot(v)))
					if size := math.Sqrt(vec.Dot64(w, w)); size > 1 {
						algebra.Scale(w, 1/size)
					}
				}
				found[at] += value(w) / float64(runs)
			}
			if err := ctx.Err(); err != nil {
				return r, err
			}
		}
		steps, bounds, below := make([]float64, doublings), make([]float64, doublings), 0
		for at := range steps {
			steps[at] = float64(int(2) << at)
			bounds[at] = theory.ConvexIterate(slope2, diameter, c, steps[at])
			if found[at] <= bounds[at] {
				below++
			}
		}
		r.Curves(experiment.Point{Column: fmt.Sprintf("c = %g", c), XAxis: "steps" + experiment.LogAxis, YAxis: "mean of f - f*" + experiment.LogAxis}, steps, experiment.Named{Name: "measured", Y: found}, experiment.Named{Name: "bound", Y: bounds})
		r.Check("Thm 4.5", fmt.Sprintf("c = %g: the last iterate stays below the bound", c), "at every number of steps", below == doublings, "at %d of %d, %.3g against %.3g at the end", below, doublings, found[doublings-1], bounds[doublings-1])
	}
	return r, nil
}

// sgNoise takes constant steps on f = sum h_j w_j^2/2, with gradients to which noise of variance zeta^(k-1) is added.
func sgNoise(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	h := []float64{0.1, 0.2, 0.4, 0.7, 1}
	const steps = 400
	runs := opt.RunsOr(2000, 100)
	r := &experiment.Result{}
	random := rand.New(rand.NewPCG(opt.Seed, 48))
	floors := map[float64]float64{}
	for _, zeta := range []float64{1, 0.97} {
		for _, eta := range []float64{0.5, 0.25} {
			found := noisySteps(h, zeta, eta, steps, runs, random)
			if err := ctx.Err(); err != nil {
				return r, err
			}
			noise := theory.Noise{Alpha: 1, Beta: 1, M1: 1, Zeta: zeta}
			descent := theory.Descent{Mu: h[0], Smoothness: h[len(h)-1], Step: eta, Start: found[0]}
			at, bounds, below := make([]float64, steps), make([]float64, steps), 0
			rho := max(zeta, 1-h[0]*eta/2)
			for k := range at {
				at[k] = float64(k + 1)
				if bounds[k] = descent.Persistent(noise, at[k]); zeta < 1 {
					bounds[k] = descent.Vanishing(noise, rho, at[k])
				}
				if found[k] <= bounds[k]*(1+1e-12) {
					below++
				}
			}
			r.Curves(experiment.Point{Row: fmt.Sprintf("zeta = %g", zeta), Column: fmt.Sprintf("eta = %g", eta), XAxis: "steps", YAxis: "mean of f - f*" + experiment.LogAxis}, at, experiment.Named{Name: "measured", Y: found}, experiment.Named{Name: "bound", Y: bounds})
			r.Check("Thm 4.8", fmt.Sprintf("zeta = %g, eta = %g: below the bound", zeta, eta), "at every step", below == steps, "at %d of %d, %.3g against %.3g at the end", below, steps, found[steps-1], bounds[steps-1])
			floor := 0.0
			for _, v := range found[steps/2:] {
				floor += v / (steps / 2)
			}
			if zeta == 1 {
				floors[eta] = floor
			} else {
				r.Check("Thm 4.8", fmt.Sprintf("zeta = %g, eta = %g: noise that vanishes leaves no floor", zeta, eta), "below a hundredth of the floor of noise that stays", found[steps-1] < floors[eta]/100, "%.3g against %.3g", found[steps-1], floors[eta])
			}
		}
	}
	ratio := floors[0.5] / floors[0.25]
	r.Check("Thm 4.8", "the floor of noise that stays is in proportion to the step", "a ratio of 2 within 20 % from eta = 0.5 to 0.25", math.Abs(ratio-2) <= 0.4, "%.3f", ratio)
	return r, nil
}

// noisySteps returns the mean over runs of f after each step from (2, ..., 2).
func noisySteps(h []float64, zeta, eta float64, steps, runs int, random *rand.Rand) []float64 {
	found := make([]float64, steps)
	for range runs {
		w := slices.Repeat([]float64{2}, len(h))
		for k := range steps {
			for j, c := range h {
				found[k] += c * w[j] * w[j] / 2 / float64(runs)
				w[j] -= eta * (float64(c*w[j]) + math.Sqrt(math.Pow(zeta, float64(k))/float64(len(h)))*random.NormFloat64())
			}
		}
	}
	return found
}
