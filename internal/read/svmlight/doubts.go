package svmlight

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/structure"
)

// doubts are about what words and edges of rows were meant to be.
type doubts struct {
	words    map[float32]span // by their symbol
	repeated int              // graphs with an edge more than once
	where    string           // the first of them
}

// A span is the first and the last, in the order of letters, of the words of one symbol:
// what does not depend on the order in which they come.
type span struct{ least, most string }

// symbol returns that of a word, and remembers what words may share it.
func (d *doubts) symbol(word []byte) float32 {
	s := structure.Symbol(word)
	if !structure.Hashed(s) {
		return s
	}
	known, ok := d.words[s]
	if ok && known.least == string(word) && known.most == string(word) {
		return s
	}
	text := string(word)
	d.add(s, span{text, text})
	return s
}

func (d *doubts) add(symbol float32, words span) {
	if d.words == nil {
		d.words = map[float32]span{}
	}
	if known, ok := d.words[symbol]; ok {
		words = span{min(words.least, known.least), max(words.most, known.most)}
	}
	d.words[symbol] = words
}

// merge adds those of the next chunk.
func (d *doubts) merge(next *doubts) {
	for symbol, words := range next.words {
		d.add(symbol, words)
	}
	if d.repeated == 0 {
		d.where = next.where
	}
	d.repeated += next.repeated
}

func (d *doubts) warnings() (all []error) {
	shared, first := 0, span{}
	for _, words := range d.words {
		if words.least != words.most {
			if shared++; shared == 1 || words.least < first.least {
				first = words
			}
		}
	}
	if shared > 0 {
		all = append(all, fmt.Errorf("symbols of more than one word, which count as equal: %d of %d, the first of %q and %q", shared, len(d.words), first.least, first.most))
	}
	if d.repeated > 0 {
		all = append(all, fmt.Errorf("graphs with an edge more than once, which counts as often: %d, the first at %s", d.repeated, d.where))
	}
	return all
}
