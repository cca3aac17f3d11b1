package spectral

import "github.com/fenchel-ml/fenchel/internal/vec/elementary"

// A geometry is a distance-generating function Psi of the eigenvalues. All of its
// functions replace a list by another; what is projected is in mirror space, where
// no precision is lost.
type geometry interface {
	mirror(primal []float64)             // grad Psi
	primal(mirror []float64)             // grad Psi*, its inverse
	project(mirror []float64, k int)     // of the primal, in mirror space
	centre(d, k int) (each, way float64) // every primal eigenvalue at the start; +1: rows are added, -1: subtracted
}

// frobenius is Psi = |M|_F^2/2: mirror space is the space itself, and the
// projection shifts and clips. Mirror descent is then dense MSG.
type frobenius struct{ fantope fantope }

func (*frobenius) mirror([]float64) {}
func (*frobenius) primal([]float64) {}

func (g *frobenius) project(mirror []float64, k int) { g.fantope.project(mirror, nil, float64(k)) }

func (*frobenius) centre(d, k int) (each, way float64) { return float64(k) / float64(d), 1 }

// vonNeumann is Psi = tr W ln W, the negative entropy: mirror space has logarithms
// (without the constant 1, which the projection takes off again), and the
// projection scales and caps. Mirror descent is then Warmuth and Kuzmin's
// algorithm.
type vonNeumann struct{ entropy entropy }

func (*vonNeumann) mirror(primal []float64) {
	for i, w := range primal {
		primal[i] = elementary.Log(w)
	}
}

func (*vonNeumann) primal(mirror []float64) { elementary.ExpTo(mirror, mirror) }

func (g *vonNeumann) project(mirror []float64, k int) {
	g.entropy.project(mirror, nil, len(mirror), k)
}

func (*vonNeumann) centre(d, _ int) (each, way float64) { return 1 / float64(d), -1 }
