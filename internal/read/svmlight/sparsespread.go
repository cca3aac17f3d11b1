package svmlight

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// Sparse text has no room for offsets, which would make zeros of its features something
// else. Of a feature that all rows have, and that may lose by rounding, it is measured how
// much: the text of a chunk is looked at once more if its first rows have such features,
// which is rare.

// A sparseSpread is the spread of a feature that all rows of a chunk have.
type sparseSpread struct {
	column uint32
	rows   int
	set.Spread
}

// tight returns the features that the first rows have, and that are so close to each other
// that rounding may matter.
func (c *sparseChunk) tight() (found []sparseSpread) {
	from := uint32(0)
	for i, end := range c.end[:min(len(c.end), set.ProbeRows)] {
		index, value := c.index[from:end], c.value[from:end]
		from = end
		if i == 0 {
			for k, j := range index {
				s := sparseSpread{column: j}
				s.Add(float64(value[k]))
				found = append(found, s)
			}
		}
		k := 0
		found = slices.DeleteFunc(found, func(s sparseSpread) bool {
			for k < len(index) && index[k] < s.column {
				k++
			}
			return k == len(index) || index[k] != s.column || s.Wide
		})
		k = 0
		for at := range found {
			for index[k] != found[at].column {
				k++
			}
			found[at].Add(float64(value[k]))
			found[at].Settle()
		}
	}
	return slices.DeleteFunc(found, func(s sparseSpread) bool { return s.Wide || s.isMark() })
}

// isMark reports whether the values are all the same short number, such as the 1 that marks
// a category: it is stored as it is.
func (s *sparseSpread) isMark() bool {
	return s.Low == s.High && math.Float32bits(float32(s.Low))&0xfff == 0
}

// measure returns the spreads of the features of a chunk before they were rounded, as far
// as that matters.
func (p *libsvmParser) measure(c *lines.Chunk, out *sparseChunk) []sparseSpread {
	found := out.tight()
	if len(found) == 0 {
		return nil
	}
	for at := range found {
		found[at].Spread = set.Spread{}
	}
	for line := range bytes.Lines(c.Text) {
		line, _, _ = bytes.Cut(line, []byte{'#'})
		k := 0
		for word := range bytes.FieldsSeq(line) {
			index, value, ok := bytes.Cut(word, []byte{':'})
			number, err := strconv.ParseUint(string(index), 10, 64)
			if !ok || err != nil || number < p.first {
				continue
			}
			for k < len(found) && uint64(found[k].column) < number-p.first {
				k++
			}
			if v, status := decimal.Float64(value); k < len(found) && uint64(found[k].column) == number-p.first && status == decimal.Number {
				found[k].Add(v)
				found[k].rows++
			}
		}
	}
	for at := range found {
		found[at].Settle()
	}
	return slices.DeleteFunc(found, func(s sparseSpread) bool { return s.Wide || s.rows != len(out.end) })
}

// sparseSpreads are those of the features that all rows have so far.
type sparseSpreads struct {
	some bool // there are rows
	of   []sparseSpread

	small map[uint32]*set.Spread // of a stream: of features whose values are too small
}

// take keeps the features that a chunk has too.
func (a *sparseSpreads) take(c *sparseChunk) {
	if len(c.end) == 0 {
		return
	}
	if !a.some {
		a.some, a.of = true, c.spread
		return
	}
	a.of = slices.DeleteFunc(a.of, func(s sparseSpread) bool { return placeOf(c.spread, s.column) < 0 })
	for i := range a.of {
		a.of[i].Merge(c.spread[placeOf(c.spread, a.of[i].column)].Spread)
	}
}

// takeSmall notes the features of a chunk of which all values are too small, or that are no
// longer so.
func (a *sparseSpreads) takeSmall(c *sparseChunk) {
	for _, v := range c.small {
		if a.small == nil {
			a.small = map[uint32]*set.Spread{}
		}
		if a.small[v.Column] == nil {
			a.small[v.Column] = &set.Spread{Some: true}
		}
		a.small[v.Column].Add(v.Value)
	}
	for k := 0; k < len(c.index) && a.small != nil; k++ {
		if s := a.small[c.index[k]]; s != nil && !set.IsSmall(math.Float32bits(c.value[k])) {
			s.Wide = true
		}
	}
}

// vanished says which features of a stream are too small for single precision.
func (a *sparseSpreads) vanished(first uint64) (said []error) {
	for _, j := range slices.Sorted(maps.Keys(a.small)) {
		if a.small[j].Factor(0) != 0 {
			said = append(said, fmt.Errorf("feature %d: values below 1e-30 are lost in single precision: multiply them, or read the rows as a set and not as a stream", uint64(j)+first))
		}
	}
	return said
}

// placeOf returns where the spread of a column is, -1 for none.
func placeOf(all []sparseSpread, column uint32) int {
	return slices.IndexFunc(all, func(s sparseSpread) bool { return s.column == column })
}

// lost says what rounding does to the features, but those that may be multiplied, and how much
// it is at most.
func (a *sparseSpreads) lost(first uint64) (said []error, most float64) {
	for _, s := range a.of {
		if r := s.Rounding(); r > 0 && (!s.Small() || s.Offset() != 0) {
			most = max(most, r)
			if s.Matters() {
				said = append(said, s.Lost(fmt.Sprintf("feature %d", uint64(s.column)+first)))
			}
		}
	}
	return said, most
}
