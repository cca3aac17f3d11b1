package set

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
)

// Labels are the targets of one chunk: entries, and an entry for each row. No
// two of the first maxChunkLabels entries have the same spelling.
type Labels struct {
	arena  []byte // spellings, one after another
	end    []int  // where each entry's spelling ends in arena
	number []float64
	entry  []uint32 // of each row
	known  map[string]uint32
	recent [2]recentLabel
	text   int   // entries before the first that is not a number
	late   error // says that this first one comes too late
}

// NewLabels has room for so many rows.
func NewLabels(rows int) *Labels {
	return &Labels{entry: make([]uint32, 0, rows), known: map[string]uint32{}, text: math.MaxInt}
}

// maxChunkLabels is where a chunk stops looking for repeated labels: the rows
// have targets rather than classes, and looking would cost more than it saves.
const maxChunkLabels = 4096

func (l *Labels) spelling(entry int) []byte {
	start := 0
	if entry > 0 {
		start = l.end[entry-1]
	}
	return l.arena[start:l.end[entry]]
}

// A recentLabel is an entry with a short spelling: most rows have one of two.
type recentLabel struct {
	key   uint64 // bytes and length; 0: none
	entry uint32
}

// labelKey packs a spelling of up to seven bytes; 0 stands for longer ones.
func labelKey(text []byte) (key uint64) {
	if len(text) > 7 {
		return 0
	}
	for _, b := range text {
		key = key<<8 | uint64(b)
	}
	return key | uint64(len(text)+1)<<56
}

// Again gives the next row its target if an earlier row had the same spelling.
func (l *Labels) Again(text []byte) bool {
	key := labelKey(text)
	if key != 0 {
		e := l.recent[0].entry
		if l.recent[1].key == key {
			e = l.recent[1].entry
		}
		if l.recent[0].key == key || l.recent[1].key == key {
			l.entry = append(l.entry, e)
			return true
		}
	}
	e, ok := l.known[string(text)]
	if ok {
		l.remember(key, e)
		l.entry = append(l.entry, e)
	}
	return ok
}

// remember replaces the older of the recent labels.
func (l *Labels) remember(key uint64, entry uint32) {
	if key != 0 {
		l.recent[1] = l.recent[0]
		l.recent[0] = recentLabel{key, entry}
	}
}

// Add gives the next row its target, found at an offset of c.
func (l *Labels) Add(c *lines.Chunk, at int, text []byte) error {
	if l.Again(text) {
		return nil
	}
	v, status := decimal.Float64(text)
	switch {
	case status == decimal.NoValue || status == decimal.Huge:
		return c.Errorf(at, fault.Quote(text), "a finite number or a name as target")
	case status == decimal.Text && l.text == math.MaxInt:
		l.text = len(l.end)
		l.late = c.Errorf(at, fault.Quote(text), fmt.Sprintf("a number as target, after more than %d distinct numbers", MaxLabels))
	}
	if err := c.CheckText(at, text); err != nil {
		return err
	}
	entry := uint32(len(l.end))
	if entry < maxChunkLabels {
		l.known[string(text)] = entry
	}
	l.remember(labelKey(text), entry)
	if status == decimal.Text {
		v = math.NaN()
	}
	l.arena = append(l.arena, text...)
	l.end = append(l.end, len(l.arena))
	l.number = append(l.number, v+0) // + 0: no negative zero
	l.entry = append(l.entry, entry)
	return nil
}
