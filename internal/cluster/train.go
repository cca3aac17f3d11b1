package cluster

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// Spec says what to train.
type Spec struct {
	Loss, Penalty, Bias string
	Scale               string  // kind of the scaling of the columns, as of package scaling; "": none
	Classes             bool    // are wanted: a loss of numbers is refused
	Lambda, C           float64 // of lambda and C at most one; neither: lambda = 1/n
	Gap                 float64
	Rounds              int // at most; 0: 1000
	Seed                uint64
	Run                 string       // names the memories of this run
	Duals               bool         // are wanted
	Schema              *data.Schema // made the features, of texts by a hash; nil: they are the columns
	Progress            func(Progress)
}

// Progress is how far an output is after a round.
type Progress struct {
	Output, Round int
	Gap           float64             // about
	Certificate   problem.Certificate // proved, where Proved
	Proved        bool
}

// A Result is what was found.
type Result struct {
	Draft   *Draft
	Output  []Solved
	Status  solver.Status
	Rounds  int
	Jobs    int // requests to the cluster
	Summary *Summary
	Digest  string       // of the rows, in any order
	Schema  *data.Schema // as of the Spec
}

// Scaling returns that of the columns of a result; nil: they are as they are.
func (r *Result) Scaling() (*scaling.Scaling, error) { return r.Draft.scaling(r.Summary.Cols) }

// Solved is one output: weights and bias, d+1, and what is proved of them.
type Solved struct {
	W           []float64
	Certificate problem.Certificate
	Duals       [][]float64 // of each partition
}

// Model makes the model of what was found.
func (r *Result) Model() (*model.Model, error) {
	s := r.Summary
	columns, err := r.Scaling()
	if err != nil {
		return nil, err
	}
	m := &model.Model{Statement: r.Draft.Statement, Classes: r.Draft.Classes, Scaling: columns, Schema: r.Schema, Version: pose.Version(),
		Data: model.Data{Rows: s.Rows, Features: s.Cols, Nonzeros: s.Nonzeros, Classes: len(r.Draft.Classes), Columns: pose.Columns(r.Schema), Digest: r.Digest}}
	for _, o := range r.Output {
		c := o.Certificate
		out := model.Output{Weights: o.W[:s.Cols], Bias: o.W[s.Cols], Certificate: model.Certificate{Primal: model.Bound(c.Primal), Dual: model.Bound(c.Dual), Zero: model.Bound(c.Zero), Epochs: r.Rounds,
			Status: string(pose.EndOf(r.Status, problem.Relative(c.Primal, c.Dual, c.Zero), m.Statement.Gap))}}
		for _, part := range o.Duals {
			out.Dual = append(out.Dual, part...)
		}
		m.Outputs = append(m.Outputs, out)
	}
	return m, m.Seal()
}

// MostColumns is up to how many columns Newton's method is used: a partition sends half their square of numbers.
const MostColumns = 2000

// mostAscents is after how many rounds dual ascent gives way to steps in the weights, where the loss is smooth. Most
// of the gap is then where changes of the partitions cancel each other: a partition sees its own part alone, and holds it for stiff.
const mostAscents = 8

// trainer is one run of [Train].
type trainer struct {
	cluster    Cluster
	spec       Spec
	summary    *Summary
	view       *View // how columns are scaled; nil: they are not
	draft      *Draft
	partitions int
	rows       []int // of each partition
	jobs       int
	outputs    []*output
}

// output is one of the problems on its way.
type output struct {
	of             *problem.Whole
	merge          *dual.Merge
	newton         *newton
	total, largest float64 // of the dual variables, at least
	solved         Solved
	proved, done   bool
	smooth         bool // in the weights
	failed, pause  int  // certificates, and rounds until one is worth its time again
}

// Train trains on the rows of a cluster. A cancelled context is no error where something was found.
func Train(ctx context.Context, c Cluster, spec Spec) (*Result, error) {
	if !(min(spec.Lambda, spec.C, spec.Gap) >= 0) || spec.Rounds < 0 || spec.Lambda > 0 && spec.C > 0 {
		return nil, fmt.Errorf("found lambda %g, C %g, the gap %g and %d rounds, expected none below 0, and lambda or C", spec.Lambda, spec.C, spec.Gap, spec.Rounds)
	}
	t := &trainer{cluster: c, spec: spec}
	if t.spec.Gap == 0 {
		t.spec.Gap = solver.DefaultGap
	}
	if t.spec.Rounds == 0 {
		t.spec.Rounds = 1000
	}
	if err := t.describe(ctx); err != nil {
		return nil, err
	}
	if err := t.scale(ctx, spec.Scale); err != nil {
		return nil, err
	}
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	status, rounds, err := t.run(ctx)
	if err != nil {
		return nil, err
	}
	if t.spec.Duals && status != solver.Interrupted {
		if err := t.duals(context.WithoutCancel(ctx), rounds); err != nil {
			return nil, err
		}
	}
	draft := *t.draft
	r := &Result{Draft: &draft, Status: status, Rounds: rounds, Jobs: t.jobs, Summary: t.summary, Digest: t.summary.digest(), Schema: t.spec.Schema}
	for _, o := range t.outputs {
		r.Output = append(r.Output, o.solved)
		if o.newton != nil && t.hessians() == 0 { // it has gone over
			draft.Statement.Solver = "lbfgs"
		}
	}
	return r, nil
}

// ask asks all partitions.
func (t *trainer) ask(ctx context.Context, q *Request) ([]*Answer, error) {
	t.jobs++
	q.Run = t.spec.Run
	answers, err := t.cluster.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if t.partitions == 0 {
		t.partitions = len(answers)
	}
	if len(answers) != t.partitions || t.partitions == 0 {
		return nil, fmt.Errorf("found the answers of %d partitions, expected those of %d", len(answers), t.partitions)
	}
	for k, a := range answers {
		if err := t.check(q, k, a); err != nil {
			return nil, fmt.Errorf("partition %d: %w", k+1, err)
		}
	}
	return answers, nil
}

// check says why an answer is none to a request.
func (t *trainer) check(q *Request, k int, a *Answer) error {
	switch q.Verb {
	case "describe":
		return a.Summary.check()
	case "scores":
		return a.Scored.check()
	}
	if q.View != nil {
		return q.View.checkAnswer(q.Verb, a, t.summary.Cols)
	}
	if len(a.Output) != len(t.draft.N) {
		return fmt.Errorf("found answers of %d predictors, expected %d", len(a.Output), len(t.draft.N))
	}
	for c := range a.Output {
		if q.Verb == "begin" || !q.Work[c].Skip {
			if err := t.checkOutput(q, k, c, &a.Output[c]); err != nil {
				return fmt.Errorf("%s of predictor %d: %w", q.Verb, c+1, err)
			}
		}
	}
	return nil
}

func (t *trainer) checkOutput(q *Request, k, c int, o *Output) error {
	numbers := t.summary.Cols + 1
	if !(o.Total >= 0) || !(o.Largest >= 0) {
		return fmt.Errorf("found dual variables of the sizes %g and %g, expected 0 at least", o.Total, o.Largest)
	}
	switch q.Verb {
	case "begin":
		return vectorOf("values at 0", []float64{o.Zero, o.Conjugate}, 2)
	case "shares":
		return checkShare(o.Share, numbers)
	case "duals":
		return vectorOf("dual variables", o.Duals, t.rows[k])
	case "round", "curve":
		if q.Work[c].Slopes {
			return o.Curve.check(numbers, t.hessians())
		}
		if change := o.Change; !finite(change.Sum, change.Rise) || !(change.Gap >= 0) {
			return fmt.Errorf("found the changes %g, %g and the gap %g, expected finite ones, and 0 at least", change.Sum, change.Rise, change.Gap)
		}
		return vectorOf("changes", o.Change.U, numbers)
	}
	return nil
}

// describe adds up what the partitions have.
func (t *trainer) describe(ctx context.Context) error {
	answers, err := t.ask(ctx, &Request{Verb: "describe", View: t.view})
	if err != nil {
		return err
	}
	t.rows = nil
	all := &Summary{Sparse: true, Numbers: true, Buckets: map[int][]byte{}}
	counts := map[string]float64{}
	for k, a := range answers {
		s := a.Summary
		if k == 0 {
			all.Cols, all.Users, all.Squares = s.Cols, make([]float64, s.Cols+1), make([]float64, s.Cols+1)
		}
		if s.Cols != all.Cols {
			return pose.DataError{Reason: fmt.Sprintf("partition %d: found rows of %d features, expected %d as in partition 1", k+1, s.Cols, all.Cols)}
		}
		for b := range s.Buckets {
			if all.Buckets[b] != nil {
				return fmt.Errorf("partition %d: found rows of the bucket %d, which another partition has too", k+1, b)
			}
		}
		t.rows = append(t.rows, s.Rows)
		all.Rows += s.Rows
		all.Nonzeros += s.Nonzeros
		all.Present += s.Present
		all.Weight += s.Weight
		all.SquaredNorms += s.SquaredNorms
		maps.Copy(all.Buckets, s.Buckets)
		all.Sparse, all.Numbers = all.Sparse && s.Sparse, all.Numbers && s.Numbers
		for j := range s.Users {
			all.Users[j] += s.Users[j]
			all.Squares[j] += s.Squares[j]
		}
		for c, label := range s.Labels {
			counts[label] += s.Counts[c]
		}
	}
	for label, rows := range counts {
		if rows > 0 {
			all.Labels = append(all.Labels, label)
		}
	}
	all.Labels, _ = pose.SortLabels(data.Target{Label: all.Labels, Number: numbersIf(all.Numbers)})
	for _, label := range all.Labels {
		all.Counts = append(all.Counts, counts[label])
	}
	t.summary = all
	return nil
}

// numbersIf is not nil where labels are numbers.
func numbersIf(numbers bool) []float64 {
	if numbers {
		return []float64{}
	}
	return nil
}

// scale measures the columns, and describes the rows anew with the scaling that was asked for: of rows that are all sparse without means, as one machine does.
func (t *trainer) scale(ctx context.Context, kind string) error {
	if kind == "" || kind == "none" {
		return nil
	}
	c, err := t.columns(ctx, nil)
	if err == nil && kind == "std" {
		var about *scaling.Columns
		if about, err = t.columns(ctx, c.Mean()); err == nil {
			c.Squares = about.Squares
		}
	}
	if err != nil {
		return err
	}
	s, err := c.Scaling(kind, !t.summary.Sparse)
	if err != nil {
		return err
	}
	t.view = &View{Offset: s.Offset, Factor: s.Factor}
	return t.describe(ctx)
}

// columns adds up those of the partitions.
func (t *trainer) columns(ctx context.Context, mean []float64) (*scaling.Columns, error) {
	answers, err := t.ask(ctx, &Request{Verb: "columns", View: &View{Offset: mean}})
	if err != nil {
		return nil, err
	}
	parts := make([]*scaling.Columns, len(answers))
	for k, a := range answers {
		parts[k] = a.Columns
	}
	return scaling.Total(parts), nil
}

// begin states the problem, and has the partitions do so.
func (t *trainer) begin(ctx context.Context) error {
	terms, bias, err := t.state()
	if err != nil {
		return err
	}
	s, d := t.summary, t.draft
	byHessian := suitsNewton(terms, s.Cols)
	d.Statement.Solver = map[bool]string{true: "newton", false: "sdca"}[byHessian]
	var users []float64
	if s.Sparse {
		users = s.Users
		d.Group = dual.Groups(users)
	}
	whole := t.whole(terms, bias)
	if !byHessian {
		d.Beta = slices.Repeat([]float64{dual.Beta(whole, s.SquaredNorms/float64(s.Rows))}, d.outputs())
	}
	conjugates, err := t.pose(ctx, whole)
	for c, o := range t.outputs {
		if o.smooth = suitsSlopes(terms); byHessian {
			o.newton = newNewton(o.of, make([]float64, s.Cols+1))
		} else {
			o.merge = dual.NewMerge(o.of, t.partitions, d.Beta[c], 0, conjugates[c], users)
		}
	}
	return err
}

// whole is the problem of an output, but for its value at 0.
func (t *trainer) whole(terms pose.Terms, bias problem.Bias) *problem.Whole {
	norms := make([]float64, t.summary.Cols+1)
	for j, x := range t.summary.Squares {
		norms[j] = math.Sqrt(x) * (1 + 1e-12)
	}
	return problem.NewWhole(t.summary.Weight, terms.Loss, terms.Penalty, t.draft.Statement.Lambda, bias, norms)
}

// pose has the partitions state the problem of each output, and returns the sums of the conjugates at 0.
func (t *trainer) pose(ctx context.Context, whole *problem.Whole) ([]float64, error) {
	d := t.draft
	d.N = slices.Repeat([]float64{t.summary.Weight}, d.outputs())
	answers, err := t.ask(ctx, &Request{Verb: "begin", Draft: d})
	if err != nil {
		return nil, err
	}
	conjugates := make([]float64, d.outputs())
	for c := range conjugates {
		zero := 0.0
		for _, a := range answers {
			zero, conjugates[c] = zero+a.Output[c].Zero, conjugates[c]+a.Output[c].Conjugate
		}
		t.outputs = append(t.outputs, &output{of: whole.WithZero(zero)})
	}
	return conjugates, nil
}

// suitsSlopes reports whether slopes of the losses prove a gap that falls to 0: the loss is curved and smooth, the penalty l2 or elastic-net.
func suitsSlopes(terms pose.Terms) bool {
	_, curved := terms.Loss.(loss.Curved)
	_, elastic := terms.Penalty.(penalty.Elastic)
	return curved && !math.IsInf(terms.Loss.Smoothness(), 1) && elastic
}

// hessians returns how many numbers of Hessians partitions send: 0, or a square.
func (t *trainer) hessians() int {
	if t.draft.Beta != nil {
		return 0
	}
	size := t.outputs[0].newton.size
	return size * size
}

// suitsNewton reports whether partitions can send Hessians besides: columns are few.
func suitsNewton(terms pose.Terms, cols int) bool { return suitsSlopes(terms) && cols <= MostColumns }

// state makes the draft of the problem.
func (t *trainer) state() (terms pose.Terms, bias problem.Bias, err error) {
	s, d := t.summary, &Draft{Run: t.spec.Run}
	t.draft = d
	if t.view != nil {
		d.Scale, d.Offset, d.Factor = t.spec.Scale, t.view.Offset, t.view.Factor
	}
	d.Statement.Loss, d.Statement.Penalty, d.Statement.Bias = t.spec.Loss, t.spec.Penalty, t.spec.Bias
	d.Statement.Gap, d.Statement.Seed = t.spec.Gap, t.spec.Seed
	switch {
	case t.spec.Lambda > 0:
		d.Statement.Lambda = t.spec.Lambda
	case t.spec.C > 0:
		d.Statement.Lambda = 1 / (t.spec.C * s.Weight)
	default:
		d.Statement.Lambda = 1 / s.Weight
	}
	if terms, err = pose.TermsOf(d.Statement, pose.Custom{}); err != nil {
		return terms, bias, err
	}
	bias, constant, err := problem.ParseConstant(d.Statement.Bias)
	if err == nil && constant != 1 {
		err = fmt.Errorf("a cluster knows the biases none, free and feature: found %s", d.Statement.Bias)
	}
	if err != nil {
		return terms, bias, err
	}
	if err := knows(terms.Loss, terms.Penalty); err != nil {
		return terms, bias, err
	}
	_, margin := terms.Loss.(loss.Margin)
	switch {
	case margin && len(s.Labels) == 0:
		err = fmt.Errorf("the loss %s is of classes: found targets that are numbers, expected a loss of numbers, as squared", t.spec.Loss)
	case t.spec.Classes && !margin:
		err = fmt.Errorf("the loss %s is of numbers: found classes, expected a loss of classes, as logistic or hinge", t.spec.Loss)
	case margin && len(s.Labels) < 2:
		err = pose.DataError{Reason: fmt.Sprintf("found the labels %v, expected two classes at least", s.Labels)}
	case margin && len(s.Labels) > mostClasses:
		err = pose.DataError{Reason: fmt.Sprintf("found %d different labels, expected at most %d classes, or numbers and a loss of these", len(s.Labels), mostClasses)}
	case margin:
		d.Classes = s.Labels
	case !s.Numbers:
		err = pose.DataError{Reason: fmt.Sprintf("the targets are not numbers (one is %q): expected numbers for the loss %s", s.Labels[0], t.spec.Loss)}
	}
	return terms, bias, err
}

// run makes rounds until all outputs are proved to the gap.
func (t *trainer) run(ctx context.Context) (solver.Status, int, error) {
	for round := 1; ; round++ {
		whole := round - 1 // rounds
		err := t.round(ctx, round)
		if err == nil {
			whole = round
			err = t.certify(ctx, round, round == t.spec.Rounds)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			return solver.Interrupted, whole, t.interrupted(context.WithoutCancel(ctx), whole, err)
		case err != nil:
			return "", whole, err
		case !slices.ContainsFunc(t.outputs, func(o *output) bool { return !o.done }):
			return solver.Converged, round, nil
		case round == t.spec.Rounds:
			return solver.EpochLimit, round, nil
		}
	}
}

// interrupted proves what the whole rounds have brought; err where that is nothing.
func (t *trainer) interrupted(ctx context.Context, whole int, err error) error {
	if whole > 0 {
		failed := t.certify(ctx, whole, true)
		if failed == nil || !slices.ContainsFunc(t.outputs, func(o *output) bool { return !o.proved }) {
			return nil
		}
	}
	return err
}

// round makes a step of every output that is not done.
func (t *trainer) round(ctx context.Context, round int) error {
	q := &Request{Verb: "round", Round: round, Work: make([]Work, len(t.outputs))}
	if t.draft.Beta == nil {
		q.Verb, q.Round = "curve", 0
	}
	for c, o := range t.outputs {
		if o.smooth && !o.done && o.newton == nil && (o.proved || round > mostAscents) {
			o.newton = newNewton(o.of, slices.Clone(o.merge.Weights()))
		}
		switch {
		case o.done:
			q.Work[c].Skip = true
		case o.newton != nil:
			q.Work[c].W, q.Work[c].Slopes = o.newton.w, true
		default:
			q.Work[c].Round = o.merge.Next()
		}
	}
	answers, err := t.ask(ctx, q)
	if err != nil {
		return err
	}
	for c, o := range t.outputs {
		if o.done {
			continue
		}
		before, after := o.total, 0.0
		for _, a := range answers {
			after += a.Output[c].Total
			o.largest = max(o.largest, a.Output[c].Largest)
		}
		if o.total = after; o.newton != nil {
			o.newton.arrive(answers, c)
		} else {
			o.total = max(before, after) // where a share of the moves stays
			changes := make([]dual.Change, len(answers))
			for k, a := range answers {
				changes[k] = a.Output[c].Change
			}
			o.merge.Join(changes)
		}
		if t.spec.Progress != nil {
			t.spec.Progress(Progress{Output: c, Round: round, Gap: o.about()})
		}
	}
	return nil
}

// memoryOf returns the round that partitions remember after so many: Newton's method has no memory.
func (t *trainer) memoryOf(round int) int {
	if t.draft.Beta == nil {
		return 0
	}
	return round
}

// duals asks for the dual variables of the points that were proved, which are those of the last round.
func (t *trainer) duals(ctx context.Context, round int) error {
	q := &Request{Verb: "duals", Round: t.memoryOf(round), Work: make([]Work, len(t.outputs))}
	for c, o := range t.outputs {
		q.Work[c].W, q.Work[c].Theta = o.solved.W, 1
		if q.Work[c].Slopes = o.newton != nil; !q.Work[c].Slopes {
			q.Work[c].Theta = o.merge.Theta()
		}
	}
	answers, err := t.ask(ctx, q)
	if err != nil {
		return err
	}
	for c, o := range t.outputs {
		for _, a := range answers {
			o.solved.Duals = append(o.solved.Duals, a.Output[c].Duals)
		}
	}
	return nil
}

// due reports whether a certificate is worth a job.
func (o *output) due(gap float64) bool {
	if o.done {
		return false
	}
	o.pause--
	return o.pause <= 0 && o.about() <= gap
}

// about returns about the relative gap.
func (o *output) about() float64 {
	if o.newton == nil {
		return o.merge.Gap()
	}
	return problem.Relative(o.newton.value, o.newton.value-o.newton.drop, o.of.Zero())
}

// certify proves outputs that seem to be good enough, or all of them.
func (t *trainer) certify(ctx context.Context, round int, all bool) error {
	q, some := t.judged(round, all)
	if !some {
		return nil
	}
	shares, err := t.shares(ctx, q)
	if err != nil {
		return err
	}
	for c, o := range t.outputs {
		if q.Work[c].Skip {
			continue
		}
		o.judge(q.Work[c].W, o.of.Certify(q.Work[c].W, shares[c]), t.spec.Gap, round == t.spec.Rounds)
		if t.spec.Progress != nil {
			t.spec.Progress(Progress{Output: c, Round: round, Gap: o.solved.Certificate.Relative(), Certificate: o.solved.Certificate, Proved: true})
		}
	}
	return nil
}

// shares asks for those of the points of a request, of each output those of all partitions.
func (t *trainer) shares(ctx context.Context, q *Request) ([][]*problem.Share, error) {
	if t.outputs[0].of.Risk.Bias == problem.Free {
		if err := t.balance(ctx, q); err != nil {
			return nil, err
		}
	}
	q.Verb = "shares"
	answers, err := t.ask(ctx, q)
	shares := make([][]*problem.Share, len(t.outputs))
	for c := range shares {
		for _, a := range answers {
			shares[c] = append(shares[c], a.Output[c].Share)
		}
	}
	return shares, err
}

// judged returns the request about the points that are to be proved, and whether there are some.
func (t *trainer) judged(round int, all bool) (q *Request, some bool) {
	q = &Request{Verb: "units", Round: t.memoryOf(round), Work: make([]Work, len(t.outputs))}
	for c, o := range t.outputs {
		w := &q.Work[c]
		if w.Skip = !(o.due(t.spec.Gap) || all && !o.done); w.Skip {
			continue
		}
		some = true
		if w.Theta = 1; o.newton != nil && o.newton.at != nil {
			w.W, w.Slopes = slices.Clone(o.newton.at), true
		} else {
			w.Theta, w.W = o.merge.Theta(), slices.Clone(o.merge.Weights())
		}
		if o.total > 0 && !math.IsInf(o.total, 1) {
			w.Units = o.of.Quantum(2*o.total, 2*o.largest)
		}
	}
	return q, some
}

// balance asks for the units of dual variables, and puts into the request to which sums partitions are to bring them.
func (t *trainer) balance(ctx context.Context, q *Request) error {
	answers, err := t.ask(ctx, q)
	if err != nil {
		return err
	}
	for c := range q.Work {
		sums := make([]problem.Target, len(answers))
		for k, a := range answers {
			sums[k] = a.Output[c].Units
		}
		q.Work[c].Target = problem.Balance(sums)
	}
	return nil
}

// judge keeps the better of two points; the last one, whose dual variables are at hand, in any case.
func (o *output) judge(w []float64, c problem.Certificate, gap float64, last bool) {
	if !o.proved || last || c.Relative() < o.solved.Certificate.Relative() {
		o.solved.W, o.solved.Certificate, o.proved = w, c, true
	}
	if o.done = c.Relative() <= gap; !o.done { // the estimate was too good, and may be for long
		o.failed++
		o.pause = o.failed
	}
}
