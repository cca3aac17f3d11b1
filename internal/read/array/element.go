// Package array reads and writes binary arrays of numbers: NPY, NPZ with dense or sparse
// arrays, and IDX. Rows are mapped where the file has them as they are needed.
//
// It imports set, the rooms below it, and stream. Begin with readNPY, then arrayRows: what gathers
// the rows of files.
package array

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// What the binary array formats (IDX, NPY, NPZ) share: numbers of several
// types read in pieces, rows gathered into a matrix, numbers made targets.

// An Element is one type of number in a binary array.
type Element struct {
	Name  string
	Size  int
	whole bool // integers and truth values
	get   func(raw []byte) float64

	foreign bool // the bytes are not in the order of this machine
}

// elements by kind and size in bytes, as NPY names them. int64 and uint64
// beyond 2^53 are rounded.
func ElementOf(kind byte, size int, order binary.ByteOrder) (Element, bool) {
	e := Element{Name: fmt.Sprintf("%c%d", kind, size), Size: size, whole: kind != 'f'}
	e.foreign = size > 1 && (order.Uint16([]byte{1, 0}) == 1) != memory.LittleEndian
	switch e.Name {
	case "b1":
		e.get = func(raw []byte) float64 { return float64(min(raw[0], 1)) }
	case "u1":
		e.get = func(raw []byte) float64 { return float64(raw[0]) }
	case "u2":
		e.get = func(raw []byte) float64 { return float64(order.Uint16(raw)) }
	case "u4":
		e.get = func(raw []byte) float64 { return float64(order.Uint32(raw)) }
	case "u8":
		e.get = func(raw []byte) float64 { return float64(order.Uint64(raw)) }
	case "i1":
		e.get = func(raw []byte) float64 { return float64(int8(raw[0])) }
	case "i2":
		e.get = func(raw []byte) float64 { return float64(int16(order.Uint16(raw))) }
	case "i4":
		e.get = func(raw []byte) float64 { return float64(int32(order.Uint32(raw))) }
	case "i8":
		e.get = func(raw []byte) float64 { return float64(int64(order.Uint64(raw))) }
	case "f2":
		e.get = func(raw []byte) float64 { return halfFloat(order.Uint16(raw)) }
	case "f4":
		e.get = func(raw []byte) float64 { return float64(math.Float32frombits(order.Uint32(raw))) }
	case "f8":
		e.get = func(raw []byte) float64 { return math.Float64frombits(order.Uint64(raw)) }
	}
	return e, e.get != nil
}

// halfFloat decodes IEEE half precision: 1 sign, 5 exponent, 10 fraction bits.
func halfFloat(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if bits>>15 == 1 {
		return -v
	}
	return v
}

// pieceSize is how many bytes are read at a time: what a header claims costs
// no memory, only what is really there does.
const pieceSize = 64 << 10

// eachPiece reads count items of size bytes and hands them on in pieces,
// with the place of the piece's first item. name is that of the source.
func eachPiece(ctx context.Context, r io.Reader, name string, size int, count int64, do func(first int64, raw []byte) error) error {
	per := max(pieceSize/size, 1)
	var buf []byte
	for at := int64(0); at < count; at += int64(per) {
		if err := ctx.Err(); err != nil {
			return err
		}
		want := int(min(int64(per), count-at)) * size
		var n int
		var err error
		if buf, n, err = fill64K(r, buf[:0], want); err != nil {
			if err := do(at, buf[:n-n%size]); err != nil { // items that are whole come before the error
				return err
			}
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return fewBytes(name, at*int64(size)+int64(n), count*int64(size))
			}
			return err
		}
		if err := do(at, buf); err != nil {
			return err
		}
	}
	return nil
}

// fill64K appends want bytes to dst, growing it no further ahead of the data
// than a piece, since an item of text may claim any size.
func fill64K(r io.Reader, dst []byte, want int) ([]byte, int, error) {
	for len(dst) < want {
		have, more := len(dst), min(want-len(dst), pieceSize)
		if cap(dst) < have+more {
			dst = append(dst, make([]byte, more)...)
		}
		dst = dst[:have+more]
		if n, err := io.ReadFull(r, dst[have:]); err != nil {
			return dst, have + n, err
		}
	}
	return dst, len(dst), nil
}

// eachNumber is eachPiece for numbers.
func eachNumber(ctx context.Context, r io.Reader, name string, e Element, count int64, do func(k int64, v float64) error) error {
	return eachPiece(ctx, r, name, e.Size, count, func(first int64, raw []byte) error {
		for k := first; len(raw) > 0; k++ {
			if err := do(k, e.get(raw)); err != nil {
				return err
			}
			raw = raw[e.Size:]
		}
		return nil
	})
}

// noMore checks that the data end here.
func noMore(r io.Reader, name string) error {
	var one [1]byte
	n, err := io.ReadFull(r, one[:])
	if n > 0 {
		return moreBytes(name)
	}
	if err == io.EOF {
		return nil
	}
	return err
}

func moreBytes(name string) error {
	return fault.In(name, "found bytes after the last value, expected the end")
}

// single rounds to single precision, and refuses what is not finite then.
// Places count from 1, as elsewhere in messages.
func single(v float64, name string, row, col int64) (float32, error) {
	x := float32(v)
	if math.IsNaN(v) || math.IsInf(float64(x), 0) {
		return 0, fault.In(name, "row %d, column %d: found %v, expected a finite number of magnitude below 3.4e38", row+1, col+1, v)
	}
	return x + 0, nil // + 0: no negative zero
}
