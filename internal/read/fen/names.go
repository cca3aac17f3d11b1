package fen

import (
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// checkOrder checks that the labels are in order of first appearance, and that
// each appears: the laws of Target.
func (f *fenFile) checkOrder() error {
	next := 0
	for i, c := range f.code {
		switch {
		case int(c) == next:
			next++
		case int(c) > next:
			return fmt.Errorf("row %d: found the label %q, expected the first of %q here", i+1, f.names.Label[c], f.names.Label[next])
		}
	}
	if next < len(f.names.Label) {
		return fmt.Errorf("found the label %q in no row, expected labels that rows have", f.names.Label[next])
	}
	return nil
}

// readNames reads the section text.
func (f *fenFile) readNames() error {
	if err := json.Unmarshal(f.section(Text), &f.names); err != nil {
		return fmt.Errorf("found names that are not JSON (%w), expected labels, features and schema", err)
	}
	return f.checkNames(int(f.cols))
}

// checkNames checks the names for a set of so many features.
func (f *fenFile) checkNames(cols int) error {
	n := &f.names
	if n.Feature != nil && len(n.Feature) != cols {
		return fmt.Errorf("found %d names of features, expected %d", len(n.Feature), cols)
	}
	if s := n.Schema; s != nil {
		if err := s.Check(cols); err != nil {
			return err
		}
	}
	if err := set.CheckGaps(n.Gaps, int(f.rows), cols); err != nil {
		return err
	}
	if (f.code == nil) != (n.Label == nil) {
		return fmt.Errorf("found %d labels for %d rows with labels", len(n.Label), len(f.code))
	}
	var err error
	f.labelNumber, err = checkLabels(n.Label, f.number != nil)
	return err
}

// checkLabels checks that labels are distinct finite numbers or names, and
// returns the numbers if they should all be.
func checkLabels(label []string, numbers bool) (number []float64, err error) {
	if numbers && len(label) > set.MaxLabels {
		return nil, fmt.Errorf("found %d labels that are numbers, expected at most %d", len(label), set.MaxLabels)
	}
	t := set.NewTargets()
	for code, l := range label {
		v, status := decimal.Float64([]byte(l))
		if l == "" || status == decimal.NoValue || status == decimal.Huge || !utf8.ValidString(l) {
			return nil, fmt.Errorf("found the label %q, expected a finite number or a name", l)
		}
		if status == decimal.Text {
			v = math.NaN()
		}
		if numbers {
			if status == decimal.Text {
				return nil, fmt.Errorf("found the label %q and numbers as targets, expected labels that are numbers", l)
			}
			number = append(number, v+0)
		}
		if int(t.Intern([]byte(l), v+0)) != code {
			return nil, fmt.Errorf("found the label %q twice, expected each once", l)
		}
	}
	return number, nil
}
