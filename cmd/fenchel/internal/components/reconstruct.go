package components

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// reconstructor is one run of the verb reconstruct.
type reconstructor struct {
	in     option.Input
	out    string
	errors bool
	scores bool
	whiten bool
	alpha  float64 // of the ridge that learns rows of coordinates in the space of a kernel
}

// NewReconstruct makes the verb reconstruct: rows as their components describe them.
func NewReconstruct() *cobra.Command {
	r := &reconstructor{}
	cmd := &cobra.Command{
		Use:   "reconstruct MODEL DATA...",
		Short: "Make rows again of what principal components keep of them",
		Long: `Reconstruct projects every row of DATA on the components and writes the row, in
the features of the data, that has the same coordinates and nothing beside: its
best approximation. With --errors it writes instead for each row the squared
distance between the two, centred and scaled as the components were: large for
rows unlike those that the components were found in. With --from-scores DATA are
coordinates, such as "fenchel predict" writes, with --whiten too if those were written
with it. Numbers are separated by tabs.

Of components of a kernel most points are the image of no row: kernel ridge regression of
the rows that the components were found in, on their coordinates, says which row is near,
and --alpha weighs its penalty, as in scikit-learn's KernelPCA. With --map it is the
landmarks that are learned from, which random features have none of. Errors are squared
distances in the space of the kernel.`,
		Example: `  fenchel reconstruct digits.pca digits.csv -o smooth.tsv
  fenchel reconstruct digits.pca digits.csv --errors`,
		Args: option.Arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) },
	}
	r.in.Register(cmd, false)
	f := cmd.Flags()
	f.StringVarP(&r.out, "output", "o", "", "write to this file instead of standard output (-)")
	f.BoolVar(&r.errors, "errors", false, "write squared distances instead of rows")
	f.BoolVar(&r.scores, "from-scores", false, "DATA are coordinates along the components")
	f.Float64Var(&r.alpha, "alpha", 1, "weight of the penalty with which rows are learned of coordinates along components of a kernel")
	f.BoolVar(&r.whiten, "whiten", false, "the coordinates are divided by their deviations, as predict --whiten writes them")
	return cmd
}

func (r *reconstructor) run(cmd *cobra.Command, args []string) error {
	if r.errors && r.scores {
		return errors.New("--errors, --from-scores: expected one of them: coordinates say nothing of what they leave out")
	}
	if r.whiten && !r.scores {
		return errors.New("--whiten: found it without --from-scores: only coordinates can be whitened, rows are as they are")
	}
	inputs := append(slices.Clone(args), r.in.Opt.Labels, r.in.Opt.Weights)
	if err := cmp.Or(r.in.Check(cmd, args[1:]), paths.KeepInputs("--output", r.out, inputs...)); err != nil {
		return err
	}
	m, err := model.ReadPCAFile(args[0])
	if err != nil {
		return exitcode.BadData(option.NotModel(cmd, args[0], err))
	}
	inverse, err := r.inverse(cmd, m)
	if err != nil {
		return err
	}
	if r.scores {
		return r.invert(cmd, m, inverse, args[1:])
	}
	r.in.ForComponents(cmd, m)
	r.in.Opt.InOrder = true
	set, err := r.in.Read(cmd, args[1:])
	if err != nil {
		return err
	}
	const rows = 64 // a row may be long
	if r.errors {
		return r.writeErrors(cmd, m, set, rows)
	}
	score, err := m.Scorer(set)
	if err != nil {
		return exitcode.BadData(err)
	}
	return r.in.WriteRows(cmd, r.out, set, rows, featureNames(m), func(i int) []float64 {
		scores, row := make([]float64, m.Statement.K), make([]float64, m.Cols())
		score(scores, i)
		inverse(row, scores)
		return row
	})
}

// writeErrors writes how far each row is from what its components keep of it, so many rows at a time.
func (r *reconstructor) writeErrors(cmd *cobra.Command, m *model.PCA, set *data.Set, rows int) error {
	x, err := m.Prepare(set.X)
	if err != nil {
		return exitcode.BadData(err)
	}
	gone := set.Missing()
	return r.in.WriteRows(cmd, r.out, set, rows, []string{"error"}, func(i int) []float64 {
		scores := make([]float64, m.Statement.K)
		if gone != nil && m.Statement.Missing == model.Observed {
			return []float64{m.ResidualObserved(scores, x.Row(i), gone[i])}
		}
		return []float64{m.Residual(make([]float64, m.Cols()), scores, x.Row(i))}
	})
}

// inverse returns what makes rows of coordinates.
func (r *reconstructor) inverse(cmd *cobra.Command, m *model.PCA) (func(dst, scores []float64), error) {
	if cmd.Flags().Changed("alpha") && (m.Space == nil || r.errors) {
		return nil, fmt.Errorf("--alpha %g: expected components of a kernel, and rows to be made of them", r.alpha)
	}
	if m.Space == nil || r.errors {
		return m.Inverse, nil
	}
	p, err := m.NewPreimage(r.alpha, r.in.Opt.Threads)
	return func(dst, scores []float64) { p.Inverse(dst, scores) }, exitcode.BadData(err)
}

// featureNames returns the names of the features, x1, x2, ... where they have none.
func featureNames(m *model.PCA) []string {
	if m.Features != nil {
		return m.Features
	}
	return printing.Numbered("x", m.Cols())
}

// invert makes rows of coordinates.
func (r *reconstructor) invert(cmd *cobra.Command, m *model.PCA, inverse func(dst, scores []float64), sources []string) error {
	r.in.Opt.Unlabelled = true
	set, err := r.in.Read(cmd, sources)
	if err != nil {
		return err
	}
	option.Whiten(m, r.whiten)
	k := m.Statement.K
	if set.Cols() != k {
		return exitcode.BadData(fmt.Errorf("found %s, expected %d, the coordinates along the components", printing.Count(set.Cols(), "column"), k))
	}
	const rows = 64
	return r.in.WriteRows(cmd, r.out, set, rows, featureNames(m), func(i int) []float64 {
		scores, row := make([]float64, k), make([]float64, m.Cols())
		set.X.Row(i).AddTo(scores, 1)
		inverse(row, scores)
		return row
	})
}
