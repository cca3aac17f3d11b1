package kernel

import "slices"

// Promised is a kernel of which nothing but its author's promise says that it is
// an inner product. A certificate is worth as much; see [Gram.Definite].
type Promised interface {
	Kernel
	Promised() // does nothing
}

// Promised marks a matrix from a file.
func (Precomputed) Promised() {}

// Promised marks a kernel of a program's own.
func (Func) Promised() {}

// IsPromised reports whether k is made of a promise.
func IsPromised(k Kernel) bool {
	switch k := k.(type) {
	case Promised:
		return true
	case normalised:
		return IsPromised(k.of)
	case combination:
		for _, part := range k.parts {
			if IsPromised(part) {
				return true
			}
		}
	}
	return false
}

// samplePromised is how many rows are looked at before a promise is believed.
const samplePromised = 500

// Definite reports whether the matrix is taken for positive semidefinite, so that
// duality bounds something: the kernel does not say otherwise, and if it is only
// promised, no reason against it is found among some hundred rows. Eigenvalues as
// small as the rounding of single precision makes them are none.
func (g *Gram) Definite() bool {
	g.definite.once.Do(func() { g.definite.is = g.decide() })
	return g.definite.is
}

func (g *Gram) decide() bool {
	if IsIndefinite(g.Kernel) {
		return false
	}
	if !IsPromised(g.Kernel) {
		return true
	}
	curvature, trace, n, err := look(g.Kernel, g.X, samplePromised)
	switch {
	case err != nil:
		return false
	case curvature >= -negligible(n, trace):
		return true
	}
	return curvature >= -0x1p-24*trace && slices.Min(g.Diagonal) >= 0
}
