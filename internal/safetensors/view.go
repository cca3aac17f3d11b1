package safetensors

import "unsafe"

// viewNumbers returns the numbers of a type that lie in raw, without copying; nil where
// memory does not hold them as they are in a file, or there are none.
func viewNumbers(dtype string, raw []byte) any {
	if !isLittleEndian || len(raw) == 0 || uintptr(unsafe.Pointer(&raw[0]))%8 != 0 {
		return nil
	}
	at, width := unsafe.Pointer(&raw[0]), dtypes[dtype]
	switch n := len(raw) / width; dtype {
	case "F32":
		return unsafe.Slice((*float32)(at), n)
	case "I64":
		return unsafe.Slice((*int64)(at), n)
	case "U32":
		return unsafe.Slice((*uint32)(at), n)
	default:
		return unsafe.Slice((*float64)(at), n)
	}
}

// newNumbers makes room for so many numbers of a type.
func newNumbers(dtype string, count int) any {
	switch dtype {
	case "F32":
		return make([]float32, count)
	case "I64":
		return make([]int64, count)
	case "U32":
		return make([]uint32, count)
	}
	return make([]float64, count)
}
