package figure

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// Heat is a map of two parameters: a cell for each pair of values, darker where the value is
// better.
type Heat struct {
	Title   string
	X, Y    string   // names of the parameters
	Across  []string // values of X
	Up      []string // values of Y
	Values  [][]float64
	Lower   bool // smaller is better
	MarkX   int  // the cell with a frame
	MarkY   int
	Written func(float64) string // a value in its cell
}

// Share is where a value stands among all, from 0, the worst, to 1.
func (h *Heat) Share(v float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, row := range h.Values {
		for _, v := range row {
			if v-v == 0 {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if !(hi > lo) {
		return 1
	}
	if share := (v - lo) / (hi - lo); !h.Lower {
		return share
	}
	return (hi - v) / (hi - lo)
}

// WriteSVG draws the map. Values[y][x] belongs to Up[y] and Across[x]; one that is not finite is
// left blank.
func (h *Heat) WriteSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	const cellWide, cellHigh, edge = 64, 30, 100
	wide, high := edge+cellWide*len(h.Across)+30, top+cellHigh*len(h.Up)+below
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", wide, high)
	fmt.Fprintln(out, `<rect width="100%" height="100%" fill="white"/>`)
	text(out, edge, top-14, "start", h.Title)
	text(out, float64(edge+cellWide*len(h.Across)/2), float64(high-14), "middle", h.X)
	fmt.Fprintf(out, `<g transform="translate(18 %d) rotate(-90)">`, top+cellHigh*len(h.Up)/2)
	text(out, 0, 0, "middle", h.Y)
	fmt.Fprintln(out, "</g>")
	for x, name := range h.Across {
		text(out, float64(edge+cellWide*x+cellWide/2), float64(high-below+18), "middle", name)
	}
	for y, name := range h.Up {
		down := top + cellHigh*(len(h.Up)-1-y)
		text(out, edge-8, float64(down+cellHigh/2+4), "end", name)
		for x, v := range h.Values[y] {
			h.cell(out, edge+cellWide*x, down, cellWide, cellHigh, v, x == h.MarkX && y == h.MarkY)
		}
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// cell draws one value.
func (h *Heat) cell(w io.Writer, left, down, wide, high int, v float64, mark bool) {
	if v-v != 0 {
		return
	}
	s := h.Share(v)
	fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" fill="#0072b2" fill-opacity="%.3f"/>`+"\n", left, down, wide-1, high-1, 0.05+0.75*s*s)
	if mark {
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#d55e00" stroke-width="2.5"/>`+"\n", left+1, down+1, wide-3, high-3)
	}
	text(w, float64(left+wide/2), float64(down+high/2+4), "middle", h.Written(v))
}
