package set

import (
	"errors"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Concatenate puts the rows of sets one under another: dense if all are, else sparse. Rows without weights count once. Of names and
// schemas there are none.
func Concatenate(sets []*Set) (*Set, error) {
	if len(sets) == 0 {
		return nil, errors.New("found no rows, expected some")
	}
	var all Merged
	whole, rows, cols := &Set{}, 0, 0
	dense := &matrix.Dense{}
	sparse := &matrix.CSR{Start: []int64{0}}
	for _, s := range sets {
		n, d := s.X.Dims()
		if cols == 0 {
			cols = d
		}
		if d != cols {
			return nil, errors.New("found rows of several lengths, expected one")
		}
		rows += n
		all.Targets = append(all.Targets, s.Target)
		if x, ok := s.X.(*matrix.Dense); ok && dense != nil {
			dense.Value = append(dense.Value, x.Value...)
		} else {
			dense = nil
		}
		for i := range n {
			weight := 1.0
			if s.Weight != nil {
				weight = s.Weight[i]
			}
			whole.Weight = append(whole.Weight, weight)
		}
	}
	if whole.X = dense; dense != nil {
		dense.Rows, dense.Cols = rows, cols
	} else {
		sparse.Cols = cols
		for _, s := range sets {
			n, _ := s.X.Dims()
			for i := range n {
				row := s.X.Row(i)
				for k, v := range row.Value {
					if v != 0 {
						sparse.Index, sparse.Value = append(sparse.Index, uint32(row.Column(k))), append(sparse.Value, v)
					}
				}
				sparse.Start = append(sparse.Start, int64(len(sparse.Value)))
			}
		}
		whole.X = sparse
	}
	var err error
	whole.Target, err = MergeTargets(all.Targets)
	return whole, err
}
