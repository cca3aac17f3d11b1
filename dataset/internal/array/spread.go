package array

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/fenchel-ml/fenchel/dataset/set"
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
	return p.scale == 1 && p.sparse == nil && slices.Contains([]string{"f8", "i4", "i8", "u4", "u8"}, p.element.Name)
}

// tight returns the features that may need an offset, by the first rows of a tile.
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
		first.Wide = first.Wide || first.Some && first.Low == 0 && first.High == 0
		if s.of[j].Merge(set.Spread{Wide: first.Wide}); !first.Wide {
			list = append(list, int64(j))
		}
	}
	return list
}

// measure looks at the numbers of the rows lo to hi before they were rounded, where that
// may matter.
func (p *arrayPart) measure(t *tiler, tile []float32, lo, hi int64) error {
	list := p.spreads.tight(tile, int(p.features()))
	if len(list) == 0 {
		return nil
	}
	found := make([]set.Spread, len(list))
	for k, j := range list {
		list[k] = p.columnOf(j)
	}
	err := t.eachOf(list, lo, hi, func(k int, v float64) { found[k].Add(v) })
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
func (t *tiler) eachOf(columns []int64, lo, hi int64, do func(k int, v float64)) error {
	p, size := t.p, int64(t.p.element.Size)
	if p.fortran {
		for k, column := range columns {
			if err := t.eachPiece(column*p.rows+lo, column*p.rows+hi, func(_ int64, raw []byte) {
				for ; len(raw) > 0; raw = raw[size:] {
					do(k, p.element.get(raw))
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
				do(k, p.element.get(raw[i:]))
			}
		}
	})
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

// move gives the columns that need one an offset, and says so.
func (a *arrayRows) move(ctx context.Context) (said []error, err error) {
	if a.exact {
		return nil, nil
	}
	said = a.choose()
	offsets := a.schema.Offsets()
	for _, p := range a.parts {
		if p.spreads = nil; offsets == nil {
			continue
		}
		p.offset = offsets
		if err := p.survey(ctx, a.opt.Workers(), a.width()); err != nil {
			return nil, err
		}
	}
	return said, nil
}

// choose gives the schema the offsets of the columns that need one; a stream or set without
// any needs no schema for that.
func (a *arrayRows) choose() (said []error) {
	var note set.OffsetNote
	for j, s := range a.spreads.of {
		offset, column := s.Offset(), int(a.parts[0].columnOf(int64(j)))
		name := strconv.Itoa(column + 1)
		switch {
		case offset == 0:
			continue
		case a.opt.Unmoved:
			if a.rounding = max(a.rounding, s.Rounding()); s.Matters() {
				said = append(said, s.Lost("column "+name))
			}
			continue
		case a.schema == nil:
			a.schema = positions(int(a.parts[0].cols), int(a.target))
		}
		a.schema.Columns[column].Offset = offset
		note.Add(s, &a.schema.Columns[column])
	}
	return append(said, note.Warning()...)
}

// less takes offsets off numbers that follow each other from the k-th on.
func (p *arrayPart) less(dst []float32, raw []byte, k int64) {
	for j, offset := range p.offset {
		if column := p.columnOf(int64(j)); offset != 0 && !p.fortran {
			for i := p.until(column, k); i < int64(len(dst)); i += p.cols {
				dst[i] = p.moved(raw, i, offset)
			}
		} else if offset != 0 && k/p.rows == column {
			for i := range dst {
				dst[i] = p.moved(raw, int64(i), offset)
			}
		}
	}
}

// moved is a number less an offset.
func (p *arrayPart) moved(raw []byte, i int64, offset float64) float32 {
	return float32(p.element.get(raw[i*int64(p.element.Size):])/p.scale-offset) + 0 // no negative zero
}
