package svmlight_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// Sparse text cannot have offsets: what is lost is measured, whatever the chunks are.
func TestSparseTextLoses(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "%d 1:1 2:%.2f 3:%d 5:%d # 7:1\n", i%2, 1.7e9+float64(i)/100, 1990+i%30, i%3)
	}
	for _, opt := range []data.Options{{Threads: 1}, {Threads: 3, Blocking: data.Blocking{Chunk: 500}}, {Blocking: data.Blocking{Chunk: 40}}} {
		s := readtest.ReadNamed(t, "a.svm", b.String(), opt)
		if len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0].Error(), "feature 2: rounding to single precision changes values by up to 1 of their spread") {
			t.Errorf("warnings %v, expected one about the second feature", s.Warnings)
		}
		if math.Abs(s.Rounding-1) > .01 { // all of the spread
			t.Errorf("rounding %g, expected 1", s.Rounding)
		}
		_, stream := readtest.StreamOf(t, "a.svm", b.String(), opt)
		if len(stream.Late) != 1 {
			t.Errorf("stream: %v, expected one warning", stream.Late)
		}
	}
	for _, text := range []string{
		strings.Replace(b.String(), "2:1700000001.00", "", 1),                     // one row lacks it: it is zero there
		strings.Replace(b.String(), "2:1700000001.00", "2:5", 1),                  // far away
		strings.ReplaceAll(strings.ReplaceAll(b.String(), ".", ""), "2:17", "2:"), // integers that differ by less than a millionth of the spread
	} {
		if s := readtest.ReadNamed(t, "a.svm", text, data.Options{}); s.Warnings != nil {
			t.Errorf("warnings %v, expected none", s.Warnings)
		}
	}
}
