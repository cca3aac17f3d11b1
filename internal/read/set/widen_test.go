package set_test

import (
	"reflect"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// A set that was made wider is what reading it so wide gives.
func TestWiden(t *testing.T) {
	for _, c := range []struct{ name, text, format string }{
		{"sparse", "1 2:3\n2 1:1\n", "libsvm"}, {"dense", "a,b,y\n1,2,1\n3,4,2\n", "csv"},
	} {
		s, err := readtest.ReadText(c.text, data.Options{Format: c.format})
		if err != nil {
			t.Fatal(err)
		}
		narrow := s.Digest()
		want, err := readtest.ReadText(c.text, data.Options{Format: c.format, Columns: 4})
		if err != nil {
			t.Fatal(err)
		}
		s.Widen(1)
		if s.Cols() != 2 || s.Digest() != narrow {
			t.Errorf("%s: found %d columns after widening to 1, expected the 2 there were", c.name, s.Cols())
		}
		s.Widen(4)
		if !reflect.DeepEqual(readtest.RowsOf(s.X), readtest.RowsOf(want.X)) || s.Digest() != want.Digest() || s.Digest() == narrow {
			t.Errorf("%s: found rows %v, expected %v, and their digest", c.name, readtest.RowsOf(s.X), readtest.RowsOf(want.X))
		}
	}
}
