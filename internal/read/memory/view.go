package memory

import (
	"encoding/binary"
	"unsafe"
)

// AsFloats is the bits of numbers as the numbers.
func AsFloats(cells []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(cells))), len(cells))
}

// AsBytes is numbers as the bytes they are in memory.
func AsBytes[T uint32 | float32 | int64 | uint64 | float64](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// LittleEndian is false on machines that cannot use the bytes of most files as they are.
var LittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// AlignedBytes makes n bytes that may be read as numbers.
func AlignedBytes(n int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, (n+7)/8)))), n)
}
