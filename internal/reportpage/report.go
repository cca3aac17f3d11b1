package reportpage

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/suspect"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// Asked is what a report is about.
type Asked struct {
	Model     *model.Model
	Name      string       // of the model
	Learned   *data.Set    // rows, as a rule those that the model was trained on
	Test      *data.Set    // others, that judge it; nil: none
	Other     *model.Model // to be compared with; nil: none
	OtherName string
	OtherRows *data.Set // the rows that judge, as that model reads them
	Slice     string    // a column, by which errors are told; "": none
	Contents  bool      // of the worst rows are shown
	Trace     []figure.Curve
	Command   string // that made the report
	Threads   int
}

// report is a report on its way.
type report struct {
	Asked
	page    *Page
	judge   *data.Set // rows that judge
	same    bool      // they are those that the model learned from
	x       matrix.Matrix
	scores  [][]float64
	truth   []int // classes; metric.Unknown: another label
	weights []float64
	found   *fenchel.Evaluation
}

// begin judges the rows, of which all sections tell.
func begin(ctx context.Context, q Asked) (r *report, err error) {
	r = &report{Asked: q, page: &Page{Title: "Report of " + q.Name}, judge: cmp.Or(q.Test, q.Learned)}
	m := q.Model
	if m.OneClass() || m.Statement.Targets != nil {
		return nil, pose.DataError{Reason: "found a model of one class, or of several targets, expected one of classes or of one target"}
	}
	if r.found, err = fenchel.Evaluate(ctx, m, r.judge, fenchel.Options{Threads: q.Threads}); err != nil {
		return nil, err
	}
	if r.x, err = m.Prepare(r.judge.X); err != nil {
		return nil, pose.DataError{Reason: err.Error()}
	}
	r.scores, r.weights = model.Scores(m, r.x, q.Threads), pose.OrOnes(r.judge.Weight, r.judge.Rows())
	if m.Classes != nil {
		r.truth = pose.MatchClasses(m.Classes, r.judge.Target)
	}
	return r, nil
}

// Of makes the report of a model.
func Of(ctx context.Context, q Asked) (*Page, error) {
	r, err := begin(ctx, q)
	if err != nil {
		return nil, err
	}
	verified, err := r.verify(ctx)
	if err != nil {
		return nil, err
	}
	m := q.Model
	r.result()
	if err := r.compare(ctx); err != nil {
		return nil, err
	}
	r.proof(verified)
	r.warnings()
	if m.Classes != nil {
		r.classes()
	} else {
		r.numbers(r.page.Section("How far predictions are off"))
	}
	r.features()
	if err := r.slices(); err != nil {
		return nil, err
	}
	r.worst()
	r.ending()
	return r.page, ctx.Err()
}

// verify proves the claims of the model again where the rows are those that it learned from; nil: they are others.
func (r *report) verify(ctx context.Context) (*fenchel.Verification, error) {
	if r.Learned.Rows() != r.Model.Data.Rows || r.Learned.Digest() != r.Model.Data.Digest && r.Learned.DigestSorted(r.Threads) != r.Model.Data.Digest {
		return nil, nil
	}
	r.same = r.Test == nil
	return fenchel.Verify(ctx, r.Model, r.Learned, fenchel.Options{Threads: r.Threads})
}

// result says how good the model is, in a sentence.
func (r *report) result() {
	s, e := r.page.Section("The result"), r.found
	rows := fmt.Sprintf("Of %s", registry.Count(e.Rows, "row"))
	switch {
	case r.same:
		rows += " that it has learned from"
	case r.Test != nil:
		rows += " that are not those it was trained on"
	}
	if e.Error != nil {
		text := fmt.Sprintf("%s the model tells %s right", rows, percent(1-*e.Error))
		if e.Interval != nil && !r.same {
			text += fmt.Sprintf(" (of new rows like these between %s and %s, with a probability of 95 %%)", percent(1-e.Interval[1]), percent(1-e.Interval[0]))
		}
		if t := e.Trivial; t != nil && t.Accuracy != nil {
			text += fmt.Sprintf("; always to say %s would be right in %s", strconv.Quote(strings.TrimPrefix(t.Prediction, "always ")), percent(*t.Accuracy))
		}
		s.Say(text + ".")
	} else {
		text := fmt.Sprintf("%s the prediction is off by %s in the mean (root mean square %s)", rows, number(e.MAE), number(e.RMSE))
		if t := e.Trivial; t != nil && t.MAE != nil {
			text += fmt.Sprintf("; always to predict the same (%s) would be off by %s (%s)", strings.TrimPrefix(t.Prediction, "always "), number(t.MAE), number(t.RMSE))
		}
		s.Say(text + ".")
	}
	if r.same {
		s.Say("These are the rows that the model was made from. Of new rows nothing is known yet: only rows that it has not seen can tell.")
	}
	s.Show("Scores", nil, []string{"score", "value"}, r.scoreRows())
}

// scoreRows lists the scores that there are.
func (r *report) scoreRows() (rows [][]string) {
	e := r.found
	for _, line := range []struct {
		name string
		x    *float64
	}{{"accuracy", e.Accuracy}, {"balanced accuracy", e.Balanced}, {"macro F1", e.MacroF1}, {"area under the ROC curve", e.AUC}, {"average precision", e.AP}, {"log loss", e.LogLoss}, {"Brier score", e.Brier},
		{"mean cost", e.Cost}, {"root mean squared error", e.RMSE}, {"mean absolute error", e.MAE}, {"median absolute error", e.MedianAbsolute}, {"R2", e.R2}, {"pinball loss", e.Pinball}, {"Poisson deviance", e.Deviance}} {
		if line.x != nil {
			rows = append(rows, []string{line.name, number(line.x)})
		}
	}
	return rows
}

// proof says what is proved, for somebody who has not heard of it.
func (r *report) proof(v *fenchel.Verification) {
	s, sum, m := r.page.Section("What is proved"), fenchel.Summarise(r.Model), r.Model
	switch {
	case m.IsImported():
		s.Say("Nothing: the model comes from another program, and says nothing of the problem that was solved.")
	case m.OnePass != nil:
		s.Say("Nothing: the model saw each row once, and no problem was solved. Before it learned from a row it predicted it: the mean loss of these predictions is " + digits(m.OnePass.All.Mean()) + ", with a standard error of " + digits(m.OnePass.All.Error()) + ".")
		return
	case sum.Unproved():
		s.Say("Nothing: for this kind of model no bound is known. The objective reached is " + digits(sum.Primal) + "; how far below it others lie cannot be said.")
	default:
		s.Say(fmt.Sprintf("Training looks for the weights with the smallest objective, a sum of the errors on the training rows and a penalty for large weights. The objective of this model is %s. "+
			"It is proved that no weights whatsoever have one below %s: at most %s of it could be gained by training longer, with another solver or another program.", digits(sum.Primal), digits(sum.Dual), percent(sum.Gap)))
		s.Say("Without such a proof a solver that stopped too early cannot be told from data that have no more to say: a model that seems bad may be one that was not finished. " +
			"The proof says nothing of rows that come: for these the scores above count.")
	}
	switch {
	case v == nil && pose.InPrecision(m.Data, r.Learned) == nil:
		s.Say("The proof was not computed again: " + pose.LessPrecise + ".")
	case v == nil:
		s.Say("The rows of this report are not those that the model was trained on (their digests differ), so the proof was not computed again; \"fenchel verify\" does so with these.")
	case len(v.Problems) > 0:
		s.Say("Computed again from the rows, a claim of the model is FALSE: " + v.Problems[0])
	default:
		s.Say("The proof was computed again from the model and its rows, without any solver, and holds.")
	}
	rows := [][]string{{"loss", m.Statement.Loss}, {"penalty", m.Statement.Penalty}, {"lambda", digits(m.Statement.Lambda)}, {"bias", m.Statement.Bias}, {"solver", m.Statement.Solver}, {"digest of the rows", m.Data.Digest}}
	if m.Statement.Kernel != "" {
		rows = append(rows, []string{"kernel", m.Statement.Kernel})
	}
	s.Show("The problem", nil, []string{"what", "value"}, rows)
}

// warnings lists what speaks against trust.
func (r *report) warnings() {
	s := r.page.Section("Warnings")
	var said []error
	task := map[bool]string{true: "regression", false: "classification"}[r.Model.Classes == nil]
	if labels, err := pose.ReadLabels(r.Learned, pose.Target{Task: task}); err == nil {
		said = append(said, suspect.Find(r.Learned, labels)...)
	}
	said = append(append(said, r.Learned.Warnings...), r.found.Warnings...)
	if r.Test != nil {
		if err := suspect.Duplicates(r.Learned, r.Test); err != nil {
			said = append(said, err)
		}
		said = append(append(said, r.Test.Warnings...), r.shifted()...)
	}
	if c := r.found.Confusion; c != nil {
		total, least, which := 0.0, math.Inf(1), ""
		for k, row := range c.Count {
			n := 0.0
			for _, x := range row {
				n += x
			}
			if total += n; n < least {
				least, which = n, c.True[k]
			}
		}
		if least < 0.05*total {
			said = append(said, fmt.Errorf("the class %q has only %s of the rows: accuracy says little about it, its recall does", which, percent(least/total)))
		}
	}
	seen := map[string]bool{}
	for _, err := range said {
		if text := err.Error(); !seen[text] {
			seen[text] = true
			s.Say(text)
		}
	}
	if len(s.Text) == 0 {
		s.Say("None: no leak, no constant column, no repeated rows, no rare class, no category that training did not see were found.")
	}
}

// shifted warns of features whose mean among the test rows is far from that among the others.
func (r *report) shifted() (said []error) {
	if r.Learned.Cols() != r.Test.Cols() || r.Learned.Cols() > mostBars*50 {
		return nil
	}
	a, b := scaling.NewMoments(r.Learned.X, r.Threads), scaling.NewMoments(r.Test.X, r.Threads)
	n, k := float64(r.Learned.Rows()), float64(r.Test.Rows())
	for j := range a.Mean {
		spread := math.Sqrt(a.Squares[j] / n)
		if moved := math.Abs(a.Mean[j] - b.Mean[j]); moved > spread/2 && moved > 5*spread*math.Sqrt(1/n+1/k) {
			said = append(said, fmt.Errorf("feature %s has moved by %.2g deviations between the rows and the test rows", r.featureName(j), moved/spread))
		}
	}
	return said[:min(len(said), 10)]
}

// ending has the trace, the columns and the commands.
func (r *report) ending() {
	if len(r.Trace) > 0 {
		var rows [][]string
		for _, c := range r.Trace {
			for k := range c.X {
				rows = append(rows, []string{c.Name, digits(c.X[k]), digits(c.Y[k])})
			}
		}
		r.page.Section("How training went").Show("Relative gap by seconds of training", &figure.Figure{Title: "relative gap", X: figure.Axis{Name: "seconds"}, Y: figure.Axis{Name: "gap", Log: true}, Curves: r.Trace}, []string{"run", "seconds", "gap"}, rows)
	}
	if schema := r.Model.Schema; schema.Table() {
		var rows [][]string
		for i, c := range schema.Columns {
			rows = append(rows, []string{c.Name, roleOf(schema, i), detailOf(c)})
		}
		r.page.Section("Columns").Show("What was made of each column", nil, []string{"column", "read as", "detail"}, rows)
	}
	s := r.page.Section("Again")
	s.Say("This report: " + r.Command)
	s.Say(fmt.Sprintf("The proof: fenchel verify %s DATA, with the training rows as DATA. Program version %s trained the model.", r.Name, r.Model.Version))
}

// roleOf says what a column of a table was read as.
func roleOf(s *data.Schema, i int) string {
	c := s.Columns[i]
	switch {
	case s.Predicts(i):
		return "target"
	case s.Answers(i):
		return "weights of rows"
	case c.Why != "":
		return "ignored (" + c.Why + ")"
	case c.Text != nil || c.Size > 0:
		return c.Many()
	case c.Category != nil:
		return fault.Plural(len(c.Category), "category", "categories")
	}
	return cmp.Or(string(c.Kind), "number")
}

// detailOf says more of a column.
func detailOf(c data.Column) string {
	switch {
	case c.Category != nil:
		const most = 8
		text := ""
		for i, word := range c.Category[:min(most, len(c.Category))] {
			text += map[bool]string{true: ", "}[i > 0] + word
		}
		return text + map[bool]string{true: ", ..."}[len(c.Category) > most]
	case c.Why == "" && c.Kind == "":
		return "missing ones become " + digits(c.Fill+c.Offset)
	}
	return ""
}

// featureName names a feature.
func (r *report) featureName(j int) string {
	if names := r.Model.Features; j < len(names) {
		return names[j]
	}
	return "feature " + strconv.Itoa(j+1)
}

// percent writes a share.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + " %" }

// number writes a score.
func number(x *float64) string {
	if x == nil {
		return ""
	}
	return digits(*x)
}

// digits writes a number.
func digits(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// orderOf sorts the numbers from 0 by a key.
func orderOf(n int, key func(i int) float64) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	return order
}
