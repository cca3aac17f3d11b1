package table

import (
	"slices"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/dataset/set"
)

// assign gives each column its role and each feature its slot, by increasing
// place in the schema.
func (t *table) assign() {
	n := len(t.names)
	t.roles, t.open, t.slot, t.text = make([]role, n), make([]bool, n), make([]int, n), make([]atomic.Bool, n)
	for i, at := range t.use {
		switch {
		case i == t.target:
			t.roles[i] = roleTarget
		case i == t.weight:
			t.roles[i] = roleWeight
		case at < 0:
			t.roles[i] = roleIgnored
		default:
			if t.roles[i] = t.feature(i, at); t.roles[i] != roleIgnored {
				t.place = append(t.place, at)
			}
			if i == t.id && t.roles[i] <= roleInteger {
				t.roles[i] = roleKept
			}
			t.open[i] = t.kinds[i].kind == kindUnknown && !t.fixed && t.roles[i] != roleIgnored
		}
	}
	slices.Sort(t.place)
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
	case c.Kind != set.KindPlain || c.Offset != 0:
		return roleSpelled
	case t.fixed && c.Category != nil || !t.fixed && k.kind == kindCategory:
		return roleCategory
	case k.digits && k.kind == kindUnknown && k.asked == askedNothing && !t.fixed && !t.plain:
		return roleInteger
	}
	return roleNumber
}
