package experiment

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/spectral"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
)

// A contender is a method in a race.
type contender struct {
	name string // of its curves
	spec string // of pca.New
	grid bool   // c=... is added to spec, from a grid
}

// The methods of the thesis's figures.
var (
	incremental   = contender{name: "incremental", spec: "incremental"}
	warmuthKuzmin = contender{name: "Warmuth & Kuzmin", spec: "warmuth-kuzmin", grid: true}
	msg           = contender{name: "MSG", spec: "msg", grid: true}
	cappedMSG     = contender{name: "capped MSG", spec: "capped-msg", grid: true}
	grouse        = contender{name: "GROUSE", spec: "grouse", grid: true}
	erm           = contender{name: "SAA", spec: "erm"}
)

// at returns the method with the constant c of its step sizes c/sqrt(t).
func (c contender) at(step float64) contender {
	if c.grid {
		c.spec += ":schedule=sqrt,c=" + strconv.FormatFloat(step, 'g', -1, 64)
	}
	return c
}

// start returns the method at its start.
func (c contender) start(p method.Problem) (method.State, error) {
	m, err := methods.New(c.spec)
	if err != nil {
		return nil, err
	}
	if err := m.Accepts(p); err != nil {
		return nil, err
	}
	s, ok := m.(method.Streaming)
	if !ok {
		return nil, fmt.Errorf("method %s: found one for batches, expected one for streams", c.spec)
	}
	return s.Start(p), nil
}

// A course is what contenders race on: all see the same rows in the same order.
type course struct {
	rows    view.Rows
	problem method.Problem
	at      []int              // numbers of rows after which a state is judged, ascending
	judges  []judge            // of its basis
	most    int                // a state of more directions is given up; 0: none is
	observe func(method.State) // besides, at the same times; may be nil
}

// A judge returns the suboptimality of a basis.
type judge func(method.Basis) float64

// A trace is what was seen of a state, after so many rows each.
type trace struct {
	at      []int
	epsilon [][]float64 // by judge, then by time
	rank    []int       // k', directions after the step
	cost    []float64   // sum over the steps of k'^2
	gaveUp  bool
}

// run takes a contender to the end of the course.
func (c *course) run(ctx context.Context, who contender) (*trace, error) {
	state, err := who.start(c.problem)
	if err != nil {
		return nil, err
	}
	t := &trace{epsilon: make([][]float64, len(c.judges))}
	done := 0
	for _, at := range c.at {
		for done < at {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			next := min(done+patience, at)
			state.Learn(c.rows.Part(done, next))
			done = next
			if c.most > 0 && rankOf(state, c.problem) > c.most {
				t.gaveUp = true
				return t, nil
			}
		}
		t.see(state, c)
	}
	return t, nil
}

// patience is how many rows are learned between two checks whether to go on.
const patience = 64

// see notes what a state is.
func (t *trace) see(s method.State, c *course) {
	at := c.at[len(t.at)]
	t.at = append(t.at, at)
	basis := s.Basis()
	for i, judge := range c.judges {
		t.epsilon[i] = append(t.epsilon[i], judge(basis))
	}
	t.rank = append(t.rank, rankOf(s, c.problem))
	cost := float64(at * c.problem.K * c.problem.K) // of states of k directions
	if spectrum, ok := s.(spectral.Spectrum); ok {
		cost = spectrum.Cost().SquaredRanks
	}
	t.cost = append(t.cost, cost)
	if c.observe != nil {
		c.observe(s)
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

// average returns the mean suboptimality over the run by one judge: what was found
// stands for the rows since the one before.
func (t *trace) average(judge int) float64 {
	sum, before := 0.0, 0
	for i, at := range t.at {
		sum += float64(t.epsilon[judge][i] * float64(at-before))
		before = at
	}
	return sum / float64(before)
}

// meanRank returns the mean of k' over the run.
func (t *trace) meanRank() float64 {
	sum, before := 0.0, 0
	for i, at := range t.at {
		sum += float64(t.rank[i] * (at - before))
		before = at
	}
	return sum / float64(before)
}

// last returns the suboptimality at the end.
func (t *trace) last(judge int) float64 { return t.epsilon[judge][len(t.at)-1] }

// side runs do(0), ..., do(n-1) side by side on at most threads cores, and returns
// the first error, by number, of those that were run.
func side(ctx context.Context, n, threads int, do func(i int) error) error {
	errs := make([]error, n)
	parallel.Blocks(n, 1, threads, func(i, _, _ int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			errs[i] = do(i)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// A tally counts what is done, for Options.Progress.
type tally struct {
	opt  Options
	what string
	of   int

	mu   sync.Mutex
	done int
}

func (t *tally) step() {
	if t.opt.Progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.opt.Progress(t.what, t.done, t.of)
}
