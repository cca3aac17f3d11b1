package components

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// NewMerge makes the verb merge: components of parts of the rows become those of all.
func NewMerge() *cobra.Command {
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:   "merge MODEL MODEL... -o MODEL",
		Short: "Put principal components of parts of the rows together",
		Long: `Merge makes principal components of all rows of those of parts of the rows,
found one by one, on many machines or days. What each model left out is missing:
a few components more than are wanted make the result better. Nothing is proved of
it until "fenchel verify MODEL DATA" sees all rows.`,
		Example: `  fenchel merge monday.pca tuesday.pca -o both.pca`,
		Args:    option.Arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" || out == "-" {
				return errors.New("found no file to write, expected --output MODEL, or -o MODEL")
			}
			if err := cmp.Or(paths.KeepOthers("--output", out, force), exitcode.BadData(paths.CheckFolder(out))); err != nil {
				return err
			}
			models := make([]*model.PCA, len(args))
			for i, path := range args {
				var err error
				if models[i], err = model.ReadPCAFile(path); err != nil {
					return exitcode.BadData(err)
				}
			}
			m, err := pca.Merge(models)
			if err != nil {
				return exitcode.BadData(err)
			}
			if err := m.WriteFile(out); err != nil {
				return exitcode.BadData(err)
			}
			printComponents(printing.Report{W: cmd.OutOrStdout()}, m, "")
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "write the components even over a file that holds something else")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the components to this file")
	return cmd
}
