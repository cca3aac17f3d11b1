package figure

import (
	"encoding/xml"
	"errors"
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
