package attack

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A leaf is one value in the metadata of a model: a path such as
// problem.lambda, in which places of lists are left out, and what puts another
// value there.
type leaf struct {
	path  string
	value any
	set   func(any)
	drop  func() // removes it; nil in lists
}

// leaves returns those of a part of the metadata, in a fixed order.
func leaves(path string, value any, set func(any), drop func()) (all []leaf) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, leaves(path+"."+key, v[key], func(x any) { v[key] = x }, func() { delete(v, key) })...)
		}
	case []any:
		for i := range v {
			all = append(all, leaves(path, v[i], func(x any) { v[i] = x }, nil)...)
		}
	default:
		all = append(all, leaf{path, value, set, drop})
	}
	return all
}

// forgeLeaf changes a value of the metadata, and returns its path; "": nothing.
func (r draw) forgeLeaf(f *file) string {
	parts := slices.DeleteFunc(slices.Sorted(maps.Keys(f.metadata)), func(key string) bool { return strings.HasSuffix(key, "_digest") })
	key := parts[r.IntN(len(parts))]
	if r.chance(5) {
		delete(f.metadata, key)
		return key + " deleted"
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(f.metadata[key]))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil || decoder.More() { // a plain word
		f.metadata[key] = r.otherWord(f.metadata[key])
		return key
	}
	all := leaves(key, value, func(x any) { value = x }, nil)
	if len(all) == 0 {
		return ""
	}
	l := all[r.IntN(len(all))]
	path := l.path
	if l.drop != nil && r.chance(10) {
		l.drop()
		path += " deleted"
	} else {
		l.set(r.other(l.value))
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	f.metadata[key] = string(text)
	return path
}

// other returns another value of the same kind, as a rule.
func (r draw) other(value any) any {
	switch v := value.(type) {
	case json.Number:
		x, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return 0
		}
		whole, _ := strconv.Atoi(string(v))
		return one(r, any(x*1.5+1), any(-x-1), any(whole+1), any(1e300), any(x/2-1), any(int64(1)<<40), any(nil))
	case bool:
		return !v
	case string:
		return r.otherWord(v)
	}
	return one(r, any(1), any("x"), any(true), any(0.25))
}

func (r draw) otherWord(v string) string {
	return one(r, v+"x", "", "hinge", "squared", "absolute", "l2", "l1", "elastic-net", "free", "none", "feature", "converged", "epoch-limit", "rbf:gamma=7", "linear", "one-against-one", "1", "sha256:00")
}
