package figure

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// draw returns the elements of a figure, which must be XML.
func draw(t *testing.T, f *Figure) (text string, paths []string) {
	t.Helper()
	var out strings.Builder
	if err := f.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(strings.NewReader(out.String()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.String(), paths
		}
		if err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" {
			for _, a := range e.Attr {
				if a.Name.Local == "d" {
					paths = append(paths, a.Value)
				}
			}
		}
	}
}

func TestWriteSVG(t *testing.T) {
	nan := math.NaN()
	text, paths := draw(t, &Figure{Title: `a < b & "c"`, X: Axis{Name: "x", Log: true}, Y: Axis{Name: "y"}, Curves: []Curve{
		{Name: "whole", X: []float64{1, 10, 100}, Y: []float64{3, 2, 1}},
		{Name: "broken", X: []float64{1, 10, 100, 1000}, Y: []float64{1, nan, 2, 3}, Dashed: true},
		{Name: "not shown", X: []float64{-1, 0}, Y: []float64{1, 1}},
	}})
	if len(paths) != 3 || strings.Count(paths[0], "L") != 2 || strings.Count(paths[1], "M") != 2 || paths[2] != "" {
		t.Errorf("found the paths %q, expected one whole, one broken, one empty", paths)
	}
	if !strings.Contains(text, "a &lt; b &amp;") || !strings.Contains(text, "stroke-dasharray") {
		t.Errorf("found %s", text)
	}
	for _, empty := range []*Figure{{}, {Curves: []Curve{{}}}, {Curves: []Curve{{X: []float64{1}, Y: []float64{5}}}}, {Y: Axis{Log: true}, Curves: []Curve{{X: []float64{nan}, Y: []float64{-1}}}}} {
		if text, _ := draw(t, empty); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%+v: found a number that is not finite in %s", empty, text)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		s    span
		want []float64
	}{
		{span{Axis{}, 0, 1}, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{span{Axis{}, -3, 12}, []float64{0, 5, 10}},
		{span{Axis{Log: true}, 0, 1}, []float64{1, 2, 5, 10}},
		{span{Axis{Log: true}, -0.5, 4.5}, []float64{1, 10, 100, 1000, 10000}},
	} {
		found := c.s.ticks()
		if !slices.EqualFunc(found, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*max(1, math.Abs(b)) }) {
			t.Errorf("from %g to %g, log %t: found %v, expected %v", c.s.lo, c.s.hi, c.s.Log, found, c.want)
		}
	}
}

// TestSheet: panels stand beside and below each other, those that are nil stay empty.
func TestSheet(t *testing.T) {
	panel := func(name string) *Figure {
		return &Figure{Title: name, Curves: []Curve{{X: []float64{1, 2}, Y: []float64{1, 2}}}}
	}
	var out strings.Builder
	if err := (Sheet{{panel("a"), panel("b")}, {nil, panel("c")}}).WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`width="1440" height="880"`, `translate(0 0)`, `translate(720 0)`, `translate(720 440)`, ">a<", ">b<", ">c<"} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("%q is found %d times", want, strings.Count(out.String(), want))
		}
	}
	if strings.Contains(out.String(), "translate(0 440)") {
		t.Error("a panel that is nil is drawn")
	}
}

// Dots are points of no length with round ends; the ground has a path for each colour, whose squares
// fill the panel.
func TestGround(t *testing.T) {
	text, paths := draw(t, &Figure{
		Ground: func(x, y float64) int {
			if x > y {
				return 1
			}
			return 3
		},
		Curves: []Curve{
			{Points: true, Colour: 1, X: []float64{0, 1, math.NaN()}, Y: []float64{0, 1, 1}},
			{X: []float64{0, 1}, Y: []float64{1, 0}, Marked: []bool{false, true}},
		},
	})
	if len(paths) != 5 { // two colours, dots, a line, its mark
		t.Fatalf("found %d paths, expected 5: %q", len(paths), paths)
	}
	area := 0
	for _, d := range paths[:2] {
		for run := range strings.SplitSeq(strings.Trim(d, "M"), "M") {
			var left, top, wide, high, back int
			if _, err := fmt.Sscanf(run, "%d %dh%dv%dh%dz", &left, &top, &wide, &high, &back); err != nil || back != -wide {
				t.Fatalf("found the run %q (%v)", run, err)
			}
			area += wide * high
		}
	}
	if want := (width - left - right) * (height - top - below); area != want {
		t.Errorf("found squares of %d pixels in all, expected the panel's %d", area, want)
	}
	if strings.Count(paths[2], "h0") != 2 || strings.Count(paths[4], "h0") != 1 || strings.Contains(paths[3], "h0") {
		t.Errorf("found the paths %q, expected two dots, a line, one dot", paths[2:])
	}
	if !strings.Contains(text, `fill="#d55e00" fill-opacity`) || !strings.Contains(text, `stroke="#56b4e9"`) {
		t.Errorf("found other colours in %s", text)
	}
	if at := spanOf(Axis{Log: true}, []Curve{{X: []float64{1, 1000}}}, func(c Curve) []float64 { return c.X }); math.Abs(at.back(at.at(20))-20) > 1e-12 {
		t.Errorf("found %g where 20 stands", at.back(at.at(20)))
	}
}
