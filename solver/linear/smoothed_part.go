package linear

import (
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// part is some rows of a problem: named while they are many, copied when they are few,
// always into the same memory. A part that is made anew each time would leave as
// much garbage as there is data before any of it is collected.
type part struct {
	problem.Linear
	rows  problem.Rows
	start []int64
	index []uint32 // room for as many nonzeros as are copied at most
	value []float32
}

const partShare = 4 // one nonzero of so many at most is copied

// newPart makes room, which is touched as far as it is needed.
func newPart(p *problem.Linear) *part {
	room := p.Nonzeros / partShare
	return &part{index: make([]uint32, room), value: make([]float32, room)}
}

// lend gives the second half of the room to another part.
func (t *part) lend(to *part) {
	half := cap(t.index) / 2
	t.index, to.index = t.index[:half], t.index[half:cap(t.index)]
	t.value, to.value = t.value[:half], t.value[half:cap(t.value)]
}

// regain takes back what was lent.
func (t *part) regain() { t.index, t.value = t.index[:cap(t.index)], t.value[:cap(t.value)] }

// take makes the part the given rows of p, which must stay as they are while it is
// used. N and the rest are those of p, so that its objective is a part of that of p.
func (t *part) take(p *problem.Linear, rows []uint32) *problem.Linear {
	y, s := t.Y[:0], t.S[:0]
	t.Linear = *p
	t.start = append(t.start[:0], 0)
	nonzeros := int64(0)
	for _, i := range rows {
		y, s = append(y, p.Y[i]), append(s, p.S[i])
		nonzeros += int64(p.X.Row(int(i)).Nonzeros())
		t.start = append(t.start, nonzeros)
	}
	t.Y, t.S = y, s
	x := matrix.Subset(p.X, rows)
	if len(rows) > 0 && x.Row(0).Index != nil && nonzeros <= int64(len(t.index)) {
		copyRows(t.index, t.value, t.start, p.X, rows, p.Threads)
		_, d := x.Dims()
		x = &matrix.CSR{Cols: d, Start: t.start, Index: t.index[:nonzeros], Value: t.value[:nonzeros]}
	}
	t.rows.X, t.rows.Nonzeros, t.rows.Threads = x, nonzeros, p.Threads
	t.Rows = &t.rows
	return &t.Linear
}
