package set

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Subset returns the rows with these numbers, from 0, in that order; one may be there more
// than once. Names and schema are those of s itself, rows, targets, weights and ids are
// copies: the subset outlives s, and takes the memory of its rows. Labels that none of the
// rows has are left out, the others keep their order.
func (s *Set) Subset(rows []int) (*Set, error) {
	if s == nil || s.X == nil {
		return nil, s.Check()
	}
	n := s.Rows()
	for k, i := range rows {
		if i < 0 || i >= n {
			return nil, fmt.Errorf("subset: found %d as the number of row %d, expected one from 0 to %d", i, k+1, n-1)
		}
	}
	part := &Set{X: matrix.Gather(s.X, rows), Target: s.Target.subset(rows), Weight: taken(s.Weight, rows), ID: taken(s.ID, rows),
		Feature: s.Feature, Schema: s.Schema, IDName: s.IDName, Structure: s.Structure, ZeroBased: s.ZeroBased}
	if s.Gaps != nil {
		part.Gaps = s.gapsOf(rows)
	}
	if s.isSound() {
		part.Vouch()
	}
	return part, nil
}

// taken is the numbers of these rows; nil if there are none of any.
func taken[T any](of []T, rows []int) []T {
	if of == nil {
		return nil
	}
	part := make([]T, len(rows))
	for k, i := range rows {
		part[k] = of[i]
	}
	return part
}

// subset is the targets of these rows.
func (t Target) subset(rows []int) Target {
	part := Target{Code: taken(t.Code, rows), Number: taken(t.Number, rows)}
	used, place := make([]bool, len(t.Label)), make([]uint32, len(t.Label))
	for _, code := range part.Code {
		used[code] = true
	}
	for code, label := range t.Label {
		if used[code] {
			place[code], part.Label = uint32(len(part.Label)), append(part.Label, label)
		}
	}
	for k, code := range part.Code {
		part.Code[k] = place[code]
	}
	return part
}
