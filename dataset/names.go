package dataset

import (
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
)

// quoted lists names in quotes.
func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = strconv.Quote(name)
	}
	return strings.Join(list, ", ")
}

// few lists the first names.
func few(names []string) string {
	const most = 5
	list := make([]string, 0, most+1)
	for _, name := range names[:min(most, len(names))] {
		list = append(list, printable(name))
	}
	if len(names) > most {
		list = append(list, "...")
	}
	return strings.Join(list, ", ")
}

// printable quotes a name that has control characters or commas.
func printable(name string) string {
	if q := fault.Quote([]byte(name)); q != `"`+name+`"` || strings.Contains(name, ",") {
		return q
	}
	return name
}

// notFeatures refuses columns without names of which it would be a guess which
// of them a model knows.
func notFeatures(name string, cols, features int64) error {
	return fault.In(name, "found %s, expected the %s of the model, or these with the target", fault.Plural(cols, "column", "columns"), fault.Plural(features, "feature", "features"))
}
