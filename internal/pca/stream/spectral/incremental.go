package spectral

import (
	"cmp"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/algebra"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/block"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Incremental is the incremental algorithm (Arora, Cotter, Livescu and Srebro
// 2012; thesis 4.5): the second moment of the rows so far, of which only a part of
// low rank is remembered.
//
//	t C_t = P_rank-m( (t-1) C_{t-1} + x_t x_t^T ),   m = Memory >= k
//
// P_rank-m keeps the m largest eigenvalues. Returned are the first k eigenvectors
// of C_t, with their eigenvalues. No step size; a step costs O(m d), and O(m d)
// memory.
//
// Nothing is proved, and it can stay wrong for ever: a new direction whose square
// is below the least eigenvalue kept is forgotten at once, so evidence for it
// never adds up (thesis 4.5: with probability 5/9 on two points). What is kept
// when a new eigenvalue equals an old one decides how often. See [method.Stuck].
type Incremental struct {
	Memory int     // m; 0: k
	New    bool    // of equal eigenvalues the newest direction is kept, not the oldest
	Forget float64 // all eigenvalues are multiplied by it before a row is added; 1: nothing fades
}

func init() {
	method.Register("incremental", "the second moment with a memory of rank memory=k; ties=old or new, forget=1; one pass, no step size, can get stuck",
		func(p *registry.Params) (method.Method, error) {
			m := Incremental{
				Memory: p.Int("memory", 0, 1, 1<<30),
				New:    p.Choice("ties", "old", "new") == "new",
				Forget: p.Float("forget", 1, "a number above 0, at most 1", func(v float64) bool { return v > 0 && v <= 1 }),
			}
			return m, p.Err()
		})
}

// Accepts refuses a memory below k.
func (m Incremental) Accepts(p method.Problem) error {
	if m.Memory != 0 && m.Memory < p.K {
		return fmt.Errorf("incremental: memory=%d: expected at least k = %d", m.Memory, p.K)
	}
	return nil
}

// Start has seen nothing.
func (m Incremental) Start(p method.Problem) method.State {
	s := &incremental{walk: newWalk(p, 0, nil, Output{}), m: m, probe: newProbe(p)}
	s.most = cmp.Or(m.Memory, p.K)
	s.a.PreferNew = m.New
	return s
}

// incremental is Incremental under way: a is t C_t.
type incremental struct {
	walk
	m      Incremental
	weight float64 // of all rows: t if nothing fades
	probe  probe
}

var _ Spectrum = (*incremental)(nil)

func (s *incremental) Learn(x view.Rows) { x.Each(s.x, s.step) }

func (s *incremental) step(x []float64) {
	s.probe.compare(s.a, s.k, x)
	if s.m.Forget < 1 {
		algebra.Scale(s.a.Value, s.m.Forget)
	}
	s.weight = float64(s.weight*s.m.Forget) + 1
	entered := s.a.Update(1, x)
	s.probe.count(entered, s.a, s.most, false)
	s.a.Truncate(s.most)
	s.cost.count(s.a.Rank(), entered)
}

func (s *incremental) Basis() method.Basis {
	b := s.walk.Basis()
	for _, a := range s.a.Value[:b.K] {
		b.Value = append(b.Value, a/s.weight)
	}
	return b
}

// Eigenvalues returns those of C_t.
func (s *incremental) Eigenvalues() []float64 {
	values := s.walk.Eigenvalues()
	for i := range values {
		values[i] /= s.weight
	}
	return values
}

// Stuck reports whether nearly all that is new is forgotten, although a direction
// that is not among the first k captures more than one that is.
func (s *incremental) Stuck() bool { return s.probe.isStuck }

func (s *incremental) Keep(k *method.Kept) {
	s.walk.Keep(k)
	k.Number("weight", &s.weight)
	s.probe.keep(k)
}

// Rescale makes t C_t the spectral form of the multiplied one.
func (s *incremental) Rescale(by []float64) {
	d, flops := s.a.cols, s.a.Flops
	rows, squares := block.Rescaled(s.a.Directions(len(s.a.Value)), s.a.Value, by)
	s.a = NewSpectral(d, 0)
	s.a.PreferNew, s.a.Flops = s.m.New, flops
	s.a.Insert(rows, squares)
}
