package table

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/stream"
)

func init() {
	set.Register("json", "table: an object in each line, or an array of objects", objects{})
}

// objects reads tables of JSON: an object for each row, one in each line, one after another or all in an array.
// The columns are the keys of all of them, in the order in which they come first. A value is what the
// same text is in a CSV, with quotes or without; null, and a key that a row does not have, is a missing value.
// Arrays and objects as values are refused. A model takes the columns that it knows.
type objects struct{}

var (
	_ set.Format      = objects{}
	_ set.LineFormat  = objects{}
	_ stream.Streamer = objects{}
	_ rowReader       = objectRows{}
)

func (objects) Takes() []string {
	return []string{"target", "weights", "ignore", "categorical", "numeric", "text", "id", "missing", "dates", "skip-unlabelled"}
}

func (objects) Detect(name string, head []byte) set.Match {
	text := bytes.TrimLeft(head, jsonBlanks)
	array := len(text) > 0 && text[0] == '['
	if array {
		text = bytes.TrimLeft(text[1:], jsonBlanks)
	}
	if len(text) == 0 || text[0] != '{' {
		if array && len(text) > 0 && text[0] == ']' && set.HasExtension(name, ".json") {
			return set.MatchExtension
		}
		return set.NoMatch
	}
	if text = bytes.TrimLeft(text[1:], jsonBlanks); len(text) > 0 && (text[0] == '"' || text[0] == '}') {
		return set.MatchMagic
	}
	return set.NoMatch
}

// Begin decides on nothing: each line has its names.
func (objects) Begin(pending []byte, opt *set.Options) (header int, last func([]byte) int, ok bool) {
	if opt.Schema == nil || !(objectRows{}).rowsAreLines(pending) {
		return 0, nil, false
	}
	return 0, lines.LastLine, true
}

func (f objects) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	t, err := f.open(in, opt)
	if err != nil {
		return nil, err
	}
	return t.readObjects(ctx, opt)
}

// readObjects reads the rows again if it fails, and they have keys that the first ones do not have.
func (t *table) readObjects(ctx context.Context, opt *set.Options) (*set.Set, error) {
	for _, in := range t.in {
		if err := in.Hold(); err != nil {
			return nil, err
		}
	}
	unread := *t
	s, err := t.read(ctx, opt)
	if err == nil || ctx.Err() != nil {
		return s, err
	}
	switch keys, wrong := unread.keys(ctx, opt); {
	case wrong != nil && errors.Is(err, errUnseen):
		return nil, wrong
	case wrong != nil || !unread.setColumns(keys, opt):
		return nil, err
	}
	return unread.read(ctx, opt)
}

func (f objects) Stream(ctx context.Context, in []*file.Input, opt *set.Options, b *stream.Blocks) error {
	t, err := f.open(in, opt)
	if err != nil {
		return err
	}
	return t.stream(ctx, opt, b, t.rows.(objectRows).first)
}

// open finds out what is around the objects, and the keys of the first of them.
func (objects) open(in []*file.Input, opt *set.Options) (*table, error) {
	t := &table{in: in, header: true}
	var keys keySet
	for k, i := range in {
		head, err := firstObject(i)
		if err != nil {
			return nil, err
		}
		r := objectRows{}
		if blank := len(head) - len(bytes.TrimLeft(head, jsonBlanks)); head[blank] == '[' {
			r.array = true
			i.Line += bytes.Count(head[:blank], []byte{'\n'})
			i.Column = blank + 1 - lines.LastLine(head[:blank])
			i.Discard(blank + 1)
			head = head[blank+1:]
		}
		r.alone = !r.array && r.rowsAreLines(head)
		if before, ok := t.rows.(objectRows); ok && (before.array != r.array || before.alone != r.alone) {
			return nil, fault.In(i.Name, "found objects in another layout (a line each, an array, or one after another), expected that of %s", in[0].Name)
		}
		i.Mark()
		c := &lines.Chunk{Name: i.Name, Line: i.Line + 1, Column: i.Column, Text: head}
		if k == 0 {
			if r.sampled, err = r.sample(c, &keys); err != nil {
				return nil, err
			}
			t.rows = r
		} else if _, err = r.sample(c, &keys); err != nil {
			return nil, err
		}
	}
	t.setColumns(keys, opt)
	return t, nil
}

// firstObject looks at the first object, through ever wider windows, and at what else is in them.
func firstObject(in *file.Input) ([]byte, error) {
	for size := file.HeadSize; ; size *= 2 {
		in.R = bufio.NewReaderSize(in.Reader(), size)
		head, err := in.Reader().Peek(size)
		text := bytes.TrimLeft(head, jsonBlanks)
		array := bytes.HasPrefix(text, []byte("["))
		switch {
		case err == io.EOF && len(text) > 0:
			return append(slices.Clone(head), '\n'), nil
		case err == nil && objectEnds(bytes.TrimPrefix(text, []byte("[")), array) > 0:
			return slices.Clone(head), nil
		case err != nil:
			return nil, noRows(in, err)
		case size > lines.MaxRecord:
			return nil, fault.At(in.Name, in.Line+1, 0, "found no end of an object in %d bytes, expected one", size)
		}
	}
}

// setColumns makes columns of the keys: where a model says them, of these and others; it reports whether there are more than before.
func (t *table) setColumns(keys keySet, opt *set.Options) (more bool) {
	r := t.rows.(objectRows)
	if s := opt.Schema; s != nil {
		all := keySet{}
		for i, c := range s.Columns {
			if i != s.Weight || keys.has(c.Name) {
				all.add([]byte(c.Name))
			}
		}
		for _, name := range keys.names {
			all.add([]byte(name))
		}
		keys = all
		r.known = make([]bool, len(keys.names))
		for i, c := range s.Columns {
			if !s.Answers(i) && c.Kind != set.KindIgnored {
				r.known[keys.column[c.Name]] = true
			}
		}
	}
	more = len(keys.names) > len(t.names)
	t.names, r.keys = keys.names, keys
	var header []field
	for _, name := range keys.names {
		header = append(header, field{text: []byte(name)})
	}
	r.first = nil
	for _, row := range r.sampled {
		fields := r.absent(nil, 0)
		for _, f := range row {
			column := keys.column[f.key]
			fields[column], fields[column].column = f.field, column
		}
		r.first = append(r.first, fields)
	}
	t.kinds = firstKinds(header, r.first, true)
	t.rows = r
	return more
}

// keys reads all rows for their keys.
func (t *table) keys(ctx context.Context, opt *set.Options) (all keySet, err error) {
	t.rewind()
	rows, fields := 0, 0
	type found struct {
		keys         keySet
		rows, fields int
	}
	r := t.rows.(objectRows)
	err = lines.Parse(ctx, lines.NewSplitter(t.in, opt.Chunk, r.last), opt.Workers(), func(c *lines.Chunk) (f found, err error) {
		for at := 0; at < len(c.Text) && err == nil; {
			next, kind := r.begin(c, at)
			if kind == recordRow {
				f.rows++
				next, err = r.object(c, next, func(key []byte, _ field) error {
					f.fields++
					f.keys.add(key)
					return nil
				})
			}
			at = next
		}
		return f, err
	}, func(f found) error {
		rows, fields = rows+f.rows, fields+f.fields
		for _, key := range f.keys.names {
			all.add([]byte(key))
		}
		if tooFew(rows, len(all.names), fields) {
			return fault.In(t.in[0].Name, "%w", errTooFew)
		}
		return nil
	})
	t.rewind()
	return all, err
}

// rewind goes back to the first rows.
func (t *table) rewind() {
	for _, in := range t.in {
		in.Rewind()
	}
}
