package pca

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// StreamMethod is the method for streams, where none is asked for.
const StreamMethod = "history"

// Stream finds components in a stream of rows, which need not fit into memory.
// Nothing is proved: some rows are held out, and what the components capture of
// them is an estimate for rows like them.
type Stream struct {
	Schema *data.Schema // schema of the table that the rows come from, kept in the model; nil: none

	spec    Spec
	why     string
	cols    int
	space   *model.Space // nil: components are of the rows
	center  bool
	feature []string
	learner *learner.Learner
	fit     time.Duration
}

// NewStream begins with the first rows of a stream, which say how many features
// there are and whether to centre; it does not learn them yet. The features of a
// table have names; of other rows feature is nil.
func NewStream(first matrix.Matrix, feature []string, spec Spec) (*Stream, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	if err := spec.fitStream(); err != nil {
		return nil, err
	}
	if err := matrix.Check(first); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	_, cols := first.Dims()
	if feature != nil && len(feature) != cols {
		return nil, pose.DataError{Reason: fmt.Sprintf("found %d names of features, expected one for each of %d", len(feature), cols)}
	}
	if err := pose.Gapless(first); err != nil {
		return nil, err
	}
	s := &Stream{cols: cols, feature: feature}
	if spec.Kernel != "" {
		var err error
		spec.Scale = "none"
		if s.space, _, err = spec.space(context.Background(), first, false); err != nil {
			return nil, err
		}
	}
	if spec.chooses() {
		spec.Method, s.why = StreamMethod, "for a stream: no step size, and close to the best"
	}
	s.center = spec.settle(first, feature != nil) || spec.Scale == "thesis"
	if s.space != nil {
		s.center = spec.Center != "no"
	}
	s.spec = spec
	if err := s.begin(); err != nil {
		return nil, err
	}
	return s, nil
}

// fitStream refuses what only rows that are all there could do.
func (spec *Spec) fitStream() error {
	switch {
	case spec.Missing == Observed:
		return fmt.Errorf("missing = %s: expected rows that are all there, which methods such as grouse and msg then learn one by one", Observed)
	case spec.Likeliest:
		return errors.New("the most likely number of components of a stream: expected a number, as it is not known before the last row")
	case spec.Share != 0:
		return fmt.Errorf("share = %g of the variance: expected a number of components, as it is not known before the last row how many that takes", spec.Share)
	case spec.Gap != 0:
		return fmt.Errorf("gap = %g: expected none, as nothing can be proved of a stream", spec.Gap)
	case spec.Epochs > 1:
		return fmt.Errorf("epochs = %d: expected one, as a stream is read once", spec.Epochs)
	case spec.Shuffle:
		return fmt.Errorf("expected no shuffling of a stream")
	case spec.Kernel != "" && spec.Map == "":
		return fmt.Errorf("kernel %s: expected a map of it to features too, such as nystrom or fourier, as all rows of a stream are needed otherwise", spec.Kernel)
	case spec.Kernel != "" && spec.Scale != "" && spec.Scale != "auto" && spec.Scale != "none":
		return fmt.Errorf("scale %s: expected none, as a map takes the rows of a stream before all are known", spec.Scale)
	case spec.Scale == "max-norm":
		return fmt.Errorf("scale max-norm: expected another one, as the largest norm of a stream is not known before its last row")
	}
	return nil
}

// begin makes the learner.
func (s *Stream) begin() error {
	m, err := methods.New(s.spec.Method)
	if err != nil {
		return err
	}
	streaming, ok := m.(method.Streaming)
	if !ok {
		return fmt.Errorf("method %s: expected one that reads each row of a stream once", s.spec.Method)
	}
	p := method.Problem{Cols: s.width(), K: s.spec.K, Seed: s.spec.Seed, Threads: s.spec.Threads}
	if err := p.Check(); err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	if err := method.Accepts(m, p); err != nil {
		return pose.DataError{Reason: fmt.Sprintf("method %s: %v", s.spec.Method, err)}
	}
	s.learner = learner.NewLearner(streaming, p, s.center, s.spec.Scale)
	s.learner.HoldOut(heldOutShare(s.spec.HoldOut))
	return nil
}

// width returns how many features the rows have that are learned.
func (s *Stream) width() int {
	if s.space != nil {
		return s.space.Width()
	}
	return s.cols
}

// isHoldOut reports whether a spec or a model may state this share of rows held out.
func isHoldOut(stated float64) bool { return stated == -1 || stated >= 0 && stated <= 0.5 }

// heldOutShare returns the share of rows held out that a spec or a model stands for.
func heldOutShare(stated float64) float64 {
	switch {
	case stated == 0:
		return learner.UsualHoldOut
	case stated < 0:
		return 0
	}
	return stated
}

// Resume goes on where the stream ended that made the model. Method, centring,
// scaling, seed and number of components are the model's.
func Resume(m *model.PCA, threads int) (*Stream, error) {
	if err := m.Check(); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	if !m.Statement.Stream || m.State == nil {
		return nil, pose.DataError{Reason: "found components without the state of a stream, expected a model that was made from one"}
	}
	st := m.Statement
	if !isHoldOut(st.HoldOut) {
		return nil, pose.DataError{Reason: fmt.Sprintf("found %g of the rows held out, expected a share from 0 to 0.5", st.HoldOut)}
	}
	s := &Stream{cols: m.Cols(), space: m.Space, center: st.Center, feature: m.Features, Schema: m.Schema,
		spec: Spec{K: st.K, Method: st.Method, Scale: st.Scale, Seed: st.Seed, Threads: threads, HoldOut: st.HoldOut, ZeroBased: st.ZeroBased, Whiten: st.Whiten, Kernel: st.Kernel, Map: st.Map, Notes: m.Notes}}
	if err := s.begin(); err != nil {
		return nil, err
	}
	if err := method.Restore(s.learner, m.State); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	if taken := s.learner.Taken(); taken != m.Data.Rows {
		return nil, pose.DataError{Reason: fmt.Sprintf("found the state of %d rows, expected %d", taken, m.Data.Rows)}
	}
	return s, nil
}

// complete adds directions without variance until there are k: what is left of the unit vectors that
// the others explain least.
func complete(b *method.Basis, k int) {
	for ; b.K < k; b.K++ {
		farthest, most := 0, math.Inf(-1)
		for j := range b.Cols {
			left := 1.0
			for i := range b.K {
				left -= float64(b.Row(i)[j] * b.Row(i)[j])
			}
			if left > most {
				farthest, most = j, left
			}
		}
		v := make([]float64, b.Cols)
		v[farthest] = 1
		for range 2 { // once more for what rounding leaves
			for i := range b.K {
				vec.Axpy64(v, -vec.Dot64(v, b.Row(i)), b.Row(i))
			}
		}
		vec.ScaledAdd(v, 1/math.Sqrt(vec.SquaredNorm64(v)), 0, v)
		b.Component, b.Value = append(b.Component, v...), append(b.Value, 0)
	}
	b.Orient()
}

// withMeans returns the schema of a table of numbers with the means of its features in
// place of missing ones; nil where these are not known, or columns are not numbers.
func withMeans(s *data.Schema, mean []float64) *data.Schema {
	if s == nil || mean == nil || slices.ContainsFunc(s.Columns, func(c data.Column) bool { return !c.IsNumber() }) {
		return nil
	}
	return filled(s, mean)
}

// filled returns a schema with the means of features in place of missing numbers. Categories and
// columns that make no feature stay as they are.
func filled(s *data.Schema, mean []float64) *data.Schema {
	s = s.Clone()
	first, _ := s.Places()
	for i := range s.Columns {
		c := &s.Columns[i]
		if i != s.Target && i != s.Weight && c.Kind != set.KindIgnored && c.IsNumber() && first[i] < len(mean) {
			c.Fill = mean[first[i]]
		}
	}
	return s
}

// Rows returns how many rows were taken.
func (s *Stream) Rows() int {
	if s.learner == nil {
		return 0
	}
	return s.learner.Taken()
}

// keepHeldOut notes which rows were held out, and what is captured of them.
func keepHeldOut(m *model.PCA, a learner.Answer) {
	for _, i := range a.HeldOut {
		m.HeldOut = append(m.HeldOut, int64(i))
	}
	if a.Score.Rows > 0 {
		m.Proof.HeldOut = heldOutVariance(a.Score)
	}
}

var unbegun = pose.DataError{Reason: "found a stream without first rows, expected one that NewPCAStream made"}

// check refuses a stream that was not begun, and what is no rows.
func (s *Stream) check(x matrix.Matrix) error {
	if s.learner == nil {
		return unbegun
	}
	if err := matrix.Check(x); err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	return nil
}

// Learn takes rows with as many features as the first.
func (s *Stream) Learn(x matrix.Matrix) error {
	if err := s.check(x); err != nil {
		return err
	}
	if _, d := x.Dims(); d != s.cols {
		return pose.DataError{Reason: fmt.Sprintf("found rows of %s after row %d, expected %d", registry.Count(d, "feature"), s.Rows(), s.cols)}
	}
	started := time.Now()
	var err error
	if s.space != nil {
		x, err = s.space.Images(context.Background(), x, s.spec.Threads)
	}
	if err == nil {
		err = s.learner.Learn(x)
	}
	s.fit += time.Since(started)
	if err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	return nil
}

// Result makes a model of what was learned so far; status says how the stream
// ended.
func (s *Stream) Result(status solver.Status) (*Result, error) {
	if s.learner == nil {
		return nil, unbegun
	}
	started := time.Now()
	var warnings []error
	a, err := s.learner.Answer()
	if err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	switch {
	case a.Total == 0:
		return nil, pose.DataError{Reason: nothingVaries(s.center)}
	case s.spec.K > s.width():
		return nil, pose.DataError{Reason: fmt.Sprintf("found %s, expected at least k = %d", registry.Count(s.width(), "feature"), s.spec.K)}
	}
	if found := a.Basis.K; found < s.spec.K {
		complete(&a.Basis, s.spec.K)
		warnings = append(warnings, fmt.Errorf("the %d rows lie in %d dimensions: the other %d components have no variance", s.Rows(), found, s.spec.K-found))
	}
	schema := s.Schema
	if s.space == nil {
		schema = withMeans(schema, a.Mean)
	}
	m := &model.PCA{
		Statement: model.PCAStatement{K: s.spec.K, Method: s.spec.Method, Center: s.center, Scale: s.spec.Scale, Stream: true,
			Seed: s.spec.Seed, HoldOut: s.spec.HoldOut, ZeroBased: s.spec.ZeroBased, Whiten: s.spec.Whiten, Kernel: s.spec.Kernel, Map: s.spec.Map},
		Data:       model.Data{Rows: s.Rows(), Features: s.cols, Columns: pose.Columns(schema)},
		Features:   s.feature,
		Schema:     schema,
		Space:      s.space,
		Components: a.Basis.Component, Eigenvalue: a.Basis.Value, Mean: a.Mean, Scale: a.Factor,
		Proof:   model.PCAProof{Status: string(status), Total: model.Bound(a.Total), Captured: model.Bound(math.NaN()), Upper: model.Bound(math.NaN())},
		Version: pose.Version(), Notes: maps.Clone(s.spec.Notes),
	}
	keepHeldOut(m, a)
	if !s.spec.NoState {
		m.State = method.Keep(s.learner)
	}
	r := &Result{Model: m, Status: status, Why: s.why, State: a.State, Fit: s.fit, Certify: time.Since(started), Warnings: warnings}
	if isStuck(a.State) {
		r.Warnings = append(r.Warnings, stuckError(s.spec.Method))
		if status == solver.EpochLimit {
			r.Status = solver.Stalled
			m.Proof.Status = string(r.Status)
		}
	}
	return r, m.Seal()
}
