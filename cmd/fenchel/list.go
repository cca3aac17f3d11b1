package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/experiment"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/reduce"
	"github.com/fenchel-ml/fenchel/internal/registry"
	jointsolver "github.com/fenchel-ml/fenchel/internal/solve/joint"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/solver"
)

// lists holds what can be listed, by the noun that asks for it.
var lists = map[string]func() [][2]string{
	"losses": func() [][2]string {
		return slices.Concat(rows(slices.Concat(loss.Entries(), loss.NonconvexEntries())), marked("all classes at once: ", joint.Entries()))
	},
	"penalties": func() [][2]string { return rows(penalty.Entries()) },
	"kernels":   func() [][2]string { return rows(kernel.Entries()) },
	"maps":      func() [][2]string { return marked("approximate kernel: ", featuremap.Approximations()) },
	"solvers": func() [][2]string {
		return slices.Concat(known("linear models: ", linear.Entries()), known("losses of all classes at once: ", jointsolver.Entries()), known("kernel machines: ", kernelsolver.Entries()))
	},
	"methods":     func() [][2]string { return rows(methods.Entries()) },
	"sparsifiers": func() [][2]string { return rows(reduce.Entries()) },
	"formats":     func() [][2]string { return rows(data.Formats()) },
	"generators":  func() [][2]string { return rows(data.Generators()) },
	"experiments": func() [][2]string { return rows(experiment.Entries()) },
}

func newList() *cobra.Command {
	nouns := []string{"losses", "penalties", "kernels", "maps", "solvers", "methods", "sparsifiers", "formats", "generators", "experiments"}
	return &cobra.Command{
		Use:       "list WHAT",
		Short:     "List what can be chosen by name",
		Long:      "List prints names and what they stand for. WHAT is one of " + strings.Join(nouns, ", ") + ".",
		ValidArgs: nouns,
		Args:      option.Arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, ok := lists[args[0]]
			if !ok {
				return registry.Unknown("list", args[0], nouns)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
			for _, row := range list() {
				fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
			}
			return w.Flush()
		},
	}
}

func rows[T any](entries []registry.Entry[T]) [][2]string {
	out := make([][2]string, len(entries))
	for i, e := range entries {
		out[i] = [2]string{e.Name, e.Summary}
	}
	return out
}

// known puts below each method what is known of it.
func known(mark string, entries []registry.Entry[solver.Solver]) [][2]string {
	var out [][2]string
	for i, row := range marked(mark, entries) {
		out = append(out, row)
		if facts := entries[i].Facts.String(); facts != "" {
			out = append(out, [2]string{"", "  " + facts})
		}
	}
	return out
}

// marked puts a mark before every summary.
func marked[T any](mark string, entries []registry.Entry[T]) [][2]string {
	out := rows(entries)
	for i := range out {
		out[i][1] = mark + out[i][1]
	}
	return out
}
