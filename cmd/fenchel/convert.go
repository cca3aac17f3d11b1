package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/dataset"
)

func newConvert() *cobra.Command {
	var in input
	var to string
	cmd := &cobra.Command{
		Use:   "convert IN... OUT",
		Short: "Rewrite data in another format",
		Long: `Convert reads data and writes them in the format that the extension of OUT
names (.svm, .csv, .tsv, .npz; .gz or .zst after it compresses), or that --to
names. Categories become 0/1 features.`,
		Args: arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			last := len(args) - 1
			set, err := in.read(cmd, args[:last])
			if err != nil {
				return err
			}
			warn(cmd, set.Warnings)
			if err := dataset.Write(cmd.Context(), args[last], set, to); err != nil {
				return badData(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", args[last], describe(set))
			return nil
		},
	}
	in.register(cmd, true)
	cmd.Flags().StringVar(&to, "to", "", "format of OUT instead of the one its extension names")
	return cmd
}
