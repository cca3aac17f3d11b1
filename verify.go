package fenchel

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	rows "github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/region"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// Verification is what recomputing a model's claims gave.
type Verification struct {
	Claimed, Found Summary
	// Rebuilt says that the model holds no dual variables: the lower bound
	// found was built from its predictions, and the one claimed, which may be
	// better, cannot be checked.
	Rebuilt bool
	// Tangent is, for a loss that is not convex, the relative gap to which the convex
	// problem at the point of the worst output is solved: see problem.Kernel.Tangent. Else nil.
	Tangent *float64
	// Gradient is the norm of the gradient at the point of a network, which no bound says anything of; else nil.
	Gradient *float64
	// Slant is the slant loss of a machine that was made from a larger one, and FullLoss the
	// loss of that which bounds it; see package sparsify.
	Slant, FullLoss float64
	FullKnown       bool     // VerifyFull was asked, and found FullLoss
	Problems        []string // what does not hold; empty: everything claimed is true, or unproved
	Unproved        string   // why it could be neither proved nor refuted; "": it could
}

// Verify recomputes primal, dual and gap of every output from the model and the
// rows it was trained on, without any solver. The error is about rows that
// cannot be compared at all, or a problem that cannot be stated: a loss or penalty of the
// program that trained the model has to be given again, as m.CustomLoss or m.CustomPenalty,
// and then m.Seal called; false claims are in the Verification.
func Verify(ctx context.Context, m *model.Model, set *data.Set, opt Options) (*Verification, error) {
	return parallel.Until(ctx, func() (*Verification, error) { return verify(ctx, m, set, opt.Threads) })
}

// OK reports whether everything that the model claims is true.
func (v *Verification) OK() bool { return len(v.Problems) == 0 && v.Unproved == "" }

// verify is Verify without an end before its time.
func verify(ctx context.Context, m *model.Model, set *data.Set, threads int) (*Verification, error) {
	if m == nil {
		return nil, m.Check()
	}
	if m.OnePass != nil {
		return &Verification{Claimed: Summarise(m), Found: Summarise(m), Unproved: OnePassUnproved + "; training all rows with 'init', which begins with this model, proves"}, nil
	}
	if err := pose.CheckSet(set); err != nil {
		return nil, err
	}
	if set.Target.Absent() && !m.OneClass() {
		return nil, fmt.Errorf("the data have no targets: expected the rows that the model was trained on")
	}
	if err := pose.CustomOf(m).Known(m.Statement); err != nil {
		return nil, err
	}
	v := &Verification{Claimed: Summarise(m)}
	if set = v.stored(m, set); set == nil {
		return v, nil
	}
	set, digest, err := named(m, set, threads)
	if err != nil {
		return nil, err
	}
	if digest != m.Data.Digest {
		v.fail("the data differ: found %s, the model was trained on %s", digest, m.Data.Digest)
	}
	unnamed := v.preparation(m, set)
	if m.Sparse != nil && v.sparse(m, set, threads) {
		return v, nil
	}
	if err := CheckStatement(m, set); err != nil {
		v.fail("no training states this problem: %s", err)
		return v, nil
	}
	problems, err := pose.Restate(m, set, threads)
	if err != nil {
		v.fail("%s", err)
		return v, nil
	}
	if err := v.outputs(ctx, m, problems); err != nil {
		v.fail("%s", err)
		return v, nil
	}
	if v.Unproved = cmp.Or(v.Unproved, v.judge(problems, m.Statement.Gap), unnamed, v.calibration(m, set, threads)); len(v.Problems) > 0 {
		v.Unproved = ""
	}
	return v, nil
}

// stored returns the rows in the precision of those of the model; nil: they are others.
func (v *Verification) stored(m *model.Model, set *data.Set) *data.Set {
	if n, d := set.X.Dims(); n != m.Data.Rows || d != m.Data.Features {
		v.fail("the data have %s of %s, the model was trained on %d of %d", registry.Count(n, "row"), registry.Count(d, "feature"), m.Data.Rows, m.Data.Features)
		return nil
	}
	if set = pose.InPrecision(m.Data, set); set == nil {
		v.Found, v.Unproved = v.Claimed, pose.LessPrecise
	}
	return set
}

// named returns the digest of the rows, as the model has it, and the rows in the order of its dual variables: of a model that a
// cluster trained that of the digests of the rows.
func named(m *model.Model, set *data.Set, threads int) (*data.Set, string, error) {
	if !strings.HasPrefix(m.Data.Digest, rows.SortedPrefix) {
		return set, set.Digest(), nil
	}
	sorted, err := set.InOrder(threads)
	return sorted, set.DigestSorted(threads), err
}

// outputs recomputes the certificate of each output.
func (v *Verification) outputs(ctx context.Context, m *model.Model, problems *pose.Problems) error {
	found := *m
	found.Outputs = slices.Clone(m.Outputs)
	facts := make([]*problem.Facts, len(m.Outputs))
	var single *model.Facts
	for c := range problems.Labels.Outputs() {
		p, err := problems.Output(c)
		if err != nil {
			return err
		}
		w := problems.WeightsOf(m, c)
		found.Outputs[c].Dual = problems.Dual(m, c)
		v.predictor(subjectOf(m, c), p, p.Point(w, float64(m.Outputs[c].Certificate.Primal)))
		facts[c] = v.recompute(subjectOf(m, c), &found.Outputs[c], p, w, m.Statement.Gap)
		if m.Support != nil && m.Sparse == nil && len(facts) == 1 {
			single = p.Facts(m, problems.Labels, problem.Point{W: w, A: found.Outputs[c].Dual}, facts[c], true)
		}
		if n, ok := p.Problem.(*problem.Network); ok {
			v.network(m, n, w)
		}
	}
	if m.Sparse == nil && len(facts) > 1 {
		single = pose.FactsOf(m, problems.Labels, facts)
	}
	v.facts(m.Facts, single)
	v.Found = Summarise(&found)
	wrong, beyond, err := region.Check(ctx, m, problems, func(c int) string { return subjectOf(m, c) })
	v.Problems, v.Unproved = append(v.Problems, wrong...), cmp.Or(v.Unproved, beyond)
	return err
}

// preparation compares what the model says of the rows, and how it scales them.
// It returns why names of columns could not be compared.
func (v *Verification) preparation(m *model.Model, set *data.Set) (unnamed string) {
	if m.Sparse != nil && m.Sparse.Elsewhere != "" {
		if m.Scaling != nil || m.Schema != nil {
			unnamed = "the model was made from one of other rows: its scaling and columns are those of these"
		}
		return unnamed
	}
	problems, unnamed := pose.Preparation{Data: m.Data, Features: m.Features, Schema: m.Schema}.Compare(set)
	v.Problems = append(v.Problems, problems...)
	if err := pose.CheckScaling(m, set); err != nil {
		v.fail("%s", err)
	}
	return unnamed
}

func (v *Verification) fail(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// calibration recomputes the marks of one class, and returns why probabilities of another
// calibration are neither proved nor refuted; "" if there are none.
func (v *Verification) calibration(m *model.Model, set *data.Set, threads int) string {
	switch c := m.Calibration; {
	case c == nil && m.Threshold.Chosen():
		return chosen
	case c == nil && m.Coverage != nil:
		return covered
	case c == nil || len(m.Classes) == 1 && !m.OneClass():
		return ""
	case m.OneClass():
		found, err := marksOf(m, set.X, threads)
		if err != nil || !slices.EqualFunc(found, c.Marks, func(a, b float64) bool { return math.Abs(a-b) <= pose.Tolerance*max(1, math.Abs(a)) }) {
			v.fail("the marks between the scores are claimed to be %v, found %v", c.Marks, found)
		}
		return ""
	}
	return uncalibrated
}

// uncalibrated is why a calibration is not proved by verifying, chosen why a threshold is not, covered why intervals are not.
const (
	uncalibrated = "the probabilities rest on a calibration, which was fitted to predictions of models that learned from parts of the rows: these are not trained again without 'refit'"
	covered      = "the intervals or sets rest on errors of models that learned from parts of the rows, or on other rows: these models are not trained again without 'refit'"
	chosen       = "the threshold was chosen by predictions of models that learned from parts of the rows: these are not trained again without 'refit'"
)

// What probabilities may differ by from those of a calibration that was fitted again: below the
// first the claim holds, above the second it is false. Folds are solved to the model's gap alone.
const (
	sameProbability  = 0.02
	otherProbability = 0.1
)

// Refitted compares what folds gave the model m with what they gave again, a second fit of it:
// the largest difference between the probabilities that the two calibrations give any row decides,
// for regression that of the scales, and of thresholds those of the mean costs and the scores.
func (v *Verification) Refitted(m, again *model.Model, set *data.Set, threads int) error {
	x, err := m.Prepare(set.X)
	if err != nil {
		return err
	}
	other, worst, what := *m, 0.0, "calibration"
	if other.Calibration = again.Calibration; m.Threshold.Chosen() {
		what = "threshold, or a mean cost,"
		claimed, found := m.Threshold, again.Threshold
		worst = max(math.Abs(claimed.Cost-found.Cost)/max(claimed.Costs[0], claimed.Costs[1], math.SmallestNonzeroFloat64), math.Abs(claimed.Score-found.Score)/max(1, math.Abs(found.Score)))
	}
	if m.Coverage != nil {
		what = "calibration, threshold or interval"
		other.Coverage = again.Coverage
		worst = max(worst, otherwiseCovered(m, &other, x))
	}
	switch {
	case m.Calibration == nil:
	case m.Classes == nil:
		one, two := m.Calibration.Laplace, again.Calibration.Laplace
		worst = math.Abs(one-two) / max(one, two, math.SmallestNonzeroFloat64)
	default:
		for way, loss := range m.Calibration.LogLoss {
			worst = max(worst, math.Abs(loss-again.Calibration.LogLoss[way]))
		}
		for _, scores := range model.Scores(m, x, threads) {
			expected := other.Probabilities(nil, scores)
			for c, p := range m.Probabilities(nil, scores) {
				worst = max(worst, math.Abs(p-expected[c]))
			}
		}
	}
	switch {
	case v.Unproved != uncalibrated && v.Unproved != chosen && v.Unproved != covered && v.Unproved != "":
	case worst > otherProbability:
		v.fail("the model claims a %s that is off by up to %.2g from that of folds that were trained again", what, worst)
		v.Unproved = ""
	case worst > sameProbability:
		v.Unproved = fmt.Sprintf("the %s is off by up to %.2g from that of folds that were trained again, more than the gap explains", what, worst)
	default:
		v.Unproved = ""
	}
	return nil
}

// otherwiseCovered is by how much the intervals of two models differ, as parts of their width, on any row; of classes by how much the quantiles do, or for which share of the rows the sets do.
func otherwiseCovered(m, again *model.Model, x matrix.Matrix) (worst float64) {
	if again.Coverage == nil || again.Coverage.Method != m.Coverage.Method {
		return math.Inf(1)
	}
	if m.Classes != nil {
		q, scores, other := again.Coverage.Quantile, model.Scores(m, x, 0), 0.0
		for i, s := range scores {
			if !slices.Equal(m.Labels(nil, x.Row(i), s), again.Labels(nil, x.Row(i), s)) {
				other++
			}
		}
		return max(math.Abs(m.Coverage.Quantile-q)/max(1, math.Abs(q)), other/float64(len(scores)))
	}
	for i, scores := range model.Scores(m, x, 0) {
		lo, hi := m.Interval(x.Row(i), scores[0])
		low, high := again.Interval(x.Row(i), scores[0])
		worst = max(worst, max(math.Abs(lo-low), math.Abs(hi-high))/max(high-low, math.SmallestNonzeroFloat64))
	}
	return worst
}

// subjectOf is what messages call an output of a model.
func subjectOf(m *model.Model, c int) string {
	switch {
	case len(m.Outputs) == 1 || m.IsJoint():
		return "the model"
	case m.Statement.Scheme == model.OneAgainstOne:
		i, j := model.Pair(c, len(m.Classes))
		return fmt.Sprintf("the classifier of %q and %q", m.Classes[i], m.Classes[j])
	case m.Statement.Targets != nil:
		return fmt.Sprintf("the predictor of %q", m.OutputName(c, ""))
	}
	return fmt.Sprintf("the classifier of %q", m.Classes[c])
}

// predictor notes where the weights of an output predict otherwise than what the problem
// judges.
func (v *Verification) predictor(subject string, p pose.Objective, w []float64) {
	if i := p.Outside(w); i >= 0 {
		v.fail("%s has a coefficient for row %d, which is of neither of its classes", subject, i+1)
	}
	if b, ok := p.Problem.(problem.Bounded); ok {
		if part := p.Restrict(problem.Point{W: w}).W; !pose.Near(part, b.Inside(part)) {
			v.fail("%s has weights of a norm that is larger than the problem allows", subject)
		}
	}
}

// recompute replaces the certificate of an output, which messages call subject, by
// what is found and notes what of the claim does not hold. It returns what is known of a machine besides.
func (v *Verification) recompute(subject string, o *model.Output, p pose.Objective, w []float64, goal float64) *problem.Facts {
	if !p.Biased() && o.Bias != 0 {
		v.fail("%s has the bias %g, claimed to have none", subject, o.Bias)
	}
	if k, ok := p.Problem.(*problem.Kernel); ok && !loss.IsConvex(k.Loss) {
		worst := k.Tangent(p.Restrict(problem.Point{W: w}).W)
		if v.Tangent != nil {
			worst = max(worst, *v.Tangent)
		}
		v.Tangent = &worst
	}
	claim := o.Certificate
	point := problem.Point{W: p.Point(w, float64(claim.Primal)), A: o.Dual}
	_, network := p.Problem.(*problem.Network) // of which no bound can be rebuilt
	rebuilt := point.A == nil && !network
	if rebuilt {
		v.Rebuilt = loss.IsConvex(p.Loss)
		point.A = p.Derivatives(w)
	}
	found := p.Certify(point)
	o.Certificate.Primal, o.Certificate.Dual, o.Certificate.Zero = model.Bound(found.Primal), model.Bound(found.Dual), model.Bound(found.Zero)
	// The errors of both values may be those of a bound far below the objective.
	alone := func() float64 { return p.Certify(problem.Point{W: point.W}).Rounding }
	verdict := pose.Verdict{Problems: v.Problems, Unproved: v.Unproved}
	verdict.Compare(pose.Claim{Subject: subject, Stated: claim, Found: o.Certificate, Rounding: found.Rounding, Alone: alone, Goal: goal, Rebuilt: rebuilt})
	v.Problems, v.Unproved = verdict.Problems, verdict.Unproved
	return found.Facts
}

// compare notes a claim that is not what was found: see CompareClaim.
func (v *Verification) compare(subject, what string, claim, found model.Bound, slack, rounding float64) {
	problem, unproved := pose.CompareClaim(subject, what, claim, found, slack, rounding)
	if problem != "" {
		v.Problems = append(v.Problems, problem)
	}
	v.Unproved = cmp.Or(unproved, v.Unproved)
}

// judge says why the claims of a model whose numbers are right, as far as they were
// recomputed, are neither proved nor refuted; "" if they are true. What was asked is the
// gap that the model says it was trained to.
func (v *Verification) judge(s *pose.Problems, asked float64) string {
	if reason := s.Unbounded(v.Found.Primal, !v.Found.Unproved()); reason != "" {
		return reason
	}
	if v.Rebuilt {
		return pose.Rebuilt(asked, v.Claimed.Worst, v.Found.Worst)
	}
	return ""
}

// facts compares what a model says of itself besides its proof with what training writes of it.
// A number where training knows none is false; what the model does not say is not proved, nor what
// it may have known by dual variables that it does not hold.
func (v *Verification) facts(claim, found *model.Facts) {
	if claim == nil || found == nil {
		if claim != nil || found != nil {
			v.Unproved = fmt.Sprintf("the model holds facts of its machine: found %t, expected %t, as training writes them", claim != nil, found != nil)
		}
		return
	}
	share := func(p *float64) model.Bound {
		if p == nil {
			return model.Bound(math.NaN())
		}
		return model.Bound(*p)
	}
	for _, c := range []struct {
		what         string
		claim, found model.Bound
	}{
		{"number of support vectors", model.Bound(claim.Support), model.Bound(found.Support)}, {"number of bounded vectors", model.Bound(claim.Bounded), model.Bound(found.Bounded)},
		{"violation", claim.Violation, found.Violation}, {"norm", claim.Norm, found.Norm}, {"sum of losses", claim.Losses, found.Losses}, {"weight of errors", claim.Errors, found.Errors},
		{"bound on steps", claim.Steps, found.Steps}, {"alignment", claim.Alignment, found.Alignment}, {"rows of the alignment", model.Bound(claim.Sample), model.Bound(found.Sample)},
		{"leave-one-out bound", share(claim.LeaveOneOut), share(found.LeaveOneOut)},
		{"lambda", claim.Same.Lambda, found.Same.Lambda}, {"C", claim.Same.C, found.Same.C}, {"radius", claim.Same.Radius, found.Same.Radius}, {"slack", claim.Same.Slack, found.Same.Slack}, {"nu", claim.Same.Nu, found.Same.Nu},
	} {
		claim, found, rounding := float64(c.claim), float64(c.found), 0.0
		if slices.Contains([]string{"violation", "sum of losses", "alignment", "slack"}, c.what) { // sums that may cancel
			rounding = 1e-9
		}
		switch {
		case math.IsNaN(claim) && math.IsNaN(found) || math.Abs(claim-found) <= 1e-6*math.Abs(found)+rounding:
		case math.IsNaN(claim), math.IsNaN(found) && v.Rebuilt:
			v.Unproved = fmt.Sprintf("the model says of itself: %s %.12g, found %.12g, expected the same", c.what, claim, found)
		default:
			v.fail("the model says of itself: %s %.12g, found %.12g", c.what, claim, found)
		}
	}
	if claim.By != found.By {
		v.fail("the model says of itself: leave-one-out bound by %q, found %q", claim.By, found.By)
	}
}

// network compares what the model of a network says of its point w besides the objective.
func (v *Verification) network(m *model.Model, p *problem.Network, w []float64) {
	found := *m
	found.Network = new(*m.Network)
	pose.DescribeNetwork(&found, p, w)
	claim, now := m.Network, found.Network
	v.Gradient = new(float64(now.Gradient))
	scale := pose.Tolerance * max(1, pose.FiniteOr(float64(now.Gradient), 0))
	v.compare("the model", "norm of the gradient", claim.Gradient, now.Gradient, scale, scale)
	v.compare("the model", "number of rows held out", model.Bound(claim.Held), model.Bound(now.Held), 0, 0)
	v.compare("the model", "mean loss of the rows held out", claim.HeldLoss, now.HeldLoss, pose.Tolerance*pose.FiniteOr(float64(now.HeldLoss), 0), 0)
}

// sparse notes what a smaller machine says of its slant loss, and reports whether that is all that
// can be checked.
func (v *Verification) sparse(m *model.Model, set *data.Set, threads int) (done bool) {
	if pose.CheckSparse == nil {
		v.Unproved = "the model was made from a larger machine: expected a program that imports package sparsify, which checks such models"
		return true
	}
	s := pose.CheckSparse(m, set, threads)
	v.Slant, v.Problems, v.Unproved = s.Slant, append(v.Problems, s.Problems...), s.Unproved
	if s.Alone && len(s.Problems) == 0 {
		v.Found = v.Claimed
	}
	return s.Alone
}
