package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// plan decides what each column of the table is for.
func (t *table) plan(opt *set.Options) (err error) {
	t.kept, t.keptNames, t.dates, t.skip, t.unweighted, t.observed = nil, opt.KeptNames(), opt.Dates, opt.SkipUnlabelled, opt.Unweighted, opt.Observed
	t.weightless = new(atomic.Bool)
	if t.terms = opt.Terms; opt.Schema == nil {
		if err := opt.Terms.Check(); err != nil {
			return err
		}
	}
	t.also, t.misses = map[string]struct{}{}, false
	for _, text := range missingOf(opt) {
		t.also[text] = struct{}{}
		_, status := decimal.Float64([]byte(text))
		t.misses = t.misses || status == decimal.Number
	}
	roles := t.planRoles(opt)
	if roles == nil {
		roles = t.checkVectors()
	}
	if roles != nil && opt.Schema != nil { // one to ignore too is called what it is for
		return roles
	}
	for k, name := range t.keptNames {
		role := "keep"
		if k == 0 && opt.ID != "" {
			role = cmp.Or(opt.IDRole, "id")
		}
		column, err := t.find(name, role)
		if err != nil {
			return err
		}
		if t.kinds[column].size > 0 {
			return fault.In(t.in[0].Name, "%s column %q: found vectors, expected one value in each row", role, t.names[column])
		}
		t.kept = append(t.kept, column)
	}
	return roles
}

// missingOf returns the spellings of a missing value besides the usual ones.
func missingOf(opt *set.Options) []string {
	if opt.Schema != nil {
		return opt.Schema.Missing
	}
	return opt.Missing
}

// planRoles is plan but for a column to be kept.
func (t *table) planRoles(opt *set.Options) error {
	if len(t.names) == 0 {
		return fault.In(t.in[0].Name, "found no column, expected a feature and a target")
	}
	if opt.Schema != nil {
		if err := opt.Schema.Agrees(opt); err != nil {
			return fault.In(t.in[0].Name, "%w", err)
		}
		return t.match(opt.Schema)
	}
	t.target, t.further, t.weight = -1, nil, -1
	var err error
	if opt.Weights != "" {
		if t.weight, err = t.find(opt.Weights, "weight"); err != nil {
			return err
		}
	}
	if opt.Target != "" {
		t.target, t.further, err = t.findTargets(opt.Target)
	} else {
		t.target, err = t.guessTarget(opt)
	}
	if err != nil {
		return err
	}
	if t.weight >= 0 && (t.target == t.weight || slices.Contains(t.further, t.weight)) {
		return fault.In(t.in[0].Name, "found %q as target and as weights, expected two columns", t.names[t.weight])
	}
	if len(t.names) < 2 && t.target >= 0 {
		return fault.In(t.in[0].Name, "found one column, expected at least a feature and a target")
	}
	t.use = make([]int, len(t.names))
	for i := range t.use {
		t.use[i] = i
	}
	return cmp.Or(t.ask(opt), t.findCrossed(opt.Terms.Crossed))
}

// findCrossed finds the columns of which products are asked for.
func (t *table) findCrossed(pairs []string) error {
	t.crossed = nil
	for _, pair := range pairs {
		names := strings.Split(pair, ",")
		if len(names) != 2 {
			return fault.In(t.in[0].Name, "'cross=%s': found %s, expected two with a comma between", pair, fault.Plural(len(names), "column", "columns"))
		}
		var both [2]int
		for k, name := range names {
			at, err := t.find(name, "cross")
			if err != nil {
				return err
			}
			if both[k] = at; t.answers.has(at) || k == 1 && both[0] == at {
				return fault.In(t.in[0].Name, "'cross=%s': found %q, expected two different columns of features", pair, t.names[at])
			}
		}
		t.crossed = append(t.crossed, both)
	}
	return nil
}

// usualTargets are the names that a column to predict has, the surest first.
var usualTargets = []string{"target", "label", "class", "y"}

// guessTarget returns the column with a usual name, or else the last column that
// holds neither the weights nor nothing at all; -1 if it may as well be missing, or if a model
// takes all columns for features.
func (t *table) guessTarget(opt *set.Options) (int, error) {
	for _, usual := range usualTargets {
		for i, name := range t.names {
			if t.header && i != t.weight && strings.EqualFold(name, usual) {
				t.guessed = "by its name"
				return i, nil
			}
		}
	}
	known := len(t.names)
	for _, k := range t.kinds {
		known += max(0, k.size-1)
	}
	if t.weight >= 0 {
		known--
	}
	switch {
	case opt.Columns > 0 && known != opt.Columns && known != opt.Columns+1:
		return 0, fault.NotFeatures(t.in[0].Name, int64(known), int64(opt.Columns))
	case opt.Unlabelled, opt.Columns > 0 && known == opt.Columns:
		return -1, nil
	}
	if len(t.names) == 2 && t.weight < 0 && t.kinds[1].sentences && !t.kinds[0].sentences {
		t.guessed = "the one that is no text"
		return 0, nil
	}
	last := len(t.names) - 1
	for last > 0 && (last == t.weight || t.kinds[last].blank || t.kinds[last].size > 0) { // lines may end in a delimiter
		last--
	}
	t.guessed = "the last one"
	return last, nil
}

// settle makes the schema once the kinds of the columns are known.
func (t *table) settle(opt *set.Options) error {
	if t.fixed {
		return nil
	}
	t.schema = &set.Schema{Target: t.target, Further: t.further, Weight: t.weight, Header: t.header, Missing: append(slices.Clone(missingOf(opt)), slices.Sorted(maps.Keys(t.bareWords))...), SkipUnlabelled: t.skip}
	for i := range t.names {
		c := t.column(i)
		switch {
		case t.kinds[i].asked == askedText:
			t.makeText(&c)
		case c.Kind != set.KindIgnored && t.kinds[i].size > 0 && !t.answers.has(i):
			c.Kind, c.Size = set.KindVector, t.kinds[i].size
		case t.roles[i] == roleCategory:
			c.Category = []string{}
		}
		t.schema.Columns = append(t.schema.Columns, c)
	}
	if t.plain {
		return nil
	}
	return t.recognise()
}

// column is column i as far as nothing is known of what it holds.
func (t *table) column(i int) set.Column {
	if t.kinds[i].asked == askedIgnore {
		return set.Column{Name: t.names[i], Kind: set.KindIgnored, Why: set.WhyAsked}
	}
	return set.Column{Name: t.names[i]}
}

// checkVectors refuses columns of vectors that are asked for as something else, or are others than those of a model.
func (t *table) checkVectors() error {
	for i, k := range t.kinds {
		found, expected, c := fmt.Sprintf("vectors of %d", k.size), "one value in each row", set.Column{Size: k.size}
		if k.size == 0 {
			found = "no vectors"
		}
		if t.fixed && t.use[i] >= 0 {
			c = t.schema.Columns[t.use[i]]
		}
		switch crossed := slices.ContainsFunc(t.crossed, func(both [2]int) bool { return both[0] == i || both[1] == i }); {
		case c.Kind == set.KindIgnored:
			continue
		case c.Size != k.size:
			if expected += " as in the training data"; c.Size > 0 {
				expected = fmt.Sprintf("vectors of %d as in the training data", c.Size)
			}
		case k.size == 0 || !t.answers.has(i) && k.asked <= askedIgnore && !crossed:
			continue
		}
		return fault.In(t.in[0].Name, "column %q: found %s, expected %s", t.names[i], found, expected)
	}
	return nil
}

// match gives each column of the table its place in a model's schema.
func (t *table) match(s *set.Schema) error {
	t.schema, t.fixed = s, true
	t.target, t.further, t.weight = -1, nil, -1
	t.use = make([]int, len(t.names))
	var err error
	if s.Header && t.header {
		err = t.matchNames()
	} else if err = t.matchPositions(); err == nil && s.Header {
		var names []string
		for _, at := range t.use {
			names = append(names, s.Columns[at].Name)
		}
		t.warnings = append(t.warnings, fault.In(t.in[0].Name, "found no line with the names of the columns: taken by position as %s", fault.Few(names)))
	}
	for i, at := range t.use {
		switch {
		case at < 0:
		case at == s.Target:
			t.target = i
		case slices.Contains(s.Further, at):
			t.further = append(t.further, i)
		case at == s.Weight && t.unweighted:
			t.use[i] = -1
		case at == s.Weight:
			t.weight = i
		case s.Columns[at].IsWords(): // what sparse rows leave out counts
			t.kinds[i].kind = kindCategory
		}
	}
	slices.SortFunc(t.further, func(a, b int) int { // in the order of the model's
		return slices.Index(s.Further, t.use[a]) - slices.Index(s.Further, t.use[b])
	})
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
			if t.use[i] = -1; !slices.Contains(t.keptNames, name) {
				extra = append(extra, name)
			}
			continue
		}
		t.use[i], found[at] = at, true
	}
	for i, c := range t.schema.Columns {
		if !found[i] && !t.schema.Answers(i) && c.Kind != set.KindIgnored {
			return fault.In(t.in[0].Name, "found no column %q, expected all columns the model was trained on", c.Name)
		}
	}
	if len(extra) > 0 {
		t.warnings = append(t.warnings, fmt.Errorf("%s unknown to the model (first: %q): ignored", fault.Plural(len(extra), "column is", "columns are"), extra[0]))
	}
	return nil
}

// matchPositions is for tables without names; the target may be left out, and
// then the weights too.
func (t *table) matchPositions() error {
	s := t.schema
	all := len(s.Columns)
	var places []int
	targets := len(s.Further)
	if s.Target >= 0 {
		targets++
	}
	for i := range all {
		absent := s.Predicts(i) && len(t.names) < all || i == s.Weight && len(t.names) < all-targets
		if !absent {
			places = append(places, i)
		}
	}
	if len(places) != len(t.names) {
		return fault.In(t.in[0].Name, "found %s, expected the %d the model was trained on, or these without the target", fault.Plural(len(t.names), "column", "columns"), all)
	}
	t.use = places
	return nil
}
