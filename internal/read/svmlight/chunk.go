package svmlight

import (
	"bytes"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// sparseChunk is the rows of one chunk.
type sparseChunk struct {
	memory  *memory.Block // of index and value; nil: the heap
	index   []uint32      // the columns of the nonzeros
	value   []float32     // what stands there
	end     []uint32      // of each row, in index
	labels  *set.Labels
	cols    uint64
	unknown []uint32 // columns beyond those of the model, as met
	spread  []set.SparseSpread
	small   []set.Small // increasing, rows from that of the chunk

	// Of a stream alone: for each row its line in the chunk and the columns up to
	// its last index; what is wrong with the row after the last; whence they are.
	line  []uint32
	reach []uint64
	bad   error
	from  place
}

// A place is where a chunk begins.
type place struct {
	name string
	line int
}

// newSparseChunk has room for so many rows and nonzeros, outside of the heap:
// what is there must be copied, and can then be given back at once.
func newSparseChunk(a *memory.Arena, rows, nonzeros int) *sparseChunk {
	m := a.Lend(nonzeros)
	index, value := m.Pairs()
	return &sparseChunk{memory: m, index: index[m.Used:m.Used], value: value[m.Used:m.Used], end: make([]uint32, 0, rows), labels: set.NewLabels(rows)}
}

// leaveOut notes a nonzero that the model does not know.
func (c *sparseChunk) leaveOut(column uint64, bits uint32) {
	if bits<<1 != 0 {
		c.unknown = append(c.unknown, uint32(column))
	}
}

// takeSmall takes a value that single precision rounds to less than set.Tiny. Of one that is not
// zero it returns bits that are kept.
func (c *sparseChunk) takeSmall(word []byte, column uint64, bits uint32) uint32 {
	_, text, _ := bytes.Cut(word, []byte{':'})
	v, _ := decimal.Float64(text)
	if v == 0 {
		return bits
	}
	c.small = append(c.small, set.Small{Row: len(c.end), Column: uint32(column), Value: v})
	if bits<<1 == 0 {
		bits |= 1
	}
	return bits
}

// copyTo copies the nonzeros to where index and value begin, and frees them.
func (c *sparseChunk) copyTo(index []uint32, value []float32) {
	index, value = index[:len(c.index)], value[:len(c.index)]
	memory.Populate(index)
	memory.Populate(value)
	copy(index, c.index)
	copy(value, c.value)
	if len(c.index) > 0 {
		c.memory.Free()
	}
}

// tight returns the features that the first rows have, and that are so close to each other
// that rounding may matter.
func (c *sparseChunk) tight() (found []set.SparseSpread) {
	from := uint32(0)
	for i, end := range c.end[:min(len(c.end), set.ProbeRows)] {
		index, value := c.index[from:end], c.value[from:end]
		from = end
		if i == 0 {
			for k, j := range index {
				s := set.SparseSpread{Column: j}
				s.Add(float64(value[k]))
				found = append(found, s)
			}
		}
		k := 0
		found = slices.DeleteFunc(found, func(s set.SparseSpread) bool {
			for k < len(index) && index[k] < s.Column {
				k++
			}
			return k == len(index) || index[k] != s.Column || s.Wide
		})
		k = 0
		for at := range found {
			for index[k] != found[at].Column {
				k++
			}
			found[at].Add(float64(value[k]))
			found[at].Settle()
		}
	}
	return slices.DeleteFunc(found, func(s set.SparseSpread) bool { return s.Wide || s.IsMark() })
}

// room is where the rows of sparse text are to lie in the end. Chunks are
// parsed into it side by side: how many colons are before a chunk is known
// when it is read. A copy of all rows would cost a third of reading (a9a 2.7 of
// 8.9 ms, covtype2 4.1 of 17.4), and for a moment twice the memory.
type room struct {
	index []uint32
	value []float32
}

// chunk makes a place for the rows of c; nil if the room is too small.
func (r room) chunk(c *lines.Chunk) *sparseChunk {
	from, to := c.Before, c.Before+c.Pairs
	if r.index == nil || to > len(r.index) {
		return nil
	}
	return &sparseChunk{index: r.index[from:from:to], value: r.value[from:from:to],
		end: make([]uint32, 0, c.Lines), labels: set.NewLabels(c.Lines)}
}

// countPairs returns a number that the pairs index:value of a text do not exceed:
// each has a colon, and four bytes with the blank before it.
func countPairs(text []byte) int {
	return min(bytes.Count(text, []byte{':'}), len(text)/4+1)
}
