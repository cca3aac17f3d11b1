package kernel_test

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// near counts for every word of an alphabet a, b, ... the substrings of s that differ from
// it in at most m places: the definition.
func near(s []float32, p, m, alphabet int) map[string]float64 {
	var text []byte
	for _, v := range s {
		if v != 0 {
			text = append(text, byte(v))
		}
	}
	count := map[string]float64{}
	word := make([]byte, p)
	var spell func(at int)
	spell = func(at int) {
		if at < p {
			for letter := range alphabet {
				word[at] = byte('a' + letter)
				spell(at + 1)
			}
			return
		}
		for from := 0; from+p <= len(text); from++ {
			differ := 0
			for i, letter := range word {
				if text[from+i] != letter {
					differ++
				}
			}
			if differ <= m {
				count[string(word)]++
			}
		}
	}
	spell(0)
	return count
}

func mismatches(k kernel.Mismatch) func(s, t []float32) *big.Float {
	return func(s, t []float32) *big.Float {
		sum, other := fresh(), near(t, k.P, k.M, k.Alphabet)
		for word, n := range near(s, k.P, k.M, k.Alphabet) {
			sum.Add(sum, number(n*other[word]))
		}
		return sum
	}
}

// The value is the inner product of the counts of all words of the alphabet.
func TestMismatchIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 12))
	for _, k := range []kernel.Mismatch{{P: 1, M: 0, Alphabet: 3}, {P: 1, M: 1, Alphabet: 3}, {P: 2, M: 1, Alphabet: 4}, {P: 3, M: 0, Alphabet: 3}, {P: 3, M: 1, Alphabet: 5},
		{P: 3, M: 2, Alphabet: 3}, {P: 3, M: 3, Alphabet: 4}, {P: 5, M: 2, Alphabet: 3}} {
		if err := conform.Kernel(k, texts(r, 12, 9), mismatches(k)); err != nil {
			t.Errorf("%+v: %v", k, err)
		}
	}
	for _, spec := range []string{"mismatch", "mismatch:p=8,m=2,alphabet=4", "normalised(mismatch:p=4)", "mismatch + spectrum:p=2"} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := conform.Kernel(k, texts(r, 40, 50), nil); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// Without mismatches it is the spectrum kernel; and long strings, counted by what their
// substrings have in common, have the value of short ones, counted along diagonals: k is
// additive in the substrings of s.
func TestLongMismatch(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 13))
	x := texts(r, 2, 5000)
	for i := range x.Value {
		x.Value[i] = float32('a' + r.IntN(3))
	}
	long, other := x.Row(0), x.Row(1)
	if got, want := (kernel.Mismatch{P: 4, Alphabet: 3}).Eval(long, other), (kernel.Spectrum{P: 4}).Eval(long, other); got != want {
		t.Errorf("without mismatches: found %v, expected %v of the spectrum kernel", got, want)
	}
	k := kernel.Mismatch{P: 4, M: 1, Alphabet: 3}
	sum := 0.0
	for from := 0; from < 5000; from += 50 {
		sum += k.Eval(matrix.Vector{Value: long.Value[from:min(from+53, 5000)]}, other)
	}
	if got := k.Eval(long, other); got != sum {
		t.Errorf("found %v, and %v of its parts", got, sum)
	}
}

func TestMismatchParameters(t *testing.T) {
	if _, err := kernel.New("mismatch:p=2,m=3"); err == nil || err.Error() != `kernel "mismatch": m=3: expected at most p=2` {
		t.Errorf("found %v", err)
	}
	x := &matrix.Dense{Rows: 2, Cols: 3, Value: []float32{1, 2, 3, 4, 0, 5}}
	if _, err := kernel.Prepare(kernel.Mismatch{P: 2, M: 1, Alphabet: 5}, x, 0); err != nil {
		t.Error(err)
	}
	if _, err := kernel.Prepare(kernel.Mismatch{P: 2, M: 1, Alphabet: 4}, x, 0); err == nil || !strings.HasSuffix(err.Error(), "found 5 different symbols, expected at most alphabet=4") {
		t.Errorf("found %v", err)
	}
}
