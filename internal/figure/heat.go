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

// bounds are the smallest and the largest value of maps.
func bounds(maps ...*Heat) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, h := range maps {
		for _, row := range h.Values {
			for _, v := range row {
				if v-v == 0 {
					lo, hi = min(lo, v), max(hi, v)
				}
			}
		}
	}
	return lo, hi
}

// Share is where a value stands among all, from 0, the worst, to 1.
func (h *Heat) Share(v float64) float64 {
	lo, hi := bounds(h)
	return h.share(v, lo, hi)
}

func (h *Heat) share(v, lo, hi float64) float64 {
	if !(hi > lo) {
		return 1
	}
	if share := (v - lo) / (hi - lo); !h.Lower {
		return share
	}
	return (hi - v) / (hi - lo)
}

const (
	cellWide, cellHigh = 64, 30
	heatLeft           = 112 // of the cells
)

// size is how much room the map takes.
func (h *Heat) size() (wide, high float64) {
	title := min(heatLeft+1.1*widthOf(h.Title, titleSize)+margin, 560)
	return max(heatLeft+cellWide*float64(len(h.Across))+margin, title), top + cellHigh*float64(len(h.Up)) + below
}

// WriteSVG draws the map. Values[y][x] belongs to Up[y] and Across[x]; one that is not finite is
// left blank.
func (h *Heat) WriteSVG(w io.Writer) error {
	return (&Multiples{Title: h.Title, Maps: []*Heat{h}}).WriteSVG(w)
}

// draw draws the map, its colours between two values.
func (h *Heat) draw(out io.Writer, lo, hi float64) {
	wide, high := h.size()
	heading(out, heatLeft, h.Title, wide-heatLeft-margin/2)
	middle := heatLeft + cellWide*float64(len(h.Across))/2
	text(out, middle, high-16, "middle", h.X, 2*min(middle, wide-middle)-8)
	fmt.Fprintf(out, `<g transform="translate(20 %d) rotate(-90)">`, top+cellHigh*len(h.Up)/2)
	text(out, 0, 0, "middle", h.Y, max(cellHigh*float64(len(h.Up)), 60))
	fmt.Fprintln(out, "</g>")
	for x, name := range h.Across {
		text(out, float64(heatLeft+cellWide*x+cellWide/2), high-below+18, "middle", name, cellWide-4)
	}
	for y, name := range h.Up {
		down := top + cellHigh*(len(h.Up)-1-y)
		text(out, heatLeft-8, float64(down+cellHigh/2+4), "end", name, heatLeft-40)
		for x, v := range h.Values[y] {
			if v-v == 0 {
				h.cell(out, heatLeft+cellWide*x, down, v, h.share(v, lo, hi), x == h.MarkX && y == h.MarkY)
			}
		}
	}
}

// cell draws one value.
func (h *Heat) cell(w io.Writer, left, down int, v, share float64, mark bool) {
	fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" fill="#0072b2" fill-opacity="%.3f"/>`+"\n", left, down, cellWide-1, cellHigh-1, 0.05+0.7*share*share)
	if mark {
		fmt.Fprintf(w, `<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="#d55e00" stroke-width="2.5"/>`+"\n", left+1, down+1, cellWide-3, cellHigh-3)
	}
	text(w, float64(left+cellWide/2), float64(down+cellHigh/2+4), "middle", h.Written(v), cellWide-6)
}

// Multiples are maps in rows and columns, with one scale of colours.
type Multiples struct {
	Title string
	Maps  []*Heat
}

// WriteSVG draws the maps, in a rectangle that is about as wide as high.
func (m *Multiples) WriteSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	wide, high := 0.0, 0.0
	for _, h := range m.Maps {
		x, y := h.size()
		wide, high = max(wide, x), max(high, y)
	}
	columns := max(1, min(len(m.Maps), 3, int(math.Ceil(math.Sqrt(float64(len(m.Maps))*high/max(wide, 1)*2)))))
	above := 0.0
	if len(m.Maps) > 1 {
		above = top
	}
	begin(out, wide*float64(columns), above+high*float64((len(m.Maps)+columns-1)/columns), m.Title)
	if above > 0 {
		heading(out, margin, m.Title, wide*float64(columns)-2*margin)
	}
	lo, hi := bounds(m.Maps...)
	for k, h := range m.Maps {
		fmt.Fprintf(out, `<g transform="translate(%.0f %.0f)">`+"\n", wide*float64(k%columns), above+high*float64(k/columns))
		h.draw(out, lo, hi)
		fmt.Fprintln(out, "</g>")
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}
