package result

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/spectral"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// Components is what a model of principal components says of itself. Its eigenvalues are variances
// where rows are centred, else second moments about 0; those that it has not are null.
type Components struct {
	Captured
	Moves
	Variance
	SecondMoment
	Center    bool              `json:"center"`
	Features  int               `json:"d"`
	Estimated bool              `json:"estimated"`
	Explained model.Bound       `json:"explained_ratio"`
	K         int               `json:"k"`
	Kernel    string            `json:"kernel,omitempty"`
	Map       string            `json:"map,omitempty"`
	Method    string            `json:"method"`
	Missing   string            `json:"missing,omitempty"`
	Rows      int               `json:"n"`
	Nonzeros  int64             `json:"nonzeros"`
	Notes     map[string]string `json:"notes,omitempty"`
	Version   string            `json:"program_version"`
	Route     string            `json:"route"`
	Scale     string            `json:"scale"`
	Seed      uint64            `json:"seed"`
	Status    string            `json:"status"`
	Stream    bool              `json:"stream"`
}

// Captured is what is known of what components capture.
type Captured struct {
	CapturedBounds
	HeldOut *model.HeldOutVariance `json:"held_out,omitempty"`
}

// CapturedBounds are what is proved of it.
type CapturedBounds struct {
	Captured model.Bound `json:"captured"`
	Upper    model.Bound `json:"upper"`
	Gap      model.Bound `json:"gap"`
	Failure  float64     `json:"failure_probability"`
}

// CapturedOf is what a proof says.
func CapturedOf(p model.PCAProof) Captured {
	return Captured{CapturedBounds{p.Captured, p.Upper, model.Bound(p.Relative()), p.Failure}, p.HeldOut}
}

// Variance is what components explain.
type Variance struct {
	Of    []float64     `json:"explained_variance"`
	Share []model.Bound `json:"explained_variance_ratio"`
	Noise *float64      `json:"noise_variance"`
	Total *model.Bound  `json:"total_variance"`
}

// SecondMoment is the same about 0.
type SecondMoment struct {
	Of    []float64     `json:"explained_second_moment"`
	Share []model.Bound `json:"explained_second_moment_ratio"`
	Noise *float64      `json:"noise_second_moment"`
	Total *model.Bound  `json:"total_second_moment"`
}

// Explained shares a total.
func Explained(of []float64, total model.Bound) Variance {
	share := make([]model.Bound, len(of))
	for i, v := range of {
		share[i] = model.Bound(v) / total
	}
	return Variance{Of: of, Share: share, Total: &total}
}

// Estimated reports whether the eigenvalues are estimates: nothing was measured on all rows, of a
// stream, of merged parts, or where numbers are missing.
func Estimated(m *model.PCA) bool {
	return m.Statement.Stream || m.Proof.Status == pca.Merged || m.Statement.Missing == pca.Observed && math.IsNaN(m.Proof.Relative())
}

// ComponentsOf is what a model says.
func ComponentsOf(m *model.PCA) Components {
	p, s := m.Proof, m.Statement
	moment := Explained(m.Eigenvalue, p.Total)
	moment.Noise = new(m.Noise())
	out := Components{Captured: CapturedOf(p), Moves: MovesOf(m.Schema), Center: m.Mean != nil, Features: m.Data.Features, Estimated: Estimated(m), K: s.K, Kernel: s.Kernel, Map: s.Map, Method: s.Method, Missing: s.Missing,
		Rows: m.Data.Rows, Nonzeros: m.Data.Nonzeros, Notes: m.Notes, Version: m.Version, Route: p.Route, Scale: s.Scale, Seed: s.Seed, Status: p.Status, Stream: s.Stream}
	captured := 0.0
	for _, v := range m.Eigenvalue {
		captured += v
	}
	out.Explained = model.Bound(captured) / p.Total
	if out.Variance = moment; !out.Center {
		out.Variance, out.SecondMoment = Variance{}, SecondMoment(moment)
	}
	return out
}

// EvaluatedComponents is what evaluate says of components: what they capture of rows that need not be theirs.
type EvaluatedComponents struct {
	CapturedBounds
	Center      bool        `json:"center"`
	Features    int         `json:"d"`
	K           int         `json:"k"`
	Loss        model.Bound `json:"loss"`
	Missed      model.Bound `json:"missed"`
	MissedError model.Bound `json:"missed_standard_error"`
	Ratio       model.Bound `json:"ratio"`
	Route       string      `json:"route"`
	Rows        int         `json:"rows"`
	Error       model.Bound `json:"standard_error"`
	Total       model.Bound `json:"total"`
}

// EvaluatedOf is what is said of components.
func EvaluatedOf(m *model.PCA, e *pca.Evaluation) EvaluatedComponents {
	return EvaluatedComponents{CapturedOf(e.Proof).CapturedBounds, m.Mean != nil, m.Cols(), m.Statement.K, model.Bound(e.Loss()), model.Bound(e.Missed), model.Bound(e.MissedError),
		model.Bound(e.Captured / e.Total), e.Proof.Route, e.Rows, model.Bound(e.Error), model.Bound(e.Total)}
}

// Reduction is what pca says.
type Reduction struct {
	Components
	Cost      *Cost              `json:"cost,omitempty"`
	LeftOut   string             `json:"left_out,omitempty"`
	MethodWhy string             `json:"method_why,omitempty"`
	Path      *string            `json:"model"`
	Regret    *Regret            `json:"regret,omitempty"`
	Seconds   map[string]float64 `json:"seconds"`
	Unproved  *string            `json:"unproved"`
	Won       *Won               `json:"won,omitempty"`
}

// Regret is what a method lost to the best subspace of all rows that it has seen, in hindsight: means over them.
type Regret struct {
	Best  float64     `json:"best_loss"`
	Bound model.Bound `json:"bound"`
	Mean  float64     `json:"mean"`
	Rows  int         `json:"rows"`
}

// RegretOf is that of a result; nil: it was not asked for.
func RegretOf(r *pca.Result) *Regret {
	if s, ok := r.State.(interface {
		Regret() (spectral.Regretted, bool)
	}); ok {
		if told, ok := s.Regret(); ok {
			return &Regret{told.Best, model.Bound(told.Bound), told.Mean, told.Rows}
		}
	}
	return nil
}

// Won is which of several methods was chosen on the way, and what it captured of rows that it had not
// learned yet.
type Won struct {
	Captured float64 `json:"captured"`
	Method   string  `json:"method"`
}

// WonOf is that of a result; nil: there was one method.
func WonOf(r *pca.Result) *Won {
	w, ok := r.State.(method.Winner)
	if !ok {
		return nil
	}
	name, captured := w.Won()
	return &Won{captured, name}
}

// Cost is the work of a method. A method that keeps an eigensystem has the ranks of it, its operations, and
// the bytes of its directions at the largest rank;
// every other one has Passes over the rows and Numbers, the count of stored values read.
type Cost struct {
	Memory       *float64 `json:"memory,omitempty"`
	MostRank     *int     `json:"most_rank,omitempty"`
	Numbers      *float64 `json:"numbers,omitempty"`
	Operations   *float64 `json:"operations,omitempty"`
	Passes       *float64 `json:"passes,omitempty"`
	Rank         *int     `json:"rank,omitempty"`
	Rows         *int     `json:"rows,omitempty"`
	SquaredRanks *float64 `json:"squared_ranks,omitempty"`
}

// CostOf returns the cost of a result; nil: it is not known.
func CostOf(r *pca.Result) *Cost {
	if s, ok := r.State.(spectral.Spectrum); ok {
		c := s.Cost()
		return &Cost{Memory: new(8 * float64(c.MostRank) * float64(r.Model.Cols())), MostRank: &c.MostRank, Operations: &c.Flops, Rank: &c.Rank, Rows: &c.Steps, SquaredRanks: &c.SquaredRanks}
	}
	if r.Passes > 0 {
		return &Cost{Numbers: &r.Numbers, Passes: &r.Passes}
	}
	return nil
}

// VerifiedComponents is what verify says of components.
type VerifiedComponents struct {
	Components
	Verdict
}

// ComparedComponents is what compare says of two models of components: angles in degrees.
type ComparedComponents struct {
	Angles   []float64   `json:"angles"`
	Distance float64     `json:"distance"`
	Factors  model.Bound `json:"factors"`
	Largest  float64     `json:"largest"`
}

// ComparedOf is what is said of a comparison.
func ComparedOf(c *pca.Comparison) ComparedComponents {
	out := ComparedComponents{Distance: c.Distance, Factors: model.Bound(c.Factors)}
	for _, a := range c.Angles {
		out.Angles = append(out.Angles, a*180/math.Pi)
	}
	out.Largest = out.Angles[len(out.Angles)-1]
	return out
}
