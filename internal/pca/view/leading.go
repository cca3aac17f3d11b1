package view

import (
	"slices"

	"github.com/fenchel-ml/fenchel/internal/vec/lapack"
)

// Leading returns all eigenvalues of s, m x m and symmetric, and as many of their vectors as count says of
// these. Where s is what rows share, a method and the certificate of what it finds do so once; no one may
// change them.
func (r Rows) Leading(s []float64, m, threads int, count func(values []float64) int) (values, vectors []float64) {
	shares := r.shared.belongs(r) && (sameNumbers(s, r.shared.double) || r.shared.moment != nil && sameNumbers(s, r.shared.moment.Value))
	if shares && sameNumbers(s, r.shared.leads.of) {
		if k := count(r.shared.leads.values); k*m <= len(r.shared.leads.vectors) {
			return r.shared.leads.values, r.shared.leads.vectors[:k*m]
		}
	}
	var eigen lapack.Eigensystem
	values = make([]float64, m)
	vectors = eigen.Leading(values, slices.Clone(s), m, threads, count)
	if shares {
		r.shared.leads = leading{s, values, vectors}
	}
	return values, vectors
}

// MoreThan returns how many eigenvectors beside k a certificate of k components likes to know.
func MoreThan(k int) int { return max(10, k/5) }

// Dense reports whether k eigenvectors of m are found sooner by all eigenvalues than by products.
func Dense(m, k int) bool { return m <= 256 || 16*k > m }
