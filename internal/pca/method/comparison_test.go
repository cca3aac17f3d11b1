package method

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// CompressionLoss returns tr Sigma - tr(U Sigma U^T), the mean squared distance of
// rows from the space of u, which is at least sum_{i>k} lambda_i.
func CompressionLoss(second []float64, u Basis) float64 {
	var trace vec.Sum
	for j := range u.Cols {
		if len(second) == u.Cols {
			trace.Add(second[j])
		} else {
			trace.Add(second[j*u.Cols+j])
		}
	}
	return trace.Value() - Captured(second, u)
}

// Comparison estimates how much less one basis captures than another, from rows
// that neither has seen. With the best basis of these rows as the other it is their
// epsilon. The differences
//
//	|A x|^2 - |B x|^2
//
// of single rows are independent and alike given the two, so their scatter gives
// the standard error; differences vary far less than the two terms do. The mean
// moves as in Welford 1962.
type Comparison struct {
	a, b    Basis
	rows    int
	mean    float64
	scatter float64 // sum of the squared differences from the mean
}

// NewComparison compares a, the better one, to b. Cols must be equal.
func NewComparison(a, b Basis) *Comparison { return &Comparison{a: a, b: b} }

// Add takes one row.
func (c *Comparison) Add(x matrix.Vector) {
	difference := squaredLength(c.a, x) - squaredLength(c.b, x)
	c.rows++
	away := difference - c.mean
	c.mean += away / float64(c.rows)
	c.scatter += float64(away * (difference - c.mean))
}

// Estimate returns the mean difference and its standard error, NaN for fewer than
// two rows.
func (c *Comparison) Estimate() (epsilon, standardError float64) {
	n := float64(c.rows)
	if c.rows < 2 {
		return c.mean, math.NaN()
	}
	return c.mean, math.Sqrt(c.scatter / (n - 1) / n)
}

// squaredLength returns |U x|^2.
func squaredLength(u Basis, x matrix.Vector) (sum float64) {
	for i := range u.K {
		y := x.Dot(u.Row(i))
		sum += float64(y * y)
	}
	return sum
}
