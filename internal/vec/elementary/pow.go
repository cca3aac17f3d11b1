package elementary

// Pow returns x^y = e^(y log x) for x >= 0 and y > 0: 0 for x = 0, exactly 1 for x = 1. With
// t = |y log x| its relative error is below (2 + 6t) 2^-53 where the result is a normal
// number: 4t of the logarithm, t of the product, 2 of the exponential.
func Pow(x, y float64) float64 { return Exp(y * Log(x)) }
