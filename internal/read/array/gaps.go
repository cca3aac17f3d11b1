package array

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// filled returns a part with the means of columns in place of numbers that are no numbers, and where these are, for
// callers that make use of it: the part itself where there are none. All numbers are then in memory, in double precision.
func (p *arrayPart) filled(ctx context.Context, first int) (*arrayPart, []set.Gap, error) {
	values, known, sum := make([]float64, p.rows*p.cols), make([]float64, p.cols), make([]float64, p.cols)
	place := func(i, j int64) int64 {
		if p.fortran {
			return j*p.rows + i
		}
		return i*p.cols + j
	}
	read := func(t *tiler, _ int, lo, hi int64) error {
		for i := lo; i < hi; i++ {
			for j := range p.cols {
				raw, err := t.read(place(i, j), 1)
				if err != nil {
					return err
				}
				if values[place(i, j)] = p.element.get(raw); !math.IsNaN(values[place(i, j)]) {
					known[j]++
					sum[j] += values[place(i, j)]
				}
			}
		}
		return nil
	}
	if err := p.blocks(ctx, 1, false, read); err != nil {
		return nil, nil, err
	}
	var gaps []set.Gap
	for i := range p.rows {
		for j := range p.cols {
			if at := place(i, j); math.IsNaN(values[at]) && j != p.target {
				values[at] = sum[j] / max(known[j], 1)
				gaps = append(gaps, set.Gap{uint32(int64(first) + i), uint32(p.featureOf(j))})
			}
		}
	}
	if gaps == nil {
		return p, nil, nil
	}
	element, _ := ElementOf('f', 8, binary.NativeEndian)
	raw := make([]byte, 0, 8*len(values))
	for _, v := range values {
		raw = binary.NativeEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return newArrayPart(p.name, memorySection{bytes.NewReader(raw)}, element, p.scale, p.rows, p.cols, p.target, p.fortran), slices.Clip(gaps), nil
}
