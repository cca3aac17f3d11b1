package elementary

import "github.com/fenchel-ml/fenchel/internal/vec"

// Gaussian32 sets dst[j] = Exp32(-gamma*max(0, (xx+yy[j])-2*dst[j])): a Gaussian
// function of the distance, from an inner product and the squared norms.
func Gaussian32(dst []float32, xx float32, yy []float32, gamma float32) {
	gaussian32(dst, yy[:len(dst)], xx, -gamma)
}

// Gaussian64 is Gaussian32 in double precision.
func Gaussian64(dst []float64, xx float64, yy []float64, gamma float64) {
	gaussian64(dst, yy[:len(dst)], xx, -gamma)
}

func gaussianPortable[T vec.Float](exp func(T) T, dst, yy []T, xx, minus T) {
	for j, d := range dst {
		dst[j] = exp(minus * max(0, (xx+yy[j])-2*d))
	}
}
