package components

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// print tells a person what came out.
func (p *reducer) print(r printing.Report, out *result.Reduction, sources []string) {
	m := p.result.Model
	if p.set != nil {
		r.Line("data", "%s: %s", strings.Join(sources, " "), printing.Describe(p.set))
		report.PrintColumns(r, result.ColumnsOf(p.set.Schema))
	} else {
		all := ""
		if p.resume != "" {
			all = " in all"
		}
		r.Line("data", "%s: %s%s, %s", strings.Join(sources, " "), printing.Count(m.Data.Rows, "row"), all, printing.Count(m.Data.Features, "feature"))
	}
	if out.LeftOut != "" {
		r.Line("left out", "column %q, as the target (--target names another one)", out.LeftOut)
	}
	if why := p.whySoMany(m); why != "" {
		r.Line("chosen", "%s: %s", printing.Count(m.Statement.K, "component"), why)
	}
	printComponents(r, m, out.MethodWhy)
	if p.set != nil && p.set.Rounding > m.Proof.Relative() {
		report.PrintRounding(r, p.set.Rounding)
	}
	if w := out.Won; w != nil {
		r.Line("won", "%s, which captured %.6g of rows before it learned them", w.Method, w.Captured)
	}
	if g := out.Regret; g != nil {
		bound := "no bound is known for these steps"
		if !math.IsInf(float64(g.Bound), 0) {
			bound = fmt.Sprintf("at most %.4g by theory", float64(g.Bound))
		}
		r.Line("regret", "%.4g a row more lost than by the best subspace of all %s, %s", g.Mean, printing.Count(g.Rows, "row"), bound)
	}
	if c := out.Cost; c != nil && c.Rank != nil {
		r.Line("cost", "%s, rank %d (at most %d), squared ranks in all %.4g, %.4g operations, %.3g MB of directions", printing.Count(*c.Rows, "row"), *c.Rank, *c.MostRank, *c.SquaredRanks, *c.Operations, *c.Memory/1e6)
	} else if c != nil {
		r.Line("cost", "%.4g passes over the rows, %.4g numbers touched", *c.Passes, *c.Numbers)
	}
	r.Line("time", "read %s, fit %s, certify %s, other %s, total %s", printing.Seconds(p.read), printing.Seconds(p.result.Fit), printing.Seconds(p.result.Certify),
		printing.Seconds(max(0, p.total-p.read-p.result.Fit-p.result.Certify)), printing.Seconds(p.total))
	if p.out != "" {
		r.Line("model", "%s", p.out)
	} else {
		r.Line("model", "not saved (give -o FILE)")
	}
}

// whySoMany says why there are as many components, where the rows say so; "": they do not.
func (p *reducer) whySoMany(m *model.PCA) string {
	switch share := p.spec.Share; {
	case p.spec.Likeliest:
		return "the number that makes the rows the most likely"
	case share == 1:
		return "all directions in which the rows vary"
	case share > 0 && float64(m.Proof.Captured) < share*float64(m.Proof.Total):
		return "those found when the search was cut short"
	case share > 0:
		return fmt.Sprintf("the fewest that capture %g %% of the %s", 100*share, momentOf(m))
	}
	return ""
}

// leftOut returns the name of the column that was taken for the target.
func (p *reducer) leftOut() string {
	if p.table == nil || p.table.Target < 0 {
		return ""
	}
	return p.table.Columns[p.table.Target].Name
}

// report is what is said of the run.
func (p *reducer) report() *result.Reduction {
	m := p.result.Model
	out := &result.Reduction{Components: result.ComponentsOf(m), Cost: result.CostOf(p.result), Won: result.WonOf(p.result), Regret: result.RegretOf(p.result), LeftOut: p.leftOut(), MethodWhy: p.result.Why, Path: result.OrNull(p.out), Unproved: result.OrNull(unprovedComponents(m)),
		Seconds: map[string]float64{"read": p.read.Seconds(), "fit": p.result.Fit.Seconds(), "certify": p.result.Certify.Seconds(), "total": p.total.Seconds()}}
	if m.Mean == nil && m.Space == nil && p.set != nil && p.json {
		along, total := pca.Variances(m, p.set, p.spec.Threads)
		out.Variance = result.Explained(along, model.Bound(total))
	}
	return out
}

// printComponents prints what a model is and what is known of it.
func printComponents(r printing.Report, m *model.PCA, why string) {
	s, p := m.Statement, m.Proof
	how := s.Method
	if why != "" {
		how += " (chosen: " + why + ")"
	}
	centred := "not centred"
	if m.Mean != nil {
		centred = "centred"
	}
	r.Line("method", "%s, seed %d", how, s.Seed)
	of := ""
	if s.Kernel != "" {
		of = " of the kernel " + s.Kernel
	}
	if s.Map != "" {
		of += ", map " + s.Map
	}
	r.Line("problem", "%s%s, %s, scale %s", printing.Count(s.K, "component"), of, centred, s.Scale)
	captured := 0.0
	for _, v := range m.Eigenvalue {
		captured += v
	}
	doubt := ""
	if result.Estimated(m) {
		doubt = "; estimates, as each row was seen once"
		if m.Statement.Missing == pca.Observed {
			doubt = "; estimates of all numbers by those that are there"
		}
	}
	r.Line(momentName(m), "%.6g of %.6g captured (%s), noise %.4g%s", captured, float64(p.Total), printing.Percent(captured/float64(p.Total)), m.Noise(), doubt)
	printBound(r, s.K, p)
	r.Line("first", "%s", ratios(m))
	if unproved := unprovedComponents(m); unproved != "" {
		r.Line("status", "%s: no gap is proved, %s", p.Status, unproved)
	} else {
		r.Line("status", "%s", p.Status)
	}
}

// unprovedComponents says why there is no bound; "": there is one.
func unprovedComponents(m *model.PCA) string {
	switch {
	case !math.IsNaN(m.Proof.Relative()):
		return ""
	case m.Statement.Stream && m.Proof.Status != pca.Merged:
		return "as rows came once"
	case m.Statement.Missing == pca.Observed:
		return "as numbers are missing"
	case m.Proof.Status == pca.Merged:
		return "as the rows were not read"
	}
	return "nothing was found that bounds what others capture"
}

// momentOf says what eigenvalues are: variances only where rows are centred.
func momentOf(m *model.PCA) string {
	if m.Mean == nil {
		return "second moment"
	}
	return "variance"
}

// momentName is momentOf as the name of a line.
func momentName(m *model.PCA) string { return strings.Replace(momentOf(m), "second", "2nd", 1) }

// printBound says how far from the best the components may be.
func printBound(r printing.Report, k int, p model.PCAProof) {
	if h := p.HeldOut; h != nil {
		r.Line("held out", "%.6g of %.6g captured%s of %s: an estimate for rows like them, no proof",
			float64(h.Captured), float64(h.Total), heldOutShare(h), printing.Count(h.Rows, "row"))
	}
	if math.IsNaN(p.Relative()) {
		return
	}
	doubt := ""
	if p.Failure > 0 {
		doubt = fmt.Sprintf(", with a probability of failure below %.0e", p.Failure)
	}
	share := math.Floor(1e6*(1-p.Relative())) / 1e4 // never more than was proved
	r.Line("proof", "captured at least %.4f %% of what %s can: they capture at most %s (gap %s%s)", share,
		printing.Count(k, "direction"), RoundedUp(float64(p.Upper), 9), RoundedUp(p.Relative(), 3), doubt)
}

// RoundedUp writes a bound with so many digits, not below what it is.
func RoundedUp(x float64, digits int) string {
	larger, step := x, math.Pow(10, -float64(digits))/8
	for {
		text := strconv.FormatFloat(larger, 'g', digits, 64)
		if y, err := strconv.ParseFloat(text, 64); err != nil || !(y < x) {
			return text
		}
		larger, step = x*(1+step), 2*step
	}
}

// heldOutShare tells the part that is captured, if there is anything, with its error
// if there is more than one row.
func heldOutShare(h *model.HeldOutVariance) string {
	switch {
	case !(h.Total > 0):
		return ""
	case math.IsInf(float64(h.Error), 0) || math.IsNaN(float64(h.Error)):
		return fmt.Sprintf(" (%s)", printing.Percent(float64(h.Captured/h.Total)))
	}
	return fmt.Sprintf(" (%s, standard error %.2g)", printing.Percent(float64(h.Captured/h.Total)), float64(h.Error))
}

// ratios lists the shares of the first components.
func ratios(m *model.PCA) string {
	var parts []string
	for _, v := range m.Eigenvalue[:min(len(m.Eigenvalue), 10)] {
		parts = append(parts, fmt.Sprintf("%.4g", v/float64(m.Proof.Total)))
	}
	if len(m.Eigenvalue) > len(parts) {
		parts = append(parts, "...")
	}
	return "shares of the " + momentOf(m) + ": " + strings.Join(parts, ", ")
}

// printComponentsInfo shows what components are, and the features that matter most
// to each.
func PrintInfo(r printing.Report, m *model.PCA, top int) {
	digest := ""
	if m.Data.Digest != "" {
		digest = ", " + m.Data.Digest
	}
	r.Line("data", "%s of %s%s%s", printing.Count(m.Data.Rows, "row"), printing.Count(m.Data.Features, "feature"), report.PrecisionOf(m.Data), digest)
	printComponents(r, m, "")
	if m.State != nil {
		r.Line("state", "of a stream: can go on with --resume")
	}
	r.Line("version", "%s", m.Version)
	report.PrintNotes(r, m.Notes)
	if m.Space != nil {
		return // components are no features' weights
	}
	for i := range min(m.Statement.K, 10) {
		r.Line(fmt.Sprintf("%d", i+1), momentOf(m)+" %.6g  largest weights: %s", m.Eigenvalue[i], report.LargestOf(m.Component(i), m.Features, top))
	}
}

// Verify recomputes what components claim, with the error of reading them.
func Verify(cmd *cobra.Command, in *option.Input, m *model.PCA, tampered error, sources []string, asJSON bool) error {
	in.ForFinding(cmd, m)
	in.SkipAs(m.Schema)
	set, err := in.Read(cmd, sources)
	if err != nil {
		return err
	}
	set.Widen(m.Cols()) // --features may have asked for more than the rows have
	v, err := pca.Verify(cmd.Context(), m, set, in.Opt.Threads)
	if err != nil {
		return exitcode.BadData(err)
	}
	if tampered != nil {
		v.Problems = append([]string{tampered.Error()}, v.Problems...)
	}
	found := *m
	found.Proof = v.Found
	out := result.VerifiedComponents{Components: result.ComponentsOf(&found), Verdict: result.VerdictOf(v.Problems, v.Unproved)}
	said := printing.Print(cmd, asJSON, out, func(r printing.Report) {
		for _, p := range v.Problems {
			r.Line("FALSE", "%s", p)
		}
		switch {
		case len(v.Problems) > 0:
		case v.Unproved != "":
			r.Line("unproved", "%s of %s: %s", printing.Count(m.Statement.K, "component"), printing.Count(m.Cols(), "feature"), v.Unproved)
		default:
			r.Line("verified", "%s of %s", printing.Count(m.Statement.K, "component"), printing.Count(m.Cols(), "feature"))
			printBound(r, m.Statement.K, v.Found)
		}
	})
	return cmp.Or(said, exitcode.Verified(v.Problems, v.Unproved))
}

// Evaluate says what components capture of rows.
func Evaluate(cmd *cobra.Command, in *option.Input, m *model.PCA, sources []string, asJSON bool) error {
	in.ForComponents(cmd, m)
	in.SkipAs(m.Schema)
	set, err := in.Read(cmd, sources)
	if err != nil {
		return err
	}
	e, err := pca.Evaluate(cmd.Context(), m, set, in.Opt.Threads)
	if err != nil {
		return exitcode.BadData(err)
	}
	printing.Warn(cmd, e.Warnings)
	return printing.Print(cmd, asJSON, result.EvaluatedOf(m, e), func(r printing.Report) {
		k := m.Statement.K
		r.Line("rows", "%d", e.Rows)
		r.Line(momentName(m), "%.6g of %.6g captured%s", e.Captured, e.Total, heldOutShare(&model.HeldOutVariance{Captured: model.Bound(e.Captured), Error: model.Bound(e.Error), Total: model.Bound(e.Total)}))
		r.Line("loss", "%.6g, the mean squared distance of a row from what the components keep of it", e.Loss())
		scatter := ""
		if !math.IsInf(e.MissedError, 0) {
			scatter = fmt.Sprintf(", standard error %.2g", e.MissedError)
		}
		r.Line("missed", "%.4g beside the best %s of these rows%s", e.Missed, printing.Count(k, "component"), scatter)
		printBound(r, k, e.Proof)
	})
}

// Compare says how far apart the components of two models are.
func Compare(cmd *cobra.Command, a, b *model.PCA, asJSON bool) error {
	c, err := pca.Compare(a, b)
	if err != nil {
		return exitcode.BadData(err)
	}
	if c.Factors != 1 {
		printing.Warn(cmd, []error{fmt.Errorf("features are scaled by factors that differ, by up to %.4g times: angles are between directions of the features as each model scales them", c.Factors)})
	}
	if (a.Mean != nil) != (b.Mean != nil) {
		printing.Warn(cmd, []error{errors.New("one model is centred, the other is not")})
	}
	out := result.ComparedOf(c)
	return printing.Print(cmd, asJSON, out, func(r printing.Report) {
		r.Line("components", "%d and %d of %s", a.Statement.K, b.Statement.K, printing.Count(a.Cols(), "feature"))
		r.Line("largest", "%.6g degrees between the subspaces", out.Largest)
		angles := make([]string, len(out.Angles))
		for i, v := range out.Angles {
			angles[i] = fmt.Sprintf("%.4g", v)
		}
		r.Line("angles", "%s (principal angles, in degrees)", strings.Join(angles, ", "))
		r.Line("distance", "%.6g of the projections (Frobenius norm)", out.Distance)
	})
}
