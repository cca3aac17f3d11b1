package set

import (
	"bytes"
	"context"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
)

// ReadTarget reads a file with one target a row, for formats without targets.
func ReadTarget(ctx context.Context, path string, opt *Options, rows int) (Target, error) {
	t := NewTargets()
	err := readColumn(ctx, path, opt, rows, func(c *lines.Chunk) (*Labels, error) {
		l := NewLabels(0)
		return l, eachLine(c, func(at int, text []byte) error { return l.Add(c, at, text) })
	}, func(l *Labels) (int, error) { return len(l.entry), t.Take(l) })
	return t.Target(), err
}

// ReadWeights reads a file with one number a row, positive or 0; "" gives nil.
func ReadWeights(ctx context.Context, path string, opt *Options, rows int) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	var all []float64
	err := readColumn(ctx, path, opt, rows, func(c *lines.Chunk) (weights []float64, err error) {
		return weights, eachLine(c, func(at int, text []byte) error {
			weights, err = AppendWeight(weights, c, at, text)
			return err
		})
	}, func(w []float64) (int, error) { all = append(all, w...); return len(w), nil })
	return all, err
}

// AppendWeight appends the weight found at an offset of c.
func AppendWeight(dst []float64, c *lines.Chunk, at int, text []byte) ([]float64, error) {
	w, status := decimal.Float64(text)
	if status != decimal.Number || w < 0 {
		return dst, c.Errorf(at, fault.Quote(text), "a positive number as weight")
	}
	return append(dst, w), nil
}

// readColumn reads a file of lines; take returns how many rows it was given.
func readColumn[T any](ctx context.Context, path string, opt *Options, rows int, parse func(*lines.Chunk) (T, error), take func(T) (int, error)) error {
	in, err := opt.System().Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	found := 0
	err = lines.Parse(ctx, lines.NewSplitter([]*file.Input{in}, opt.Chunk, lines.LastLine), opt.Workers(), parse, func(part T) error {
		n, err := take(part)
		found += n
		return err
	})
	if err == nil && found != rows {
		err = fault.In(in.Name, "found %s, expected %d, one for each row of the data", fault.Plural(found, "row", "rows"), rows)
	}
	return err
}

// eachLine calls do for the trimmed text of each line that is not blank.
func eachLine(c *lines.Chunk, do func(at int, text []byte) error) error {
	for at := 0; at < len(c.Text); {
		line := c.Text[at : at+bytes.IndexByte(c.Text[at:], '\n')]
		text := bytes.TrimLeft(line, " \t\r")
		start := at + len(line) - len(text)
		text = bytes.TrimRight(text, " \t\r")
		if len(text) > 0 {
			if err := do(start, text); err != nil {
				return err
			}
		}
		at += len(line) + 1
	}
	return nil
}
