package safetensors

import (
	"bytes"
	"testing"
)

// TestWriteNumbers: machines of either byte order write the same file.
func TestWriteNumbers(t *testing.T) {
	defer func(was bool) { isLittleEndian = was }(isLittleEndian)
	narrow, wide := make([]float32, 10000), make([]float64, 10000)
	for i := range narrow {
		narrow[i], wide[i] = 1/float32(i+1), 1/float64(i+1)
	}
	var written [2]bytes.Buffer
	for k := range written {
		if k == 1 {
			isLittleEndian = false // the other way, which is right everywhere
		}
		for _, n := range []int{0, 1, 10000} {
			if err := writeNumbers(&written[k], narrow[:n]); err != nil {
				t.Fatal(err)
			}
			if err := writeNumbers(&written[k], wide[:n]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !bytes.Equal(written[0].Bytes(), written[1].Bytes()) {
		t.Error("other bytes")
	}
}

// TestShort: numbers that single precision holds are written as if they were in it.
func TestShort(t *testing.T) {
	for _, n := range []int{1, 4096, 10000} {
		narrow, wide := make([]float32, n), make([]float64, n)
		for i := range narrow {
			narrow[i] = 1 / float32(i+1)
			wide[i] = float64(narrow[i])
		}
		var written [2]bytes.Buffer
		for k, value := range []any{narrow, Shortest(wide)} {
			if err := Write(&written[k], nil, map[string]Tensor{"dual": {[]int{1, n}, value}}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(written[0].Bytes(), written[1].Bytes()) {
			t.Errorf("%d numbers: other bytes", n)
		}
		wide[n-1] = 0.1
		if _, ok := Shortest(wide).([]float64); !ok {
			t.Errorf("%d numbers: found one that single precision does not hold in it", n)
		}
	}
}
