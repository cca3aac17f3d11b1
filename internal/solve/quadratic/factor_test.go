package quadratic

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFactor: rows added and taken out leave the factor of the matrix.
func TestFactor(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var points [][]float64
	var f Factor
	value := func(x, y []float64) float64 {
		sum := 0.0
		for j := range x {
			sum += (x[j] - y[j]) * (x[j] - y[j])
		}
		return math.Exp(-sum)
	}
	for range 500 {
		if at := random.IntN(30); at < len(points) {
			f.Remove(at)
			points = append(points[:at:at], points[at+1:]...)
		} else {
			x := []float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
			row := make([]float64, len(points))
			for k, other := range points {
				row[k] = value(x, other)
			}
			if f.Add(f.Forward(row), 1) {
				points = append(points, x)
			}
		}
		for i := range points {
			for j := range i + 1 {
				sum := 0.0
				for k := range j + 1 {
					sum += f.At(i, k) * f.At(j, k)
				}
				if math.Abs(sum-value(points[i], points[j])) > 1e-8 {
					t.Fatalf("element %d, %d: %g, expected %g", i, j, sum, value(points[i], points[j]))
				}
			}
		}
	}
}
