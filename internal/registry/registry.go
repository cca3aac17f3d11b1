// Package registry keeps the named things of one room: its losses, its
// penalties, its file formats.
//
// A room holds one unexported Registry. Each of the room's files adds its own
// row from init, so that adding a thing touches one file. Users write a spec,
// "name" or "name:key=value,key=value"; [Registry.New] turns it into the thing
// or says which name or key was wrong and which were possible.
//
// Nothing here knows what is being registered.
package registry

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Entry is one named thing of a room.
type Entry[T any] struct {
	Name    string
	Summary string // one line, for lists and help; parameters with defaults
	Facts   Facts  // of methods
	New     func(*Params) (T, error)
}

// Facts are what is known of a method: how fast it is, with how much memory, and who says so.
type Facts struct{ Rate, Memory, Source string }

// String is one line of what is given.
func (f Facts) String() string {
	var parts []string
	for _, p := range [][2]string{{"rate ", f.Rate}, {"memory ", f.Memory}, {"", f.Source}} {
		if p[1] != "" {
			parts = append(parts, p[0]+p[1])
		}
	}
	return strings.Join(parts, "; ")
}

// Registry holds the entries of one room, sorted by name.
type Registry[T any] struct {
	kind    string // singular noun for messages: "loss"
	entries []Entry[T]
}

// New returns an empty registry; kind is the singular noun its messages use.
func New[T any](kind string) *Registry[T] { return &Registry[T]{kind: kind} }

// Register adds e. It panics when the name is taken: that is a mistake in
// the room, found by the first test that imports it.
func (r *Registry[T]) Register(e Entry[T]) {
	at, taken := slices.BinarySearchFunc(r.entries, e.Name, func(e Entry[T], name string) int {
		return strings.Compare(e.Name, name)
	})
	if taken {
		panic("registry: two entries named " + e.Name)
	}
	r.entries = slices.Insert(r.entries, at, e)
}

// Entries returns all entries, sorted by name.
func (r *Registry[T]) Entries() []Entry[T] { return r.entries }

// Names returns all names, sorted.
func (r *Registry[T]) Names() []string {
	names := make([]string, len(r.entries))
	for i, e := range r.entries {
		names[i] = e.Name
	}
	return names
}

// NameOf returns the name of the entry that makes things of the type of thing. Where several do, it
// is the one whose default equals thing, or else the first. A thing of no entry is the
// program's own, and is named by its Go type.
func (r *Registry[T]) NameOf(thing T) string {
	found := ""
	for _, e := range r.entries {
		made, err := e.New(&Params{})
		if err != nil || reflect.TypeOf(made) != reflect.TypeOf(thing) {
			continue
		}
		if reflect.DeepEqual(made, thing) {
			return e.Name
		}
		found = cmp.Or(found, e.Name)
	}
	return cmp.Or(found, fmt.Sprintf("%T", thing))
}

// New makes the thing that spec describes. The error names the unknown name or
// key, lists the known ones and suggests the nearest.
func (r *Registry[T]) New(spec string) (T, error) {
	var zero T
	name, rest, _ := strings.Cut(spec, ":")
	for _, e := range r.entries {
		if e.Name != name {
			continue
		}
		params, err := parseParams(rest)
		if err != nil {
			return zero, fmt.Errorf("%s %q: %w", r.kind, name, err)
		}
		thing, err := e.New(params)
		if unused := params.unused(); unused != nil && (err == nil || params.err == nil) {
			err = unused // a misspelt key is why another one is missing
		}
		if err != nil {
			return zero, fmt.Errorf("%s %q: %w", r.kind, name, err)
		}
		return thing, nil
	}
	return zero, Unknown(r.kind, name, r.Names())
}

// Params are the key=value pairs of a spec. A constructor reads each key it
// knows; keys that were not read are reported as unknown.
type Params struct {
	values map[string]string
	known  []string
	err    error
}

func parseParams(text string) (*Params, error) {
	p := &Params{values: map[string]string{}}
	if text == "" {
		return p, nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("found %q, expected key=value", pair)
		}
		if _, twice := p.values[key]; twice {
			return nil, fmt.Errorf("parameter %q is given twice", key)
		}
		p.values[key] = value
	}
	return p, nil
}

// Float returns the number under key, or otherwise when the key is absent.
// valid says which numbers are accepted and expected puts that in words.
func (p *Params) Float(key string, otherwise float64, expected string, valid func(float64) bool) float64 {
	text, ok := p.lookup(key)
	if !ok {
		return otherwise
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !valid(v) {
		p.fail(key, text, expected)
	}
	return v
}

// FloatOr is Float for a key under which word may stand too: then it returns
// otherwise, and true.
func (p *Params) FloatOr(key, word string, otherwise float64, expected string, valid func(float64) bool) (v float64, isWord bool) {
	if p.values[key] == word {
		p.known = append(p.known, key)
		return otherwise, true
	}
	return p.Float(key, otherwise, word+", or "+expected, valid), false
}

// Int returns the whole number under key, or otherwise when the key is absent.
// It must lie in [lo, hi].
func (p *Params) Int(key string, otherwise, lo, hi int) int {
	text, ok := p.lookup(key)
	if !ok {
		return otherwise
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < lo || v > hi {
		p.fail(key, text, fmt.Sprintf("a whole number from %d to %d", lo, hi))
	}
	return v
}

// IntOr is Int for a key under which word may stand too: then it returns
// otherwise, and true.
func (p *Params) IntOr(key, word string, otherwise, lo, hi int) (v int, isWord bool) {
	text, ok := p.lookup(key)
	if !ok || text == word {
		return otherwise, ok
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < lo || v > hi {
		p.fail(key, text, fmt.Sprintf("%s, or a whole number from %d to %d", word, lo, hi))
	}
	return v, false
}

// Text returns what stands under key, otherwise if the key is absent.
func (p *Params) Text(key, otherwise string) string {
	if text, ok := p.lookup(key); ok {
		return text
	}
	return otherwise
}

// Choice returns which of the names stands under key; the first when the key is
// absent.
func (p *Params) Choice(key string, names ...string) string {
	text, ok := p.lookup(key)
	if !ok {
		return names[0]
	}
	if !slices.Contains(names, text) {
		p.fail(key, text, "one of "+strings.Join(names, ", "))
	}
	return text
}

// Err returns the first bad value met so far.
func (p *Params) Err() error { return p.err }

func (p *Params) lookup(key string) (string, bool) {
	p.known = append(p.known, key)
	text, ok := p.values[key]
	return text, ok
}

func (p *Params) fail(key, found, expected string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s=%s: expected %s", key, Spell(found), expected)
	}
}

func (p *Params) unused() error {
	if p.err != nil {
		return p.err
	}
	keys := make([]string, 0, len(p.values))
	for key := range p.values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if !slices.Contains(p.known, key) {
			return Unknown("parameter", key, p.known)
		}
	}
	return nil
}

// Unknown is the error for a name that is not among the known ones: it lists
// them and suggests the nearest when one is near.
func Unknown(kind, name string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("unknown %s %q: there are none", kind, name)
	}
	spelled := make([]string, len(known))
	for i, k := range known {
		spelled[i] = Spell(k)
	}
	list := strings.Join(spelled, ", ")
	if near := Nearest(name, known); near != "" {
		return fmt.Errorf("unknown %s %q: did you mean %q? known: %s", kind, name, near, list)
	}
	return fmt.Errorf("unknown %s %q: known: %s", kind, name, list)
}

// Spell returns a name as it is, but quoted as in Go if it holds a line break or
// another control character: it may be out of a file, and an error is one line.
func Spell(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// Count writes a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "ss"); ok {
		return fmt.Sprintf("%d %ssses", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Nearest returns the known name within edit distance max(1, len/3) of name that
// shares something with it, or one that name is the beginning of, capitals or
// not; "" when none is near.
func Nearest(name string, known []string) string {
	name = strings.ToLower(name)
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, k := range known {
		lower := strings.ToLower(k)
		d := distance(name, lower)
		if len(name) >= 2 && strings.HasPrefix(lower, name) {
			d = min(d, 1)
		}
		if d < bestDistance && d < max(len(name), len(lower)) {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment), in bytes.
func distance(a, b string) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(old[j]+cost, old[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
