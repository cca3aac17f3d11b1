// Package components has the verbs of principal components: pca, merge, reconstruct, and what
// others say of such models.
package components

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/interrupt"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/live"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/memory"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/terminal"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
	"github.com/fenchel-ml/fenchel/solver"
)

// reducer is one run of the verb pca.
type reducer struct {
	in     option.Input
	spec   pca.Spec
	kernel option.KernelFlags
	center bool
	stream bool

	observed bool // missing numbers are not replaced by means

	components string // a number, a share or all
	iterate    string // which iterate of a relaxed matrix is the answer
	round      string // how that is rounded to a subspace
	regret     bool   // the regret is reported
	resume     string // model file; "": begins anew
	out        string
	notes      []string // NAME=TEXT
	force      bool     // -o may replace any file
	json       bool
	quiet      bool

	live        string            // where a page is served; "": nowhere
	shown       *terminal.Display // nil: nothing is
	page        *live.Page        // nil: none is served
	set         *data.Set         // nil of a stream
	table       *data.Schema      // nil: no table
	result      *pca.Result
	read, total time.Duration
}

// NewPCA makes the verb pca: principal components of data or of a stream.
func NewPCA() *cobra.Command {
	p := &reducer{}
	cmd := &cobra.Command{
		Use:   "pca DATA... -k K [-o MODEL]",
		Short: "Find principal components, and prove how much variance others could capture",
		Long: `Pca finds the K orthonormal directions that capture most of the variance of the
rows of DATA, and proves how much the best directions could capture at most.
Targets in DATA are not used. Tables are centred and scaled (--scale std), as
their columns have units of their own, and a column called target, label, class or y,
or named by --target, is left out. Other rows are centred if at least one value in
twenty is not zero, or --center asks for it; sparse ones stay sparse either way.
Without centring it is the second moment about 0 that is captured, not a variance.
When the run is interrupted, or its --time is over, the best components so far are
written, with their proof.

With --stream, or from standard input, each row is read once and forgotten:
memory does not grow with their number. One row in twenty (--hold-out) is then held
out, and what the components capture of them is reported instead of a proof. The
scale is that of all rows learned.
"--method ipca --stream --hold-out 0 --scale none" is scikit-learn's IncrementalPCA. The model of a stream
can go on with later rows: --resume MODEL. If a row is bad, or the run is
interrupted, what was learned from the rows before is written.

Missing numbers of a table are replaced by the means of their columns. With --observed, or the
method ppca, they are not: components are then those of the observed numbers alone, without a
proof, and predict projects rows by the features that they have.

With --kernel components are of the images of rows in the space of a kernel, centred there
unless --center=false, and the proof is about all directions of that space; up to 16384 rows,
whose matrix is formed. With --map they are of the features of a map, which takes any number
of rows, and streams: those of a stream are of its first rows.

"fenchel predict MODEL DATA" writes the coordinates of rows along the components,
"fenchel reconstruct" makes rows of them again. The exit code is 0 if the gap is
proved, or a stream has ended; for the others see "fenchel help exit-codes".`,
		Example: `  fenchel pca @low-rank -k 5
  fenchel pca wine.csv -k 0.95 -o wine.pca
  fenchel pca digits.csv.gz -k 50 -o digits.pca
  fenchel pca news.svm -k 100 --center -o news.pca
  fenchel pca digits.csv.gz -k 20 --kernel rbf --gamma 0.001 -o digits.pca
  zcat clicks.svm.gz | fenchel pca - -k 20 -o clicks.pca
  fenchel pca later.svm -k 20 --resume clicks.pca -o clicks.pca`,
		Args: option.Arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args) },
	}
	p.register(cmd)
	return cmd
}

func (p *reducer) run(cmd *cobra.Command, sources []string) (err error) {
	started := time.Now()
	if err := p.check(cmd, sources); err != nil {
		return err
	}
	memory.TidyMemory()
	p.shown, p.page, err = live.Begin(cmd, p.live, p.quiet)
	defer func() { p.shown.Done() }()
	defer func() { p.endLive(err) }()
	if err != nil {
		return err
	}
	p.shown.Reading("reading", &p.in.Opt)
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

// fit reads all rows and finds their components.
func (p *reducer) fit(cmd *cobra.Command, sources []string) (err error) {
	started := time.Now()
	if p.set, err = p.in.Read(cmd, sources); err != nil {
		return err
	}
	if n := len(p.set.Gaps); n > 0 && !p.in.Opt.Observed {
		printing.Warn(cmd, []error{fmt.Errorf("missing numbers filled by the means of their columns: %d (the first in row %d)", n, p.set.Gaps[0][0]+1)})
	}
	p.spec.ZeroBased, p.table = p.set.ZeroBased, p.set.Schema
	p.read = time.Since(started)
	defer interrupt.Stopping(cmd.Context(), "certifying the best components")()
	p.shown.Phase("fitting")
	p.spec.Phase = p.shown.Phase
	p.result, err = pca.Fit(cmd.Context(), p.set, p.spec)
	return err
}

// learn reads the rows once. What was learned before an error is a result too.
func (p *reducer) learn(cmd *cobra.Command, sources []string) error {
	var s *pca.Stream
	var earlier *model.PCA
	if p.resume != "" {
		var err error
		if s, earlier, err = p.takeUp(); err != nil {
			return err
		}
		p.in.Opt.Schema = earlier.Schema
		p.in.Opt.Columns, p.in.Opt.ZeroBased = earlier.Cols(), earlier.Statement.ZeroBased || p.in.Opt.ZeroBased
	}
	defer interrupt.Stopping(cmd.Context(), "making components of what was learned")()
	began := time.Now()
	err := p.in.Blocks(cmd, sources, func(rows *data.RowStream, x matrix.Matrix) (err error) {
		p.table = rows.Schema
		if s == nil {
			if s, err = pca.NewStream(x, rows.Feature, p.spec); err != nil {
				return err
			}
			s.Schema = rows.Schema
		}
		if n := s.Rows(); n > 0 {
			p.shown.Learned(n)
			p.page.Learned(n)
		}
		return s.Learn(x)
	})
	p.shown.Phase("making components")
	if s == nil || s.Rows() == 0 {
		return err
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
		return err // the first one: too few rows came before it for components
	}
	p.read = time.Since(began) - p.result.Fit
	return learnedBefore(err, s.Rows())
}

// learnedBefore adds to an error in mid-stream that not all is lost.
func learnedBefore(err error, rows int) error {
	if e := exitcode.Of(err); err != nil && e.Code == exitcode.Data {
		return &exitcode.Error{Code: e.Code, Err: fmt.Errorf("%w (%s before it learned)", err, printing.Count(rows, "row"))}
	}
	return err
}

// takeUp reads the model to go on from.
func (p *reducer) takeUp() (*pca.Stream, *model.PCA, error) {
	m, err := model.ReadPCAFile(p.resume)
	if err != nil {
		return nil, nil, exitcode.BadData(err)
	}
	if p.components != "" && p.spec.K != m.Statement.K {
		return nil, nil, fmt.Errorf("--components %s: expected %d, as in the model to go on from", p.components, m.Statement.K)
	}
	s, err := pca.Resume(m, p.in.Opt.Threads)
	if err != nil {
		return nil, nil, exitcode.BadData(fmt.Errorf("%s: %w", p.resume, err))
	}
	return s, m, nil
}

// finish writes the model and reports.
func (p *reducer) finish(cmd *cobra.Command, sources []string) error {
	printing.Warn(cmd, p.result.Warnings)
	if p.out != "" {
		p.shown.Phase("writing")
		written := interrupt.Stopping(cmd.Context(), "writing the model")
		err := p.result.Model.WriteFile(p.out)
		if written(); err != nil {
			return exitcode.BadData(err)
		}
	}
	p.shown.Done()
	out := p.report()
	said := printing.Print(cmd, p.json, out, func(r printing.Report) { p.print(r, out, sources) })
	// A method that has read a stream did what was asked, without a gap, and so did one of restricted
	// components unless a gap was asked for; of others the gap decides.
	return cmp.Or(said, exitcode.Ended(p.result.Status, result.Estimated(p.result.Model) || p.restricted()))
}

// endLive shows on the page how the run ended.
func (p *reducer) endLive(err error) {
	o := live.Outcome{Err: err}
	if p.result != nil {
		m := p.result.Model
		o.Status, o.ProvesNothing = p.result.Status, result.Estimated(m) || p.restricted()
		o.Print = func(r printing.Report) { printComponents(r, m, "") }
		o.Report = func(ctx context.Context) (*reportpage.Page, error) {
			if p.set == nil {
				return nil, errors.New("the rows are gone")
			}
			return reportpage.OfComponents(ctx, m, filepath.Base(cmp.Or(p.out, "the components")), p.set, nil, printing.Command(), p.in.Opt.Threads)
		}
	}
	p.page.End(o)
}

// restricted reports whether the method's components are not meant to be the best, and no gap was asked for.
func (p *reducer) restricted() bool {
	m, err := methods.New(p.result.Model.Statement.Method)
	_, restricted := m.(method.Restricted)
	return err == nil && restricted && p.spec.Gap == 0
}
