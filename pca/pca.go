// Package pca finds principal components: the k orthonormal directions that capture the most of the
// second moment Sigma = (1/n) sum_i x_i x_i^T,
//
//	maximise  tr(U Sigma U^T)   subject to  U U^T = I,   U of k rows,
//
// of all rows ([Fit]) or in one pass over them ([Stream]), and proves how good the answer is. Rows are
// centred and scaled in flight, so that sparse data stay sparse. [Merge] puts together components of
// parts of the rows; [Verify] computes the claims of a model again, with no method involved.
//
// The methods and the certificate are below internal/pca; files of models are written by package model.
package pca

import (
	"context"
	"fmt"
	"maps"
	"math"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/batch"
	"github.com/fenchel-ml/fenchel/internal/pca/certificate"
	"github.com/fenchel-ml/fenchel/internal/pca/images"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// Result is what Fit made.
type Result struct {
	Model  *model.PCA
	Status solver.Status
	Why    string // the method was chosen; "" if it was asked for

	// State is that of a method that learned row by row, nil of others. It may be a
	// spectral.Spectrum with a cost, or a method.Stuck.
	State method.State

	// Passes is how often the method read all rows, and Numbers how many stored numbers it
	// touched, certificates not counted.
	Passes, Numbers float64

	Fit, Certify time.Duration
	Warnings     []error
}

// Fit finds the components of all rows and proves how much more variance others
// could capture. Rows are read often. A cancelled context or a limit is no error: the
// result then holds the best components found, and says so in its Status. While rows are
// measured there are none: then the error is that of the context.
func Fit(ctx context.Context, set *data.Set, spec Spec) (*Result, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	set = spec.inPrecision(set)
	begun := time.Now()
	j, err := parallel.Until(ctx, func() (*pcaJob, error) {
		j := &pcaJob{spec: spec, set: set, begun: begun}
		return j, j.prepare(ctx)
	})
	if err != nil {
		return nil, err
	}
	var stop func()
	j.digest, stop = beginDigest(set, spec.Threads)
	defer stop()
	find := j.solve
	switch {
	case j.products != nil:
		find = j.ofKernel
	case spec.Likeliest:
		find = j.solveLikeliest
	case spec.Share > 0:
		find = j.solveShare
	}
	if err := j.run(ctx, find); err != nil {
		return nil, err
	}
	for j.refine() {
		if err := j.run(ctx, j.solve); err != nil {
			return nil, err
		}
	}
	return &j.result, j.result.Model.Seal()
}

// run finds components and proves what they are worth.
func (j *pcaJob) run(ctx context.Context, find func(context.Context) error) error {
	j.tell("fitting")
	started := time.Now()
	fitting, done := j.fitting(ctx)
	defer done()
	err := find(fitting)
	j.result.Fit += time.Since(started)
	if err != nil {
		return err
	}
	j.tell("certifying")
	started = time.Now()
	err = j.certify(ctx)
	j.result.Certify += time.Since(started)
	return err
}

// tell tells who watches what is done now.
func (j *pcaJob) tell(phase string) {
	if j.spec.Phase != nil {
		j.spec.Phase(phase)
	}
}

// Variances returns the variance of the rows of set along each component of m, and in
// all, also where rows are not centred and eigenvalues are second moments.
func Variances(m *model.PCA, set *data.Set, threads int) (along []float64, total float64) {
	b := method.Basis{K: m.Statement.K, Cols: m.Cols(), Component: m.Components}
	return b.Variances(view.Rows{X: set.X, Factor: m.Scale}, threads)
}

// pcaJob is one run of Fit.
type pcaJob struct {
	spec     Spec
	set      *data.Set
	space    *model.Space  // of the images of the rows; nil: components are of the rows
	x        matrix.Matrix // the rows, or their images
	begun    time.Time
	digest   func() string // waits for it
	cut      solver.Status // what ended the search early; "": nothing did
	work     view.Work
	rows     view.Rows
	products *images.Products // of a kernel without a map, in place of rows
	problem  method.Problem
	method   method.Method
	basis    method.Basis
	result   Result
}

// filled says how many numbers of a table were missing.
func (j *pcaJob) filled() []error {
	if j.set == nil || len(j.set.Gaps) == 0 || j.rows.Missing != nil {
		return nil
	}
	columns := map[uint32]bool{}
	for _, gap := range j.set.Gaps {
		columns[gap[1]] = true
	}
	n, d := j.set.X.Dims()
	return []error{fmt.Errorf("%d of %d numbers are missing (in %d of %d features): the mean of its column stands for each", len(j.set.Gaps), n*d, len(columns), d)}
}

// prepare measures the rows and picks the method.
func (j *pcaJob) prepare(ctx context.Context) (err error) {
	if j.set != nil && j.set.Weight != nil {
		return pose.DataError{Reason: "found row weights, which components have no use for"}
	}
	if err := pose.CheckSet(j.set); err != nil {
		return err
	}
	if err := pose.Gapless(j.set.X); err != nil {
		return err
	}
	j.x = j.set.X
	if j.spec.Kernel != "" {
		if j.space, j.x, err = j.spec.space(ctx, j.x, j.set.Schema.Standardised()); err != nil {
			return err
		}
	}
	n, d := j.x.Dims()
	if j.spec.Kernel != "" && j.spec.Map == "" {
		d = n
	}
	if j.spec.Likeliest && n < d {
		return pose.DataError{Reason: fmt.Sprintf("found %d rows of %d features, expected at least as many rows for the most likely number of components", n, d)}
	}
	if j.spec.chooseK() {
		j.spec.K = firstGuess(min(n, d), j.spec.Share)
	}
	j.problem = method.Problem{Rows: n, Cols: d, K: j.spec.K, Seed: j.spec.Seed, Threads: j.spec.Threads, Loss: method.FirstLoss(j.spec.Gap), Share: j.spec.Share}
	if err := j.problem.Check(); err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	if err := j.measure(); err != nil {
		return err
	}
	if j.problem.Squared == 0 {
		return pose.DataError{Reason: nothingVaries(j.rows.Offset != nil || j.products != nil && j.products.Mean != nil)}
	}
	return j.pick()
}

// measure computes the sizes of the rows, or of their images, and what centres and scales them.
func (j *pcaJob) measure() (err error) {
	center, scale := j.spec.settle(j.x, j.set.Schema.Standardised()), j.spec.Scale
	if j.space != nil {
		center, scale = j.spec.Center != "no", "none" // the images are not scaled
	}
	if j.space != nil && j.space.Map == nil {
		if j.products, err = images.New(j.space.Kernel, j.x, center, j.spec.Threads); err != nil {
			return pose.DataError{Reason: err.Error()}
		}
		j.problem.Squared = j.products.Total
		return nil
	}
	if j.rows, err = view.Preprocess(j.x, scale, center, j.spec.Threads); err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	j.rows = j.rows.Sharing()
	j.rows.Work = &j.work
	j.problem.Squared, j.problem.Fourth = j.rows.Sizes(j.spec.Threads)
	if !(j.problem.Fourth <= math.MaxFloat64) {
		return pose.DataError{Reason: fmt.Sprintf("found rows of the length %.3g, too large to be squared twice", math.Sqrt(j.problem.Squared))}
	}
	return j.observe()
}

// nothingVaries says what is wrong with rows of which there are no components.
func nothingVaries(center bool) string {
	if center {
		return "all rows are the same: expected some that differ"
	}
	return "all values are zero: expected some that are not"
}

// pick chooses the method, or makes the one that was asked for.
func (j *pcaJob) pick() error {
	switch {
	case j.products != nil:
		j.spec.Method = "gram"
	case j.spec.chooses():
		dense := matrix.IsDense(j.x)
		j.spec.Method, j.result.Why = batch.Choose(j.problem.Rows, j.problem.Cols, matrix.Nonzeros(j.x), !dense, j.problem.K)
	}
	var err error
	if j.method, err = methods.New(j.spec.Method); err != nil {
		return err
	}
	if _, batch := j.method.(method.Batch); batch && (j.spec.Epochs > 0 || j.spec.Shuffle) {
		return fmt.Errorf("method %s: found epochs or shuffling asked for, expected a method that learns row by row", j.spec.Method)
	}
	if err := method.Accepts(j.method, j.problem); err != nil {
		return pose.DataError{Reason: fmt.Sprintf("method %s: %v", j.spec.Method, err)}
	}
	return nil
}

// solve finds the components.
func (j *pcaJob) solve(ctx context.Context) (err error) {
	before := j.basis
	switch m := j.method.(type) {
	case method.Batch:
		j.basis, err = parallel.Patiently(ctx, func() (method.Basis, error) { return m.Solve(ctx, j.rows, j.problem) })
	case method.Streaming:
		j.basis, err = j.learn(ctx, m.Start(j.problem))
	}
	if err != nil && ctx.Err() != nil {
		err = j.rescue(ctx, before)
	}
	if err == nil && j.basis.K < j.spec.K && !j.spec.chooseK() {
		err = pose.DataError{Reason: fmt.Sprintf("found only %d of k = %d components: the rows lie in fewer dimensions", j.basis.K, j.spec.K)}
	}
	j.shift()
	j.basis.Orient()
	return err
}

// learn gives all rows to a state, as often as asked, and orders what it found by
// variance. Those of which numbers are missing come in the smallest blocks, so that the components so
// far are those of the rows before.
func (j *pcaJob) learn(ctx context.Context, s method.State) (method.Basis, error) {
	block, n := method.BlockOf(s), j.problem.Rows
	if j.rows.Missing != nil {
		block = 1
		if b, ok := s.(method.Blocked); ok {
			block = b.BlockRows()
		}
	}
	for epoch := range max(j.spec.Epochs, 1) {
		rows := j.rows
		if j.spec.Shuffle {
			rows = rows.Subset(generate.Order(n, j.spec.Seed, uint64(epoch)))
		}
		for lo := 0; lo < n; lo += block {
			if err := ctx.Err(); err != nil {
				if epoch == 0 && lo == 0 {
					return method.Basis{}, err
				}
				j.result.State = s
				return s.Basis(), err
			}
			s.Learn(completed(rows.Part(lo, min(lo+block, n)), s.Basis))
		}
	}
	j.result.State = s
	return method.RayleighRitz(completed(j.rows, s.Basis), s.Basis(), j.spec.Threads), nil
}

// certify proves what the components are worth and makes the model.
func (j *pcaJob) certify(ctx context.Context) error {
	ctx, done := j.certifying(ctx)
	defer done()
	goal, components, mean := j.spec.goal(), j.basis.Component, j.rows.Offset
	var c certificate.Certificate
	var err error
	switch {
	case j.rows.Missing != nil:
		c.Total, c.Captured, c.Upper = j.problem.Squared, math.NaN(), math.NaN()
	case j.products != nil:
		components, mean = j.products.Coefficients(j.basis), j.products.Mean
		c, err = j.products.Certify(ctx, components, j.spec.K, j.spec.Threads)
	default:
		rows := j.rows
		rows.Work = nil
		seed := func() uint64 { return certificate.Seed(j.spec.Seed, j.digest()) }
		c, err = certificate.CertifyUntil(ctx, rows, j.basis, j.spec.Threads, seed, func(c certificate.Certificate) bool { return c.Loss() <= goal })
	}
	if err != nil {
		return err
	}
	n, d := j.set.X.Dims()
	m := &model.PCA{
		Statement: model.PCAStatement{K: j.spec.K, Method: j.spec.Method, Center: mean != nil, Scale: j.spec.Scale,
			Seed: j.spec.Seed, ZeroBased: j.spec.ZeroBased, Whiten: j.spec.Whiten, Kernel: j.spec.Kernel, Map: j.spec.Map, Missing: j.spec.observed()},
		Data:     model.Data{Rows: n, Features: d, Nonzeros: matrix.Nonzeros(j.set.X), Columns: pose.Columns(j.set.Schema), Digest: j.digest(), Precision: pose.Precision(j.set)},
		Features: j.set.Feature, Schema: j.set.Schema,
		Components: components, Eigenvalue: j.basis.Value, Mean: mean, Scale: j.rows.Factor, Space: j.space,
		Proof: model.PCAProof{Gap: goal, Total: model.Bound(c.Total), Captured: model.Bound(c.Captured), Upper: model.Bound(c.Upper),
			Failure: c.Failure, Route: c.Route},
		Version: pose.Version(), Notes: maps.Clone(j.spec.Notes),
	}
	j.conclude(m, c)
	return nil
}

// conclude says how the run ended.
func (j *pcaJob) conclude(m *model.PCA, c certificate.Certificate) {
	j.result.Status = j.end(m.Proof.Relative())
	j.result.Warnings = j.filled()
	if j.result.Status == solver.Stalled {
		j.result.Warnings = append(j.result.Warnings, j.whyStalled())
	}
	if j.cut != "" && j.result.Status != solver.Converged {
		j.result.Warnings = append(j.result.Warnings, j.whyFewer(c)...)
	}
	j.result.Passes, j.result.Numbers = j.work.Passes(m.Data.Rows), j.work.Numbers(m.Data.Rows, matrix.Nonzeros(j.x))
	m.Proof.Status = string(j.result.Status)
	j.result.Model = m
}

func heldOutVariance(h learner.HeldOut) *model.HeldOutVariance {
	return &model.HeldOutVariance{Rows: h.Rows, Captured: model.Bound(h.Captured), Error: model.Bound(h.StandardError), Total: model.Bound(h.Total)}
}
