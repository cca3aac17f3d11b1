package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/calibration"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/model"
)

// PrintThreshold says where the scores of two classes are told apart.
func PrintThreshold(r printing.Report, m *model.Model) {
	t := m.Threshold
	if t == nil {
		return
	}
	words := fmt.Sprintf("%s above the score %.6g", printing.Spell(m.Classes[1]), t.Score)
	if t.Chosen() {
		words += fmt.Sprintf(": of the costs %g of %s and %g of %s the least, %.6g a row, where others predicted", t.Costs[0], printing.Spell(m.Classes[0]), t.Costs[1], printing.Spell(m.Classes[1]), t.Cost)
	}
	r.Line("threshold", "%s", words)
}

// PrintCoverage says of what intervals, or sets of labels, are, and what is proved of them.
func PrintCoverage(r printing.Report, m *model.Model) {
	c := m.Coverage
	if c == nil {
		return
	}
	what := "intervals"
	if m.Classes != nil {
		what = "sets"
	}
	switch c.Method {
	case model.Split:
		r.Line(what, "%g by rows that the model has not learned from: they hold the truth of new rows with at least that probability", c.Level)
	case model.JackknifePlus:
		r.Line(what, "%g by models without one row each (jackknife+): they hold the truth of new rows with a probability of at least %.4g, of about %g as a rule", c.Level, max(0, 2*c.Level-1), c.Level)
	case model.CVPlus:
		r.Line(what, "%g by models of %d folds (CV+): they hold the truth of new rows with a probability of about %g at least, of about %g as a rule", c.Level, len(c.Errors), max(0, 2*c.Level-1), c.Level)
	default:
		r.Line(what, "%g by errors of folds: of about that level as a rule, without a guarantee", c.Level)
	}
	r.Line("", "if rows are drawn alike and independently: of groups, or in order of time, no coverage is guaranteed")
}

// PrintCalibration says where probabilities come from.
func PrintCalibration(r printing.Report, m *model.Model, by string) {
	switch {
	case m.Calibration == nil:
	case m.Classes == nil:
		r.Line("errors", "Laplace distribution, scale %g", m.Calibration.Laplace)
	default:
		losses := m.Calibration.LogLoss
		if way := m.Calibration.Calibrator(); way != "" && (way != calibration.BySigmoid || losses != nil) { // of the sigmoid nothing is said where none was chosen
			by = way + ", " + by
		}
		r.Line("calibrated", "by %s: predict --probabilities", by)
		if losses != nil {
			var words []string
			for _, name := range slices.Sorted(maps.Keys(losses)) {
				words = append(words, fmt.Sprintf("%s %.6g", name, losses[name]))
			}
			r.Line("", "log-loss on folds that it was not fitted to: %s", strings.Join(words, ", "))
		}
	}
}

// LargestOf lists the features with the largest weights; names is nil where they
// have none.
func LargestOf(weights []float64, names []string, top int) string {
	var parts []string
	for _, j := range Largest(weights, top) {
		parts = append(parts, fmt.Sprintf("%s %+.4g", printing.Spell(FeatureName(names, j)), weights[j]))
	}
	return strings.Join(parts, ", ")
}

// PrintNotes prints a line for each note.
func PrintNotes(r printing.Report, notes map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		text := printing.Spell(notes[name])
		if name == SearchNote {
			text = searchWords(notes[name], text)
		}
		r.Line("note", "%s = %s", name, text)
	}
}

// Headline puts an evaluation into one line.
func Headline(e *fenchel.Evaluation) string {
	if e.Outliers != nil && e.Error == nil {
		return fmt.Sprintf("%s of %s are outliers", printing.Percent(*e.Outliers), printing.Count(e.Rows, "row"))
	}
	rows := printing.Count(e.Rows, "row")
	if e.Cost != nil {
		rows += ", mean cost " + Number(e.Cost)
	}
	if e.Error != nil {
		return fmt.Sprintf("error %s, accuracy %s of %s%s", printing.Percent(*e.Error), printing.Percent(*e.Accuracy), rows, trivialWords(e.Trivial, ""))
	}
	if e.Targets != nil {
		rows += fmt.Sprintf(", means over %d targets", len(e.Targets))
	}
	return fmt.Sprintf("RMSE %s, MAE %s, R2 %s%s of %s%s", Number(e.RMSE), Number(e.MAE), Number(e.R2), OwnScore(e.Own, e), rows, trivialWords(e.Trivial, e.Own))
}

// Numbers puts the scores of numbers into one line.
func Numbers(e *fenchel.Evaluation) string {
	return fmt.Sprintf("RMSE %s, MAE %s, R2 %s%s%s", Number(e.RMSE), Number(e.MAE), Number(e.R2), OwnScore(e.Own, e), trivialWords(e.Trivial, e.Own))
}

// OwnScore adds the score of that name to a line of scores, if it is one of ownScores.
func OwnScore(name string, e *fenchel.Evaluation) string {
	if OwnScores[name] == "" {
		return ""
	}
	return fmt.Sprintf(", %s %s", name, Number(e.Measure(name)))
}

// trivialWords are the end of a line of scores: the accuracy of the trivial model, or its RMSE, MAE and own score.
func trivialWords(t *fenchel.Trivial, own string) string {
	switch {
	case t == nil:
		return ""
	case t.Cost != nil:
		return fmt.Sprintf("; %s: accuracy %s, mean cost %s", t.Prediction, printing.Percent(*t.Accuracy), Number(t.Cost))
	case t.Accuracy != nil:
		return fmt.Sprintf("; %s: accuracy %s", t.Prediction, printing.Percent(*t.Accuracy))
	}
	return fmt.Sprintf("; %s: RMSE %s, MAE %s%s", t.Prediction, Number(t.RMSE), Number(t.MAE), OwnScore(own, t.Evaluation))
}

// Number writes a figure that may be undefined.
func Number(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return fmt.Sprintf("%.6g", *x)
}

// ErrorIn writes an error in its unit, a root of mean squares or a share.
func ErrorIn(unit string, x float64) string {
	switch {
	case math.IsNaN(x):
		return "unknown"
	case unit == "RMSE":
		return fmt.Sprintf("%.6g", x)
	}
	return printing.Percent(x)
}

// InDigits writes a number by so many digits.
func InDigits(x float64, digits int) string { return strconv.FormatFloat(x, 'g', digits, 64) }

// FigureOf writes a number of a table that may be undefined.
func FigureOf(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *x)
}

// Within says where the error on new rows may be.
func Within(e *fenchel.Evaluation) string {
	switch {
	case e.Error == nil || e.Within == nil:
		return ""
	case e.Interval != nil:
		return fmt.Sprintf(" (%s to %s with probability %.0f %% for rows that no choice depended on, Clopper and Pearson)", printing.Percent(e.Interval[0]), printing.Percent(e.Interval[1]), 100*metric.Confidence)
	}
	return fmt.Sprintf(" (+- %s with probability %.0f %% for rows that no choice depended on, Hoeffding)", printing.Percent(min(1, *e.Within)), 100*metric.Confidence)
}

// Evaluated says how many values of a kernel were computed, and how many were at hand.
func Evaluated(c gram.Counts) string {
	ahead := ""
	if c.Prefetched > 0 {
		ahead = fmt.Sprintf(" (%s of them before they were needed)", printing.Short(c.Prefetched))
	}
	return fmt.Sprintf("%s values computed%s, cache hits %.0f %%", printing.Short(c.Computed), ahead, math.Floor(100*c.Hits()))
}

// Largest returns the features with the largest weights that are not zero.
func Largest(weights []float64, top int) []int {
	var order []int
	for j, w := range weights {
		if w != 0 {
			order = append(order, j)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(math.Abs(weights[b]), math.Abs(weights[a]))
	})
	return order[:min(max(top, 0), len(order))]
}

// FeatureName is the name of a feature, or its number where there are no names.
func FeatureName(names []string, j int) string {
	if names == nil {
		return strconv.Itoa(j + 1)
	}
	return names[j]
}

// unitOf says what a weight is the change of the score for.
func unitOf(s *data.Scaling, j int) string {
	switch {
	case s == nil || s.Factor[j] == 1 && s.Offset[j] == 0:
		return "original"
	case s.Kind == "std":
		return "per standard deviation"
	case s.Kind == "max":
		return "per largest value"
	}
	return "scaled by " + s.Kind
}

// extremes returns the features with the most positive and those with the most negative
// weights, so many of each.
func extremes(weights []float64, top int) []int {
	var positive, negative []float64
	for _, w := range weights {
		positive, negative = append(positive, max(w, 0)), append(negative, min(w, 0))
	}
	return append(Largest(positive, top), Largest(negative, top)...)
}

// PrintExtremes prints a line for each of the most positive and most negative weights of an
// output, with its unit.
func PrintExtremes(r printing.Report, m *model.Model, o model.Output, top int) {
	for _, j := range extremes(o.Weights, top) {
		r.Line("weight", "%+-11.4g %-22s  %s", o.Weights[j], unitOf(m.Scaling, j), printing.Spell(FeatureName(m.Features, j)))
	}
}

// PrintColumnsOf aligns columns: the last one to the left.
func PrintColumnsOf(w io.Writer, lines [][]string) {
	wide := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, cell := range line {
			wide[k] = max(wide[k], len(cell))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "%10s", line[0])
		for k, cell := range line[1:] {
			if k == len(line)-2 {
				fmt.Fprintf(&b, "  %s", printing.Visible(cell))
			} else {
				fmt.Fprintf(&b, "  %*s", wide[k+1], printing.Visible(cell))
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// SearchNote is the name of the note that has the search.
const SearchNote = "tune"

// searchWords is a line for the note of a search, or otherwise if it is none.
func searchWords(note, otherwise string) string {
	var found struct {
		Of                 int
		Folds, Rule, Score string
		Best               map[string]any
	}
	if json.Unmarshal([]byte(note), &found) != nil || found.Of == 0 || found.Best == nil {
		return otherwise
	}
	var best []string
	for _, key := range slices.Sorted(maps.Keys(found.Best)) {
		if !slices.Contains([]string{"gap", "score", "score_sd", "remark"}, key) {
			best = append(best, fmt.Sprintf("%s=%v", key, found.Best[key]))
		}
	}
	return printing.Spell(fmt.Sprintf("%s on %s, the best %s: %s %.4g, rule %s (info --json has all)",
		printing.Count(found.Of, "candidate"), found.Folds, strings.Join(best, " "), found.Score, found.Best["score"], found.Rule))
}

// OwnScores belong to a loss, and are printed of models by this alone.
var OwnScores = map[string]string{"pinball": "of the quantile", "deviance": "mean Poisson deviance"}
