package featuremap

import (
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/blas"
)

// The images of many rows at once are the solution of Z L^T = K, in panels of
// columns: what the features before a panel take off is one product of matrices,
// and within a panel each feature takes its part off those that follow. An
// element is one chain of multiply-adds in the order of the features, however
// many rows there are. Of 1000 features that takes 95 us a row, where an inner
// product for each took 119 (one thread, on a busy machine).

// panelWidth is how many features are in a panel.
const panelWidth = 64

// A panel is some consecutive rows of L, with signs that add what is to be taken
// off.
type panel struct {
	first    int
	before   blas.Block[float64] // minus the columns before first
	diagonal []float64
	below    [][]float64 // minus what is below each element of the diagonal
}

// newPanels cuts L, of which row c has c+1 numbers.
func newPanels(factor [][]float64) []panel {
	var panels []panel
	for first := 0; first < len(factor); first += panelWidth {
		rows := factor[first:min(first+panelWidth, len(factor))]
		p := panel{first: first, before: blas.Block[float64]{Rows: len(rows), Cols: first, Stride: first}}
		for c, row := range rows {
			for _, l := range row[:first] {
				p.before.Value = append(p.before.Value, -l)
			}
			p.diagonal = append(p.diagonal, row[first+c])
			var below []float64
			for _, later := range rows[c+1:] {
				below = append(below, -later[first+c])
			}
			p.below = append(p.below, below)
		}
		panels = append(panels, p)
	}
	return panels
}

// solve replaces each of so many rows of z, k_x, by L^-1 k_x.
func solve(panels []panel, z []float64, rows, width int) {
	for _, p := range panels {
		n := len(p.diagonal)
		blas.Gemm64(blas.Block[float64]{Value: z[p.first:], Rows: rows, Cols: n, Stride: width},
			blas.Block[float64]{Value: z, Rows: rows, Cols: p.first, Stride: width}, p.before, 1)
		for i := range rows {
			v := z[i*width+p.first:][:n]
			for c, l := range p.diagonal {
				v[c] /= l
				vec.Axpy64(v[c+1:], v[c], p.below[c])
			}
		}
	}
}
