// Package qpfile reads quadratic programs from files: QPS, which is MPS with a quadratic part, in
// fixed columns or free, and NPZ archives of P, q, A, l, u. Begin with [Read].
package qpfile

import (
	"bytes"
	"context"
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/read/array"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/convex"
)

// File is a program as a file has it. Of a maximum the signs of P, q and the constant are turned.
type File struct {
	convex.Program
	Name       string
	Maximize   bool
	Rows, Cols []string // names; nil: the file has none
	Notes      []error  // what was changed to make it a convex quadratic program of this form
}

// Read reads a file, or standard input for "-".
func Read(ctx context.Context, system *file.System, path string) (*File, error) {
	in, err := system.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var f *File
	if head, _ := in.Head(); bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		f, err = readNPZ(ctx, in)
	} else {
		f, err = readQPS(in.Name, in.Reader())
	}
	if err != nil {
		return nil, err
	}
	if err := f.Check(); err != nil {
		return nil, fault.In(in.Name, "%w", err)
	}
	return f, nil
}

// readNPZ reads P, q, A, l, u, lb and ub: all but q may be absent. A matrix is an array of two
// dimensions, or the arrays P_data, P_indices, P_indptr and P_format, csr or csc, of a sparse one.
func readNPZ(ctx context.Context, in *file.Input) (*File, error) {
	arrays, err := array.ReadArrays(ctx, in)
	if err != nil {
		return nil, err
	}
	r := npz{in.Name, arrays}
	if err := r.known(); err != nil {
		return nil, err
	}
	if _, ok := arrays["q"]; !ok {
		return nil, fault.In(in.Name, "found no array %q, expected it", "q")
	}
	q, err := r.list("q", len(arrays["q"].Value))
	if err != nil {
		return nil, err
	}
	n, m := len(q), 0
	for _, name := range []string{"l", "u"} {
		m = max(m, len(arrays[name].Value))
	}
	if a := arrays["A"]; len(a.Shape) == 2 {
		m = int(a.Shape[0])
	}
	f := &File{Program: convex.Program{Q: q}}
	if f.P, err = r.matrix("P", n, n); err != nil {
		return nil, err
	}
	if f.A, err = r.matrix("A", m, n); err != nil {
		return nil, err
	}
	for _, v := range []struct {
		name  string
		into  *[]float64
		count int
	}{{"l", &f.Lower, m}, {"u", &f.Upper, m}, {"lb", &f.Least, n}, {"ub", &f.Most, n}} {
		if *v.into, err = r.list(v.name, v.count); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// npz is an archive that was read.
type npz struct {
	file   string
	arrays map[string]array.Array
}

// known refuses names that mean nothing here: a bound by another name would be left out.
func (r npz) known() error {
	names := map[string]bool{"q": true, "l": true, "u": true, "lb": true, "ub": true, "P": true, "A": true}
	for _, m := range []string{"P", "A"} {
		for _, part := range []string{"data", "indices", "indptr", "format", "shape"} {
			names[m+"_"+part] = true
		}
	}
	for name := range r.arrays {
		if !names[name] {
			return fault.In(r.file, "found an array %q, expected P, q, A, l, u, lb and ub, or P_data, P_indices, P_indptr and P_format of a sparse P, and so of A", name)
		}
	}
	return nil
}

// list is an array of one dimension, of count numbers; nil where it is absent.
func (r npz) list(name string, count int) ([]float64, error) {
	a, ok := r.arrays[name]
	switch {
	case !ok:
		return nil, nil
	case len(a.Shape) != 1:
		return nil, fault.In(r.file, "array %q: found %d dimensions, expected 1", name, len(a.Shape))
	case len(a.Value) != count:
		return nil, fault.In(r.file, "array %q: found %d numbers, expected %d", name, len(a.Value), count)
	}
	return a.Value, nil
}

// matrix is a dense or sparse matrix; nil where it is absent.
func (r npz) matrix(name string, rows, cols int) (m convex.Sparse, err error) {
	a, ok := r.arrays[name]
	if !ok {
		return r.compressed(name, rows, cols)
	}
	if len(a.Shape) != 2 || a.Shape[0] != int64(rows) || a.Shape[1] != int64(cols) {
		return m, fault.In(r.file, "array %q: found shape %v, expected (%d, %d)", name, a.Shape, rows, cols)
	}
	return convex.DenseRows(rows, cols, a.Value), nil
}

// compressed is a sparse matrix.
func (r npz) compressed(name string, rows, cols int) (m convex.Sparse, err error) {
	data, ok := r.arrays[name+"_data"]
	if !ok {
		if name == "A" && rows > 0 {
			return m, fault.In(r.file, "found l or u without A, expected all of them")
		}
		return m, nil
	}
	indices, starts := r.arrays[name+"_indices"].Value, r.arrays[name+"_indptr"].Value
	format := r.arrays[name+"_format"].Text
	switch format {
	case "csr":
	case "csc":
		rows, cols = cols, rows
	default:
		return m, fault.In(r.file, "array %q: found %q, expected csr or csc", name+"_format", format)
	}
	if m, err = Compressed(rows, cols, starts, indices, data.Value); err != nil {
		return m, fault.In(r.file, "%s: %w", name, err)
	}
	if format == "csc" {
		m = m.Turned()
	}
	return m, nil
}

// Compressed makes a matrix of the arrays of a sparse one; numbers of the same row and column are added up.
func Compressed[I, J int64 | uint32 | float64](rows, cols int, starts []I, indices []J, values []float64) (m convex.Sparse, err error) {
	if len(starts) != rows+1 || len(indices) != len(values) || starts[0] != 0 || float64(starts[rows]) != float64(len(values)) {
		return m, fmt.Errorf("found %d values, %d indices and %d starts, expected as many indices as values, and %d starts from 0 to that", len(values), len(indices), len(starts), rows+1)
	}
	entries := make([]convex.Entry, 0, len(values))
	for i := range rows {
		lo, hi := float64(starts[i]), float64(starts[i+1])
		if !(lo >= 0 && lo <= hi && hi <= float64(len(values))) {
			return m, fmt.Errorf("found starts %v and %v, expected numbers that do not fall", starts[i], starts[i+1])
		}
		for k := int(lo); k < int(hi); k++ {
			j := int(indices[k])
			if j < 0 || j >= cols || float64(j) != float64(indices[k]) {
				return m, fmt.Errorf("found index %v, expected a whole number below %d", indices[k], cols)
			}
			entries = append(entries, convex.Entry{Row: i, Col: j, Value: values[k]})
		}
	}
	return convex.NewSparse(rows, cols, entries), nil
}
