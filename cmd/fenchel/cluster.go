package main

import (
	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/internal/engine"
)

// newWorker makes the command that keeps rows of a cluster.
func newWorker() *cobra.Command {
	var folder string
	var threads int
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Keep rows of a cluster, and answer requests about them",
		Long:   "Worker answers requests on standard input about rows that it keeps in a folder: what fenchel.spark starts on executors.",
		Hidden: true,
		Args:   option.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exitcode.BadData(engine.ServeWorker(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), folder, threads))
		},
	}
	cmd.Flags().StringVar(&folder, "folder", "", "where rows and memories are kept")
	cmd.Flags().IntVar(&threads, "threads", 1, "cores to use at most")
	return cmd
}

// newCoordinator makes the command that trains on the rows of a cluster.
func newCoordinator() *cobra.Command {
	return &cobra.Command{
		Use:    "coordinator",
		Short:  "Train on the rows of a cluster",
		Long:   "Coordinator asks for requests to be brought to workers, by standard output, and reads their replies from standard input: what fenchel.spark starts beside the driver.",
		Hidden: true,
		Args:   option.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return exitcode.BadData(engine.Coordinate(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()))
		},
	}
}
