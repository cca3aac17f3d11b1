package memory

import "testing"

// What is kept of an arena stays as it was written, whatever is lent later, and
// a piece of memory is given back with the last share in it.
func TestArena(t *testing.T) {
	a := NewArena(1)
	type share struct {
		m     *Block
		words []uint64
	}
	var kept []share
	for i, n := range []int{slabWords / 2, slabWords / 3, slabWords / 3, 10, 2 * slabWords, 0, slabWords / 4} {
		m := a.Lend(n)
		if len(m.Words)-m.Used < n {
			t.Fatalf("loan %d: found %d words, expected %d", i, len(m.Words)-m.Used, n)
		}
		words := m.Words[m.Used:][:n/2]
		for k := range words {
			words[k] = uint64(i + 1)
		}
		a.Keep(m, len(words))
		if len(words) > 0 {
			kept = append(kept, share{m, words})
		}
	}
	a.Close()
	for i, s := range kept {
		for _, w := range s.words {
			if w != s.words[0] || w == 0 {
				t.Fatalf("share %d was overwritten", i)
			}
		}
		if !s.m.heap && s.m.Words == nil {
			t.Fatalf("share %d: given back too early", i)
		}
		s.m.Free()
	}
	for i, s := range kept {
		if !s.m.heap && s.m.Words != nil {
			t.Errorf("share %d: not given back", i)
		}
	}
}
