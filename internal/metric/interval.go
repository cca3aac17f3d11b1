package metric

import "math"

// ExactInterval is the interval of Clopper and Pearson (1934) for the probability of an event that
// was seen in k of n independent rows: with probability 1 - alpha or more it holds it,
// whatever it is. Its ends are quantiles of beta distributions, B(k, n-k+1) and B(k+1, n-k).
func ExactInterval(k, n, alpha float64) (lo, hi float64) {
	if !(n > 0 && k >= 0 && k <= n && alpha > 0 && alpha <= 1) {
		return math.NaN(), math.NaN()
	}
	hi = 1
	if k > 0 {
		lo = betaQuantile(alpha/2, k, n-k+1)
	}
	if k < n {
		hi = betaQuantile(1-alpha/2, k+1, n-k)
	}
	return lo, hi
}

// betaQuantile is the x at which betaShare is p, by bisection.
func betaQuantile(p, a, b float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		if mid := (lo + hi) / 2; betaShare(mid, a, b) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// betaShare is the distribution function of the beta distribution, the regularised incomplete beta
// function I_x(a, b), by its continued fraction (Lentz's method; DLMF 8.17.22).
func betaShare(x, a, b float64) float64 {
	if x > (a+1)/(a+b+2) { // where the fraction converges fast
		return 1 - betaShare(1-x, b, a)
	}
	if x == 0 {
		return 0
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a
	c, d := 1.0, 0.0
	f := 1.0
	for m := 0.0; m < 10000; m++ {
		for half := range 2 {
			var t float64
			switch {
			case m == 0 && half == 0:
				continue
			case half == 0:
				t = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
			default:
				t = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
			}
			d = 1 / (1 + t*d)
			c = 1 + t/c
			f *= c * d
		}
		if math.Abs(c*d-1) < 1e-15 {
			break
		}
	}
	return front / f
}

// Hoeffding bounds, with probability 1 - alpha, the difference of the risk of a model and its
// mean loss on n rows, for losses in an interval of that width: width sqrt(ln(2/alpha)/(2n)),
// Theorem 2.3 of [Ulbrich]. The model must have been trained and chosen without these rows.
func Hoeffding(width, alpha, n float64) float64 {
	if !(n > 0 && alpha > 0 && alpha <= 1) {
		return math.NaN()
	}
	return width * math.Sqrt(math.Log(2/alpha)/(2*n))
}

// Confidence is the probability with which the error on new rows like these is within
// Evaluation.Within of that on them, by Hoeffding's inequality, if no choice of the model
// depended on them.
const Confidence = 0.95
