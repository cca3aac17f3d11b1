package structure

// firstWord is the symbol before those of words. Numbers up to it never share one with a word.
const firstWord = 1 << 23

// Symbol returns the symbol of a word. A whole number from 1 to [MaxSymbol], without a
// sign or zeros before it, is its own; every other word has one of 2^23 above 2^23, by a
// hash, so that no list of words has to be kept: among w words about w^2/2^24 pairs share
// one, and count as equal.
func Symbol(word []byte) float32 {
	if n := Number(word); n > 0 {
		return float32(n)
	}
	h := uint64(0xcbf29ce484222325) // FNV-1a, then the finalizer of SplitMix64
	for _, b := range word {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return float32(firstWord + 1 + (h^h>>31)>>(64-23))
}

// Hashed reports whether words may share the symbol.
func Hashed(symbol float32) bool { return symbol > firstWord }

// Number is the whole number from 1 to [MaxSymbol] that word spells, 0 if it is none.
func Number(word []byte) (n int) {
	if len(word) == 0 || len(word) > 8 || word[0] == '0' {
		return 0
	}
	for _, b := range word {
		if b < '0' || b > '9' {
			return 0
		}
		n = 10*n + int(b-'0')
	}
	if n > MaxSymbol {
		return 0
	}
	return n
}

// Mix is a bijection that changes half of the bits if one is changed (SplitMix64: Steele, Lea and
// Flood, Fast Splittable Pseudorandom Number Generators, 2014).
func Mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
