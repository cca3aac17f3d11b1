package dataset

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// checkNumber compares both parsers with strconv.
func checkNumber(t *testing.T, text string) {
	t.Helper()
	d, end, ok := scanDecimal([]byte(text), 0)
	_ = d
	v32, s32 := parseFloat32([]byte(text))
	v64, s64 := parseFloat64([]byte(text))
	padded := append([]byte(text), "\n................................."...)
	for name, read := range map[string]func(window, int) (uint32, int, bool){"short": window.shortNumber, "long": window.longNumber} {
		if bits, end, ok := read(newWindow(padded), 0); ok && end == len(text) {
			if want, err := strconv.ParseFloat(text, 32); err != nil || bits != math.Float32bits(float32(want)) {
				t.Errorf("%q: found %v in %s, expected %v (%v)", text, math.Float32frombits(bits), name, want, err)
			}
		}
	}
	if !ok || end != len(text) {
		if s32 == isNumber || s64 == isNumber {
			t.Errorf("%q: taken for a number", text)
		}
		return
	}
	want32, err32 := strconv.ParseFloat(text, 32)
	want64, err64 := strconv.ParseFloat(text, 64)
	if (err32 == nil) != (s32 == isNumber) || err32 == nil && math.Float32bits(v32) != math.Float32bits(float32(want32)) {
		t.Errorf("%q: found %v (%v), expected %v (%v)", text, v32, s32, want32, err32)
	}
	if (err64 == nil) != (s64 == isNumber) || err64 == nil && math.Float64bits(v64) != math.Float64bits(want64) {
		t.Errorf("%q: found %v (%v), expected %v (%v)", text, v64, s64, want64, err64)
	}
}

var numberSeeds = []string{"0", "-0", "+1", "1.", ".5", "1e5", "1E-5", "16777217", "16777217.0000001", "16777216.9999999",
	"0.03807590643342406", "1e-45", "7e-46", "1.17549435e-38", "3.4028235e38", "3.4028236e38", "1e39", "1e400", "1e-400",
	"12345678901234567890", "0.00000000000000000000012345", "9007199254740993", "1e22", "1e23", "1.1754942e-38",
	"", "+", ".", "e5", "1e", "1e+", "0x1p3", "1_0", "nan", "-Inf", "infinity", "1 ", " 1", "1.2.3", "--1", "1e99999999999999999999"}

func TestNumber(t *testing.T) {
	for _, text := range numberSeeds {
		checkNumber(t, text)
	}
	for text, want := range map[string]numberStatus{"nan": isNoValue, "-INF": isNoValue, "+Infinity": isNoValue, "1e39": isHuge, "0x1p3": isText, "1_0": isText, "": isText} {
		if _, got := parseFloat32([]byte(text)); got != want {
			t.Errorf("%q: found status %d, expected %d", text, got, want)
		}
	}
	// Random numbers, and the middles between two float32, written in many lengths.
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		a := math.Float32frombits(r.Uint32())
		if a != a {
			continue
		}
		v := float64(a)
		if r.IntN(2) == 0 {
			v = (v + float64(math.Nextafter32(a, 0))) / 2
		}
		format := "eg"[r.IntN(2)]
		checkNumber(t, strconv.FormatFloat(v, format, r.IntN(24)-1, 64))
	}
}

func FuzzNumber(f *testing.F) {
	for _, text := range numberSeeds {
		f.Add(text)
	}
	f.Fuzz(checkNumber)
}
