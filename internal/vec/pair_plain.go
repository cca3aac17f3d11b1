//go:build purego || !amd64

package vec

// Choices of pairs have kernels on amd64 only.

func extremes(*extremeLanes, []float64, []float64, []float64) (done int) { return 0 }

func partner(*partnerLanes, float64, float64, float64, []float64, []float64, []float64, []float64) (done int) {
	return 0
}
