package problem

import "math"

// BiCriterion is a problem of a kernel machine that trades the norm of the
// classifier for its average loss. All of them have the same optimal classifiers,
// for matching lambda, R and nu (thesis 1.1):
//
//	an optimum of    is one of NormConstrained for    and of Slack for
//	Kernel           R = norm                         nu = loss/norm
//	NormConstrained  lambda = ImpliedLambda           nu = loss/norm
//	Slack            R = norm                         lambda = ImpliedLambda
//
// where C is 1/(lambda N) throughout.
type BiCriterion interface {
	Problem
	// Criteria returns |w| and the average loss of the classifier of a point.
	Criteria(w []float64) (norm, loss float64)
}

var (
	_ BiCriterion = (*Kernel)(nil)
	_ BiCriterion = (*NormConstrained)(nil)
	_ BiCriterion = (*Slack)(nil)
)

// Criteria returns the norm and the average loss of the point.
func (p *Kernel) Criteria(w []float64) (norm, loss float64) {
	free := &Kernel{Gram: p.Gram, Risk: p.Risk}
	free.Lambda = 0
	n := p.Len()
	r := free.respond(w[:n])
	loss, _ = free.primal(r, w[n])
	return math.Sqrt(r.squared + float64(p.Constant()*w[n]*w[n])), loss
}

// Criteria returns the norm and the average loss of the point.
func (p *NormConstrained) Criteria(w []float64) (norm, loss float64) {
	return (&Kernel{Gram: p.Gram, Risk: p.Risk}).Criteria(w)
}

// Criteria returns the norm and the average loss of the classifier of the point.
func (p *Slack) Criteria(w []float64) (norm, loss float64) {
	scaled, _ := p.Classifier(w)
	return (&Kernel{Gram: p.Gram, Risk: p.Risk}).Criteria(scaled)
}

// ImpliedLambda returns the lambda for which an optimal point is that of the
// problem with a penalty: lambda = -(1/(N R^2)) sum_i s_i a_i r_i.
func (p *NormConstrained) ImpliedLambda(pt Point) float64 {
	n := p.Len()
	r := (&Kernel{Gram: p.Gram, Risk: p.Risk}).respond(pt.W[:n])
	v := make([]float64, n)
	p.feasible(v, pt.A)
	sum := 0.0
	for i, v := range v { // s.a
		sum -= float64(v * (r.value[i] + float64(p.Constant()*pt.W[n])))
	}
	return sum / (p.N * p.Radius * p.Radius)
}

// ImpliedLambda returns the lambda for which the classifier of an optimal point
// is the optimum of the problem with a penalty: lambda = f |sum_i p_i y_i Phi(x_i)| /
// (N max_i p_i/s_i).
func (p *Slack) ImpliedLambda(pt Point) float64 {
	f, _, _ := p.margin(pt.W)
	v := p.masses(pt.A)
	r := (&Kernel{Gram: p.Gram, Risk: p.Risk}).respond(v)
	return float64(f*math.Sqrt(r.squared+float64(p.Constant()*r.sum*r.sum))) / (p.N * p.steepest(v))
}

// Name says in words what kind of problem p is, for messages.
func Name(p Problem) string {
	switch p.(type) {
	case *Linear:
		return "a linear model with lambda or C"
	case *LinearSlack:
		return "a linear model with a bound on the slack"
	case *Kernel:
		return "a kernel machine with lambda or C"
	case *NormConstrained:
		return "a kernel machine with a radius"
	case *Slack:
		return "a kernel machine with a bound on the slack"
	case *Nu:
		return "a kernel machine with nu"
	case *Network:
		return "a network"
	case *Joint:
		return "a linear model of several classes under one loss"
	case *JointKernel:
		return "a kernel machine of several classes under one loss"
	}
	return "a problem of the program's own"
}
