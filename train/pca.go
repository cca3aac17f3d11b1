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
	Center string // "yes", "no"; "" or "auto": yes if at least one value in twenty is not zero
	Scale  string // one of PCAScales; "": none

	// Gap is the share of the best possible variance that may be missing, by proof;
	// 0: DefaultPCAGap, and a method that looks at each row once ends without it.
	Gap     float64
	Epochs  int    // passes of a method that learns row by row; 0: one
	Shuffle bool   // such a method takes the rows in random order
	Seed    uint64 // of everything random
	Threads int    // at most so many cores; 0: all. Never changes a result

	NoState   bool // a stream's model cannot go on, and is smaller
	ZeroBased bool // noted in the model: how LIBSVM indices of the data begin
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

	Fit, Certify time.Duration
	Warnings     []error
}

// Check returns what is wrong with the names and numbers of a spec, as far as that
// can be known without data.
func (spec PCASpec) Check() error {
	if spec.K < 1 {
		return fmt.Errorf("k = %d: expected at least 1", spec.K)
	}
	if spec.Scale != "" && !slices.Contains(PCAScales(), spec.Scale) {
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

// centers decides whether rows of x are centred.
func (spec *PCASpec) centers(x matrix.Matrix) bool {
	switch spec.Center {
	case "yes":
		return true
	case "no":
		return false
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
	started := time.Now()
	if err := j.solve(ctx); err != nil {
		return nil, err
	}
	j.result.Fit = time.Since(started)
	started = time.Now()
	if err := j.certify(ctx); err != nil {
		return nil, err
	}
	j.result.Certify = time.Since(started)
	return &j.result, j.result.Model.Seal()
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
	j.problem = pca.Problem{Rows: n, Cols: d, K: j.spec.K, Seed: j.spec.Seed, Threads: j.spec.Threads}
	if err := j.problem.Check(); err != nil {
		return DataError{err.Error()}
	}
	if err := gapless(j.set.X); err != nil {
		return err
	}
	var err error
	center := j.spec.centers(j.set.X)
	if j.rows, err = pca.Preprocess(j.set.X, j.spec.scale(), center, j.spec.Threads); err != nil {
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

func (spec *PCASpec) scale() string {
	if spec.Scale == "" {
		return "none"
	}
	return spec.Scale
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
	return pca.RayleighRitz(j.rows, s.Basis(), j.spec.Threads), nil
}

// certify proves what the components are worth and makes the model.
func (j *pcaJob) certify(ctx context.Context) error {
	digest := j.set.Digest()
	c, err := pca.Certify(ctx, j.rows, j.basis, j.spec.Threads, certificateSeed(j.spec.Seed, digest))
	if err != nil {
		return err
	}
	n, d := j.set.X.Dims()
	goal := j.spec.goal()
	m := &model.PCA{
		Statement: model.PCAStatement{K: j.spec.K, Method: j.spec.Method, Center: j.rows.Offset != nil, Scale: j.spec.scale(),
			Seed: j.spec.Seed, ZeroBased: j.spec.ZeroBased},
		Data:     model.Data{Rows: n, Features: d, Nonzeros: matrix.Nonzeros(j.set.X), Columns: columns(j.set.Schema), Digest: digest},
		Features: j.set.Feature, Schema: j.set.Schema,
		Components: j.basis.Component, Eigenvalue: j.basis.Value, Mean: j.rows.Offset, Scale: j.rows.Factor,
		Proof: model.PCAProof{Gap: goal, Total: model.Bound(c.Total), Captured: model.Bound(c.Captured), Upper: model.Bound(c.Upper),
			Failure: c.Failure, Route: c.Route},
		Version: Version(),
	}
	j.result.Status = j.end(m.Proof.Relative())
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
	if _, batch := j.method.(pca.Batch); batch {
		return solver.Stalled
	}
	return solver.EpochLimit
}

func heldOutVariance(h pca.HeldOut) *model.HeldOutVariance {
	return &model.HeldOutVariance{Rows: h.Rows, Captured: model.Bound(h.Captured), Error: model.Bound(h.StandardError), Total: model.Bound(h.Total)}
}
