package array

import (
	"archive/zip"
	"context"
	"io"
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// Array is an array of numbers in double precision, row after row, or a single string.
type Array struct {
	Shape []int64
	Value []float64
	Text  string
}

// ReadArrays reads all arrays of an archive, by their names.
func ReadArrays(ctx context.Context, in *file.Input) (map[string]Array, error) {
	z, giveBack, err := openArchive(ctx, in)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	all := map[string]Array{}
	for name := range z.files {
		if err := z.open(name, func(h npyHeader, r io.Reader, in string) (err error) {
			all[name], err = z.array(h, r, in)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// array reads the numbers of one.
func (z *archive) array(h npyHeader, r io.Reader, name string) (a Array, err error) {
	a.Shape = h.Shape
	if h.text != 0 {
		if len(h.Shape) != 0 {
			return a, fault.In(name, "found text (dtype %q) of shape %s, expected numbers or one string", h.descr, h.shapeText())
		}
		text, err := h.readText(z.ctx, r, name, 1)
		if err == nil {
			a.Text = text[0]
		}
		return a, err
	}
	count, ok := memory.Product(1, h.Shape)
	if !ok {
		return a, fault.In(name, "found shape %s, expected fewer numbers", h.shapeText())
	}
	err = eachNumber(z.ctx, r, name, h.element, count, func(_ int64, v float64) error {
		a.Value = append(a.Value, v)
		return nil
	})
	if h.fortran && len(h.Shape) == 2 && err == nil {
		turned := make([]float64, 0, len(a.Value))
		for i := range h.Shape[0] {
			for j := range h.Shape[1] {
				turned = append(turned, a.Value[j*h.Shape[0]+i])
			}
		}
		a.Value = turned
	}
	return a, err
}

// Named is an array of one dimension to write.
type Named struct {
	Name  string
	Value []float64
}

// WriteArrays writes an archive of arrays.
func WriteArrays(w io.Writer, arrays []Named) error {
	a := &npzWriter{zip: zip.NewWriter(w)}
	for _, n := range arrays {
		a.begin(n.Name, "<f8", len(n.Value))
		for _, v := range n.Value {
			a.word64(math.Float64bits(v))
		}
	}
	a.end()
	if a.err == nil {
		a.err = a.zip.Close()
	}
	return a.err
}
