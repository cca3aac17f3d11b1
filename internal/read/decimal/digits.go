package decimal

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// Digits are read eight at a time, in one register: see Lemire, "Quickly
// parsing eight digits" (2018), and Mula, "SWAR" notes. Nothing here branches
// on how many digits there are: such branches are mispredicted.

// A Window is text with at least padding bytes behind its last line break. Its
// reader must stop at that line break; then no place that it reads, which is at
// most padding bytes further on, needs to be checked.
type Window struct{ p unsafe.Pointer }

func NewWindow(padded []byte) Window { return Window{unsafe.Pointer(unsafe.SliceData(padded))} }

func (w Window) At(i int) byte { return *(*byte)(unsafe.Add(w.p, i)) }

// Digits returns the eight bytes at i, the first in the lowest bits, with '0'
// to '9' turned into 0 to 9 and no other byte into those.
func (w Window) Digits(i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(w.p, i))[:]) ^ 0x3030303030303030
}

// DigitBits returns eight times the number of bytes, up to 8, that are digits
// and stand before all others. The sum may carry, but only into later bytes.
func DigitBits(x uint64) uint {
	return uint(bits.TrailingZeros64((x|(x+0x7676767676767676))&0x8080808080808080)) &^ 7
}

// number returns what eight digits spell.
func number(x uint64) uint64 {
	x = x*10 + x>>8
	x = (x & 0x00ff00ff00ff00ff) * (100<<16 + 1) >> 16
	return (x & 0x0000ffff0000ffff) * (10000<<32 + 1) >> 32
}

// Leading returns what the first digits spell, of which there are bits/8 from
// 1 to 8.
func Leading(x uint64, bits uint) uint64 { return number(x << ((64 - bits) & 63)) }

var wholeTens = [16]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// ShortNumber reads a number of the common spelling at t[i:], which are at
// least padding bytes: a minus or none, one to seven digits, and perhaps a
// point and up to 15 more digits. It returns where they end, for the caller to
// see that the number ends there too; ok is false for other spellings and if
// the nearest float32 is in doubt.
func (w Window) ShortNumber(i int) (v uint32, end int, ok bool) {
	sign := uint32(0)
	if w.At(i) == '-' {
		sign = 1 << 31
		i++
	}
	whole, point := uint64(w.At(i)-'0'), i+1
	if w.At(point) != '.' || whole > 9 {
		x := w.Digits(i)
		n := DigitBits(x)
		if n-8 > 48 {
			return 0, 0, false
		}
		whole, point = Leading(x, n), i+int(n/8)
		if w.At(point) != '.' { // below 2^24, so exact
			return math.Float32bits(float32(int32(whole))) | sign, point, true
		}
	}
	x := w.Digits(point + 1)
	n := DigitBits(x)
	switch {
	case n == 0:
		return math.Float32bits(float32(int32(whole))) | sign, point + 1, true
	case n < 64:
		f := float64(int64(whole*wholeTens[n/8&15]+Leading(x, n))) / tens[n/8]
		return math.Float32bits(float32(f)) | sign, point + 1 + int(n/8), !NearMiddle(f)
	}
	y := w.Digits(point + 9)
	m := DigitBits(y)
	if m == 64 || point-i+int(m/8) > 10 {
		return 0, 0, false
	}
	mant := whole*1e8 + number(x)
	if m > 0 {
		mant = mant*wholeTens[m/8&15] + Leading(y, m)
	}
	f := float64(int64(mant)) / tens[8+m/8]
	return math.Float32bits(float32(f)) | sign, point + 9 + int(m/8), !NearMiddle(f)
}

// LongNumber reads any number at t[i:], after which at least padding bytes may
// be read behind the line break that ends it. In all else it is like
// shortNumber.
func (w Window) LongNumber(i int) (v uint32, end int, ok bool) {
	d, end, ok := w.Decimal(i)
	if !ok {
		return 0, 0, false
	}
	f, ok := d.Float32()
	return math.Float32bits(f), end, ok
}

// Decimal is longNumber before it is rounded.
func (w Window) Decimal(i int) (d decimal, end int, ok bool) {
	if b := w.At(i); b == '-' || b == '+' {
		d.neg = b == '-'
		i++
	}
	start := i
	d.mant, i = w.append(0, i)
	digits := i - start
	if w.At(i) == '.' {
		point := i + 1
		d.mant, i = w.append(d.mant, point)
		d.exp = point - i
		digits += i - point
	}
	if digits == 0 || digits > 19 {
		return d, 0, false
	}
	if w.At(i)|0x20 == 'e' {
		exp := i + 1
		minus := w.At(exp) == '-'
		if minus || w.At(exp) == '+' {
			exp++
		}
		x := w.Digits(exp)
		n := DigitBits(x)
		if n-8 > 24 { // none, or too many
			return d, 0, false
		}
		e := int(Leading(x, n))
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
func (w Window) append(mant uint64, i int) (uint64, int) {
	for {
		x := w.Digits(i)
		n := DigitBits(x)
		if n == 64 {
			mant = mant*1e8 + number(x)
			i += 8
			continue
		}
		if n > 0 {
			mant = mant*wholeTens[n/8] + Leading(x, n)
		}
		return mant, i + int(n/8)
	}
}
