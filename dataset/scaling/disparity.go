package scaling

import (
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// disparityRows is how many rows tell how large the features are.
const disparityRows = 4096

// Disparity returns how many times as large as the smallest feature the largest one is, and
// which these are, by the largest magnitude of each in rows spread evenly over x. Features
// that are zero there do not count; 1 if there are no others.
func Disparity(x matrix.Matrix) (ratio float64, small, large int) {
	rows, cols := x.Dims()
	size := make([]float32, cols)
	for i := 0; i < rows; i += (rows + disparityRows - 1) / disparityRows {
		row := x.Row(i)
		for k, v := range row.Value {
			j := row.Column(k)
			size[j] = max(size[j], float32(math.Abs(float64(v))))
		}
	}
	small = -1
	for j, s := range size {
		switch {
		case s == 0:
			continue
		case small < 0:
			small, large = j, j
		case s < size[small]:
			small = j
		case s > size[large]:
			large = j
		}
	}
	if small < 0 {
		return 1, 0, 0
	}
	return float64(size[large]) / float64(size[small]), small, large
}
