// Command plot draws results.csv of the races, and what "fenchel reproduce" writes:
//
//	go run -C bench ./plot RESULTS.csv FOLDER
//
// Of the races it writes, for each loss and lambda, one SVG with a tile for each set:
// accuracy against seconds of solving alone, both logarithmic; and one with a tile
// for each kernel machine, against seconds of whole processes. Of an experiment it
// writes one SVG and one PNG with its tiles as in the source: see experiment.go.
package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: plot RESULTS.csv FOLDER")
		os.Exit(1)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

// run draws all figures.
func run(results, folder string) error {
	file, err := os.Open(results)
	if err != nil {
		return err
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return err
	}
	if len(records) > 0 && slices.Equal(records[0], experimentHeader) {
		f, err := readExperiment(records)
		if err != nil {
			return fmt.Errorf("%s: %w", results, err)
		}
		name := filepath.Join(folder, strings.TrimSuffix(filepath.Base(results), ".csv"))
		return errors.Join(f.draw(name+".svg"), f.draw(name+".png"))
	}
	figures, err := readFigures(records)
	if err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	for _, f := range figures {
		if err := f.draw(filepath.Join(folder, f.name+".svg")); err != nil {
			return err
		}
	}
	return nil
}

// A figure has the tiles of one loss and lambda, of kernel machines, or of an
// experiment.
type figure struct {
	name   string
	across int     // tiles in a row
	tiles  []*tile // row by row; nil: left empty
}

// A tile has the curves of one problem.
type tile struct {
	title  string
	x, y   axis
	curves []*curve
}

// An axis is linear or logarithmic.
type axis struct {
	name string
	log  bool
}

// A curve is what one competitor reached, and when.
type curve struct {
	name   string
	points plotter.XYs
}

// nameOf is the figure of a linear model: "logistic-c100" for lambda = 1/(100n).
func nameOf(loss, lambda string) string {
	return loss + "-" + strings.NewReplacer("1/n", "c1", "1/(", "c", "n)", "").Replace(lambda)
}

// best is where accuracies end: nearer to the least objective than this, it is
// the optimum itself that is not known.
const best = 1e-9

// readFigures gathers the rows that belong to curves: Fenchel's certificates
// and the peers' sweeps.
func readFigures(records [][]string) ([]*figure, error) {
	if len(records) == 0 {
		return nil, fmt.Errorf("found no header")
	}
	column := map[string]int{}
	for i, name := range records[0] {
		column[name] = i
	}
	for _, name := range []string{"race", "kind", "set", "loss", "lambda", "kernel", "contender", "seconds", "accuracy"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("found no column %q", name)
		}
	}
	var figures []*figure
	for line, r := range records[1:] {
		get := func(name string) string { return r[column[name]] }
		if get("kind") != "trace" && get("kind") != "sweep" || strings.HasPrefix(get("set"), "rows=") { // parts of a set
			continue
		}
		x, errX := strconv.ParseFloat(get("seconds"), 64)
		y, errY := strconv.ParseFloat(get("accuracy"), 64)
		if errX != nil || errY != nil {
			return nil, fmt.Errorf("line %d: found seconds %q and accuracy %q, expected numbers", line+2, get("seconds"), get("accuracy"))
		}
		name, what := nameOf(get("loss"), get("lambda")), get("loss")
		if get("race") == "kernel" {
			name, what = "kernel", get("kernel")
		}
		title := fmt.Sprintf("%s, %s, lambda = %s", get("set"), what, get("lambda"))
		c := place(&figures, name).tile(title).curve(get("contender"))
		c.points = append(c.points, plotter.XY{X: max(x, 1e-6), Y: min(max(y, best), 1)})
	}
	return figures, nil
}

func place(figures *[]*figure, name string) *figure {
	for _, f := range *figures {
		if f.name == name {
			return f
		}
	}
	*figures = append(*figures, &figure{name: name, across: 2})
	return (*figures)[len(*figures)-1]
}

func (f *figure) tile(title string) *tile {
	for _, t := range f.tiles {
		if t.title == title {
			return t
		}
	}
	f.tiles = append(f.tiles, &tile{title: title, x: axis{"seconds", true}, y: axis{"accuracy", true}})
	return f.tiles[len(f.tiles)-1]
}

func (t *tile) curve(name string) *curve {
	for _, c := range t.curves {
		if c.name == name {
			return c
		}
	}
	t.curves = append(t.curves, &curve{name: name})
	return t.curves[len(t.curves)-1]
}

// Sizes of a tile.
const width, height = 11 * vg.Centimeter, 8 * vg.Centimeter

// A picture is a canvas that can be written.
type picture interface {
	vg.CanvasSizer
	WriteTo(io.Writer) (int64, error)
}

// draw writes the figure, as the extension of path says: svg or png.
func (f *figure) draw(path string) error {
	across := f.across
	down := (len(f.tiles) + across - 1) / across
	var canvas picture = vgsvg.New(width*vg.Length(across), height*vg.Length(down))
	if filepath.Ext(path) == ".png" {
		canvas = vgimg.PngCanvas{Canvas: vgimg.New(width*vg.Length(across), height*vg.Length(down))}
	}
	tiles := draw.Tiles{Rows: down, Cols: across, PadX: vg.Centimeter / 2, PadY: vg.Centimeter / 2,
		PadTop: vg.Centimeter / 4, PadBottom: vg.Centimeter / 4, PadLeft: vg.Centimeter / 4, PadRight: vg.Centimeter / 2}
	for i, t := range f.tiles {
		if t == nil {
			continue
		}
		p, err := t.plot()
		if err != nil {
			return err
		}
		p.Draw(tiles.At(draw.New(canvas), i%across, i/across))
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := canvas.WriteTo(file); err != nil {
		return err
	}
	return file.Close()
}

// colours that also people who see few colours can tell apart (Okabe and Ito),
// Fenchel's first.
var colours = []color.RGBA{
	{213, 94, 0, 255}, {0, 114, 178, 255}, {86, 180, 233, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {120, 120, 120, 255}, {0, 0, 0, 255},
}

// plot makes the axes and curves of a tile.
func (t *tile) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = t.title
	p.X.Label.Text, p.Y.Label.Text = t.x.name, t.y.name
	for _, a := range []struct {
		of   axis
		axis *plot.Axis
	}{{t.x, &p.X}, {t.y, &p.Y}} {
		if a.of.log {
			a.axis.Scale, a.axis.Tick.Marker = plot.LogScale{}, powers{}
		}
	}
	p.Legend.Left, p.Legend.TextStyle.Font.Size = true, vg.Points(7) // curves fall to the right
	p.Add(plotter.NewGrid())
	for i, c := range t.curves {
		slices.SortFunc(c.points, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
		line, marks, err := plotter.NewLinePoints(c.points)
		if err != nil {
			return nil, err
		}
		line.Color, marks.Color, marks.Radius = colours[i%len(colours)], colours[i%len(colours)], vg.Points(1.5)
		if c.name == "fenchel" {
			line.Width = vg.Points(2)
		}
		p.Add(line, marks)
		p.Legend.Add(c.name, line)
	}
	if t.x.log { // log scales need room where all points are equal
		p.X.Min, p.X.Max = p.X.Min/1.2, p.X.Max*1.2
	}
	if t.y.log {
		p.Y.Min, p.Y.Max = p.Y.Min/1.2, p.Y.Max*1.2
	}
	return p, nil
}

// powers marks 1, 2 and 5 times the powers of ten of an axis, and labels the
// powers.
type powers struct{}

// Ticks implements plot.Ticker.
func (powers) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	labels := 0
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for _, digit := range []float64{1, 2, 5} {
			v := digit * math.Pow(10, e)
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if digit == 1 {
				t.Label = fmt.Sprintf("1e%d", int(e))
				labels++
			}
			ticks = append(ticks, t)
		}
	}
	if labels < 2 { // less than two decades: the other marks tell more
		for i := range ticks {
			ticks[i].Label = fmt.Sprintf("%.2g", ticks[i].Value)
		}
	}
	return ticks
}
