package browser

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/fenchel-ml/fenchel/internal/figure"
)

// pictures are those of the gallery, and hard ones.
func pictures(t *testing.T) map[string]string {
	all := map[string]string{}
	kept, err := filepath.Glob("../docs/gallery/*.svg")
	if err != nil || len(kept) < 10 {
		t.Fatalf("found %d pictures in the gallery (%v)", len(kept), err)
	}
	for _, path := range kept {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(path)] = string(text)
	}
	made := func(name string, write func(io.Writer) error) {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		all[name] = out.String()
	}
	long := "a title that says so much that it has no room in one line, nor in two of them, as somebody may well write who has a lot to say"
	crowd := &figure.Figure{Title: long, X: figure.Axis{Name: long}, Y: figure.Axis{Name: long}}
	for k := range 30 {
		name := fmt.Sprintf("curve %d of many", k)
		switch k {
		case 1:
			name = strings.Repeat("WWWWW ", 12)
		case 2:
			name = "αβγδ 漢字かな кириллица <b>&amp;"
		case 3:
			name = strings.Repeat("il.,", 30)
		}
		crowd.Curves = append(crowd.Curves, figure.Curve{Name: name, X: []float64{-1e7, 0, 3e7}, Y: []float64{1e-9 * float64(k), 3e-9, 2e-9}, Points: k%5 == 4})
	}
	made("crowd", crowd.WriteSVG)
	sheet := figure.Sheet{nil}
	for _, y := range [][]float64{{1.99999988, 2.0000003}, {1e-30, 1e30}, {1, 1}, {-123456, 123456}, {0.00011, 0.00013}, {2e-7, 9e-7}, {-0.1, -0.0999}} {
		for _, log := range []bool{false, true} {
			sheet[0] = append(sheet[0], &figure.Figure{Title: fmt.Sprint(y), X: figure.Axis{Name: "x", Log: log}, Y: figure.Axis{Name: "y", Log: log}, Curves: []figure.Curve{{Name: "values", X: y, Y: y}}})
		}
	}
	made("axes", sheet.WriteSVG)
	bars := &figure.Bars{Title: long}
	for _, v := range []float64{1e9, -3e8, 0, math.NaN(), 12345.678, -1e9} {
		bars.Add(strings.Repeat("W", 60), v, math.Abs(v)/3)
	}
	made("bars", bars.WriteSVG)
	heat := &figure.Heat{Title: long, X: long, Y: long, Across: []string{strings.Repeat("wide ", 9), "b"}, Up: []string{strings.Repeat("high ", 9), "b", "c"}, Values: [][]float64{{1, 2}, {3, 4}, {5, math.NaN()}},
		Written: func(v float64) string { return fmt.Sprintf("%.12f", v) }}
	made("heat", heat.WriteSVG)
	made("maps", (&figure.Multiples{Title: long, Maps: slices.Repeat([]*figure.Heat{heat}, 5)}).WriteSVG)
	return all
}

// misplaced finds words out of their picture, and words that lie over others. Boxes are as high as a font says, which is more than its letters are.
const misplaced = `[...document.querySelectorAll("div > svg")].flatMap(svg => {
	const frame = svg.getBoundingClientRect(), found = [], boxes = [];
	for (const text of svg.querySelectorAll("text")) {
		const box = text.getBoundingClientRect(), words = text.lastChild.textContent;
		if (box.left < frame.left - .5 || box.right > frame.right + .5 || box.top < frame.top - .5 || box.bottom > frame.bottom + .5)
			found.push(svg.parentNode.title + ": " + words + " is out of the picture");
		const upright = box.height > box.width && words.length > 2;
		const less = upright ? [2, 0] : [0, 2];
		const inner = {left: box.left + less[0], right: box.right - less[0], top: box.top + less[1], bottom: box.bottom - less[1], words};
		for (const other of boxes)
			if (inner.left < other.right - .5 && other.left < inner.right - .5 && inner.top < other.bottom - .5 && other.top < inner.bottom - .5)
				found.push(svg.parentNode.title + ": " + words + " lies over " + other.words);
		boxes.push(inner);
	}
	if (boxes.length == 0) found.push(svg.parentNode.title + " has no words");
	return found;
})`

// TestFigures: whatever font a reader has, no word leaves its picture or lies over another.
func TestFigures(t *testing.T) {
	p := open(t)
	var body strings.Builder
	all := pictures(t)
	for name, text := range all {
		fmt.Fprintf(&body, "<div title=%q>%s</div>\n", name, text)
	}
	widest := map[string]float64{}
	for _, font := range []string{"sans-serif", "DejaVu Serif, serif", "DejaVu Sans Mono, monospace"} {
		address := served(t, fmt.Sprintf("<!doctype html><style>svg { font-family: %s }</style>%s", font, &body))
		p.do(t, chromedp.Navigate(address))
		found, count := ask[[]string](t, p, misplaced), ask[int](t, p, `document.querySelectorAll("div > svg").length`)
		wide := ask[float64](t, p, `(() => { const s = document.createElement("span"); s.style.font = "12px " + getComputedStyle(document.querySelector("svg")).fontFamily; s.textContent = "illicit"; document.body.append(s); return s.getBoundingClientRect().width })()`)
		for _, text := range found {
			t.Errorf("%s: %s", font, text)
		}
		if widest[font] = wide; count != len(all) {
			t.Errorf("found %d pictures, expected %d", count, len(all))
		}
	}
	if widest["sans-serif"] >= widest["DejaVu Sans Mono, monospace"] {
		t.Errorf("found the widths %v: the fonts are the same", widest)
	}
}

// TestMisplaced: the check above finds what it is for.
func TestMisplaced(t *testing.T) {
	p := open(t)
	p.do(t, chromedp.Navigate(served(t, `<!doctype html><div title="bad"><svg width="100" height="100" viewBox="0 0 100 100"><text x="90" y="50">outside</text><text x="10" y="20">one</text><text x="15" y="22">two</text></svg></div>`)))
	found := ask[[]string](t, p, misplaced)
	if len(found) != 2 || !strings.Contains(found[0], "outside is out") || !strings.Contains(found[1], "two lies over one") {
		t.Errorf("found %q", found)
	}
}
