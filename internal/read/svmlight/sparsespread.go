package svmlight

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// Sparse text has no room for offsets, which would make zeros of its features something
// else. Of a feature that all rows have, and that may lose by rounding, it is measured how
// much: the text of a chunk is looked at once more if its first rows have such features,
// which is rare.

// sparseSpreads are those of the features that all rows have so far.
type sparseSpreads struct {
	set.SparseSpreads
	small map[uint32]*set.Spread // of a stream: of features whose values are too small
}

// take keeps the features that a chunk has too.
func (a *sparseSpreads) take(c *sparseChunk) {
	if len(c.end) > 0 {
		a.Take(c.spread)
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
