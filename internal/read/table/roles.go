package table

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// assign gives each column its role and each feature its slot, by increasing
// place in the schema.
func (t *table) assign() {
	n := len(t.names)
	t.vectors = nil
	t.roles, t.open, t.slot, t.text = make([]role, n), make([]bool, n), make([]int, n), make([]atomic.Bool, n)
	for i, at := range t.use {
		switch {
		case i == t.target:
			t.roles[i] = roleTarget
		case slices.Contains(t.further, i):
			t.roles[i] = roleFurther
		case i == t.weight:
			t.roles[i] = roleWeight
		case at < 0:
			t.roles[i] = roleIgnored
		default:
			switch t.roles[i] = t.feature(i, at); t.roles[i] {
			case roleIgnored:
			case roleVector:
				t.vectors = append(t.vectors, i)
			default:
				t.place = append(t.place, at)
			}
			if slices.Contains(t.kept, i) && t.roles[i] <= roleInteger {
				t.roles[i] = roleKept
			}
			t.open[i] = t.kinds[i].kind == kindUnknown && !t.fixed && t.roles[i] < roleVector
		}
	}
	slices.Sort(t.place)
	slices.SortFunc(t.vectors, func(a, b int) int { return t.use[a] - t.use[b] })
	if t.fixed {
		t.spell = make([]set.Speller, len(t.place))
		for slot, at := range t.place {
			t.spell[slot].Read, t.spell[slot].Expected = set.SpellingOf(t.schema.Columns[at])
		}
	}
	t.wide = make([]atomic.Bool, len(t.place))
	for i, at := range t.use {
		t.slot[i], _ = slices.BinarySearch(t.place, at)
	}
}

// feature returns the role of column i, which is at that place of the schema and neither
// target nor weights.
func (t *table) feature(i, at int) role {
	k, c := t.kinds[i], set.Column{}
	if t.fixed {
		c = t.schema.Columns[at]
	}
	switch {
	case k.asked == askedIgnore || c.Kind == set.KindIgnored:
		return roleIgnored
	case k.size > 0:
		return roleVector
	case c.Text != nil || k.asked == askedText:
		return roleCategory
	case c.Kind != set.KindPlain || c.Offset != 0 || c.Factor != 0:
		return roleSpelled
	case t.fixed && c.Category != nil || !t.fixed && k.kind == kindCategory:
		return roleCategory
	case k.digits && k.kind == kindUnknown && k.asked == askedNothing && !t.fixed && !t.plain:
		return roleInteger
	}
	return roleNumber
}

const (
	askedNothing asked = iota
	askedIgnore
	askedCategory
	askedNumber
	askedText
)

// ask notes what the options say of each column.
func (t *table) ask(opt *set.Options) error {
	for _, o := range []struct {
		role     string
		patterns []string
		asked    asked
	}{{"ignore", opt.Ignore, askedIgnore}, {"categorical", opt.Categorical, askedCategory}, {"numeric", opt.Numeric, askedNumber}, {"text", opt.Terms.Columns, askedText}} {
		for _, pattern := range o.patterns {
			role := o.role
			if pattern == opt.ID {
				role = cmp.Or(opt.IDRole, role)
			}
			columns, err := t.matching(pattern, role)
			if err != nil {
				return err
			}
			for _, i := range columns {
				if err := t.note(i, o.asked, role); err != nil {
					return err
				}
			}
		}
	}
	for i, k := range t.kinds {
		if k.asked != askedIgnore && !t.answers.has(i) {
			return nil
		}
	}
	if len(opt.Ignore) > 0 {
		return fault.In(t.in[0].Name, "found all columns of features to be ignored, expected at least one that is not")
	}
	return nil
}

// note notes what is asked of column i. What a pattern and another say must agree.
func (t *table) note(i int, a asked, role string) error {
	k := &t.kinds[i]
	switch {
	case i == t.target || slices.Contains(t.further, i):
		return fault.In(t.in[0].Name, "%s column %q: found the target, expected a feature", role, t.names[i])
	case i == t.weight:
		return fault.In(t.in[0].Name, "%s column %q: found the weights, expected a feature", role, t.names[i])
	case k.asked != askedNothing && k.asked != a:
		return fault.In(t.in[0].Name, "%s column %q: found it asked for as something else too, expected one of ignore, categorical and numeric", role, t.names[i])
	}
	k.asked = a
	switch {
	case a == askedCategory:
		k.kind = kindCategory
	case a == askedNumber && k.allowed == nil:
		k.kind = kindUnknown
	}
	return nil
}

// matching returns the columns that a name, a position or a pattern such as id_* means.
// A pattern means no target and no weights.
func (t *table) matching(pattern, role string) ([]int, error) {
	i, err := t.find(pattern, role)
	if err == nil {
		return []int{i}, nil
	}
	var found []int
	for i, name := range t.names {
		if ok, bad := path.Match(pattern, name); bad == nil && ok && !t.answers.has(i) {
			found = append(found, i)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, err
}

// has reports whether column i holds a target or the weights.
func (a *answers) has(i int) bool {
	return i == a.target || i == a.weight || slices.Contains(a.further, i)
}

// findTargets finds the column of that name or, where there is none, those of several with commas between them.
func (t *table) findTargets(name string) (first int, further []int, err error) {
	if names := strings.Split(name, ","); len(names) > 1 && !slices.Contains(t.names, name) {
		for _, one := range names {
			at, err := t.find(one, "target")
			if err == nil && slices.Contains(further, at) {
				err = fault.In(t.in[0].Name, "found the column %q twice as target, expected different ones", t.names[at])
			}
			if err != nil {
				return 0, nil, err
			}
			further = append(further, at)
		}
		return further[0], further[1:], nil
	}
	first, err = t.find(name, "target")
	return first, nil, err
}

// find returns the column of that name, which a model may know in the place of the table,
// or else at that position.
func (t *table) find(name, role string) (int, error) {
	if i := slices.Index(t.names, name); i >= 0 {
		return i, nil
	}
	if t.fixed && !t.header {
		if i := slices.IndexFunc(t.use, func(at int) bool { return at >= 0 && t.schema.Columns[at].Name == name }); i >= 0 {
			return i, nil
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= len(t.names) {
		return i - 1, nil
	}
	if !t.header {
		return 0, fault.In(t.in[0].Name, "%s column %q: expected a position from 1 to %d, as the columns have no names", role, name, len(t.names))
	}
	return 0, fault.In(t.in[0].Name, "%w", registry.Unknown(role+" column", name, t.names))
}
