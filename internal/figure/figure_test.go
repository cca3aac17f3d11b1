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
	paths = slices.DeleteFunc(paths, func(d string) bool { return d == "" || !strings.Contains(d, "L") }) // others are ticks, marks and the legend
	if len(paths) != 2 || strings.Count(paths[0], "L") != 2 || strings.Count(paths[1], "M") != 2 {
		t.Errorf("found the paths %q, expected one whole, one broken", paths)
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

// TestTicks: values are round, few of them have words, and the words tell them apart.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		s      span
		labels string
		name   string
	}{
		{span{Axis{}, 0, 1}, "0.0 0.2 0.4 0.6 0.8 1.0", ""},
		{span{Axis{}, -3, 12}, "0 5 10", ""},
		{span{Axis{Name: "loss"}, 1.99999988, 2.00000031}, "0 1 2 3 4", "loss - 1.9999999 (×10⁻⁷)"},
		{span{Axis{Name: "n"}, 0, 3.1e6}, "0 1 2 3", "n (×10⁶)"},
		{span{Axis{Log: true}, 0, 1}, "1 2 5 10", ""},
		{span{Axis{Log: true}, -0.5, 3.5}, "1 10 100 1000", ""},
		{span{Axis{Log: true}, -9.5, 1.5}, "10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 10⁰", ""},
		{span{Axis{Log: true}, -6.4, -5.5}, "5·10⁻⁷ 10⁻⁶ 2·10⁻⁶", ""},
		{span{Axis{Log: true}, 0.1, 0.5}, "1.5 2.0 2.5 3.0", ""},
	} {
		ticks, name := c.s.ticks()
		var labels []string
		for k, x := range ticks {
			if x.label != "" {
				labels = append(labels, x.label)
			}
			if at := c.s.at(x.value); at < 0 || at > 1 || k > 0 && x.value <= ticks[k-1].value {
				t.Errorf("%+v: found the tick %g after others", c.s, x.value)
			}
		}
		if found := strings.Join(labels, " "); found != c.labels || name != c.name {
			t.Errorf("from %g to %g, log %t: found %q and %q, expected %q and %q", c.s.lo, c.s.hi, c.s.Log, found, name, c.labels, c.name)
		}
	}
}

// TestStyles: twelve curves differ in their lines, or their marks; what is beyond is faint, below the others, and counted.
func TestStyles(t *testing.T) {
	f := &Figure{}
	for k := range Styles + 3 {
		f.Curves = append(f.Curves, Curve{Name: fmt.Sprint("curve ", k), X: []float64{0, 1}, Y: []float64{0, float64(k)}})
	}
	lines, marked, both := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for k, c := range f.styled()[3:] {
		m, style := c.mark()
		lines[c.line()], marked[fmt.Sprint(m, strings.Contains(style, "white"))], both[c.line()+style] = true, true, true
		if c.Name != f.Curves[k].Name {
			t.Errorf("found %s at place %d", c.Name, k)
		}
	}
	if len(lines) != Styles || len(marked) != Styles || len(both) != Styles {
		t.Errorf("found %d lines and %d marks, expected %d of each", len(lines), len(marked), Styles)
	}
	text, _ := draw(t, f)
	if !strings.Contains(text, ">3 others<") || strings.Contains(text, "curve 12<") || strings.Count(text, faint) != 4 || strings.Index(text, faint) > strings.Index(text, colours[0]) {
		t.Errorf("found %s", text)
	}
}

// TestRoom: words are as wide as is said, shortened where there is no room, and then whole in their title.
func TestRoom(t *testing.T) {
	var out strings.Builder
	text(&out, 0, 0, "start", "iiiiiiiiii", 100)
	text(&out, 0, 0, "start", strings.Repeat("W", 20), 100)
	heading(&out, 0, strings.Repeat("a long title ", 6), 300)
	for _, want := range []string{`textLength="26.6" lengthAdjust="spacingAndGlyphs">iiiiiiiiii<`, "<title>" + strings.Repeat("W", 20) + "</title>" + "WWWWWWW…<"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in %s", want, out.String())
		}
	}
	if strings.Count(out.String(), "font-weight") != 2 || strings.Count(out.String(), "a long title") < 4 {
		t.Errorf("found %s, expected two lines", out.String())
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
	for _, want := range []string{`width="1136" height="896"`, `translate(0 0)`, `translate(568 0)`, `translate(568 448)`, ">a<", ">b<", ">c<"} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("%q is found %d times", want, strings.Count(out.String(), want))
		}
	}
	if strings.Contains(out.String(), "translate(0 448)") {
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
			return 2
		},
		Curves: []Curve{
			{Points: true, Style: 1, X: []float64{0, 1, math.NaN()}, Y: []float64{0, 1, 1}},
			{X: []float64{0, 1}, Y: []float64{1, 0}, Marked: []bool{false, true}},
		},
	})
	for len(paths) > 0 && !strings.HasSuffix(paths[0], "z") { // ticks
		paths = paths[1:]
	}
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
	if want := panelWide * panelHigh; area != want {
		t.Errorf("found squares of %d pixels in all, expected the panel's %d", area, want)
	}
	if strings.Count(paths[2], "h0") != 2 || strings.Count(paths[4], "M") != 1 || strings.Contains(paths[3], "h0") {
		t.Errorf("found the paths %q, expected two dots, a line, one dot", paths[2:])
	}
	if !strings.Contains(text, `fill="#d55e00" fill-opacity`) || !strings.Contains(text, `fill="#d55e00"`) {
		t.Errorf("found other colours in %s", text)
	}
	if at := spanOf(Axis{Log: true}, []Curve{{X: []float64{1, 1000}}}, func(c Curve) []float64 { return c.X }); math.Abs(at.back(at.at(20))-20) > 1e-12 {
		t.Errorf("found %g where 20 stands", at.back(at.at(20)))
	}
}
