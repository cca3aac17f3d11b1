package dataset

import "github.com/fenchel-ml/fenchel/matrix"

// Widen gives every row zeros in further columns, which have no names, up to cols
// columns in all.
func (s *Set) Widen(cols int) {
	if cols > s.Cols() {
		s.fit(cols)
	}
}

// fit gives every row so many columns: zeros where there were fewer; else the later
// ones are left out, with a warning that counts.
func (s *Set) fit(columns int) {
	rows, cols := s.X.Dims()
	if cols == columns {
		return
	}
	s.Feature, s.Schema, s.stored = nil, nil, nil
	if s.isSound() {
		defer s.vouch()
	}
	if x, ok := s.X.(*matrix.CSR); ok && cols < columns {
		s.X = &matrix.CSR{Cols: columns, Start: x.Start, Index: x.Index, Value: x.Value}
		return
	}
	b := newRowBuilder(cols, &Options{Columns: columns})
	for i := range rows {
		if row := s.X.Row(i); row.Index == nil {
			b.addDense(row.Value)
		} else {
			b.addSparse(row.Index, row.Value)
		}
	}
	x, warnings := b.matrix()
	s.X, s.Warnings = x, append(s.Warnings, warnings...)
}
