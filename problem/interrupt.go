package problem

import "math"

// Interruptible is a Problem whose certificates, and what it does for solvers, may take
// seconds: StopWhen makes it ask over on the way and leave the rest undone once that is
// true; nil: never. Cut reports whether it did since then. Of a certificate that was
// cut short the objective of the point is no number, or, if that could still be
// computed, nothing is known of the bound.
type Interruptible interface {
	Problem
	StopWhen(over func() bool)
	Cut() bool
}

var (
	_ Interruptible = (*Kernel)(nil)
	_ Interruptible = (*NormConstrained)(nil)
	_ Interruptible = (*Slack)(nil)
	_ Interruptible = (*Nu)(nil)
)

// unfinished is the certificate of a point whose objective was not computed.
func unfinished(zero float64) Certificate {
	return Certificate{Primal: math.NaN(), Dual: math.Inf(-1), Zero: zero}
}
