// Package parquet reads Parquet files: importing it registers the format "parquet" with package data.
//
//	import _ "github.com/fenchel-ml/fenchel/data/parquet"
//
// It is a package of its own because the library below it makes a program larger by some megabytes. A Parquet file is a table as a
// CSV is, and makes the same model: numbers, decimals, texts, dates, times and booleans are what their text is in a CSV,
// nulls and NaN are missing values, and a list of numbers of which all rows have as many is a column for each, NAME_0, NAME_1 and so
// on. Vectors that Spark writes are rows of such columns, sparse and dense ones; they stay sparse, and are taken as they are, as LIBSVM
// text is. Columns that are not used are not read. Other lists, maps and structures are refused, unless they are ignored.
// Rows, not lines, are what messages count.
package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/table"
)

func init() {
	set.Register("parquet", "table of columns, as pandas, polars, Spark and DuckDB write them", reader{})
}

type reader struct{}

var _ set.Format = reader{}

func (reader) Takes() []string {
	return []string{"target", "weights", "ignore", "categorical", "numeric", "text", "id", "missing", "dates", "skip-unlabelled"}
}

func (reader) Detect(name string, head []byte) set.Match {
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")), bytes.HasPrefix(head, []byte("PARE")):
		return set.MatchMagic
	case set.HasExtension(name, ".parquet") && bytes.IndexByte(head, 0) >= 0:
		return set.MatchExtension
	}
	return set.NoMatch
}

func (reader) Read(ctx context.Context, in []*file.Input, opt *set.Options) (s *set.Set, err error) {
	all := &source{ctx: ctx, workers: opt.Workers()}
	defer all.close()
	for _, i := range in {
		err := guard(i.Name, func() error { return all.add(i) })
		if err != nil {
			return nil, err
		}
	}
	var c table.Columnar
	if err := guard(in[0].Name, func() (err error) { c, err = all.table(); return err }); err != nil {
		return nil, err
	}
	return table.ReadColumns(ctx, in, opt, c)
}

// guard makes one line of all that goes wrong in a file: the library panics at some damages.
func guard(name string, do func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.In(name, "Parquet: found damaged data (%s)", oneLine(fmt.Sprint(r)))
		}
	}()
	if err = do(); err == nil {
		return nil
	}
	if e := (*fault.ReadError)(nil); errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.In(name, "Parquet: %s", oneLine(err.Error()))
}

// oneLine is a text of which messages have the beginning.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	return text[:min(len(text), 300)]
}

// A source is the files of a set.
type source struct {
	ctx     context.Context
	workers int
	files   []*opened
}

// An opened is one file.
type opened struct {
	name    string
	file    *parquet.File
	size    int64
	columns []*column
	closer  io.Closer
}

// add opens a file; what is packed or comes through a pipe is held in memory.
func (s *source) add(in *file.Input) error {
	o := &opened{name: in.Name}
	var r io.ReaderAt
	if in.Path != "" && in.Size > 0 {
		f, err := os.Open(in.Path)
		if err != nil {
			return fault.Renamed(in.Name, err)
		}
		r, o.size, o.closer = f, in.Size, f
	} else {
		data, err := io.ReadAll(in.Reader())
		if err != nil {
			return err
		}
		r, o.size = bytes.NewReader(data), int64(len(data))
	}
	s.files = append(s.files, o)
	if err := checkFooter(r, o.size); err != nil {
		return err
	}
	f, err := parquet.OpenFile(r, o.size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(64<<10))
	if err != nil {
		return err
	}
	o.file = f
	o.columns, err = columnsOf(f)
	return err
}

func (s *source) close() {
	for _, o := range s.files {
		if o.closer != nil {
			o.closer.Close()
		}
	}
}

// table says what the columns are, by the first file that has rows.
func (s *source) table() (c table.Columnar, err error) {
	first := s.files[0]
	for _, o := range s.files {
		if o.file.NumRows() > 0 {
			first = o
			break
		}
	}
	if c.First, err = first.firstRows(s.ctx); err != nil {
		return c, err
	}
	for _, col := range first.columns {
		if col.parts != nil && col.refused == "" {
			c.Sizes = append(c.Sizes, col.length)
		} else {
			c.Sizes = append(c.Sizes, make([]int, len(col.names()))...)
		}
		c.Names = append(c.Names, col.names()...)
		for range col.names() {
			c.Unnamed = append(c.Unnamed, strings.HasPrefix(col.name, "__index_level_") && strings.HasSuffix(col.name, "__"))
		}
	}
	if twice := repeated(c.Names); twice != "" {
		return c, fmt.Errorf("found two columns named %q, expected different names", twice)
	}
	for _, o := range s.files {
		for k, col := range o.columns {
			if col.length == 0 && k < len(first.columns) {
				col.length = first.columns[k].length
			}
		}
		same := func(a, b *column) bool {
			return a.name == b.name && a.list == b.list && (a.parts == nil) == (b.parts == nil)
		}
		if !slices.EqualFunc(o.columns, first.columns, same) {
			return c, fault.In(o.name, "found other columns, expected those of %s", first.name)
		}
	}
	c.Open = s.open
	return c, nil
}

func repeated(names []string) string {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

// firstRows decodes the first page of each column.
func (o *opened) firstRows(ctx context.Context) (*table.Frame, error) {
	f := &table.Frame{Name: o.name, Rows: 100}
	groups := o.file.RowGroups()
	group := slices.IndexFunc(groups, func(g parquet.RowGroup) bool { return g.NumRows() > 0 })
	if group < 0 {
		f.Rows = 0
	}
	for _, c := range o.columns {
		var all []*decoded
		rows := f.Rows
		for _, leaf := range c.leaves() {
			if group < 0 || c.refused != "" {
				break
			}
			d, err := leaf.decode(ctx, o, group, true)
			if err != nil {
				return nil, err
			}
			rows, all = min(rows, d.rows), append(all, d)
		}
		if c.parts != nil && all != nil {
			c.measure(newVectors(c, all), rows)
		}
		if all == nil || c.refused != "" {
			f.Columns = append(f.Columns, make([]table.Values, len(c.names()))...)
			continue
		}
		f.Rows, f.Columns = rows, append(f.Columns, c.values(all)...)
	}
	return f, nil
}

// open returns a function that reads the next row group of the files, in order; its wanted columns are decoded in parallel.
func (s *source) open(wanted []bool) func() (*table.Frame, error) {
	at, group, before := 0, 0, 0
	return func() (f *table.Frame, err error) {
		for at < len(s.files) && group == len(s.files[at].file.RowGroups()) {
			at, group, before = at+1, 0, 0
		}
		if at == len(s.files) {
			return nil, io.EOF
		}
		o := s.files[at]
		f, err = s.decode(o, group, wanted)
		if err != nil {
			return nil, err
		}
		f.Before = before
		before += f.Rows
		group++
		return f, nil
	}
}

func (s *source) decode(o *opened, group int, wanted []bool) (*table.Frame, error) {
	rows := o.file.RowGroups()[group]
	f := &table.Frame{Name: o.name, Rows: int(rows.NumRows()), Columns: make([]table.Values, len(wanted))}
	if int64(f.Rows) != rows.NumRows() || f.Rows < 0 {
		return nil, fault.In(o.name, "Parquet: found %d rows in a group", rows.NumRows())
	}
	var used, leaves []*column
	var place []int
	for at, k := 0, 0; k < len(o.columns); k++ {
		c := o.columns[k]
		n := len(c.names())
		if slices.Contains(wanted[at:at+n], true) {
			if c.refused != "" {
				return nil, fault.In(o.name, "column %q: found %s, expected numbers, texts, dates, true and false, vectors of Spark, or a list of as many numbers in each row ('ignore' leaves it out)", c.name, c.refused)
			}
			used, place, leaves = append(used, c), append(place, at), append(leaves, c.leaves()...)
		}
		at += n
	}
	found := make([]*decoded, len(leaves))
	err := lines.Each(s.ctx, s.workers, len(leaves), func(i int) error {
		return guard(o.name, func() (err error) {
			if found[i], err = leaves[i].decode(s.ctx, o, group, false); err == nil && found[i].rows != f.Rows {
				err = fmt.Errorf("column %q: found %d rows in a group of %d", leaves[i].name, found[i].rows, f.Rows)
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for k, c := range used {
		n := len(c.leaves())
		copy(f.Columns[place[k]:], c.values(found[:n]))
		found = found[n:]
	}
	return f, nil
}
