package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// drawer is one run of the verb draw.
type drawer struct {
	in        option.Input
	data      []string
	out, x, y string
}

// painter is what writes a picture.
type painter interface{ WriteSVG(io.Writer) error }

func newDraw() *cobra.Command {
	d := &drawer{}
	cmd := &cobra.Command{
		Use:   "draw FILE... -o PICTURE",
		Short: "Draw traces of training, weights, components, or predictions",
		Long: `Draw makes an SVG picture of what other verbs wrote:

    files of train --trace         the gap of each run against its epochs,
                                   or other columns: --x, --y
    linear models, several         their weights against lambda, the 14 largest
    principal components           the share of the variance of each, and of all
                                   up to it
    a model of classes and --data  with two features, the class at every point
                                   and the rows; else the confusion matrix
    a model of numbers and --data  predicted against true numbers

Of the rows of --data at most 500, evenly spread, are drawn as dots. An axis is logarithmic
if its numbers are positive and differ by a factor above 50.`,
		Example: `  fenchel draw sdca.csv saga.csv -o gaps.svg
  fenchel draw sdca.csv saga.csv --x train_seconds -o seconds.svg
  fenchel draw spirals.model --data spirals.svm -o spirals.svg`,
		Args: option.Arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return d.run(cmd, args) },
	}
	d.in.Register(cmd, false)
	f := cmd.Flags()
	f.StringArrayVar(&d.data, "data", nil, "rows to draw, or to count in a confusion matrix (may be repeated)")
	f.StringVarP(&d.out, "output", "o", "", "write the picture to this SVG file")
	f.StringVar(&d.x, "x", "epoch", "column of the traces from left to right")
	f.StringVar(&d.y, "y", "gap", "column of the traces from below to above")
	return cmd
}

func (d *drawer) run(cmd *cobra.Command, files []string) error {
	if d.out == "" || d.out == "-" {
		return errors.New("draw: found no file for the picture, expected -o FILE.svg")
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
func (d *drawer) picture(cmd *cobra.Command, files []string) (painter, error) {
	alone := errors.New("draw: found --data beside what is no single model that predicts, expected --data only with one")
	if isTrace(files[0]) {
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
			spectrum.Curves = append(spectrum.Curves, shares(components, stem(path))...)
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

// traceHead begins every file of train --trace.
const traceHead = "class,epoch,"

func isTrace(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := bufio.NewReader(f).Peek(len(traceHead))
	return string(head) == traceHead
}

// stem is the name of a file without its folder and extension.
func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// traces draws a curve for each class of each file.
func (d *drawer) traces(files []string) (painter, error) {
	f := &figure.Figure{Title: d.y + " of each run", X: figure.Axis{Name: d.x}, Y: figure.Axis{Name: d.y}}
	if d.y == "gap" {
		f.Title = "relative duality gap: proved at the dots, the solver's estimate between"
	}
	for _, path := range files {
		curves, err := d.trace(path)
		if err != nil {
			return nil, exitcode.BadData(err)
		}
		f.Curves = append(f.Curves, curves...)
	}
	for k := range f.Curves {
		f.Curves[k].Colour = figure.Contrast(k)
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

// trace reads the lines of a file that have both numbers, or for the gap its estimate.
func (d *drawer) trace(path string) (curves []figure.Curve, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !isTrace(path) {
		return nil, fmt.Errorf("%s: found another file, expected one of train --trace as the first is", path)
	}
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	x, y, estimate := slices.Index(lines[0], d.x), slices.Index(lines[0], d.y), slices.Index(lines[0], "gap_estimate")
	if x < 0 || y < 0 {
		return nil, fmt.Errorf("%s: --x %s, --y %s: expected columns of it: %s", path, d.x, d.y, strings.Join(lines[0], ", "))
	}
	for k, line := range lines[1:] {
		if k == 0 || line[0] != lines[k][0] {
			curves = append(curves, figure.Curve{Name: strings.TrimSuffix(stem(path)+": "+line[0], ": ")})
		}
		c := &curves[len(curves)-1]
		across, err1 := strconv.ParseFloat(line[x], 64)
		up, err2 := strconv.ParseFloat(line[y], 64)
		proved := d.y == "gap" && err2 == nil
		if d.y == "gap" && !proved && estimate >= 0 {
			up, err2 = strconv.ParseFloat(line[estimate], 64)
		}
		if err1 == nil && err2 == nil {
			c.X, c.Y, c.Marked = append(c.X, across), append(c.Y, up), append(c.Marked, proved)
		}
	}
	return curves, nil
}

// shares are the share of the variance of each component, and of all up to it.
func shares(m *model.PCA, name string) []figure.Curve {
	each, all := figure.Curve{Name: name}, figure.Curve{Name: name + ", sum", Dashed: true}
	sum := 0.0
	for k, v := range m.Eigenvalue {
		sum += v
		each.X, each.Y = append(each.X, float64(k+1)), append(each.Y, v/float64(m.Proof.Total))
		all.X, all.Y = append(all.X, float64(k+1)), append(all.Y, sum/float64(m.Proof.Total))
	}
	return []figure.Curve{each, all}
}

// mostWeights is how many weights are drawn: lines of two kinds in all colours.
const mostWeights = 14

// weightsPath draws the largest weights of linear models against lambda.
func weightsPath(models []*model.Model) (painter, error) {
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
	for k, j := range report.Largest(highest, mostWeights) {
		c := figure.Curve{Name: report.FeatureName(first.Features, j), Dashed: k >= mostWeights/2, Colour: figure.Contrast(k)}
		for _, m := range models {
			c.X, c.Y = append(c.X, m.Statement.Lambda), append(c.Y, m.Outputs[0].Weights[j])
		}
		f.Curves = append(f.Curves, c)
	}
	return f, nil
}

// mostDots is how many rows are drawn at most.
const mostDots = 500

// predictions draws what a model says of rows.
func (d *drawer) predictions(cmd *cobra.Command, m *model.Model) (painter, error) {
	d.in.ForModel(cmd, m)
	d.in.Opt.InOrder = true
	set, err := d.in.Read(cmd, d.data)
	if err != nil {
		return nil, err
	}
	e, err := fenchel.Evaluate(cmd.Context(), m, set, fenchel.Options{Threads: d.in.Opt.Threads}) // which refuses rows that do not fit
	if err != nil {
		return nil, exitcode.BadData(err)
	}
	rows := dots(set.Rows())
	switch {
	case m.Statement.Targets != nil:
		return nil, fmt.Errorf("draw: found a model of %d targets, expected one, whose predictions are drawn", len(m.Statement.Targets))
	case m.Classes == nil:
		return compared(m, set, rows)
	case m.Cols() == 2:
		return regions(m, set, rows), nil
	case e.Confusion == nil:
		return nil, errors.New("draw: found a model of one class and more than two features, expected one of two features")
	}
	return confusion(e), nil
}

// dots are the numbers of the rows that are drawn.
func dots(n int) []int {
	rows := make([]int, min(n, mostDots))
	for k := range rows {
		rows[k] = k * n / len(rows)
	}
	return rows
}

// confusion counts rows by true and predicted class.
func confusion(e *fenchel.Evaluation) *figure.Heat {
	h := &figure.Heat{Title: fmt.Sprintf("rows, accuracy %s", report.Number(e.Accuracy)), X: "predicted", Y: "true",
		Across: e.Confusion.Predicted, MarkX: -1, Written: func(v float64) string { return fmt.Sprintf("%.6g", v) }}
	for k := len(e.Confusion.True) - 1; k >= 0; k-- { // the first above
		h.Up, h.Values = append(h.Up, e.Confusion.True[k]), append(h.Values, e.Confusion.Count[k])
	}
	return h
}

// compared draws predicted numbers against true ones.
func compared(m *model.Model, set *data.Set, rows []int) (painter, error) {
	x, err := m.Prepare(set.X)
	if err != nil {
		return nil, exitcode.BadData(err)
	}
	points := figure.Curve{Name: "rows", Points: true}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, i := range rows {
		truth := set.Target.Number[i]
		points.X, points.Y = append(points.X, truth), append(points.Y, m.Predict(x.Row(i)))
		lo, hi = min(lo, truth), max(hi, truth)
	}
	equal := figure.Curve{Name: "equal", X: []float64{lo, hi}, Y: []float64{lo, hi}, Dashed: true}
	return &figure.Figure{Title: "predicted against true numbers", X: figure.Axis{Name: "true"}, Y: figure.Axis{Name: "predicted"}, Curves: []figure.Curve{points, equal}}, nil
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
		return figure.Contrast(m.Decide(m.Scores(nil, at)))
	}
	for k, class := range m.Classes {
		f.Curves = append(f.Curves, figure.Curve{Name: class, Points: true, Colour: figure.Contrast(k)})
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
