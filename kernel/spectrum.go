package kernel

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Spectrum is the spectrum kernel of strings (Leslie, Eskin and Noble, 2002):
//
//	k(s,t) = sum over the strings u of p symbols of count_u(s) count_u(t)
//
// where count_u(s) is how often u stands in s without gaps. What is a string is
// said at symbols. The substrings of one string go into a hash table, those of
// the other are looked up: O(|s| + |t|), and the result is exact.
type Spectrum struct{ P int }

var (
	_ Featured   = Spectrum{}
	_ Sized      = Spectrum{}
	_ structured = Spectrum{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "spectrum", Summary: "common substrings of p symbols; p=3; rows are strings",
		New: func(p *registry.Params) (Kernel, error) { return Spectrum{p.Int("p", 3, 1, 1000)}, nil }})
}

// Structure is that of sequences.
func (Spectrum) Structure() structure.Kind { return structure.Sequences }

// Prepare refuses values that are no symbols.
func (Spectrum) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) {
	return wholeNumbers("spectrum", x)
}

// substring is a slot of the hash table: where a substring first ends, and how
// often it occurs. 0 ends nowhere.
type substring struct{ end, count int32 }

var spectrumTables sync.Pool // *[]substring

// Eval returns the number of pairs of equal substrings.
func (k Spectrum) Eval(x, y matrix.Vector) float64 {
	s, t := ordered(structure.Symbols(x), structure.Symbols(y))
	if len(t) < k.P {
		return 0
	}
	logSize := bits.Len(uint(2 * len(t)))
	size := 1 << logSize
	scratch, ok := spectrumTables.Get().(*[]substring)
	if !ok || cap(*scratch) < size {
		table := make([]substring, size)
		scratch = &table
	}
	defer spectrumTables.Put(scratch)
	table := (*scratch)[:size]
	clear(table)
	// find returns the slot of the substring u, or the free one for it.
	find := func(hash uint64, u []float32) *substring {
		for i := hash >> (64 - logSize); ; i++ {
			slot := &table[i&uint64(size-1)]
			if slot.end == 0 || slices.Equal(t[slot.end-int32(k.P):slot.end], u) {
				return slot
			}
		}
	}
	k.each(t, func(hash uint64, end int) {
		slot := find(hash, t[end-k.P:end])
		if slot.count++; slot.end == 0 {
			slot.end = int32(end)
		}
	})
	pairs := 0.0
	k.each(s, func(hash uint64, end int) { pairs += float64(find(hash, s[end-k.P:end]).count) })
	return pairs
}

// each calls do for the substrings: the hash of the one that ends before end is
// a polynomial of its symbols, the value of which rolls on, times an odd number
// that spreads it over the high bits.
func (k Spectrum) each(s []float32, do func(hash uint64, end int)) {
	const base, spread = 0x9e3779b97f4a7c15, 0xd1342543de82ef95
	first := uint64(1) // base^p
	for range k.P {
		first *= base
	}
	hash := uint64(0)
	for end, symbol := range s {
		hash = hash*base + uint64(symbol)
		if end >= k.P {
			hash -= first * uint64(s[end-k.P])
		}
		if end+1 >= k.P {
			do(hash*spread, end+1)
		}
	}
}

// Size is the square of the number of substrings.
func (k Spectrum) Size(terms int, _ float64) float64 {
	m := math.Max(0, float64(terms-k.P+1))
	return m * m
}

// Relative is 0: below 2^53 the result is exact.
func (Spectrum) Relative(int, float64, float64) float64 { return 0 }

// Error is 0.
func (Spectrum) Error(int, float64, float64) float64 { return 0 }

// Features counts the substrings.
func (k Spectrum) Features(x matrix.Matrix) (*matrix.CSR, Inner) {
	key := make([]byte, 4*k.P)
	return counts(x, func(row matrix.Vector, add func(key []byte)) {
		s := structure.Symbols(row)
		for end := k.P; end <= len(s); end++ {
			for i, symbol := range s[end-k.P : end] {
				binary.LittleEndian.PutUint32(key[4*i:], uint32(symbol))
			}
			add(key)
		}
	}), Linear{}
}
