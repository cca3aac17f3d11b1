package programming

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/solve/kernel/dual"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Decomposition with small working sets: which rows of the sorted derivatives a set takes (Y7),
// and what shrinking saves where most support vectors are at their bound (Y6).
func init() {
	experiment.Plain("qp-working-set", "SVM lecture 15 and Ulbrich's notes, working sets", "which rows decomposition chooses, and the time with and without shrinking", qpWorkingSet)
}

func qpWorkingSet(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	r := &experiment.Result{}
	progress := &experiment.Tally{Opt: opt, What: "parts", Of: 3}
	if err := chosenRows(ctx, r, opt); err != nil {
		return nil, err
	}
	progress.Step()
	return r, shrinking(ctx, r, opt, progress)
}

// chosenRows follows 100 rounds: each changes rows from the two ends of the derivatives
// y_i - (K a)_i of the dual objective, sorted among the rows that may still grow or shrink.
func chosenRows(ctx context.Context, r *experiment.Result, opt experiment.Options) error {
	const n, q, rounds, c = 400, 10, 100, 10.0
	const tiny = 1e-9 * c // less than that is rounding
	x, y := chequered(n, opt.Seed)
	p, err := experiment.HingeMachine(kernel.RBF{Gamma: 0.5}, x, y, c, problem.Free, opt.Threads)
	if err != nil {
		return err
	}
	state := dual.Decomposition{Q: q}.Start(p, solver.Start{Gap: 1e-6, Seed: opt.Seed})
	a, derivative := make([]float64, n), slices.Clone(y)
	var at, places []float64
	deepest := 0
	for round := 1; round <= rounds && ctx.Err() == nil; round++ {
		place, depth := sortedPlaces(derivative, y, a, c, tiny)
		state.Epoch()
		w := state.Point().W
		var rows []int
		var change []float64
		for i := range a {
			if math.Abs(w[i]-a[i]) <= tiny {
				continue
			}
			deepest = max(deepest, depth[i])
			at, places = append(at, float64(round)), append(places, float64(place[i]))
			rows, change = append(rows, i), append(change, a[i]-w[i])
			a[i] = w[i]
		}
		if len(rows) == 0 {
			break
		}
		p.Gram.Update(derivative, rows, change)
	}
	for i := range at {
		r.Points = append(r.Points, experiment.Point{Row: "working set", Curve: "rows changed", XAxis: "round", X: at[i], YAxis: "place among the sorted derivatives", Y: places[i], Dots: true})
	}
	r.Check("Y7", fmt.Sprintf("sets of %d rows of %d are taken from the two ends", q, n), fmt.Sprintf("no row further than %d from its end", q/2), len(at) > 0 && deepest <= q/2, "%d rows changed, at most %d from the end", len(at), deepest)
	return ctx.Err()
}

// sortedPlaces returns the place of each row among the sorted derivatives, largest first, and how far
// it is from the end that it may be taken from: counted among the rows whose coefficient may grow,
// from the largest derivative on, or among those whose coefficient may shrink, from the smallest on.
func sortedPlaces(derivative, y, a []float64, c, tiny float64) (place, depth []int) {
	order := experiment.Below(len(y))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(derivative[j], derivative[i]) })
	place, depth = make([]int, len(y)), make([]int, len(y))
	for k, i := range order {
		place[i], depth[i] = k+1, math.MaxInt
	}
	fromEnd(depth, order, derivative, func(i int) bool { return a[i] < max(0, c*y[i])-tiny })
	slices.Reverse(order)
	fromEnd(depth, order, derivative, func(i int) bool { return a[i] > min(0, c*y[i])+tiny })
	return place, depth
}

// fromEnd lowers depth to how many of the rows that may move have derivatives nearer to the first
// of the order, and 1: rows of one derivative share their depth.
func fromEnd(depth, order []int, derivative []float64, moves func(int) bool) {
	count, shared, last := 0, 0, math.NaN()
	for _, i := range order {
		if !moves(i) {
			continue
		}
		count++
		if derivative[i] != last {
			shared, last = count, derivative[i]
		}
		depth[i] = min(depth[i], shared)
	}
}

// overlapping draws two Gaussians in 20 features, two deviations apart.
func overlapping(n int, seed uint64) (matrix.Matrix, []float64) {
	const d = 20
	random := rand.New(rand.NewPCG(seed, experiment.DrawStream))
	m, y := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, 0, n*d)}, make([]float64, n)
	for i := range y {
		y[i] = float64(1 - 2*(i%2))
		m.Value = append(m.Value, float32(random.NormFloat64()+y[i]))
		for range d - 1 {
			m.Value = append(m.Value, float32(random.NormFloat64()))
		}
	}
	return m, y
}

// shrinking measures decomposition with and without shrinking on classes that overlap. Each
// support vector's row of K is computed over all rows at least once, in the rounds or when the
// rows left out come back: where rows are kept in memory, shrinking saves updates alone.
func shrinking(ctx context.Context, r *experiment.Result, opt experiment.Options, progress *experiment.Tally) error {
	n, limit := 10000, 3*time.Minute
	if opt.Quick {
		n, limit = 800, 20*time.Second
	}
	x, y := overlapping(n, opt.Seed+1)
	p, err := experiment.HingeMachine(kernel.RBF{Gamma: 0.05}, x, y, 1, problem.Free, opt.Threads)
	if err != nil {
		return err
	}
	var values, seconds []float64
	for _, spec := range []string{"decomposition:shrinking=off", "decomposition:shrinking=on"} {
		m, err := runTo(ctx, spec, p, 1e-4, limit, opt.Seed)
		if err != nil {
			return err
		}
		progress.Step()
		support, bounded := supportVectors(m.Point.W[:n], 1)
		r.Note("%s: %s, %d support vectors of %d rows, %d at the bound, %.3g kernel values asked for, %.3g s", spec, m.Status, support, n, bounded, m.values, m.seconds)
		values, seconds = append(values, m.Certificate.Primal), append(seconds, m.seconds)
	}
	r.Check("Y6", "one objective with and without shrinking", "to 2e-4 of its size", apart(values) <= 2e-4, "%s", quantity(apart(values)))
	r.Check("Y6", "shrinking saves time", "1.5x", seconds[0] >= 1.5*seconds[1], "%.2fx: %.3g s without, %.3g s with", seconds[0]/seconds[1], seconds[0], seconds[1])
	return ctx.Err()
}

// supportVectors counts the coefficients that are not zero, and those of size c.
func supportVectors(w []float64, c float64) (all, bounded int) {
	for _, v := range w {
		if v != 0 {
			all++
		}
		if math.Abs(v) >= c {
			bounded++
		}
	}
	return all, bounded
}
