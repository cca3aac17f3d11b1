package dataset

import (
	"context"
	"iter"

	"github.com/fenchel-ml/fenchel/dataset/generate"
	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
	"github.com/fenchel-ml/fenchel/registry"
)

// A Generator makes rows out of nothing but its parameters: package generate has them.
type Generator = generate.Generator

// Generators returns the registered generators, sorted by name.
func Generators() []registry.Entry[Generator] { return generate.Generators() }

// Stream makes the rows that spec describes, "@name:key=value,..." with or without the "@",
// one at a time in memory that does not grow with their number. The slices of a row are
// valid until the next one.
func Stream(spec string) (iter.Seq[generate.Row], generate.Info, error) { return generate.Stream(spec) }

// SecondMomentOf returns the second moment of the rows that spec describes, as [Stream]
// takes it; nil if it is not known.
func SecondMomentOf(spec string) (*generate.SecondMoment, error) {
	return generate.SecondMomentOf(spec)
}

// readGenerated collects the rows of a generator into a set.
func readGenerated(ctx context.Context, spec string, opt *Options) (*Set, error) {
	rows, info, err := Stream(spec)
	if err != nil {
		return nil, err
	}
	b := newRowBuilder(info.Cols, opt)
	t, codes := newTargets(), map[string]uint32{}
	var numbers []float64
	for row := range rows {
		if b.rows%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if row.X.Index == nil {
			b.addDense(row.X.Value)
		} else {
			b.addSparse(row.X.Index, row.X.Value)
		}
		if info.Unlabelled {
			continue
		}
		number := row.Number
		if info.Labels != nil {
			number, _ = decimal.Float64([]byte(row.Label)) // see classNames
			code, ok := codes[row.Label]
			if !ok {
				code = t.intern([]byte(row.Label), number)
				codes[row.Label] = code
			}
			t.code = append(t.code, code)
		}
		numbers = append(numbers, number)
	}
	s := &Set{}
	s.X, s.Warnings = b.matrix()
	if info.Unlabelled {
		return s, nil
	}
	if info.Labels == nil {
		s.Target = numberTarget(numbers)
	} else {
		t.number = numbers
		s.Target = t.target()
	}
	return s, nil
}
