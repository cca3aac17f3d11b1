package data

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Generators returns the registered generators, sorted by name.
func Generators() []registry.Entry[generate.Generator] { return generate.Generators() }

// readGenerated collects the rows of a generator into a set.
func readGenerated(ctx context.Context, spec string, opt *Options) (*Set, error) {
	rows, info, err := generate.Stream(spec)
	if err != nil {
		return nil, err
	}
	b := set.NewRowBuilder(info.Cols, opt)
	t, codes := set.NewTargets(), map[string]uint32{}
	var numbers []float64
	for row := range rows {
		if b.Rows%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if row.X.Index == nil {
			b.AddDense(row.X.Value)
		} else {
			b.AddSparse(row.X.Index, row.X.Value)
		}
		if info.Unlabelled {
			continue
		}
		number := row.Number
		if info.Labels != nil {
			number, _ = decimal.Float64([]byte(row.Label)) // see classNames
			code, ok := codes[row.Label]
			if !ok {
				code = t.Intern([]byte(row.Label), number)
				codes[row.Label] = code
			}
			t.Code = append(t.Code, code)
		}
		numbers = append(numbers, number)
	}
	s := &Set{Structure: info.Structure}
	s.X, s.Warnings = b.Matrix()
	if info.Unlabelled {
		return s, nil
	}
	if info.Labels == nil {
		s.Target = set.NumberTarget(numbers)
	} else {
		t.Number = numbers
		s.Target = t.Target()
	}
	return s, nil
}
