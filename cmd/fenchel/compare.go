package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/components"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/internal/survey"
)

func newCompare() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "compare MODEL MODEL",
		Short: "Say how far apart the components, or the weights, of two models are",
		Long: `Compare says how two models of the same features differ. Of principal components
it tells the principal angles between the two subspaces, in degrees: 0 for a direction
that both have, 90 for one that is orthogonal to all of the other; and the distance,
the Frobenius norm of the difference of the projections. The order of components, their
signs and rotations within a subspace do not matter. Where two variances are nearly equal
a large angle costs nothing: what a model captures is what "fenchel evaluate" says.

Of linear models it tells the cosine between the weights, of features as the first
model scales them, the change of the bias, and, if both were trained on the same rows
for the same problem, by how much the second objective is larger.`,
		Example: `  fenchel compare monday.pca tuesday.pca
  fenchel compare old.model new.model`,
		Args: option.Arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return compare(cmd, args[0], args[1], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func compare(cmd *cobra.Command, first, second string, asJSON bool) error {
	a, basis, err := option.ReadModel(cmd, first)
	if err != nil {
		return err
	}
	b, other, err := option.ReadModel(cmd, second)
	switch {
	case err != nil:
		return err
	case (basis == nil) != (other == nil):
		return exitcode.BadData(errors.New("found principal components and a model that predicts, expected two models of a kind"))
	case basis != nil:
		return components.Compare(cmd, basis, other, asJSON)
	}
	found, err := survey.Compare(a, b)
	if err != nil {
		return exitcode.BadData(err)
	}
	out := result.ComparedWith(a, found)
	return printing.Print(cmd, asJSON, out, func(r printing.Report) {
		for k, o := range out.Outputs {
			r.Line(strings.TrimSpace("cosine "+printing.Spell(o.Class)), "%.6g between the weights, bias changed by %.4g", found.Cosines[k], o.Bias)
		}
		if found.Same {
			r.Line("objective", "changed by %.6g", found.Change)
		} else {
			r.Line("objective", "%s", "of other rows or another problem: not compared")
		}
	})
}
