package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/registry"
	"github.com/fenchel-ml/fenchel/solver"
)

// PCASpec says which principal components are wanted, and how to find them.
type PCASpec struct {
	K      int    // how many
	Method string // as pca.New takes it; "" or "auto": chosen
	Center string // "yes", "no"; "" or "auto": yes for a table, or if at least one value in twenty is not zero
	Scale  string // one of PCAScales; "" or "auto": std for a table, whose columns have units of their own, else none

	// Gap is the share of the best possible variance that may be missing, by proof;
	// 0: DefaultPCAGap, and a method that looks at each row once ends without it.
	Gap     float64
	Epochs  int    // passes of a method that learns row by row; 0: one
	Shuffle bool   // such a method takes the rows in random order
	Seed    uint64 // of everything random
	Threads int    // at most so many cores; 0: all. Never changes a result

	HoldOut   float64 // share of a stream's rows that are held out, at most 1/2; 0: one in twenty, -1: none
	NoState   bool    // a stream's model cannot go on, and is smaller
	ZeroBased bool    // noted in the model: how LIBSVM indices of the data begin
}

// DefaultPCAGap is the share of the variance that may be missing unless another one
// is asked for.
const DefaultPCAGap = 1e-3

// PCAScales returns the names of the scalings of features for components.
func PCAScales() []string { return dataset.MomentScalings() }

// PCAResult is what FitPCA made.
type PCAResult struct {
	Model  *model.PCA
	Status solver.Status
	Why    string // the method was chosen; "" if it was asked for

	// State is that of a method that learned row by row, nil of others. It may be a
	// pca.Spectrum with a cost, a pca.Relaxed, pca.Stuck or pca.Converged.
	State pca.State

	Fit, Certify time.Duration
	Warnings     []error
}

// Check returns what is wrong with the names and numbers of a spec, as far as that
// can be known without data.
func (spec PCASpec) Check() error {
	if spec.K < 1 {
		return fmt.Errorf("k = %d: expected at least 1", spec.K)
	}
	if spec.Scale != "" && spec.Scale != "auto" && !slices.Contains(PCAScales(), spec.Scale) {
		return registry.Unknown("scaling", spec.Scale, PCAScales())
	}
	if c := spec.Center; c != "" && c != "auto" && c != "yes" && c != "no" {
		return fmt.Errorf("center = %s: expected yes, no or auto", c)
	}
	if spec.Scale == "thesis" && spec.Center == "no" {
		return errors.New("scale thesis: found center no, expected rows to be centred, as it is made for them")
	}
	if !(spec.Gap >= 0 && spec.Gap < 1) {
		return fmt.Errorf("gap = %g: expected a number from 0 to 1", spec.Gap)
	}
	if !(spec.HoldOut == -1 || spec.HoldOut >= 0 && spec.HoldOut <= 0.5) {
		return fmt.Errorf("hold out %g: expected a share of the rows, from 0 to 0.5", spec.HoldOut)
	}
	if spec.Epochs < 0 {
		return fmt.Errorf("epochs = %d: expected a number >= 0", spec.Epochs)
	}
	if spec.chooses() {
		return nil
	}
	_, err := pca.New(spec.Method)
	return err
}

func (spec *PCASpec) chooses() bool { return spec.Method == "" || spec.Method == "auto" }

// goal returns the gap that is to be proved.
func (spec *PCASpec) goal() float64 {
	if spec.Gap == 0 {
		return DefaultPCAGap
	}
	return spec.Gap
}

// Streams reports whether the method looks at every row once, as rows from a pipe
// need it: also where one is to be chosen.
func (spec PCASpec) Streams() bool {
	if spec.chooses() {
		return true
	}
	m, err := pca.New(spec.Method)
	_, once := m.(pca.Streaming)
	return err == nil && once
}

// settle chooses the scale where that is left open, and decides whether rows of x, of a
// table or not, are centred.
func (spec *PCASpec) settle(x matrix.Matrix, table bool) (center bool) {
	if spec.Scale == "" || spec.Scale == "auto" {
		if spec.Scale = "none"; table {
			spec.Scale = "std"
		}
	}
	switch spec.Center {
	case "yes":
		return true
	case "no":
		return false
	}
	if table {
		return true
	}
	n, d := x.Dims()
	return matrix.Nonzeros(x) >= int64(math.Ceil(float64(n)*float64(d)/rareValues))
}

// rareValues says which rows are left where they are unless the spec says otherwise:
// those with fewer values than one in so many features, as of text, where zero means
// that something is absent. Zeros of rows that are stored dense count as values.
const rareValues = 20

// FitPCA finds the components of all rows and proves how much more variance others
// could capture. Rows are looked at often.
func FitPCA(ctx context.Context, set *dataset.Set, spec PCASpec) (*PCAResult, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	j := &pcaJob{spec: spec, set: set}
	if err := j.prepare(); err != nil {
		return nil, err
	}
	if err := j.run(ctx); err != nil {
		return nil, err
	}
	for j.refine() {
		if err := j.run(ctx); err != nil {
			return nil, err
		}
	}
	return &j.result, j.result.Model.Seal()
}

// run finds components and proves what they are worth.
func (j *pcaJob) run(ctx context.Context) error {
	started := time.Now()
	err := j.solve(ctx)
	j.result.Fit += time.Since(started)
	if err != nil {
		return err
	}
	started = time.Now()
	err = j.certify(ctx)
	j.result.Certify += time.Since(started)
	return err
}

// The first loss that a method is asked for is this part of the gap: the bound on what
// others capture is looser than a method's estimate of what it misses, on real data
// 50 times, and the goal of a later run follows from what the one before proved.
const (
	lossOfGap = 3e-4
	leastLoss = 1e-16 // less is lost in rounding
)

// refine reports whether another run may prove the gap, after it asked for less loss.
// The bound falls with the loss at least as fast as with its root.
func (j *pcaJob) refine() bool {
	m, ok := j.method.(pca.Refining)
	found, goal := j.result.Model.Proof.Relative(), j.spec.goal()
	if !ok || !(found > goal) || !m.Refines(j.problem) || j.problem.Loss == leastLoss {
		return false
	}
	loss := j.problem.Loss
	if loss == 0 {
		loss = lossOfGap * goal
	}
	j.problem.Loss = max(loss*(goal/found)*(goal/found)/10, leastLoss)
	return true
}

// pcaJob is one run of FitPCA.
type pcaJob struct {
	spec    PCASpec
	set     *dataset.Set
	rows    pca.Rows
	problem pca.Problem
	method  pca.Method
	basis   pca.Basis
	result  PCAResult
}

// prepare measures the rows and picks the method.
func (j *pcaJob) prepare() error {
	if j.set.Weight != nil {
		return DataError{"found row weights, which components have no use for"}
	}
	n, d := j.set.X.Dims()
	j.problem = pca.Problem{Rows: n, Cols: d, K: j.spec.K, Seed: j.spec.Seed, Threads: j.spec.Threads, Loss: j.spec.Gap * lossOfGap}
	if err := j.problem.Check(); err != nil {
		return DataError{err.Error()}
	}
	if err := gapless(j.set.X); err != nil {
		return err
	}
	var err error
	center := j.spec.settle(j.set.X, j.set.Schema != nil)
	if j.rows, err = pca.Preprocess(j.set.X, j.spec.Scale, center, j.spec.Threads); err != nil {
		return DataError{err.Error()}
	}
	j.problem.Squared, j.problem.Fourth = j.rows.Sizes(j.spec.Threads)
	if !(j.problem.Fourth <= math.MaxFloat64) {
		return DataError{fmt.Sprintf("found rows of the length %.3g, too large to be squared twice", math.Sqrt(j.problem.Squared))}
	}
	if j.problem.Squared == 0 {
		return DataError{nothingVaries(j.rows.Offset != nil)}
	}
	return j.pick()
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
	if j.spec.chooses() {
		_, dense := j.set.X.(*matrix.Dense)
		j.spec.Method, j.result.Why = pca.ChooseBatch(j.problem.Rows, j.problem.Cols, matrix.Nonzeros(j.set.X), !dense, j.problem.K)
	}
	var err error
	if j.method, err = pca.New(j.spec.Method); err != nil {
		return err
	}
	if _, batch := j.method.(pca.Batch); batch && (j.spec.Epochs > 0 || j.spec.Shuffle) {
		return fmt.Errorf("method %s: found epochs or shuffling asked for, expected a method that learns row by row", j.spec.Method)
	}
	if err := j.method.Accepts(j.problem); err != nil {
		return DataError{fmt.Sprintf("method %s: %v", j.spec.Method, err)}
	}
	return nil
}

// solve finds the components.
func (j *pcaJob) solve(ctx context.Context) (err error) {
	switch m := j.method.(type) {
	case pca.Batch:
		j.basis, err = m.Solve(ctx, j.rows, j.problem)
	case pca.Streaming:
		j.basis, err = j.learn(ctx, m.Start(j.problem))
	}
	if err == nil && j.basis.K < j.spec.K {
		err = DataError{fmt.Sprintf("found only %d of k = %d components: the rows lie in fewer dimensions", j.basis.K, j.spec.K)}
	}
	j.basis.Orient()
	return err
}

// learn gives all rows to a state, as often as asked, and orders what it found by
// variance.
func (j *pcaJob) learn(ctx context.Context, s pca.State) (pca.Basis, error) {
	block, n := pca.BlockOf(s), j.problem.Rows
	for epoch := range max(j.spec.Epochs, 1) {
		rows := j.rows
		if j.spec.Shuffle {
			rows.X = matrix.Subset(rows.X, dataset.Order(n, j.spec.Seed, uint64(epoch)))
		}
		for lo := 0; lo < n; lo += block {
			if err := ctx.Err(); err != nil {
				return pca.Basis{}, err
			}
			s.Learn(rows.Part(lo, min(lo+block, n)))
		}
	}
	j.result.State = s
	return pca.RayleighRitz(j.rows, s.Basis(), j.spec.Threads), nil
}

// certify proves what the components are worth and makes the model.
func (j *pcaJob) certify(ctx context.Context) error {
	digest := rowsDigest(j.set)
	c, err := pca.Certify(ctx, j.rows, j.basis, j.spec.Threads, certificateSeed(j.spec.Seed, digest))
	if err != nil {
		return err
	}
	n, d := j.set.X.Dims()
	goal := j.spec.goal()
	m := &model.PCA{
		Statement: model.PCAStatement{K: j.spec.K, Method: j.spec.Method, Center: j.rows.Offset != nil, Scale: j.spec.Scale,
			Seed: j.spec.Seed, ZeroBased: j.spec.ZeroBased},
		Data:     model.Data{Rows: n, Features: d, Nonzeros: matrix.Nonzeros(j.set.X), Digest: digest},
		Features: j.set.Feature, Schema: j.set.Schema,
		Components: j.basis.Component, Eigenvalue: j.basis.Value, Mean: j.rows.Offset, Scale: j.rows.Factor,
		Proof: model.PCAProof{Gap: goal, Total: model.Bound(c.Total), Captured: model.Bound(c.Captured), Upper: model.Bound(c.Upper),
			Failure: c.Failure, Route: c.Route},
		Version: Version(),
	}
	j.result.Status = j.end(m.Proof.Relative())
	if j.result.Warnings = nil; j.result.Status == solver.Stalled {
		j.result.Warnings = append(j.result.Warnings, j.whyStalled())
	}
	m.Proof.Status = string(j.result.Status)
	j.result.Model = m
	return nil
}

// end says how the run ended: a method that learns row by row did what was asked
// when it has seen its rows, unless a gap was asked for too.
func (j *pcaJob) end(relative float64) solver.Status {
	if relative <= j.spec.goal() {
		return solver.Converged
	}
	if _, batch := j.method.(pca.Batch); batch || isStuck(j.result.State) {
		return solver.Stalled
	}
	return solver.EpochLimit
}

// whyStalled says what another run could do.
func (j *pcaJob) whyStalled() error {
	switch _, refines := j.method.(pca.Refining); {
	case j.result.State != nil:
		return stuckError(j.spec.Method)
	case refines:
		return fmt.Errorf("method %s: no gap of %g is proved; expected more passes, a smaller tol, or a gap that rounding leaves room for", j.spec.Method, j.spec.goal())
	}
	return fmt.Errorf("method %s: no gap of %g is proved; expected a method that stops by the gap, such as krylov, or a gap that rounding leaves room for", j.spec.Method, j.spec.goal())
}

// isStuck reports whether a state says that it will stay away from the answer.
func isStuck(s pca.State) bool {
	stuck, ok := s.(pca.Stuck)
	return ok && stuck.Stuck()
}

func stuckError(method string) error {
	return fmt.Errorf("method %s is stuck: new directions are forgotten at once; expected another method, such as capped-msg", method)
}

func heldOutVariance(h pca.HeldOut) *model.HeldOutVariance {
	return &model.HeldOutVariance{Rows: h.Rows, Captured: model.Bound(h.Captured), Error: model.Bound(h.StandardError), Total: model.Bound(h.Total)}
}
