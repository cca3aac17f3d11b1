package method

import (
	"fmt"
	"math"
)

// Kept is a State outside of the program: named lists of numbers. The same visit,
// [State.Keep], fills it and empties it, so that no part can be forgotten in one
// of the two.
type Kept struct {
	lists map[string][]float64
	in    string // what names begin with

	restoring bool
	err       error // the first
}

// A Keeper can be kept: a State, a Learner.
type Keeper interface{ Keep(*Kept) }

// Keep returns what s is made of, by name.
func Keep(s Keeper) map[string][]float64 {
	k := &Kept{lists: map[string][]float64{}}
	s.Keep(k)
	return k.lists
}

// Restore makes s, freshly started, the state that was kept. The error names what
// is missing or cannot be.
func Restore(s Keeper, lists map[string][]float64) error {
	k := &Kept{lists: lists, restoring: true}
	s.Keep(k)
	return k.err
}

// Restoring reports whether the visit sets the state, which must then be checked.
func (k *Kept) Restoring() bool { return k.restoring && k.err == nil }

// In visits a part, whose names begin with another name.
func (k *Kept) In(name string, part Keeper) {
	before := k.in
	k.in += name + "."
	part.Keep(k)
	k.in = before
}

// List visits a list of numbers.
func (k *Kept) List(name string, v *[]float64) {
	name = k.in + name
	if !k.restoring {
		k.lists[name] = append([]float64{}, *v...)
		return
	}
	kept, ok := k.lists[name]
	k.Require(ok, "state: found no %s", name)
	for _, x := range kept {
		k.Require(!math.IsNaN(x) && !math.IsInf(x, 0), "state: %s: found %v, expected finite numbers", name, x)
	}
	if k.err == nil {
		*v = append((*v)[:0], kept...)
	}
}

// Number visits one number.
func (k *Kept) Number(name string, v *float64) {
	list := []float64{*v}
	k.List(name, &list)
	k.Require(len(list) == 1, "state: %s: found %d numbers, expected one", name, len(list))
	if k.Restoring() {
		*v = list[0]
	}
}

// Count visits a number that counts something, at most 2^53.
func (k *Kept) Count(name string, v *int) {
	x := float64(*v)
	k.Number(name, &x)
	k.Require(x >= 0 && x <= 1<<53 && x == math.Floor(x), "state: %s: found %v, expected a count", name, x)
	if k.Restoring() {
		*v = int(x)
	}
}

// Require notes the error if what was restored is not so.
func (k *Kept) Require(ok bool, format string, args ...any) {
	if k.restoring && !ok && k.err == nil {
		k.err = fmt.Errorf(format, args...)
	}
}
