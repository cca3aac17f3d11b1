package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/registry"
)

// plan decides what each column of the table is for.
func (t *table) plan(opt *Options) error {
	if opt.Schema != nil {
		if err := opt.Schema.agrees(opt); err != nil {
			return fmt.Errorf("%s: %w", t.in[0].Name, err)
		}
		return t.match(opt.Schema)
	}
	t.target, t.weight = -1, -1
	var err error
	if opt.Weights != "" {
		if t.weight, err = t.find(opt.Weights, "weight"); err != nil {
			return err
		}
	}
	if opt.Target != "" {
		t.target, err = t.find(opt.Target, "target")
	} else {
		t.target, err = t.guessTarget(opt)
	}
	if err != nil {
		return err
	}
	if t.target == t.weight && t.target >= 0 {
		return fmt.Errorf("%s: found %q as target and as weights, expected two columns", t.in[0].Name, t.names[t.target])
	}
	if len(t.names) < 2 && t.target >= 0 {
		return fmt.Errorf("%s: found one column, expected at least a feature and a target", t.in[0].Name)
	}
	t.use = make([]int, len(t.names))
	for i := range t.use {
		t.use[i] = i
	}
	return nil
}

// agrees refuses options that name other columns than the schema does.
func (s *Schema) agrees(opt *Options) error {
	for _, o := range []struct {
		role, name string
		column     int
	}{{"target", opt.Target, s.Target}, {"weights", opt.Weights, s.Weight}} {
		if o.name != "" && !s.names(o.column, o.name) {
			of := "none"
			if o.column >= 0 {
				of = fmt.Sprintf("%q", s.Columns[o.column].Name)
			}
			return fmt.Errorf("found the column %q asked for as %s, expected %s as in the training data", o.name, o.role, of)
		}
	}
	return nil
}

// find returns the column of that name or else at that position.
func (t *table) find(name, role string) (int, error) {
	if i := slices.Index(t.names, name); i >= 0 {
		return i, nil
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= len(t.names) {
		return i - 1, nil
	}
	if !t.header {
		return 0, fmt.Errorf("%s: %s column %q: expected a position from 1 to %d, as the columns have no names", t.in[0].Name, role, name, len(t.names))
	}
	return 0, fmt.Errorf("%s: %w", t.in[0].Name, registry.Unknown(role+" column", name, t.names))
}

// usualTargets are the names that a column to predict has, the surest first.
var usualTargets = []string{"target", "label", "class", "y"}

// guessTarget returns the column with a usual name, or else the last one that
// does not hold the weights; -1 if it may as well be missing, or if a model
// takes all columns for features.
func (t *table) guessTarget(opt *Options) (int, error) {
	for _, usual := range usualTargets {
		for i, name := range t.names {
			if t.header && i != t.weight && strings.EqualFold(name, usual) {
				return i, nil
			}
		}
	}
	known := len(t.names)
	if t.weight >= 0 {
		known--
	}
	switch {
	case opt.Unlabelled, opt.Columns > 0 && known == opt.Columns:
		return -1, nil
	case opt.Columns > 0 && known != opt.Columns+1:
		return 0, notFeatures(t.in[0].Name, int64(known), int64(opt.Columns))
	}
	if last := len(t.names) - 1; last != t.weight || last == 0 {
		return last, nil
	}
	return len(t.names) - 2, nil
}

// settle makes the schema once the kinds of the columns are known.
func (t *table) settle() {
	if t.fixed {
		return
	}
	s := &Schema{Target: t.target, Weight: t.weight, Header: t.header}
	for i, name := range t.names {
		c := Column{Name: name}
		if content := t.content[i]; content.place != "" {
			t.kinds[i].kind = kindCategory
			t.doubt(name, content)
		}
		if t.kinds[i].kind == kindCategory && i != t.target && i != t.weight {
			c.Category = []string{}
		}
		s.Columns = append(s.Columns, c)
	}
	t.schema = s
}

// doubt warns of a column that a few slips turn from a number into categories, or commas in
// its numbers.
func (t *table) doubt(name string, c content) {
	if strings.Contains(c.text, ",") && strings.Trim(c.text, `"+-.,0123456789`) == "" {
		t.warnings = append(t.warnings, fmt.Errorf("column %q: found %s at %s, expected numbers with a point and no comma: taken as categories", name, c.text, c.place))
		return
	}
	const least, ofTen = 10, 9 // numbers
	all := t.count - c.missing
	if numbers := all - c.others; numbers < least || 10*numbers < ofTen*all {
		return
	}
	what := "are not numbers"
	if c.others == 1 {
		what = "is not a number"
	}
	t.warnings = append(t.warnings, fmt.Errorf("column %q: %d of %d fields %s (first: %s at %s): taken as categories",
		name, c.others, all, what, c.text, c.place))
}

// match gives each column of the table its place in a model's schema.
func (t *table) match(s *Schema) error {
	t.schema, t.fixed = s, true
	t.target, t.weight = -1, -1
	t.use = make([]int, len(t.names))
	var err error
	if s.Header && t.header {
		err = t.matchNames()
	} else {
		err = t.matchPositions()
	}
	for i, at := range t.use {
		switch {
		case at < 0:
		case at == s.Target:
			t.target = i
		case at == s.Weight:
			t.weight = i
		case s.Columns[at].Category != nil: // what sparse rows leave out counts
			t.kinds[i].kind = kindCategory
		}
	}
	return err
}

func (t *table) matchNames() error {
	place := make(map[string]int, len(t.schema.Columns))
	for i, c := range t.schema.Columns {
		place[c.Name] = i
	}
	found := make([]bool, len(t.schema.Columns))
	var extra []string
	for i, name := range t.names {
		at, ok := place[name]
		if !ok {
			t.use[i] = -1
			extra = append(extra, name)
			continue
		}
		t.use[i], found[at] = at, true
	}
	for i, c := range t.schema.Columns {
		if !found[i] && i != t.schema.Target && i != t.schema.Weight {
			return fmt.Errorf("%s: found no column %q, expected all columns the model was trained on", t.in[0].Name, c.Name)
		}
	}
	if len(extra) > 0 {
		t.warnings = append(t.warnings, fmt.Errorf("%s unknown to the model (first: %q): ignored", plural(len(extra), "column is", "columns are"), extra[0]))
	}
	return nil
}

// matchPositions is for tables without names; the target may be left out, and
// then the weights too.
func (t *table) matchPositions() error {
	s := t.schema
	all := len(s.Columns)
	var places []int
	for i := range all {
		absent := i == s.Target && len(t.names) < all || i == s.Weight && (len(t.names) < all-1 || s.Target < 0 && len(t.names) < all)
		if !absent {
			places = append(places, i)
		}
	}
	if len(places) != len(t.names) {
		return fmt.Errorf("%s: found %s, expected the %d the model was trained on, or these without the target", t.in[0].Name, plural(len(t.names), "column", "columns"), all)
	}
	t.use = places
	return nil
}

// places returns the first feature of each column and the number of features.
func (s *Schema) places() (first []int, features int) {
	first = make([]int, len(s.Columns))
	for i, c := range s.Columns {
		first[i] = features
		switch {
		case i == s.Target || i == s.Weight:
		case c.Category == nil:
			features++
		default:
			features += len(c.Category)
		}
	}
	return first, features
}

// features names the features: the column, or "column=category".
func (s *Schema) features() []string {
	var names []string
	for i, c := range s.Columns {
		switch {
		case i == s.Target || i == s.Weight:
		case c.Category == nil:
			names = append(names, c.Name)
		default:
			for _, category := range c.Category {
				names = append(names, c.Name+"="+category)
			}
		}
	}
	return names
}
