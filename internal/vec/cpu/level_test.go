package cpu

import "testing"

func TestChoose(t *testing.T) {
	for _, c := range []struct{ wanted, want string }{
		{"", "avx2"}, {"avx512", "avx2"}, {"portable", "portable"}, {"avx2", "avx2"}, {"sse", "avx2"},
	} {
		if got := choose([]Level{Portable, AVX2}, c.wanted); string(got) != c.want {
			t.Errorf("choose(%q) = %s, want %s", c.wanted, got, c.want)
		}
	}
}
