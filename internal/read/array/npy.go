package array

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func init() {
	set.Register("npy", "NumPy array of rows and columns; target in the last column or in the file of labels", npy{})
}

// npy is the format of numpy.save: one array of n rows and d columns, of
// truth values, integers or floating-point numbers.
//
// The target is the column that the options name by its position, or else the
// column that a model's schema names, or else the last column; there is none if the
// targets are in a file of their own, or if the data come to a model that knows
// as many features as there are columns, or targets do not matter. A target that is not the last column
// gives the set a schema, as a table has, so that a model remembers its place.
//
// A file is gone over twice, in parallel: to check all values and count the nonzeros,
// and to put them where they belong, in memory allocated once. Little-endian float32
// rows without a target among them, of which half or more of the values are nonzero,
// are mapped instead, as a cache is: such a file must not be changed while it is in use.
//
// The header is read by our own parser (npyheader.go): the known library,
// npyio, is quiet since 2022, brings gonum along, and was ten times slower.
type npy struct{}

var _ set.Format = npy{}

func (npy) Takes() []string { return []string{"target", "weights", "labels"} }

func (npy) Detect(name string, head []byte) set.Match {
	if bytes.HasPrefix(head, []byte(npyMagic)) {
		return set.MatchMagic
	}
	return set.NoMatch
}

func (npy) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	all := &arrayRows{opt: opt}
	for _, i := range in {
		if err := all.readNPY(ctx, i); err != nil {
			return nil, err
		}
	}
	return all.set(ctx)
}

func (a *arrayRows) readNPY(ctx context.Context, in *file.Input) error {
	h, rows, cols, target, features, err := readTable(in, a.opt)
	if err != nil {
		return err
	}
	if err := a.begin(in.Name, rows, features); err != nil {
		return err
	}
	from, err := openArray(ctx, in, h.length, rows*cols*int64(h.element.Size))
	if err != nil {
		return err
	}
	p := newArrayPart(in.Name, from, h.element, 1, rows, cols, target, h.fortran)
	if a.opt.Observed && !h.element.whole {
		var gaps []set.Gap
		if p, gaps, err = p.filled(ctx, int(a.count())); err != nil {
			return err
		}
		a.gaps = append(a.gaps, gaps...)
	}
	a.target = target
	if err := a.add(ctx, p); err != nil {
		return err
	}
	if target < 0 {
		return a.Take(in.Name, nil)
	}
	if a.opt.Schema == nil && target != cols-1 {
		a.schema = set.Positions(int(cols), int(target))
	}
	t := set.NumberTarget(p.targets)
	return a.Take(in.Name, &t)
}

// readTable reads the header of an array that is to be rows: how many rows and columns there are, which of these
// has the targets, -1 for none, and how many the others are.
func readTable(in *file.Input, opt *set.Options) (h npyHeader, rows, cols, target, features int64, err error) {
	if h, err = ReadHeader(in.Reader(), in.Name); err == nil {
		rows, cols, err = h.table(in.Name)
	}
	if err == nil {
		target, err = TargetColumn(opt, in.Name, cols)
	}
	if features = cols; target >= 0 {
		features = max(features-1, 0)
	}
	return h, rows, cols, target, features, err
}

// TargetColumn returns the place of the target, -1 for none.
func TargetColumn(opt *set.Options, name string, cols int64) (int64, error) {
	if opt.Target != "" && opt.Labels == "" {
		at, err := strconv.ParseInt(opt.Target, 10, 64)
		if err != nil || at < 1 || at > cols {
			return 0, fault.In(name, "target %q: expected the position of a column, from 1 to %d", opt.Target, cols)
		}
		return at - 1, nil
	}
	s, features := opt.Schema, int64(opt.Columns) // of the model, if there is one
	if s != nil {
		features = int64(s.Width())
	}
	switch {
	case opt.Labels != "", cols == features, opt.Unlabelled && features == 0:
		return -1, nil
	case s != nil && s.Target >= 0 && int64(len(s.Columns)) == cols && features == cols-1:
		return int64(s.Target), nil
	case features > 0 && features != cols-1:
		return 0, fault.NotFeatures(name, cols, features)
	}
	return cols - 1, nil
}

// table returns the size of an array that is to be rows of numbers.
func (h npyHeader) table(name string) (rows, cols int64, err error) {
	if h.text != 0 {
		return 0, 0, fault.In(name, "found text (dtype %q), expected numbers", h.descr)
	}
	if len(h.Shape) != 2 {
		return 0, 0, fault.In(name, "found shape %s, expected 2 dimensions: rows and columns", h.shapeText())
	}
	return h.Shape[0], h.Shape[1], nil
}

// ReadTable gives the rows to do, without the target column, whose values are
// returned; target is -1 when there is none. Of an array that is stored column after column all
// is read before the first row is known.
func (h npyHeader) ReadTable(ctx context.Context, r io.Reader, name string, rows, cols, target int64, moves []set.Column, do func([]float32)) (values []float64, err error) {
	if target < 0 && !h.fortran {
		return nil, eachRow(ctx, r, name, h.element, rows, cols, 1, moves, do)
	}
	p := arrayPart{target: target}
	var all []float32 // of a row, or of all columns
	err = eachNumber(ctx, r, name, h.element, rows*cols, func(k int64, v float64) (err error) {
		i, j := k/cols, k%cols
		if h.fortran {
			i, j = k%rows, k/rows
		}
		if j == target {
			values, err = append(values, v), checkTarget(v, h.element, name, i)
		} else {
			if moves != nil {
				v = moves[p.featureOf(j)].Stored(v)
			}
			var x float32
			x, err = single(v, name, i, j)
			all = append(all, x)
		}
		if !h.fortran && j == cols-1 && err == nil {
			do(all)
			all = all[:0]
		}
		return err
	})
	if err != nil || !h.fortran {
		return values, err
	}
	row := make([]float32, int64(len(all))/rows)
	for i := range rows {
		for j := range row {
			row[j] = all[int64(j)*rows+i]
		}
		do(row)
	}
	return values, nil
}

// npyLabels reads an array of one target a row: numbers or text, of one
// dimension or with one column, or one row.
func npyLabels(ctx context.Context, name string, r io.Reader) (set.Target, error) {
	h, err := ReadHeader(r, name)
	if err != nil {
		return set.Target{}, err
	}
	rows, err := h.targetRows(name)
	if err != nil {
		return set.Target{}, err
	}
	t, err := h.readTarget(ctx, r, name, rows)
	if err == nil {
		err = noMore(r, name)
	}
	return t, err
}

// readTarget reads the values of an array of targets.
func (h npyHeader) readTarget(ctx context.Context, r io.Reader, name string, rows int64) (set.Target, error) {
	if columns := h.several(); columns > 0 {
		return h.readColumns(ctx, r, name, rows, columns)
	}
	if h.text == 0 {
		values, err := readTargets(ctx, r, name, h.element, rows)
		if err != nil {
			return set.Target{}, err
		}
		return set.NumberTarget(values), nil
	}
	text, err := h.readText(ctx, r, name, rows)
	if err != nil {
		return set.Target{}, err
	}
	return set.TextTarget(name, text)
}

// several returns how many columns an array of numbers has that are several targets; 0: it is none.
func (h npyHeader) several() int64 {
	if h.text == 0 && len(h.Shape) == 2 && h.Shape[1] > 1 {
		return h.Shape[1]
	}
	return 0
}

// targetRows is column for targets, of which there may be several a row.
func (h npyHeader) targetRows(name string) (int64, error) {
	if h.several() > 0 {
		return h.Shape[0], nil
	}
	return h.column(name)
}

// readColumns reads the numbers of several targets.
func (h npyHeader) readColumns(ctx context.Context, r io.Reader, name string, rows, columns int64) (set.Target, error) {
	if columns > set.MaxLabels {
		return set.Target{}, fault.In(name, "found %d targets a row, expected at most %d", columns, set.MaxLabels)
	}
	all := make([][]float64, columns) // they grow with the data: rows and columns are only what the header says
	err := eachNumber(ctx, r, name, h.element, rows*columns, func(k int64, v float64) error {
		i, c := k/columns, k%columns
		if h.fortran {
			i, c = k%rows, k/rows
		}
		all[c] = append(all[c], v)
		return checkTarget(v, h.element, name, i)
	})
	if err != nil {
		return set.Target{}, err
	}
	return set.ColumnsTarget(set.TargetNames(int(columns)), all), nil
}

// column returns the length of an array of one dimension; a second one of
// size 1 is allowed.
func (h npyHeader) column(name string) (int64, error) {
	if len(h.Shape) == 1 || len(h.Shape) == 2 && h.Shape[1] == 1 {
		return h.Shape[0], nil
	}
	return 0, fault.In(name, "found shape %s, expected 1 dimension: one value a row", h.shapeText())
}

// readText reads strings of a fixed size: NumPy pads them with zeros.
func (h npyHeader) readText(ctx context.Context, r io.Reader, name string, count int64) (text []string, err error) {
	err = eachPiece(ctx, r, name, h.element.Size, count, func(first int64, raw []byte) error {
		for k := first; len(raw) > 0; k++ {
			s, ok := h.decodeText(raw[:h.element.Size])
			if !ok {
				return fault.In(name, "row %d: found bytes that are not Unicode, expected text", k+1)
			}
			text = append(text, s)
			raw = raw[h.element.Size:]
		}
		return nil
	})
	return text, err
}

// decodeText decodes one string of 1-byte (S) or 4-byte (U) characters.
func (h npyHeader) decodeText(raw []byte) (string, bool) {
	if h.text == 'S' {
		raw = bytes.TrimRight(raw, "\x00")
		return string(raw), utf8.Valid(raw)
	}
	var b strings.Builder
	zeros := 0
	for ; len(raw) > 0; raw = raw[4:] {
		c := h.order.Uint32(raw)
		if c == 0 {
			zeros++
			continue
		}
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			return "", false
		}
		for ; zeros > 0; zeros-- { // they were inside the text
			b.WriteByte(0)
		}
		b.WriteRune(rune(c))
	}
	return b.String(), true
}
