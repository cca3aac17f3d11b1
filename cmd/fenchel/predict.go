package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/reduce"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// predictor is one run of the verb predict.
type predictor struct {
	in            option.Input
	out           string
	scores        bool
	probabilities bool
	prove         bool          // add what is proved of the exact optimum's scores
	proved        *model.Proved // nil: nothing
	interval      bool
	whiten        bool
	randomised    bool
	seed          uint64       // of what is added to scores
	done          int          // rows of the sets before
	unscored      atomic.Int64 // rows so far without a finite score
}

func newPredict() *cobra.Command {
	p := &predictor{}
	cmd := &cobra.Command{
		Use:   "predict MODEL DATA...",
		Short: "Predict a label or number for every row, or project it",
		Long: `Predict writes one line for each row of DATA: the label, spelled as in the
training data, or the number. With --scores the scores follow, with
--probabilities the probability of each class in the order of "fenchel info",
separated by tabs; those of train --probabilities and of svm-train -b 1 are of a
calibration, and the label is then the class of the highest. Of the loss poisson the number is the mean. --id begins each line with a column of the table. A label with
a newline, tab or other control character is quoted, as in "a\nb", so that a row stays a line. --keep copies other columns behind the one of --id, as texts.

A file that is called .csv gets commas and a line of names: label,
score and p_CLASS, prediction, the names of several targets, or pc1, pc2, ... (with
predicted_ before a name that a copied column has). .jsonl is an object of these a
line, .json an array of them, .parquet a table of them; labels of which every one is
a number are numbers there. .npy is an array of numbers, rows x columns, without names,
and refuses texts. .gz and .zst behind these compress. Targets in DATA are not
used; tables need not have them. Where the model's features have no names, columns
are these, or these and the target: last, if it is not called so. If MODEL are
principal components, the line is the coordinates of the row along these,
separated by tabs. From a .fen file rows are scored as they are written: it may
be larger than memory. Lines from standard input are answered as they come.

With --proved the label, or the number, is followed by the score and by the lowest and
the highest score that an exact optimum of the model's problem can give to the row (of
numbers by the lowest and the highest prediction), and for classes by 1 where the label
is the same for all of these, else 0. The model must be one of train --proved, or have
no free bias.

With --randomise a number uniform in [-1/2, 1/2], drawn anew for each row, is added to
each score of a class before it decides: the classifier of which "fenchel sparsify"
proves that it errs as often as its slant loss says. Without it there are fewer errors as
a rule.`,
		Args: option.Arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args) },
	}
	p.in.Register(cmd, false)
	f := cmd.Flags()
	f.StringVarP(&p.out, "output", "o", "", "write to this file instead of standard output (-)")
	f.StringVar(&p.in.Opt.ID, "id", "", "begin each line with this column of a table, by name or position from 1")
	f.StringSliceVar(&p.in.Opt.Keep, "keep", nil, "copy these columns of a table, as they are spelled: names or positions from 1, separated by commas")
	f.BoolVar(&p.scores, "scores", false, "add the scores")
	f.BoolVar(&p.probabilities, "probabilities", false, "add the probabilities (loss logistic, train --probabilities, or LIBSVM's -b 1)")
	f.BoolVar(&p.prove, "proved", false, "add the lowest and highest score that an exact optimum can give, and whether the label is sure")
	f.BoolVar(&p.interval, "interval", false, "add both ends of the interval of each number, or the set of labels, joined by |, of a model of train --interval")
	f.BoolVar(&p.whiten, "whiten", false, "divide coordinates along principal components by the deviation along each")
	f.Uint64Var(&p.seed, "randomise", 0, "add a number uniform in [-1/2, 1/2] to each score before it decides, drawn by this seed")
	return cmd
}

func (p *predictor) run(cmd *cobra.Command, args []string) error {
	inputs := append(slices.Clone(args), p.in.Opt.Labels, p.in.Opt.Weights)
	if err := cmp.Or(p.in.Check(cmd, args[1:]), paths.KeepInputs("--output", p.out, inputs...), exitcode.BadData(paths.CheckFolder(p.out))); err != nil {
		return err
	}
	m, components, err := option.ReadModel(cmd, args[0])
	if err != nil {
		return err
	}
	if components != nil {
		return p.project(cmd, components, args[1:])
	}
	if p.whiten {
		return errors.New("--whiten: found a model that predicts, expected principal components")
	}
	if err := p.checkProbabilities(cmd, m); err != nil {
		return err
	}
	if p.interval && m.Coverage == nil {
		return errors.New("--interval: found a model without intervals, expected one of train --interval")
	}
	if p.randomised = cmd.Flags().Changed("randomise"); p.randomised && (m.Classes == nil || p.probabilities) {
		return errors.New("--randomise: found a model of numbers, or probabilities that decide, expected classes that scores decide")
	}
	if err := p.checkProved(m); err != nil {
		return err
	}
	p.in.ForModel(cmd, m)
	p.in.Opt.Unweighted = true
	return p.in.Sets(cmd, p.out, args[1:], func(set *data.Set) error { return p.predict(cmd, m, set) })
}

// checkProbabilities refuses a model that has none. Of numbers LIBSVM knows how large
// their errors are, which is said once.
func (p *predictor) checkProbabilities(cmd *cobra.Command, m *model.Model) error {
	switch {
	case !p.probabilities || m.HasProbabilities():
		return nil
	case m.Calibration != nil:
		fmt.Fprintf(cmd.ErrOrStderr(), "target = prediction + z, with the density exp(-|z|/sigma)/(2 sigma) of z, sigma %g\n", m.Calibration.Laplace)
		return nil
	case m.IsImported() && m.Support != nil:
		return errors.New("--probabilities: found none in the model, expected one of svm-train -b 1")
	}
	return fmt.Errorf("--probabilities: the model was trained with the loss %s, expected logistic, or train --probabilities", m.Statement.Loss)
}

// checkProved refuses a model of whose predictions nothing is proved.
func (p *predictor) checkProved(m *model.Model) (err error) {
	if !p.prove {
		return nil
	}
	if p.randomised || p.probabilities || p.scores {
		return errors.New("--proved: found --randomise, --probabilities or --scores beside it, expected none: it is about the scores, which it writes")
	}
	if p.proved, err = m.Proved(); err != nil {
		return exitcode.BadData(fmt.Errorf("--proved: %w", err))
	}
	return nil
}

// predict writes what the model says of a set.
func (p *predictor) predict(cmd *cobra.Command, m *model.Model, set *data.Set) error {
	if err := pose.CheckRows(m, set); err != nil {
		return exitcode.BadData(err)
	}
	x, err := m.Prepare(set.X)
	if err != nil {
		return exitcode.BadData(err)
	}
	err = p.in.WriteResults(cmd, p.out, set, blockRows, p.columns(m), func(r *printing.Rows, lo, hi int) { p.write(r, m, x, lo, hi) })
	p.done += set.Rows()
	if unscored := p.unscored.Load(); err == nil && unscored > 0 {
		printing.Warn(cmd, []error{pose.Unscored(int(unscored), set.Rows())})
	}
	return err
}

// blockRows is how many rows are scored and spelled at a time: enough to make
// hand-over free, little enough to stay in a core's cache.
const blockRows = 1024

// write writes the predictions of the rows from lo to hi. Rows are scored as they
// are written: what is in memory does not grow with their number.
func (p *predictor) write(r *printing.Rows, m *model.Model, x matrix.Matrix, lo, hi int) {
	k := len(m.Outputs)
	var probabilities []float64
	var bounds []model.Interval
	all := make([]float64, k*(hi-lo))
	if p.proved != nil {
		bounds = make([]model.Interval, len(all))
		p.proved.ScoreRows(all, bounds, x, lo, hi)
	} else {
		m.ScoreRows(all, x, lo, hi)
	}
	p.unscored.Add(int64(pose.CountUnscored(m, slices.Chunk(all, k))))
	for i := lo; i < hi; i++ {
		scores := all[k*(i-lo) : k*(i-lo+1)]
		class := 0
		if p.randomised {
			random := p.random(p.done + i)
			for o := range scores {
				scores[o] = reduce.Randomise(scores[o], 1, random)
			}
		}
		switch {
		case m.Classes == nil:
		case p.probabilities:
			probabilities = m.Probabilities(probabilities[:0], scores)
			class = m.Likeliest(scores, probabilities)
		default:
			class = m.Decide(scores)
		}
		if r.Begin(i); m.Classes == nil {
			for _, score := range scores {
				r.Numbers(m.Number(score))
			}
		} else {
			r.Field(m.Classes[class])
		}
		if p.scores {
			r.Numbers(scores...)
		}
		if p.proved != nil {
			p.writeProved(r, m, scores, bounds[k*(i-lo):k*(i-lo+1)])
		}
		r.Numbers(probabilities...)
		if p.interval {
			writeInterval(r, m, x.Row(i), scores)
		}
		r.End()
	}
}

// writeProved writes what is proved of a row with these scores.
func (p *predictor) writeProved(r *printing.Rows, m *model.Model, scores []float64, bounds []model.Interval) {
	for c, b := range bounds {
		if m.Classes == nil {
			r.Numbers(m.Number(b.Low), m.Number(b.High))
		} else {
			r.Numbers(scores[c], b.Low, b.High)
		}
	}
	if m.Classes != nil {
		sure := 0.0
		if p.proved.Sure(bounds) {
			sure = 1
		}
		r.Numbers(sure)
	}
}

// writeInterval writes the ends of an interval, or the labels of a set.
func writeInterval(r *printing.Rows, m *model.Model, x matrix.Vector, scores []float64) {
	if m.Classes == nil {
		lower, upper := m.Interval(x, scores[0])
		r.Numbers(lower, upper)
		return
	}
	var labels []string
	for _, class := range m.Labels(nil, x, scores) {
		labels = append(labels, m.Classes[class])
	}
	r.Field(strings.Join(labels, "|"))
}

// random is a generator of a row's own, of which neighbouring seeds and rows share nothing: a stream cipher.
func (p *predictor) random(row int) *rand.Rand {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], p.seed)
	binary.LittleEndian.PutUint64(key[8:], uint64(row))
	return rand.New(rand.NewChaCha8(key))
}

// columns are those of predictions. Labels that are numbers, every one, are numbers where the format has these.
func (p *predictor) columns(m *model.Model) []set.Result {
	var columns []set.Result
	for _, name := range p.names(m) {
		columns = append(columns, set.Result{Name: name})
	}
	columns[0].Text = slices.ContainsFunc(m.Classes, func(class string) bool {
		v, err := strconv.ParseFloat(class, 64)
		return err != nil || math.IsNaN(v) || math.IsInf(v, 0)
	})
	columns[len(columns)-1].Text = columns[len(columns)-1].Text || p.interval && m.Classes != nil
	return columns
}

// names are those of the columns of predictions.
func (p *predictor) names(m *model.Model) []string {
	names := []string{"label"}
	if targets := pose.TargetNames(m); targets != nil {
		names = targets
	} else if m.Classes == nil {
		names[0] = "prediction"
	}
	if p.scores && len(m.Outputs) == 1 {
		names = append(names, "score")
	} else if p.scores {
		for c := range m.Outputs {
			names = append(names, "score_"+result.OutputName(m, c))
		}
	}
	if p.proved != nil {
		for c := range m.Outputs {
			of := ""
			if len(m.Outputs) > 1 {
				of = "_" + result.OutputName(m, c)
			}
			if m.Classes != nil {
				names = append(names, "score"+of)
			}
			names = append(names, "lowest"+of, "highest"+of)
		}
		if m.Classes != nil {
			names = append(names, "sure")
		}
	}
	if p.probabilities {
		for _, class := range m.Classes {
			names = append(names, "p_"+class)
		}
	}
	if p.interval && m.Classes == nil {
		names = append(names, "lower", "upper")
	} else if p.interval {
		names = append(names, "labels")
	}
	return names
}

// project writes the coordinates of every row along the components.
func (p *predictor) project(cmd *cobra.Command, m *model.PCA, sources []string) error {
	if p.scores || p.probabilities || p.interval || p.prove || cmd.Flags().Changed("randomise") {
		return errors.New("--scores, --probabilities, --interval, --proved, --randomise: found principal components, expected a model that predicts")
	}
	option.Whiten(m, p.whiten)
	p.in.ForComponents(cmd, m)
	return p.in.Sets(cmd, p.out, sources, func(set *data.Set) error {
		score, err := m.Scorer(set)
		if err != nil {
			return exitcode.BadData(err)
		}
		return p.in.WriteRows(cmd, p.out, set, blockRows, printing.Numbered("pc", m.Statement.K), func(i int) []float64 {
			scores := make([]float64, m.Statement.K)
			score(scores, i)
			return scores
		})
	})
}
