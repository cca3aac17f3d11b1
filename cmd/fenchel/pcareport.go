package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

// print tells a person what came out.
func (p *reducer) print(cmd *cobra.Command, sources []string) {
	m, r := p.result.Model, report{cmd.OutOrStdout()}
	if p.set != nil {
		r.line("data", "%s: %s", strings.Join(sources, " "), describe(p.set))
		printColumns(r, p.set.Schema)
	} else {
		all := ""
		if p.resume != "" {
			all = " in all"
		}
		r.line("data", "%s: %s%s, %s", strings.Join(sources, " "), count(m.Data.Rows, "row"), all, count(m.Data.Features, "feature"))
	}
	printComponents(r, m, p.result.Why)
	r.line("time", "read %s, fit %s, certify %s, total %s", seconds(p.read), seconds(p.result.Fit), seconds(p.result.Certify), seconds(p.total))
	if p.out != "" {
		r.line("model", "%s", p.out)
	} else {
		r.line("model", "not saved (give -o FILE)")
	}
}

// printJSON prints one object.
func (p *reducer) printJSON(cmd *cobra.Command) error {
	out := pcaJSON(p.result.Model)
	out["seconds"] = map[string]float64{"read": p.read.Seconds(), "fit": p.result.Fit.Seconds(), "certify": p.result.Certify.Seconds(), "total": p.total.Seconds()}
	if out["model"] = nil; p.out != "" {
		out["model"] = p.out
	}
	if out["unproved"] = nil; unprovedComponents(p.result.Model) != "" {
		out["unproved"] = unprovedComponents(p.result.Model)
	}
	if p.result.Why != "" {
		out["method_why"] = p.result.Why
	}
	return printJSON(cmd, out)
}

// pcaJSON is what a model says of itself.
func pcaJSON(m *model.PCA) map[string]any {
	p := m.Proof
	ratio := make([]model.Bound, len(m.Eigenvalue))
	captured := 0.0
	for i, v := range m.Eigenvalue {
		ratio[i] = model.Bound(v / float64(p.Total))
		captured += v
	}
	out := map[string]any{
		"status": p.Status, "k": m.Statement.K, "method": m.Statement.Method, "center": m.Mean != nil, "scale": m.Statement.Scale, "stream": m.Statement.Stream,
		"n": m.Data.Rows, "d": m.Data.Features, "nonzeros": m.Data.Nonzeros, "seed": m.Statement.Seed,
		"explained_variance": m.Eigenvalue, "explained_variance_ratio": ratio, "explained_ratio": model.Bound(captured / float64(p.Total)),
		"total_variance": p.Total, "noise_variance": m.Noise(),
		"captured": p.Captured, "upper": p.Upper, "gap": model.Bound(p.Relative()), "failure_probability": p.Failure, "route": p.Route,
		"program_version": m.Version,
	}
	if p.HeldOut != nil {
		out["held_out"] = p.HeldOut
	}
	return out
}

// printComponents prints what a model is and what is known of it.
func printComponents(r report, m *model.PCA, why string) {
	s, p := m.Statement, m.Proof
	how := s.Method
	if why != "" {
		how += " (chosen: " + why + ")"
	}
	centred := "not centred"
	if m.Mean != nil {
		centred = "centred"
	}
	r.line("method", "%s, seed %d", how, s.Seed)
	r.line("problem", "%s, %s, scale %s", count(s.K, "component"), centred, s.Scale)
	captured := 0.0
	for _, v := range m.Eigenvalue {
		captured += v
	}
	r.line("variance", "%.6g of %.6g captured (%s), noise %.4g", captured, float64(p.Total), percent(captured/float64(p.Total)), m.Noise())
	printBound(r, s.K, p)
	r.line("first", "%s", ratios(m))
	if unproved := unprovedComponents(m); unproved != "" {
		r.line("status", "%s: no gap is proved, %s", p.Status, unproved)
	} else {
		r.line("status", "%s", p.Status)
	}
}

// unprovedComponents says why there is no bound; "": there is one.
func unprovedComponents(m *model.PCA) string {
	switch {
	case !math.IsNaN(m.Proof.Relative()):
		return ""
	case m.Statement.Stream && m.Proof.Status != train.Merged:
		return "as rows came once"
	case m.Proof.Status == train.Merged:
		return "as the rows were not looked at"
	}
	return "nothing was found that bounds what others capture"
}

// printBound says how far from the best the components may be.
func printBound(r report, k int, p model.PCAProof) {
	if h := p.HeldOut; h != nil {
		r.line("held out", "%.6g of %.6g captured%s of %s: an estimate for rows like them, no proof",
			float64(h.Captured), float64(h.Total), heldOutShare(h), count(h.Rows, "row"))
	}
	if math.IsNaN(p.Relative()) {
		return
	}
	doubt := ""
	if p.Failure > 0 {
		doubt = fmt.Sprintf(", with a probability of failure below %.0e", p.Failure)
	}
	share := math.Floor(1e6*(1-p.Relative())) / 1e4 // never more than was proved
	r.line("proof", "captured at least %.4f %% of what %s can: they capture at most %s (gap %s%s)", share,
		count(k, "direction"), roundedUp(float64(p.Upper), 9), roundedUp(p.Relative(), 3), doubt)
}

// roundedUp writes a bound with so many digits, not below what it is.
func roundedUp(x float64, digits int) string {
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
		return fmt.Sprintf(" (%s)", percent(float64(h.Captured/h.Total)))
	}
	return fmt.Sprintf(" (%s, standard error %.2g)", percent(float64(h.Captured/h.Total)), float64(h.Error))
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
	return "shares of the variance: " + strings.Join(parts, ", ")
}

// printComponentsInfo shows what components are, and the features that matter most
// to each.
func printComponentsInfo(r report, m *model.PCA, top int) {
	digest := ""
	if m.Data.Digest != "" {
		digest = ", " + m.Data.Digest
	}
	r.line("data", "%s of %s%s", count(m.Data.Rows, "row"), count(m.Data.Features, "feature"), digest)
	printComponents(r, m, "")
	if m.State != nil {
		r.line("state", "of a stream: can go on with --resume")
	}
	r.line("version", "%s", m.Version)
	for i := range min(m.Statement.K, 10) {
		r.line(fmt.Sprintf("%d", i+1), "variance %.6g  largest weights: %s", m.Eigenvalue[i], largestOf(m.Component(i), m.Features, top))
	}
}
