package fault

import (
	"strconv"
	"strings"
)

// Quoted lists names in quotes.
func Quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = strconv.Quote(name)
	}
	return strings.Join(list, ", ")
}

// Few lists the first names.
func Few(names []string) string {
	const most = 5
	list := make([]string, 0, most+1)
	for _, name := range names[:min(most, len(names))] {
		list = append(list, Printable(name))
	}
	if len(names) > most {
		list = append(list, "...")
	}
	return strings.Join(list, ", ")
}

// Printable quotes a name that has control characters or commas.
func Printable(name string) string {
	if q := Quote([]byte(name)); q != `"`+name+`"` || strings.Contains(name, ",") {
		return q
	}
	return name
}

// NotFeatures refuses columns without names of which it would be a guess which
// of them a model knows.
func NotFeatures(name string, cols, features int64) error {
	return In(name, "found %s, expected the %s of the model, or these with the target", Plural(cols, "column", "columns"), Plural(features, "feature", "features"))
}
