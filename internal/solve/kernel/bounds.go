package kernel

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

// Cost is what theory says an algorithm needs, up to constants and logarithms, to
// come within eps of the expected hinge loss of an unknown classifier u
// (thesis, tables 1.2, 2.6 and 3.4).
type Cost struct {
	Algorithm string
	Training  float64 // evaluations of the kernel; random features: inner products
	Support   float64 // vectors, which are the cost of a prediction
}

// Costs returns the table for the loss of u, eps, a bound on |u| (for random
// features on |alpha|_1) and the number of columns, for K_ii <= 1. With rho =
// (loss+eps)/eps, which is 1 where the classes can be separated, the stochastic
// batch perceptron needs rho^3 R^4/eps evaluations, dual decomposition rho^2
// R^4/eps^2 and descent rho R^4/eps^3: in this order while loss + eps < 1.
func Costs(loss, eps, radius, columns float64) []Cost {
	rho, squared := (loss+eps)/eps, radius*radius
	fourth := squared * squared
	online := Cost{Training: rho * rho * rho * fourth / eps, Support: rho * rho * squared}
	named := func(algorithm string, c Cost) Cost {
		c.Algorithm = algorithm
		return c
	}
	return []Cost{
		named("sparsifier after sbp", Cost{Training: online.Training, Support: squared}),
		named("sbp", online),
		named("sgd", Cost{Training: rho * fourth / (eps * eps * eps), Support: squared / (eps * eps)}),
		named("pegasos", Cost{Training: min(1/eps, rho*rho) * fourth / (eps * eps * eps), Support: squared / (eps * eps)}),
		named("dual decomposition", Cost{Training: rho * rho * fourth / (eps * eps), Support: rho * squared / eps}),
		named("perceptron", online),
		named("random features", Cost{Training: rho * columns * fourth / (eps * eps * eps), Support: columns * squared / (eps * eps)}),
	}
}

// CompressionBound returns what the error of a classifier that k <= n/2 of the n
// rows determine, k being known beforehand, does not exceed with probability
// 1-delta, if its average loss, of values in [0,1] and at least the error, is loss
// (Shalev-Shwartz; thesis 3.3):
//
//	loss + sqrt(32 loss z/n) + 8 z/n,  z = k log n + log(1/delta)
func CompressionBound(loss float64, k, n int, delta float64) float64 {
	z := (float64(float64(k)*elementary.Log(float64(n))) - elementary.Log(delta)) / float64(n)
	return loss + math.Sqrt(32*loss*z) + float64(8*z)
}
