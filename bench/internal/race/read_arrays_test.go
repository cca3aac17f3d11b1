package race

import (
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
)

// Every file of the race of arrays has the rows that it is said to have.
func TestArrayFiles(t *testing.T) {
	for _, f := range arrayFiles {
		path := filepath.Join(t.TempDir(), f.file)
		maker := &arrayMaker{rows: 8, cols: 5, r: rand.New(rand.NewPCG(1, 1))}
		if err := writeWith(path, func(w io.Writer) error { return f.write(maker, w) }); err != nil {
			t.Fatal(err)
		}
		s, err := data.Read(context.Background(), []string{path}, data.Options{Unlabelled: f.labels})
		if err != nil {
			t.Fatal(f.kind, err)
		}
		rows, cols := 8, 5
		switch f.kind {
		case "csv":
			rows = 2
		case "npy float32, target":
			cols = 4
		}
		if s.Rows() != rows || s.Cols() != cols {
			t.Errorf("%s: found %d x %d, expected %d x %d", f.kind, s.Rows(), s.Cols(), rows, cols)
		}
	}
}
