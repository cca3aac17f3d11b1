package dataset

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// Digits are read eight at a time, in one register: see Lemire, "Quickly
// parsing eight digits" (2018), and Mula, "SWAR" notes. Nothing here branches
// on how many digits there are, which no processor can foretell.

// A window is text with at least padding bytes behind its last line break. Its
// reader must stop at that line break; then no place it looks at, which is at
// most padding bytes further on, needs to be checked.
type window struct{ p unsafe.Pointer }

func newWindow(padded []byte) window { return window{unsafe.Pointer(unsafe.SliceData(padded))} }

func (w window) at(i int) byte { return *(*byte)(unsafe.Add(w.p, i)) }

// digits returns the eight bytes at i, the first in the lowest bits, with '0'
// to '9' turned into 0 to 9 and no other byte into those.
func (w window) digits(i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(w.p, i))[:]) ^ 0x3030303030303030
}

// digitBits returns eight times the number of bytes, up to 8, that are digits
// and stand before all others. The sum may carry, but only into later bytes.
func digitBits(x uint64) uint {
	return uint(bits.TrailingZeros64((x|(x+0x7676767676767676))&0x8080808080808080)) &^ 7
}

// number returns what eight digits spell.
func number(x uint64) uint64 {
	x = x*10 + x>>8
	x = (x & 0x00ff00ff00ff00ff) * (100<<16 + 1) >> 16
	return (x & 0x0000ffff0000ffff) * (10000<<32 + 1) >> 32
}

// leading returns what the first digits spell, of which there are bits/8 from
// 1 to 8.
func leading(x uint64, bits uint) uint64 { return number(x << ((64 - bits) & 63)) }

var wholeTens = [16]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// shortNumber reads a number of the common spelling at t[i:], which are at
// least padding bytes: a minus or none, one to seven digits, and perhaps a
// point and up to 15 more digits. It returns where they end, for the caller to
// see that the number ends there too; ok is false for other spellings and if
// the nearest float32 is in doubt.
func (w window) shortNumber(i int) (v uint32, end int, ok bool) {
	sign := uint32(0)
	if w.at(i) == '-' {
		sign = 1 << 31
		i++
	}
	whole, point := uint64(w.at(i)-'0'), i+1
	if w.at(point) != '.' || whole > 9 {
		x := w.digits(i)
		n := digitBits(x)
		if n-8 > 48 {
			return 0, 0, false
		}
		whole, point = leading(x, n), i+int(n/8)
		if w.at(point) != '.' { // below 2^24, so exact
			return math.Float32bits(float32(int32(whole))) | sign, point, true
		}
	}
	x := w.digits(point + 1)
	n := digitBits(x)
	switch {
	case n == 0:
		return math.Float32bits(float32(int32(whole))) | sign, point + 1, true
	case n < 64:
		f := float64(int64(whole*wholeTens[n/8&15]+leading(x, n))) / tens[n/8]
		return math.Float32bits(float32(f)) | sign, point + 1 + int(n/8), !nearMiddle(f)
	}
	y := w.digits(point + 9)
	m := digitBits(y)
	if m == 64 || point-i+int(m/8) > 10 {
		return 0, 0, false
	}
	mant := whole*1e8 + number(x)
	if m > 0 {
		mant = mant*wholeTens[m/8&15] + leading(y, m)
	}
	f := float64(int64(mant)) / tens[8+m/8]
	return math.Float32bits(float32(f)) | sign, point + 9 + int(m/8), !nearMiddle(f)
}

// longNumber reads any number at t[i:], after which at least padding bytes may
// be read behind the line break that ends it. In all else it is like
// shortNumber.
func (w window) longNumber(i int) (v uint32, end int, ok bool) {
	d, end, ok := w.decimal(i)
	if !ok {
		return 0, 0, false
	}
	f, ok := d.float32()
	return math.Float32bits(f), end, ok
}

// decimal is longNumber before it is rounded.
func (w window) decimal(i int) (d decimal, end int, ok bool) {
	if b := w.at(i); b == '-' || b == '+' {
		d.neg = b == '-'
		i++
	}
	start := i
	d.mant, i = w.append(0, i)
	digits := i - start
	if w.at(i) == '.' {
		point := i + 1
		d.mant, i = w.append(d.mant, point)
		d.exp = point - i
		digits += i - point
	}
	if digits == 0 || digits > 19 {
		return d, 0, false
	}
	if w.at(i)|0x20 == 'e' {
		exp := i + 1
		minus := w.at(exp) == '-'
		if minus || w.at(exp) == '+' {
			exp++
		}
		x := w.digits(exp)
		n := digitBits(x)
		if n-8 > 24 { // none, or too many
			return d, 0, false
		}
		e := int(leading(x, n))
		if minus {
			e = -e
		}
		d.exp += e
		i = exp + int(n/8)
	}
	return d, i, true
}

// append reads all digits at t[i:] and returns where they end; mant is what
// the digits before them and they spell, modulo 2^64.
func (w window) append(mant uint64, i int) (uint64, int) {
	for {
		x := w.digits(i)
		n := digitBits(x)
		if n == 64 {
			mant = mant*1e8 + number(x)
			i += 8
			continue
		}
		if n > 0 {
			mant = mant*wholeTens[n/8] + leading(x, n)
		}
		return mant, i + int(n/8)
	}
}
