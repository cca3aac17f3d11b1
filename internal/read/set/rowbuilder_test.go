package set_test

import (
	"fmt"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The storage depends on the share of nonzeros alone, not on their order, and
// never changes the values.
func TestRowBuilder(t *testing.T) {
	zero, full := []float32{0, 0, 0, 0}, []float32{1, 2, 3, 4}
	for _, c := range []struct {
		name  string
		rows  [][]float32
		dense bool
	}{
		{"all zero", [][]float32{zero, zero}, false},
		{"full first", [][]float32{full, zero, zero}, false},
		{"full last", [][]float32{zero, zero, full}, false},
		{"half", [][]float32{zero, full}, true},
		{"more than half", [][]float32{full, zero, full}, true},
	} {
		b := set.NewRowBuilder(4, &data.Options{})
		for _, r := range c.rows {
			b.AddDense(r)
		}
		m, _ := b.Matrix()
		if _, dense := m.(*matrix.Dense); dense != c.dense {
			t.Errorf("%s: dense is %v", c.name, dense)
		}
		if got, expected := readtest.Show(&data.Set{X: m}), fmt.Sprint(c.rows[0])+fmt.Sprint(c.rows[1]); got[:len(expected)] != expected {
			t.Errorf("%s: found %s", c.name, got)
		}
	}
}

func TestRowBuilderColumns(t *testing.T) {
	for _, c := range []struct {
		columns  int
		expected string
		warnings int
	}{
		{0, "[1 0 3][4 5 6]", 0}, {3, "[1 0 3][4 5 6]", 0}, {2, "[1 0][4 5]", 1}, {4, "[1 0 3 0][4 5 6 0]", 0},
	} {
		a, b := set.NewRowBuilder(3, &data.Options{Columns: c.columns}), set.NewRowBuilder(3, &data.Options{Columns: c.columns})
		a.AddDense([]float32{1, 0, 3})
		a.AddDense([]float32{4, 5, 6})
		b.AddSparse([]uint32{0, 2}, []float32{1, 3})
		b.AddSparse([]uint32{0, 1, 2}, []float32{4, 5, 6})
		for _, builder := range []*set.RowBuilder{a, b} {
			m, warnings := builder.Matrix()
			if got := readtest.Show(&data.Set{X: m}); got != c.expected || len(warnings) != c.warnings {
				t.Errorf("columns %d: found %s %v, expected %s", c.columns, got, warnings, c.expected)
			}
			for _, w := range warnings {
				if w.Error() != "2 values of 1 feature (first: 3) are unknown to the model: ignored" {
					t.Error(w)
				}
			}
		}
	}
}
