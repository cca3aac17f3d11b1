package pcatest

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Slow twins on dense matrices, row-major.

// Jacobi returns the eigenvalues of the symmetric a, falling, and its eigenvectors
// as rows, by cyclic rotations (Golub and Van Loan 8.5).
func Jacobi(a []float64, d int) (values, vectors []float64) {
	a, vectors = slices.Clone(a), make([]float64, d*d)
	for i := range d {
		vectors[i*d+i] = 1
	}
	for sweep := 0; sweep < 60; sweep++ {
		turned := false
		for p := range d {
			for q := p + 1; q < d; q++ {
				if math.Abs(a[p*d+q]) <= 1e-17*math.Sqrt(math.Abs(a[p*d+p]*a[q*d+q])) || math.Abs(a[p*d+q]) < 1e-300 {
					continue
				}
				turned = true
				rotate(a, vectors, d, p, q)
			}
		}
		if !turned {
			break
		}
	}
	order := make([]float64, d)
	for i := range order {
		order[i] = a[i*d+i]
	}
	sorted := make([]float64, 0, d*d)
	index := make([]int, d)
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(i, j int) int {
		if order[i] > order[j] {
			return -1
		} else if order[i] < order[j] {
			return 1
		}
		return 0
	})
	for _, i := range index {
		values = append(values, order[i])
		sorted = append(sorted, vectors[i*d:][:d]...)
	}
	return values, sorted
}

// rotate makes element (p, q) of a zero.
func rotate(a, vectors []float64, d, p, q int) {
	theta := (a[q*d+q] - a[p*d+p]) / (2 * a[p*d+q])
	t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	for i := range d {
		x, y := a[i*d+p], a[i*d+q]
		a[i*d+p], a[i*d+q] = c*x-s*y, s*x+c*y
	}
	for i := range d {
		x, y := a[p*d+i], a[q*d+i]
		a[p*d+i], a[q*d+i] = c*x-s*y, s*x+c*y
		x, y = vectors[p*d+i], vectors[q*d+i]
		vectors[p*d+i], vectors[q*d+i] = c*x-s*y, s*x+c*y
	}
	a[p*d+q], a[q*d+p] = 0, 0
}

// Assemble returns sum_i values_i v_i v_i^T over the rows v_i of vectors.
func Assemble(values, vectors []float64, d int) []float64 {
	a := make([]float64, d*d)
	for i, w := range values {
		AddOuter(a, w, vectors[i*d:][:d])
	}
	return a
}

// AddOuter adds w x x^T to a.
func AddOuter(a []float64, w float64, x []float64) {
	for i, v := range x {
		for j, u := range x {
			a[i*len(x)+j] += w * (v * u)
		}
	}
}

// Quadratic returns x^T a x.
func Quadratic(a, x []float64) (sum float64) {
	for i, v := range x {
		for j, u := range x {
			sum += v * u * a[i*len(x)+j]
		}
	}
	return sum
}

// RandomRows returns rows orthonormal vectors of dimension d.
func RandomRows(normal func() float64, rows, d int) []float64 {
	a := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			a[i*d+j] = normal()
			a[j*d+i] = a[i*d+j]
		}
	}
	_, vectors := Jacobi(a, d)
	return vectors[:rows*d]
}

// Normal returns d standard normal numbers.
func Normal(rng *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	for j := range x {
		x[j] = rng.NormFloat64()
	}
	return x
}

// LargestDifference returns the largest absolute difference; NaN where a number is.
func LargestDifference(a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// Departure returns the largest element of U U^T - I.
func Departure(u []float64, d int) float64 {
	r, worst := len(u)/d, 0.0
	for i := range r {
		for j := range r {
			sum := 0.0
			for l := range d {
				sum += u[i*d+l] * u[j*d+l]
			}
			if i == j {
				sum--
			}
			worst = max(worst, math.Abs(sum))
		}
	}
	return worst
}
