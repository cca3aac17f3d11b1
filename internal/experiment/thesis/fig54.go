package thesis

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Figure 5.4 of Cotter's thesis: the number k' of eigenvalues below the cap of Warmuth
// and Kuzmin's algorithm on the rows of Adult, drawn with replacement, against
// iterations, for k = 1, 2, 4, ..., 32; from W = I/d and from k+1 random directions
// (columns). Means of 16 runs.
//
// The thesis has 256 features, the usual encodings of Adult 123: pad=256 adds features
// that are always 0 (E24). It does not state the step size: here c/sqrt(t) for rows
// scaled to a mean squared norm of 1, not centred, c=1.
type fig54 struct {
	rows, pad int
	c         float64
}

func init() {
	experiment.Register("thesis-fig5.4", "Cotter's thesis, figure 5.4", "eigenvalues below the cap of Warmuth and Kuzmin's algorithm; on Adult; rows=10000, pad=0: features at least, c=1",
		func(p *registry.Params) (experiment.Experiment, error) {
			return fig54{p.Int("rows", 10000, 100, 1<<24), p.Int("pad", 0, 0, 4096),
				p.Float("c", 1, "a number from 1e-9 to 1e9", func(v float64) bool { return v >= 1e-9 && v <= 1e9 })}, p.Err()
		})
}

// The two starts.
var starts = []experiment.Contender{
	{Name: "W = I/d", Spec: "warmuth-kuzmin:start=uniform"},
	{Name: "random start", Spec: "warmuth-kuzmin:start=random"},
}

// Run implements Experiment.
func (f fig54) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	return r, opt.On(ctx, r, "all", []string{"adult"}, "@heavy-tailed:n=3000,d=123", func(_ string, opt experiment.Options) error { return f.panels(ctx, r, opt) })
}

// panels adds the curves of both starts.
func (f fig54) panels(ctx context.Context, r *experiment.Result, opt experiment.Options) error {
	ks, runs := []int{1, 2, 4, 8, 16, 32}, opt.RunsOr(16, 2)
	if opt.Quick {
		ks, f.rows = []int{1, 2, 4, 8}, min(f.rows, 1000)
	}
	x, err := f.scaled(opt.Data, ks[len(ks)-1])
	if err != nil {
		return err
	}
	_, d := x.Dims()
	r.Note("means of %d runs of %d rows of %d features, c=%g", runs, f.rows, d, f.c)
	levels := map[string][]float64{}
	for _, start := range starts {
		for _, k := range ks {
			rank, err := f.curve(ctx, x, k, start, runs, opt)
			if err != nil {
				return err
			}
			times := make([]float64, len(rank))
			for t := range times {
				times[t] = float64(t)
			}
			r.Curve(experiment.Point{Row: "Adult", Column: start.Name, Curve: "k=" + strconv.Itoa(k), XAxis: "iterations", YAxis: "k'" + experiment.LogAxis}, times, rank)
			level := levelOf(rank)
			levels[start.Name] = append(levels[start.Name], level)
			checkStart(r, start, k, d, rank, level)
		}
	}
	checkLevels(r, ks, d, levels[starts[0].Name], levels[starts[1].Name])
	return nil
}

// scaled returns the rows with a mean squared norm of 1, padded.
func (f fig54) scaled(x matrix.Matrix, k int) (view.Rows, error) {
	n, d := x.Dims()
	if n == 0 || max(d, f.pad) <= k+1 {
		return view.Rows{}, fmt.Errorf("thesis-fig5.4: found %d rows of %d features, expected at least one of %d", n, d, k+2)
	}
	if f.pad > d {
		wide := &matrix.CSR{Cols: f.pad}
		for i := range n {
			appendRow(wide, x.Row(i))
		}
		x, d = wide, f.pad
	}
	squared, _ := view.Rows{X: x}.Sizes(1)
	if !(squared > 0 && !math.IsInf(squared, 1)) {
		return view.Rows{}, fmt.Errorf("thesis-fig5.4: found a mean squared norm of %g, expected a number above 0", squared)
	}
	factor := make([]float64, d)
	for j := range factor {
		factor[j] = 1 / math.Sqrt(squared)
	}
	return view.Rows{X: x, Factor: factor}, nil
}

// appendRow adds a row, dense or sparse.
func appendRow(to *matrix.CSR, v matrix.Vector) {
	var index []uint32
	var value []float32
	for k, x := range v.Value {
		if x != 0 {
			index, value = append(index, uint32(v.Column(k))), append(value, x)
		}
	}
	to.Append(index, value)
}

// curve returns k' before the first row and after each, as the mean over the runs.
func (f fig54) curve(ctx context.Context, x view.Rows, k int, start experiment.Contender, runs int, opt experiment.Options) ([]float64, error) {
	n, d := x.Dims()
	all := make([][]int, runs)
	progress := &experiment.Tally{Opt: opt, What: fmt.Sprintf("%s, k=%d", start.Name, k), Of: runs}
	start.Spec += ",schedule=sqrt,c=" + strconv.FormatFloat(f.c, 'g', -1, 64)
	err := parallel.Try(ctx, runs, opt.Threads, func(run int) error {
		seed := opt.Seed + uint64(run)
		c := &experiment.Course{Problem: method.Problem{Cols: d, K: k, Seed: seed, Threads: 1, Squared: 1, Fourth: 1}, At: experiment.Below(f.rows + 1)}
		c.Rows = x
		c.Rows.X = matrix.Subset(x.X, drawn(n, f.rows, seed))
		t, err := c.Run(ctx, start)
		if err != nil {
			return err
		}
		all[run] = t.Rank
		progress.Step()
		return nil
	})
	if err != nil {
		return nil, err
	}
	mean := make([]float64, f.rows+1)
	for _, ranks := range all {
		for t, rank := range ranks {
			mean[t] += float64(rank) / float64(runs)
		}
	}
	return mean, nil
}

// drawn returns m numbers below n, with replacement.
func drawn(n, m int, seed uint64) []int {
	random := rand.NewPCG(seed, experiment.DrawStream)
	rows := make([]int, m)
	for i := range rows {
		rows[i] = int(random.Uint64() % uint64(n)) // its bias is below n/2^64
	}
	return rows
}

// levelOf is the mean of k' over the last tenth of the run.
func levelOf(rank []float64) (level float64) {
	last := rank[len(rank)-len(rank)/10:]
	for _, v := range last {
		level += v / float64(len(last))
	}
	return level
}

// checkStart is targets (a) and (b) of the reference.
func checkStart(r *experiment.Result, start experiment.Contender, k, d int, rank []float64, level float64) {
	if start.Name == starts[0].Name {
		r.Check("5.4a", fmt.Sprintf("k=%d: from W = I/d, k' starts at d and falls", k), fmt.Sprintf("%d, then less than half", d),
			rank[0] == float64(d) && level < float64(d)/2, "%g, in the end %.3g", rank[0], level)
		return
	}
	r.Check("5.4b", fmt.Sprintf("k=%d: from a random start, k' starts at k+1", k), strconv.Itoa(k+1), rank[0] == float64(k+1),
		"%g, in the end %.3g", rank[0], level)
}

// checkLevels is target (c).
func checkLevels(r *experiment.Result, ks []int, d int, left, right []float64) {
	grows := true
	for i, k := range ks {
		ratio := max(left[i]/right[i], right[i]/left[i])
		r.Check("5.4c", fmt.Sprintf("k=%d: both starts settle at similar levels", k), "within 25 %", ratio <= 1.25, "%.3g and %.3g", left[i], right[i])
		grows = grows && (i == 0 || left[i] > left[i-1] && right[i] > right[i-1])
	}
	r.Check("5.4c", "the levels grow with k", "each above the one before", grows, "%.3g; %.3g", left, right)
	r.Check("5.4c", "for small k they are far below d", fmt.Sprintf("k=1, 2, 4: at most d/4 = %g", float64(d)/4), max(left[2], right[2]) <= float64(d)/4, "%.3g; %.3g", left[:3], right[:3])
}
