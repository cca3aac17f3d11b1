//go:build purego || !amd64

package vec

// Merging has kernels on amd64 only.

func merge(u, a, b, change []float64, scale float64) (along float64) {
	return mergePortable(u, a, b, change, scale)
}
