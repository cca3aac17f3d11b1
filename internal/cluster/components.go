package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/solver"
)

// Components is what was found by [Principal].
type Components struct {
	Model *model.PCA
	Jobs  int
	Steps int // of Lanczos, for the certificate
}

// mostSteps is how many products of a block a search may take: thirty are many.
const mostSteps = 300

// hunt is one run of [Principal].
type hunt struct {
	trainer
	pca     pca.Spec
	told    func(gap float64)
	moved   View // what centres and scales rows
	problem method.Problem
	second  []float64 // Sigma, d x d; nil: it is not formed
	size    certificate.Size
	basis   method.Basis
	proof   certificate.Certificate
}

// Principal finds principal components of the rows of a cluster, with the certificate of all rows: of few columns by the second moment, which one job
// sums up, of many by block Lanczos, where every product with the rows is a job. Partitions remember nothing: each request says all.
// told, where not nil, hears of gaps that are proved.
func Principal(ctx context.Context, c Cluster, spec pca.Spec, told func(gap float64)) (*Components, error) {
	if err := checkPrincipal(&spec); err != nil {
		return nil, err
	}
	h := &hunt{trainer: trainer{cluster: c}, pca: spec, told: told}
	if err := h.measure(ctx); err != nil {
		return nil, err
	}
	find := h.byProducts
	if h.pca.Method == "covariance" {
		find = h.bySecond
	}
	if err := find(ctx); err != nil {
		return nil, err
	}
	m := h.model()
	return &Components{Model: m, Jobs: h.jobs, Steps: h.proof.Steps}, m.Seal()
}

// checkPrincipal settles what is left open of a spec, and refuses what a cluster has no use for.
func checkPrincipal(spec *pca.Spec) error {
	if spec.Gap == 0 {
		spec.Gap = pca.DefaultGap
	}
	if spec.Scale == "" || spec.Scale == "auto" {
		spec.Scale = "none"
	}
	if err := spec.Check(); err != nil {
		return err
	}
	if spec.K < 1 || spec.Kernel != "" || spec.Whiten != "" || spec.Missing != "" {
		return errors.New("a cluster finds a number of components of rows without missing numbers: found a share, a kernel or another wish")
	}
	if !slices.Contains([]string{"", "auto", "covariance", "krylov"}, spec.Method) {
		return fmt.Errorf("method %s: a cluster knows auto, covariance and krylov", spec.Method)
	}
	return nil
}

// measure learns how many and how large the rows are, and what centres and scales them.
func (h *hunt) measure(ctx context.Context) error {
	if err := h.describe(ctx); err != nil {
		return err
	}
	s := h.summary
	if len(s.Labels) > 0 || s.Numbers {
		return pose.DataError{Reason: "found rows with targets, expected rows alone: components are of these"}
	}
	h.problem = method.Problem{Rows: s.Rows, Cols: s.Cols, K: h.pca.K, Seed: h.pca.Seed, Threads: h.pca.Threads, Loss: method.FirstLoss(h.pca.Gap)}
	if err := h.problem.Check(); err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	if h.pca.Method == "" || h.pca.Method == "auto" {
		if h.pca.Method = "krylov"; s.Cols <= MostColumns {
			h.pca.Method = "covariance"
		}
	}
	if h.pca.Method == "covariance" && s.Cols > mostSecond {
		return pose.DataError{Reason: fmt.Sprintf("method covariance: found %d features, expected at most %d: use krylov", s.Cols, mostSecond)}
	}
	center := h.pca.Center == "yes" || h.pca.Center != "no" && view.Centres(s.Rows, s.Cols, s.Nonzeros) || h.pca.Scale == "thesis"
	moments, err := h.moments(ctx, h.pca.Scale == "max-norm" && center)
	if err != nil {
		return err
	}
	moved, err := moments.Scaling(h.pca.Scale, center)
	if err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	if center {
		h.moved.Offset = moved.Offset
	}
	if h.pca.Scale != "none" {
		h.moved.Factor = moved.Factor
	}
	switch {
	case center && moments.Constants() == s.Cols:
		return pose.DataError{Reason: "all rows are the same: expected some that differ"}
	case moments.Second == 0:
		return pose.DataError{Reason: "all values are zero: expected some that are not"}
	}
	return nil
}

// moments merges those of the partitions; with distances, the largest distance from the mean is there too.
func (t *trainer) moments(ctx context.Context, distances bool) (*scaling.Moments, error) {
	answers, err := t.ask(ctx, &Request{Verb: "moments", View: &View{}})
	if err != nil {
		return nil, err
	}
	all := answers[0].Moments
	for _, a := range answers[1:] {
		err = errors.Join(err, all.Merge(a.Moments))
	}
	if err != nil || !distances {
		return all, err
	}
	if answers, err = t.ask(ctx, &Request{Verb: "moments", View: &View{Offset: all.Mean}}); err != nil {
		return nil, err
	}
	for _, a := range answers {
		all.MaxCentred = max(all.MaxCentred, a.Moments.MaxCentred)
	}
	return all, nil
}

// sum asks for sums over the rows, and adds them up in the order of the partitions.
func (h *hunt) sum(ctx context.Context, verb string, q []float64, m int) ([]float64, []*Answer, error) {
	v := h.moved
	v.Q, v.M = q, m
	answers, err := h.ask(ctx, &Request{Verb: verb, View: &v})
	if err != nil {
		return nil, nil, err
	}
	sum := make([]float64, len(answers[0].Sum))
	for _, a := range answers {
		vec.Axpy64(sum, 1, a.Sum)
	}
	return sum, answers, nil
}

// power returns Q X'^T X'.
func (h *hunt) power(ctx context.Context, q []float64, m int) ([]float64, error) {
	sum, _, err := h.sum(ctx, "power", q, m)
	return sum, err
}

// bySecond finds components by the second moment, which is formed.
func (h *hunt) bySecond(ctx context.Context) error {
	n, d := h.problem.Rows, h.problem.Cols
	packed, _, err := h.sum(ctx, "second", nil, 0)
	if err != nil {
		return err
	}
	h.second = make([]float64, d*d)
	trace := 0.0
	for i := range d {
		for j := range i + 1 {
			x := packed[i*(i+1)/2+j] / float64(n)
			h.second[i*d+j], h.second[j*d+i] = x, x
		}
		trace += h.second[i*d+i]
	}
	if h.basis, err = batch.Pairs(ctx, view.Rows{}, h.second, d, h.problem); err != nil {
		return err
	}
	h.basis.Orient()
	if certificate.Forms(n, d) {
		// A partition forms its rows, and adds them up as route exact does; then partitions are added up. The mean of |x|^2 is at most the trace and its errors.
		error := algebra.Gamma(view.MomentRows + n/view.MomentRows + h.partitions + 16)
		wrong := algebra.Up(error * trace * (1 + float64(2*(error+algebra.Gamma(d)))))
		h.proof, err = certificate.OfProducts(ctx, h.second, d, wrong, h.basis, h.pca.Threads)
		return err
	}
	// Many rows: what one machine proves of them, it proves by products. Those with the formed moment are closer to these than
	// the bounds of the certificate say, as n is more than twice d and [view.MomentRows].
	return h.certify(ctx, h.powerOfSecond)
}

// powerOfSecond is power by the second moment.
func (h *hunt) powerOfSecond(_ context.Context, q []float64, m int) ([]float64, error) {
	d := h.problem.Cols
	dst := make([]float64, m*d)
	algebra.Multiply(dst, q, h.second, m, d, d, h.pca.Threads)
	algebra.Scale(dst, float64(h.problem.Rows))
	return dst, nil
}

// byProducts finds components by products with the rows.
func (h *hunt) byProducts(ctx context.Context) error {
	n, d, k := h.problem.Rows, h.problem.Cols, h.problem.K
	block := min(k+10, max(8, (1<<22)/d)) // rounds are expensive, and numbers too
	sigma := view.Operator{Dim: d, Block: block, Apply: func(ctx context.Context, dst, q []float64, m int) error {
		sum, err := h.power(ctx, q, m)
		copy(dst, sum)
		algebra.Divide(dst[:m*d], float64(n))
		return err
	}}
	for {
		var err error
		if h.basis, err = batch.OfOperator(ctx, sigma, math.NaN(), mostSteps, h.problem); err != nil {
			return err
		}
		if h.basis.K < k {
			return pose.DataError{Reason: fmt.Sprintf("found only %d of k = %d components: the rows lie in fewer dimensions", h.basis.K, k)}
		}
		h.basis.Orient()
		if err := h.certify(ctx, h.power); err != nil {
			return err
		}
		if h.proof.Loss() <= h.pca.Gap || h.problem.Loss == method.LeastLoss {
			return nil
		}
		h.problem.Loss = method.NextLoss(h.problem.Loss, h.pca.Gap, h.proof.Loss())
	}
}

// certify proves what the components are worth by products.
func (h *hunt) certify(ctx context.Context, power func(ctx context.Context, q []float64, m int) ([]float64, error)) (err error) {
	if h.size.Raw == 0 {
		if h.size, err = h.sizes(ctx); err != nil {
			return err
		}
	}
	of := certificate.Moment{Rows: h.problem.Rows, Cols: h.problem.Cols, Size: h.size, Power: power, Couple: h.couple}
	seed := func() uint64 { return certificate.Seed(h.pca.Seed, h.summary.digest()) }
	h.proof, err = certificate.OfMoment(ctx, of, h.basis, h.pca.Threads, seed, func(c certificate.Certificate) bool {
		if h.told != nil {
			h.told(c.Loss())
		}
		return c.Loss() <= h.pca.Gap
	})
	return err
}

// sizes adds up the squared lengths of the rows.
func (h *hunt) sizes(ctx context.Context) (certificate.Size, error) {
	_, answers, err := h.sum(ctx, "sizes", nil, 0)
	if err != nil {
		return certificate.Size{}, err
	}
	var sums [3]vec.Sum
	for _, a := range answers {
		for i, x := range a.Sum {
			sums[i].Add(x)
		}
	}
	n := float64(h.problem.Rows)
	return certificate.Size{Total: max(0, sums[0].Value()) / n, Upper: algebra.Up(sums[1].Value() / n), Raw: algebra.Up(sums[2].Value() / n)}, nil
}

// couple returns what a certificate asks of the basis.
func (h *hunt) couple(ctx context.Context, q []float64, m int) (image, inner []float64, squares float64, err error) {
	wide := m * h.problem.Cols
	sum, answers, err := h.sum(ctx, "couple", q, m)
	if err != nil {
		return nil, nil, 0, err
	}
	var exact vec.Sum
	for _, a := range answers {
		exact.Add(a.Sum[wide+m*m])
	}
	return sum[:wide:wide], sum[wide : wide+m*m : wide+m*m], exact.Value(), nil
}

// model makes the model of what was found.
func (h *hunt) model() *model.PCA {
	s, p := h.summary, h.proof
	status := solver.Stalled
	if p.Loss() <= h.pca.Gap {
		status = solver.Converged
	}
	return &model.PCA{
		Statement:  model.PCAStatement{K: h.pca.K, Method: h.pca.Method, Center: h.moved.Offset != nil, Scale: h.pca.Scale, Seed: h.pca.Seed},
		Data:       model.Data{Rows: s.Rows, Features: s.Cols, Nonzeros: s.Nonzeros, Digest: s.digest()},
		Components: h.basis.Component, Eigenvalue: h.basis.Value, Mean: h.moved.Offset, Scale: h.moved.Factor,
		Proof:   model.PCAProof{Status: string(status), Gap: h.pca.Gap, Total: model.Bound(p.Total), Captured: model.Bound(p.Captured), Upper: model.Bound(p.Upper), Failure: p.Failure, Route: p.Route},
		Version: pose.Version(),
	}
}
