package method

import "github.com/fenchel-ml/fenchel/internal/vec"

// Suboptimality of a basis U (thesis 4.1, reference 1.3):
//
//	epsilon(U) = sum_{i<=k} lambda_i - tr(U Sigma U^T)
//
// in units of the data's squared length; not an angle, for a large angle costs
// nothing where two eigenvalues are nearly equal. A value below -1e-9 means that U
// is not orthonormal, and is not hidden.

// Captured returns tr(U Sigma U^T), where second is Sigma, Cols x Cols numbers or
// the Cols numbers of a diagonal one.
func Captured(second []float64, u Basis) float64 {
	var sum vec.Sum
	d := u.Cols
	for i := range u.K {
		row := u.Row(i)
		for j, v := range row {
			if len(second) == d {
				sum.Add(float64(second[j]*v) * v)
			} else {
				sum.Add(v * vec.Dot64(second[j*d:(j+1)*d], row))
			}
		}
	}
	return sum.Value()
}

// Suboptimality returns epsilon(u), given what the best subspace of u.K dimensions
// captures: the sum of so many eigenvalues of Sigma.
func Suboptimality(second []float64, best float64, u Basis) float64 {
	return best - Captured(second, u)
}
