package option

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/model"
)

// ReadModel reads a model that predicts, or else components. Both come with an
// error that wraps model.ErrTampered if only a digest is wrong.
func ReadModel(cmd *cobra.Command, path string) (*model.Model, *model.PCA, error) {
	m, err := model.ReadFile(path)
	var kind *model.KindError
	if errors.As(err, &kind) {
		c, err := model.ReadPCAFile(path)
		return nil, c, exitcode.BadData(err)
	}
	return m, nil, exitcode.BadData(NotModel(cmd, path, err))
}

// NotModel says of a file that is no model but data that it is, and the order of the
// arguments: one is easily taken for the other.
func NotModel(cmd *cobra.Command, path string, err error) error {
	info, failed := os.Stat(path)
	if err == nil || failed != nil || !info.Mode().IsRegular() || model.IsFile(path) {
		return err
	}
	if strings.HasSuffix(path, ".onnx") {
		return fmt.Errorf("%s: found a graph of ONNX, expected a model: convert writes such files for other programs, which run them with ONNX Runtime", path)
	}
	format := data.FormatOf(cmd.Context(), path)
	if format == "" {
		return err
	}
	order := ""
	if strings.Contains(cmd.Use, "MODEL DATA") {
		order = fmt.Sprintf("; the order is: %s MODEL DATA", cmd.Name())
	}
	return fmt.Errorf("%s: not a model: found data (%s), expected a model%s", path, format, order)
}

// Sets gives take the rows of the sources: as one set, or, from standard input to standard
// output, as they come, for somebody may wait for each line.
func (in *Input) Sets(cmd *cobra.Command, out string, sources []string, take func(*data.Set) error) error {
	in.Opt.InOrder = true
	if !slices.Equal(sources, []string{"-"}) || out != "" && out != "-" || in.Opt.Weights != "" || in.Opt.Labels != "" {
		set, err := in.Read(cmd, sources)
		if err != nil {
			return err
		}
		return take(set)
	}
	if err := in.begin(cmd, sources); err != nil {
		return err
	}
	said := map[string]bool{}
	for set, err := range data.Arriving(cmd.Context(), in.Opt) {
		if err != nil {
			return readError(err)
		}
		for _, w := range set.Warnings {
			if !said[w.Error()] {
				printing.Warn(cmd, []error{w})
			}
			said[w.Error()] = true
		}
		if err := take(set); err != nil {
			return err
		}
	}
	return nil
}

// WriteRows writes the numbers that are made of every row below their names, to a file or
// standard output.
func (in *Input) WriteRows(cmd *cobra.Command, out string, s *data.Set, size int, names []string, numbers func(i int) []float64) error {
	columns := make([]set.Result, len(names))
	for k, name := range names {
		columns[k].Name = name
	}
	return in.WriteResults(cmd, out, s, size, columns, func(r *printing.Rows, lo, hi int) {
		for i := lo; i < hi; i++ {
			r.Begin(i)
			r.Numbers(numbers(i)...)
			r.End()
		}
	})
}

// WriteResults writes the results of every row, which do makes block by block, to a file, in the format that its extension
// names, or, where it is - or has no name, to standard output.
func (in *Input) WriteResults(cmd *cobra.Command, out string, s *data.Set, size int, columns []set.Result, do func(r *printing.Rows, lo, hi int)) error {
	f, err := printing.NewRowFormat(out, s, columns)
	if err != nil {
		return exitcode.BadData(err)
	}
	write := func(w io.Writer) error {
		return f.Write(interrupt.Endable{Ctx: cmd.Context(), W: w}, size, in.Opt.Threads, do)
	}
	if out == "" || out == "-" {
		return exitcode.BadData(write(cmd.OutOrStdout()))
	}
	return exitcode.BadData(file.WriteFilePacked(out, write))
}

// Whiten has components whiten coordinates, if asked to, that do not do so by themselves.
func Whiten(m *model.PCA, asked bool) {
	if asked && m.Statement.Whiten == "" {
		m.Statement.Whiten = model.WhitenPopulation
	}
}

// Like makes the reader produce the features of a cache or model; "": its own.
func (in *Input) Like(cmd *cobra.Command, path string) error {
	if path == "" {
		return nil
	}
	set, err := data.Read(cmd.Context(), []string{path}, data.Options{Format: "fen", Threads: in.Opt.Threads})
	if err == nil {
		in.Opt.Schema, in.Opt.Columns = set.Schema, set.Cols()
		return set.Close()
	}
	if strings.HasSuffix(path, ".fen") {
		return err
	}
	m, err := model.ReadFile(path)
	if err == nil {
		in.ForModel(cmd, m)
	}
	return err
}

// WriterOf returns the format that --to names; nil for "".
func WriterOf(to string) (set.Writer, error) {
	if to == "" {
		return nil, nil
	}
	formats := data.Formats()
	at := slices.Index(Names(formats), to)
	if at < 0 {
		return nil, registry.Unknown("format", to, Names(formats))
	}
	format, err := formats[at].New(nil)
	if err != nil {
		return nil, err
	}
	writer, ok := format.(set.Writer)
	if !ok {
		return nil, fmt.Errorf("format %q can be read but not written", to)
	}
	return writer, nil
}

// WriteSet writes a set in a format, "" for that of the file's name, to a file, and says how large it is, or to
// standard output.
func WriteSet(cmd *cobra.Command, out, to string, format set.Writer, s *data.Set) error {
	if out == "-" {
		w := bufio.NewWriterSize(cmd.OutOrStdout(), 1<<16)
		return exitcode.BadData(cmp.Or(format.Write(w, s), w.Flush()))
	}
	if err := data.Write(cmd.Context(), out, s, to); err != nil {
		return exitcode.BadData(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", printing.Visible(out), printing.Describe(s))
	return nil
}
