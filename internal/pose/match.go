package pose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/metric"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/model"
)

// ReadAs has a reader make the features of a model.
func ReadAs(opt *data.Options, m *model.Model) {
	opt.Schema, opt.Unmoved, opt.ZeroBased = m.Schema, m.Schema == nil, m.Statement.ZeroBased
	opt.Precomputed = IsPrecomputed(m.Statement.Kernel)
	opt.Unlabelled = m.OneClass() // where there is no schema that knows
	if opt.Columns = m.Cols(); m.IsImported() && m.Support != nil && !opt.Precomputed {
		opt.Columns = 0 // features that no support vector has count all the same
	}
}

// IsPrecomputed reports whether a kernel takes its values from the rows.
func IsPrecomputed(spec string) bool { return strings.Contains(spec, "precomputed") }

// MatchTargets returns for every row the place of its label among the classes,
// metric.Unknown if it is not there; nil if the classes are, which stands for
// numbers. It refuses targets with which no prediction can be compared.
func MatchTargets(classes []string, t data.Target) ([]int, error) {
	switch {
	case t.Absent():
		return nil, DataError{"found no targets, expected the true value in every row"}
	case classes == nil && t.Number == nil:
		return nil, DataError{fmt.Sprintf("the targets are not numbers (one is %q), but the model predicts numbers", t.Label[0])}
	case classes == nil:
		return nil, nil
	}
	match := MatchClasses(classes, t)
	if len(match) > 0 && !slices.ContainsFunc(match, func(c int) bool { return c != metric.Unknown }) {
		return nil, DataError{fmt.Sprintf("no label is known to the model: found %q, expected one of %s", FirstUnknown(match, t), strings.Join(classes, ", "))}
	}
	return match, nil
}

// CheckTargets refuses targets that are not as many as a model predicts, or have other names.
func CheckTargets(m *model.Model, t data.Target) error {
	if names := TargetNames(m); m.Classes == nil && !slices.Equal(names, t.Names) {
		return DataError{fmt.Sprintf("found the targets %s, but the model predicts %s", namesOr(t.Names, "of one column"), namesOr(names, "one number"))}
	}
	return nil
}

// TargetNames are those of the targets of a model of several; nil: it has one, or classes.
func TargetNames(m *model.Model) (names []string) {
	for _, t := range m.Statement.Targets {
		names = append(names, t.Name)
	}
	return names
}

// namesOr spells names, or says otherwise where there are none.
func namesOr(names []string, otherwise string) string {
	if names == nil {
		return otherwise
	}
	return fault.Few(names)
}

// MatchClasses is MatchTargets for classes, whether any label is known or not.
// Numbers match by value, so that "+1" is "1".
func MatchClasses(classes []string, t data.Target) []int {
	if t.Code == nil { // more numbers than classes could have
		return slices.Repeat([]int{metric.Unknown}, len(t.Number))
	}
	place := make([]int, len(t.Label))
	for i, label := range t.Label {
		if place[i] = ClassOf(classes, label); place[i] < 0 {
			place[i] = metric.Unknown
		}
	}
	match := make([]int, len(t.Code))
	for i, c := range t.Code {
		match[i] = place[c]
	}
	return match
}

// ClassOf returns the place of a label among the classes, spelled like one or else of the
// same value, as "+1" is "1"; -1 where there is none.
func ClassOf(classes []string, label string) int {
	if at := slices.Index(classes, label); at >= 0 {
		return at
	}
	return slices.IndexFunc(classes, func(class string) bool { return set.SameLabel(class, label) })
}

// FirstUnknown returns the first label that is not among the classes.
func FirstUnknown(match []int, t data.Target) string {
	i := slices.Index(match, metric.Unknown)
	switch {
	case i < 0:
		return ""
	case t.Code == nil:
		return fmt.Sprint(t.Number[i])
	}
	return t.Label[t.Code[i]]
}
