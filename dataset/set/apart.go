package set

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/matrix"
)

// A Gap is a feature of numbers of which some were missing, and the rows in which, increasing.
type Gap struct {
	Feature uint32   `json:"feature"`
	Rows    []uint32 `json:"rows"`
}

// CheckGaps returns why gaps that were read cannot be those of so many rows and features.
func CheckGaps(gaps []Gap, rows, features int) error {
	for k, g := range gaps {
		if int64(g.Feature) >= int64(features) || k > 0 && g.Feature <= gaps[k-1].Feature {
			return fmt.Errorf("found feature %d in place %d of those with missing numbers, expected increasing ones below %d", g.Feature, k, features)
		}
		for i, row := range g.Rows {
			if int64(row) >= int64(rows) || i > 0 && row <= g.Rows[i-1] {
				return fmt.Errorf("found row %d in place %d of those without feature %d, expected increasing ones below %d", row, i, g.Feature, rows)
			}
		}
	}
	return nil
}

// JoinGaps adds the gaps of later rows, which begin at that number, to those of the first.
func JoinGaps(gaps, later []Gap, first int) []Gap {
	for _, g := range later {
		at, found := slices.BinarySearchFunc(gaps, g.Feature, func(h Gap, j uint32) int { return cmp.Compare(h.Feature, j) })
		if !found {
			gaps = slices.Insert(gaps, at, Gap{Feature: g.Feature})
		}
		for _, row := range g.Rows {
			gaps[at].Rows = append(gaps[at].Rows, row+uint32(first))
		}
	}
	return gaps
}

// Apart returns rows to learn from and others to be judged on, by their numbers as Subset takes
// them, with the features that the reader makes of a table of the former alone: their means
// stand for missing numbers; a category, or a column of numbers, that none of them has is zero.
// changed are the rows to be judged on of which s has other features, from 0.
func (s *Set) Apart(learn, judge []int) (learned, judged *Set, changed []int, err error) {
	if learned, err = s.Subset(learn); err != nil {
		return nil, nil, nil, err
	}
	if judged, err = s.Subset(judge); err != nil || !s.Schema.Table() {
		return learned, judged, nil, err
	}
	f := learned.fills()
	if learned.Schema = f.schema(s.Schema); len(s.Gaps) > 0 {
		learned.refill(f)
	}
	if judged.Schema = learned.Schema; len(s.Gaps) > 0 || slices.Contains(f.absent, true) {
		changed = judged.refill(f)
	}
	return learned, judged, changed, nil
}

// fills are what rows say of each feature.
type fills struct {
	mean   []float64 // of those that have a number
	absent []bool    // none has a number, or the category
}

// fills measures the rows, in the order in which the reader takes sums.
func (s *Set) fills() fills {
	rows, cols := s.X.Dims()
	f, known, missing := fills{make([]float64, cols), make([]bool, cols)}, make([]int, cols), s.missing()
	for i := range rows {
		row, gone := s.X.Row(i), missing(i)
		for k, v := range row.Value {
			if j := row.Column(k); v != 0 && !slices.Contains(gone, uint32(j)) {
				f.mean[j] += float64(v)
				known[j]++
			}
		}
	}
	first, _ := s.Schema.Places()
	for at, c := range s.Schema.Columns {
		for k := range s.Schema.makes(at) {
			if j := first[at] + k; c.Category != nil {
				f.absent[j] = known[j] == 0
			} else {
				known[j] = rows // a zero is a number too
			}
		}
	}
	for _, g := range s.Gaps {
		known[g.Feature] -= len(g.Rows)
		f.absent[g.Feature] = known[g.Feature] == 0
	}
	for j := range f.mean {
		f.mean[j] /= float64(max(known[j], 1))
	}
	return f
}

// schema is s with these means.
func (f fills) schema(s *Schema) *Schema {
	s = s.Clone()
	first, _ := s.Places()
	for at := range s.Columns {
		if c := &s.Columns[at]; s.makes(at) == 1 && c.Category == nil {
			c.Fill = f.mean[first[at]]
		}
	}
	return s
}

// missing returns what says which features are missing in a row, increasing. Rows are to be asked
// for in order.
func (s *Set) missing() func(row int) []uint32 {
	next, gone := make([]int, len(s.Gaps)), []uint32(nil)
	return func(row int) []uint32 {
		gone = gone[:0]
		for k, g := range s.Gaps {
			if at := next[k]; at < len(g.Rows) && int(g.Rows[at]) == row {
				next[k]++
				gone = append(gone, g.Feature)
			}
		}
		return gone
	}
}

// refill makes the features of all rows anew; it returns the rows of which any is another then.
func (s *Set) refill(f fills) (changed []int) {
	rows, cols := s.X.Dims()
	missing, value, index := s.missing(), []float32(nil), []uint32{}
	dense, isDense := s.X.(*matrix.Dense)
	sparse := &matrix.CSR{Cols: cols, Start: make([]int64, 1, rows+1), Index: []uint32{}}
	for i := range rows {
		row, gone, other := s.X.Row(i), missing(i), false
		value, index = value[:0], index[:0]
		put := func(j uint32, was, x float32) {
			if other = other || was != x; x != 0 || isDense {
				value, index = append(value, x), append(index, j)
			}
		}
		for k, v := range row.Value {
			j := uint32(row.Column(k))
			for ; len(gone) > 0 && gone[0] < j; gone = gone[1:] {
				put(gone[0], 0, f.number(gone[0]))
			}
			switch {
			case len(gone) > 0 && gone[0] == j:
				put(j, v, f.number(j))
				gone = gone[1:]
			case f.absent[j]:
				put(j, v, 0)
			default:
				put(j, v, v)
			}
		}
		for _, j := range gone {
			put(j, 0, f.number(j))
		}
		if other {
			changed = append(changed, i)
		}
		if isDense {
			copy(dense.Value[i*cols:(i+1)*cols], value)
		} else {
			sparse.Append(index, value)
		}
	}
	if !isDense {
		sparse.Cols, s.X = cols, sparse
		s.Vouch()
	}
	return changed
}

// number is what stands for a missing one.
func (f fills) number(j uint32) float32 { return float32(f.mean[j]) }

// gapsOf returns the gaps of the rows with these numbers.
func (s *Set) gapsOf(rows []int) []Gap {
	gaps, gone := make([]Gap, len(s.Gaps)), make([]bool, s.Rows())
	for g, gap := range s.Gaps {
		for _, i := range gap.Rows {
			gone[i] = true
		}
		gaps[g].Feature = gap.Feature
		for k, i := range rows {
			if gone[i] {
				gaps[g].Rows = append(gaps[g].Rows, uint32(k))
			}
		}
		for _, i := range gap.Rows {
			gone[i] = false
		}
	}
	return gaps
}
