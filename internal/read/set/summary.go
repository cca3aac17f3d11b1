package set

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
)

// Many says what a column of texts or vectors makes.
func (c *Column) Many() string {
	if c.Size > 0 {
		return fmt.Sprintf("vector of %d", c.Size)
	}
	return fmt.Sprintf("text of %d terms", c.Text.Width())
}

// Summary counts what was made of the columns, as in "6: 2 numeric, 1 date, 1 with 14
// categories, 1 ignored (id), target churn".
func (s *Schema) Summary() string {
	count, categories := map[Kind]int{}, []int(nil)
	var ignored, texts []string // texts: and vectors
	for i, c := range s.Columns {
		switch {
		case s.Answers(i):
		case c.Kind == KindIgnored:
			ignored = append(ignored, c.Name)
		case c.Category != nil:
			categories = append(categories, len(c.Category))
		case c.Text != nil || c.Size > 0:
			texts = append(texts, "1 "+c.Many())
		case c.Kind.IsNumber():
			count[KindPlain]++
		case c.Kind.IsDate():
			count[KindDate]++
		default:
			count[c.Kind]++
		}
	}
	var parts []string
	add := func(n int, one, many string) {
		if n > 0 {
			parts = append(parts, fault.Plural(n, one, many))
		}
	}
	add(count[KindPlain], "numeric", "numeric")
	add(count[KindBoolean], "true/false", "true/false")
	add(count[KindDate], "date", "dates")
	add(count[KindClock], "time of day", "times of day")
	if len(categories) > 0 {
		of := fmt.Sprint(slices.Min(categories))
		if most := slices.Max(categories); most > slices.Min(categories) {
			of += fmt.Sprintf(" to %d", most)
		}
		parts = append(parts, fmt.Sprintf("%d with %s categories", len(categories), of))
	}
	parts = append(append(parts, texts...), s.crossedNames()...)
	if len(ignored) > 0 {
		parts = append(parts, fmt.Sprintf("%d ignored (%s)", len(ignored), fault.Few(ignored)))
	}
	if s.Target >= 0 && s.Target < len(s.Columns) {
		parts = append(parts, s.targets())
	}
	if s.Weight >= 0 && s.Weight < len(s.Columns) {
		parts = append(parts, "weights "+fault.Printable(s.Columns[s.Weight].Name))
	}
	return fmt.Sprintf("%d: %s", len(s.Columns), strings.Join(parts, ", "))
}

// targets names the columns of the targets.
func (s *Schema) targets() string {
	names, word := []string{fault.Printable(s.Columns[s.Target].Name)}, "target "
	for _, at := range s.Further {
		names, word = append(names, fault.Printable(s.Columns[at].Name)), "targets "
	}
	return word + strings.Join(names, ", ")
}
