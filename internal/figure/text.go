package figure

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
)

// The sizes of letters, in pixels.
const (
	size      = 12
	titleSize = 14
)

// widths of the characters from the blank on, in thousandths of the size, as Helvetica, Arial and Liberation Sans have them.
var widths = [95]uint16{278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
	556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,
	611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584}

// widthOf is how wide words are at a size. They are drawn as wide as this whatever font a reader has, so that they stay where
// there is room for them.
func widthOf(words string, size float64) float64 {
	sum := 0.0
	for _, r := range words {
		switch {
		case r >= ' ' && int(r-' ') < len(widths):
			sum += float64(widths[r-' '])
		case strings.ContainsRune(superscripts, r):
			sum += 350
		case r >= 0x1100: // as wide as high, as those of Chinese
			sum += 1000
		default:
			sum += 600
		}
	}
	return sum * size / 1000
}

// shortened is words that are no wider than a room, with … for what is left out.
func shortened(words string, size, room float64) string {
	if widthOf(words, size) <= room {
		return words
	}
	short := []rune(words)
	for len(short) > 0 && widthOf(string(short)+"…", size) > room {
		short = short[:len(short)-1]
	}
	return strings.TrimSpace(string(short)) + "…"
}

// text writes words at a place, so many of them as there is room for; who points at others sees all.
func text(w io.Writer, x, y float64, anchor, words string, room float64) {
	sized(w, x, y, anchor, words, room, size, "")
}

func sized(w io.Writer, x, y float64, anchor, words string, room, size float64, more string) {
	if words == "" {
		return
	}
	short := shortened(words, size, room)
	fmt.Fprintf(w, `<text x="%.2f" y="%.2f" text-anchor="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>`, x, y, anchor, widthOf(short, size), more)
	if short != words {
		io.WriteString(w, "<title>")
		xml.EscapeText(w, []byte(words))
		io.WriteString(w, "</title>")
	}
	xml.EscapeText(w, []byte(short))
	fmt.Fprintln(w, "</text>")
}

// heading writes a title above a panel, in one line or two.
func heading(w io.Writer, x float64, words string, room float64) {
	more := fmt.Sprintf(` font-size="%d" font-weight="bold"`, titleSize)
	const bold = 1.08 // as wide as plain letters
	first, rest := words, ""
	if widthOf(words, titleSize*bold) > room {
		first = ""
		parts := strings.Fields(words)
		for len(parts) > 1 && (first == "" || widthOf(first+" "+parts[0], titleSize*bold) <= room) {
			first, parts = strings.TrimSpace(first+" "+parts[0]), parts[1:]
		}
		rest = strings.Join(parts, " ")
		if first == "" {
			first, rest = words, ""
		}
	}
	if rest == "" {
		sized(w, x, top-16, "start", first, room, titleSize*bold, more)
		return
	}
	sized(w, x, top-30, "start", first, room, titleSize*bold, more)
	sized(w, x, top-13, "start", rest, room, titleSize*bold, more)
}

// begin writes the head of a picture, which says what it shows to who does not see it.
func begin(w io.Writer, wide, high float64, label string) {
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %[1]v %[2]v" role="img" aria-label="`, math.Ceil(wide), math.Ceil(high))
	xml.EscapeText(w, []byte(label))
	fmt.Fprintf(w, `" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif" font-size="%d"><rect width="100%%" height="100%%" fill="white"/>`+"\n", size)
}
