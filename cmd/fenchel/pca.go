package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/parallel"
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/train"
)

// reducer is one run of the verb pca.
type reducer struct {
	in     input
	spec   train.PCASpec
	center bool
	stream bool
	resume string // model file; "": begins anew
	out    string
	force  bool // -o may replace any file
	json   bool
	quiet  bool

	set         *dataset.Set // nil of a stream
	result      *train.PCAResult
	read, total time.Duration
}

func newPCA() *cobra.Command {
	p := &reducer{}
	cmd := &cobra.Command{
		Use:   "pca DATA... -k K -o MODEL",
		Short: "Find principal components, and prove how much variance others could capture",
		Long: `Pca finds the K orthonormal directions that capture most of the variance of the
rows of DATA, and proves how much the best directions could capture at most.
Targets in DATA are not looked at. Rows are centred if at least one value in twenty
is not zero, or --center asks for it; sparse ones stay sparse either way.

With --stream, or from standard input, each row is looked at once and forgotten:
memory does not grow with their number. Some rows are then held out, and what the
components capture of them is reported instead of a proof. The model of a stream
can go on with later rows: --resume MODEL. If a row is bad, or the run is
interrupted, what was learned from the rows before is written.

"fenchel predict MODEL DATA" writes the coordinates of rows along the components,
"fenchel reconstruct" makes rows of them again. The exit code is 0 if the gap is
proved, or all rows were learned without one asked for; for the others see "fenchel
help exit-codes".`,
		Example: `  fenchel pca @low-rank -k 5
  fenchel pca digits.csv.gz -k 50 -o digits.pca
  fenchel pca news.svm -k 100 --center -o news.pca
  zcat clicks.svm.gz | fenchel pca - -k 20 -o clicks.pca
  fenchel pca later.svm -k 20 --resume clicks.pca -o clicks.pca`,
		Args: arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args) },
	}
	p.register(cmd)
	return cmd
}

func (p *reducer) register(cmd *cobra.Command) {
	p.in.register(cmd, true)
	f, s := cmd.Flags(), &p.spec
	f.IntVarP(&s.K, "components", "k", 0, "how many components")
	f.StringVar(&s.Method, "method", "auto", "method, as in \"fenchel list methods\"")
	f.BoolVar(&p.center, "center", false, "subtract the mean of every feature (default if at least one value in twenty is not zero)")
	f.StringVar(&s.Scale, "scale", "none", "scaling of the features: "+strings.Join(train.PCAScales(), ", "))
	f.Float64Var(&s.Gap, "gap", 0, fmt.Sprintf("share of the best possible variance that may be missing, by proof (default %g)", train.DefaultPCAGap))
	f.IntVar(&s.Epochs, "epochs", 0, "passes of a method that learns row by row (default 1)")
	f.BoolVar(&s.Shuffle, "shuffle", false, "such a method takes the rows in random order")
	f.Uint64Var(&s.Seed, "seed", 1, "seed of everything random")
	f.IntVar(&p.in.opt.Columns, "features", 0, "number of features of a stream of sparse rows (default what its first thousand rows need)")
	f.BoolVar(&p.stream, "stream", false, "look at each row once, in memory that does not grow with their number (default for standard input)")
	f.StringVar(&p.resume, "resume", "", "go on from the model of a stream, with rows that come after its own")
	f.BoolVar(&s.NoState, "no-state", false, "leave out of a stream's model what --resume needs: smaller")
	f.StringVarP(&p.out, "output", "o", "", "write the model to this file")
	f.BoolVar(&p.force, "force", false, "write the model even over a file that holds something else")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "show no progress")
	f.BoolVar(&p.json, "json", false, "print one JSON object and nothing else on standard output")
	complete(cmd, "method", append(names(pca.Entries()), "auto")...)
	complete(cmd, "scale", train.PCAScales()...)
}

func (p *reducer) run(cmd *cobra.Command, sources []string) error {
	started := time.Now()
	if err := p.check(cmd, sources); err != nil {
		return err
	}
	tidyMemory()
	var err error
	if p.streams(sources) {
		err = p.learn(cmd, sources)
	} else {
		err = p.fit(cmd, sources)
	}
	if p.result == nil {
		return err
	}
	p.total = time.Since(started)
	return errors.Join(err, p.finish(cmd, sources))
}

// check refuses bad flags before any data are read.
func (p *reducer) check(cmd *cobra.Command, sources []string) error {
	f := cmd.Flags()
	if f.Changed("center") {
		p.spec.Center = map[bool]string{true: "yes", false: "no"}[p.center]
	}
	if f.Changed("gap") && !(p.spec.Gap > 0 && p.spec.Gap < 1) {
		return fmt.Errorf("--gap %g: expected a number between 0 and 1", p.spec.Gap)
	}
	if f.Changed("epochs") && p.spec.Epochs < 1 {
		return fmt.Errorf("--epochs %d: expected a number > 0", p.spec.Epochs)
	}
	if p.resume == "" {
		if !f.Changed("components") {
			return errors.New("found no number of components, expected --components K, or -k K")
		}
		if err := p.spec.Check(); err != nil {
			return err
		}
	}
	for _, name := range []string{"method", "center", "scale", "seed"} {
		if p.resume != "" && f.Changed(name) {
			return fmt.Errorf("--%s: found it beside --resume, expected only what the model does not say", name)
		}
	}
	if f.Changed("features") && p.in.opt.Columns < 1 {
		return fmt.Errorf("--features %d: expected a number > 0", p.in.opt.Columns)
	}
	p.in.opt.Unlabelled = true
	p.spec.Threads, p.spec.ZeroBased = p.in.opt.Threads, p.in.opt.ZeroBased
	if err := p.in.check(cmd, sources); err != nil {
		return err
	}
	if p.out == "-" {
		return errors.New("--output -: found standard output, expected a file name")
	}
	if err := keepInputs("--output", p.out, append(slices.Clone(sources), p.in.opt.Labels, p.in.opt.Weights)...); err != nil {
		return err
	}
	if err := keepOthers("--output", p.out, p.force); err != nil {
		return err
	}
	return badData(checkFolder(p.out))
}

// streams reports whether rows are looked at once: where that was asked for, and
// where they come from a pipe, unless the method needs more.
func (p *reducer) streams(sources []string) bool {
	return p.stream || p.resume != "" || slices.Contains(sources, "-") && p.spec.Streams()
}

// fit reads all rows and finds their components.
func (p *reducer) fit(cmd *cobra.Command, sources []string) (err error) {
	started := time.Now()
	if p.set, err = p.in.read(cmd, sources); err != nil {
		return err
	}
	warn(cmd, p.set.Warnings)
	p.spec.ZeroBased = p.set.ZeroBased
	p.read = time.Since(started)
	p.result, err = parallel.Until(cmd.Context(), func() (*train.PCAResult, error) { return train.FitPCA(cmd.Context(), p.set, p.spec) })
	return dataOr(err)
}

// dataOr marks an error about data as one.
func dataOr(err error) error {
	var data train.DataError
	if errors.As(err, &data) {
		return badData(err)
	}
	return err
}

// learn looks at the rows once. What was learned before an error is a result too.
func (p *reducer) learn(cmd *cobra.Command, sources []string) error {
	var s *train.PCAStream
	var earlier *model.PCA
	if p.resume != "" {
		var err error
		if s, earlier, err = p.takeUp(); err != nil {
			return err
		}
		p.in.opt.Columns, p.in.opt.ZeroBased = earlier.Cols(), earlier.Statement.ZeroBased || p.in.opt.ZeroBased
	}
	defer stopping(cmd.Context(), "making components of what was learned")()
	d := newDisplay(cmd.ErrOrStderr(), 0)
	began := time.Now()
	err := p.in.blocks(cmd, sources, func(rows *dataset.RowStream, x matrix.Matrix) (err error) {
		if s == nil {
			if s, err = train.NewPCAStream(x, rows.Feature, p.spec); err != nil {
				return err
			}
		}
		if !p.quiet {
			d.rows(s.Rows())
		}
		return s.Learn(x)
	})
	d.done()
	if s == nil || s.Rows() == 0 {
		return dataOr(err)
	}
	status := solver.EpochLimit
	if errors.Is(err, context.Canceled) {
		status, err = solver.Interrupted, nil
	}
	var failed error
	if p.result, failed = s.Result(status); failed != nil {
		if err == nil {
			err = failed
		}
		return dataOr(err) // the first one: too few rows came before it for components
	}
	p.read = time.Since(began) - p.result.Fit
	return learnedBefore(dataOr(err), s.Rows())
}

// learnedBefore adds to an error in mid-stream that not all is lost.
func learnedBefore(err error, rows int) error {
	var e *exit
	if !errors.As(err, &e) {
		return err
	}
	return &exit{e.code, fmt.Errorf("%w (%s before it learned)", e.err, count(rows, "row"))}
}

// takeUp reads the model to go on from.
func (p *reducer) takeUp() (*train.PCAStream, *model.PCA, error) {
	m, err := model.ReadPCAFile(p.resume)
	if err != nil {
		return nil, nil, badData(err)
	}
	if p.spec.K != 0 && p.spec.K != m.Statement.K {
		return nil, nil, fmt.Errorf("--components %d: expected %d, as in the model to go on from", p.spec.K, m.Statement.K)
	}
	s, err := train.ResumePCA(m, p.in.opt.Threads)
	if err != nil {
		return nil, nil, badData(fmt.Errorf("%s: %w", p.resume, err))
	}
	return s, m, nil
}

// finish writes the model and reports.
func (p *reducer) finish(cmd *cobra.Command, sources []string) error {
	warn(cmd, p.result.Warnings)
	if p.out != "" {
		if err := p.result.Model.WriteFile(p.out); err != nil {
			return badData(err)
		}
	}
	if p.json {
		if err := p.printJSON(cmd); err != nil {
			return badData(err)
		}
	} else {
		p.print(cmd, sources)
	}
	// A method that learns row by row did what was asked when it has seen its rows, unless
	// a gap was asked for too.
	return ended(p.result.Status, p.spec.Gap == 0)
}
