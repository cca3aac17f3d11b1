package dataset

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
)

// unknownColumns counts the values in columns that a model does not know.
type unknownColumns struct {
	first  uint32
	values int
	column map[uint32]struct{}
}

func (u *unknownColumns) add(column uint32) {
	if u.column == nil {
		u.first, u.column = column, map[uint32]struct{}{}
	}
	u.values++
	u.column[column] = struct{}{}
}

// warnings says what was left out, with columns from first on.
func (u *unknownColumns) warnings(first uint64) []error {
	if u.values == 0 {
		return nil
	}
	return []error{fmt.Errorf("%s of %s (first: %d) %s unknown to the model: ignored", fault.Plural(u.values, "value", "values"),
		fault.Plural(len(u.column), "feature", "features"), uint64(u.first)+first, fault.Are(u.values))}
}
