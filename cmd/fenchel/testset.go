package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

// checkTest refuses, before training, test data that no model of these
// training data can be compared with. What is wrong with the training data is
// left for Fit to say.
func (t *trainer) checkTest() error {
	if t.testSet == nil {
		return nil
	}
	known, found := t.set.Target, t.testSet.Target
	switch {
	case known.Absent():
		return nil
	case found.Absent():
		return errors.New("the test data have no targets: expected the true value in every row")
	case cmp.Or(t.spec.Task, train.Decide(known)) == "classification":
		return checkTestLabels(known, found)
	case known.Number != nil && found.Number == nil:
		return fmt.Errorf("the targets of the test data are not numbers (one is %q), but the model predicts numbers", found.Label[0])
	}
	return nil
}

// checkTestLabels refuses test labels none of which occurs in the training data.
func checkTestLabels(known, found dataset.Target) error {
	match := train.MatchClasses(&model.Model{Classes: known.Label}, found)
	if len(known.Label) < 2 || slices.ContainsFunc(match, func(class int) bool { return class >= 0 }) {
		return nil
	}
	var first string
	if found.Code != nil {
		first = found.Label[found.Code[0]]
	} else {
		first = fmt.Sprint(found.Number[0])
	}
	classes := spelled(known.Label)
	slices.SortFunc(classes, func(a, b string) int {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		if known.Number != nil && x != y {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
	return fmt.Errorf("no label is known to the model: found %q, expected one of %s", first, strings.Join(classes, ", "))
}
