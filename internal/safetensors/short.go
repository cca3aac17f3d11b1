package safetensors

import (
	"io"
	"slices"
)

// short is numbers that single precision holds, and that are written so. To copy all
// of them first would take most memory at the end of training, when it is fullest.
type short []float64

// isShort reports whether single precision holds all numbers.
func isShort(v []float64) bool {
	for _, x := range v {
		if float64(float32(x)) != x {
			return false
		}
	}
	return true
}

// write writes the numbers in single precision, some thousand at a time.
func (v short) write(w io.Writer) error {
	buf := make([]float32, 0, min(len(v), 4<<10))
	for some := range slices.Chunk(v, 4<<10) {
		buf = buf[:len(some)]
		for i, x := range some {
			buf[i] = float32(x)
		}
		if err := writeNumbers(w, buf); err != nil {
			return err
		}
	}
	return nil
}

// Shortest has the numbers written in single precision if that loses nothing.
func Shortest(v []float64) any {
	if isShort(v) {
		return short(v)
	}
	return v
}
