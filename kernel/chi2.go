package kernel

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/vec"
)

// Chi2 is exp(-gamma sum_j (x_j - y_j)^2 / (x_j + y_j)), for rows without negative
// values, such as histograms; columns where both are 0 add nothing.
type Chi2 struct{ Gamma float64 }

var (
	_ Sized    = Chi2{}
	_ Preparer = Chi2{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "chi2", Summary: "exp(-gamma sum_j (x_j-y_j)^2/(x_j+y_j)), chi-squared, for values >= 0; gamma=1",
		New: func(p *registry.Params) (Kernel, error) {
			return Chi2{p.Float("gamma", 1, "a number > 0", positive)}, nil
		}})
}

// Prepare refuses negative values.
func (Chi2) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) { return notNegative("chi2", x) }

// Eval returns exp(-gamma sum_j (x_j - y_j)^2 / (x_j + y_j)).
func (k Chi2) Eval(x, y matrix.Vector) float64 {
	sum := 0.0
	if a, b, ok := dense(x, y); ok {
		for j, a := range a {
			sum += chi2(float64(a), float64(b[j]))
		}
	} else {
		for a, b := range pairs(x, y) {
			sum += chi2(a, b)
		}
	}
	return vec.Exp(-k.Gamma * sum)
}

// chi2 returns (a-b)^2/(a+b), 0 for two zeros.
func chi2(a, b float64) float64 {
	if a == b {
		return 0
	}
	return float64((a-b)*(a-b)) / (a + b)
}

// Size is 1.
func (Chi2) Size(int, float64) float64 { return 1 }

// Relative is that of e^-s, as for [Laplacian]; each term has five roundings.
func (Chi2) Relative(terms int, _, _ float64) float64 { return float64(terms+6) * unit }

// Error is Relative.
func (k Chi2) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }
