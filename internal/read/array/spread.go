package array

import (
	"context"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// What rounding does to the columns of arrays is measured while their values are looked at
// for the first time. Where that gives a column an offset, they are looked at once more,
// since other values are zero then.

// spreads is what is known of the features so far. What is added in another order is the
// same.
type spreads struct {
	lock sync.Mutex
	of   []set.Spread
}

// rounds reports whether single precision rounds the numbers of a part, and by so much of
// their size.
func (p *arrayPart) rounds() bool {
	return p.sparse != nil || p.scale == 1 && slices.Contains([]string{"f8", "i4", "i8", "u4", "u8"}, p.element.Name)
}

// tight returns the features that may need an offset by the first rows of a tile, or a factor
// by all of them: numbers that vanish are zeros here.
func (s *spreads) tight(tile []float32, features int) (list []int64) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for j := range s.of {
		if s.of[j].Wide {
			continue
		}
		var first set.Spread
		for i := j; i < min(len(tile), set.ProbeRows*features) && !first.Wide; i += features {
			first.Add(float64(tile[i]))
			first.Settle()
		}
		for i := j; i < len(tile) && !first.Wide && first.Low == 0 && first.High == 0; i += features {
			first.Wide = math.Abs(float64(tile[i])) >= set.Tiny
		}
		if s.of[j].Merge(set.Spread{Wide: first.Wide}); !first.Wide {
			list = append(list, int64(j))
		}
	}
	return list
}

// measure looks at the numbers of the rows lo to hi before they were rounded, where that
// may matter.
func (p *arrayPart) measure(t *tiler, tile []float32, lo, hi int64) error {
	if p.weight != nil {
		tile = nil // the first rows may not count
	}
	list := p.spreads.tight(tile, int(p.features()))
	if len(list) == 0 {
		return nil
	}
	found := make([]set.Spread, len(list))
	for k, j := range list {
		list[k] = p.columnOf(j)
	}
	err := t.eachOf(list, lo, hi, func(k int, row int64, v float64) {
		if p.weight == nil || p.weight[row] != 0 {
			found[k].Add(v)
		}
	})
	p.spreads.lock.Lock()
	defer p.spreads.lock.Unlock()
	for k, column := range list {
		found[k].Settle()
		p.spreads.of[p.featureOf(column)].Merge(found[k])
	}
	return err
}

// columnOf returns the column of a feature.
func (p *arrayPart) columnOf(feature int64) int64 {
	if p.target >= 0 && feature >= p.target {
		return feature + 1
	}
	return feature
}

// featureOf returns the feature of a column, which is not that of the targets.
func (p *arrayPart) featureOf(column int64) int64 {
	if p.target >= 0 && column > p.target {
		return column - 1
	}
	return column
}

// eachOf calls do for the numbers of some columns of the rows lo to hi.
func (t *tiler) eachOf(columns []int64, lo, hi int64, do func(k int, row int64, v float64)) error {
	p, size := t.p, int64(t.p.element.Size)
	if p.sparse != nil {
		for i := lo; i < hi; i++ {
			for k, column := range columns {
				do(k, i, p.exact(i, column, t.buffer[(i-lo)*p.cols+column]))
			}
		}
		return nil
	}
	if p.fortran {
		for k, column := range columns {
			if err := t.eachPiece(column*p.rows+lo, column*p.rows+hi, func(at int64, raw []byte) {
				for i := at - column*p.rows; len(raw) > 0; i, raw = i+1, raw[size:] {
					do(k, i, p.element.get(raw))
				}
			}); err != nil {
				return err
			}
		}
		return nil
	}
	return t.eachPiece(lo*p.cols, hi*p.cols, func(at int64, raw []byte) {
		for k, column := range columns {
			for i := p.until(column, at) * size; i < int64(len(raw)); i += p.cols * size {
				do(k, (at+i/size)/p.cols, p.element.get(raw[i:]))
			}
		}
	})
}

// exact is a value of a sparse part before it was rounded, where single precision has no room for it.
func (p *arrayPart) exact(row, column int64, stored float32) float64 {
	if k, ok := slices.BinarySearchFunc(p.small, set.Small{Row: int(row), Column: uint32(column)}, set.Small.Compare); ok {
		return p.small[k].Value
	}
	return float64(stored)
}

// until returns how many numbers there are from the k-th to the next one of a column, row
// after row.
func (p *arrayPart) until(column, k int64) int64 { return (column - k%p.cols + p.cols) % p.cols }

// eachPiece reads the numbers from the k-th to that before end.
func (t *tiler) eachPiece(k, end int64, do func(k int64, raw []byte)) error {
	most := int64(rawBytes / t.p.element.Size)
	for ; k < end; k += most {
		raw, err := t.read(k, min(most, end-k))
		if err != nil {
			return err
		}
		do(k, raw)
	}
	return nil
}

// move gives the columns that need one an offset or a factor, and says so. Rows of weight 0 choose none.
func (a *arrayRows) move(ctx context.Context, weight []float64) (said []error, err error) {
	some, again := a.someDense(), slices.Contains(weight, 0) && !a.exact && !a.opt.Unweighted
	if again {
		clear(a.spreads.of)
	}
	for _, p := range a.parts {
		if again {
			p.weight, weight = weight[:p.rows], weight[p.rows:]
		}
		if some && (again || p.sparse != nil) {
			if err := a.survey(ctx, p); err != nil {
				return nil, err
			}
		}
	}
	if !some {
		return a.multiply()
	}
	if a.exact {
		return nil, nil
	}
	said = a.choose()
	moves := a.schema.Moves()
	for _, p := range a.parts {
		if p.spreads = nil; moves == nil {
			continue
		}
		p.moves = moves
		if err := p.survey(ctx, a.opt.Workers(), a.width()); err != nil {
			return nil, err
		}
	}
	return said, nil
}

// choose gives the schema the offsets and factors of the columns that need one; a stream or set without
// any needs no schema for that.
func (a *arrayRows) choose() (said []error) {
	var note set.OffsetNote
	for j, s := range a.spreads.of {
		offset, column := s.Offset(), int(a.parts[0].columnOf(int64(j)))
		factor, name := s.Factor(offset), strconv.Itoa(column+1)
		switch {
		case offset == 0 && factor == 0:
			continue
		case a.opt.Unmoved:
			if a.rounding = max(a.rounding, s.Rounding()); s.Matters() {
				said = append(said, s.Lost("column "+name))
			}
			continue
		case a.schema == nil:
			a.schema = set.Positions(int(a.parts[0].cols), int(a.target))
		}
		c := &a.schema.Columns[column]
		c.Offset, c.Factor = offset, factor
		note.Add(s, c)
	}
	return append(said, note.Warning()...)
}

// move makes of numbers that follow each other from the k-th on what their columns store.
func (p *arrayPart) move(dst []float32, raw []byte, k int64) {
	for j := range p.moves {
		c, column := &p.moves[j], p.columnOf(int64(j))
		if !c.Moves() {
			continue
		}
		if !p.fortran {
			for i := p.until(column, k); i < int64(len(dst)); i += p.cols {
				dst[i] = p.moved(raw, i, c)
			}
		} else if k/p.rows == column {
			for i := range dst {
				dst[i] = p.moved(raw, int64(i), c)
			}
		}
	}
}

// moved is what a column stores of a number.
func (p *arrayPart) moved(raw []byte, i int64, c *set.Column) float32 {
	return float32(c.Stored(p.element.get(raw[i*int64(p.element.Size):])/p.scale)) + 0 // no negative zero
}
