package array

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// begin prepares for rows x cols values of a file. Nothing is allocated for
// them yet.
func (a *arrayRows) begin(name string, rows, cols int64) error {
	a.Files++
	const most = min(math.MaxUint32, math.MaxInt)
	switch {
	case rows == 0 || cols == 0:
		return fault.In(name, "found %s of %s, expected at least one of each", fault.Plural(rows, "row", "rows"), fault.Plural(cols, "column", "columns"))
	case cols > most:
		return fault.In(name, "found %d columns, expected at most %d", cols, int64(most))
	case a.rows == nil:
		a.first, a.rows, a.target = name, set.NewRowBuilder(int(cols), a.opt), -1
	case int64(a.rows.Cols) != cols:
		return fault.In(name, "found %s, expected %d as in %s", fault.Plural(cols, "column", "columns"), a.rows.Cols, a.first)
	}
	return nil
}

// set is what was gathered, completed by the files that the options name.
func (a *arrayRows) set(ctx context.Context) (*set.Set, error) {
	s := &set.Set{Weight: a.Weights}
	var err error
	if a.opt.Labels != "" {
		s.Target, err = ReadLabels(ctx, a.opt.Labels, a.opt, a.count())
	} else {
		s.Target, err = set.MergeTargets(a.Targets)
	}
	if err == nil && a.opt.Weights != "" {
		s.Weight, err = set.ReadWeights(ctx, a.opt.Weights, a.opt, int(a.count()))
	}
	if err != nil {
		return nil, err
	}
	said, err := a.move(ctx, s.Weight)
	if err != nil {
		return nil, err
	}
	x, warnings, unmap, err := a.matrix(ctx)
	if err != nil {
		return nil, err
	}
	s.Rounding, s.Gaps = a.rounding, a.gaps
	s.X, s.Warnings, s.Moved = x, append(warnings, said...), a.someDense()
	if unmap != nil {
		s.OnClose(unmap)
	}
	if a.multiplied != nil {
		return s, scaling.Multiplied(s, a.multiplied, a.opt)
	}
	if a.schema != nil {
		s.Schema, s.Feature = a.schema, a.schema.Features()
		scaling.Fill(s.Schema, s.X)
	}
	return s, nil
}

// checkTarget refuses numbers that cannot be targets, and whole numbers that
// float64 may have rounded, so that no two classes become one.
func checkTarget(v float64, e Element, name string, row int64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fault.In(name, "row %d: found %v, expected a finite number as target", row+1, v)
	}
	if e.whole && math.Abs(v) >= 1<<53 {
		return fault.In(name, "row %d: found %.0f, expected whole numbers below 2^53 as targets", row+1, v)
	}
	return nil
}

// eachRow reads rows of cols numbers each, divided by scale, as the columns of the features store
// them; nil: as they are. A row with a value that is not finite is not given to do.
func eachRow(ctx context.Context, r io.Reader, name string, e Element, rows, cols int64, scale float64, moves []set.Column, do func([]float32)) error {
	var row []float32 // grows with the data: cols is only what the header says
	convert := e.converter(scale)
	return eachPiece(ctx, r, name, e.Size, rows*cols, func(first int64, raw []byte) error {
		for len(raw) > 0 {
			have, count := len(row), int(min(cols-int64(len(row)), int64(len(raw)/e.Size)))
			row = slices.Grow(row, count)[:have+count]
			convert(row[have:], raw)
			exact := func(k int) float64 {
				v := e.get(raw[k*e.Size:]) / scale
				if have+k < len(moves) {
					v = moves[have+k].Stored(v)
				}
				return v
			}
			for k := 0; k < count && have+k < len(moves); k++ {
				if moves[have+k].Moves() {
					row[have+k] = float32(exact(k)) + 0 // no negative zero
				}
			}
			if !decimal.AllFinite(row[have:]) {
				bad := slices.IndexFunc(row[have:], func(v float32) bool { return v-v != 0 })
				at := first + int64(bad)
				_, err := single(exact(bad), name, at/cols, at%cols)
				return err
			}
			if int64(len(row)) == cols {
				do(row)
				row = row[:0]
			}
			raw, first = raw[count*e.Size:], first+int64(count)
		}
		return nil
	})
}
