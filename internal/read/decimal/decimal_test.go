package decimal

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// checkNumber compares both parsers with strconv.
func checkNumber(t *testing.T, text string) {
	t.Helper()
	d, end, ok := Scan([]byte(text), 0)
	_ = d
	v32, s32 := Float32([]byte(text))
	v64, s64 := Float64([]byte(text))
	padded := append([]byte(text), "\n................................."...)
	for name, read := range map[string]func(Window, int) (uint32, int, bool){"short": Window.ShortNumber, "long": Window.LongNumber} {
		if bits, end, ok := read(NewWindow(padded), 0); ok && end == len(text) {
			if want, err := strconv.ParseFloat(text, 32); err != nil || bits != math.Float32bits(float32(want)) {
				t.Errorf("%q: found %v in %s, expected %v (%v)", text, math.Float32frombits(bits), name, want, err)
			}
		}
	}
	if !ok || end != len(text) {
		if s32 == Number || s64 == Number {
			t.Errorf("%q: taken for a number", text)
		}
		return
	}
	want32, err32 := strconv.ParseFloat(text, 32)
	want64, err64 := strconv.ParseFloat(text, 64)
	if (err32 == nil) != (s32 == Number) || err32 == nil && math.Float32bits(v32) != math.Float32bits(float32(want32)) {
		t.Errorf("%q: found %v (%v), expected %v (%v)", text, v32, s32, want32, err32)
	}
	if (err64 == nil) != (s64 == Number) || err64 == nil && math.Float64bits(v64) != math.Float64bits(want64) {
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
	for text, want := range map[string]Status{"nan": NoValue, "-INF": NoValue, "+Infinity": NoValue, "1e39": Huge, "0x1p3": Text, "1_0": Text, "": Text} {
		if _, got := Float32([]byte(text)); got != want {
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
