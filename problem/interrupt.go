package problem

import "math"

// Heedful is a Problem whose certificates, and what it does for solvers, may take
// seconds: Heed makes it ask over on the way and leave the rest undone once that is
// true; nil: never. Cut reports whether it did since then. Of a certificate that was
// cut short the objective of the point is no number, or, if that could still be
// computed, nothing is known of the bound.
type Heedful interface {
	Problem
	Heed(over func() bool)
	Cut() bool
}

var (
	_ Heedful = (*Kernel)(nil)
	_ Heedful = (*NormConstrained)(nil)
	_ Heedful = (*Slack)(nil)
	_ Heedful = (*Nu)(nil)
)

// unfinished is the certificate of a point whose objective was not computed.
func unfinished(zero float64) Certificate {
	return Certificate{Primal: math.NaN(), Dual: math.Inf(-1), Zero: zero}
}
