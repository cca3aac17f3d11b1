package generate

import (
	"io"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

func init() {
	register("documents", "raw texts with Zipf's word frequencies, as a table of a text and a label (n=20000,d=50000,words=100,classes=2,signal=0.2,noise=0.02,seed=1,skip=0)", newDocuments)
}

// documents makes raw texts, as [text] makes rows of weighed words: words are drawn in the same way, until there are m of them, m
// uniform in [words/2, 3words/2], and spelled, with blanks and now and then a comma or a full stop between. Readers take them as a
// table of the columns text and label, so that the terms of texts are made as of a file. A row has the counts of its words.
type documents struct {
	text
	words int
}

func newDocuments(p *registry.Params) (Generator, error) {
	g := &documents{text: text{extent: newExtent(p, 20000)}}
	d := p.Int("d", 50000, 10, 1<<24)
	g.words = p.Int("words", 100, 1, 1<<20)
	g.nnz = g.words
	return g, g.finish(p, d, 0.2)
}

func (g *documents) Info() Info {
	info := g.text.Info()
	info.Texts = true
	return info
}

func (g *documents) Row(dst *Row, i int) {
	class := g.begin(dst, i)
	dst.words, dst.Text = dst.words[:0], dst.Text[:0]
	r := &dst.random
	for range (g.words+1)/2 + r.below(g.words+1) {
		rank := g.word(r, class)
		dst.words = append(dst.words, uint32(rank))
		if len(dst.Text) > 0 {
			dst.Text = append(dst.Text, ' ')
		}
		dst.Text = appendWord(dst.Text, rank)
		switch r.below(20) {
		case 0:
			dst.Text = append(dst.Text, ',')
		case 1:
			dst.Text = append(dst.Text, '.')
		}
	}
	slices.Sort(dst.words)
	dst.sparse()
	for k, j := range dst.words {
		if k > 0 && j == dst.words[k-1] {
			dst.X.Value[len(dst.X.Value)-1]++
			continue
		}
		dst.X.Index, dst.X.Value = append(dst.X.Index, j), append(dst.X.Value, 1)
	}
}

// appendWord spells the word of a rank: syllables, the fewer the more frequent it is, and another for each rank.
func appendWord(dst []byte, rank int) []byte {
	const consonants, vowels = "bcdfghjklmnpqrstvwxz", "aeiou"
	for rank++; rank > 0; rank = (rank - 1) / 100 {
		s := (rank - 1) % 100
		dst = append(dst, consonants[s/5], vowels[s%5])
	}
	return dst
}

// Text returns the table of texts that a generator stands for, tabs between columns and their names in the first line; nil where it makes rows of numbers.
func Text(spec string) io.Reader {
	g, err := generators.New(strings.TrimPrefix(spec, "@"))
	if err != nil || !g.Info().Texts {
		return nil
	}
	info := g.Info()
	return &textReader{g: g, next: info.Skip, end: info.Skip + info.Rows, line: []byte("text\tlabel\n")}
}

type textReader struct {
	g         Generator
	row       Row
	next, end int
	line      []byte // not yet read
	buffer    []byte
}

func (r *textReader) Read(p []byte) (int, error) {
	if len(r.line) == 0 {
		if r.next == r.end {
			return 0, io.EOF
		}
		r.g.Row(&r.row, r.next)
		r.next++
		r.buffer = append(append(append(append(r.buffer[:0], r.row.Text...), '\t'), r.row.Label...), '\n')
		r.line = r.buffer
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}
