package reportpage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// A kind is one of the pictures of a report.
type kind struct {
	name    string
	of      string                      // which models it is of
	suits   func(r *report) bool        // the model
	section func(r *report, s *Section) // makes it, and perhaps others
}

var kinds = []kind{
	{"confusion", "classes", ofClasses, func(r *report, s *Section) { r.confusion(s) }},
	{"roc", "two classes, with rows of both", ranks, func(r *report, s *Section) { r.ranking(s) }},
	{"pr", "two classes, with rows of both", ranks, func(r *report, s *Section) { r.ranking(s) }},
	{"reliability", "classes, with probabilities", hasShares, func(r *report, s *Section) { r.reliability(s) }},
	{"predicted", "numbers", ofNumbers, func(r *report, s *Section) { r.numbers(s) }},
	{"residuals", "numbers", ofNumbers, func(r *report, s *Section) { r.numbers(s) }},
	{"weights", "features with weights", func(r *report) bool { return r.Model.IsLinear() }, func(r *report, s *Section) { r.largest(s) }},
	{"importance", "features", func(r *report) bool { return r.judge.Rows() >= 2 }, func(r *report, s *Section) { r.importance(s) }},
}

func ofClasses(r *report) bool { return r.Model.Classes != nil }
func ofNumbers(r *report) bool { return r.Model.Classes == nil }
func ranks(r *report) bool     { return len(r.Model.Classes) == 2 && r.found.AUC != nil }
func hasShares(r *report) bool {
	return ofClasses(r) && r.Model.HasProbabilities() && !slices.Contains(r.truth, unknown)
}

// Kinds are the names of the pictures.
func Kinds() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Usual is the picture of a model that says the most.
func Usual(m *model.Model) string {
	if m.Classes == nil {
		return "predicted"
	}
	return "confusion"
}

// Picture makes one of the pictures of a report, by its name.
func Picture(ctx context.Context, q Asked, name string) (Painter, error) {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if at < 0 {
		return nil, fmt.Errorf("'kind=%s': expected %s", name, strings.Join(Kinds(), ", "))
	}
	r, err := begin(ctx, q)
	if err != nil {
		return nil, err
	}
	k, s := kinds[at], &Section{}
	if !k.suits(r) {
		return nil, pose.DataError{Reason: fmt.Sprintf("'kind=%s': found another model or rows, expected a model of %s", name, k.of)}
	}
	k.section(r, s)
	var bars figure.Stack
	for _, t := range s.Tables {
		if b, ok := t.picture.(*figure.Bars); ok && t.kind == name {
			bars = append(bars, b)
		} else if t.kind == name && t.picture != nil {
			return t.picture, nil
		}
	}
	if len(bars) == 0 {
		return nil, pose.DataError{Reason: fmt.Sprintf("'kind=%s': found too many classes or features for a picture", name)}
	}
	return bars, nil
}
