package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/penalty"
)

// pathValues is how many values of lambda are tried with folds where the penalty makes weights zero, and
// pathDepth how far below the first of them, for which all are, the last is.
const (
	pathValues = 20
	pathDepth  = 1e-3
)

// Defaults returns what is searched where nothing is asked for, by the loss and the kernel, of what
// the spec leaves open:
//
//	C        1e-4 to 1e4, each ten times the one before, then 0.2, 0.5, 2 and 5 times the best; of kernel machines 2^-3 to 2^9, each four times
//	lambda   instead of C where the penalty makes weights zero: 20 values from the largest that matters
//	gamma    of rbf, poly and sigmoid: seven powers of 4 around one over the mean squared distance of two rows
//	nu       0.05 to 0.5, instead of C for classes
//
// C is a multiple of what train takes where none is given, which for most losses of numbers follows the
// targets. Only the place of the grid of C, gamma and lambda is found in all rows.
func Defaults(ctx context.Context, set *data.Set, spec fenchel.Spec, task string) ([]Axis, error) {
	var axes []Axis
	fixed := spec.C != 0 || spec.Lambda != 0 || spec.Radius != 0 || spec.Slack != 0 || spec.HardMargin
	switch {
	case spec.Nu != 0 && task == "classification":
		axes = append(axes, mustParse("nu=0.05,0.1,0.2,0.3,0.4,0.5")...)
	case fixed:
	case spec.IsMachine():
		axes = append(axes, usualTimes("C=2^-3..2^9", set, spec, task))
	default:
		lambdas, err := sparsePath(ctx, set, spec, task, pathValues, pathDepth)
		if err != nil {
			return nil, err
		}
		if axes = append(axes, usualTimes("C=1e-4..1e4", set, spec, task)); lambdas != nil {
			axes = []Axis{*lambdas}
		}
	}
	if pose.DefaultsGamma(spec.Kernel) {
		gammas, err := gammas(set, spec)
		if err != nil {
			return nil, err
		}
		axes = append(axes, gammas)
	}
	return axes, nil
}

// usualTimes are values of C as multiples of the usual one.
func usualTimes(text string, set *data.Set, spec fenchel.Spec, task string) Axis {
	spec.Task = task
	axis, usual := mustParse(text)[0], spec.UsualC(set)
	for k, v := range axis.Values {
		x, _ := power(v)
		axis.Values[k] = spell(rounded6(usual * x))
	}
	return axis
}

// mostEpochs is how many epochs a problem of a search gets where the spec does not say; 0: as many as it takes.
// A share nu of rows that cannot be separated, and sbp and simba for a bound on the slack, come to an
// accuracy e in 1/e^2 steps or, where the kernel is nearly constant, hardly at all: a candidate is then
// judged by what these epochs give, and its gap says how much that is.
func mostEpochs(spec fenchel.Spec) int {
	switch {
	case spec.Nu != 0:
		return 50
	case spec.Slack != 0 && strings.HasPrefix(spec.Solver, "sbp"):
		return 30
	case spec.Slack != 0:
		return 2000
	}
	return 0
}

func mustParse(text string) []Axis {
	axes, err := ParseAxes(text)
	if err != nil {
		panic(err) // a constant of this package
	}
	return axes
}

// sparsePath returns values of lambda, evenly in the logarithm, from the largest that leaves any
// weight, for penalties that make weights zero; nil: the penalty does not.
func sparsePath(ctx context.Context, set *data.Set, spec fenchel.Spec, task string, values int, depth float64) (*Axis, error) {
	p, err := penalty.New(cmp.Or(spec.Penalty, "l2"))
	if err != nil || spec.Custom.Penalty != nil {
		return nil, err
	}
	if l1, _, _, elastic := penalty.Corners(p); elastic && l1 == 0 || !elastic && !strings.HasPrefix(spec.Penalty, "group") {
		return nil, nil
	}
	spec.Task = task
	largest, err := largestLambda(ctx, set, spec)
	if err != nil {
		return nil, err
	}
	axis := &Axis{Key: "lambda"}
	for k := range values {
		share := math.Pow(depth, float64(k)/float64(values-1))
		axis.Values = append(axis.Values, spell(rounded6(largest*share)))
	}
	return axis, nil
}

// rounded6 keeps six digits: the values are a choice, and are to be read.
func rounded6(x float64) float64 {
	short, ok := power(fmt.Sprintf("%.6g", x))
	if !ok {
		return x
	}
	return short
}

// largestLambda is the smallest lambda for which all weights are 0.
func largestLambda(ctx context.Context, set *data.Set, spec fenchel.Spec) (float64, error) {
	stage, err := fenchel.NewStage(ctx, set, spec)
	if err != nil {
		return 0, err
	}
	all := make([]int, set.Rows())
	for i := range all {
		all[i] = i
	}
	part, err := stage.Part(all, all[:1], fenchel.Resources{Threads: spec.Threads})
	if err != nil {
		return 0, err
	}
	return part.LargestLambda(ctx, spec)
}

// gammas are seven powers of 4 around one over the mean squared distance of two rows, as they
// are scaled.
func gammas(set *data.Set, spec fenchel.Spec) (Axis, error) {
	x := set.X
	kind := spec.Scaling
	if kind == "" && set.Schema.Standardised() {
		kind = "std"
	}
	if kind != "" {
		scaling, err := scaling.New(kind, set)
		if err != nil {
			return Axis{}, err
		}
		if scaling != nil {
			x = scaling.Matrix(x)
		}
	}
	middle := math.Round(math.Log2(1 / max(2*spread(x), 1e-30)))
	axis := Axis{Key: "gamma"}
	for k := -3; k <= 3; k++ {
		axis.Values = append(axis.Values, spell(math.Exp2(middle+float64(2*k))))
	}
	return axis, nil
}

// spread is the mean squared distance of the rows to their mean.
func spread(x matrix.Matrix) float64 {
	n, d := x.Dims()
	sum, squares := make([]float64, d), 0.0
	for i := range n {
		row := x.Row(i)
		row.AddTo(sum, 1/float64(n))
		squares += row.SquaredNorm() / float64(n)
	}
	for _, m := range sum {
		squares -= float64(m * m)
	}
	return squares
}

// lossOf is the loss that a spec means.
func lossOf(spec fenchel.Spec, task string) (loss.Loss, error) {
	if spec.Custom.Loss != nil {
		return spec.Custom.Loss, nil
	}
	usual := map[bool]string{true: "hinge", false: "squared"}[task == "classification"]
	if spec.Nu != 0 && task == "regression" {
		usual = "epsilon-insensitive"
	}
	return loss.New(cmp.Or(spec.Loss, usual))
}
