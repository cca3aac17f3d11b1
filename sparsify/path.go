package sparsify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/reduce"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// judged is what predictions of some rows are compared with.
type judged struct {
	class  []int // places in the model's classes
	number []float64
	weight []float64
}

func judgedOf(m *model.Model, set *data.Set) judged {
	j := judged{weight: pose.OrOnes(set.Weight, set.Rows())}
	switch {
	case m.Classes == nil:
		j.number = set.Target.Number
	case !set.Target.Absent():
		j.class = pose.MatchClasses(m.Classes, set.Target)
	}
	return j
}

// errors returns the share of wrong rows, or the root of the mean squared error; NaN where
// there is nothing to compare with. Predictions are outputs x rows.
func (j judged) errors(m *model.Model, predictions [][]float64, from int) float64 {
	total, wrong := 0.0, 0.0
	scores := make([]float64, len(predictions))
	for i, weight := range j.weight {
		for c := range predictions {
			scores[c] = predictions[c][from+i]
		}
		total += weight
		switch {
		case j.number != nil:
			e := m.Number(scores[0]) - j.number[i]
			wrong += weight * e * e
		case j.class == nil:
			return math.NaN()
		case m.Decide(scores) != j.class[i]:
			wrong += weight
		}
	}
	if j.number != nil {
		return math.Sqrt(wrong / total)
	}
	return wrong / total
}

// judge says how predictions for all rows of the matrix compare. The loss of the full machine
// is that which bounds the slant losses of smaller ones.
func (s *sparsifying) judge(predictions [][]float64, full bool) Step {
	step := Step{Loss: math.NaN(), Test: math.NaN()}
	for c := range s.target.Outputs {
		step.Mean += s.mean(s.targets[c], predictions[c][:s.rows], full) / float64(len(predictions))
	}
	step.Train = s.truth[0].errors(s.model, predictions, 0)
	if s.spec.Test != nil && len(predictions[0]) > s.rows {
		step.Test = s.truth[1].errors(s.model, predictions, s.rows)
	}
	return step
}

// mean is the mean of the slant loss of an output, or of the loss that bounds it.
func (s *sparsifying) mean(y, prediction []float64, full bool) float64 {
	return sparseLoss(s.model, &s.sparse, full)(y, prediction, s.truth[0].weight)
}

// sparseLoss returns the mean of the loss by which package sparsify compares machines: of the
// full one the hinge, or how far numbers are beyond the tube; of smaller ones the same with E
// less to meet, of classes at most 1. Margins are in units of that of the training.
func sparseLoss(m *model.Model, s *model.Sparse, full bool) func(y, prediction, weight []float64) float64 {
	less := s.Accuracy
	if full {
		less = 0
	}
	if m.Classes == nil {
		return func(y, prediction, weight []float64) float64 {
			total, sum := 0.0, 0.0
			for i, p := range prediction {
				total, sum = total+weight[i], sum+float64(weight[i]*max(0, math.Abs(p-y[i])-s.Tube-less))
			}
			return sum / total
		}
	}
	return func(y, prediction, weight []float64) float64 {
		return reduce.Mean(func(margin float64) float64 {
			z := margin / s.Margin
			if m.OneClass() {
				z++ // the boundary is where the machine without offset is 1 unit
			}
			if full {
				return max(0, 1-z)
			}
			return reduce.Slant(z, less/s.Margin)
		}, y, prediction, weight)
	}
}

// choose runs the method, and records what it goes through.
func (s *sparsifying) choose(ctx context.Context, method reduce.Method) (*reduce.Choice, error) {
	s.truth[0] = judgedOf(s.model, s.set)
	if s.spec.Test != nil {
		s.truth[1] = judgedOf(s.model, s.spec.Test)
	}
	s.found.Unit = "error"
	if s.model.Classes == nil {
		s.found.Unit = "RMSE"
	}
	s.found.Full = s.judge(s.full, true)
	s.found.FullVectors = s.model.Support.Len()
	s.measure()
	s.found.Full.Vectors = s.found.FullVectors
	opt := reduce.Options{Support: s.spec.Support, Accuracy: s.found.Accuracy, KeepBias: s.spec.KeepBias || s.model.OneClass(), Seed: s.spec.Seed}
	if s.watches() {
		opt.Visit = s.visit
	}
	if s.spec.ErrorAtMost == nil {
		if !s.spec.NoRefit && s.unfit() == "" {
			opt.Refit = s.spec.Gap
		}
		c, err := method.Choose(ctx, s.target, opt)
		if err == nil && c.Len() == 0 {
			s.found.Empty = s.empty()
		}
		return c, err
	}
	if opt.Support == 0 {
		opt.Support = s.found.FullVectors
	}
	if _, err := method.Choose(ctx, s.target, opt); err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	enough := s.fewest()
	if enough == 0 {
		return nil, fmt.Errorf("error at most %.4g points above that of the model: %d support vectors do not reach it by this method, expected more or another method", 100**s.spec.ErrorAtMost, opt.Support)
	}
	s.found.Path, s.enough, opt.Support = nil, true, enough
	return method.Choose(ctx, s.target, opt)
}

// measure computes the norm of the model, of which the predictions for its support vectors are
// known where these are rows.
func (s *sparsifying) measure() {
	if s.model.Support.Index == nil || s.found.Elsewhere {
		return
	}
	for c, o := range s.model.Outputs {
		for j, i := range s.model.Support.Index {
			s.found.Norm2 += float64(o.Weights[j] * (s.full[c][i] - o.Bias))
		}
	}
	s.found.Kappa = slices.Max(s.gram.Diagonal[:s.rows])
}

// empty says why no vector was chosen.
func (s *sparsifying) empty() string {
	active := 0
	for _, o := range s.target.Outputs {
		active += o.Active()
	}
	if active == 0 {
		return "the model has no row right"
	}
	return fmt.Sprintf("no row is further than %.4g from what the model says of it", s.found.Accuracy)
}

// visit records the choice of one number of vectors.
func (s *sparsifying) visit(c *reduce.Choice, v *reduce.View) error {
	step := s.judge(v.Response, false)
	step.Vectors, step.Loss = c.Len(), c.Loss
	if n := len(s.found.Path); n > 0 && s.found.Path[n-1].Vectors == step.Vectors {
		s.found.Path[n-1] = step
	} else {
		s.found.Path = append(s.found.Path, step)
	}
	if s.spec.ErrorAtMost != nil && !s.enough && s.few(step) {
		return errEnough
	}
	return nil
}

// errEnough ends a path where errors are as few as asked for.
var errEnough = errors.New("few enough errors")

// few reports whether errors are as few as asked for.
func (s *sparsifying) few(step Step) bool {
	errors := func(step Step) float64 {
		if s.spec.Test != nil {
			return step.Test
		}
		return step.Train
	}
	return errors(step) <= errors(s.found.Full)+*s.spec.ErrorAtMost
}

// fewest returns the least number of vectors with errors that are few enough; 0: none.
func (s *sparsifying) fewest() int {
	for _, step := range s.found.Path {
		if s.few(step) {
			return step.Vectors
		}
	}
	return 0
}

// outliers has a machine of one class tell as many of the rows as outliers as the model does:
// by its own offset it would call nearly all so, as predictions are smaller.
func (s *sparsifying) outliers(choice *reduce.Choice) {
	if !s.model.OneClass() || choice.Len() == 0 {
		return
	}
	outside := 0
	for _, p := range s.full[0][:s.rows] {
		if p <= 0 {
			outside++
		}
	}
	predictions := choice.Predictions(s.gram)[0][:s.rows]
	slices.Sort(predictions)
	at := predictions[min(outside, s.rows-1)]
	if outside > 0 {
		at = (at + predictions[outside-1]) / 2
	}
	choice.Bias[0] -= at
}

// risks states the problem of each output, unless it is one with nu, which has no lambda.
func (s *sparsifying) risks() error {
	s.target.Below = math.Inf(-1)
	if s.model.Statement.Nu != 0 || s.model.OneClass() {
		return nil
	}
	if sum := fenchel.Summarise(s.model); !s.model.IsImported() && s.model.Statement.Radius == 0 && !s.found.Elsewhere && !sum.Unproved() {
		s.target.Below = sum.Dual
	}
	for c := range s.model.Outputs {
		p, err := s.problems.Output(c)
		if err != nil {
			return err
		}
		lambda := p.Lambda
		if ball, bounded := p.Problem.(*problem.NormConstrained); bounded {
			lambda = math.NaN()
			if a := s.model.Outputs[c].Dual; a != nil && !s.found.Elsewhere {
				// Where the radius does not bind, one of which norms do not go far beyond it.
				lambda = max(0.01*p.Zero()/(ball.Radius*ball.Radius), ball.ImpliedLambda(p.Restrict(problem.Point{W: s.problems.Family.Weights(s.model, c), A: a})))
			}
		}
		if !(lambda > 0) {
			s.target.Risks = nil
			return nil
		}
		s.target.Risks = append(s.target.Risks, reduce.Risk{Y: p.Y, Weight: p.S, Rows: p.Rows, Loss: p.Loss, Lambda: lambda, Bias: p.Bias})
	}
	return nil
}

// spans reports whether a kernel has images of rows in the span of others.
func spans(k kernel.Kernel) bool {
	nystrom, err := featuremap.NewApproximation("nystrom")
	return err == nil && nystrom.Accepts(k) == nil
}

// unfit says why there can be no refit; "": there can.
func (s *sparsifying) unfit() string {
	switch {
	case s.target.Risks == nil && s.model.Statement.Radius != 0:
		return "the radius has no C of the same optimum, or the model has no dual variables that tell it"
	case s.target.Risks == nil:
		return "a machine with nu has no loss of each row alone"
	case !spans(s.gram.Kernel):
		return "the kernel is not known to be an inner product of rows"
	case !loss.IsConvex(s.problems.Loss):
		return "the loss is not convex"
	}
	return ""
}

// refit gives the vectors the best coefficients for the problem of the model, where there is
// one of lambda.
func (s *sparsifying) refit(ctx context.Context, choice *reduce.Choice) (err error) {
	if s.spec.NoRefit {
		return nil
	}
	if s.found.Why = s.unfit(); s.found.Why == "" && choice.Len() == 0 {
		s.found.Why = "there are no vectors"
	}
	if s.found.Why != "" {
		return nil
	}
	if choice.Fitted == nil {
		x := s.problems.Family.(pose.MachineFamily).Gram.X
		if choice.Fitted, err = choice.Refit(ctx, s.gram.Kernel, x, s.target.Risks, s.spec.Gap, s.spec.Threads); err != nil {
			return err
		}
	}
	sum := reduce.Sum(choice.Fitted)
	s.found.Refit = &sum
	return nil
}

// make makes the model of a choice.
func (s *sparsifying) make(choice *reduce.Choice) error {
	m, full := *s.model, s.model
	m.Facts = nil // they are of the larger one
	order := byRow(choice)
	m.Support = &model.Support{Kernel: full.Support.Kernel, Rows: vectorsOf(s.gram, choice, order)}
	if choice.Vectors == nil && !full.IsImported() {
		for _, at := range order {
			m.Support.Index = append(m.Support.Index, uint32(choice.Rows[at]))
		}
		if m.Support.Index == nil {
			m.Support.Index = []uint32{}
		}
	}
	m.Outputs = slices.Clone(full.Outputs)
	for c := range m.Outputs {
		o := &m.Outputs[c]
		o.Weights, o.Bias = make([]float64, len(order)), choice.Bias[c]
		for k, at := range order {
			o.Weights[k] = choice.Coefficients[c][at]
		}
	}
	if s.found.Elsewhere {
		s.sparse.Elsewhere = full.Data.Digest
		s.move(&m)
	}
	s.sparse.Method, s.sparse.Vectors, s.sparse.Model = s.spec.Method, s.found.FullVectors, s.given.Digest()
	m.Sparse = &s.sparse
	if err := m.Seal(); err != nil {
		return err
	}
	s.found.Model, s.found.Vectors, s.found.Steps, s.found.Counts = &m, choice.Len(), choice.Steps, s.gram.Counts()
	s.found.Tried, s.found.GaveUp = choice.Tried, choice.GaveUp
	if err := s.certify(&m); err != nil {
		return err
	}
	s.compare(&m, choice)
	if s.bounded(choice); s.found.Goal != nil {
		s.sparse.Goal = &model.SparseGoal{Name: s.found.Goal.Name, Value: model.Bound(s.found.Goal.Value), Below: model.Bound(s.found.Goal.Below), Radius: model.Bound(s.found.Goal.Radius)}
	}
	m.Sparse.Loss, m.Sparse.Full = model.Bound(s.found.Small.Mean), model.Bound(s.found.Full.Mean)
	return nil
}

// byRow returns the places of vectors in the order of their rows.
func byRow(c *reduce.Choice) []int {
	order := make([]int, c.Len())
	for k := range order {
		order[k] = k
	}
	if c.Vectors == nil {
		slices.SortFunc(order, func(a, b int) int { return c.Rows[a] - c.Rows[b] })
	}
	return order
}

func vectorsOf(gram *gram.Gram, c *reduce.Choice, order []int) matrix.Matrix {
	if c.Vectors != nil {
		return matrix.Gather(c.Vectors, order)
	}
	rows := make([]uint32, len(order))
	for k, at := range order {
		rows[k] = uint32(c.Rows[at])
	}
	return pose.KeptRows(gram.Kernel, gram.X, rows)
}

// move has the model be about the rows that its vectors are of, where it was trained on others.
func (s *sparsifying) move(m *model.Model) {
	m.Data.Rows, m.Data.Nonzeros, m.Data.Digest = s.set.Rows(), matrix.Nonzeros(s.set.X), s.set.Digest()
	for c := range m.Outputs {
		m.Outputs[c].Dual = nil
		m.Outputs[c].Certificate.Dual = model.Bound(math.NaN())
	}
}

// certify states the objective of the smaller model in the problem of the full one, of which
// the lower bound stays.
func (s *sparsifying) certify(m *model.Model) error {
	if m.IsImported() {
		return nil
	}
	for c := range m.Outputs {
		o := &m.Outputs[c]
		o.Certificate.Status = model.Sparsified
		if m.Support.Index == nil {
			o.Dual = nil
			o.Certificate.Primal, o.Certificate.Dual = model.Bound(math.NaN()), model.Bound(math.NaN())
			continue
		}
		p, err := s.problems.Output(c)
		if err != nil {
			return err
		}
		w := s.problems.Family.Weights(m, c)
		if _, bounded := p.Problem.(*problem.NormConstrained); bounded {
			w = p.Inside(problem.Point{W: w}).W
			o.Weights, o.Bias = pose.Select(w, m.Support.Index), w[len(w)-1]
		}
		found := p.Certify(problem.Point{W: w})
		o.Certificate.Dual -= model.Bound(found.Rounding) // verifying takes that of this point off
		o.Certificate.Primal, o.Certificate.Zero = model.Bound(found.Primal), model.Bound(found.Zero)
	}
	return nil
}

// compare judges the model as it is, refitted or not.
func (s *sparsifying) compare(m *model.Model, choice *reduce.Choice) {
	predictions := s.predictions(m)
	s.found.Small = s.judge(predictions, false)
	s.found.Small.Vectors, s.found.Small.Loss = choice.Len(), math.Inf(-1)
	for c, o := range s.target.Outputs {
		s.found.Small.Loss = max(s.found.Small.Loss, o.Band.Loss(predictions[c][:s.gram.Len()]))
	}
}

// bounded says what the method minimises, and what no machine of any vectors has less of. A bias
// that is fitted again is one that is chosen. The norm is that of the model, or of the small
// machine where that is larger.
func (s *sparsifying) bounded(choice *reduce.Choice) {
	if s.found.Goal = choice.Regression; s.found.Goal != nil || choice.Rows == nil || s.found.Norm2 == 0 {
		return
	}
	free := !s.model.OneClass() && !(s.spec.KeepBias && s.found.Refit == nil)
	goal := &reduce.Objective{Name: "3.1", Value: s.found.Small.Loss, Below: math.Inf(-1), Radius: math.Sqrt(s.found.Norm2)}
	if free {
		goal.Name = "3.6"
	}
	for c := range s.target.Outputs {
		goal.Radius = max(goal.Radius, s.target.Length(choice, c))
	}
	for c := range s.target.Outputs {
		goal.Below = max(goal.Below, s.target.Bound(choice, c, free, goal.Radius))
	}
	if s.found.Goal = goal; math.IsInf(goal.Below, -1) || math.IsInf(goal.Value, -1) {
		s.found.Goal = nil
	}
}

// meanLoss is the mean over outputs of the loss by which m, smaller than another machine, is
// compared with it: of what predicts, which is one of the two.
func meanLoss(predictor, m *model.Model, set *data.Set, full bool, threads int) (float64, error) {
	y, err := pose.Relabel(m, set)
	if err != nil {
		return 0, err
	}
	x, err := predictor.Prepare(set.X)
	if err != nil {
		return 0, err
	}
	scores, weights := model.Scores(predictor, x, threads), pose.OrOnes(set.Weight, set.Rows())
	loss, sum := sparseLoss(m, m.Sparse, full), 0.0
	prediction := make([]float64, len(scores))
	for c := range m.Outputs {
		for i, row := range scores {
			prediction[i] = row[c]
		}
		sum += loss(spread(m, y, c, len(scores)), prediction, weights) / float64(len(m.Outputs))
	}
	return sum, nil
}
