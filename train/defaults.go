package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/metric"
	"github.com/fenchel-ml/fenchel/solver"
	kernelsolver "github.com/fenchel-ml/fenchel/solver/kernel"
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

// checkConvex refuses a loss that is not convex where only convex ones are taken.
func (spec *Spec) checkConvex(t terms) error {
	if loss.IsConvex(t.loss) {
		return nil
	}
	switch {
	case !spec.IsMachine():
		return fmt.Errorf("loss %s is not convex, and only kernel machines have a solver for it: expected a kernel, linear for one, and no map", spec.Loss)
	case t.radius != 0 || t.margin() || t.nu != 0:
		return fmt.Errorf("loss %s with radius=%g, slack=%g, nu=%g: expected lambda or C", spec.Loss, t.radius, t.slack, t.nu)
	}
	return nil
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
		if c = numbers.UsualC(scale, mean); open && c > 0 && c <= math.MaxFloat64 {
			return c
		}
	}
	return cmp.Or(spec.C, 1)
}

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

// UsualC returns the C that Fit takes for the rows of a set where the spec gives neither C nor lambda.
func (spec *Spec) UsualC(set *dataset.Set) float64 {
	l, _ := spec.own().pickLoss(spec.Loss) // errors are for Fit to say
	asked := *spec
	asked.Task = asked.Decide(set.Target)
	y, err := numbersOf(set.Target, spec.TargetLog)
	if err != nil || set.Target.Number == nil {
		return 1
	}
	return asked.scaled(l, y.number, orOnes(set.Weight, set.Rows()))
}
