package training

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/tune"
)

// What tune reports: a table of candidates, a map of two parameters or a curve of one.

// mostRows is how many candidates the table has at most: the best of more.
const mostRows = 24

// printSearch tells a person what came out.
func (t *Tuner) printSearch(r printing.Report, out *result.Tuning, sources []string) {
	found, m := t.Found, t.Result.Model
	r.Line("data", "%s: %s", strings.Join(sources, " "), printing.Sizes(m.Data.Rows, m.Data.Features, m.Data.Nonzeros))
	report.PrintTask(r, m)
	r.Line("search", "%s, %s, score %s (%s)", printing.Count(len(found.Candidates), "candidate"), t.splits(), found.Score.Name, found.Score.Summary)
	if found.ScoreWhy != "" {
		r.Line("score", "%s, %s (another: --score)", found.Score.Name, found.ScoreWhy)
	}
	if found.Shared != "" {
		r.Line("shared", "%s", found.Shared)
	}
	if found.FittedAll != nil {
		r.Line("fitted", "%s: to all rows, those left out among them", strings.Join(found.FittedAll, ", "))
	}
	if found.Stopped != "" {
		r.Line("stopped", "%s: %d of %d candidates were judged on all folds", found.Stopped, t.complete(), len(found.Candidates))
	}
	t.printTable(r.W)
	t.printMap(r.W)
	t.printBest(r)
	report.PrintProblem(r, m, t.Result.C, t.verbose)
	t.printMeans(r)
	report.PrintProof(r, m, t.Result.Summary, string(t.Result.Status), t.Result.Unproved)
	report.PrintSize(r, m)
	report.PrintCalibration(r, m, out.CalibratedBy)
	report.PrintThreshold(r, m)
	if t.verbose {
		r.Line("time", "read %s, search %s, train %s, total %s", printing.Seconds(t.Read), printing.Seconds(t.sought), printing.Seconds(t.Fitted), printing.Seconds(t.Total))
	}
	t.printModel(r)
}

// printBest says which candidate is the best, and how good it is.
func (t *Tuner) printBest(r printing.Report) {
	found, m := t.Found, t.Result.Model
	best := found.Candidates[found.Best]
	r.Line("best", "%s: %s %s%s, rule %s%s", cmp.Or(best.String(), "the only candidate"), found.Score.Name, scoreText(best.Mean), deviation(best.SD), found.Rule, trivialOnFolds(found))
	if c := t.bound; c != nil {
		sure := "it may be up to here"
		if c.Reached() {
			sure = "proved"
		}
		r.Line(map[bool]string{true: "proved", false: "bound"}[c.Reached()], "no C from %.6g to %.6g has an error below %.6g, %.3g less than the best found (asked for %g): %s, by %s; a grid as fine as the closest of these has %d", c.From, c.To, c.Least, c.Error-c.Least, c.Within, sure, printing.Count(c.Fits, "solution"), c.Grid)
	}
	if s := best.Span; s != nil {
		r.Line("left out", "error %s by the span rule: exact for %d of %s, an estimate where others begin or cease to be support vectors (at most %s)",
			printing.Percent(best.Mean), m.Data.Rows-s.Unchecked, printing.Count(m.Data.Rows, "row"), printing.Percent(float64(s.AtMost)/float64(m.Data.Rows)))
	}
	if t.nested != nil {
		r.Line("nested", "%s %s%s on %d folds around the search: what to expect of its result on new rows", found.Score.Name, scoreText(t.nested.Mean), deviation(t.nested.SD), len(t.nested.Scores))
	}
}

// splits says how the rows were split.
func (t *Tuner) splits() string {
	f := t.spec.Folds
	switch {
	case t.valid != "":
		return "judged by " + t.valid
	case t.spec.Path:
		return "no row held out"
	case f.K == tune.LeaveOneOut:
		return "each row left out"
	case f.Group:
		return fmt.Sprintf("%d folds of groups by %s", f.K, printing.Spell(t.group))
	case f.Time:
		return fmt.Sprintf("%d folds in order of %s", f.K, printing.Spell(t.order))
	case f.Repeats > 1:
		return fmt.Sprintf("%d folds %d times", f.K, f.Repeats)
	}
	return fmt.Sprintf("%d folds", f.K)
}

// complete counts the candidates that were judged on all folds.
func (t *Tuner) complete() (n int) {
	for k := range t.Found.Candidates {
		if t.Found.Candidates[k].Complete() {
			n++
		}
	}
	return n
}

// ranked returns the numbers of all candidates in order, or of more than most the best ones, so many.
func (t *Tuner) ranked(most, best int) []int {
	order := make([]int, len(t.Found.Candidates))
	for k := range order {
		order[k] = k
	}
	if len(order) <= most {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.rank(a), t.rank(b)) })
	return order[:best]
}

// rank is small for good candidates.
func (t *Tuner) rank(k int) float64 {
	c := &t.Found.Candidates[k]
	switch {
	case !c.Complete():
		return math.Inf(1)
	case t.Found.Score.Lower:
		return c.Mean
	}
	return -c.Mean
}

// printTable writes a line for each candidate.
func (t *Tuner) printTable(w io.Writer) {
	varied := t.Found.Varied()
	lines := [][]string{{""}}
	for _, a := range varied {
		lines[0] = append(lines[0], a.Key)
	}
	lines[0] = append(lines[0], t.Found.Score.Name, "deviation", "gap", "seconds", "")
	order := t.ranked(mostRows, mostRows/2)
	for _, k := range order {
		c := &t.Found.Candidates[k]
		mark := ""
		if k == t.Found.Best {
			mark = "*"
		}
		line := []string{mark}
		for _, a := range varied {
			line = append(line, settingOf(c, a.Key))
		}
		lines = append(lines, append(line, scoreText(c.Mean), scoreText(c.SD), fmt.Sprintf("%.1e", c.Gap), fmt.Sprintf("%.3f", c.Seconds), remark(c)))
	}
	report.PrintColumnsOf(w, lines)
	if n := len(t.Found.Candidates) - len(order); n > 0 {
		fmt.Fprintf(w, "%12s\n", fmt.Sprintf("and %d more, in the model's note and in --json", n))
	}
}

// remark says why a candidate has no score, or not of all rows.
func remark(c *tune.Trial) string {
	switch {
	case c.Reason != "":
		return c.Reason
	case c.Rows > 0:
		return fmt.Sprintf("dropped on samples of %s", printing.Count(c.Rows, "row"))
	case math.IsNaN(c.Mean):
		return "not reached"
	case c.Status != "converged":
		return c.Status
	}
	return ""
}

func settingOf(c *tune.Trial, key string) string {
	for _, s := range c.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// heat is the map of the scores over the two parameters that vary; nil: there are not two of numbers.
func (t *Tuner) heat() *figure.Heat {
	if maps := t.maps(); len(t.Found.Varied()) == 2 {
		return maps.Maps[0]
	}
	return nil
}

// maps are those of two parameters, one for each choice of the others; nil: fewer than two were varied. The two are those with the most values.
func (t *Tuner) maps() *figure.Multiples {
	varied := t.Found.Varied()
	if len(varied) < 2 {
		return nil
	}
	if len(varied) > 2 {
		slices.SortStableFunc(varied, func(a, b tune.Axis) int { return cmp.Compare(len(b.Values), len(a.Values)) })
	}
	x, y, others := varied[0], varied[1], varied[2:]
	all := &figure.Multiples{Title: fmt.Sprintf("%s on %d folds", t.Found.Score.Name, t.Found.Folds)}
	of := map[string]*figure.Heat{}
	for k := range t.Found.Candidates {
		c := &t.Found.Candidates[k]
		var words []string
		for _, a := range others {
			words = append(words, cmp.Or(settingWords(c, a.Key), a.Key+" unset"))
		}
		name := strings.Join(words, ", ")
		h := of[name]
		if h == nil {
			h = &figure.Heat{Title: cmp.Or(name, all.Title), X: x.Key, Y: y.Key, Across: x.Values, Up: y.Values, Lower: t.Found.Score.Lower, Written: scoreText, MarkX: -1}
			for range y.Values {
				h.Values = append(h.Values, slices.Repeat([]float64{math.NaN()}, len(x.Values)))
			}
			of[name], all.Maps = h, append(all.Maps, h)
		}
		i, j := slices.Index(x.Values, settingOf(c, x.Key)), slices.Index(y.Values, settingOf(c, y.Key))
		if i < 0 || j < 0 { // a candidate without one of the two
			continue
		}
		if c.Rows == 0 {
			h.Values[j][i] = c.Mean
		}
		if k == t.Found.Best {
			h.MarkX, h.MarkY = i, j
		}
	}
	return all
}

// settingWords writes a setting of a candidate; "": it has none of that name.
func settingWords(c *tune.Trial, key string) string {
	if value := settingOf(c, key); value != "" {
		return key + " = " + value
	}
	return ""
}

// printMap writes the map of two parameters, or the curve of one, for a terminal.
func (t *Tuner) printMap(w io.Writer) {
	if h := t.heat(); h != nil && len(h.Across) <= 12 {
		lines := [][]string{{h.Y + " \\ " + h.X}}
		lines[0] = append(append(lines[0], h.Across...), "")
		for y := len(h.Up) - 1; y >= 0; y-- {
			line := []string{h.Up[y]}
			for x, v := range h.Values[y] {
				text := scoreText(v)
				if x == h.MarkX && y == h.MarkY {
					text = "[" + text + "]"
				}
				line = append(line, text)
			}
			lines = append(lines, append(line, ""))
		}
		fmt.Fprintln(w)
		report.PrintColumnsOf(w, lines)
		fmt.Fprintln(w)
		return
	}
	varied := t.Found.Varied()
	if len(varied) != 1 || len(varied[0].Values) > mostRows {
		return
	}
	shade := (&figure.Heat{Values: [][]float64{t.means()}, Lower: t.Found.Score.Lower})
	lines := [][]string{{varied[0].Key, t.Found.Score.Name, ""}}
	for k, v := range shade.Values[0] {
		if v-v == 0 {
			lines = append(lines, []string{settingOf(&t.Found.Candidates[k], varied[0].Key), scoreText(v), strings.Repeat("#", 1+int(math.Round(39*shade.Share(v))))})
		}
	}
	fmt.Fprintln(w)
	report.PrintColumnsOf(w, lines)
	fmt.Fprintln(w)
}

// means are those of all candidates.
func (t *Tuner) means() []float64 {
	means := make([]float64, len(t.Found.Candidates))
	for k := range means {
		if means[k] = math.NaN(); t.Found.Candidates[k].Complete() {
			means[k] = t.Found.Candidates[k].Mean
		}
	}
	return means
}

// draw draws the maps, or else the scores of all candidates in order.
func (t *Tuner) draw(w io.Writer) error {
	if t.bound != nil {
		return t.drawBound(w)
	}
	if maps := t.maps(); maps != nil {
		return maps.WriteSVG(w)
	}
	varied := t.Found.Varied()
	f := figure.Figure{Title: fmt.Sprintf("%s on %d folds", t.Found.Score.Name, t.Found.Folds), X: figure.Axis{Name: "candidate"}, Y: figure.Axis{Name: t.Found.Score.Name}}
	var at []float64
	if len(varied) == 1 {
		if at = varied[0].Numbers(); at != nil {
			f.X = figure.Axis{Name: varied[0].Key, Log: !slices.ContainsFunc(at, func(x float64) bool { return x <= 0 })}
		}
	}
	means := t.means()
	above, under := slices.Clone(means), slices.Clone(means)
	for k := range means {
		above[k] += t.Found.Candidates[k].SD
		under[k] -= t.Found.Candidates[k].SD
		if len(at) <= k {
			at = append(at, float64(k+1))
		}
	}
	f.Curves = []figure.Curve{{Name: "mean", X: at, Y: means}, {Name: "+ deviation", X: at, Y: above, Dashed: true, Style: 5}, {Name: "- deviation", X: at, Y: under, Dashed: true, Style: 5}}
	return f.WriteSVG(w)
}

// drawBound draws the errors of the candidates, and the bound below those of every C.
func (t *Tuner) drawBound(w io.Writer) error {
	found, bound := figure.Curve{Name: "error of models"}, figure.Curve{Name: "no optimum is below"}
	for k := range t.Found.Candidates {
		if c := &t.Found.Candidates[k]; c.Complete() {
			found.X, found.Y = append(found.X, c.Spec.C), append(found.Y, 1-c.Mean)
		}
	}
	for _, s := range t.bound.Steps {
		bound.X, bound.Y = append(bound.X, s.From, s.To), append(bound.Y, s.Error, s.Error)
	}
	f := figure.Figure{Title: fmt.Sprintf("error on %d folds", t.Found.Folds), X: figure.Axis{Name: "C", Log: true}, Y: figure.Axis{Name: "error"}, Curves: []figure.Curve{found, bound}}
	return f.WriteSVG(w)
}

// candidate is what JSON says of one; with times only where these are wanted.
func candidate(c *tune.Trial, times bool) result.Candidate {
	out := result.Candidate{"score": model.Bound(c.Mean), "score_sd": model.Bound(c.SD), "gap": model.Bound(c.Gap)}
	for _, s := range c.Settings {
		out[s.Key] = s.Value
		var x float64
		if _, err := fmt.Sscan(s.Value, &x); err == nil && scoreable(s.Value) {
			out[s.Key] = x
		}
	}
	if s := c.Span; s != nil {
		out["unchecked"], out["wrong_at_most"] = s.Unchecked, s.AtMost
	}
	if times {
		out["seconds"], out["folds"] = c.Seconds, result.Numbers(c.Scores)
	}
	if word := remark(c); word != "" {
		out["remark"] = word
	}
	return out
}

// scoreable reports whether a text is a number and nothing else.
func scoreable(text string) bool { return json.Valid([]byte(text)) }

// report is what is said of the search and its model.
func (t *Tuner) report() *result.Tuning {
	found, m := t.Found, t.Result.Model
	out := &result.Tuning{Fit: result.FitOf(t.Result, t.Out), Bounds: result.Summed(t.Result.Summary), Best: candidate(&found.Candidates[found.Best], true), Index: found.Best, FittedToAll: found.FittedAll, Folds: found.Folds,
		Kernel: m.Statement.Kernel, Computed: found.Computed, Lower: found.Score.Lower, Rule: found.Rule, Score: found.Score.Name, ScoreWhy: found.ScoreWhy, Stopped: result.OrNull(found.Stopped), Threshold: m.Threshold, Trivial: result.TrivialOf(found), ErrorBound: t.bound}
	for k := range found.Candidates {
		out.Candidates = append(out.Candidates, candidate(&found.Candidates[k], true))
	}
	out.CalibratedBy = t.calibratedBy()
	out.Seconds = map[string]float64{"read": t.Read.Seconds(), "search": t.sought.Seconds(), "train": t.Fitted.Seconds(), "total": t.Total.Seconds()}
	if t.nested != nil {
		out.Nested = &result.Nested{Folds: result.Numbers(t.nested.Scores), Score: model.Bound(t.nested.Mean), SD: model.Bound(t.nested.SD)}
	}
	return out
}

// trivialOnFolds are the mean score of the trivial model on the folds and what it predicts, in brackets.
func trivialOnFolds(found *tune.Result) string {
	if math.IsNaN(found.Trivial.Mean) {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", found.Trivial.Prediction, scoreText(found.Trivial.Mean))
}

// warnOfFolds warns where a candidate is no better than the trivial model.
func warnOfFolds(cmd *cobra.Command, found *tune.Result, c *tune.Trial) {
	if !found.Beaten(c) {
		printing.Warn(cmd, []error{fmt.Errorf("%s %s is no better than %s of the trivial model (%s)", found.Score.Name, scoreText(c.Mean), scoreText(found.Trivial.Mean), found.Trivial.Prediction)})
	}
}

// scoreText writes a score in digits that can be told apart.
func scoreText(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.4g", x)
}

func deviation(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf(" (deviation %.2g)", x)
}

// reportPath prints the path.
func (t *Tuner) reportPath(cmd *cobra.Command, started time.Time) error {
	t.Total = time.Since(started)
	t.shown.Done()
	said := printing.Print(cmd, t.JSON, t.solutions(), func(r printing.Report) {
		r.Line("data", "%s", printing.Describe(t.Set))
		r.Line("path", "%s on all rows, each begun at the one before", printing.Count(len(t.Found.Candidates), "solution"))
		t.printPath(r)
		r.Line("time", "read %s, path %s, total %s", printing.Seconds(t.Read), printing.Seconds(t.sought), printing.Seconds(t.Total))
	})
	return cmp.Or(said, t.stopped())
}

// printPath writes a line for each solution.
func (t *Tuner) printPath(r printing.Report) {
	lines := [][]string{{"lambda"}}
	varied := t.Found.Varied()
	for _, a := range varied {
		if a.Key != "lambda" {
			lines[0] = append(lines[0], a.Key)
		}
	}
	lines[0] = append(lines[0], "nonzeros", "objective", "gap", "epochs", "seconds", "")
	for k := range t.Found.Candidates {
		c := &t.Found.Candidates[k]
		line := []string{fmt.Sprintf("%.6g", c.Lambda)}
		for _, a := range varied {
			if a.Key != "lambda" {
				line = append(line, settingOf(c, a.Key))
			}
		}
		lines = append(lines, append(line, fmt.Sprint(c.Nonzeros), fmt.Sprintf("%.8g", c.Objective), fmt.Sprintf("%.1e", c.Gap), fmt.Sprint(c.Epochs), fmt.Sprintf("%.3f", c.Seconds), remark(c)))
	}
	report.PrintColumnsOf(r.W, lines)
}

// solutions is what is said of the path.
func (t *Tuner) solutions() *result.Solutions {
	out := &result.Solutions{Stopped: t.Found.Stopped, Seconds: map[string]float64{"read": t.Read.Seconds(), "search": t.sought.Seconds(), "total": t.Total.Seconds()}}
	for k := range t.Found.Candidates {
		c := &t.Found.Candidates[k]
		one := candidate(c, true)
		for _, judged := range []string{"score", "score_sd", "folds"} {
			delete(one, judged)
		}
		one["lambda"], one["nonzeros"], one["objective"], one["epochs"] = c.Lambda, c.Nonzeros, model.Bound(c.Objective), c.Epochs
		out.Candidates = append(out.Candidates, one)
	}
	return out
}
