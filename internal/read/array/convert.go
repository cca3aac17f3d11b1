package array

import (
	"encoding/binary"
	"unsafe"
)

// converter returns what divides numbers by scale and rounds them to single
// precision, as single does, but for values that are not finite, which stay so. The
// bytes are aligned as the numbers should be.
func (e Element) converter(scale float64) func(dst []float32, raw []byte) {
	switch {
	case e.Name == "u1":
		return tableOf(scale)
	case scale != 1 || e.foreign:
		break
	case e.Name == "f4":
		return func(dst []float32, raw []byte) {
			for k, v := range numbersIn[float32](raw, len(dst)) {
				dst[k] = v + 0 // no negative zero
			}
		}
	case e.Name == "f8":
		return rounded[float64]
	case e.Name == "i1":
		return rounded[int8]
	case e.Name == "i2":
		return rounded[int16]
	case e.Name == "i4":
		return rounded[int32]
	case e.Name == "i8":
		return rounded[int64]
	case e.Name == "u2":
		return rounded[uint16]
	case e.Name == "u4":
		return rounded[uint32]
	case e.Name == "u8":
		return rounded[uint64]
	}
	return func(dst []float32, raw []byte) {
		for k := range dst {
			dst[k] = float32(e.get(raw[k*e.Size:])/scale) + 0
		}
	}
}

// tableOf is the converter of bytes.
func tableOf(scale float64) func(dst []float32, raw []byte) {
	table := new([256]float32)
	for i := range table {
		table[i] = float32(float64(i) / scale)
	}
	return func(dst []float32, raw []byte) {
		raw = raw[:len(dst)]
		for k := range dst {
			dst[k] = table[raw[k]]
		}
	}
}

func rounded[T int8 | int16 | int32 | int64 | uint16 | uint32 | uint64 | float64](dst []float32, raw []byte) {
	for k, v := range numbersIn[T](raw, len(dst)) {
		dst[k] = float32(float64(v)) + 0
	}
}

// numbersIn is bytes as so many numbers.
func numbersIn[T any](raw []byte, count int) []T {
	var zero T
	_ = raw[:count*int(unsafe.Sizeof(zero))]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), count)
}

// swapBytes turns round the bytes of numbers of a size.
func swapBytes(raw []byte, size int) {
	order := binary.BigEndian
	for ; len(raw) > 0; raw = raw[size:] {
		switch size {
		case 2:
			order.PutUint16(raw, binary.LittleEndian.Uint16(raw))
		case 4:
			order.PutUint32(raw, binary.LittleEndian.Uint32(raw))
		case 8:
			order.PutUint64(raw, binary.LittleEndian.Uint64(raw))
		}
	}
}
