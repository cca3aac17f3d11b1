package set

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Check returns which law of a Set s breaks, nil if none: what is said at each of the
// fields. The values of rows that this package made are not checked again.
func (s *Set) Check() error {
	if s == nil || s.X == nil {
		return errors.New("found no rows, expected a set that has some")
	}
	if !s.isSound() {
		if err := matrix.Check(s.X); err != nil {
			return err
		}
	}
	n, d := s.X.Dims()
	if err := s.Target.Check(n); err != nil {
		return err
	}
	if found := len(s.Weight); s.Weight != nil && found != n {
		return fmt.Errorf("found %s, expected one for each of %s", fault.Plural(found, "weight", "weights"), fault.Plural(n, "row", "rows"))
	}
	if i := slices.IndexFunc(s.Weight, func(w float64) bool { return !(w > 0) || !decimal.Finite(w) }); i >= 0 {
		return fmt.Errorf("row %d: found the weight %g, expected a positive number", i+1, s.Weight[i])
	}
	if found := len(s.ID); s.ID != nil && found != n {
		return fmt.Errorf("found %s, expected one for each of %s", fault.Plural(found, "id", "ids"), fault.Plural(n, "row", "rows"))
	}
	for _, c := range s.Kept {
		if found := len(c.Fields); found != n {
			return fmt.Errorf("found %s of the column %q, expected one for each of %s", fault.Plural(found, "field", "fields"), c.Name, fault.Plural(n, "row", "rows"))
		}
	}
	if found := len(s.Feature); s.Feature != nil && found != d {
		return fmt.Errorf("found %d names of features, expected one for each of %d", found, d)
	}
	if err := CheckGaps(s.Gaps, n, d); err != nil || s.Schema == nil {
		return err
	}
	if err := s.Schema.Check(d); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return nil
}

// Vouch notes that the values of the rows are checked.
func (s *Set) Vouch() *Set {
	switch s.X.(type) {
	case *matrix.Dense, *matrix.CSR, *matrix.Double:
		s.sound = s.X
	}
	return s
}

func (s *Set) isSound() bool { return s.sound != nil && s.sound == s.X }

// Check returns why the targets cannot be those of so many rows.
func (t Target) Check(rows int) error {
	if t.Code != nil && len(t.Code) != rows || t.Number != nil && len(t.Number) != rows {
		found := len(t.Code)
		if t.Code == nil || found == rows {
			found = len(t.Number)
		}
		return fmt.Errorf("found %s, expected one for each of %s", fault.Plural(found, "target", "targets"), fault.Plural(rows, "row", "rows"))
	}
	for i, code := range t.Code {
		if int64(code) >= int64(len(t.Label)) {
			return fmt.Errorf("row %d: found the class %d, expected one of %s from 0 on", i+1, code, fault.Plural(len(t.Label), "label", "labels"))
		}
	}
	if t.Names != nil && (len(t.Names) != len(t.Columns()) || len(t.Names) < 2 || t.Code != nil) {
		return fmt.Errorf("found the names of %d targets, and %d columns of numbers, expected a name for each of several, and no labels", len(t.Names), len(t.Columns()))
	}
	for _, column := range t.Columns() {
		if len(column) != rows {
			return fmt.Errorf("found %s, expected one for each of %s", fault.Plural(len(column), "target", "targets"), fault.Plural(rows, "row", "rows"))
		}
		if i := slices.IndexFunc(column, func(y float64) bool { return !decimal.Finite(y) }); i >= 0 {
			return fmt.Errorf("row %d: found the target %g, expected a finite number", i+1, column[i])
		}
	}
	return nil
}
