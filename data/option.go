package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// OptionError says that an option was given which would have no effect on the
// data. ZeroBased is no such option: a model notes it for rows to come, whatever
// it was trained on.
type OptionError struct {
	Option, Value string   // header, target, weights, labels, ignore, categorical, numeric, text or another of Terms, missing, dates, skip-unlabelled, keep, id or Options.IDRole
	Source        string   // what has no use for it
	Formats       []string // names of the formats that have the option
}

func (e *OptionError) Error() string {
	return fmt.Sprintf("%s %s: %s has no use for it, only formats %s have", e.Option, e.Value, e.Source, strings.Join(e.Formats, ", "))
}

// checkOptions refuses options that are none of those that source takes.
func checkOptions(opt *Options, source string, takes []string) error {
	header := opt.Header
	if opt.Schema != nil { // it may be about the table that the schema is from
		header = ""
	}
	skip := ""
	if opt.SkipUnlabelled && (opt.Schema == nil || !opt.Schema.SkipUnlabelled) {
		skip = "true"
	}
	term, text := opt.Terms.Asked()
	for _, o := range [][2]string{{"header", header}, {"target", opt.Target}, {"weights", opt.Weights}, {"labels", opt.Labels},
		{"id", opt.ID}, {"keep", strings.Join(opt.Keep, ",")}, {"ignore", strings.Join(opt.Ignore, ",")}, {"categorical", strings.Join(opt.Categorical, ",")}, {"numeric", strings.Join(opt.Numeric, ",")},
		{"text", text},
		{"missing", strings.Join(opt.Missing, ",")}, {"dates", opt.Dates}, {"skip-unlabelled", skip}} {
		taken := o[0]
		if taken == "keep" { // what has ids has other columns
			taken = "id"
		}
		if o[1] != "" && !slices.Contains(takes, taken) {
			e := &OptionError{Option: o[0], Value: o[1], Source: source, Formats: taking(taken)}
			switch o[0] {
			case "id":
				e.Option = cmp.Or(opt.IDRole, e.Option)
			case "text":
				e.Option = term
			}
			return e
		}
	}
	return nil
}

// taking returns the names of the formats that take an option.
func taking(option string) (names []string) {
	for _, e := range set.Registered.Entries() {
		if f, err := e.New(nil); err == nil && slices.Contains(f.Takes(), option) {
			names = append(names, e.Name)
		}
	}
	return names
}
