package kernel

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Mismatch is the mismatch kernel of strings (Leslie, Eskin, Cohen, Weston and Noble,
// Mismatch String Kernels for Discriminative Protein Classification, 2004):
//
//	k(s,t) = sum over the words u of p letters of near_u(s) near_u(t)
//
// where near_u(s) is how many substrings of s differ from u in at most M places. With
// common_d words near both of two substrings that differ in d places, d <= 2M,
//
//	k(s,t) = sum over d of common_d pairs_d(s,t)
//
// so that no word has to be written down: pairs_d is counted exactly. common_d depends on
// how many letters the alphabet has; rows with more of them are refused.
//
// For strings that are not long, pairs are counted along the diagonals of the table of
// both: |s| |t| steps. For long ones, by the pairs that agree in all places but j,
//
//	agree_j = sum over d of binom(p-d, j-d) pairs_d,      j <= 2M
//
// (Kuksa, Huang and Pavlovic, Scalable Algorithms for String Kernels with Inexact
// Matching, 2008), which a hash table of what is left of the substrings counts for each
// choice of j places: O(binom(p,2M) p (|s|+|t|)). The matrix of a set is made
// of the words near each string instead, where these are few.
type Mismatch struct{ P, M, Alphabet int }

var (
	_ Featured   = Mismatch{}
	_ Sized      = Mismatch{}
	_ structured = Mismatch{}
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "mismatch", Summary: "common substrings of p symbols up to m others, of an alphabet of so many; p=5, m=1, alphabet=20; rows are strings",
		New: func(p *registry.Params) (Kernel, error) {
			k := Mismatch{P: p.Int("p", 5, 1, 50), M: p.Int("m", 1, 0, 8), Alphabet: p.Int("alphabet", 20, 2, structure.MaxSymbol)}
			if err := p.Err(); err != nil {
				return nil, err
			}
			if k.M > k.P {
				return nil, fmt.Errorf("m=%d: expected at most p=%d", k.M, k.P)
			}
			return k, nil
		}})
}

// Structure is that of sequences.
func (Mismatch) Structure() structure.Kind { return structure.Sequences }

// Prepare refuses values that are no symbols, and more of them than the alphabet has.
func (k Mismatch) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) {
	if _, err := wholeNumbers("mismatch", x); err != nil {
		return nil, err
	}
	letters := map[float32]bool{}
	n, _ := x.Dims()
	for i := range n {
		for _, v := range x.Row(i).Value {
			if v != 0 {
				letters[v] = true
			}
		}
	}
	if len(letters) > k.Alphabet {
		return nil, fmt.Errorf("kernel \"mismatch\": found %d different symbols, expected at most alphabet=%d", len(letters), k.Alphabet)
	}
	return x, nil
}

// Eval returns the value, 0 if one of the strings is shorter than p.
func (k Mismatch) Eval(x, y matrix.Vector) float64 {
	s, t := ordered(structure.Symbols(x), structure.Symbols(y))
	if len(t) < k.P {
		return 0
	}
	most := min(2*k.M, k.P)
	var pairs []float64
	// Measured: a substring in a hash table takes as long as some forty steps along diagonals.
	steps, ways := float64(len(s))*float64(len(t)), choices(k.P, most)
	if 40*float64(len(s)+len(t))*ways < steps && ways*steps < 1<<53 {
		pairs = k.byPlaces(s, t, most)
	} else {
		pairs = k.byDiagonal(s, t, most)
	}
	total := 0.0
	for d, n := range pairs {
		total += float64(k.common(d) * n)
	}
	return total
}

// byDiagonal returns how many pairs of substrings differ in 0..most places. Where the last
// p places of a diagonal differ is the bits of a word: no branch depends on the symbols.
func (k Mismatch) byDiagonal(s, t []float32, most int) []float64 {
	var count [64]int64
	a, b := whole(s), whole(t)
	window := uint64(1)<<k.P - 1
	for shift := k.P - len(t); shift <= len(s)-k.P; shift++ {
		u, v := a[max(shift, 0):], b[max(-shift, 0):]
		u = u[:min(len(u), len(v))]
		v = v[:len(u)]
		differ := uint64(0)
		for i, symbol := range u {
			other := symbol ^ v[i]
			differ = (differ<<1 | uint64((other|-other)>>31)) & window
			if i >= k.P-1 {
				count[bits.OnesCount64(differ)&63]++
			}
		}
	}
	pairs := make([]float64, most+1)
	for d := range pairs {
		pairs[d] = float64(count[d])
	}
	return pairs
}

// whole returns symbols as whole numbers.
func whole(s []float32) []uint32 {
	w := make([]uint32, len(s))
	for i, symbol := range s {
		w[i] = uint32(symbol)
	}
	return w
}

// byPlaces returns the same numbers, all of them whole and exact while below 2^53.
func (k Mismatch) byPlaces(s, t []float32, most int) []float64 {
	pairs := make([]float64, most+1)
	for j := range pairs {
		for mask := uint64(1)<<j - 1; mask < 1<<k.P; {
			pairs[j] += k.agreeing(s, t, mask)
			if mask == 0 {
				break
			}
			lowest := mask & -mask // the next number of as many bits
			next := mask + lowest
			mask = (mask^next)>>2/lowest | next
		}
		for d := range j {
			pairs[j] -= float64(binomial(k.P-d, j-d) * pairs[d])
		}
	}
	return pairs
}

// agreeing returns how many pairs of substrings are the same but for the places of mask.
func (k Mismatch) agreeing(s, t []float32, mask uint64) float64 {
	key, count, pairs := make([]byte, 0, 4*k.P), map[string]int{}, 0
	rest := func(u []float32) []byte {
		key = key[:0]
		for i, symbol := range u {
			if mask>>i&1 == 0 {
				key = binary.LittleEndian.AppendUint32(key, uint32(symbol))
			}
		}
		return key
	}
	for end := k.P; end <= len(t); end++ {
		count[string(rest(t[end-k.P:end]))]++
	}
	for end := k.P; end <= len(s); end++ {
		pairs += count[string(rest(s[end-k.P:end]))]
	}
	return float64(pairs)
}

// common returns how many words are near both of two substrings that differ in d places:
// i of these are as in the one, j as in the other, and h of the places where both are the
// same are different.
func (k Mismatch) common(d int) float64 {
	words, other := 0.0, float64(k.Alphabet)
	for i := range d + 1 {
		for j := range d - i + 1 {
			for h := range min(k.P-d, k.M) + 1 {
				if max(d-i, d-j)+h <= k.M {
					words += float64(binomial(d, i) * binomial(d-i, j) * repeated(other-2, d-i-j) * binomial(k.P-d, h) * repeated(other-1, h))
				}
			}
		}
	}
	return words
}

// binomial returns n over k, rounded a few times where it is above 2^53.
func binomial(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c
}

// repeated returns x^n, n >= 0.
func repeated(x float64, n int) float64 {
	if n == 0 {
		return 1
	}
	return power(x, n)
}

// choices is how many ways there are to choose at most most of p places.
func choices(p, most int) (all float64) {
	for j := range most + 1 {
		all += binomial(p, j)
	}
	return all
}

// Size is that of m pairs of substrings, m the terms, that are all the same.
func (k Mismatch) Size(terms int, _ float64) float64 {
	m := math.Max(0, float64(terms-k.P+1))
	return m * m * k.common(0) * (1 + 1e-12)
}

// Relative is that of sums and products of numbers that are not negative, fewer than a
// thousand of them one after another.
func (Mismatch) Relative(int, float64, float64) float64 { return compounded(1000, unit) }

// Error is Relative times the sizes.
func (k Mismatch) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }

// Features counts the words near each substring, where these are few enough to be stored,
// and to be cheaper than counting pairs.
func (k Mismatch) Features(x matrix.Matrix) (*matrix.CSR, Inner) {
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
