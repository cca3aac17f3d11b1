package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// drawer is one run of the verb draw.
type drawer struct {
	in        option.Input
	data      []string
	out, x, y string
	kind      string // of picture; "": what suits the model
}

func newDraw() *cobra.Command {
	d := &drawer{}
	cmd := &cobra.Command{
		Use:   "draw FILE... -o PICTURE",
		Short: "Draw traces of training, weights, components, or predictions",
		Long: `Draw makes an SVG picture of what other verbs wrote:

    files of train --trace         the gap of each run against its epochs,
                                   or other columns: --x, --y
    linear models, several         their weights against lambda, the 12 largest
    principal components           the share of the variance of each, and of all
                                   up to it
    a model of classes and --data  with two features, the class at every point
                                   and the rows; else the confusion matrix
    a model of numbers and --data  predicted against true numbers
    a model, --data and --kind     the ROC curve (roc), precision by recall
                                   (pr), whether probabilities are true
                                   (reliability),
                                   residuals, the largest weights, and how much
                                   worse predictions get without what a column
                                   tells (importance)

Of the rows of --data at most 500, evenly spread, are drawn as dots. An axis is logarithmic
if its numbers are positive and differ by a factor above 50.`,
		Example: `  fenchel draw sdca.csv saga.csv -o gaps.svg
  fenchel draw sdca.csv saga.csv --x train_seconds -o seconds.svg
  fenchel draw spirals.model --data spirals.svm -o spirals.svg
  fenchel draw titanic.model --data test.csv --kind roc -o roc.svg`,
		Args: option.Arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args) },
	}
	d.in.Register(cmd, false)
	f := cmd.Flags()
	f.StringArrayVar(&d.data, "data", nil, "rows to draw, or to count in a confusion matrix (may be repeated)")
	f.StringVarP(&d.out, "output", "o", "", "write the picture to this SVG file")
	f.StringVar(&d.kind, "kind", "", "with --data, which picture: "+strings.Join(pictures(), ", ")+" (default regions of two features, else confusion of classes and predicted of numbers)")
	f.StringVar(&d.x, "x", "epoch", "column of the traces from left to right")
	f.StringVar(&d.y, "y", "gap", "column of the traces from below to above")
	option.Complete(cmd, "kind", pictures()...)
	return cmd
}

// pictures are the kinds of pictures of a model and rows.
func pictures() []string { return append([]string{"regions"}, reportpage.Kinds()...) }

func (d *drawer) run(cmd *cobra.Command, files []string) error {
	if d.out == "" || d.out == "-" {
		return errors.New("draw: found no file for the picture, expected -o FILE.svg")
	}
	if d.kind != "" && !slices.Contains(pictures(), d.kind) {
		return fmt.Errorf("--kind %s: expected %s", printing.Spell(d.kind), strings.Join(pictures(), ", "))
	}
	if d.kind != "" && len(d.data) == 0 {
		return fmt.Errorf("--kind %s: found no rows, expected --data too", d.kind)
	}
	if err := cmp.Or(d.in.Check(cmd, d.data), paths.CheckOutputs([][2]string{{"--output", d.out}}, slices.Concat(files, d.data))); err != nil {
		return err
	}
	picture, err := d.picture(cmd, files)
	if err != nil {
		return err
	}
	return exitcode.BadData(file.WriteFile(d.out, picture.WriteSVG))
}

// picture makes what suits the files.
func (d *drawer) picture(cmd *cobra.Command, files []string) (reportpage.Painter, error) {
	alone := errors.New("draw: found --data beside what is no single model that predicts, expected --data only with one")
	if report.IsTrace(files[0]) {
		if len(d.data) > 0 {
			return nil, alone
		}
		return d.traces(files)
	}
	var models []*model.Model
	spectrum := &figure.Figure{Title: "share of the variance", X: figure.Axis{Name: "component"}, Y: figure.Axis{Name: "share"}}
	for _, path := range files {
		m, components, err := option.ReadModel(cmd, path)
		if err != nil {
			return nil, err
		}
		if components != nil {
			spectrum.Curves = append(spectrum.Curves, shares(components, stem(path), 1+len(spectrum.Curves)/2)...)
		} else {
			models = append(models, m)
		}
	}
	switch {
	case len(d.data) > 0 && (len(models) != 1 || len(files) != 1):
		return nil, alone
	case len(models) == 0:
		return spectrum, nil
	case len(models) < len(files):
		return nil, errors.New("draw: found principal components and models that predict, expected one of the two")
	case len(models) > 1:
		return weightsPath(models)
	case len(d.data) == 0:
		return nil, errors.New("draw: found one model that predicts, expected --data with rows too, or several linear models")
	}
	return d.predictions(cmd, models[0])
}

// stem is the name of a file without its folder and extension.
func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// traces draws a curve for each class of each file.
func (d *drawer) traces(files []string) (reportpage.Painter, error) {
	f := &figure.Figure{Title: d.y + " of each run", X: figure.Axis{Name: d.x}, Y: figure.Axis{Name: d.y}}
	if d.y == "gap" {
		f.Title = "relative duality gap: proved at the marks, the solver's estimate between"
	}
	for _, path := range files {
		curves, err := report.ReadTrace(path, d.x, d.y, true)
		if errors.Is(err, report.ErrNoTrace) {
			err = fmt.Errorf("%w as the first is", err)
		}
		if err != nil {
			return nil, exitcode.BadData(err)
		}
		for _, c := range curves {
			c.Name = strings.TrimSuffix(stem(path)+": "+c.Name, ": ")
			f.Curves = append(f.Curves, c)
		}
	}
	f.X.Log = wide(f.Curves, func(c figure.Curve) []float64 { return c.X })
	f.Y.Log = wide(f.Curves, func(c figure.Curve) []float64 { return c.Y })
	return f, nil
}

// wide reports whether numbers want a logarithmic axis.
func wide(curves []figure.Curve, of func(figure.Curve) []float64) bool {
	lo, hi := math.Inf(1), 0.0
	for _, c := range curves {
		for _, v := range of(c) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo > 0 && hi > 50*lo
}

// shares are the share of the variance of each component, and of all up to it.
func shares(m *model.PCA, name string, style int) []figure.Curve {
	each, all := figure.Curve{Name: name, Style: style}, figure.Curve{Name: name + ", sum", Dashed: true, Style: style}
	sum := 0.0
	for k, v := range m.Eigenvalue {
		sum += v
		each.X, each.Y = append(each.X, float64(k+1)), append(each.Y, v/float64(m.Proof.Total))
		all.X, all.Y = append(all.X, float64(k+1)), append(all.Y, sum/float64(m.Proof.Total))
	}
	return []figure.Curve{each, all}
}

// mostWeights is how many weights are drawn: as many as can be told apart.
const mostWeights = figure.Styles

// weightsPath draws the largest weights of linear models against lambda.
func weightsPath(models []*model.Model) (reportpage.Painter, error) {
	first := models[0]
	highest := make([]float64, first.Cols())
	for _, m := range models {
		if !m.IsLinear() || len(m.Outputs) != 1 || m.Statement.Lambda <= 0 || m.Cols() != first.Cols() {
			return nil, fmt.Errorf("draw: found models of other kinds or features among several, expected linear models of one predictor, with a lambda and the %s of the first", printing.Count(first.Cols(), "feature"))
		}
		for j, w := range m.Outputs[0].Weights {
			highest[j] = max(highest[j], math.Abs(w))
		}
	}
	slices.SortStableFunc(models, func(a, b *model.Model) int { return cmp.Compare(a.Statement.Lambda, b.Statement.Lambda) })
	f := &figure.Figure{Title: "weights by lambda, penalty " + first.Statement.Penalty, X: figure.Axis{Name: "lambda", Log: true}, Y: figure.Axis{Name: "weight"}}
	for _, j := range report.Largest(highest, mostWeights) {
		c := figure.Curve{Name: report.FeatureName(first.Features, j)}
		for _, m := range models {
			c.X, c.Y = append(c.X, m.Statement.Lambda), append(c.Y, m.Outputs[0].Weights[j])
		}
		f.Curves = append(f.Curves, c)
	}
	return f, nil
}

// predictions draws what a model says of rows.
func (d *drawer) predictions(cmd *cobra.Command, m *model.Model) (reportpage.Painter, error) {
	d.in.ForModel(cmd, m)
	d.in.Opt.InOrder = true
	set, err := d.in.Read(cmd, d.data)
	if err != nil {
		return nil, err
	}
	if (d.kind == "" || d.kind == "regions") && m.Cols() == 2 && m.Classes != nil {
		if _, err := fenchel.Evaluate(cmd.Context(), m, set, fenchel.Options{Threads: d.in.Opt.Threads}); err != nil { // which refuses rows that do not fit
			return nil, exitcode.BadData(err)
		}
		return regions(m, set, dots(set.Rows())), nil
	}
	if d.kind == "regions" {
		return nil, errors.New("--kind regions: found another model, expected one of classes and two features")
	}
	picture, err := reportpage.Picture(cmd.Context(), reportpage.Asked{Model: m, Learned: set, Threads: d.in.Opt.Threads}, cmp.Or(d.kind, reportpage.Usual(m)))
	return picture, exitcode.BadData(err)
}

// dots are the numbers of the rows that are drawn.
func dots(n int) []int {
	rows := make([]int, min(n, reportpage.MostDots))
	for k := range rows {
		rows[k] = k * n / len(rows)
	}
	return rows
}

// regions draws the class at every point of a plane of two features, and rows in it by their class, of
// a machine of one class as it takes them. Offsets that were taken off columns are added again.
func regions(m *model.Model, set *data.Set, rows []int) *figure.Figure {
	offset, factor := slices.Repeat([]float64{0}, 2), slices.Repeat([]float64{1}, 2)
	copy(offset, m.Schema.Offsets())
	copy(factor, m.Schema.Factors())
	names := m.Features
	if names == nil {
		names = []string{"feature 1", "feature 2"}
	}
	f := &figure.Figure{Title: "the class at every point, and rows", X: figure.Axis{Name: names[0]}, Y: figure.Axis{Name: names[1]}}
	f.Ground = func(x, y float64) int {
		at := matrix.Vector{Value: []float32{float32((x - offset[0]) * factor[0]), float32((y - offset[1]) * factor[1])}}
		return 1 + m.Decide(m.Scores(nil, at))
	}
	for _, class := range m.Classes {
		f.Curves = append(f.Curves, figure.Curve{Name: class, Points: true})
	}
	for _, i := range rows {
		row := set.X.Row(i)
		class := m.Decide(m.Scores(nil, row))
		if !m.OneClass() {
			if class = slices.Index(m.Classes, set.Target.Label[set.Target.Code[i]]); class < 0 {
				continue
			}
		}
		var at [2]float64
		for k, v := range row.Value {
			if row.Index != nil {
				k = int(row.Index[k])
			}
			if k < len(at) {
				at[k] = float64(v)
			}
		}
		c := &f.Curves[class]
		c.X, c.Y = append(c.X, at[0]/factor[0]+offset[0]), append(c.Y, at[1]/factor[1]+offset[1])
	}
	return f
}
