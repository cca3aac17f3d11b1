//go:build !purego

package vec

func merge(u, a, b, change []float64, scale float64) (along float64) {
	if hasAVX2 {
		return mergeAVX2(u, a, b, change, scale)
	}
	return mergePortable(u, a, b, change, scale)
}
