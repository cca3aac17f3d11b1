package stream

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec"
)

// Race runs several streaming methods side by side on one pass, and returns the
// answer of the method that captures the most: to choose a step size, as the thesis
// does by grid search (reference 2.10), from a stream that is seen once.
//
// They are judged on rows that they have not learned yet: the mean squared length
// of the projections of the first rows of every block on the bases so far. Unless
// All is set, the worse half is given up after 1, 2, 4, ... rounds of the
// first (successive halving: Karnin, Koren and Somekh 2013), by what they captured
// since the last time. Every candidate is what it would be in a run of its own, to
// the bit.
//
// A row costs the sum of the candidates'; with halving, in the end, one's.
type Race struct {
	Candidates []method.Streaming
	Names      []string // of them, as [method.New] takes them
	All        bool     // none is given up
}

const (
	raceBlock = 512 // rows between judgements
	raceRows  = 64  // rows of a block that judge
	raceFirst = 4   // blocks of the first round
)

func init() {
	method.Register("race", "a streaming method with many step sizes on one pass, of which the worse half is given up again and again: method=capped-msg, c=2^lo to 2^hi, lo=-8, hi=3, halve=yes or no",
		func(p *registry.Params) (method.Method, error) {
			names := streamingNames()
			name := p.Choice("method", names...)
			lo, hi := p.Int("lo", -8, -60, 60), p.Int("hi", 3, -60, 60)
			m := Race{All: p.Choice("halve", "yes", "no") == "no"}
			if err := p.Err(); err != nil {
				return nil, err
			}
			if lo > hi {
				return nil, fmt.Errorf("lo=%d: expected at most hi=%d", lo, hi)
			}
			for _, c := range schedule.Grid(lo, hi) {
				spec := fmt.Sprintf("%s:c=%g", name, c)
				candidate, err := method.New(spec)
				if err != nil {
					return nil, err
				}
				m.Candidates, m.Names = append(m.Candidates, candidate.(method.Streaming)), append(m.Names, spec)
			}
			return m, nil
		})
}

// streamingNames returns the names of the streaming methods, that by default first.
func streamingNames() []string {
	names := []string{"capped-msg"}
	for _, e := range method.Entries() {
		if e.Name == names[0] || e.Name == "race" {
			continue
		}
		if m, err := method.New(e.Name); err == nil {
			if _, ok := m.(method.Streaming); ok {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// Accepts asks all candidates.
func (m Race) Accepts(p method.Problem) error {
	for _, c := range m.Candidates {
		if err := method.Accepts(c, p); err != nil {
			return err
		}
	}
	if len(m.Candidates) == 0 {
		return fmt.Errorf("race: found no candidates, expected at least one")
	}
	return nil
}

// Start starts all candidates.
func (m Race) Start(p method.Problem) method.State {
	s := &race{names: m.Names, all: m.All, x: make([]float64, p.Cols), block: raceBlock}
	for i, c := range m.Candidates {
		r := &runner{of: i, state: c.Start(p)}
		if b, ok := r.state.(method.Blocked); ok {
			s.block = max(s.block, (raceBlock+b.BlockRows()-1)/b.BlockRows()*b.BlockRows())
		}
		s.runners = append(s.runners, r)
	}
	return s
}

// race is Race under way. Runners are kept by what they captured in the round
// before, the best first.
type race struct {
	names   []string
	all     bool
	block   int
	runners []*runner
	blocks  int // so far
	judges  int // rows that judged in this round

	x []float64 // scratch
}

// A runner is a candidate that is still in the race.
type runner struct {
	of       int // its number
	state    method.State
	captured float64 // sum over the judges of this round
	before   float64 // mean over those of the round before
}

// BlockRows returns how many rows must come together.
func (s *race) BlockRows() int { return s.block }

func (s *race) Learn(x view.Rows) {
	n, _ := x.Dims()
	for lo := 0; lo < n; lo += s.block {
		s.judge(x.Part(lo, min(lo+raceRows, n)))
		for _, r := range s.runners {
			r.state.Learn(x.Part(lo, min(lo+s.block, n)))
		}
		s.blocks++
		if round := s.blocks / raceFirst; s.blocks%raceFirst == 0 && round&(round-1) == 0 && !s.all {
			s.halve()
		}
	}
}

// judge adds what every runner's basis captures of the rows.
func (s *race) judge(x view.Rows) {
	if len(s.runners) == 1 {
		return
	}
	bases := make([]method.Basis, len(s.runners))
	for i, r := range s.runners {
		bases[i] = r.state.Basis()
	}
	x.Each(s.x, func(x []float64) {
		for j, b := range bases {
			for c := range b.K {
				product := vec.Dot64(b.Row(c), x)
				s.runners[j].captured += float64(product * product)
			}
		}
		s.judges++
	})
}

// halve gives up the worse half and begins a round.
func (s *race) halve() {
	if len(s.runners) == 1 {
		return
	}
	slices.SortStableFunc(s.runners, func(a, b *runner) int { return byCaptured(b, a) })
	s.runners = s.runners[:(len(s.runners)+1)/2]
	for _, r := range s.runners {
		r.before, r.captured = r.captured/float64(max(s.judges, 1)), 0
	}
	s.judges = 0
}

// byCaptured compares what runners captured: nothing where it is not a number.
func byCaptured(a, b *runner) int { return cmp.Compare(a.share(), b.share()) }

func (r *runner) share() float64 {
	if math.IsNaN(r.captured) {
		return -1
	}
	return r.captured
}

// leader returns the candidate that leads, the first of equals.
func (s *race) leader() *runner { return slices.MaxFunc(s.runners, byCaptured) }

// Basis returns that of the leader.
func (s *race) Basis() method.Basis { return s.leader().state.Basis() }

// Won returns the name of the leader, and what it captured of the rows that judged it last, on average
// and before they were learned: 0 where none did, as of a lone candidate.
func (s *race) Won() (name string, captured float64) {
	leader := s.leader()
	if s.judges == 0 {
		return s.names[leader.of], leader.before
	}
	return s.names[leader.of], leader.captured / float64(s.judges)
}

func (s *race) Keep(k *method.Kept) {
	k.Count("blocks", &s.blocks)
	k.Count("judges", &s.judges)
	alive := make([]float64, len(s.runners))
	for i, r := range s.runners {
		alive[i] = float64(r.of)
	}
	k.List("candidates", &alive)
	if k.Restoring() {
		s.restore(k, alive)
	}
	for _, r := range s.runners {
		k.In(fmt.Sprint("candidate", r.of), r)
	}
}

// restore keeps the runners of the given numbers, of those that started.
func (s *race) restore(k *method.Kept, alive []float64) {
	var runners []*runner
	for _, of := range alive {
		if i := slices.IndexFunc(s.runners, func(r *runner) bool { return float64(r.of) == of }); i >= 0 {
			runners = append(runners, s.runners[i])
		}
	}
	k.Require(len(runners) > 0 && len(runners) == len(alive) && len(runners) <= len(s.runners), "state: found candidates %v, expected some of %d", alive, len(s.runners))
	if k.Restoring() {
		s.runners = runners
	}
}

// Keep visits the candidate.
func (r *runner) Keep(k *method.Kept) {
	k.Number("captured", &r.captured)
	k.Number("before", &r.before)
	r.state.Keep(k)
}
