package joint

import (
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/loss"
)

// Softmax is log(sum_k exp(p_k)) - p_y: multinomial logistic regression.
//
// With q = a + e_y: l*(a) = sum_k q_k log q_k on the domain.
type Softmax struct{}

var (
	_ Probabilistic = Softmax{}
	_ Quick         = Softmax{}
)

func init() {
	register("softmax", "log(sum_k exp(p_k)) - p_y of the scores of all classes: multinomial logistic regression, gives probabilities", Softmax{})
}

// Value returns max_k p_k - p_y + log(1 + the sum of the other exponentials), without overflow.
func (Softmax) Value(p []float64, y int) float64 {
	top := topOf(p)
	sum := 0.0
	for k, x := range p {
		if k != top {
			sum += elementary.Exp(x - p[top])
		}
	}
	return p[top] - p[y] + elementary.Log1p(sum)
}

// topOf returns the place of the largest number, the first of equal ones.
func topOf(p []float64) int {
	top := 0
	for k, x := range p {
		if x > p[top] {
			top = k
		}
	}
	return top
}

// Probabilities returns exp(p_k) divided by their sum.
func (Softmax) Probabilities(dst, p []float64) { shares(nil, dst, p, len(p)) }

// shares sets dst to the probabilities of rows of k predictions, and sums, one number a row unless it is nil, to the
// sum of the exponentials of what the predictions are below the largest.
func shares(sums, dst, p []float64, k int) {
	dst = dst[:len(p)]
	for at := 0; at < len(p); at += k {
		row, to := p[at:at+k], dst[at:at+k]
		most := row[0]
		for _, x := range row {
			most = max(most, x)
		}
		for c, x := range row {
			to[c] = max(x-most, -1e4) // exp is 0 there
		}
	}
	elementary.ExpTo(dst, dst)
	for i := 0; i*k < len(p); i++ {
		row, sum := dst[i*k:(i+1)*k], 0.0
		for _, x := range row {
			sum += x
		}
		for c := range row {
			row[c] /= sum
		}
		if sums != nil {
			sums[i] = sum
		}
	}
}

// rowsAtOnce is how many rows are taken together.
const rowsAtOnce = 64

// Values is Value of many rows.
func (Softmax) Values(value, p []float64, y []uint32) {
	k := len(p) / max(1, len(y))
	exps := make([]float64, rowsAtOnce*k)
	var tops [rowsAtOnce]int
	for lo := 0; lo < len(y); lo += rowsAtOnce {
		hi := min(lo+rowsAtOnce, len(y))
		for i := lo; i < hi; i++ {
			row := p[i*k : (i+1)*k]
			top := topOf(row)
			tops[i-lo] = top
			for c, x := range row {
				exps[(i-lo)*k+c] = x - row[top]
			}
		}
		elementary.ExpTo(exps, exps[:(hi-lo)*k])
		for i := lo; i < hi; i++ {
			row, top, sum := exps[(i-lo)*k:(i-lo+1)*k], tops[i-lo], 0.0
			row[top] = 0
			for _, x := range row {
				sum += x
			}
			value[i] = p[i*k+top] - p[i*k+int(y[i])] + elementary.Log1p(sum)
		}
	}
}

// ValueSlopes is Value and Derivative of rows by the same exponentials.
func (Softmax) ValueSlopes(value, dst, p []float64, y []uint32) {
	k := len(p) / max(1, len(y))
	var sums, logs [rowsAtOnce]float64
	for lo := 0; lo < len(y); lo += rowsAtOnce {
		hi := min(lo+rowsAtOnce, len(y))
		for i := lo; i < hi; i++ {
			row := p[i*k : (i+1)*k]
			value[i] = slices.Max(row) - row[y[i]]
		}
		shares(sums[:hi-lo], dst[lo*k:hi*k], p[lo*k:hi*k], k)
		elementary.LogTo(logs[:], sums[:hi-lo])
		for i := lo; i < hi; i++ {
			value[i] += logs[i-lo]
			closeAt(dst[i*k:(i+1)*k], int(y[i]))
		}
	}
}

// Derivative returns the probabilities, less 1 for the class.
func (l Softmax) Derivative(dst, p []float64, y int) {
	l.Probabilities(dst, p)
	closeAt(dst[:len(p)], y)
}

// Conjugate returns the negative entropy of q: the part of q_y = 1-S is
// -Entropy(S) - S log S with the entropy of (S, 1-S), which is exact where S is small.
func (Softmax) Conjugate(a []float64, y int) float64 {
	sum := 0.0
	for k, x := range a {
		if k != y && x > 0 {
			sum += float64(x * elementary.Log(x))
		}
	}
	s := moved(a, y)
	if s == 0 {
		return 0
	}
	return sum - (elementary.Entropy(s) + float64(s*elementary.Log(s)))
}

// Conjugates is Conjugate of many rows.
func (Softmax) Conjugates(value, a []float64, y []uint32) {
	k := len(a) / max(1, len(y))
	logs := make([]float64, rowsAtOnce*k)
	var shares, of, entropies [rowsAtOnce]float64 // S, its logarithm and the entropy of (S, 1-S)
	for lo := 0; lo < len(y); lo += rowsAtOnce {
		hi := min(lo+rowsAtOnce, len(y))
		elementary.LogTo(logs, a[lo*k:hi*k])
		for i := lo; i < hi; i++ {
			value[i] = 0
			for c, x := range a[i*k : (i+1)*k] {
				if c != int(y[i]) && x > 0 {
					value[i] += float64(x * logs[(i-lo)*k+c])
				}
			}
			shares[i-lo] = moved(a[i*k:(i+1)*k], int(y[i]))
		}
		elementary.LogTo(of[:], shares[:hi-lo])
		elementary.EntropyTo(entropies[:], shares[:hi-lo])
		for i := lo; i < hi; i++ {
			if s := shares[i-lo]; s == 0 {
				value[i] = 0
			} else {
				value[i] -= entropies[i-lo] + float64(s*of[i-lo])
			}
		}
	}
}

// Dual solves softmax(u) - e_y + (u-v)/step = 0 by Newton's method, see newton.
func (l Softmax) Dual(dst, v []float64, step float64, y int) {
	s := newtonOf(v, step, y)
	defer newtons.Put(s)
	s.solve()
	copy(dst, s.q)
	closeAt(dst[:len(v)], y)
}

// Smoothness is 1/2: the largest eigenvalue of diag(q) - qq^T.
func (Softmax) Smoothness() float64 { return 0.5 }

// Two is the logistic loss.
func (Softmax) Two() loss.Loss { return loss.Logistic{} }
