package scaling

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Gapless refuses rows of which the features are numbered with such gaps that a number for
// each would not fit into memory: a few bytes of sparse text can name any feature.
func Gapless(x matrix.Matrix) error {
	_, d := x.Dims()
	if stored := matrix.Nonzeros(x); d > 1<<24 && int64(d)/256 > stored {
		return fmt.Errorf("found %d features but only %d values that are not zero, expected features to be numbered without such gaps: their weights alone would take %.1f GB", d, stored, 8e-9*float64(d))
	}
	return nil
}

// disparityRows is how many rows tell how large the features are.
const disparityRows = 4096

// Disparity returns how many times as large as the smallest feature the largest one is, and
// which these are, by the largest magnitude of each in rows spread evenly over x. Features
// that are zero there do not count; 1 if there are no others, or for rows that [Gapless] refuses.
func Disparity(x matrix.Matrix) (ratio float64, small, large int) {
	rows, cols := x.Dims()
	if Gapless(x) != nil {
		return 1, 0, 0
	}
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
