package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/internal/engine"
)

// newEngine makes the command that programs in other languages start.
func newEngine() *cobra.Command {
	var descriptor int
	var path string
	cmd := &cobra.Command{
		Use:   "engine",
		Short: "Answer requests of a program in another language",
		Long: `Engine answers requests on standard input, one after another, until its end. It is
what the Python package starts once and keeps; package internal/engine says what requests
and answers are. Numbers go through a file that both programs have open: a descriptor that
the engine inherits, or a path where descriptors cannot be inherited.`,
		Hidden: true,
		Args:   option.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := sharedFile(descriptor, path)
			if err != nil {
				return err
			}
			return exitcode.BadData(engine.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), engine.NewMemory(file)))
		},
	}
	cmd.Flags().IntVar(&descriptor, "descriptor", 0, "the shared file is this inherited descriptor")
	cmd.Flags().StringVar(&path, "shared", "", "the shared file has this path")
	return cmd
}

// sharedFile opens the file that requests have their numbers in.
func sharedFile(descriptor int, path string) (*os.File, error) {
	if (descriptor > 2) == (path != "") {
		return nil, errors.New("engine: expected either --descriptor, above 2, or --shared FILE")
	}
	if path != "" {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		return file, exitcode.BadData(err)
	}
	file := os.NewFile(uintptr(descriptor), "shared memory")
	if file == nil {
		return nil, fmt.Errorf("--descriptor %d: expected a file that is open", descriptor)
	}
	if _, err := file.Stat(); err != nil {
		return nil, exitcode.BadData(fmt.Errorf("--descriptor %d: %w", descriptor, err))
	}
	return file, nil
}

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
