package dataset

import (
	"bytes"
	"context"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
)

// readTarget reads a file with one target a row, for formats without targets.
func readTarget(ctx context.Context, path string, opt *Options, rows int) (Target, error) {
	t := newTargets()
	err := readColumn(ctx, path, opt, rows, func(c *chunk) (*labels, error) {
		l := newLabels(0)
		return l, eachLine(c, func(at int, text []byte) error { return l.add(c, at, text) })
	}, func(l *labels) (int, error) { return len(l.entry), t.take(l) })
	return t.target(), err
}

// readWeights reads a file with one positive number a row; "" gives nil.
func readWeights(ctx context.Context, path string, opt *Options, rows int) ([]float64, error) {
	if path == "" {
		return nil, nil
	}
	var all []float64
	err := readColumn(ctx, path, opt, rows, func(c *chunk) (weights []float64, err error) {
		return weights, eachLine(c, func(at int, text []byte) error {
			weights, err = appendWeight(weights, c, at, text)
			return err
		})
	}, func(w []float64) (int, error) { all = append(all, w...); return len(w), nil })
	return all, err
}

// appendWeight appends the weight found at an offset of c.
func appendWeight(dst []float64, c *chunk, at int, text []byte) ([]float64, error) {
	w, status := decimal.Float64(text)
	if status != decimal.Number || w <= 0 {
		return dst, c.errorf(at, fault.Quote(text), "a positive number as weight")
	}
	return append(dst, w), nil
}

// readColumn reads a file of lines; take returns how many rows it was given.
func readColumn[T any](ctx context.Context, path string, opt *Options, rows int, parse func(*chunk) (T, error), take func(T) (int, error)) error {
	in, err := opt.system().Open(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	found := 0
	err = parseChunks(ctx, newSplitter([]*file.Input{in}, opt.Chunk, lastLine), opt.workers(), parse, func(part T) error {
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
func eachLine(c *chunk, do func(at int, text []byte) error) error {
	for at := 0; at < len(c.text); {
		line := c.text[at : at+bytes.IndexByte(c.text[at:], '\n')]
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
