// Package terms makes features of text: words, sequences of words or of characters within words, numbered by a vocabulary or by
// a hash, and weighted by how often they are in the text and in how many texts. The formulas are those of scikit-learn's CountVectorizer,
// TfidfVectorizer and HashingVectorizer. Begin with [Space].
package terms

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// A Space says which terms texts have, and what feature each is. It is stored as JSON in the schema of a model.
type Space struct {
	Least  int       `json:"least"`              // words, or characters, of the shortest term
	Most   int       `json:"most"`               // and of the longest
	Whole  bool      `json:"whole,omitempty"`    // a text is one term, as it is spelled
	Within bool      `json:"chars,omitempty"`    // terms are characters within words, which a blank before and behind each ends
	Bits   int       `json:"hash,omitempty"`     // terms are numbered by a hash of so many bits; 0: by Words
	Words  []string  `json:"terms,omitempty"`    // vocabulary, increasing
	IDF    []float64 `json:"idf,omitempty"`      // ln((1+n)/(1+texts with the term)) + 1, of each of Words; nil: 1
	Damped bool      `json:"damped,omitempty"`   // a count c is 1 + ln c
	Rare   bool      `json:"rare,omitempty"`     // terms have weights IDF
	By     string    `json:"words_by,omitempty"` // how texts are cut into words: [Segments]; "": runs of two and more letters, digits and underscores
	Counts bool      `json:"counts,omitempty"`   // values are counts: else their squares add up to 1 in each text

	MinCount int     `json:"min_count,omitempty"` // a term is in so many texts at least
	MaxShare float64 `json:"max_share,omitempty"` // and in at most this share of them; 0: in any
}

// mostBits is how long hashes may be.
const mostBits = 24

// mostTerm is how many words or characters a term may have.
const mostTerm = 20

// Segments are words by the Unicode text segmentation (Unicode Standard Annex 29), of which one character may be one: for
// scripts without blanks between words too.
const Segments = "uax29"

// Check returns why a space that was read from a file cannot be one.
func (s *Space) Check() error {
	switch {
	case s.Least < 1 || s.Most < s.Least || s.Most > mostTerm:
		return fmt.Errorf("found terms of %d to %d words, expected 1 to %d", s.Least, s.Most, mostTerm)
	case s.By != "" && (s.By != Segments || s.Within):
		return fmt.Errorf("found words by %q, and characters or words, expected words by %s", s.By, Segments)
	case s.Whole && (s.Bits == 0 || s.Within || s.Most > 1):
		return fmt.Errorf("found whole texts of %d words and a hash of %d bits, expected them as one term each, of a hash", s.Most, s.Bits)
	case s.Bits < 0 || s.Bits > mostBits || s.Bits > 0 && (s.Words != nil || s.IDF != nil):
		return fmt.Errorf("found a hash of %d bits and %d terms, expected 1 to %d bits, or a vocabulary", s.Bits, len(s.Words), mostBits)
	case s.Rare != (s.IDF != nil) && len(s.Words) > 0 || s.MinCount < 0 || !(s.MaxShare >= 0 && s.MaxShare <= 1) || s.Rare && s.Counts:
		return fmt.Errorf("found terms in %d texts at least and a share of %g at most, expected numbers of at least 0 and a share up to 1, and weights as they are asked for", s.MinCount, s.MaxShare)
	case s.IDF != nil && len(s.IDF) != len(s.Words):
		return fmt.Errorf("found %d weights of %d terms", len(s.IDF), len(s.Words))
	}
	for i, w := range s.Words {
		if i > 0 && s.Words[i-1] >= w {
			return fmt.Errorf("found the term %q behind %q, expected increasing ones", w, s.Words[i-1])
		}
		if s.IDF != nil && !(s.IDF[i] > 0 && s.IDF[i] <= math.MaxFloat32) {
			return fmt.Errorf("found the weight %g of the term %q, expected one above 0", s.IDF[i], w)
		}
	}
	return nil
}

// Width is the number of features.
func (s *Space) Width() int {
	if s.Bits > 0 {
		return 1 << s.Bits
	}
	return len(s.Words)
}

// Name names a feature.
func (s *Space) Name(j int) string {
	if s.Bits > 0 {
		return fmt.Sprintf("#%d", j)
	}
	return s.Words[j]
}

// lower is the text in lower case, as Python has it: of one letter it has two, and a sigma that ends a word another.
func lower(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, "\u0130", "i\u0307"))
	if !strings.Contains(text, "\u03c3") {
		return text
	}
	runes := []rune(text)
	for i, r := range runes {
		if r == '\u03c3' && casedBefore(runes[:i]) && !casedBehind(runes[i+1:]) {
			runes[i] = '\u03c2'
		}
	}
	return string(runes)
}

// casedBefore reports whether a letter ends runes, but for characters that case takes no notice of.
func casedBefore(runes []rune) bool {
	for _, r := range slices.Backward(runes) {
		if !ignorable(r) {
			return cased(r)
		}
	}
	return false
}

func casedBehind(runes []rune) bool {
	for _, r := range runes {
		if !ignorable(r) {
			return cased(r)
		}
	}
	return false
}

func cased(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsTitle(r)
}

func ignorable(r rune) bool {
	return r == '\'' || r == '.' || r == ':' || r == '^' || r == '`' || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || r == '\u2019' || r == '\u00b7'
}

// isWord reports whether a character is one of words: a letter, a digit or an underscore.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r-'0' <= 9 && r >= '0' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// Each calls take with each term of a text, which is valid until the next.
func (s *Space) Each(text string, take func(term []byte)) {
	if s.Whole {
		take([]byte(text))
		return
	}
	if text = lower(text); s.Within {
		s.within(text, take)
		return
	}
	bounds := plainWords(text)
	if s.By == Segments {
		bounds = segments(text)
	}
	var term []byte
	for n := s.Least; n <= s.Most; n++ {
		for i := 0; i+n <= len(bounds); i++ {
			term = append(term[:0], text[bounds[i][0]:bounds[i][1]]...)
			for _, b := range bounds[i+1 : i+n] {
				term = append(append(term, ' '), text[b[0]:b[1]]...)
			}
			take(term)
		}
	}
}

// segments are where words by Unicode's segmentation begin and end: those that have a letter or a digit.
func segments(text string) (bounds [][2]int) {
	from := 0
	for all := words.FromString(text); all.Next(); {
		to := from + len(all.Value())
		if strings.ContainsFunc(all.Value(), isWord) {
			bounds = append(bounds, [2]int{from, to})
		}
		from = to
	}
	return bounds
}

// plainWords are where words of two characters and more begin and end.
func plainWords(text string) [][2]int {
	bounds := make([][2]int, 0, len(text)/4)
	for from := 0; from < len(text); {
		r, size := utf8.DecodeRuneInString(text[from:])
		if !isWord(r) {
			from += size
			continue
		}
		to, count := from+size, 1
		for to < len(text) {
			r, size := utf8.DecodeRuneInString(text[to:])
			if !isWord(r) {
				break
			}
			to, count = to+size, count+1
		}
		if count >= 2 {
			bounds = append(bounds, [2]int{from, to})
		}
		from = to
	}
	return bounds
}

// within takes sequences of characters: of each part between blanks, with a blank before and behind it. A part that is shorter
// than a term is one.
func (s *Space) within(text string, take func(term []byte)) {
	for _, word := range strings.FieldsFunc(text, isBlank) {
		word = " " + word + " "
		var at []int
		for i := range word {
			at = append(at, i)
		}
		at = append(at, len(word))
		for n := s.Least; n <= s.Most; n++ {
			if n >= len(at) {
				take([]byte(word))
				break
			}
			for i := 0; i+n < len(at); i++ {
				take([]byte(word[at[i]:at[i+n]]))
			}
			if n == len(at)-1 { // longer ones are no others
				break
			}
		}
	}
}

// hash is MurmurHash3, 32 bits, of seed 0.
func hash(b []byte) uint32 {
	h, n := uint32(0), uint32(len(b))
	mix := func(k uint32) uint32 {
		k *= 0xcc9e2d51
		return (k<<15 | k>>17) * 0x1b873593
	}
	for ; len(b) >= 4; b = b[4:] {
		h ^= mix(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
		h = (h<<13|h>>19)*5 + 0xe6546b64
	}
	k := uint32(0)
	for i, c := range b {
		k |= uint32(c) << (8 * i)
	}
	h ^= mix(k)
	h ^= n
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// A Term is a feature of a text and how often the text has it; of hashes perhaps less often than never.
type Term struct {
	Index uint32
	Count float64
}

// An Index finds the numbers of terms.
type Index struct {
	space *Space
	place map[string]uint32
}

// Index returns what finds terms.
func (s *Space) Index() *Index {
	x := &Index{space: s}
	if s.Bits == 0 {
		x.place = make(map[string]uint32, len(s.Words))
		for j, w := range s.Words {
			x.place[w] = uint32(j)
		}
	}
	return x
}

// Count returns the terms of a text that the space has, increasing. Any number of goroutines may call it.
func (x *Index) Count(text string) []Term {
	if x.space.Bits == 0 {
		return x.known(text)
	}
	var found []Term
	x.space.Each(text, func(term []byte) {
		j, sign := place(term, x.space.Bits)
		found = append(found, Term{j, sign})
	})
	return summed(found)
}

// known counts the terms of a vocabulary.
func (x *Index) known(text string) (all []Term) {
	places := make([]uint32, 0, len(text)/4)
	x.space.Each(text, func(term []byte) {
		if j, ok := x.place[string(term)]; ok {
			places = append(places, j)
		}
	})
	slices.Sort(places)
	distinct := 0
	for k, j := range places {
		if k == 0 || j != places[k-1] {
			distinct++
		}
	}
	all = make([]Term, 0, distinct)
	for k, j := range places {
		if k == 0 || j != places[k-1] {
			all = append(all, Term{Index: j})
		}
		all[len(all)-1].Count++
	}
	return all
}

// place is the number of a term by a hash of so many bits, and the sign of its values.
func place(term []byte, bits int) (index uint32, sign float64) {
	h := int64(int32(hash(term)))
	sign = 1
	if h < 0 {
		h, sign = -h, -1
	}
	return uint32(h % (1 << bits)), sign
}

// summed adds up the counts of each term, and sorts the terms.
func summed(found []Term) []Term {
	slices.SortFunc(found, func(a, b Term) int { return cmp.Compare(a.Index, b.Index) })
	all := found[:0]
	for _, t := range found {
		if n := len(all); n > 0 && all[n-1].Index == t.Index {
			all[n-1].Count += t.Count
		} else {
			all = append(all, t)
		}
	}
	return all
}

// Weigh turns counts into values of features: damped, times IDF, and divided by the root of the sum of the squares.
func (s *Space) Weigh(terms []Term) []float32 {
	values := make([]float64, len(terms))
	for k, t := range terms {
		v := t.Count
		if s.Damped && v > 0 {
			v = 1 + math.Log(v)
		}
		if s.IDF != nil {
			v *= s.IDF[t.Index]
		}
		values[k] = v
	}
	return s.Normalise(values)
}

// Normalise divides the weights of a text's terms by the root of the sum of their squares, unless they are counts.
func (s *Space) Normalise(values []float64) []float32 {
	squares := 0.0
	for _, v := range values {
		squares += float64(v * v)
	}
	out, length := make([]float32, len(values)), 1.0
	if !s.Counts && squares > 0 {
		length = math.Sqrt(squares)
	}
	for k, v := range values {
		out[k] = float32(v / length)
	}
	return out
}

// IDF is the weight of a term that so many of n texts have.
func IDF(texts, n float64) float64 { return math.Log((1+n)/(1+texts)) + 1 }

// isBlank reports whether a character is a blank: as Python has it.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
