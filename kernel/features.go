package kernel

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A featured kernel is one that counts what two rows have in common, such as
// substrings: the inner product of as many counts as there are kinds.
//
// features returns the counts of each row, a column for each kind that occurs,
// and the kernel that k is of them; nil where a count is too large to be exact.
// All sums are whole numbers below 2^53, so that values have the bits of Eval.
// Made once for a set, they cost its rows' length; a value then costs as much as
// any product of sparse rows.
type featured interface {
	Kernel
	features(x matrix.Matrix) (*matrix.CSR, Inner)
}

var (
	_ featured = Spectrum{}
	_ featured = Mismatch{}
	_ featured = WL{}
	_ featured = normalised{}
)

func (k Spectrum) features(x matrix.Matrix) (*matrix.CSR, Inner) {
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

// features counts the words near each substring, where these are few enough to be stored,
// and to be cheaper than counting pairs.
func (k Mismatch) features(x matrix.Matrix) (*matrix.CSR, Inner) {
	const most = 1 << 24 // counts
	near, seen := k.common(0), map[uint32]bool{}
	stored, pairs := 0.0, 0.0
	n, _ := x.Dims()
	for i := range n {
		s := whole(structure.Symbols(x.Row(i)))
		for _, symbol := range s {
			seen[symbol] = true
		}
		length := float64(len(s))
		stored += min(length*near, repeated(float64(k.Alphabet), k.P))
		pairs += length * length
	}
	if stored > min(most, 4*pairs) || len(seen) > k.Alphabet {
		return nil, nil
	}
	letters := slices.Sorted(maps.Keys(seen))
	for other := uint32(structure.MaxSymbol + 1); len(letters) < k.Alphabet; other++ {
		letters = append(letters, other)
	}
	key := make([]byte, 4*k.P)
	return counts(x, func(row matrix.Vector, add func(key []byte)) {
		s := structure.Symbols(row)
		for end := k.P; end <= len(s); end++ {
			for i, symbol := range s[end-k.P : end] {
				binary.LittleEndian.PutUint32(key[4*i:], uint32(symbol))
			}
			eachNear(key, letters, 0, k.M, add)
		}
	}), Linear{}
}

// eachNear calls add with word and those that differ from it in up to m places from one on.
func eachNear(word []byte, letters []uint32, from, m int, add func(word []byte)) {
	if add(word); m == 0 {
		return
	}
	for i := from; i < len(word); i += 4 {
		was := binary.LittleEndian.Uint32(word[i:])
		for _, letter := range letters {
			if letter != was {
				binary.LittleEndian.PutUint32(word[i:], letter)
				eachNear(word, letters, i+4, m-1, add)
			}
		}
		binary.LittleEndian.PutUint32(word[i:], was)
	}
}

func (k WL) features(x matrix.Matrix) (*matrix.CSR, Inner) {
	key := make([]byte, 8)
	return counts(x, func(row matrix.Vector, add func(key []byte)) {
		g, _ := structure.ReadGraph(structure.Symbols(row)) // Prepare has refused what is none
		for _, colour := range k.colours(g) {
			binary.LittleEndian.PutUint64(key, colour)
			add(key)
		}
	}), Linear{}
}

func (k normalised) features(x matrix.Matrix) (*matrix.CSR, Inner) {
	of, ok := k.of.(featured)
	if !ok {
		return nil, nil
	}
	c, inner := of.features(x)
	if _, product := inner.(Linear); !product {
		return nil, nil
	}
	return c, cosine{}
}

// cosine is normalised(linear) of counts.
type cosine struct{ Linear }

// Of divides as normalised does.
func (cosine) Of(dst []float64, xx float64, yy []float64) {
	for j, d := range dst {
		if dst[j] = 0; xx >= leastSelf && yy[j] >= leastSelf {
			dst[j] = d / float64(math.Sqrt(xx)*math.Sqrt(yy[j]))
		}
	}
}

// counts returns how often each row adds each key, nil if one does so more often
// than single precision can count.
func counts(x matrix.Matrix, each func(row matrix.Vector, add func(key []byte))) *matrix.CSR {
	n, _ := x.Dims()
	columns, row := map[string]uint32{}, []uint32(nil)
	out := &matrix.CSR{Start: make([]int64, 1, n+1), Index: []uint32{}}
	for i := range n {
		row = row[:0]
		each(x.Row(i), func(key []byte) {
			column, known := columns[string(key)]
			if !known {
				column = uint32(len(columns))
				columns[string(key)] = column
			}
			row = append(row, column)
		})
		if len(row) >= structure.MaxSymbol {
			return nil
		}
		slices.Sort(row)
		for rest := row; len(rest) > 0; {
			same := 1
			for same < len(rest) && rest[same] == rest[0] {
				same++
			}
			out.Index, out.Value = append(out.Index, rest[0]), append(out.Value, float32(same))
			rest = rest[same:]
		}
		out.Start = append(out.Start, int64(len(out.Value)))
	}
	out.Cols = len(columns)
	return out
}
