package reduce

import (
	"context"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Merge makes one vector of two, the one of the least coefficient and that other of its sign
// with which least is lost, until there are few enough: the condensed vectors of CSVM (Nguyen
// et al. 2010),
//
//	z = h x_i + (1-h) x_j,  a_z = a_i k(x_i,z) + a_j k(x_j,z),
//	h maximises m K_ij^((1-h)^2) + (1-m) K_ij^(h^2),  m = a_i/(a_i+a_j)
//
// which CSVM does while it trains, here of a trained machine. Gaussian kernel, one output.
type Merge struct{}

func init() {
	register("merge", "pairs of support vectors become one between them (CSVM; rbf)", func(p *registry.Params) (Method, error) { return Merge{}, p.Err() })
}

// Choose implements Method.
func (Merge) Choose(ctx context.Context, t *Target, opt Options) (*Choice, error) {
	if err := t.check(opt); err != nil {
		return nil, err
	}
	if err := opt.size("merge"); err != nil {
		return nil, err
	}
	k, err := t.gaussian("merge")
	if err != nil {
		return nil, err
	}
	rows, weight := dense(t.Support), slices.Clone(t.Coefficients[0])
	for len(rows) > opt.Support {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := lightest(weight)
		j, z, w := partner(k.Gamma, rows, weight, i)
		if j < 0 { // it is the last of its sign
			rows, weight = slices.Delete(rows, i, i+1), slices.Delete(weight, i, i+1)
			continue
		}
		rows[j], weight[j] = z, w
		last := len(rows) - 1
		rows[i], weight[i] = rows[last], weight[last]
		rows, weight = rows[:last], weight[:last]
	}
	return t.virtual(rows, weight, opt)
}

func lightest(weight []float64) int {
	at := 0
	for i, w := range weight {
		if math.Abs(w) < math.Abs(weight[at]) {
			at = i
		}
	}
	return at
}

// partner returns the vector to merge i with, -1 if there is none of its sign, and what comes
// of it.
func partner(gamma float64, rows [][]float64, weight []float64, i int) (j int, z []float64, w float64) {
	best, at := -1, 0.0
	least := math.Inf(1)
	for j, x := range rows {
		if j == i || weight[i]*weight[j] <= 0 {
			continue
		}
		k := math.Exp(-gamma * squaredDistance(rows[i], x))
		h := mixture(weight[i]/(weight[i]+weight[j]), k)
		a := weight[i]*math.Pow(k, (1-h)*(1-h)) + weight[j]*math.Pow(k, h*h)
		// |a_i Phi(x_i) + a_j Phi(x_j) - a_z Phi(z)|^2
		lost := weight[i]*weight[i] + weight[j]*weight[j] + 2*weight[i]*weight[j]*k - a*a
		if lost < least {
			best, at, least, w = j, h, lost, a
		}
	}
	if best < 0 {
		return best, nil, 0
	}
	z = make([]float64, len(rows[i]))
	for c := range z {
		z[c] = at*rows[i][c] + (1-at)*rows[best][c]
	}
	return best, z, w
}

// mixture returns h for the share m of two vectors with the kernel's value k, by golden
// sections: of vectors that are far apart the heavier one stays, else there is one maximum.
func mixture(m, k float64) float64 {
	value := func(h float64) float64 { return m*math.Pow(k, (1-h)*(1-h)) + (1-m)*math.Pow(k, h*h) }
	lo, hi := 0.0, 1.0
	if k < math.Exp(-2) { // two maxima: that beside the heavier one
		if m >= 0.5 {
			lo = 0.5
		} else {
			hi = 0.5
		}
	}
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fa, fb := value(a), value(b)
	for range 20 {
		if fa > fb {
			hi, b, fb = b, a, fa
			a = hi - ratio*(hi-lo)
			fa = value(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + ratio*(hi-lo)
			fb = value(b)
		}
	}
	return (lo + hi) / 2
}
