package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
)

// How the weights of a linear model are shown: those of features as the model scales them,
// which can be compared with each other, and those of features as the data have them.

// origins says of each feature the column and category that it was made of, and what its
// original weight is added for: "category" where that is the row's, "true", or each "day" or
// "unit".
func origins(m *model.Model) (all [][]string) {
	if !m.Schema.Table() {
		return slices.Repeat([][]string{{"", "", "unit"}}, m.Cols())
	}
	for i, c := range m.Schema.Columns {
		switch {
		case m.Schema.Answers(i) || c.Kind == set.KindIgnored:
		case c.Category != nil:
			for _, category := range c.Category {
				all = append(all, []string{c.Name, category, "category"})
			}
		case c.Text != nil:
			for j := range c.Text.Width() {
				all = append(all, []string{c.Name, c.Text.Name(j), "term"})
			}
		case c.Size > 0:
			for j := range c.Size {
				all = append(all, []string{c.Name, strconv.Itoa(j), "unit"})
			}
		case c.Kind == set.KindBoolean:
			all = append(all, []string{c.Name, "", "true"})
		case c.Kind.IsDate():
			all = append(all, []string{c.Name, "", "day"})
		default:
			all = append(all, []string{c.Name, "", "unit"})
		}
	}
	for _, c := range m.Schema.Crossings {
		all = append(all, slices.Repeat([][]string{{m.Schema.Crossed(c), "", "product"}}, c.Width())...)
	}
	return all
}

// writeWeights writes all weights of a linear model to a CSV file.
func writeWeights(m *model.Model, from, path string) error {
	switch {
	case m == nil:
		return fmt.Errorf("--weights: found principal components in %s, expected a linear model", from)
	case m.Network != nil:
		return fmt.Errorf("--weights: found a network in %s, expected a linear model: this one has no weights of features alone", from)
	case !m.IsLinear():
		return fmt.Errorf("--weights: found a model of the kernel %s in %s, expected a linear model: this one has no weights of features", m.Statement.Kernel, from)
	}
	if err := paths.KeepInputs("--weights", path, from); err != nil {
		return err
	}
	return exitcode.BadData(file.WriteFile(path, func(w io.Writer) error { return weightsCSV(w, m) }))
}

// weightsCSV writes a line for each weight, and one for the bias of each output.
func weightsCSV(w io.Writer, m *model.Model) error {
	out := csv.NewWriter(w)
	header := []string{"name", "weight", "weight_original", "column", "category", "per"}
	if len(m.Outputs) > 1 {
		header = append([]string{"class"}, header...)
	}
	of := origins(m)
	_ = out.Write(header) // Error reports what failed
	for c, o := range m.Outputs {
		original, bias := m.Original(c)
		row := func(name string, scaled, original float64, origin []string) {
			line := append([]string{name, printing.Decimal(scaled), printing.Decimal(original)}, origin...)
			if len(m.Outputs) > 1 {
				line = append([]string{result.OutputName(m, c)}, line...)
			}
			_ = out.Write(line)
		}
		row("(bias)", o.Bias, bias, []string{"", "", ""})
		for j, x := range o.Weights {
			row(report.FeatureName(m.Features, j), x, original[j], of[j])
		}
	}
	out.Flush()
	return out.Error()
}
