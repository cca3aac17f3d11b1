package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/model"
)

// How the weights of a linear model are shown: those of features as the model scales them,
// which can be compared with each other, and those of features as the data have them.

// largest returns the features with the largest weights that are not zero.
func largest(weights []float64, top int) []int {
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

// featureName is the name of a feature, or its number where there are no names.
func featureName(names []string, j int) string {
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
	return append(largest(positive, top), largest(negative, top)...)
}

// printExtremes prints a line for each of the most positive and most negative weights of an
// output, with its unit.
func printExtremes(r printing.Report, m *model.Model, o model.Output, top int) {
	for _, j := range extremes(o.Weights, top) {
		r.Line("weight", "%+-11.4g %-22s  %s", o.Weights[j], unitOf(m.Scaling, j), printing.Spell(featureName(m.Features, j)))
	}
}

// origins says of each feature the column and category that it was made of, and what its
// original weight is added for: "category" where that is the row's, "true", or each "day" or
// "unit".
func origins(m *model.Model) (all [][]string) {
	if !m.Schema.Table() {
		return slices.Repeat([][]string{{"", "", "unit"}}, m.Cols())
	}
	for i, c := range m.Schema.Columns {
		switch {
		case i == m.Schema.Target || i == m.Schema.Weight || c.Kind == set.KindIgnored:
		case c.Category != nil:
			for _, category := range c.Category {
				all = append(all, []string{c.Name, category, "category"})
			}
		case c.Kind == set.KindBoolean:
			all = append(all, []string{c.Name, "", "true"})
		case c.Kind.IsDate():
			all = append(all, []string{c.Name, "", "day"})
		default:
			all = append(all, []string{c.Name, "", "unit"})
		}
	}
	return all
}

// writeWeights writes all weights of a linear model to a CSV file.
func writeWeights(m *model.Model, from, path string) error {
	switch {
	case m == nil:
		return fmt.Errorf("--weights: found principal components in %s, expected a linear model", from)
	case m.Support != nil || m.Map != nil:
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
				line = append([]string{outputName(m, c)}, line...)
			}
			_ = out.Write(line)
		}
		row("(bias)", o.Bias, bias, []string{"", "", ""})
		for j, x := range o.Weights {
			row(featureName(m.Features, j), x, original[j], of[j])
		}
	}
	out.Flush()
	return out.Error()
}
