package set

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/terms"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Subset returns the rows with these numbers, from 0, in that order; one may be there more
// than once. Names and schema are those of s itself, rows, targets, weights and ids are
// copies: the subset outlives s, and takes the memory of its rows. Labels that none of the
// rows has are left out, the others keep their order.
func (s *Set) Subset(rows []int) (*Set, error) {
	if s == nil || s.X == nil {
		return nil, s.Check()
	}
	n := s.Rows()
	for k, i := range rows {
		if i < 0 || i >= n {
			return nil, fmt.Errorf("subset: found %d as the number of row %d, expected one from 0 to %d", i, k+1, n-1)
		}
	}
	part := &Set{X: matrix.Gather(s.X, rows), Target: s.Target.subset(rows), Weight: OfRows(s.Weight, rows), ID: OfRows(s.ID, rows),
		Feature: s.Feature, Schema: s.Schema, IDName: s.IDName, Structure: s.Structure, ZeroBased: s.ZeroBased}
	for _, c := range s.Kept {
		part.Kept = append(part.Kept, Kept{c.Name, OfRows(c.Fields, rows)})
	}
	if s.Gaps != nil {
		part.Gaps = s.gapsOf(rows)
	}
	if s.isSound() {
		part.Vouch()
	}
	return part, nil
}

// OfRows is the numbers of these rows; nil if there are none of any.
func OfRows[T any](of []T, rows []int) []T {
	if of == nil {
		return nil
	}
	part := make([]T, len(rows))
	for k, i := range rows {
		part[k] = of[i]
	}
	return part
}

// subset is the targets of these rows.
func (t Target) subset(rows []int) Target {
	part := Target{Code: OfRows(t.Code, rows), Number: OfRows(t.Number, rows), Names: t.Names}
	for _, column := range t.Further {
		part.Further = append(part.Further, OfRows(column, rows))
	}
	used, place := make([]bool, len(t.Label)), make([]uint32, len(t.Label))
	for _, code := range part.Code {
		used[code] = true
	}
	for code, label := range t.Label {
		if used[code] {
			place[code], part.Label = uint32(len(part.Label)), append(part.Label, label)
		}
	}
	for k, code := range part.Code {
		part.Code[k] = place[code]
	}
	return part
}

// A Gap is a row and a feature of which the number was missing.
type Gap [2]uint32

// Missing returns the features that are missing in each row, increasing; nil: none is.
func (s *Set) Missing() [][]uint32 {
	if len(s.Gaps) == 0 {
		return nil
	}
	of := make([][]uint32, s.Rows())
	for _, g := range s.Gaps {
		of[g[0]] = append(of[g[0]], g[1])
	}
	return of
}

// gapsOf returns the gaps of the rows with these numbers.
func (s *Set) gapsOf(rows []int) (gaps []Gap) {
	of := map[int][]uint32{}
	for _, g := range s.Gaps {
		of[int(g[0])] = append(of[int(g[0])], g[1])
	}
	for k, i := range rows {
		for _, j := range of[i] {
			gaps = append(gaps, Gap{uint32(k), j})
		}
	}
	return gaps
}

// Apart returns rows to learn from and others to be judged on, by their numbers as Subset takes
// them, with the features that the reader makes of a table of the former alone: their means
// fill missing numbers; a category, or a column of numbers, that none of them has is zero.
// changed are the rows to be judged on of which s has other features, from 0.
func (s *Set) Apart(learn, judge []int) (learned, judged *Set, changed []int, err error) {
	if learned, err = s.Subset(learn); err != nil {
		return nil, nil, nil, err
	}
	if judged, err = s.Subset(judge); err != nil || !s.Schema.Table() {
		return learned, judged, nil, err
	}
	f := learned.fills()
	if learned.Schema = f.schema(s.Schema); s.Gaps != nil || f.texts != nil {
		learned.refill(f)
	}
	if judged.Schema = learned.Schema; s.Gaps != nil || f.texts != nil || slices.Contains(f.absent, true) {
		changed = judged.refill(f)
	}
	return learned, judged, changed, nil
}

// fills are what rows say of each feature.
type fills struct {
	mean   []float64 // of those that have a number
	absent []bool    // none has a number, or the category
	texts  []*fitted // of each column of texts with a vocabulary
}

// fills measures the rows, in the order in which the reader takes sums.
func (s *Set) fills() fills {
	rows, cols := s.X.Dims()
	f, known, missing := fills{make([]float64, cols), make([]bool, cols), nil}, make([]int, cols), s.missing()
	first, _ := s.Schema.Places()
	for at, c := range s.Schema.Columns {
		if c.IsNumber() && s.Schema.makes(at) == 1 {
			known[first[at]] = rows // a zero is a number too
		}
	}
	for i := range rows {
		row, gone := s.X.Row(i), missing(i)
		for k, v := range row.Value {
			if j := row.Column(k); v != 0 && !slices.Contains(gone, uint32(j)) {
				f.mean[j] += float64(v)
				known[j] = max(known[j], 1)
			}
		}
	}
	for _, g := range s.Gaps {
		known[g[1]]--
	}
	for j := range f.mean {
		f.absent[j] = known[j] == 0
		f.mean[j] /= float64(max(known[j], 1))
	}
	s.fitTexts(&f)
	for at, c := range s.Schema.Columns {
		if c.Size > 0 { // a vector has all entries
			clear(f.absent[first[at] : first[at]+s.Schema.makes(at)])
		}
	}
	_, at := s.Schema.Places()
	for _, c := range s.Schema.Crossings {
		if c.Bits > 0 { // a hash has all products
			clear(f.absent[at : at+c.Width()])
		}
		at += c.Width()
	}
	return f
}

// schema is s with these means.
func (f fills) schema(s *Schema) *Schema {
	s = s.Clone()
	first, _ := s.Places()
	for at := range s.Columns {
		if c := &s.Columns[at]; s.makes(at) == 1 && c.IsNumber() {
			c.Fill = f.mean[first[at]]
		}
	}
	for _, t := range f.texts {
		s.Columns[t.column].Text = t.space
	}
	return s
}

// missing returns what says which features are missing in a row, increasing. Rows are to be asked
// for in order.
func (s *Set) missing() func(row int) []uint32 {
	next, gone := 0, []uint32(nil)
	return func(row int) []uint32 {
		for gone = gone[:0]; next < len(s.Gaps) && int(s.Gaps[next][0]) == row; next++ {
			gone = append(gone, s.Gaps[next][1])
		}
		return gone
	}
}

// refill makes the features of all rows anew; it returns the rows of which any is another then.
func (s *Set) refill(f fills) (changed []int) {
	rows, cols := s.X.Dims()
	cross := s.Schema.Crosser()
	missing, out := s.missing(), &matrix.CSR{Cols: cols, Start: make([]int64, 1, rows+1), Index: []uint32{}}
	_, dense := s.X.(*matrix.Dense)
	if s.isSound() {
		defer s.Vouch()
	}
	for i := range rows {
		row, gone, other := s.X.Row(i), missing(i), false
		for k := 0; k < len(row.Value) || len(gone) > 0; {
			j, was, x := uint32(math.MaxUint32), float32(0), float32(0)
			if k < len(row.Value) {
				j = uint32(row.Column(k))
			}
			if len(gone) == 0 || j <= gone[0] {
				if was = row.Value[k]; !f.absent[j] {
					x = was
				}
				k++
			}
			if len(gone) > 0 && j >= gone[0] {
				j, x, gone = gone[0], float32(f.mean[gone[0]]), gone[1:]
			}
			if other = other || was != x; x != 0 || dense {
				out.Index, out.Value = append(out.Index, j), append(out.Value, x)
			}
		}
		for _, t := range f.texts {
			from := int(out.Start[i])
			other = t.weigh(out.Index[from:], out.Value[from:]) || other
		}
		if cross != nil {
			other = recross(out, int(out.Start[i]), row, cross, f.absent)
		}
		if out.Start = append(out.Start, int64(len(out.Value))); other {
			changed = append(changed, i)
		}
	}
	if s.X = out; dense {
		s.X = &matrix.Dense{Rows: rows, Cols: cols, Value: out.Value}
	}
	return changed
}

// recross makes the products of the last row of out, which begins at a place, anew; it reports whether the row is another than before.
func recross(out *matrix.CSR, from int, before matrix.Vector, cross *terms.Crosser, absent []bool) (changed bool) {
	row, _ := cross.Append(cross.Base(matrix.Vector{Index: out.Index[from:], Value: out.Value[from:]}))
	out.Index, out.Value = out.Index[:from], out.Value[:from]
	for k, j := range row.Index {
		if !absent[j] {
			out.Index, out.Value = append(out.Index, j), append(out.Value, row.Value[k])
		}
	}
	return !slices.Equal(out.Index[from:], before.Index) || !slices.Equal(out.Value[from:], before.Value)
}

// fitted is a column of texts whose terms have the weights that some rows give them.
type fitted struct {
	column, first int          // its place in the schema, and its first feature
	before, space *terms.Space // as the features have it, and as the rows do
}

// fitTexts fits the columns of texts to the rows: the weights of terms, and which of these are frequent enough. Terms keep
// their places; those that would not be in the vocabulary are absent.
func (s *Set) fitTexts(f *fills) {
	first, _ := s.Schema.Places()
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
	n, count := s.Rows(), make([]int, s.Cols())
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
// another then.
func (t *fitted) weigh(index []uint32, value []float32) (changed bool) {
	from, _ := slices.BinarySearch(index, uint32(t.first))
	to, _ := slices.BinarySearch(index, uint32(t.first+t.before.Width()))
	if t.before.Counts || from == to {
		return false
	}
	values := make([]float64, to-from)
	for k := range values {
		v := float64(value[from+k])
		if j := int(index[from+k]) - t.first; t.before.IDF != nil {
			v *= t.space.IDF[j] / t.before.IDF[j]
		}
		values[k] = v
	}
	for k, x := range t.space.Normalise(values) {
		if x != value[from+k] {
			value[from+k], changed = x, true
		}
	}
	return changed
}
