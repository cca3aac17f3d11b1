package figure

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestPage: every text is escaped, nothing is fetched, and both figures are there.
func TestPage(t *testing.T) {
	curve := []Curve{{Name: "<script>", X: []float64{1, 2}, Y: []float64{1, 2}}}
	p := Page{Title: "a <b>", Remarks: []string{"x & y"}, Heads: []string{"claim"}, Rows: [][]string{{"<i>"}}, Figures: Sheet{{{Title: "one", Curves: curve}, {Title: "two", Curves: curve}}, {{Title: "three", Curves: curve}}}}
	var out strings.Builder
	if err := p.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, want := range []string{"a &lt;b&gt;", "x &amp; y", "&lt;i&gt;", "&lt;script&gt;", ">one<", ">three<", ` height="896"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, never := range []string{"<script", "src=", "href=", "url("} {
		if strings.Contains(text, never) {
			t.Errorf("found %q in the page", never)
		}
	}
	var svg strings.Builder
	if err := p.Figures.WriteSVG(&svg); err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(svg.String())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
