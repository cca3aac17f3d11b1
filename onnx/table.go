package onnx

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// features adds the inputs and returns the rows as the model was trained on them, before
// scaling: N x d, single precision.
func (g *graph) features(s *data.Schema, d int) (string, error) {
	if s.Table() {
		return g.table(s)
	}
	offsets := s.Offsets()
	if offsets == nil {
		g.input("x", single, d)
		return "x", nil
	}
	g.input("x", double, d)
	return g.cast(g.op("Sub", "x", g.row(offsets)), single), nil
}

// table is one input for each column.
func (g *graph) table(s *data.Schema) (string, error) {
	var blocks []string
	var run numbers // columns of numbers that stand side by side
	if s.Crossings != nil {
		return "", fmt.Errorf("found products of columns ('cross'), of which the graph would need one node each, expected columns alone")
	}
	names := map[string]bool{}
	for i, c := range s.Columns {
		if s.Answers(i) || c.Kind == set.KindIgnored {
			continue
		}
		name := c.Name
		if name == "" {
			name = strconv.Itoa(i + 1)
		}
		if names[name] || strings.HasPrefix(name, internal) {
			return "", fmt.Errorf("column %d: found the name %q, expected one that no other input has and that does not begin with %s", i+1, name, internal)
		}
		names[name] = true
		if c.Text != nil {
			return "", fmt.Errorf("column %q: found texts, of which ONNX has no terms by the rules of this program, expected numbers and categories", name)
		}
		if c.Size > 0 {
			g.input(name, single, c.Size)
			blocks = append(append(blocks, g.settle(&run)...), name)
			continue
		}
		if c.Category == nil {
			run.values, run.fill = append(run.values, g.number32(name, c)), append(run.fill, float32(c.Fill))
			continue
		}
		blocks = append(append(blocks, g.settle(&run)...), g.categories(name, c, s.Missing))
	}
	blocks = append(blocks, g.settle(&run)...)
	if len(blocks) == 0 {
		return "", fmt.Errorf("found a table without a column of features, expected at least one")
	}
	return g.side(blocks), nil
}

// side puts blocks of columns side by side.
func (g *graph) side(blocks []string) string {
	if len(blocks) == 1 {
		return blocks[0]
	}
	return g.node("Concat", blocks, wholeAttribute("axis", 1))
}

// numbers are columns of numbers, with what stands for a missing one of each.
type numbers struct {
	values []string
	fill   []float32
}

// settle puts the columns side by side, with no number missing, and begins anew.
func (g *graph) settle(run *numbers) []string {
	if len(run.values) == 0 {
		return nil
	}
	block := g.node("Imputer", []string{g.side(run.values)}, singlesAttribute("imputed_value_floats", run.fill),
		singleAttribute("replaced_value_float", float32(math.NaN())))
	*run = numbers{}
	return []string{block}
}

// number32 adds the input of a column of numbers and returns these in single precision,
// without the offset; NaN is a missing one.
func (g *graph) number32(name string, c data.Column) string {
	switch c.Kind {
	case set.KindBoolean:
		g.input(name, text, 1)
		no := g.op("Where", g.matches(name, "(?i:false|no)"), g.number(0), g.number(math.NaN()))
		return g.cast(g.op("Where", g.matches(name, "(?i:true|yes)"), g.number(1), no), single)
	case set.KindDate, set.KindDMY, set.KindMDY:
		g.input(name, double, 1)
		days, _ := set.ParseDate([]byte(c.From))
		whole := g.op("Sub", name, g.number(days)) // two roundings, as when a table is read
		return g.cast(g.stored(whole, c), single)
	}
	if c.Offset == 0 && c.Factor == 0 {
		g.input(name, single, 1)
		return name
	}
	g.input(name, double, 1)
	return g.cast(g.stored(name, c), single)
}

// stored is what a column has of numbers before they are rounded.
func (g *graph) stored(name string, c data.Column) string {
	if c.Offset != 0 {
		name = g.op("Sub", name, g.number(c.Offset))
	}
	if c.Factor != 0 {
		name = g.op("Mul", name, g.number(c.Factor))
	}
	return name
}

// categories adds the input of a column of categories and returns a column of 0 and 1 for
// each. What is none of them, and missing where the training data missed none, is 0 in all.
func (g *graph) categories(name string, c data.Column, also []string) string {
	g.input(name, text, 1)
	var hot []string
	for _, word := range c.Category {
		pattern := regexp.QuoteMeta(word)
		if word == set.MissingCategory {
			pattern = missing(c.Category, also)
		}
		hot = append(hot, g.cast(g.matches(name, pattern), single))
	}
	return g.side(hot)
}

// missing matches what [set.IsMissing] recognises, and the spellings that a model has besides, but
// for the names of other categories.
func missing(categories, also []string) string {
	pattern := `(?:(?i:|\?|na|n/a|nan|null|<na>`
	for _, word := range []string{"None", "NaT", "#N/A"} {
		if !slices.ContainsFunc(categories, func(known string) bool { return strings.EqualFold(known, word) }) {
			pattern += "|" + regexp.QuoteMeta(word)
		}
	}
	pattern += ")"
	for _, word := range append([]string{`\N`}, also...) {
		pattern += "|" + regexp.QuoteMeta(word)
	}
	return pattern + ")"
}

// matches reports which words a pattern of RE2 fits, apart from blanks around them.
func (g *graph) matches(words, pattern string) string {
	const blanks = `[\s\v\x{85}\p{Z}]*` // those of bytes.TrimSpace
	return g.node("RegexFullMatch", []string{words}, textAttribute("pattern", blanks+pattern+blanks))
}
