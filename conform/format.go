package conform

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing/iotest"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Format examines the laws of data.Format and data.Writer on a file of
// two or more rows: as it is, in pieces, twice, cut off and damaged, written and
// read again. broken are files that cannot be read: each error must tell the
// place behind the name of the input.
//
// A file so small is one chunk. That the size of chunks does not matter only
// package data can ask, and its fuzz tests do.
func Format(f set.Format, file []byte, broken map[string]string) error {
	e := &formatter{findings: &findings{}, f: f}
	whole, err := e.read(1, file)
	e.check(err == nil, "a sound file is read", "%v", err)
	if err != nil {
		return e.err()
	}
	e.sound(whole, "a sound file")
	e.detect(file)
	e.arrival(file, whole)
	e.several(file, whole)
	e.damage(file)
	e.written(whole)
	for text, place := range broken {
		_, err := e.read(1, []byte(text))
		e.check(err != nil && strings.HasPrefix(err.Error(), "input 1:"+place), "an error tells the place",
			"%q: found %v, expected it at %s", text, err, place)
	}
	for _, option := range f.Takes() {
		e.check(slices.Contains([]string{"header", "target", "weights", "labels", "ignore", "categorical", "numeric", "text", "id", "missing", "dates", "skip-unlabelled"}, option), "only options that exist are taken", "%s", option)
	}
	return e.err()
}

// formatter examines one format.
type formatter struct {
	*findings
	f set.Format
}

// read reads files as the inputs 1, 2 and so on.
func (e *formatter) read(threads int, files ...[]byte) (*data.Set, error) {
	var in []io.Reader
	for _, file := range files {
		in = append(in, bytes.NewReader(file))
	}
	return e.readFrom(threads, in...)
}

func (e *formatter) readFrom(threads int, from ...io.Reader) (s *data.Set, err error) {
	var in []*set.Input
	for i, r := range from {
		in = append(in, &set.Input{Name: fmt.Sprintf("input %d", i+1), R: bufio.NewReaderSize(r, 64<<10)})
	}
	defer func() {
		if r := recover(); r != nil {
			e.check(false, "no file makes Read panic", "%v", r)
			err = fmt.Errorf("input 1: panic: %v", r)
		}
	}()
	return e.f.Read(context.Background(), in, &data.Options{Threads: threads})
}

// sound checks what holds of every set.
func (e *formatter) sound(s *data.Set, of string) {
	row, col, ok := matrix.Finite(s.X)
	e.check(ok, "every value is finite", "%s: row %d, column %d", of, row+1, col+1)
	n := s.Rows()
	for _, found := range []int{len(s.Target.Code), len(s.Target.Number), len(s.Weight)} {
		e.check(found == 0 || found == n, "targets and weights are those of the rows", "%s: found %d of %d rows", of, found, n)
	}
}

// detect asks again, at once and after another file.
func (e *formatter) detect(file []byte) {
	name := "name"
	if w, ok := e.f.(set.Writer); ok {
		name += w.Extensions()[0]
	}
	first, again := e.f.Detect(name, file), e.f.Detect(name, file)
	e.f.Detect("other.csv", []byte("1,2\n"))
	e.check(first != set.NoMatch, "a sound file may be of the format", "found a veto")
	e.check(again == first && e.f.Detect(name, file) == first, "Detect depends on its arguments alone", "found %d, then another answer", first)
}

// arrival reads with several threads, and from readers that give little at once.
func (e *formatter) arrival(file []byte, whole *data.Set) {
	for _, threads := range []int{0, 2, 3} {
		s, err := e.read(threads, file)
		e.check(err == nil && rowsOf(s) == rowsOf(whole), "threads do not matter", "%d threads: error %v", threads, err)
	}
	for name, r := range map[string]io.Reader{"bytes": iotest.OneByteReader(bytes.NewReader(file)), "halves": iotest.HalfReader(bytes.NewReader(file)),
		"the end with the last bytes": iotest.DataErrReader(bytes.NewReader(file))} {
		s, err := e.readFrom(2, r)
		e.check(err == nil && rowsOf(s) == rowsOf(whole), "how the bytes arrive does not matter", "in %s: error %v", name, err)
	}
	s, err := e.readFrom(2, io.MultiReader(bytes.NewReader(file[:len(file)/2]), iotest.ErrReader(io.ErrClosedPipe)))
	e.check(err != nil, "an error of the source is an error", "found %d rows instead", rowCount(s))
}

// several reads the file twice as one set, and before a broken one.
func (e *formatter) several(file []byte, whole *data.Set) {
	s, err := e.read(2, file, file)
	e.check(err == nil && rowsOf(s) == rowsOf(whole)+rowsOf(whole), "inputs are one set, in order", "a file twice: error %v", err)
	_, err = e.read(2, file, file[:len(file)/3])
	e.check(err == nil || strings.Contains(err.Error(), "input 2"), "an error names the input", "a file and a third of it: %v", err)
}

// damage reads the file cut off, and with single bits changed, at many places.
func (e *formatter) damage(file []byte) {
	const places = 200
	step := max(1, len(file)/places)
	for at := 1; at < len(file); at += step {
		flipped := bytes.Clone(file)
		flipped[at] ^= 1 << (at % 8)
		for what, text := range map[string][]byte{"cut off": file[:at], "changed": flipped} {
			s, err := e.read(1, text)
			if err != nil {
				e.check(strings.Contains(err.Error(), "input 1"), "an error names the input", "%s at byte %d: %v", what, at, err)
				e.check(!strings.Contains(err.Error(), "\n"), "an error is one line", "%s at byte %d: %v", what, at, err)
				continue
			}
			e.sound(s, fmt.Sprintf("%s at byte %d", what, at))
		}
	}
}

// written writes a set and reads it again.
func (e *formatter) written(whole *data.Set) {
	w, ok := e.f.(set.Writer)
	if !ok {
		return
	}
	var first, second bytes.Buffer
	err := w.Write(&first, whole)
	e.check(err == nil, "what was read can be written", "%v", err)
	if err != nil {
		return
	}
	again, err := e.read(1, first.Bytes())
	e.check(err == nil && rowsOf(again) == rowsOf(whole) && again.Digest() == whole.Digest(), "what is written is read again as it was",
		"error %v, %q", err, first.Bytes()[:min(first.Len(), 100)])
	err = w.Write(&second, whole)
	e.check(err == nil && bytes.Equal(first.Bytes(), second.Bytes()), "the same set is the same bytes", "error %v", err)
	err = w.Write(failing{}, whole)
	e.check(err != nil, "an error of writing is an error", "found none")
}

// failing is a full disk.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func rowCount(s *data.Set) int {
	if s == nil {
		return 0
	}
	return s.Rows()
}

// rowsOf spells features and targets of all rows: those of one file after
// another's are the spellings one after another.
func rowsOf(s *data.Set) string {
	var text strings.Builder
	for i := range rowCount(s) {
		v := s.X.Row(i)
		for k, x := range v.Value {
			if x != 0 {
				fmt.Fprintf(&text, "%d:%08x ", v.Column(k), math.Float32bits(x))
			}
		}
		if s.Target.Code != nil {
			fmt.Fprintf(&text, "%q ", s.Target.Label[s.Target.Code[i]])
		}
		if s.Target.Number != nil {
			fmt.Fprintf(&text, "%g ", s.Target.Number[i])
		}
		if s.Weight != nil {
			fmt.Fprintf(&text, "weight %g", s.Weight[i])
		}
		text.WriteByte('\n')
	}
	return text.String()
}
