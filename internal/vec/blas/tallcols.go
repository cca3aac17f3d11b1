package blas

import "github.com/fenchel-ml/fenchel/internal/parallel"

// A tallCols is the product C += A^T*B of two tall matrices, B having few columns. It is
// computed as C^T, so that a vector holds neighbours of a row of A.
type tallCols struct {
	tile tallTile
	c    Block[float64]
	a    Block[float32]
	b    Block[float64]
}

const (
	rowsOfChunk = 64  // terms of a step: the rows of a tile stay in the first cache, and their pages at hand
	colsOfPart  = 256 // most columns of A that a goroutine takes at once
)

// run computes the product on at most threads goroutines.
func (t tallCols) run(threads int) {
	width := roundUp(equalParts(t.a.Cols, colsOfPart), t.tile.cols)
	parallel.Each((t.a.Cols+width-1)/width, threads, func(_, i int) {
		t.part(i*width, min(width, t.a.Cols-i*width))
	})
}

// part computes count rows of C from first on.
func (t tallCols) part(first, count int) {
	width, height := roundUp(count, t.tile.cols), roundUp(t.b.Cols, t.tile.rows)
	sums := Block[float64]{Value: make([]float64, height*width), Rows: t.b.Cols, Cols: count, Stride: width}
	c := Block[float64]{Value: t.c.Value[first*t.c.Stride:], Rows: count, Cols: t.b.Cols, Stride: t.c.Stride}
	transposePortable(sums, c, 0, 0)
	packed := make([]float64, height*rowsOfChunk)
	last := make([]float32, t.tile.cols*rowsOfChunk)
	pack, packLast := packCols[float64](t.b), packCols[float32](t.a)
	for k := 0; k < t.a.Rows; k += rowsOfChunk {
		depth := min(rowsOfChunk, t.a.Rows-k)
		for i := 0; i < t.b.Cols; i += t.tile.rows {
			pack(packed[i*depth:], t.tile.rows, i, min(t.tile.rows, t.b.Cols-i), k, depth)
		}
		for j := 0; j < count; j += t.tile.cols {
			a, stride := t.a.Value[k*t.a.Stride+first+j:], t.a.Stride
			if count-j < t.tile.cols {
				packLast(last, t.tile.cols, first+j, count-j, k, depth)
				a, stride = last, t.tile.cols
			}
			for i := 0; i < t.b.Cols; i += t.tile.rows {
				t.tile.columns(depth, packed[i*depth:], a, stride, sums.Value[i*width+j:], width)
			}
		}
	}
	transposePortable(c, sums, 0, 0)
}
