package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
)

// experimentHeader begins the points of an experiment, one a line. Tiles are laid
// out as their rows and columns come; an axis whose name ends in logAxis is
// logarithmic.
var experimentHeader = []string{"row", "column", "curve", "x_axis", "x", "y_axis", "y"}

const logAxis = " (log)"

// least is where logarithmic axes end: a suboptimality below is rounding.
const least = 1e-12

// readExperiment gathers the points.
func readExperiment(records [][]string) (*figure, error) {
	var rows, columns []string
	tiles := map[[2]string]*tile{}
	for line, r := range records[1:] {
		x, errX := strconv.ParseFloat(r[4], 64)
		y, errY := strconv.ParseFloat(r[6], 64)
		if errX != nil || errY != nil {
			return nil, fmt.Errorf("line %d: found x %q and y %q, expected numbers", line+2, r[4], r[6])
		}
		if !slices.Contains(rows, r[0]) {
			rows = append(rows, r[0])
		}
		if !slices.Contains(columns, r[1]) {
			columns = append(columns, r[1])
		}
		at := [2]string{r[0], r[1]}
		if tiles[at] == nil {
			tiles[at] = &tile{title: r[0] + ", " + r[1], x: axisOf(r[3]), y: axisOf(r[5])}
		}
		tiles[at].add(r[2], x, y)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("found no points, expected at least one")
	}
	f := &figure{across: len(columns)}
	for _, row := range rows {
		for _, column := range columns {
			f.tiles = append(f.tiles, tiles[[2]string{row, column}])
		}
	}
	return f, nil
}

// axisOf understands the name of an axis.
func axisOf(name string) axis {
	short, log := strings.CutSuffix(name, logAxis)
	return axis{short, log}
}

// add adds a point, if it can be drawn.
func (t *tile) add(name string, x, y float64) {
	if math.IsNaN(x+y) || math.IsInf(x, 0) || math.IsInf(y, 0) || t.x.log && x <= 0 {
		return
	}
	if t.y.log {
		y = max(y, least)
	}
	c := t.curve(name)
	c.points = append(c.points, plotter.XY{X: x, Y: y})
}
