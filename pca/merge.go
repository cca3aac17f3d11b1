package pca

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/model"
)

// Merged is the status of components that were put together from those of parts of
// the rows: nothing is proved of all of them, until Verify sees them.
const Merged = "merged"

// Merge makes the components of all rows of those of parts, which have the same
// features, number of components, centring and scale.
func Merge(models []*model.PCA) (*model.PCA, error) {
	if len(models) == 0 {
		return nil, pose.DataError{Reason: "found no models, expected at least one"}
	}
	if i := slices.Index(models, nil); i >= 0 {
		return nil, pose.DataError{Reason: fmt.Sprintf("model %d: %v", i+1, models[i].Check())}
	}
	first := models[0]
	shards := make([]learner.Shard, len(models))
	for i, m := range models {
		if err := alike(first, m); err != nil {
			return nil, pose.DataError{Reason: fmt.Sprintf("model %d: %v", i+1, err)}
		}
		if err := m.Check(); err != nil {
			return nil, pose.DataError{Reason: fmt.Sprintf("model %d: %v", i+1, err)}
		}
		shards[i] = learner.Shard{Rows: m.Data.Rows, Mean: meanFor(m, first), Total: float64(m.Proof.Total),
			Basis: method.Basis{K: m.Statement.K, Cols: m.Cols(), Component: m.Components, Value: m.Eigenvalue}}
	}
	all := learner.Merge(shards, first.Scale, first.Statement.K)
	if all.Basis.K < first.Statement.K {
		return nil, pose.DataError{Reason: fmt.Sprintf("found only %d of k = %d components: the rows lie in fewer dimensions", all.Basis.K, first.Statement.K)}
	}
	all.Basis.Orient()
	m := &model.PCA{Statement: first.Statement, Data: model.Data{Rows: all.Rows, Features: first.Cols(), Columns: pose.Columns(first.Schema)},
		Features: first.Features, Schema: first.Schema, Components: all.Basis.Component, Eigenvalue: all.Basis.Value,
		Mean: all.Mean, Scale: first.Scale, Version: pose.Version(),
		Proof: model.PCAProof{Status: Merged, Total: model.Bound(all.Total), Captured: model.Bound(math.NaN()), Upper: model.Bound(math.NaN())}}
	for _, part := range models {
		if s := part.Statement; s.Stream && (!m.Statement.Stream || heldOutShare(s.HoldOut) > heldOutShare(m.Statement.HoldOut)) {
			m.Statement.Stream, m.Statement.HoldOut = true, s.HoldOut // the largest share
		}
		m.Data.Nonzeros += part.Data.Nonzeros
		if part.Statement.Method != m.Statement.Method {
			m.Statement.Method = "several"
		}
	}
	if slices.ContainsFunc(models, func(part *model.PCA) bool { return part.Data.Nonzeros == 0 }) {
		m.Data.Nonzeros = 0 // a stream does not count them
	}
	if m.Schema != nil && m.Mean != nil { // a missing number is the mean of all rows
		m.Schema = filled(m.Schema, m.Mean)
	}
	return m, m.Seal()
}

// meanFor returns the mean of m's features as another model of the same columns would have
// it, which takes other offsets off them; nil for nil.
func meanFor(m, other *model.PCA) []float64 {
	mine, others := m.Schema.Offsets(), other.Schema.Offsets()
	if m.Mean == nil || slices.Equal(mine, others) {
		return m.Mean
	}
	mean, factors := slices.Clone(m.Mean), m.Schema.Factors()
	for j := range mean {
		by := 1.0
		if factors != nil {
			by = factors[j]
		}
		if mine != nil {
			mean[j] += float64(by * mine[j])
		}
		if others != nil {
			mean[j] -= float64(by * others[j])
		}
	}
	return mean
}

// alike returns why components of m cannot be put together with those of first.
func alike(first, m *model.PCA) error {
	switch {
	case m.Space != nil:
		return ofKernelError(m)
	case m.Cols() != first.Cols():
		return fmt.Errorf("found %s, expected %d as in the first model", registry.Count(m.Cols(), "feature"), first.Cols())
	case m.Statement.K != first.Statement.K:
		return fmt.Errorf("found %d components, expected %d as in the first model", m.Statement.K, first.Statement.K)
	case (m.Mean == nil) != (first.Mean == nil):
		return fmt.Errorf("found center %v, expected %v as in the first model", m.Mean != nil, first.Mean != nil)
	case !slices.Equal(m.Scale, first.Scale):
		return fmt.Errorf("found another scale than in the first model: expected the same factor for every feature, as parts made with 'scale=none' have")
	case !slices.Equal(m.Schema.Factors(), first.Schema.Factors()):
		return fmt.Errorf("found other factors of columns than in the first model: expected the same, as values of one size have")
	case m.Mean == nil && !slices.Equal(m.Schema.Offsets(), first.Schema.Offsets()):
		return fmt.Errorf("found rows that are not centred and other offsets of columns than in the first model: expected the same, or 'center'")
	case !slices.Equal(m.Features, first.Features):
		return fmt.Errorf("found other names of features than in the first model")
	}
	return nil
}
