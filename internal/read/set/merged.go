package set

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Merged is the targets and the weights of the rows of several files, one file's under another's.
type Merged struct {
	Targets []Target
	Weights []float64
	absent  string // name of the first file without targets
	Files   int
}

// MergeTargets puts the targets of several files one after another.
func MergeTargets(parts []Target) (Target, error) {
	switch len(parts) {
	case 0:
		return Target{}, nil
	case 1:
		return parts[0], nil
	}
	if parts[0].Names != nil {
		return mergeColumns(parts)
	}
	numbers, none := true, true
	for _, p := range parts {
		none = none && p.Number == nil && p.Code == nil
		if p.Names != nil {
			return mergeColumns(parts)
		}
		numbers = numbers && p.Number != nil
	}
	if none {
		return Target{}, nil
	}
	t := NewTargets()
	for _, p := range parts {
		switch {
		case p.Code == nil && !numbers:
			return Target{}, fmt.Errorf("found more than %d distinct numbers as targets in one file and names in another, expected one kind", MaxLabels)
		case p.Code == nil:
			t.many = true
		}
		if numbers {
			t.Number = append(t.Number, p.Number...)
		}
	}
	if t.many {
		return Target{Number: t.Number}, nil
	}
	number := t.Number
	for _, p := range parts {
		t.takeCodes(p)
	}
	if numbers && len(t.Label) > MaxLabels {
		return Target{Number: number}, nil
	}
	t.Number = number
	return t.Target(), nil
}

// mergeColumns is MergeTargets of parts with several targets.
func mergeColumns(parts []Target) (Target, error) {
	columns := make([][]float64, len(parts[0].Columns()))
	for _, p := range parts {
		found := p.Columns()
		if len(found) != len(columns) || !slices.Equal(p.Names, parts[0].Names) {
			return Target{}, fmt.Errorf("found %d and %d targets in two files, expected as many in each", max(len(columns), 1), max(len(found), 1))
		}
		for k := range columns {
			columns[k] = append(columns[k], found[k]...)
		}
	}
	return ColumnsTarget(parts[0].Names, columns), nil
}

// Take notes the targets of a file that was read; nil: it has none.
func (a *Merged) Take(name string, t *Target) error {
	if t == nil {
		if a.absent == "" {
			a.absent = name
		}
	} else {
		a.Targets = append(a.Targets, *t)
	}
	if a.absent != "" && len(a.Targets) > 0 {
		return fault.In(a.absent, "found no targets, expected them as in the other files")
	}
	return nil
}

// TakeWeights notes the row weights of a file; nil: it has none.
func (a *Merged) TakeWeights(name string, weights []float64) error {
	if (weights == nil) != (a.Weights == nil) && a.Files > 1 {
		return fault.In(name, "expected row weights in all files or in none")
	}
	a.Weights = append(a.Weights, weights...)
	return nil
}

// takeCodes appends the codes of p.
func (t *Targets) takeCodes(p Target) {
	codes := make([]uint32, len(p.Label))
	for c, label := range p.Label {
		v, status := decimal.Float64([]byte(label))
		if status != decimal.Number {
			v = math.NaN()
		}
		codes[c] = t.Intern([]byte(label), v+0)
	}
	for _, c := range p.Code {
		t.Code = append(t.Code, codes[c])
	}
}

// Concatenate puts the rows of sets one under another: dense if all are, else sparse. Rows without weights count once. Of names and
// schemas there are none.
func Concatenate(sets []*Set) (*Set, error) {
	if len(sets) == 0 {
		return nil, errors.New("found no rows, expected some")
	}
	_, cols := sets[0].X.Dims()
	whole, dense := &Set{}, true
	var targets []Target
	for _, s := range sets {
		n, d := s.X.Dims()
		if d != cols {
			return nil, fmt.Errorf("found rows of %d and of %d features, expected one length", cols, d)
		}
		targets = append(targets, s.Target)
		dense = dense && matrix.IsDense(s.X)
		for i := range n {
			weight := 1.0
			if s.Weight != nil {
				weight = s.Weight[i]
			}
			whole.Weight = append(whole.Weight, weight)
		}
	}
	whole.X = stacked(sets, cols, dense)
	var err error
	whole.Target, err = MergeTargets(targets)
	return whole, err
}

// stacked returns the rows of sets, dense or without zeros.
func stacked(sets []*Set, cols int, dense bool) matrix.Matrix {
	b := NewRowBuilder(cols, &Options{})
	all := &matrix.Dense{Cols: cols}
	for _, s := range sets {
		n, _ := s.X.Dims()
		for i := range n {
			row := s.X.Row(i)
			switch {
			case dense:
				all.Value = append(all.Value, row.Value...)
			case row.Index == nil:
				index := make([]uint32, CountNonzeros(row.Value))
				value := make([]float32, len(index))
				Compress(index, value, row.Value)
				b.AddSparse(index, value)
			default:
				b.AddSparse(row.Index, row.Value)
			}
		}
		all.Rows += n
	}
	if dense {
		return all
	}
	x, _ := b.Matrix()
	return x
}
