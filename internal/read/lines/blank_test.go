package lines_test

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
)

// Lines without rows take no memory, however many: a few bytes of gzip are billions.
func TestBlankLines(t *testing.T) {
	const lines = 1 << 20 // between two rows
	for _, c := range []struct{ name, row, blank string }{
		{"libsvm", "1 1:1\n2 1:2\n", "\n"}, {"libsvm", "1 1:1\n2 1:2\n", "#\n"}, {"strings", "a\txx\nb\tyy\n", "\n"}, {"strings", "a\txx\nb\tyy\n", " \n"},
		{"csv", "1,2\n3,4\n", "\n"}, {"tsv", "1\t2\n3\t4\n", "\r\n"}, {"arff", "@relation r\n@attribute a numeric\n@attribute y numeric\n@data\n1,2\n3,4\n", "%\n"},
	} {
		blank := &repeating{text: []byte(strings.Repeat(c.blank, 4<<10))}
		// Sometimes a row between: its chunk is kept, and what was made ready for the rows that are none is not.
		text := []io.Reader{strings.NewReader(c.row)}
		for range 8 {
			text = append(text, io.LimitReader(blank, lines*int64(len(c.blank))), strings.NewReader(c.row[strings.LastIndexByte(c.row[:len(c.row)-1], '\n')+1:]))
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		most := &watching{r: io.MultiReader(text...)}
		set, err := data.Read(t.Context(), []string{"-"}, data.Options{Format: c.name, Source: data.Source{Stdin: most}, Threads: 2})
		if err != nil || set.Rows() != 10 {
			t.Errorf("%s with %q: found %v, %v", c.name, c.blank, set, err)
		}
		if runtime.ReadMemStats(&after); most.heap > before.HeapAlloc+16<<20 {
			t.Errorf("%s with %q: found %d MB in use while it was read, expected next to none", c.name, c.blank, (most.heap-before.HeapAlloc)>>20)
		}
	}
}

// repeating gives the same text again and again.
type repeating struct {
	text []byte
	at   int
}

func (r *repeating) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// watching notes how much of the heap is in use behind the last rows.
type watching struct {
	r    io.Reader
	heap uint64
}

func (w *watching) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err == io.EOF || bytes.Contains(p[:n], []byte("2")) {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		w.heap = max(w.heap, now.HeapAlloc)
	}
	return n, err
}
