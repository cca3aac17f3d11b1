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
	"github.com/fenchel-ml/fenchel/internal/result"
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
				return printing.Print(cmd, asJSON, result.ComponentsOf(basis), func(r printing.Report) { components.PrintInfo(r, basis, top) })
			}
			out := result.InfoOf(m)
			return printing.Print(cmd, asJSON, out, func(r printing.Report) { printInfo(r, m, out, top) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().StringVar(&weights, "weights", "", "write the weight of every feature to this CSV file, in original units too, with the column and category that it is of")
	cmd.Flags().IntVar(&top, "top", 10, "show so many of the most positive and of the most negative weights of each class")
	return cmd
}

func printInfo(r printing.Report, m *model.Model, out result.Info, top int) {
	if m.IsImported() {
		printImported(r, m)
		return
	}
	s := fenchel.Summarise(m)
	if m.OnePass != nil {
		r.Line("data", "%s of %s", printing.Count(m.Data.Rows, "row"), printing.Count(m.Data.Features, "feature"))
	} else {
		r.Line("data", "%s of %s%s, %s, %s", printing.Count(m.Data.Rows, "row"), printing.Count(m.Data.Features, "feature"), report.PrecisionOf(m.Data), printing.Count(int(m.Data.Nonzeros), "nonzero"), m.Data.Digest)
	}
	report.PrintColumns(r, out.Columns)
	report.PrintTask(r, m)
	p := m.Statement
	if m.OnePass != nil {
		r.Line("problem", "%s", report.TermsOf(m))
	} else {
		r.Line("problem", "%s, %s, bias %s, scale %s", report.TermsOf(m), report.Balance(m), p.Bias, out.Scale)
	}
	r.Line("solver", "%s, seed %d", p.Solver, p.Seed)
	report.PrintProof(r, m, s, out.Status, "")
	report.PrintSize(r, m)
	report.PrintCalibration(r, m, "train --probabilities")
	report.PrintCoverage(r, m)
	report.PrintThreshold(r, m)
	r.Line("version", "%s", m.Version)
	report.PrintNotes(r, m.Notes)
	for c, o := range m.Outputs {
		name := "bias"
		if len(m.Outputs) > 1 {
			name = printing.Spell(out.Outputs[c].Class)
		}
		r.Line(name, "%.6g%s", o.Bias, optimumOf(out.Outputs[c].Region))
		if m.IsLinear() {
			report.PrintExtremes(r, m, o, top)
		}
	}
}

// optimumOf says where the optima are that an output is near to; "": it is not known.
func optimumOf(r *model.Region) string {
	switch {
	case r == nil:
		return ""
	case r.Low == r.High:
		return fmt.Sprintf("; weights of the exact optimum within %.3g", r.Radius)
	}
	return fmt.Sprintf("; of the exact optimum from %.6g to %.6g, its weights within %.3g", r.Low, r.High, r.Radius)
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
