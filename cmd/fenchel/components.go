package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

// What the verbs that take any model do with principal components.

// readModel reads a model that predicts, or else components. Both come with an
// error that wraps model.ErrTampered if only a digest is wrong.
func readModel(path string) (*model.Model, *model.PCA, error) {
	m, err := model.ReadFile(path)
	var kind *model.KindError
	if errors.As(err, &kind) {
		c, err := model.ReadPCAFile(path)
		return nil, c, badData(err)
	}
	return m, nil, badData(err)
}

// rowsFor reads rows for components.
func (in *input) rowsFor(cmd *cobra.Command, m *model.PCA, sources []string) (*dataset.Set, error) {
	in.forComponents(cmd, m)
	in.opt.InOrder = true
	set, err := in.read(cmd, sources)
	if err != nil {
		return nil, err
	}
	warn(cmd, set.Warnings)
	return set, nil
}

// writeRows writes what spell appends for every row, to a file or standard output.
func (in *input) writeRows(cmd *cobra.Command, out string, set *dataset.Set, size int, spell func(text []byte, i int) []byte) error {
	write := func(w io.Writer) error {
		return ordered(endable{cmd.Context(), w}, set.Rows(), size, in.opt.Threads, func(text []byte, lo, hi int) []byte {
			for i := lo; i < hi; i++ {
				text = append(spell(text, i), '\n')
			}
			return text
		})
	}
	if out == "" || out == "-" {
		return badData(write(cmd.OutOrStdout()))
	}
	return badData(dataset.WriteFile(out, write))
}

// project writes the coordinates of every row along the components.
func (p *predictor) project(cmd *cobra.Command, m *model.PCA, sources []string) error {
	if p.scores || p.probabilities {
		return errors.New("--scores, --probabilities: found principal components, expected a model that predicts")
	}
	set, err := p.in.rowsFor(cmd, m, sources)
	if err != nil {
		return err
	}
	return p.in.writeRows(cmd, p.out, set, blockRows, func(text []byte, i int) []byte {
		scores := make([]float64, m.Statement.K)
		m.Transform(scores, set.X.Row(i))
		if p.whiten {
			m.Whiten(scores)
		}
		return appendList(text, scores)
	})
}

// appendList appends numbers separated by tabs.
func appendList(text []byte, numbers []float64) []byte {
	text = strconv.AppendFloat(text, numbers[0], 'g', -1, 64)
	return appendNumbers(text, numbers[1:])
}

// reconstructor is one run of the verb reconstruct.
type reconstructor struct {
	in     input
	out    string
	errors bool
	scores bool
}

func newReconstruct() *cobra.Command {
	r := &reconstructor{}
	cmd := &cobra.Command{
		Use:   "reconstruct MODEL DATA...",
		Short: "Make rows again of what principal components keep of them",
		Long: `Reconstruct projects every row of DATA on the components and writes the row, in
the features of the data, that has the same coordinates and nothing beside: its
best approximation. With --errors it writes instead for each row the squared
distance between the two, centred and scaled as the components were: large for
rows unlike those that the components were found in. With --from-scores DATA are
coordinates, such as "fenchel predict" writes. Numbers are separated by tabs.`,
		Example: `  fenchel reconstruct digits.pca digits.csv -o smooth.tsv
  fenchel reconstruct digits.pca digits.csv --errors`,
		Args: arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) },
	}
	r.in.register(cmd, false)
	f := cmd.Flags()
	f.StringVarP(&r.out, "output", "o", "", "write to this file instead of standard output (-)")
	f.BoolVar(&r.errors, "errors", false, "write squared distances instead of rows")
	f.BoolVar(&r.scores, "from-scores", false, "DATA are coordinates along the components")
	return cmd
}

func (r *reconstructor) run(cmd *cobra.Command, args []string) error {
	if r.errors && r.scores {
		return errors.New("--errors, --from-scores: expected one of them: coordinates say nothing of what they leave out")
	}
	if err := r.in.check(cmd, args[1:]); err != nil {
		return err
	}
	if err := keepInputs("--output", r.out, append(slices.Clone(args), r.in.opt.Labels, r.in.opt.Weights)...); err != nil {
		return err
	}
	m, err := model.ReadPCAFile(args[0])
	if err != nil {
		return badData(err)
	}
	if r.scores {
		return r.invert(cmd, m, args[1:])
	}
	set, err := r.in.rowsFor(cmd, m, args[1:])
	if err != nil {
		return err
	}
	const rows = 64 // a row may be long
	return r.in.writeRows(cmd, r.out, set, rows, func(text []byte, i int) []byte {
		scores, row := make([]float64, m.Statement.K), make([]float64, m.Cols())
		if r.errors {
			return strconv.AppendFloat(text, m.Residual(row, scores, set.X.Row(i)), 'g', -1, 64)
		}
		m.Transform(scores, set.X.Row(i))
		m.Inverse(row, scores)
		return appendList(text, row)
	})
}

// invert makes rows of coordinates.
func (r *reconstructor) invert(cmd *cobra.Command, m *model.PCA, sources []string) error {
	r.in.opt.Unlabelled = true
	set, err := r.in.read(cmd, sources)
	if err != nil {
		return err
	}
	k := m.Statement.K
	if set.Cols() != k {
		return badData(fmt.Errorf("found %s, expected %d, the coordinates along the components", count(set.Cols(), "column"), k))
	}
	const rows = 64
	return r.in.writeRows(cmd, r.out, set, rows, func(text []byte, i int) []byte {
		scores, row := make([]float64, k), make([]float64, m.Cols())
		set.X.Row(i).AddTo(scores, 1)
		m.Inverse(row, scores)
		return appendList(text, row)
	})
}

// verifyComponents recomputes what components claim, with the error of reading them.
func verifyComponents(cmd *cobra.Command, in *input, m *model.PCA, tampered error, sources []string, asJSON bool) error {
	in.forFinding(cmd, m)
	set, err := in.read(cmd, sources)
	if err != nil {
		return err
	}
	set.Widen(m.Cols()) // --features may have asked for more than the rows have
	v, err := train.VerifyPCA(cmd.Context(), m, set, in.opt.Threads)
	if err != nil {
		return badData(err)
	}
	if tampered != nil {
		v.Problems = append([]string{tampered.Error()}, v.Problems...)
	}
	found := *m
	found.Proof = v.Found
	if asJSON {
		out := pcaJSON(&found)
		out["valid"], out["problems"] = len(v.Problems) == 0, append([]string{}, v.Problems...)
		if err := printJSON(cmd, out); err != nil {
			return badData(err)
		}
	} else {
		r := report{cmd.OutOrStdout()}
		for _, p := range v.Problems {
			r.line("FALSE", "%s", p)
		}
		if len(v.Problems) == 0 {
			r.line("true", "%s of %s", count(m.Statement.K, "component"), count(m.Cols(), "feature"))
			printBound(r, m.Statement.K, v.Found)
		}
	}
	if len(v.Problems) > 0 {
		return &exit{code: exitFalse}
	}
	return nil
}

// merger is one run of the verb merge.
func newMerge() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge MODEL MODEL... -o MODEL",
		Short: "Put principal components of parts of the rows together",
		Long: `Merge makes principal components of all rows of those of parts of the rows,
found one by one, on many machines or days. What each model left out is missing:
a few components more than are wanted make the result better. Nothing is proved of
it until "fenchel verify MODEL DATA" sees all rows.`,
		Example: `  fenchel merge monday.pca tuesday.pca -o both.pca`,
		Args:    arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" || out == "-" {
				return errors.New("found no file to write, expected --output MODEL, or -o MODEL")
			}
			if err := checkFolder(out); err != nil {
				return badData(err)
			}
			models := make([]*model.PCA, len(args))
			for i, path := range args {
				var err error
				if models[i], err = model.ReadPCAFile(path); err != nil {
					return badData(err)
				}
			}
			m, err := train.MergePCA(models)
			if err != nil {
				return badData(err)
			}
			if err := m.WriteFile(out); err != nil {
				return badData(err)
			}
			printComponents(report{cmd.OutOrStdout()}, m, "")
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the components to this file")
	return cmd
}

// printComponentsInfo shows what components are, and the features that matter most
// to each.
func printComponentsInfo(r report, m *model.PCA, top int) {
	digest := ""
	if m.Data.Digest != "" {
		digest = ", " + m.Data.Digest
	}
	r.line("data", "%s of %s%s", count(m.Data.Rows, "row"), count(m.Data.Features, "feature"), digest)
	printComponents(r, m, "")
	if m.State != nil {
		r.line("state", "of a stream: can go on with --resume")
	}
	r.line("version", "%s", m.Version)
	for i := range min(m.Statement.K, 10) {
		r.line(fmt.Sprintf("%d", i+1), "variance %.6g  largest weights: %s", m.Eigenvalue[i], largestOf(m.Component(i), m.Features, top))
	}
}
