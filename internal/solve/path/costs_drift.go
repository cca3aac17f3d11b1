package path

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/problem"
)

// unit is the largest relative error of one rounding.
const unit = 0x1p-53

// drift bounds how far each number of the responses r, of the load and of dr is off from the product of
// K and the coefficients: what the last product was off by, and what each step has added. Without it
// every breakpoint would take a product of its own, most of the time of a path.
type drift struct {
	largest     float64 // of the values of K, with the constant
	value       float64 // by how much a computed one is off
	r, load, dr float64
}

func newDrift(p *problem.Kernel) drift {
	largest, value := p.Largest()
	return drift{largest: largest + p.Constant(), value: value}
}

// products bounds the error of adding rows of K, times coefficients of which size is the sum of magnitudes, to
// numbers that are then at most sum: each of the additions rounds numbers of at most sum + 2 size |K|.
func (d *drift) products(rows int, size, sum float64) float64 {
	return float64(size*d.value) + float64(float64(rows+8)*unit*(sum+float64(2*size*d.largest)))
}

// roundings bounds what the responses miss where coefficients of that size were rounded, four
// times each.
func (d *drift) roundings(size float64) float64 {
	return float64(8 * unit * d.largest * size)
}

// responses returns K w without the constant, and how far each number may be off. The weights of a
// breakpoint are the coefficients, less what they were clipped and balanced by.
func (s *costs) responses(w []float64) (values []float64, off float64) {
	n := len(s.beta)
	values = append(values, s.r...)
	off = s.drift.r
	if s.p.Constant() != 0 {
		off += s.shiftBy(values, -vec.Total(s.beta))
	}
	moved := 0.0
	for i, beta := range s.beta {
		moved += math.Abs(w[i] - beta)
	}
	return values, (off + float64(moved*(s.drift.largest+s.drift.value))) * (1 + float64(float64(n+64)*unit))
}

// sizeOf returns the sum of magnitudes.
func sizeOf(v []float64) (sum float64) {
	for _, x := range v {
		sum += math.Abs(x)
	}
	return sum * (1 + float64(float64(len(v))*unit))
}

// largestOf returns the largest magnitude.
func largestOf(v []float64) (largest float64) {
	for _, x := range v {
		largest = max(largest, math.Abs(x))
	}
	return largest
}
