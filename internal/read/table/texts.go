package table

import (
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
)

// makeText makes a column one of texts.
func (t *table) makeText(c *set.Column) {
	c.Category, c.Kind, c.Text = nil, set.KindText, t.terms.Space()
}

// fit gives a column of texts its vocabulary, of the texts of all rows.
func (t *table) fit(slot int, s *terms.Space, threads int) {
	words := t.words[slot].words
	rows := t.countWords(slot)
	for k, word := range words {
		if word == set.MissingCategory {
			words[k] = "" // a text without terms
		}
	}
	s.Fit(words, rows, t.count, threads)
}
