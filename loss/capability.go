package loss

import "math"

// What a loss can do beyond [Loss]. It says so in its own file, by methods and a compile-time
// assertion; conform.Loss compares each with the value, the derivative and the conjugate. A
// solver's Accepts asks for what the solver needs: a loss that does not declare it is refused.
// A type that embeds a loss declares all that this one does.
//
//	Margin          targets are -1 and +1           kernel perceptrons, classes
//	Probabilistic   predictions are log-odds        probabilities
//	Linked          predictions say a mean          numbers predicted
//	LogLinked       it is e^p                       graphs of ONNX
//	Curved          a second derivative             newton, cd
//	SelfConcordant  it changes slowly, or not       newton: factors that are used again; cholesky
//	Cornered        a line and ramps                newton: interior points; sdca: proximal steps
//	Invertible      the derivative's inverse        working, smo, decomposition; facts
//	Tube            no loss close to the target     audits of imported models
//	Stepped         a formula for dual steps        sdca: speed
//	Batch           values of many rows at once     certificates: speed
//	CurvedBatch     derivatives of many rows        newton: speed
//	Targets         targets from a range            problems: other targets are refused
//	Score           a score of its own              searches: what they choose by
//	Numeric         targets are numbers             the task; C where none is given
//	nonconvex       not convex                      kernel machines without a certificate
//	Flowing         its gradient flow is known      streams: steps that depend on no weight of rows
//	Ramped          the hinge, flat below a margin  ramp

// Margin is a loss of the margin y*p: its targets are -1 and +1 only. OfMargins does nothing: it
// lets a program's own loss declare this without embedding one, which declares more.
type Margin interface {
	Loss
	OfMargins()
}

// Probabilistic is a loss whose prediction is the log-odds of y = +1.
type Probabilistic interface {
	Loss
	Probability(p float64) float64
}

// Linked is a loss whose predictions p say the mean of the target by another function than p
// itself.
//
// Law: the derivative at p is 0 for the target Mean(p).
type Linked interface {
	Loss
	Mean(p float64) float64
}

// LogLinked is a linked loss whose predictions are logarithms of means: Mean(p) is e^p.
type LogLinked interface {
	Linked
	OfLogarithms()
}

// Numeric is a loss whose targets are numbers to predict, whatever they look like: never classes.
//
// UsualC is the C of regularisation that fits targets of a scale and a mean, where none is given.
//
// Law: it is a number > 0 where the scale and the mean are such.
type Numeric interface {
	Loss
	UsualC(scale, mean float64) float64
}

// scored is a loss of numbers whose predictions are judged by another score than the squared error:
// Score is mae, deviance or pinball, and tau is of that, else 0.
type scored interface {
	Loss
	Score() (name string, tau float64)
}

// ScoreOf returns the score of l; rmse where it has none of its own.
func ScoreOf(l Loss) (name string, tau float64) {
	if s, ok := l.(scored); ok {
		return s.Score()
	}
	return "rmse", 0
}

// Curved is a loss with a second derivative: Curvature returns it, or at the
// points where the derivative has a corner one of the two one-sided ones.
type Curved interface {
	Loss
	Curvature(p, y float64) float64
}

// SelfConcordant is a curved loss whose curvature does not jump.
//
// Law, with M = SelfConcordance(): |l”'(p)| <= M l”(p), so that the curvature at a distance
// of r is at most e^(Mr) times as large, and at least e^(-Mr) times (Bach 2010). M = 0 is
// a parabola.
type SelfConcordant interface {
	Curved
	SelfConcordance() float64
}

// IsQuadratic reports whether l says that it is a parabola for each target.
func IsQuadratic(l Loss) bool {
	s, ok := l.(SelfConcordant)
	return ok && s.SelfConcordance() == 0
}

// Cornered is a loss that a straight line and one or two ramps add up to: for
// interior-point methods, which need to know where it bends.
//
// Law, up to a constant that depends on y alone:
//
//	l(p) = slope p + sum_k max over a in [0, Jump_k] of a (p - At_k) - Width_k a^2/2
//
// The slope of ramp k rises from 0 to Jump_k while p goes from At_k to
// At_k + Width_k Jump_k; a width of 0 is a corner. A ramp that is not there
// has Jump = 0, and comes last. Only the slope and where the first ramp begins
// depend on y; Jump, Width and the distance of the ramps do not.
type Cornered interface {
	Loss
	Ramps(y float64) (slope float64, ramps [2]Ramp)
}

// Ramp is where the slope of a loss rises by Jump, see Cornered.
type Ramp struct{ At, Jump, Width float64 }

// IsHinge reports whether the declared shape of l is that of the hinge.
func IsHinge(l Loss) bool {
	c, ok := l.(Cornered)
	if _, margin := l.(Margin); !ok || !margin {
		return false
	}
	slope, ramps := c.Ramps(1)
	return slope == -1 && ramps == [2]Ramp{{At: 1, Jump: 1}}
}

// Invertible is a loss of which it is known at which predictions it has a given
// slope: for methods that compare dual variables with predictions.
//
// Laws: Inverse(a, y) returns the ends of the interval of all p of which a, in
// Domain(y), is a subgradient: the subdifferential of the conjugate at a. An
// end may be infinite; at an end of the domain that no slope reaches, both are.
// Inside the domain the conjugate has a corner, lo < hi, at a = 0 only; its
// derivative rises by at least (a'-a)/Smoothness() from a to a' > a, and by just
// that on either side of 0 if Straight reports true.
type Invertible interface {
	Loss
	Inverse(a, y float64) (lo, hi float64)
	Straight() bool
}

// Tube is a loss that is 0 where the prediction is within Tube() of the target, and nowhere else.
type Tube interface {
	Loss
	Tube() float64
}

// targeted is a loss for targets from least to most only.
type targeted interface {
	Loss
	Targets() (least, most float64)
}

// Targets returns the range of the targets of a loss: all finite numbers, unless it says otherwise.
func Targets(l Loss) (least, most float64) {
	if t, ok := l.(targeted); ok {
		return t.Targets()
	}
	return math.Inf(-1), math.Inf(1)
}

// Stepped is a loss with a formula for the [Step]: through the proximal map a row of ten
// nonzeros costs twice as much. exact says that gap and rise are.
//
// Law: the step gains three quarters of what the exact one gains, or all if it is exact.
type Stepped interface {
	Loss
	DualStep() (step Step, exact bool)
}

// Batch is a loss that judges many rows at once, in less time than one after
// another. [ValueTo] and [ConjugateTo] do it for every loss.
//
// Laws, for each i: value[i] has the bits of Value(p[i], y[i]); no slope at a
// prediction within reach[i] of p[i] is steeper than slope[i]; dst[i] has the
// bits of Conjugate(a[i], y[i]). All slices are as long as y; p may be value,
// reach may be slope, a may be dst.
type Batch interface {
	Loss
	ValueTo(value, slope, p, y, reach []float64)
	ConjugateTo(dst, a, y []float64)
}

// CurvedBatch is a curved loss that differentiates many rows at once. [DifferentiateTo] does
// it for every curved loss.
//
// Laws, for each i: slope[i] has the bits of Derivative(p[i], y[i]); curvature[i] is
// Curvature(p[i], y[i]) but for 1e-15 Smoothness(). All slices are as long as y; p may be slope.
type CurvedBatch interface {
	Curved
	DifferentiateTo(slope, curvature, p, y []float64)
}

// Flowing is a loss whose gradient flow is known: Flow(p, y, h) returns p(h) - p, where p(0) = p and
//
//	dp/dt = -l'(p, y).
//
// A step along it never goes past the least value, and two steps are one of their sum: a row that weighs twice is the
// row twice (Karampatziakis and Langford 2011, Online importance weight aware updates).
//
// Laws, for s, h >= 0: Flow(p, y, s+h) = f + Flow(p+f, y, h) with f = Flow(p, y, s); the value does not increase; its
// slope in h at 0 is -Derivative(p, y).
type Flowing interface {
	Loss
	Flow(p, y, h float64) float64
}

// nonconvexLoss is a loss that is not convex: it has the methods, but not the laws of [Loss],
// and nothing bounds its objective from below. Its conjugate is that of the largest convex
// function below it.
type nonconvexLoss interface {
	Loss
	nonconvex()
}

// IsConvex reports whether l is convex.
func IsConvex(l Loss) bool {
	_, not := l.(nonconvexLoss)
	return !not
}

// Ramped is the loss min(1-z, max(0, 1-yp)), z = FlatBelow() < 1.
type Ramped interface {
	Margin
	nonconvexLoss
	FlatBelow() float64
}
