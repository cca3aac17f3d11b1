package cluster

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// Requests, answers, memories and rows go from one process to another as their fields one after another: numbers little-endian, in
// eight bytes but in slices of narrower ones; before what has a length that plus one, 0: nil; before what a pointer points to 1, 0: nil.
// Of float64 the numbers that are not 0 go alone, behind a bit for each, where that is shorter.
// Whatever bytes come, no more memory is taken than a small multiple of them: the packages of the standard library do not promise that.

// encode makes bytes of a value.
func encode(x any) ([]byte, error) { return appendValue(nil, reflect.Indirect(reflect.ValueOf(x))) }

// decode makes the value that x points to of all bytes.
func decode(raw []byte, x any) error {
	d := decoder{raw}
	err := d.value(reflect.ValueOf(x).Elem())
	if err == nil && len(d.rest) > 0 {
		err = fmt.Errorf("message: found %d bytes after its end", len(d.rest))
	}
	return err
}

// isPlain reports whether slices of such numbers are copied as they are.
func isPlain(k reflect.Kind) bool {
	switch k {
	case reflect.Uint8, reflect.Uint32, reflect.Int64, reflect.Float32, reflect.Float64:
		return true
	}
	return false
}

func appendValue(to []byte, v reflect.Value) (_ []byte, err error) {
	number := func(x uint64) []byte { return binary.LittleEndian.AppendUint64(to, x) }
	switch k := v.Kind(); k {
	case reflect.Bool:
		return append(to, map[bool]byte{true: 1}[v.Bool()]), nil
	case reflect.Int, reflect.Int64:
		return number(uint64(v.Int())), nil
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return number(v.Uint()), nil
	case reflect.Float64:
		return number(math.Float64bits(v.Float())), nil
	case reflect.String:
		return append(number(uint64(v.Len())+1), v.String()...), nil
	case reflect.Pointer:
		if v.IsNil() {
			return append(to, 0), nil
		}
		return appendValue(append(to, 1), v.Elem())
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return number(0), nil
		}
		if to = number(uint64(v.Len()) + 1); v.Type().Elem().Kind() == reflect.Float64 && k == reflect.Slice {
			return appendFloats(to, v), nil
		}
		if k == reflect.Slice && isPlain(v.Type().Elem().Kind()) {
			return binary.Append(to, binary.LittleEndian, v.Interface())
		}
		for key, value := range v.Seq2() {
			if k == reflect.Map {
				if to, err = appendValue(to, key); err != nil {
					return nil, err
				}
			}
			if to, err = appendValue(to, value); err != nil {
				return nil, err
			}
		}
		return to, nil
	case reflect.Struct:
		for i := range v.NumField() {
			if to, err = appendValue(to, v.Field(i)); err != nil {
				return nil, err
			}
		}
		return to, nil
	}
	return nil, fmt.Errorf("message: found a %s, which no message has", v.Type())
}

// appendFloats appends numbers, all or those that are not 0.
func appendFloats(to []byte, v reflect.Value) []byte {
	n, some := v.Len(), 0
	bits := func(i int) uint64 { return math.Float64bits(v.Index(i).Float()) }
	for i := range n {
		if bits(i) != 0 {
			some++
		}
	}
	if (n+7)/8+8*some >= 8*n {
		to = append(to, 0)
		for i := range n {
			to = binary.LittleEndian.AppendUint64(to, bits(i))
		}
		return to
	}
	to = append(to, 1)
	mask := len(to)
	to = append(to, make([]byte, (n+7)/8)...)
	for i := range n {
		if x := bits(i); x != 0 {
			to[mask+i/8] |= 1 << (i % 8)
			to = binary.LittleEndian.AppendUint64(to, x)
		}
	}
	return to
}

// least returns how many bytes a value of a type takes at least.
func least(t reflect.Type) (n int) {
	switch t.Kind() {
	case reflect.Bool, reflect.Pointer:
		return 1
	case reflect.Struct:
		for i := range t.NumField() {
			n += least(t.Field(i).Type)
		}
		return n
	}
	return 8
}

// decoder has the bytes that are still to be read.
type decoder struct{ rest []byte }

// take returns the next bytes.
func (d *decoder) take(n int) ([]byte, error) {
	if n > len(d.rest) {
		return nil, fmt.Errorf("message: found %d bytes, expected %d at least", len(d.rest), n)
	}
	raw := d.rest[:n]
	d.rest = d.rest[n:]
	return raw, nil
}

func (d *decoder) number() (uint64, error) {
	raw, err := d.take(8)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(raw), nil
}

// flag reads a byte that is 0 or 1.
func (d *decoder) flag() (bool, error) {
	raw, err := d.take(1)
	if err == nil && raw[0] > 1 {
		err = fmt.Errorf("message: found %d, expected 0 or 1", raw[0])
	}
	return err == nil && raw[0] == 1, err
}

// length reads how many elements of so many bytes at least follow; -1: nil.
func (d *decoder) length(each int) (int, error) {
	n, err := d.number()
	if err == nil && n > uint64(len(d.rest)/each)+1 {
		err = fmt.Errorf("message: found a length of %d, expected at most %d in %d bytes", n-1, len(d.rest)/each, len(d.rest))
	}
	return int(n) - 1, err
}

func (d *decoder) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		is, err := d.flag()
		v.SetBool(is)
		return err
	case reflect.Pointer:
		there, err := d.flag()
		if err != nil || !there {
			return err
		}
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(v.Elem())
	case reflect.String:
		n, err := d.length(1)
		if err != nil || n < 0 {
			return err
		}
		raw, err := d.take(n)
		v.SetString(string(raw))
		return err
	case reflect.Slice:
		return d.slice(v)
	case reflect.Map:
		return d.mapping(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if err := d.value(v.Field(i)); err != nil {
				return err
			}
		}
		return nil
	}
	x, err := d.number()
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(x))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(x))
	default:
		v.SetUint(x)
	}
	return err
}

// floats reads what appendFloats writes.
func (d *decoder) floats(v reflect.Value) error {
	n, err := d.number()
	if err != nil || n == 0 {
		return err
	}
	if n--; n > 8*uint64(len(d.rest)) { // a bit for each at least
		return fmt.Errorf("message: found a length of %d in %d bytes", n, len(d.rest))
	}
	sparse, err := d.flag()
	if err != nil {
		return err
	}
	mask := []byte(nil)
	if sparse {
		if mask, err = d.take((int(n) + 7) / 8); err != nil {
			return err
		}
	} else if n > uint64(len(d.rest)/8) {
		return fmt.Errorf("message: found a length of %d, expected at most %d in %d bytes", n, len(d.rest)/8, len(d.rest))
	}
	all := make([]float64, n)
	for i := range all {
		if sparse && mask[i/8]&(1<<(i%8)) == 0 {
			continue
		}
		x, err := d.number()
		if err != nil {
			return err
		}
		all[i] = math.Float64frombits(x)
	}
	v.Set(reflect.ValueOf(all).Convert(v.Type()))
	return nil
}

func (d *decoder) slice(v reflect.Value) error {
	of := v.Type().Elem()
	if of.Kind() == reflect.Float64 {
		return d.floats(v)
	}
	each, plain := least(of), isPlain(of.Kind())
	if plain {
		each = int(of.Size())
	}
	n, err := d.length(each)
	if err != nil || n < 0 {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	if plain {
		raw, err := d.take(n * each)
		if err == nil {
			_, err = binary.Decode(raw, binary.LittleEndian, v.Interface())
		}
		return err
	}
	for i := range n {
		if err := d.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) mapping(v reflect.Value) error {
	t := v.Type()
	n, err := d.length(least(t.Key()) + least(t.Elem()))
	if err != nil || n < 0 {
		return err
	}
	v.Set(reflect.MakeMap(t))
	for range n {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := d.value(key); err != nil {
			return err
		}
		if err := d.value(value); err != nil {
			return err
		}
		v.SetMapIndex(key, value)
	}
	return nil
}
