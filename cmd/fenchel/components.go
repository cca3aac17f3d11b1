package main

import (
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
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// What the verbs that take any model do with principal components.

// readModel reads a model that predicts, or else components. Both come with an
// error that wraps model.ErrTampered if only a digest is wrong.
func readModel(cmd *cobra.Command, path string) (*model.Model, *model.PCA, error) {
	m, err := model.ReadFile(path)
	var kind *model.KindError
	if errors.As(err, &kind) {
		c, err := model.ReadPCAFile(path)
		return nil, c, exitcode.BadData(err)
	}
	return m, nil, exitcode.BadData(notModel(cmd, path, err))
}

// notModel says of a file that is no model but data that it is, and the order of the
// arguments: one is easily taken for the other.
func notModel(cmd *cobra.Command, path string, err error) error {
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

// rowsFor reads rows for components.
func (in *input) rowsFor(cmd *cobra.Command, m *model.PCA, sources []string) (*data.Set, error) {
	in.forComponents(cmd, m)
	in.opt.InOrder = true
	set, err := in.read(cmd, sources)
	if err != nil {
		return nil, err
	}
	printing.Warn(cmd, set.Warnings)
	return set, nil
}

// sets gives take the rows of the sources: as one set, or, from standard input to standard
// output, as they come, for somebody may wait for each line.
func (in *input) sets(cmd *cobra.Command, out string, sources []string, take func(*data.Set) error) error {
	in.opt.InOrder = true
	if !slices.Equal(sources, []string{"-"}) || out != "" && out != "-" || in.opt.Weights != "" || in.opt.Labels != "" {
		set, err := in.read(cmd, sources)
		if err != nil {
			return err
		}
		printing.Warn(cmd, set.Warnings)
		return take(set)
	}
	if err := in.check(cmd, sources); err != nil {
		return err
	}
	in.opt.Stdin = cmd.InOrStdin()
	said := map[string]bool{}
	for set, err := range data.Arriving(cmd.Context(), in.opt) {
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

// writeRows writes the numbers that are made of every row below their names, to a file or
// standard output.
func (in *input) writeRows(cmd *cobra.Command, out string, set *data.Set, size int, names []string, numbers func(i int) []float64) error {
	f := printing.NewRowFormat(out, set)
	write := func(w io.Writer) error {
		if _, err := w.Write(f.Header(names)); err != nil {
			return err
		}
		return parallel.Ordered(interrupt.Endable{Ctx: cmd.Context(), W: w}, set.Rows(), size, in.opt.Threads, func(text []byte, lo, hi int) []byte {
			for i := lo; i < hi; i++ {
				text = f.End(f.Numbers(f.Begin(text, i), numbers(i)))
			}
			return text
		})
	}
	if out == "" || out == "-" {
		return exitcode.BadData(write(cmd.OutOrStdout()))
	}
	return exitcode.BadData(file.WriteFile(out, write))
}

// project writes the coordinates of every row along the components.
func (p *predictor) project(cmd *cobra.Command, m *model.PCA, sources []string) error {
	if p.scores || p.probabilities {
		return errors.New("--scores, --probabilities: found principal components, expected a model that predicts")
	}
	whiten(m, p.whiten)
	p.in.forComponents(cmd, m)
	return p.in.sets(cmd, p.out, sources, func(set *data.Set) error { return p.coordinates(cmd, m, set) })
}

// whiten has components whiten coordinates, if asked to, that do not do so by themselves.
func whiten(m *model.PCA, asked bool) {
	if asked && m.Statement.Whiten == "" {
		m.Statement.Whiten = model.WhitenPopulation
	}
}

// coordinates writes those of the rows of a set.
func (p *predictor) coordinates(cmd *cobra.Command, m *model.PCA, set *data.Set) error {
	return p.in.writeRows(cmd, p.out, set, blockRows, printing.Numbered("pc", m.Statement.K), func(i int) []float64 {
		scores := make([]float64, m.Statement.K)
		m.Transform(scores, set.X.Row(i))
		return scores
	})
}

// verifyComponents recomputes what components claim, with the error of reading them.
func verifyComponents(cmd *cobra.Command, in *input, m *model.PCA, tampered error, sources []string, asJSON bool) error {
	in.forFinding(cmd, m)
	in.skipAs(m.Schema)
	set, err := in.read(cmd, sources)
	if err != nil {
		return err
	}
	printing.Warn(cmd, set.Warnings)
	set.Widen(m.Cols()) // --features may have asked for more than the rows have
	v, err := pca.Verify(cmd.Context(), m, set, in.opt.Threads)
	if err != nil {
		return exitcode.BadData(err)
	}
	if tampered != nil {
		v.Problems = append([]string{tampered.Error()}, v.Problems...)
	}
	found := *m
	found.Proof = v.Found
	if asJSON {
		out := pcaJSON(&found)
		out["valid"], out["reason"] = exitcode.Validity(v.Problems, v.Unproved)
		out["problems"] = append([]string{}, v.Problems...)
		if err := printing.JSON(cmd, out); err != nil {
			return exitcode.BadData(err)
		}
	} else {
		r := printing.Report{W: cmd.OutOrStdout()}
		for _, p := range v.Problems {
			r.Line("FALSE", "%s", p)
		}
		switch {
		case len(v.Problems) > 0:
		case v.Unproved != "":
			r.Line("unproved", "%s of %s: %s", printing.Count(m.Statement.K, "component"), printing.Count(m.Cols(), "feature"), v.Unproved)
		default:
			r.Line("verified", "%s of %s", printing.Count(m.Statement.K, "component"), printing.Count(m.Cols(), "feature"))
			printBound(r, m.Statement.K, v.Found)
		}
	}
	return exitcode.Verified(v.Problems, v.Unproved)
}
