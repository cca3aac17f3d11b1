package thesis

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/reduce"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/water"
	"github.com/fenchel-ml/fenchel/loss"
)

// The figures of Cotter's thesis that explain: losses one above the other, and water in basins.
func init() {
	marginFigure("thesis-fig1.5", "Cotter's thesis, figure 1.5", "a smooth loss between mistakes and the hinge",
		[]marginLoss{{"mistakes", zeroOne, false}, {"psi", psi, true}, {"hinge", hinge, false}})
	marginFigure("thesis-fig3.1", "Cotter's thesis, figure 3.1", "the slant loss, moved by a half, lies below the hinge",
		[]marginLoss{{"slant", slant, false}, {"slant moved by 1/2", moved(slant, 1./2), false}, {"hinge", hinge, false}})
	marginFigure("thesis-fig3.3", "Cotter's thesis, figure 3.3", "a smooth loss between the slant loss and the hinge",
		[]marginLoss{{"slant", slant, false}, {"smooth", reduce.SmoothSlant, true}, {"slant moved by 1/6", moved(slant, 1./6), false}, {"smooth moved by 1/3", moved(reduce.SmoothSlant, 1./3), true}, {"hinge", hinge, false}})
	experiment.Plain("thesis-fig2.1", "Cotter's thesis, figure 2.1", "sorted responses, the level to which the slack fills them, and the best distribution over the rows", figureWater(false))
	experiment.Plain("thesis-fig2.4", "Cotter's thesis, figure 2.4", "the same with a bias: two basins whose levels and numbers of covered rows are equal", figureWater(true))
	experiment.Register("thesis-two-point", "Cotter's thesis, section on the incremental algorithm", "two directions on which incremental PCA ends wrong with probability 5/9; rows=40",
		func(p *registry.Params) (experiment.Experiment, error) {
			return twoPoint{p.Int("rows", 40, 2, 10000)}, p.Err()
		})
}

// A marginLoss is a function of the margin; smooth: its second derivative is at most 4.
type marginLoss struct {
	name   string
	of     func(float64) float64
	smooth bool
}

func zeroOne(z float64) float64 {
	if z <= 0 {
		return 1
	}
	return 0
}

func hinge(z float64) float64 { return loss.Hinge{}.Value(z, 1) }

func slant(z float64) float64 { return reduce.Slant(z, 0.5) }

// psi lies between mistakes and the hinge, at most 5/4.
func psi(z float64) float64 {
	switch {
	case z < -0.5:
		return 1.25
	case z < 0:
		return 1 - z - z*z
	case z < 1:
		return (1 - z) * (1 - z) * (1 + z)
	}
	return 0
}

func moved(of func(float64) float64, by float64) func(float64) float64 {
	return func(z float64) float64 { return of(z - by) }
}

// marginFigure registers a figure of losses, each of which is at most the next; a moved one goes before those it is below.
func marginFigure(name, source, summary string, losses []marginLoss) {
	experiment.Plain(name, source, summary, func(context.Context, experiment.Options) (*experiment.Result, error) {
		r, step := &experiment.Result{}, 1./256
		var z []float64
		for at := -1.5; at <= 2; at += step {
			z = append(z, at)
		}
		for _, l := range losses {
			y := make([]float64, len(z))
			for i, at := range z {
				y[i] = l.of(at)
				r.Points = append(r.Points, experiment.Point{Curve: l.name, XAxis: "margin", X: at, YAxis: "loss", Y: y[i]})
			}
			curvature := 0.0
			for _, at := range z {
				curvature = max(curvature, math.Abs(l.of(at-step)-2*l.of(at)+l.of(at+step))/(step*step))
			}
			if l.smooth {
				r.Check("F4", l.name+" is smooth", "a second derivative of at most 4", curvature <= 4.01, "%.3f", curvature)
			}
		}
		for k := 1; k < len(losses); k++ {
			low, high := losses[k-1], losses[k]
			if high.name == "smooth moved by 1/3" {
				continue // it follows the smooth one, not that moved by 1/6
			}
			if name == "thesis-fig3.1" && k == 1 {
				continue // the slant loss crosses mistakes, and lies below itself moved
			}
			worst := math.Inf(-1)
			for _, at := range z {
				worst = max(worst, low.of(at)-high.of(at))
			}
			r.Check("F4", low.name+" is at most "+high.name, "at every margin", worst <= 1e-12, "at most %.2g above", worst)
		}
		return r, nil
	})
}

// figureWater draws 12 responses of a seed with the water above them.
func figureWater(bias bool) func(context.Context, experiment.Options) (*experiment.Result, error) {
	return func(_ context.Context, opt experiment.Options) (*experiment.Result, error) {
		const n, volume = 12, 3.
		random, c := rand.New(rand.NewPCG(opt.Seed, 21)), make([]float64, n)
		var y []float64
		for i := range c {
			c[i] = random.NormFloat64()
			if bias {
				y = append(y, float64(1-2*(i%2)))
			}
		}
		level, b, share := filled(c, y, volume)
		r := &experiment.Result{}
		r.Note("%d responses, volume n nu = %g; level %.4f, bias %.4f", n, volume, level, b)
		basins, covered := map[string][]int{}, map[string]float64{}
		for i := range c {
			name := "responses"
			if bias {
				name = fmt.Sprintf("class %+g", y[i])
				c[i] += float64(y[i] * b)
			}
			basins[name] = append(basins[name], i)
			covered[name] += share[i]
		}
		poured := 0.0
		for _, name := range slices.Sorted(maps.Keys(basins)) {
			rows := basins[name]
			slices.SortFunc(rows, func(i, j int) int { return int(math.Copysign(1, c[i]-c[j])) })
			for k, i := range rows {
				poured += max(0, level-c[i])
				for _, end := range []float64{float64(k), float64(k + 1)} { // a step for each row
					r.Points = append(r.Points, experiment.Point{Row: "basin", Column: name, Curve: "response", XAxis: "row, sorted", X: end, YAxis: "height", Y: c[i]},
						experiment.Point{Row: "basin", Column: name, Curve: "level", XAxis: "row, sorted", X: end, YAxis: "height", Y: max(level, c[i])},
						experiment.Point{Row: "distribution", Column: name, Curve: "p*", XAxis: "row, sorted", X: end, YAxis: "probability", Y: share[i]})
				}
			}
		}
		r.Check("T12", "the water above the responses is the volume", "to 1e-12", math.Abs(poured-volume) <= 1e-12*volume, "%.12f of %g", poured, volume)
		if bias {
			r.Check("T13", "with a bias both classes have the same share of p*", "equal to 1e-12", math.Abs(covered["class +1"]-covered["class -1"]) <= 1e-12, "%.4f and %.4f", covered["class +1"], covered["class -1"])
		}
		return r, nil
	}
}

// filled returns the level, the bias, and the best distribution over the rows.
func filled(c, y []float64, volume float64) (level, bias float64, share []float64) {
	var filling water.Filling
	level, bias = filling.Fill(c, y, volume)
	share, total := make([]float64, len(c)), 0.0
	filling.Covered(func(row int, part float64) { share[row], total = part, total+part })
	for i := range share {
		share[i] /= total
	}
	return level, bias, share
}

// twoPoint runs the incremental algorithm with one component on rows that are (sqrt 3, 0) with probability 1/3 and
// (0, sqrt 2) else: the second axis has more variance, and is found with probability 4/9.
type twoPoint struct{ rows int }

// Run implements Experiment.
func (e twoPoint) Run(ctx context.Context, opt experiment.Options) (*experiment.Result, error) {
	runs := opt.RunsOr(20000, 2000)
	r := &experiment.Result{}
	field := []experiment.Contender{experiment.Incremental, experiment.ERM}
	wrong := make([][]float64, len(field))
	for k := range wrong {
		wrong[k] = make([]float64, e.rows)
	}
	simulation := experiment.TwoPoint
	progress := &experiment.Tally{Opt: opt, What: "runs", Of: runs}
	for run := range runs {
		course, err := simulation.Course(ctx, 1, e.rows, opt.Seed<<32+uint64(run))
		if err != nil {
			return r, err
		}
		for k, who := range field {
			trace, err := course.Run(ctx, who)
			if err != nil {
				return r, err
			}
			for t := range e.rows {
				if trace.Epsilon(0, t) > 0.1 {
					wrong[k][t] += 1 / float64(runs)
				}
			}
		}
		progress.Step()
	}
	at := make([]float64, e.rows)
	for t := range at {
		at[t] = float64(t + 1)
	}
	for k, who := range field {
		r.Curves(experiment.Point{XAxis: "rows", YAxis: "share of runs that are wrong"}, at, experiment.Named{Name: who.Name, Y: wrong[k]})
	}
	tolerance := max(0.01, 4*math.Sqrt(20./81/float64(runs)))
	last := wrong[0][e.rows-1]
	r.Check("P11", "incremental PCA ends on the wrong axis", fmt.Sprintf("in 5/9 of the runs, within %.3f", tolerance), math.Abs(last-5./9) <= tolerance, "%.4f of %d", last, runs)
	return r, nil
}
