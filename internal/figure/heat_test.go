package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func TestHeat(t *testing.T) {
	h := &Heat{Title: "accuracy <&>", X: "C", Y: "gamma", Across: []string{"1", "10", "100"}, Up: []string{"0.1", "1"},
		Values: [][]float64{{0.5, 0.75, math.NaN()}, {1, 0.5, 0.625}}, MarkX: 0, MarkY: 1, Written: func(v float64) string { return fmt.Sprint(v) }}
	var b bytes.Buffer
	if err := h.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	d, words := xml.NewDecoder(bytes.NewReader(b.Bytes())), ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := token.(xml.CharData); ok {
			words += " " + string(c)
		}
	}
	for _, expected := range []string{"accuracy <&>", " C", "gamma", "0.75", "0.625", "100"} {
		if !strings.Contains(words, expected) {
			t.Errorf("the map says %q, expected %q", words, expected)
		}
	}
	if n := strings.Count(b.String(), "fill-opacity"); n != 5 || strings.Count(b.String(), "#d55e00") != 1 {
		t.Errorf("%d cells, expected 5, one of them with a frame", n)
	}
	if h.Share(1) != 1 || h.Share(0.5) != 0 || h.Share(0.75) != 0.5 {
		t.Error("the best is not the darkest")
	}
	if h.Lower = true; h.Share(1) != 0 || h.Share(0.5) != 1 {
		t.Error("the smallest is not the darkest where it is the best")
	}
	if h.Values = [][]float64{{2, 2, 2}, {2, 2, 2}}; h.Share(2) != 1 {
		t.Error("equal values are not all the best")
	}
}
