package fenchel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/solver"
)

// adopt fills in the loss and the bias of a solver that does not take the usual ones, where
// none was asked for. A loss that is not convex has one solver, which is then meant. It
// returns why the bias is another than the usual one, "" if it is not.
func (spec *Spec) adopt() (why string) {
	if !spec.IsMachine() || spec.IsJoint() || spec.margin() || spec.Nu != 0 || spec.Radius != 0 {
		return ""
	}
	name := spec.Solver
	if spec.auto() {
		l, err := loss.New(spec.Loss)
		if err != nil || loss.IsConvex(l) {
			return ""
		}
		name = "ramp"
	}
	s, _ := kernelsolver.New(name) // Check knows that there is one
	traits := solver.TraitsOf(s)
	if spec.Loss == "" {
		spec.Loss = traits.Loss
	}
	if spec.Bias != "" || traits.Bias == "" {
		return ""
	}
	spec.Bias = traits.Bias
	return fmt.Sprintf("solver %s has no step for a free one, the default", name)
}

// scaled returns C, by the loss and the targets where neither it nor lambda is given, and makes
// numbers of widths in per cent. A width that was left open is in per cent where C was too.
func (spec *Spec) scaled(l loss.Loss, y, weights []float64) (c float64) {
	numbers, ok := l.(loss.Numeric)
	open := ok && spec.Task == "regression" && spec.C == 0 && spec.Lambda == 0 && spec.Nu == 0 && spec.hasLambda()
	if open {
		spec.Loss = loss.Relative(spec.Loss)
	}
	if scale, mean := 1.0, 1.0; open || loss.Fit(spec.Loss, 1) != spec.Loss {
		if spec.Task == "regression" {
			scale, mean = scaleOf(y, weights)
		}
		spec.Loss = loss.Fit(spec.Loss, scale)
		if c = numbers.UsualC(scale, mean); open && c > 0 && c <= math.MaxFloat64 && !spec.IsNetwork() {
			return c
		}
	}
	if spec.IsNetwork() {
		return cmp.Or(spec.C, 1/(networkLambda*pose.Sum(weights)))
	}
	return cmp.Or(spec.C, 1)
}

// networkLambda is lambda of a network that was given none: early stopping is what keeps it from learning rows by
// heart, and MNIST is told apart best by 1e-5 to 3e-5.
const networkLambda = 1e-5

// scaleOf returns the median distance of numbers to their median, their deviation where that is 0, and 1
// where that is too; and their mean. Four digits are kept: the values are a choice, and are to be read.
func scaleOf(y, weights []float64) (scale, mean float64) {
	mean = meanOf(y, weights)
	at := func(x float64) []float64 { return slices.Repeat([]float64{x}, len(y)) }
	scale = cmp.Or(metric.MedianAbsolute(at(metric.Median(y, weights)), y, weights), metric.RMSE(at(mean), y, weights))
	if !(scale > 0x1p-40*math.Abs(mean) && scale <= math.MaxFloat64) { // rounding alone
		scale = 1
	}
	for _, x := range []*float64{&scale, &mean} {
		*x, _ = strconv.ParseFloat(strconv.FormatFloat(*x, 'g', 4, 64), 64)
	}
	return scale, mean
}

// UsualC returns the C that Train takes for the rows of a set where the spec gives neither C nor lambda.
func (spec *Spec) UsualC(set *data.Set) float64 {
	l, _ := spec.own().PickLoss(spec.Loss) // errors are for Train to say
	asked := *spec
	asked.Task = asked.Decide(set.Target)
	y, err := pose.NumbersOf(set.Target, spec.TargetLog)
	if err != nil || set.Target.Number == nil {
		return 1
	}
	return asked.scaled(l, y.Number, pose.OrOnes(set.Weight, set.Rows()))
}

// bias is the kind that was asked for, or the default.
func (spec *Spec) bias() string {
	switch {
	case spec.Bias != "":
		return spec.Bias
	case spec.Radius != 0 && spec.IsMachine() && !spec.auto() && spec.Solver != "root":
		return "feature"
	}
	return "free"
}

// complete fills in the defaults that do not depend on the targets.
func (spec *Spec) complete(set *data.Set) {
	spec.mark()
	spec.Penalty = cmp.Or(spec.Penalty, "l2")
	spec.Bias = spec.bias()
	if spec.Kernel = pose.CompleteKernel(spec.Kernel, set.Cols()); spec.Map != "" {
		spec.Kernel = gram.Fitted(spec.Kernel, 0) // what is proved is the approximate kernel's
	}
	if spec.Scaling == "" {
		spec.Scaling = spec.plainScaling(set)
		if k, err := kernel.New(strings.ReplaceAll(spec.Kernel, pose.GammaScale, "gamma=1")); set.Schema.Standardised() && (err != nil || !kernel.Selective(k)) {
			spec.Scaling = "std"
		}
	}
	spec.scaleGamma(set)
	if spec.Gap == 0 {
		spec.Gap = solver.DefaultGap
	}
}

// plainScaling is the usual scaling of rows that are no table: none but for networks, whose steps want features of
// one size.
func (spec *Spec) plainScaling(set *data.Set) string {
	n, d := set.X.Dims()
	switch {
	case !spec.IsNetwork():
		return "none"
	case 4*matrix.Nonzeros(set.X) > 3*int64(n)*int64(d):
		return "std"
	}
	return "max"
}

// mark has the names of the program's own begin as they do in models.
func (spec *Spec) mark() {
	for _, part := range []struct {
		name  *string
		given bool
	}{{&spec.Loss, spec.Custom.Loss != nil}, {&spec.Penalty, spec.Custom.Penalty != nil}, {&spec.Solver, spec.Custom.Solver != nil}} {
		if part.given && !strings.HasPrefix(*part.name, model.Foreign) {
			*part.name = model.Foreign + *part.name
		}
	}
}

// kernel makes the kernel for rows of so many features; nil: there is none.
func (spec *Spec) kernel(features int) (kernel.Kernel, error) {
	if spec.Kernel == "" && spec.Custom.Kernel == nil {
		return nil, nil
	}
	k, err := kernel.New(strings.ReplaceAll(pose.CompleteKernel(spec.Kernel, features), pose.GammaScale, "gamma=1"))
	switch {
	case spec.Custom.Kernel == nil:
		return k, err
	case spec.Kernel == "" || err == nil:
		return nil, fmt.Errorf("kernel %q of the program's own: expected a name that no other has", spec.Kernel)
	}
	if spec.Custom.Kernel.Value == nil {
		return nil, fmt.Errorf("kernel %q of the program's own: found no Value, expected a function of two rows", spec.Kernel)
	}
	return *spec.Custom.Kernel, nil
}

// scaleGamma writes out that gamma.
func (spec *Spec) scaleGamma(set *data.Set) {
	if !strings.Contains(spec.Kernel, pose.GammaScale) {
		return
	}
	x, offsets := set.X, set.Schema.Offsets()
	if s, err := scaling.New(spec.Scaling, set); err == nil && s != nil {
		x, offsets = s.Matrix(x), nil
	}
	for j, f := range set.Schema.Factors() {
		if offsets != nil {
			offsets[j] *= f
		}
	}
	n, d := x.Dims()
	weights, row, mean, squares := pose.OrOnes(set.Weight, n), make([]float64, d), 0.0, 0.0
	each := func(do func(weight, v float64)) {
		for i := range n {
			clear(row)
			copy(row, offsets)
			x.Row(i).AddTo(row, 1)
			for _, v := range row {
				do(weights[i], v)
			}
		}
	}
	cells := pose.Sum(weights) * float64(d)
	each(func(w, v float64) { mean += float64(w*v) / cells })
	each(func(w, v float64) { squares += float64(w*(v-mean)) * (v - mean) / cells })
	gamma := 1.0
	if squares > 0 {
		gamma = 1 / (float64(d) * squares)
	}
	spec.Kernel = strings.ReplaceAll(spec.Kernel, pose.GammaScale, "gamma="+strconv.FormatFloat(gamma, 'g', -1, 64))
}

// hasLambda reports whether the problem has a lambda: a bound on the norm or on the slack
// stands in its place, and so does nu except for regression.
func (spec *Spec) hasLambda() bool {
	return spec.Radius == 0 && !spec.margin() && (spec.Nu == 0 || spec.Task == "regression")
}
