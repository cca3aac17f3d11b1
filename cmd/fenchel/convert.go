package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/registry"
)

func newConvert() *cobra.Command {
	var in input
	var to, like string
	var force bool
	cmd := &cobra.Command{
		Use:   "convert IN... OUT",
		Short: "Rewrite data in another format",
		Long: `Convert reads data and writes them in the format that the extension of OUT
names (.fen, .svm, .csv, .tsv, .npz; .gz or .zst after it compresses), or that
--to names. If OUT is -, they go to standard output, not compressed, and --to is
needed. Categories become 0/1 features; with --like they become the features
that a model or a .fen file has, as predict and evaluate need them.

A .fen file is a cache: it is mapped into memory instead of parsed, so that every
verb begins at once and data may be larger than memory. It keeps targets, row
weights, names, and the digest of the rows; it must not be changed while in use.

If IN is a model, so is OUT: one of LIBSVM or LIBLINEAR becomes a model of
Fenchel, and a kernel machine of Fenchel one of LIBSVM.`,
		Example: `  fenchel convert news.svm.gz news.fen
  fenchel convert later.csv later.fen --like news.model
  fenchel convert a9a.svm-model a9a.model`,
		Args: arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, out := args[:len(args)-1], args[len(args)-1]
			if out == "-" && to == "" {
				return fmt.Errorf("convert: found standard output (-) without a format, expected --to FORMAT")
			}
			writer, err := writerOf(to)
			if err != nil {
				return err
			}
			if err := keepInputs("convert: OUT", out, append(slices.Clone(sources), in.opt.Labels, in.opt.Weights, like)...); err != nil {
				return err
			}
			if model.IsFile(sources[0]) {
				if len(sources) > 1 || to != "" || like != "" || out == "-" {
					return fmt.Errorf("convert: %s is a model: expected one more file name, and no flags", sources[0])
				}
				if err := keepOthers("convert: OUT", out, force); err != nil {
					return err
				}
				return convertModel(cmd, sources[0], out)
			}
			if err := in.like(cmd, like); err != nil {
				return badData(err)
			}
			in.opt.Unmoved = !dataset.WritesOffsets(out, to)
			set, err := in.read(cmd, sources)
			if err != nil {
				return err
			}
			warn(cmd, set.Warnings)
			if out == "-" {
				return badData(writeTo(cmd.OutOrStdout(), writer, set))
			}
			if err := dataset.Write(cmd.Context(), out, set, to); err != nil {
				return badData(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", visible(out), describe(set))
			return nil
		},
	}
	in.register(cmd, true)
	cmd.Flags().StringVar(&to, "to", "", "format of OUT instead of the one its extension names")
	cmd.Flags().BoolVar(&force, "force", false, "write a model even over a file that holds something else")
	cmd.Flags().StringVar(&like, "like", "", "make the features of this model or .fen file, so that tables mean the same")
	return cmd
}

// convertModel rewrites a model in the other format.
func convertModel(cmd *cobra.Command, from, to string) error {
	m, err := model.ReadFile(from)
	if err != nil {
		return badData(err)
	}
	format, write := "Fenchel", m.WriteFile
	if !model.IsForeignFile(from) {
		format, write = "LIBSVM", m.WriteLIBSVMFile
	}
	if err := write(to); err != nil {
		return badData(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: model of %s\n", visible(to), format)
	return nil
}

// like makes the reader produce the features of a cache or model; "": its own.
func (in *input) like(cmd *cobra.Command, path string) error {
	if path == "" {
		return nil
	}
	set, err := dataset.Read(cmd.Context(), []string{path}, dataset.Options{Format: "fen", Threads: in.opt.Threads})
	if err == nil {
		in.opt.Schema, in.opt.Columns = set.Schema, set.Cols()
		return set.Close()
	}
	if strings.HasSuffix(path, ".fen") {
		return err
	}
	m, err := model.ReadFile(path)
	if err == nil {
		in.forModel(cmd, m)
	}
	return err
}

// writerOf returns the format that --to names; nil for "".
func writerOf(to string) (dataset.Writer, error) {
	if to == "" {
		return nil, nil
	}
	formats := dataset.Formats()
	at := slices.Index(names(formats), to)
	if at < 0 {
		return nil, registry.Unknown("format", to, names(formats))
	}
	format, err := formats[at].New(nil)
	if err != nil {
		return nil, err
	}
	writer, ok := format.(dataset.Writer)
	if !ok {
		return nil, fmt.Errorf("format %q can be read but not written", to)
	}
	return writer, nil
}

// writeTo writes a set to a stream.
func writeTo(w io.Writer, format dataset.Writer, set *dataset.Set) error {
	out := bufio.NewWriterSize(w, 1<<16)
	if err := format.Write(out, set); err != nil {
		return err
	}
	return out.Flush()
}
