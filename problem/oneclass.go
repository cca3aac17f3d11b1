package problem

import "github.com/fenchel-ml/fenchel/internal/gram"

// NewOneClass makes the problem of finding the smallest half-space of the images
// of the rows that holds nearly all of them (Schoelkopf et al. 2001):
//
//	min  |w|^2/2 - rho + 1/(nu N) sum_i s_i max(0, rho - <w,Phi(x_i)>)
//	max  -alpha^T K alpha/2   where 0 <= alpha_i <= s_i/(nu N), sum_i alpha_i = 1
//
// A row is an outlier where the prediction sum_j beta_j k(x_j,x) + b is negative,
// with b = -rho and beta = alpha. Its primal value is that of the point's own b.
// weights nil: every row counts once.
func NewOneClass(gram *gram.Gram, weights []float64, nu float64) (*Nu, error) {
	p, err := newNu(gram, weights, nu, 1)
	if err != nil {
		return nil, err
	}
	for i, s := range p.S {
		p.Sides[0].Cap[i] = s / (nu * p.N)
	}
	p.Sides[0].Mass = 1
	return p, p.scaled()
}
