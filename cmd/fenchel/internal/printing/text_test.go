package printing

import "testing"

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
