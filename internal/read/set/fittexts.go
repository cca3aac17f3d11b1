package set

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/terms"
)

// fitted is a column of texts whose terms have the weights that some rows give them.
type fitted struct {
	column, first int          // its place in the schema, and its first feature
	before, space *terms.Space // as the features have it, and as the rows do
}

// fitTexts fits the columns of texts to the rows: the weights of terms, and which of these are frequent enough. Terms keep
// their places; those that would not be in the vocabulary are absent.
func (s *Set) fitTexts(f *fills) {
	first, cols := s.Schema.Places()
	var texts []int
	for at, c := range s.Schema.Columns {
		switch {
		case c.Text == nil:
		case c.Text.Bits == 0:
			texts = append(texts, at)
		default: // a hash has all terms
			clear(f.absent[first[at] : first[at]+c.Text.Width()])
		}
	}
	if texts == nil {
		return
	}
	n, count := s.Rows(), make([]int, cols)
	for i := range n {
		row := s.X.Row(i)
		for k, v := range row.Value {
			if v != 0 {
				count[row.Column(k)]++
			}
		}
	}
	for _, at := range texts {
		before := s.Schema.Columns[at].Text
		t := &fitted{at, first[at], before, new(terms.Space)}
		*t.space = *before
		if before.IDF != nil {
			t.space.IDF = slices.Clone(before.IDF)
		}
		for j := range before.Words {
			rows := count[t.first+j]
			if !before.Keeps(rows, n) {
				f.absent[t.first+j] = true
			}
			if before.IDF != nil {
				t.space.IDF[j] = terms.IDF(float64(rows), float64(n))
			}
		}
		f.texts = append(f.texts, t)
	}
}

// weigh gives the values of a row, of which absent terms are gone, the weights that were fitted; it reports whether any is
// another then. The squares of values add up to 1, unless they are counts.
func (t *fitted) weigh(index []uint32, value []float32) (changed bool) {
	from, _ := slices.BinarySearch(index, uint32(t.first))
	to, _ := slices.BinarySearch(index, uint32(t.first+t.before.Width()))
	if t.before.Counts || from == to {
		return false
	}
	values, squares := make([]float64, to-from), 0.0
	for k := range values {
		v := float64(value[from+k])
		if j := int(index[from+k]) - t.first; t.before.IDF != nil {
			v *= t.space.IDF[j] / t.before.IDF[j]
		}
		values[k] = v
		squares += float64(v * v)
	}
	for k, v := range values {
		if x := float32(v / math.Sqrt(squares)); x != value[from+k] {
			value[from+k], changed = x, true
		}
	}
	return changed
}
