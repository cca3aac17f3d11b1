package figure

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// drawGround colours the panel in squares of a few pixels by what Ground says of their centres: a path
// for each colour, of runs of squares in a row.
func (f *Figure) drawGround(out io.Writer, x, y span) {
	if f.Ground == nil {
		return
	}
	const side = 4
	across, down := panelWide/side, panelHigh/side
	paths := make([]strings.Builder, len(colours))
	for i := range down {
		begin, colour := 0, -1
		for j := range across + 1 {
			next := -1
			if j < across {
				next = f.Ground(x.back((float64(j)+0.5)/float64(across)), y.back(1-(float64(i)+0.5)/float64(down))) - 1
				if next >= 0 {
					next %= len(colours)
				}
			}
			if next == colour {
				continue
			}
			if colour >= 0 {
				fmt.Fprintf(&paths[colour], "M%d %dh%dv%dh-%dz", left+side*begin, top+side*i, side*(j-begin), side, side*(j-begin))
			}
			begin, colour = j, next
		}
	}
	for k := range paths {
		if paths[k].Len() > 0 {
			fmt.Fprintf(out, `<path d="%s" fill="%s" fill-opacity="0.22" shape-rendering="crispEdges"/>`+"\n", &paths[k], colours[k])
		}
	}
}

// back is the value that stands at a place from 0 to 1.
func (s span) back(at float64) float64 {
	v := s.lo + at*(s.hi-s.lo)
	if s.Log {
		return math.Pow(10, v)
	}
	return v
}
