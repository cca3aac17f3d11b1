package main

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// input holds the flags that say how to read data.
type input struct {
	opt     data.Options
	checked bool
}

// register adds the flags; target tells whether the verb decides on a target
// column itself or has a model that knows it.
func (in *input) register(cmd *cobra.Command, target bool) {
	f := cmd.Flags()
	f.StringVar(&in.opt.Format, "format", "", "format of the data instead of the one found by content: "+strings.Join(names(data.Formats()), ", "))
	f.StringVar(&in.opt.Weights, "weights", "", "column of row weights, by name or position from 1; for formats without columns a file with one number a row")
	f.StringVar(&in.opt.Labels, "labels", "", "file with one target a row, for formats without a column of targets (IDX, NPY, NPZ, .fen)")
	f.IntVar(&in.opt.Threads, "threads", 0, "use at most this many cores; never changes a result (default all)")
	zero := "LIBSVM indices begin with 0, where read and where written; a model notes it for LIBSVM rows to come"
	if !target {
		zero = "LIBSVM indices begin with 0 (default as the model notes it)"
	}
	f.BoolVar(&in.opt.ZeroBased, "zero-based", false, zero)
	complete(cmd, "format", names(data.Formats())...)
	f.BoolVar(&in.opt.SkipUnlabelled, "skip-unlabelled", false, "leave out rows of a table that have no target")
	if !target {
		return
	}
	f.StringVar(&in.opt.Header, "header", "auto", "the first line of a CSV names the columns: yes, no or auto")
	f.StringVar(&in.opt.Target, "target", "", "column to predict, by name or position from 1 (default: target, label, class or y, else the last)")
	f.StringSliceVar(&in.opt.Ignore, "ignore", nil, "columns of a table to leave out: names, positions from 1 or patterns such as id_*, separated by commas")
	f.StringSliceVar(&in.opt.Categorical, "categorical", nil, "columns of a table that are categories, though they look like numbers, dates or ids")
	f.StringSliceVar(&in.opt.Numeric, "numeric", nil, "columns of a table that are numbers, though they look like ids or codes; what is none is missing")
	f.StringSliceVar(&in.opt.Missing, "missing", nil, "spellings of a missing value in a table, besides empty, ?, NA, N/A, #N/A, NaN, NaT, None, null and \\N; the model keeps them")
	f.StringVar(&in.opt.Dates, "dates", "", "what stands first in dates such as 05/06/2024, where the rows do not tell: dmy or mdy")
	complete(cmd, "dates", "dmy", "mdy")
	complete(cmd, "header", "yes", "no", "auto")
}

// check refuses, before anything is read, what the reader would not understand.
func (in *input) check(cmd *cobra.Command, sources []string) error {
	if in.checked { // a generator takes time to make
		return nil
	}
	if err := paths.RefuseEmpty(cmd); err != nil {
		return err
	}
	if known := names(data.Formats()); in.opt.Format != "" && !slices.Contains(known, in.opt.Format) {
		return registry.Unknown("format", in.opt.Format, known)
	}
	switch in.opt.Header {
	case "auto":
		in.opt.Header = ""
	case "", "yes", "no":
	default:
		return fmt.Errorf("--header %s: expected yes, no or auto", in.opt.Header)
	}
	if d := in.opt.Dates; d != "" && d != "dmy" && d != "mdy" {
		return fmt.Errorf("--dates %s: expected dmy or mdy", d)
	}
	if in.opt.Target != "" && in.opt.Labels != "" {
		return fmt.Errorf("--target %s, --labels %s: found two places of the targets, expected one of them", in.opt.Target, in.opt.Labels)
	}
	if cores := max(runtime.NumCPU(), runtime.GOMAXPROCS(0)); in.opt.Threads < 0 || in.opt.Threads > cores {
		return fmt.Errorf("--threads %d: expected a number from 1 to %d, the cores of this machine, or 0 for all of them", in.opt.Threads, cores)
	}
	in.checked = true
	return checkGenerators(sources)
}

// checkGenerators refuses bad specs of generators: they are about the command
// line, not about data.
func checkGenerators(sources []string) error {
	for _, source := range sources {
		if !strings.HasPrefix(source, "@") {
			continue
		}
		if len(sources) > 1 {
			return fmt.Errorf("%s: found a generator among %d sources, expected it alone", source, len(sources))
		}
		if _, _, err := generate.Stream(source); err != nil {
			return err
		}
	}
	return nil
}

// read reads all sources as one set.
func (in *input) read(cmd *cobra.Command, sources []string) (*data.Set, error) {
	if err := in.check(cmd, sources); err != nil {
		return nil, err
	}
	in.opt.Stdin = cmd.InOrStdin()
	set, err := data.Read(cmd.Context(), sources, in.opt)
	if err != nil {
		return nil, readError(notData(cmd, sources, err))
	}
	return set, nil
}

// notData says of a source that cannot be read what it is instead: a model, or perhaps the
// file to write, which other programs take as the last argument.
func notData(cmd *cobra.Command, sources []string, err error) error {
	last := sources[len(sources)-1]
	out := cmd.Flags().Lookup("output")
	if len(sources) > 1 && out != nil && !out.Changed && errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(err.Error(), last+": ") {
		return fmt.Errorf("%w (a file to write is named by --output, or -o)", err)
	}
	for _, source := range sources {
		for _, file := range paths.Matches(source) {
			if model.IsFile(file) {
				return fmt.Errorf("%s: found a model, expected data", file)
			}
		}
	}
	return err
}

// blocks reads all sources as a stream and gives take the rows, block after block.
func (in *input) blocks(cmd *cobra.Command, sources []string, take func(*data.RowStream, matrix.Matrix) error) error {
	if err := in.check(cmd, sources); err != nil {
		return err
	}
	in.opt.Stdin = cmd.InOrStdin()
	rows, err := data.Blocks(cmd.Context(), sources, in.opt)
	if err != nil {
		return readError(notData(cmd, sources, err))
	}
	defer rows.Close()
	printing.Warn(cmd, rows.Warnings)
	for x, err := range rows.All() {
		if err != nil {
			return readError(err)
		}
		if err := take(rows, x); err != nil {
			return err
		}
	}
	printing.Warn(cmd, rows.Late)
	return nil
}

// readError marks an error of reading as one about data, but for an option, which is
// called as its flag is.
func readError(err error) error {
	var useless *data.OptionError
	if errors.As(err, &useless) {
		return fmt.Errorf("--%w", err)
	}
	return exitcode.BadData(err)
}

// forModel makes the reader produce the features of a model.
func (in *input) forModel(cmd *cobra.Command, m *model.Model) {
	in.forTraining(cmd, m)
	if in.opt.Columns = m.Cols(); m.IsImported() && m.Support != nil && !in.opt.Precomputed {
		in.opt.Columns = 0 // features that no support vector has count all the same
	}
}

// forTraining makes the reader read the rows that a model was trained on, all
// columns of them.
func (in *input) forTraining(cmd *cobra.Command, m *model.Model) {
	in.opt.Schema, in.opt.Unmoved, in.opt.Precomputed = m.Schema, m.Schema == nil, isPrecomputed(m.Statement.Kernel)
	in.opt.Unlabelled = m.OneClass() // where there is no schema that knows
	if !cmd.Flags().Changed("zero-based") {
		in.opt.ZeroBased = m.Statement.ZeroBased
	}
}

// forComponents makes the reader produce the features of components.
func (in *input) forComponents(cmd *cobra.Command, m *model.PCA) {
	in.forFinding(cmd, m)
	in.opt.Columns = m.Cols()
}

// forFinding makes the reader read the rows that components were found in, all
// columns of them.
func (in *input) forFinding(cmd *cobra.Command, m *model.PCA) {
	in.opt.Schema, in.opt.Unmoved, in.opt.Unlabelled = m.Schema, m.Schema == nil, true
	if !cmd.Flags().Changed("zero-based") {
		in.opt.ZeroBased = m.Statement.ZeroBased
	}
}

// skipAs leaves out rows without a target where this was done for a model; rows to predict may have none.
func (in *input) skipAs(s *data.Schema) {
	in.opt.SkipUnlabelled = in.opt.SkipUnlabelled || s != nil && s.SkipUnlabelled
}

// isPrecomputed reports whether a kernel takes its values from the rows.
func isPrecomputed(spec string) bool { return strings.Contains(spec, "precomputed") }
