package set_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// TestSubset compares with the same rows of the set, one by one, in memory and after a way
// through a file.
func TestSubset(t *testing.T) {
	values := [][]float32{{1, 0}, {2, 5}, {3, 0}, {4, 6}}
	sparse := []matrix.Vector{{Index: []uint32{0}, Value: values[0][:1]}, {Index: []uint32{0, 1}, Value: values[1]},
		{Index: []uint32{0}, Value: values[2][:1]}, {Index: []uint32{0, 1}, Value: values[3]}}
	labels := []string{"x", "y", "z", "y"}
	dense, err := data.FromDense(values, data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	thin, err := data.FromSparse(sparse, 2, data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := data.FromDense(values, data.Numbers([]float64{1, 2.5, 3, 4}))
	if err != nil {
		t.Fatal(err)
	}
	table, err := readtest.ReadText("a,b,y\n1,u,1\n2,v,2\n3,u,1\n4,v,3\n", data.Options{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*data.Set{"dense": dense, "sparse": thin, "numbers": numbers, "table": table} {
		s.Weight, s.ID, s.IDName, s.Warnings = []float64{1, 2, 3, 4}, []string{"i", "j", "k", "l"}, "id", []error{nil}
		rows := []int{3, 1, 3}
		part, err := s.Subset(rows)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := part.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		rows[0] = 0 // the subset has numbers of its own
		for k, i := range []int{3, 1, 3} {
			if got, want := part.X.Row(k), s.X.Row(i); !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Value, want.Value) || (got.Index == nil) != (want.Index == nil) {
				t.Errorf("%s: row %d is %v, expected %v", name, k, got, want)
			}
			if part.Weight[k] != s.Weight[i] || part.ID[k] != s.ID[i] || part.IDName != "id" {
				t.Errorf("%s: row %d: weight %g, id %q, expected those of row %d", name, k, part.Weight[k], part.ID[k], i)
			}
			if s.Target.Code != nil && part.Target.Label[part.Target.Code[k]] != s.Target.Label[s.Target.Code[i]] {
				t.Errorf("%s: row %d has another label than row %d", name, k, i)
			}
			if s.Target.Number != nil && part.Target.Number[k] != s.Target.Number[i] {
				t.Errorf("%s: row %d has another number than row %d", name, k, i)
			}
		}
		if part.Schema != s.Schema || !slices.Equal(part.Feature, s.Feature) || part.Warnings != nil {
			t.Errorf("%s: found schema %v and features %q, expected those of the set", name, part.Schema, part.Feature)
		}
		if slices.Contains(part.Target.Label, "x") {
			t.Errorf("%s: found the labels %q, expected those of the rows alone", name, part.Target.Label)
		}
		path := filepath.Join(t.TempDir(), "part.fen")
		if err := data.Write(context.Background(), path, part, ""); err != nil {
			t.Fatal(name, err)
		}
		again, err := data.Read(context.Background(), []string{path}, data.Options{})
		if err != nil || again.Digest() != part.Digest() {
			t.Errorf("%s: error %v, or other rows after writing and reading", name, err)
		}
		again.Close()
		all, err := s.Subset([]int{0, 1, 2, 3})
		if err != nil || all.Digest() != s.Digest() || !slices.Equal(all.Target.Label, s.Target.Label) {
			t.Errorf("%s: error %v, labels %q, or other rows, of all rows", name, err, all.Target.Label)
		}
		for _, wrong := range [][]int{{4}, {-1}} {
			if _, err := s.Subset(wrong); err == nil {
				t.Errorf("%s: rows %v: found no error", name, wrong)
			}
		}
		if none, err := s.Subset(nil); err != nil || none.Rows() != 0 || none.Cols() != 2 && s != table || none.Check() != nil {
			t.Errorf("%s: no rows: found %v, error %v", name, none, err)
		}
	}
	if _, err := (*data.Set)(nil).Subset([]int{0}); err == nil {
		t.Error("of nothing: found no error")
	}
}
