package decimal

import (
	"math"
	"testing"
)

// What people write for numbers, with a decimal point and with a decimal comma.
func TestAmount(t *testing.T) {
	none := math.Inf(1)
	for _, c := range []struct {
		text         string
		point, comma float64 // none: no number
		unit         string
	}{
		{"12", 12, 12, ""}, {"-1.5", -1.5, none, ""}, {"1,5", none, 1.5, ""}, {"1,158", 1158, 1.158, ""}, {"1.158", 1.158, 1158, ""},
		{"1,158.25", 1158.25, none, ""}, {"1.158,25", none, 1158.25, ""}, {"1,158,521", 1158521, none, ""}, {"12,34,567", 1234567, none, ""}, {"1,1580", none, 1.158, ""}, {"0,158", none, .158, ""}, {"1,15,8", none, none, ""}, {"12,34", none, 12.34, ""}, {"1234,567", none, 1234.567, ""},
		{"1 158", 1158, 1158, ""}, {"1\u00a0158,5", none, 1158.5, ""}, {"1'158'521", 1158521, 1158521, ""}, {"1'158 521", none, none, ""}, {"\u00a012\u2009", 12, 12, ""}, {"−3", -3, -3, ""},
		{"$70,386", 70386, 70.386, "$"}, {"€ 3,50", none, 3.5, "€"}, {"3.50 €", 3.5, none, "€"}, {"-$5", -5, -5, "$"}, {"$-5", -5, -5, "$"}, {"($5)", -5, -5, "$"}, {"(123)", -123, -123, ""}, {"(-5)", none, none, ""}, {"--5", none, none, ""}, {"$5 kg", none, none, ""}, {"USD 12", 12, 12, "USD"},
		{"8%", 8, 8, "%"}, {"12 kg", 12, 12, "kg"}, {"3.4mm", 3.4, none, "mm"}, {"5 m²", 5, 5, "m²"}, {"90 km/h", 90, 90, "km/h"}, {"20°C", 20, 20, "°C"},
		{"1.2k", 1200, none, ""}, {"3M", 3e6, 3e6, ""}, {"$2B", 2e9, 2e9, "$"}, {"5 M", 5, 5, "M"}, {"5km", 5, 5, "km"},
		{"1.0D+03", 1000, none, ""}, {"1d2", 100, 100, ""}, {"2e-1", .2, .2, ""}, {"5d", 5, 5, "d"},
		{"1/2", none, none, ""}, {"5-7", none, none, ""}, {"<5", none, none, ""}, {"a1", none, none, ""}, {"5 to 7", none, none, ""}, {"$", none, none, ""}, {"1e999", none, none, ""}, {"", none, none, ""}, {"nan", none, none, ""}, {"()", none, none, ""},
	} {
		for point, want := range map[byte]float64{'.': c.point, ',': c.comma} {
			got, unit, ok := Amount([]byte(c.text), point)
			if ok != (want != none) || ok && (got != want || string(unit) != c.unit) {
				t.Errorf("%q, %q: found %v %q, %t, expected %v %q", c.text, point, got, unit, ok, want, c.unit)
			}
		}
	}
}

// Numbers of many digits have one spelling for each value.
func TestExact(t *testing.T) {
	for text, want := range map[string]string{
		"9007199254740993": "9007199254740993", "+9007199254740993.0": "9007199254740993", "9007199254740992": "", "9007199254740992.0": "", "-90071992547409.93E2": "-9007199254740993", "0.1000000000000000": "",
		"0.12345678901234567": "12345678901234567/100000000000000000", "0.123456789012345678": "61728394506172839/500000000000000000", "1000000000000000000": "", "0000000000000000001": "", "12": "", "1e9999999999999999": "", "a long class of words": ""} {
		if got, ok := Exact([]byte(text)); got != want || ok != (want != "") {
			t.Errorf("%q: found %q, %t, expected %q", text, got, ok, want)
		}
	}
}

// What Float64 reads, Amount reads as the same number.
func FuzzAmount(f *testing.F) {
	for _, text := range []string{"1,158.5", "$-12 345", "(1.2k)", "1.0D+03", "3.4 mm", "90071992547409.93e2"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, status := Float64(text)
		got, _, ok := Amount(text, '.')
		if ok && (!Finite(got) || status == Number && got != want) || !ok && status == Number && len(text) <= 64 {
			t.Errorf("%q: found %v, %t, expected %v", text, got, ok, want)
		}
		Amount(text, ',')
		Exact(text)
	})
}
