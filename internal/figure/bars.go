package figure

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
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

// WriteSVG draws the bars.
func (b *Bars) WriteSVG(w io.Writer) error { return Stack{b}.WriteSVG(w) }

// A Stack is bars below each other.
type Stack []*Bars

const barsWide, barHigh = 720.0, 22

// WriteSVG draws all bars.
func (s Stack) WriteSVG(w io.Writer) error {
	out, down, titles := bufio.NewWriter(w), 0, []string(nil)
	for _, b := range s {
		titles = append(titles, b.Title)
		down += b.high()
	}
	begin(out, barsWide, float64(down), strings.Join(titles, "; "))
	down = 0
	for _, b := range s {
		fmt.Fprintf(out, `<g transform="translate(0 %d)">`+"\n", down)
		b.draw(out)
		fmt.Fprintln(out, "</g>")
		down += b.high()
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// high is how much room the bars take.
func (b *Bars) high() int { return top + barHigh*len(b.bars) + 10 }

func (b *Bars) draw(out io.Writer) {
	const numbers = 90.0
	lo, hi, names := 0.0, 0.0, 40.0
	for _, x := range b.bars {
		names = max(names, min(widthOf(x.name, size)+18, 240))
		if x.value-x.value == 0 {
			lo, hi = min(lo, x.value-x.spread), max(hi, x.value+x.spread)
		}
	}
	if !(hi > lo) {
		hi = lo + 1
	}
	across := func(v float64) float64 { return names + (v-lo)/(hi-lo)*(barsWide-names-numbers) }
	heading(out, 10, b.Title, barsWide-20)
	for i, x := range b.bars {
		y := top + barHigh*i
		text(out, names-8, float64(y+barHigh/2+4), "end", x.name, names-16)
		if x.value-x.value != 0 {
			continue
		}
		from, to := across(min(0, x.value)), across(max(0, x.value))
		fmt.Fprintf(out, `<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"/>`+"\n", from, y+3, max(0.5, to-from), barHigh-6, colours[map[bool]int{true: 1}[x.value < 0]])
		if x.spread > 0 {
			fmt.Fprintf(out, `<path d="M%.2f %dH%.2f" stroke="#222" stroke-width="1.5"/>`+"\n", across(x.value-x.spread), y+barHigh/2, across(x.value+x.spread))
		}
		text(out, across(math.Max(0, x.value+x.spread))+6, float64(y+barHigh/2+4), "start", strconv.FormatFloat(x.value, 'g', 4, 64), numbers-10)
	}
	fmt.Fprintf(out, `<path d="M%.2f %dV%d" stroke="#444"/>`+"\n", across(0), top, b.high()-10)
}
