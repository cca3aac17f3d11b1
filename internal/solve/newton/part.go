package newton

import (
	"cmp"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// subset returns p with the given rows alone, copied. N and the rest are those
// of p, so that its objective is a part of that of p.
func subset(p *problem.Linear, rows []uint32) *problem.Linear {
	q := *p
	room := len(rows) + len(rows)/spareRows
	q.Y, q.S = make([]float64, len(rows), room), make([]float64, len(rows), room)
	for k, i := range rows {
		q.Y[k], q.S[k] = p.Y[i], p.S[i]
	}
	x := rowsOf(p.X, rows, p.Threads)
	q.Rows = &problem.Rows{X: x, Nonzeros: matrix.Nonzeros(x), Threads: p.Threads}
	return &q
}

// arrange puts the rows of each block in order of their lengths: where the loops over a row end is
// foretold then, which saves runs on rows of all lengths 2 to 9 per cent. All rows in that order
// would share work unevenly.
func arrange(rows []uint32, x matrix.Matrix) {
	m, ok := x.(*matrix.CSR)
	if !ok {
		return
	}
	length := func(i uint32) int64 { return m.Start[i+1] - m.Start[i] }
	for block := range slices.Chunk(rows, parts.BlockRows) {
		slices.SortFunc(block, func(i, j uint32) int { return cmp.Or(cmp.Compare(length(i), length(j)), cmp.Compare(i, j)) })
	}
}

// spareRows is the share of a part, one in so many, that it has room for besides: a
// part that grows is not copied then, and room that is not used is never touched.
const spareRows = 16

// rowsOf returns a copy of the given rows of x, on at most threads cores.
func rowsOf(x matrix.Matrix, rows []uint32, threads int) matrix.Matrix {
	_, d := x.Dims()
	start := make([]int64, len(rows)+1, len(rows)+1+len(rows)/spareRows)
	csr, _ := x.(*matrix.CSR)
	for k, i := range rows {
		if csr != nil {
			start[k+1] = start[k] + csr.Start[i+1] - csr.Start[i]
		} else {
			start[k+1] = start[k] + int64(x.Row(int(i)).Nonzeros())
		}
	}
	nonzeros := start[len(rows)]
	m := &matrix.CSR{Cols: d, Start: start, Value: make([]float32, nonzeros, nonzeros+nonzeros/spareRows)}
	sparse := len(rows) == 0 || x.Row(int(rows[0])).Index != nil
	if sparse {
		m.Index = make([]uint32, nonzeros, cap(m.Value))
	}
	copyRows(m.Index, m.Value, start, x, rows, threads)
	if !sparse {
		return &matrix.Dense{Rows: len(rows), Cols: d, Value: m.Value}
	}
	return m
}

// copyRows copies the given rows of x to where they start in value and, if they are
// sparse, in index, on at most threads cores.
func copyRows(index []uint32, value []float32, start []int64, x matrix.Matrix, rows []uint32, threads int) {
	parallel.Blocks(len(rows), parts.BlockRows, threads, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			v := x.Row(int(rows[k]))
			copy(value[start[k]:], v.Value)
			if v.Index != nil {
				copy(index[start[k]:], v.Index)
			}
		}
	})
}

// shorten leaves of a part the given of its rows, which increase.
func shorten(q *problem.Linear, rows []int32) {
	for k, i := range rows {
		q.Y[k], q.S[k] = q.Y[i], q.S[i]
	}
	q.Y, q.S = q.Y[:len(rows)], q.S[:len(rows)]
	switch x := q.X.(type) {
	case *matrix.CSR:
		end := int64(0)
		for k, i := range rows {
			lo, hi := x.Start[i], x.Start[i+1]
			copy(x.Index[end:], x.Index[lo:hi])
			copy(x.Value[end:], x.Value[lo:hi])
			x.Start[k] = end // k is at most i, so what is still to be read is untouched
			end += hi - lo
		}
		x.Start[len(rows)] = end
		x.Start, x.Index, x.Value = x.Start[:len(rows)+1], x.Index[:end], x.Value[:end]
	case *matrix.Dense:
		for k, i := range rows {
			copy(x.Value[k*x.Cols:(k+1)*x.Cols], x.Row(int(i)).Value)
		}
		x.Rows, x.Value = len(rows), x.Value[:len(rows)*x.Cols]
	}
	q.Nonzeros = matrix.Nonzeros(q.X)
}

// lengthen adds rows of p at the end of a part of it.
func lengthen(q, p *problem.Linear, rows []uint32) {
	for _, i := range rows {
		q.Y, q.S = append(q.Y, p.Y[i]), append(q.S, p.S[i])
		row := p.X.Row(int(i))
		switch x := q.X.(type) {
		case *matrix.CSR:
			x.Append(row.Index, row.Value)
		case *matrix.Dense:
			x.Value = append(x.Value, row.Value...)
			x.Rows++
		}
	}
	q.Nonzeros = matrix.Nonzeros(q.X)
}
