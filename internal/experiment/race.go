package experiment

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/spectral"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// A Contender is a method in a race.
type Contender struct {
	Name string // of its curves
	Spec string // of pca.New
	Grid bool   // c=... is added to spec, from a grid
}

// The methods of the thesis's figures.
var (
	Incremental   = Contender{Name: "incremental", Spec: "incremental"}
	WarmuthKuzmin = Contender{Name: "Warmuth & Kuzmin", Spec: "warmuth-kuzmin", Grid: true}
	MSG           = Contender{Name: "MSG", Spec: "msg", Grid: true}
	CappedMSG     = Contender{Name: "capped MSG", Spec: "capped-msg", Grid: true}
	Grouse        = Contender{Name: "GROUSE", Spec: "grouse", Grid: true}
	ERM           = Contender{Name: "SAA", Spec: "erm"}
)

// At returns the method with the constant c of its step sizes c/sqrt(t).
func (c Contender) At(step float64) Contender {
	if c.Grid {
		c.Spec += ":schedule=sqrt,c=" + strconv.FormatFloat(step, 'g', -1, 64)
	}
	return c
}

// Start returns the method at its start.
func (c Contender) Start(p method.Problem) (method.State, error) {
	m, err := methods.New(c.Spec)
	if err != nil {
		return nil, err
	}
	if err := method.Accepts(m, p); err != nil {
		return nil, err
	}
	s, ok := m.(method.Streaming)
	if !ok {
		return nil, fmt.Errorf("method %s: found one for batches, expected one for streams", c.Spec)
	}
	return s.Start(p), nil
}

// A Course is what contenders race on: all see the same rows in the same order.
type Course struct {
	Rows    view.Rows
	Problem method.Problem
	At      []int              // numbers of rows after which a state is judged, ascending
	Judges  []judge            // of its basis
	Most    int                // a state of more directions is given up; 0: none is
	Observe func(method.State) // besides, at the same times; may be nil
}

// A judge returns the suboptimality of a basis.
type judge func(method.Basis) float64

// A Trace is what was seen of a state, after so many rows each.
type Trace struct {
	At      []int
	epsilon [][]float64 // by judge, then by time
	Rank    []int       // k', directions after the step
	Cost    []float64   // sum over the steps of k'^2
	gaveUp  bool
}

// Run takes a contender to the end of the course.
func (c *Course) Run(ctx context.Context, who Contender) (*Trace, error) {
	state, err := who.Start(c.Problem)
	if err != nil {
		return nil, err
	}
	t := &Trace{epsilon: make([][]float64, len(c.Judges))}
	done := 0
	for _, at := range c.At {
		for done < at {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			next := min(done+Patience, at)
			state.Learn(c.Rows.Part(done, next))
			done = next
			if c.Most > 0 && rankOf(state, c.Problem) > c.Most {
				t.gaveUp = true
				return t, nil
			}
		}
		t.see(state, c)
	}
	return t, nil
}

// Patience is how many rows are learned between two checks whether to go on.
const Patience = 64

// see notes what a state is.
func (t *Trace) see(s method.State, c *Course) {
	at := c.At[len(t.At)]
	t.At = append(t.At, at)
	basis := s.Basis()
	for i, judge := range c.Judges {
		t.epsilon[i] = append(t.epsilon[i], judge(basis))
	}
	t.Rank = append(t.Rank, rankOf(s, c.Problem))
	cost := float64(at * c.Problem.K * c.Problem.K) // of states of k directions
	if spectrum, ok := s.(spectral.Spectrum); ok {
		cost = spectrum.Cost().SquaredRanks
	}
	t.Cost = append(t.Cost, cost)
	if c.Observe != nil {
		c.Observe(s)
	}
}

// rankOf returns k'.
func rankOf(s method.State, p method.Problem) int {
	if spectrum, ok := s.(spectral.Spectrum); ok {
		if c := spectrum.Cost(); c.Steps > 0 {
			return c.Rank
		}
		return len(spectrum.Eigenvalues())
	}
	return p.K
}

// Average returns the mean suboptimality over the run by one judge: what was found
// stands for the rows since the one before.
func (t *Trace) Average(judge int) float64 {
	sum, before := 0.0, 0
	for i, at := range t.At {
		sum += float64(t.epsilon[judge][i] * float64(at-before))
		before = at
	}
	return sum / float64(before)
}

// meanRank returns the mean of k' over the run.
func (t *Trace) meanRank() float64 {
	sum, before := 0.0, 0
	for i, at := range t.At {
		sum += float64(t.Rank[i] * (at - before))
		before = at
	}
	return sum / float64(before)
}

// Epsilon returns the suboptimality by one judge at one of the times.
func (t *Trace) Epsilon(judge, at int) float64 { return t.epsilon[judge][at] }

// Last returns the suboptimality at the end.
func (t *Trace) Last(judge int) float64 { return t.epsilon[judge][len(t.At)-1] }

// A Tally counts what is done, for Options.Progress.
type Tally struct {
	Opt  Options
	What string
	Of   int

	mu   sync.Mutex
	done int
}

func (t *Tally) Step() {
	if t.Opt.Progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.Opt.Progress(t.What, t.done, t.Of)
}
