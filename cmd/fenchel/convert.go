package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/onnx"
)

// converter is one call of convert.
type converter struct {
	in       option.Input
	to, like string
	force    bool
	graph    onnx.Options
	whiten   bool
}

func newConvert() *cobra.Command {
	var c converter
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

If IN is a model, so is OUT, in the format that its extension names: .fenchel;
.svm-model of LIBSVM; .linear-model of LIBLINEAR; .vw, text as --readable_model of
Vowpal Wabbit writes it, of linear models with one predictor. With .model, .txt or none a
model of LIBSVM or LIBLINEAR becomes one of Fenchel, a kernel machine of Fenchel
one of LIBSVM, and a linear model one of LIBLINEAR. What a format cannot hold is
refused.

With .onnx a model of any kind, principal components too, becomes a graph of ONNX
(ai.onnx 17, ai.onnx.ml 3) that says what predict says: label, scores and
probabilities, prediction, or coordinates. Its input is x, N x features, or for a
table one input for each column, N x 1: numbers (NaN is missing), strings, or days
from 1970 on for dates. Everything is in double precision; --svm-operators uses
SVMRegressor and SVMClassifier where they fit, which are single and slower.`,
		Example: `  fenchel convert news.svm.gz news.fen
  fenchel convert later.csv later.fen --like news.model
  fenchel convert a9a.svm-model a9a.model
  fenchel convert churn.model churn.onnx`,
		Args: option.Arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd, args[:len(args)-1], args[len(args)-1])
		},
	}
	c.in.Register(cmd, true)
	cmd.Flags().StringVar(&c.to, "to", "", "format of OUT instead of the one its extension names")
	cmd.Flags().BoolVar(&c.force, "force", false, "write a model even over a file that holds something else")
	cmd.Flags().BoolVar(&c.graph.SVM, "svm-operators", false, "ONNX: use the operators for support vector machines, in single precision")
	cmd.Flags().BoolVar(&c.whiten, "whiten", false, "ONNX: divide coordinates along principal components by the deviation along each")
	cmd.Flags().StringVar(&c.like, "like", "", "make the features of this model or .fen file, so that tables mean the same")
	return cmd
}

// run converts a model, or data.
func (c *converter) run(cmd *cobra.Command, sources []string, out string) error {
	if out == "-" && c.to == "" {
		return fmt.Errorf("convert: found standard output (-) without a format, expected --to FORMAT")
	}
	writer, err := option.WriterOf(c.to)
	if err != nil {
		return err
	}
	if err := paths.KeepInputs("convert: OUT", out, append(slices.Clone(sources), c.in.Opt.Labels, c.in.Opt.Weights, c.like)...); err != nil {
		return err
	}
	if model.IsFile(sources[0]) {
		return c.model(cmd, sources, out)
	}
	if err := c.in.Like(cmd, c.like); err != nil {
		return exitcode.BadData(err)
	}
	c.in.Opt.Unmoved = !data.WritesOffsets(out, c.to)
	set, err := c.in.Read(cmd, sources)
	if err != nil {
		return err
	}
	return option.WriteSet(cmd, out, c.to, writer, set)
}

// model checks that a model is all there is to convert, and converts it.
func (c *converter) model(cmd *cobra.Command, sources []string, out string) error {
	if len(sources) > 1 || c.to != "" || c.like != "" || out == "-" {
		return fmt.Errorf("convert: %s is a model: expected one more file name, and no flags", sources[0])
	}
	if err := paths.KeepOthers("convert: OUT", out, c.force || onnx.IsFile(out)); err != nil {
		return err
	}
	if err := namesModel(out); err != nil && !c.force {
		return err
	}
	return c.convertModel(cmd, sources[0], out)
}

// A modelFormat is a format that models are written in.
type modelFormat struct {
	program string
	endings []string
	write   func(m *model.Model, path string, opt onnx.Options) error
}

var modelFormats = []modelFormat{
	{"Fenchel", []string{".fenchel", ".safetensors"}, always((*model.Model).WriteFile)},
	{"LIBSVM", []string{".svm-model", ".libsvm-model", ".svc-model", ".libsvm", ".svm"}, always((*model.Model).WriteLIBSVMFile)},
	{"LIBLINEAR", []string{".linear-model", ".liblinear-model", ".liblinear", ".linear"}, always((*model.Model).WriteLIBLINEARFile)},
	{"Vowpal Wabbit", []string{".vw"}, always((*model.Model).WriteVWFile)},
	{"ONNX", []string{onnxEnding}, onnx.WriteFile},
}

const onnxEnding = ".onnx"

// always is a writer that knows no options.
func always(write func(*model.Model, string) error) func(*model.Model, string, onnx.Options) error {
	return func(m *model.Model, path string, _ onnx.Options) error { return write(m, path) }
}

// anyModel are endings of models of every program.
var anyModel = []string{"", ".model", ".txt"}

// namesModel refuses a path that says that it holds something else than a model.
func namesModel(path string) error {
	ending := strings.ToLower(filepath.Ext(path))
	known := slices.Contains(anyModel, ending)
	expected := ""
	for _, f := range modelFormats {
		known = known || slices.Contains(f.endings, ending)
		expected += fmt.Sprintf("%s (%s), ", f.endings[0], f.program)
	}
	if known {
		return nil
	}
	return fmt.Errorf("convert: OUT %s: found the ending %s, expected that of a model: %s.model or none", printing.Visible(path), printing.Visible(ending), expected)
}

// modelFormatOf returns the format that a path names, or else the other one of a model.
func modelFormatOf(path string, m *model.Model, foreign bool) modelFormat {
	ending := strings.ToLower(filepath.Ext(path))
	for _, f := range modelFormats {
		if slices.Contains(f.endings, ending) {
			return f
		}
	}
	switch {
	case foreign:
		return modelFormats[0]
	case !m.IsLinear():
		return modelFormats[1]
	}
	return modelFormats[2]
}

// convertModel rewrites a model in another format.
func (c *converter) convertModel(cmd *cobra.Command, from, to string) error {
	m, components, err := option.ReadModel(cmd, from)
	if err != nil {
		return err
	}
	ending := strings.ToLower(filepath.Ext(to))
	if (c.graph.SVM || c.whiten) && ending != onnxEnding {
		return fmt.Errorf("--svm-operators, --whiten: found the ending %s of OUT, expected %s", printing.Visible(ending), onnxEnding)
	}
	if components != nil {
		return c.convertComponents(cmd, components, to, ending)
	}
	if c.whiten {
		return fmt.Errorf("--whiten: found a model that predicts, expected principal components")
	}
	format := modelFormatOf(to, m, model.IsForeignFile(from))
	if err := format.write(m, to, c.graph); err != nil {
		return exitcode.BadData(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: model of %s\n", printing.Visible(to), format.program)
	return nil
}

// convertComponents writes principal components for ONNX, which alone has a way to say them.
func (c *converter) convertComponents(cmd *cobra.Command, m *model.PCA, to, ending string) error {
	if ending != onnxEnding {
		return exitcode.BadData(fmt.Errorf("%s: found principal components and the ending %s, expected %s", printing.Visible(to), printing.Visible(ending), onnxEnding))
	}
	option.Whiten(m, c.whiten)
	if err := onnx.WritePCAFile(m, to); err != nil {
		return exitcode.BadData(err)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: components of ONNX\n", printing.Visible(to))
	return nil
}
