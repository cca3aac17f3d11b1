package kernel

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Norm returns what k needs to know of a row to make values of products: |x|^2, or what
// stands for it.
func Norm(k Kernel, x matrix.Vector) float64 {
	if _, ok := k.(Overlap); ok {
		return magnitude(x)
	}
	return SquaredNorm(x)
}

// magnitude returns |x|_1, added up in the order of the columns.
func magnitude(x matrix.Vector) float64 {
	sum := 0.0
	for _, v := range x.Value {
		sum += math.Abs(float64(v))
	}
	return sum
}

// common returns sum_j m(x_j,y_j), added up in the order of the columns. A pair
// with a zero adds zero: the bits are the same for rows stored dense and sparse.
func common(x, y matrix.Vector, m func(a, b float64) float64) float64 {
	if len(y.Value) < len(x.Value) {
		x, y = y, x
	}
	sum, k := 0.0, 0
	for i, v := range x.Value {
		c := x.Column(i)
		if y.Index == nil {
			k = c
		}
		for k < len(y.Value) && y.Column(k) < c {
			k++
		}
		if k < len(y.Value) && y.Column(k) == c && v != 0 && y.Value[k] != 0 {
			sum += m(float64(v), float64(y.Value[k]))
		}
	}
	return sum
}

// distance returns a sum over the columns of the terms that an overlap stands
// for, which no rounding makes negative.
func distance(x, y matrix.Vector, m func(a, b float64) float64) float64 {
	return max(0, (magnitude(x)+magnitude(y))-2*common(x, y, m))
}

// distanceError bounds its error, for terms that are off by so many roundings
// each: |x|_1 is at most sqrt(terms xx), and what they have in common half of the
// sum of both.
func distanceError(terms, roundings int, xx, yy float64) float64 {
	most := math.Sqrt(float64(terms)*xx) + math.Sqrt(float64(terms)*yy)
	return float64(2*terms+2*roundings+6) * unit * most
}

// leastMagnitude is m of the Laplacian kernel, and min(a,b) for a, b >= 0.
func leastMagnitude(a, b float64) float64 {
	if a >= 0 {
		return max(0, min(a, b))
	}
	return -min(0, max(a, b))
}

// harmonicMean is m of the chi-squared kernel, for a, b > 0.
func harmonicMean(a, b float64) float64 { return 2 * a * b / (a + b) }

// notNegative refuses rows with a value below 0.
func notNegative(name string, x matrix.Matrix) (matrix.Matrix, error) {
	n, _ := x.Dims()
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			if !(v >= 0) {
				return nil, fmt.Errorf("kernel %q: row %d, column %d: found %g, expected a number >= 0", name, i+1, row.Column(k)+1, v)
			}
		}
	}
	return x, nil
}
