package printing

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestShort(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 9999: "9999", 10000: "10 k", 61800: "62 k", 789341746: "789 M", 9999499: "9999 k", 9999500: "10 M", 1 << 62: "4612 P"} {
		if got := Short(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestWord: arguments are as shells take them.
func TestWord(t *testing.T) {
	for arg, want := range map[string]string{"a/b-1.csv.gz": "a/b-1.csv.gz", "@text:n=3,d=2": "@text:n=3,d=2", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "": "''", "a\nb": `"a\nb"`} {
		if got := Word(arg); got != want {
			t.Errorf("%q: found %s, expected %s", arg, got, want)
		}
	}
}

// TestWriteCSV: counts are in all their digits, and what is not finite is empty.
func TestWriteCSV(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	rows := []struct {
		X float64 `json:"x"`
		N int     `json:"n"`
		Y string  `json:"y"`
	}{{0.5, 1000000, ""}, {math.NaN(), 2, ""}}
	if err := WriteCSV(path, []string{"n", "x"}, rows); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "n,x\n1000000,0.5\n2,\n" {
		t.Errorf("found %q, %v", text, err)
	}
}
