package structure

import (
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

func TestSymbol(t *testing.T) {
	for word, want := range map[string]float32{"1": 1, "8388608": 1 << 23, "16777216": 1 << 24} {
		if got := Symbol([]byte(word)); got != want {
			t.Errorf("%q: found %g, expected its number", word, got)
		}
	}
	seen := map[float32]string{}
	for _, word := range []string{"", "0", "01", "-1", "+1", "1.0", "16777217", "99999999999999999999", "GET", "get", "\x00"} {
		s := Symbol([]byte(word))
		if !Hashed(s) || s > MaxSymbol || s != float32(int(s)) || seen[s] != "" {
			t.Errorf("%q: found the symbol %g, as %q has, expected one above 2^23", word, s, seen[s])
		}
		seen[s] = word + " "
	}
}

func TestGraphRow(t *testing.T) {
	g := Graph{Labels: []float32{7, 8, 7}, Ends: []float32{1, 2, 3, 3, 2, 1}}
	row := g.AppendRow(nil)
	if again, err := ReadGraph(Symbols(matrix.Vector{Value: append(row, 0, 0)})); err != nil || !slices.Equal(again.Labels, g.Labels) || !slices.Equal(again.Ends, g.Ends) {
		t.Errorf("found %v, error %v, expected %v", again, err, g)
	}
	if d := g.Degrees(); !slices.Equal(d, []int{2, 2, 1}) {
		t.Errorf("found the degrees %v, expected 2, 2 and 1: a loop counts once", d)
	}
}
