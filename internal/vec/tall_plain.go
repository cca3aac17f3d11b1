//go:build purego || !amd64

package vec

// Tall products have kernels on amd64 only.

func tallMixed() (t tallTile) { return t }
