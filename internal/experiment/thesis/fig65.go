package thesis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/stream/schedule"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Figure 6.5 of Cotter's thesis: suboptimality on held-out images of digits against
// iterations and against the estimated run time (columns), k = 1, 4, 8 (rows).
//
// The 70 000 images of MNIST are split 40/20/40 at random into rows to learn from,
// in one pass, rows to choose the step size on, and rows to report on. Means over
// splits. A state of k directions, such as GROUSE's, is charged k^2 a step (E37).
//
// The thesis scales each feature by its deviation (E26: to variance 1/d'; scale=thesis).
// Of the images that are known as MNIST the thesis's curves do not come in this way:
// some pixels vary in one image of 70 000, which then has a squared norm of 100 where
// the mean is 1, and by the moments of the first part alone even more if it is in
// another. The suboptimality of all methods then ends at 0.6 to 1.1; with moments=all
// it falls, but the incremental algorithm is stuck on such images (0.033 for k = 1,
// where MSG reaches 0.0002). So by default one factor makes the mean squared norm 1
// (scale=norm), with the moments of the first part.
//
// The thesis tries c = 2^-20, ..., 2^6 on 100 splits. Here c is chosen on the first
// split by successive halving: candidates whose mean suboptimality over the first
// part of the pass is the worse go, and so does, for reasons of time, one of more
// than mostDirections directions; three splits then run with the best c and the
// neighbours it has in the grid, and all with the one of these that is best on average.
//
// M4 and M5, that the algorithm of Warmuth and Kuzmin is worse than GROUSE for k = 4 and 8, are not
// reproduced: it is among the best at any step near its best. With unit=d, for rows as short as the
// print has them (E26: mean squared norm 1/d), the grid ends at an effective 2^-3.6, and all but the
// incremental algorithm are too slow; that of Warmuth and Kuzmin is then worse than MSG, but not than
// GROUSE, which is slower still, so that this is not what the thesis did either.
type fig65 struct {
	threshold float64
	all       bool // moments are those of all images
	short     bool // step sizes are for rows of mean squared norm 1/d
	scale     string
}

func init() {
	experiment.Register("thesis-fig6.5", "Cotter's thesis, figure 6.5", "suboptimality of streaming PCA on images; on the 70000 of MNIST; threshold=-1: pixels, from 0 to 1, above it become 1, others 0; moments=train|all, scale=norm|thesis, unit=1|d: 1/d is the mean squared norm that step sizes are for",
		func(p *registry.Params) (experiment.Experiment, error) {
			return fig65{p.Float("threshold", -1, "a number from 0 to below 1, or -1: none", func(v float64) bool { return v == -1 || v >= 0 && v < 1 }), p.Choice("moments", "train", "all") == "all", p.Choice("unit", "1", "d") == "d", p.Choice("scale", "norm", "thesis")}, p.Err()
		})
}

// images are the methods of figure 6.5.
var images = []experiment.Contender{experiment.Incremental, experiment.MSG, experiment.CappedMSG, experiment.WarmuthKuzmin, experiment.Grouse}

// Of the second moments that judge.
const (
	validation = 0
	test       = 1
)

// Run implements Experiment.
func (f fig65) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	return r, opt.On(ctx, r, "all", []string{"mnist"}, "@heavy-tailed:n=7000", func(_ string, opt experiment.Options) error { return f.panels(ctx, r, opt) })
}

// panels adds a row for each k.
func (f fig65) panels(ctx context.Context, r *experiment.Result, opt experiment.Options) error {
	ks, grid, runs := []int{1, 4, 8}, schedule.ImageGrid(), opt.RunsOr(10, 1)
	if opt.Quick {
		grid = schedule.Grid(-1, 1)
		if n, _ := opt.Data.Dims(); n > 2500 {
			opt.Data = matrix.Gather(opt.Data, rand.New(rand.NewPCG(opt.Seed, 65)).Perm(n)[:2500])
		}
	}
	n, d := opt.Data.Dims()
	if n < 100 || d <= ks[len(ks)-1] {
		return fmt.Errorf("thesis-fig6.5: found %d rows of %d features, expected at least 100 of 9", n, d)
	}
	if f.short { // a step c on rows sqrt(d) times shorter is one of c/d on these
		for i := range grid {
			grid[i] /= float64(d)
		}
	}
	x := opt.Data
	if f.threshold >= 0 {
		x = binary(x, float32(f.threshold))
	}
	splits, err := f.splits(ctx, x, runs, opt)
	if err != nil {
		return err
	}
	r.Note("means of %d splits of %d rows of %d features, of which %d vary", runs, n, d, d-splits[0].constant)
	for _, k := range ks {
		if err := addRow(ctx, r, k, splits, grid, opt); err != nil {
			return err
		}
	}
	return nil
}

// binary returns whether the values of x are above a threshold, as 1 and 0.
func binary(x matrix.Matrix, threshold float32) matrix.Matrix {
	n, d := x.Dims()
	out := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			if v > threshold {
				out.Value[i*d+row.Column(k)] = 1
			}
		}
	}
	return out
}

// A split is rows to learn from, and what the rest says of a basis.
type split struct {
	rows       view.Rows
	seconds    [2][]float64 // second moments of the validation and the test part
	constant   int
	d, threads int
	seed       uint64
	learned    int // rows
}

func (f fig65) splits(ctx context.Context, x matrix.Matrix, runs int, opt experiment.Options) ([]*split, error) {
	n, _ := x.Dims()
	progress := &experiment.Tally{Opt: opt, What: "splits", Of: runs}
	var whole *scaling.Moments
	if f.all {
		whole = scaling.NewMoments(x, opt.Threads)
	}
	all := make([]*split, runs)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parts, err := generate.Split(n, opt.Seed+uint64(i), 40, 20, 40)
		if err != nil {
			return nil, err
		}
		if all[i], err = newSplit(x, parts, whole, f.scale, opt.Threads); err != nil {
			return nil, err
		}
		all[i].seed = opt.Seed + uint64(i)
		progress.Step()
	}
	return all, nil
}

// newSplit scales all parts alike, by the given moments, or if these are nil by those
// of the first part.
func newSplit(x matrix.Matrix, parts [][]int, moments *scaling.Moments, scale string, threads int) (*split, error) {
	train := matrix.Subset(x, parts[0])
	if moments == nil {
		moments = scaling.NewMoments(train, threads)
	}
	scaling, err := moments.Scaling(scale, true)
	if err != nil {
		return nil, err
	}
	scaled := func(x matrix.Matrix) view.Rows {
		return view.Rows{X: x, Offset: scaling.Offset, Factor: scaling.Factor}
	}
	s := &split{rows: scaled(train), threads: threads, constant: moments.Constants(), learned: len(parts[0])}
	_, s.d = train.Dims()
	if s.constant == s.d {
		return nil, errors.New("thesis-fig6.5: found no feature that varies, expected images")
	}
	for i := range s.seconds {
		s.seconds[i] = experiment.SecondMoment(scaled(matrix.Subset(x, parts[i+1])), threads)
	}
	return s, nil
}

// course is the split for components of one number. Step sizes are as printed:
// for rows as they are.
func (s *split) course(k int) *experiment.Course {
	c := &experiment.Course{Rows: s.rows, Problem: method.Problem{Cols: s.d, K: k, Seed: s.seed, Threads: 1, Squared: 1, Fourth: 1}, Most: experiment.MostDirections}
	for _, second := range s.seconds {
		c.Judges = append(c.Judges, experiment.Against(second, k, s.d, s.threads))
	}
	c.At = checks(s.learned)
	return c
}

// checks are the numbers of rows at which a curve is measured: evenly in their
// logarithm, and evenly.
func checks(n int) []int {
	var at []int
	for t := 1; t < n; t = max(t+1, min(t+t/4, t+n/32)) {
		at = append(at, t)
	}
	return append(at, n)
}

// addRow adds one row of the figure.
func addRow(ctx context.Context, r *experiment.Result, k int, splits []*split, grid []float64, opt experiment.Options) error {
	var courses []*experiment.Course
	for _, s := range splits {
		courses = append(courses, s.course(k))
	}
	picks, err := experiment.Halve(ctx, courses, images, grid, opt, fmt.Sprintf("k=%d", k))
	if err != nil {
		return err
	}
	name := fmt.Sprintf("k=%d", k)
	note := name + ":"
	for _, p := range picks {
		r.Curve(experiment.Point{Row: name, Column: "iterations", Curve: p.Name, XAxis: experiment.Iterations, YAxis: experiment.Suboptimality}, p.Times(), p.Epsilon(test))
		r.Curve(experiment.Point{Row: name, Column: "run time", Curve: p.Name, XAxis: experiment.RunTime, YAxis: experiment.Suboptimality}, p.Cost(), p.Epsilon(test))
		note += fmt.Sprintf(" %s %.3g at the end (median %.3g), %.3g on average", p.Name, p.Last(test), p.Median(test), p.Average(test))
		if p.Grid {
			note += fmt.Sprintf(" (c=2^%.3g)", math.Log2(p.C))
		}
		note += fmt.Sprintf(", k' %.3g;", p.MeanRank())
	}
	r.Note("%s", note[:len(note)-1])
	checkImages(r, k, picks)
	return nil
}

// checkImages is M1 to M6, by the means over the splits on the test part. Where the
// thesis says "comparable" or "almost as fast", what counts as such is said here.
func checkImages(r *experiment.Result, k int, picks []*experiment.Pick) {
	inc, m, capped := find(picks, experiment.Incremental.Name), find(picks, experiment.MSG.Name), find(picks, experiment.CappedMSG.Name)
	wk, g := find(picks, experiment.WarmuthKuzmin.Name), find(picks, experiment.Grouse.Name)
	where := fmt.Sprintf("k=%d: ", k)
	all := func(f func(*experiment.Pick) float64) string {
		return fmt.Sprintf("incremental %.3g, MSG %.3g, capped %.3g, W&K %.3g, GROUSE %.3g", f(inc), f(m), f(capped), f(wk), f(g))
	}
	average := func(p *experiment.Pick) float64 { return p.Average(test) }
	last := func(p *experiment.Pick) float64 { return p.Last(test) }
	goal := 1.05 * max(last(inc), last(m), last(capped)) // what all three reach
	price := func(p *experiment.Pick) float64 { return p.PriceOf(goal, test) }
	others := min(average(m), average(capped), average(wk), average(g))
	prices := fmt.Sprintf("at %.2g: ", goal) + all(price)

	r.Check("M1", where+"incremental makes the most progress per iteration", "least mean suboptimality", average(inc) <= others, "%s", all(average))
	r.Check("M1", where+"incremental is the fastest", "least run time to the same suboptimality",
		price(inc) <= min(price(m), price(capped), price(wk), price(g)), "%s", prices)
	r.Check("M2", where+"MSG is comparable to incremental per iteration", "mean suboptimality within a factor 2",
		average(m) <= 2*average(inc), "incremental %.3g, MSG %.3g", average(inc), average(m))
	r.Check("M2", where+"MSG is slower in run time, as its k' is slightly larger than k", "more run time, mean k' above k",
		price(m) > price(inc) && m.MeanRank() > float64(k), "%s; k' %.3g", prices, m.MeanRank())
	r.Check("M3", where+"capped MSG is much faster than MSG, almost as fast as incremental", "less run time than MSG, at most 3 times incremental's",
		price(capped) < price(m) && price(inc) <= price(capped) && price(capped) <= 3*price(inc), "%s", prices)
	if k == 1 {
		r.Check("M4", where+"W&K is good", "suboptimality at the end within twice MSG's", last(wk) <= 2*last(m), "W&K %.3g, MSG %.3g", last(wk), last(m))
	} else {
		r.Check("M4", where+"W&K is worse, and its k' exceeds MSG's", "suboptimality at the end and mean k' above MSG's",
			last(wk) > last(m) && wk.MeanRank() > m.MeanRank(), "%.3g against %.3g, k' %.3g against %.3g", last(wk), last(m), wk.MeanRank(), m.MeanRank())
		r.Check("M5", where+"GROUSE is better than W&K but much worse than MSG and capped MSG", "MSG and capped below GROUSE below W&K at the end",
			max(last(m), last(capped)) < last(g) && last(g) < last(wk), "%s", all(last))
		if last(wk) <= last(g) {
			r.Note("%sthe thesis has W&K worse than GROUSE: not reproduced, reason unknown", where)
		}
	}
	r.Check("M6", where+"capped MSG is nearly as good as incremental where that shines", "incremental at most 1.5 times capped MSG, capped at most 1.5 times incremental, at the end",
		last(inc) <= 1.5*last(capped) && last(capped) <= 1.5*last(inc), "incremental %.3g, capped %.3g", last(inc), last(capped))
	if worst := whenStuck(capped, inc); worst != "" {
		r.Check("M6", where+"capped MSG is not stuck on any split", "no split ends above 3 times the mean", !math.IsNaN(last(capped)) && shareOf(capped, func(t *experiment.Trace) bool { return t.Last(test) > 3*last(capped) }) == 0, "%s", worst)
	}
}

// whenStuck says how the splits scatter.
func whenStuck(capped, inc *experiment.Pick) string {
	worst := func(p *experiment.Pick) (w float64) {
		for _, t := range p.Traces {
			w = max(w, t.Last(test))
		}
		return w
	}
	return fmt.Sprintf("worst split: capped %.3g, incremental %.3g", worst(capped), worst(inc))
}
