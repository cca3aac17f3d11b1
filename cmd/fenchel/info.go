package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/components"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

func newInfo() *cobra.Command {
	var asJSON bool
	var top int
	var weights string
	cmd := &cobra.Command{
		Use:   "info MODEL",
		Short: "Show what a model is and what was proved of it",
		Args:  option.Arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if top < 0 {
				return fmt.Errorf("--top %d: expected a number >= 0", top)
			}
			m, basis, err := option.ReadModel(cmd, args[0])
			if err != nil {
				return err
			}
			if weights != "" {
				if err := writeWeights(m, args[0], weights); err != nil {
					return err
				}
			}
			if basis != nil {
				if asJSON {
					return printing.JSON(cmd, components.JSON(basis))
				}
				components.PrintInfo(printing.Report{W: cmd.OutOrStdout()}, basis, top)
				return nil
			}
			if asJSON {
				return printing.JSON(cmd, infoJSON(m))
			}
			printInfo(printing.Report{W: cmd.OutOrStdout()}, m, top)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&weights, "weights", "", "write the weight of every feature to this CSV file, in original units too, with the column and category that it is of")
	cmd.Flags().IntVar(&top, "top", 10, "show so many of the most positive and of the most negative weights of each class")
	return cmd
}

func printInfo(r printing.Report, m *model.Model, top int) {
	if m.IsImported() {
		printImported(r, m)
		return
	}
	s := fenchel.Summarise(m)
	r.Line("data", "%s of %s, %s, %s", printing.Count(m.Data.Rows, "row"), printing.Count(m.Data.Features, "feature"), printing.Count(int(m.Data.Nonzeros), "nonzero"), m.Data.Digest)
	report.PrintColumns(r, m.Schema)
	report.PrintTask(r, m)
	p := m.Statement
	r.Line("problem", "%s, %s, bias %s, scale %s", report.TermsOf(m), report.Balance(m), p.Bias, report.ScaleOf(m))
	r.Line("solver", "%s, seed %d", p.Solver, p.Seed)
	report.PrintProof(r, m, s, status(m), "")
	report.PrintSize(r, m)
	report.PrintCalibration(r, m, "train --probabilities")
	report.PrintThreshold(r, m)
	r.Line("version", "%s", m.Version)
	report.PrintNotes(r, m.Notes)
	for c, o := range m.Outputs {
		name := "bias"
		if len(m.Outputs) > 1 {
			name = printing.Spell(report.OutputName(m, c))
		}
		r.Line(name, "%.6g", o.Bias)
		if m.Support == nil && m.Map == nil {
			report.PrintExtremes(r, m, o, top)
		}
	}
}

// printImported says what is known of a model of another program.
func printImported(r printing.Report, m *model.Model) {
	report.PrintTask(r, m)
	c, nu := pose.Needs(m)
	lacks, flags := "lambda is", "--C X"
	switch {
	case c && nu:
		lacks, flags = "nu and lambda are", "--nu X --C X"
	case nu:
		lacks, flags = "nu is", "--nu X"
	}
	r.Line("problem", "%s, bias %s; %s not in the file", report.TermsOf(m), m.Statement.Bias, lacks)
	r.Line("solver", "%s", m.Statement.Solver)
	report.PrintSize(r, m)
	report.PrintCalibration(r, m, "svm-train -b 1")
	report.PrintNotes(r, m.Notes)
	r.Line("status", "imported: nothing is claimed (\"fenchel verify MODEL %s DATA\" bounds what it lacks)", flags)
}

// status is the worst end of the outputs.
func status(m *model.Model) string {
	all := make([]string, len(m.Outputs))
	for c, o := range m.Outputs {
		all[c] = o.Certificate.Status
	}
	return string(pose.Worst(all))
}

// statementJSON is a statement in which lambda is null where another number stands
// instead of it or the file does not hold it.
type statementJSON struct {
	model.Statement
	Lambda any `json:"lambda"`
}

func infoJSON(m *model.Model) map[string]any {
	s := fenchel.Summarise(m)
	info := map[string]any{
		"problem": statementJSON{m.Statement, report.Given(m.Statement.Lambda)}, "data": m.Data, "classes": m.Classes, "scale": report.ScaleOf(m), "status": status(m),
		"primal": model.Bound(s.Primal), "dual": model.Bound(s.Dual), "gap": model.Bound(s.Gap), "gap_worst": model.Bound(s.Worst),
		"outputs": report.Certificates(m), "weights_nonzero": m.Nonzeros(), "has_dual": m.Outputs[0].Dual != nil, "program_version": m.Version,
	}
	if m.Schema != nil {
		report.AddColumns(info, m.Schema)
	}
	if m.Notes != nil {
		info["notes"] = m.Notes
	}
	if m.Support != nil {
		info["support"] = m.Support.Len()
		report.AddFacts(info, m)
	}
	if m.Threshold != nil {
		info["threshold"] = m.Threshold
	}
	if m.Calibration != nil {
		info["calibration"] = m.Calibration
	}
	if m.Map != nil {
		_, info["map_features"] = m.Map.Dims()
	}
	return info
}
