//go:build purego || !amd64

package vec

// Tall products have kernels on amd64 only.

func tall32() (t tallTile[float32, float32])    { return t }
func tallMixed() (t tallTile[float32, float64]) { return t }
