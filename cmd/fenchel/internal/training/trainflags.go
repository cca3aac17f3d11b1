package training

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	jointsolver "github.com/fenchel-ml/fenchel/internal/solve/joint"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	networksolver "github.com/fenchel-ml/fenchel/internal/solve/network"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// registerProblem adds the flags that state the problem, and how exactly it is solved.
func (t *Trainer) registerProblem(cmd *cobra.Command) {
	f, s := cmd.Flags(), &t.Spec
	f.StringVar(&s.Task, "task", "", "classification, regression (default: decided by the loss, or the targets) or one-class: outlier detection, which needs --nu and no targets")
	f.StringVar(&s.Loss, "loss", "", "loss, as in \"fenchel list losses\" (default hinge for classes, squared for numbers)")
	f.BoolVar(&s.TargetLog, "target-log", false, "learn the logarithm of the target, which must be above 0; what is predicted is its exponential")
	f.StringVar(&s.Penalty, "penalty", "l2", "penalty, as in \"fenchel list penalties\"")
	f.StringVar(&t.image, "image", "", "rows x columns of pixels that the features are, such as 28x28: penalise the total variation of the weights (--penalty image)")
	f.StringVar(&t.lower, "lower", "", "least value of a weight, 0: no weight is negative (penalties l2, l1, elastic-net)")
	f.Float64Var(&s.Lambda, "lambda", 0, "regularisation, the weight of the penalty: larger lambda makes the weights smaller (default 1/N, N the number of rows or the sum of their weights; losses of numbers but squared: by the scale of the targets)")
	f.Float64Var(&s.C, "C", 0, "regularisation, instead of lambda: larger C fits the training rows harder; C = 1/(lambda N)")
	t.kernel.Register(cmd, s)
	f.StringVar(&t.hidden, "hidden", "", "units of the hidden layers of a feed-forward network, such as 100,50: no certificate exists for one (default: no network)")
	f.StringVar(&s.Activation, "activation", "", "activation of hidden units: relu, tanh or sigmoid (default relu)")
	f.StringVar(&s.Bias, "bias", "", "constant term: free (no penalty), feature (a constant column; feature:value=10: of tens, whose weight the penalty sees less) or none (default free; feature with solvers that have no step for a free one)")
	f.StringVar(&s.Scheme, "scheme", "", "multi-class strategy: one-against-rest or one-against-one (default one-against-rest; joint with the losses softmax and crammer-singer)")
	f.StringVar(&s.Scaling, "scale", "", "scaling of the features: none, max or std (default std for tables: CSV, TSV, ARFF, JSON, Parquet and caches of them; else none, also for NPY and NPZ)")
	f.StringVar(&s.Solver, "solver", "auto", "solver, as in \"fenchel list solvers\"")
	f.IntVar(&s.Partitions, "partitions", 0, "parts of the rows that sdca works on side by side, a core for each (default 1 or 2 by the sizes of the data; changes the result)")
	f.StringVar(&t.classWeight, "class-weight", "", "balanced, or LABEL=WEIGHT,... (\"a,b\"=WEIGHT where a label has a comma): multiplies the weight of the rows of a class")
	f.Float64Var(&s.Gap, "gap", solver.DefaultGap, "relative duality gap to prove")
	f.IntVar(&s.Epochs, "epochs", 0, "stop after this many epochs of the solver (default no limit)")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of everything random")
	f.BoolVar(&s.NoDual, "no-dual", false, "leave the dual variables out of the model: smaller, but verify proves less")
	f.BoolVar(&s.Proved, "proved", false, "bound where the exact optimum is, for predict --proved and evaluate --proved: with a free bias a few more problems are solved")
	f.StringVar(&t.probabilities, "probabilities", "", "calibrate scores for predict --probabilities, as svm-train -b 1: Platt's sigmoid by five folds, or those that judge: a training for each (numbers: the scale of their errors); =isotonic an increasing function, =temperature one number by which scores are divided, =auto the one of the least log loss on folds that it was not fitted to")
	f.Lookup("probabilities").NoOptDefVal = calibration.BySigmoid
	f.StringVar(&t.cost, "cost", "", "LABEL=COST,...: what a row of each of two classes costs that is taken for the other (default 1; \"a,b\"=COST where a label has a comma): chooses the threshold of the score by folds, or those that judge, which are then judged by the mean cost")
	f.StringVar(&t.threshold, "threshold", "", "predict the second of two classes above this probability, or of models without probabilities above this score (default 0.5, or 0)")
	f.BoolVar(&t.verbose, "verbose", false, "report solver, bias, scale and times too")
	option.Complete(cmd, "probabilities", calibration.Calibrators()...)
	option.Complete(cmd, "task", pose.Tasks()...)
	option.Complete(cmd, "loss", slices.Concat(option.Names(loss.Entries()), option.Names(loss.NonconvexEntries()), option.Names(joint.Entries()))...)
	option.Complete(cmd, "penalty", option.Names(penalty.Entries())...)
	option.Complete(cmd, "activation", network.Activations()...)
	option.Complete(cmd, "bias", problem.BiasNames()...)
	option.Complete(cmd, "scheme", pose.Schemes()...)
	option.Complete(cmd, "scale", scaling.Names()...)
	option.Complete(cmd, "solver", slices.Concat(option.Names(linear.Entries()), option.Names(kernelsolver.Entries()), option.Names(jointsolver.Entries()), option.Names(networksolver.Entries()), []string{"auto"})...)
}

// check refuses bad flags before any data are read.
func (t *Trainer) check(cmd *cobra.Command, sources []string) error {
	f := cmd.Flags()
	if f.Changed("time") && t.Spec.Time <= 0 {
		return fmt.Errorf("--time %s: expected a duration > 0, such as 60s", t.Spec.Time)
	}
	return cmp.Or(t.checkJudge(cmd), t.checkProblem(cmd, sources), option.CheckGenerators(t.test), t.checkPaths(sources))
}

// applyImage makes --image the size of the penalty on images.
func (t *Trainer) applyImage(cmd *cobra.Command) error {
	if t.image == "" {
		return nil
	}
	if !cmd.Flags().Changed("penalty") {
		t.Spec.Penalty = "image"
	}
	name, parameters, _ := strings.Cut(t.Spec.Penalty, ":")
	if name != "image" || strings.Contains(parameters, "size=") {
		return fmt.Errorf("--image %s: found the penalty %s, expected image, whose size it is", t.image, t.Spec.Penalty)
	}
	t.Spec.Penalty = strings.TrimSuffix("image:size="+t.image+","+parameters, ",")
	return nil
}

// applyLower takes the penalty of weights that are at least 0 instead of the one that is named.
func (t *Trainer) applyLower() error {
	if t.lower == "" {
		return nil
	}
	if bound, err := strconv.ParseFloat(t.lower, 64); err != nil || bound != 0 {
		return fmt.Errorf("--lower %s: expected 0, the only bound of weights that is known", t.lower)
	}
	p, err := penalty.New(t.Spec.Penalty)
	if err != nil {
		return err
	}
	switch l1, l2, ok := penalty.Coefficients(p); {
	case !ok:
		return fmt.Errorf("--lower 0: found the penalty %s, expected l2, l1 or elastic-net", t.Spec.Penalty)
	case l2 == 0:
		t.Spec.Penalty = "nonnegative-l1"
	default:
		t.Spec.Penalty = fmt.Sprintf("nonnegative:ratio=%v", l1)
	}
	return nil
}

// checkProblem refuses bad flags of those that state the problem and how to read.
func (t *Trainer) checkProblem(cmd *cobra.Command, sources []string) error {
	f := cmd.Flags()
	t.harden(cmd)
	for _, p := range []struct {
		name  string
		value float64
	}{{"lambda", t.Spec.Lambda}, {"C", t.Spec.C}, {"radius", t.Spec.Radius}, {"slack", t.Spec.Slack}, {"nu", t.Spec.Nu}, {"gap", t.Spec.Gap}} {
		if p.name == "lambda" && f.Changed(p.name) && p.value == 0 {
			return errors.New("--lambda 0: expected a number > 0, such as 1e-9 to come close to no penalty: without one no bound can be proved")
		}
		if p.name == "nu" && f.Changed(p.name) && p.value == 0 {
			return errors.New("--nu 0: expected a number > 0; without any row beyond the margin the problem is that of --hard-margin")
		}
		if t.Spec.HardMargin && p.value == 0 && (p.name == "C" || p.name == "slack") {
			continue
		}
		if f.Changed(p.name) && !(p.value > 0 && p.value <= math.MaxFloat64) {
			return fmt.Errorf("--%s %g: expected a number > 0", p.name, p.value)
		}
	}
	if f.Changed("lambda") && f.Changed("C") {
		return fmt.Errorf("--lambda and --C are two names of one number (C = 1/(lambda N)): expected one of them")
	}
	if f.Changed("epochs") && t.Spec.Epochs <= 0 {
		return fmt.Errorf("--epochs %d: expected a number > 0", t.Spec.Epochs)
	}
	if f.Changed("hidden") && t.Spec.Set("hidden", t.hidden) != nil {
		return fmt.Errorf("--hidden %s: expected whole numbers > 0, such as 100,50", printing.Spell(t.hidden))
	}
	t.applyProbabilities()
	if err := cmp.Or(t.kernel.Apply(cmd, &t.Spec), t.applyImage(cmd), t.applyLower(), t.checkThreshold()); err != nil {
		return err
	}
	var err error
	if t.Spec.Notes, err = option.ParseNotes(t.notes); err != nil {
		return err
	}
	if err := t.Spec.Check(); err != nil {
		return err
	}
	t.In.Opt.Unlabelled = t.Spec.Task == pose.OneClass
	return cmp.Or(option.ApplyClassWeights(&t.Spec, t.classWeight), t.In.Check(cmd, sources))
}

// applyProbabilities asks for the probabilities of a calibrator.
func (t *Trainer) applyProbabilities() {
	t.Spec.Probabilities = t.probabilities != ""
	if t.probabilities != calibration.BySigmoid {
		t.Spec.Calibrator = t.probabilities
	}
}

// harden makes the hard margin of an infinite C and of no slack.
func (t *Trainer) harden(cmd *cobra.Command) {
	if f := cmd.Flags(); f.Changed("C") && math.IsInf(t.Spec.C, 1) {
		t.Spec.C, t.Spec.HardMargin = 0, true
	} else if f.Changed("slack") && t.Spec.Slack == 0 {
		t.Spec.HardMargin = true
	}
}

// checkPaths refuses places to write to that do not exist or hold what is read; more are those besides the
// model and the trace, each with its flag.
func (t *Trainer) checkPaths(sources []string, more ...[2]string) error {
	inputs := append(slices.Concat(sources, t.test), t.valid, t.In.Opt.Labels, t.In.Opt.Weights)
	return cmp.Or(paths.CheckOutputs(append([][2]string{{"--output", t.Out}, {"--trace", t.trace}}, more...), inputs), paths.KeepOthers("--output", t.Out, t.force))
}

// checkThreshold reads what decides between two classes.
func (t *Trainer) checkThreshold() (err error) {
	if t.cost != "" && t.threshold != "" {
		return errors.New("--cost and --threshold: expected one of them, as costs choose a threshold")
	}
	if t.cost != "" {
		t.Spec.Costs, err = option.ParseLabelled("cost", t.cost, "a list of LABEL=COST", func(x float64) bool { return x >= 0 && x <= calibration.MostCost }, fmt.Sprintf("LABEL=COST with a cost from 0 to %g", calibration.MostCost))
	}
	if t.threshold != "" {
		x, bad := strconv.ParseFloat(t.threshold, 64)
		if bad != nil || x-x != 0 {
			return fmt.Errorf("--threshold %s: expected a number", printing.Spell(t.threshold))
		}
		t.Spec.Threshold = &x
	}
	return err
}
