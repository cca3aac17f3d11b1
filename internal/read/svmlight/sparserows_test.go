package svmlight

import (
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// TestRoom has no room made for text of which little is kept.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		what, line string
		columns    uint64
		want       bool
	}{
		{"nonzeros", "+1 1:1 2:3 4:0.5\n", 1 << 32, true},
		{"half of them zeros", "+1 1:1 2:0 3:0.0 4:-2\n", 1 << 32, true},
		{"most of them zeros", "+1 1:1 2:0 3:0.0 4:-0\n", 1 << 32, false},
		{"unknown to the model", "+1 1:1 2:1 3:1 4:1\n", 1, false},
		{"comments", "+1 1:1 # a::::::::::::\n", 1 << 32, false},
		{"one long line", "+1" + strings.Repeat(" ", 2*file.HeadSize) + "1:1\n", 1 << 32, true},
	} {
		text := strings.Repeat(c.line, 1000)
		in, err := file.NewInput(&file.Input{Name: "text"}, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		in.Size = 1 << 20
		r := newRoom([]*file.Input{in}, &libsvmParser{first: 1, columns: c.columns})
		if got := r.index != nil; got != c.want {
			t.Errorf("%s: there is room: %v, expected %v", c.what, got, c.want)
		}
	}
}
