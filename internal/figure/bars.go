package figure

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Bars are horizontal bars with names, from 0 to their values, the first above.
type Bars struct {
	Title string
	bars  []bar
}

// bar is one of them; spread is half of the line across its end.
type bar struct {
	name          string
	value, spread float64
}

// Add appends a bar; spread 0: none is known.
func (b *Bars) Add(name string, value, spread float64) {
	b.bars = append(b.bars, bar{name, value, spread})
}

// mostName is how many characters of a name are written; the whole is shown where the pointer rests.
const mostName = 32

// WriteSVG draws the bars.
func (b *Bars) WriteSVG(w io.Writer) error {
	const high, names, numbers = 22, 240, 90
	out := bufio.NewWriter(w)
	lo, hi := 0.0, 0.0
	for _, x := range b.bars {
		lo, hi = min(lo, x.value-x.spread), max(hi, x.value+x.spread)
	}
	if !(hi > lo) {
		hi = lo + 1
	}
	across := func(v float64) float64 { return names + (v-lo)/(hi-lo)*(width-names-numbers) }
	below := top + high*len(b.bars) + 10
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %d" font-family="sans-serif" font-size="12">`+"\n", width, below, below)
	fmt.Fprintln(out, `<rect width="100%" height="100%" fill="white"/>`)
	text(out, names, top-18, "start", b.Title)
	for i, x := range b.bars {
		y := top + high*i
		name := []rune(x.name)
		if len(name) > mostName {
			name = append(name[:mostName-1], '…')
		}
		text(out, names-8, float64(y+high/2+4), "end", string(name))
		if math.IsNaN(x.value) {
			continue
		}
		from, to := across(min(0, x.value)), across(max(0, x.value))
		fmt.Fprintf(out, `<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"/>`+"\n", from, y+3, max(0.5, to-from), high-6, colours[map[bool]int{true: 2}[x.value < 0]])
		if x.spread > 0 {
			fmt.Fprintf(out, `<path d="M%.2f %dH%.2f" stroke="#222" stroke-width="1.5"/>`+"\n", across(x.value-x.spread), y+high/2, across(x.value+x.spread))
		}
		text(out, across(max(0, x.value+x.spread))+6, float64(y+high/2+4), "start", strconv.FormatFloat(x.value, 'g', 4, 64))
	}
	fmt.Fprintf(out, `<path d="M%.2f %dV%d" stroke="#444"/>`+"\n</svg>\n", across(0), top, below-10)
	return out.Flush()
}
