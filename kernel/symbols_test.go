package kernel_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// row encodes a text as a row of code points.
func row(text string) (v matrix.Vector) {
	for _, r := range text {
		v.Value = append(v.Value, float32(r))
	}
	return v
}

func TestStringsByHand(t *testing.T) {
	const l = 0.5 // powers are exact
	for _, c := range []struct {
		spec, s, t string
		want       float64
	}{
		{"ssk:p=2,lambda=0.5", "cat", "car", l * l * l * l},
		{"ssk:p=2,lambda=0.5", "cat", "cat", 2*l*l*l*l + l*l*l*l*l*l},
		{"ssk:p=2,lambda=1", "aaa", "aa", 3},
		{"ssk:p=1,lambda=1", "abca", "axa", 4},
		{"ssk:p=4,lambda=0.5", "cat", "cats", 0},
		{"ssk", "", "cat", 0},
		{"ssk:p=3,lambda=0.5", "été", "été", l * l * l * l * l * l},
		{"spectrum:p=2", "cat", "car", 1},
		{"spectrum:p=1", "banana", "nab", 6},
		{"spectrum:p=2", "banana", "anan", 2*2 + 2*1}, // an: 2 and 2, na: 2 and 1
		{"spectrum:p=3", "aaaaa", "aaaa", 6},
		{"spectrum", "ab", "abc", 0},
		{"spectrum", "", "", 0},
		{"normalised(spectrum:p=1)", "ab", "a", 1 / math.Sqrt2},
		{"normalised(ssk:p=2)", "a", "abc", 0},
		{"spectrum:p=1 + 2*spectrum:p=2", "cat", "car", 4},
	} {
		k, err := kernel.New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Eval(row(c.s), row(c.t)); math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("%s: k(%q, %q) = %v, want %v", c.spec, c.s, c.t, got, c.want)
		}
	}
}

// features are those of SSK by its definition: for each string of p symbols the
// sum over the places where it stands of lambda^span.
func features(s []float32, p int, lambda float64) map[string]*big.Float {
	phi := map[string]*big.Float{}
	var choose func(from, first int, u string)
	choose = func(from, first int, u string) {
		if len(u) == p {
			weight := number(1)
			for range from - first {
				weight.Mul(weight, number(lambda))
			}
			if phi[u] == nil {
				phi[u] = fresh()
			}
			phi[u].Add(phi[u], weight)
			return
		}
		for i := from; i < len(s); i++ {
			if s[i] != 0 {
				start := first
				if u == "" {
					start = i
				}
				choose(i+1, start, u+string(rune(s[i])))
			}
		}
	}
	choose(0, 0, "")
	return phi
}

func bruteForce(p int, lambda float64) func(s, t []float32) *big.Float {
	return func(s, t []float32) *big.Float {
		sum, other := fresh(), features(t, p, lambda)
		for u, a := range features(s, p, lambda) {
			if b := other[u]; b != nil {
				sum.Add(sum, fresh().Mul(a, b))
			}
		}
		return sum
	}
}

// texts is rows of up to most symbols of a small alphabet, some of them empty.
func texts(r *rand.Rand, n, most int) *matrix.Dense {
	x := &matrix.Dense{Rows: n, Cols: most, Value: make([]float32, n*most)}
	for i := range n {
		for j := range r.IntN(most + 1) {
			x.Value[i*most+j] = float32('a' + r.IntN(3))
		}
	}
	return x
}

// The dynamic program is the definition, on 200 pairs (K8).
func TestSSKIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for trial := range 200 {
		k := kernel.SSK{P: 1 + r.IntN(4), Lambda: 1 - r.Float64()}
		x := texts(r, 2, 9)
		want, _ := bruteForce(k.P, k.Lambda)(x.Row(0).Value, x.Row(1).Value).Float64()
		if got := k.Eval(x.Row(0), x.Row(1)); math.Abs(got-want) > 1e-12*want {
			t.Errorf("trial %d: %v: k(%v, %v) = %v, want %v", trial, k, x.Row(0), x.Row(1), got, want)
		}
	}
}

func TestSpectrumIsItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for trial := range 300 {
		k := kernel.Spectrum{P: 1 + r.IntN(4)}
		x := texts(r, 2, 60)
		text := func(i int) string {
			var b strings.Builder
			for _, v := range x.Row(i).Value {
				if v != 0 {
					b.WriteRune(rune(v))
				}
			}
			return b.String()
		}
		s, u, want := text(0), text(1), 0.0
		for i := 0; i+k.P <= len(s); i++ {
			for j := 0; j+k.P <= len(u); j++ {
				if s[i:i+k.P] == u[j:j+k.P] {
					want++
				}
			}
		}
		if got := k.Eval(x.Row(0), x.Row(1)); got != want {
			t.Errorf("trial %d: p = %d: k(%q, %q) = %v, want %v", trial, k.P, s, u, got, want)
		}
	}
}

func TestStringLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 10))
	for _, k := range []kernel.SSK{{P: 1, Lambda: 1}, {P: 2, Lambda: 0.5}, {P: 3, Lambda: 0.8}, {P: 3, Lambda: 1}, {P: 5, Lambda: 0.01}} {
		if err := conform.Kernel(k, texts(r, 20, 8), bruteForce(k.P, k.Lambda)); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
	for _, spec := range []string{"ssk", "ssk:p=7,lambda=0.9", "spectrum:p=1", "spectrum:p=4", "normalised(ssk)", "normalised(spectrum:p=2) + ssk:p=2"} {
		k, err := kernel.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := conform.Kernel(k, texts(r, 40, 50), nil); err != nil {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// With lambda near 0 the scaled subsequence kernel is the spectrum kernel.
func TestSSKWithoutGapsIsSpectrum(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 11))
	x := texts(r, 20, 30)
	const lambda, p = 1e-6, 3
	for i := range 20 {
		for j := range 20 {
			scaled := kernel.SSK{P: p, Lambda: lambda}.Eval(x.Row(i), x.Row(j)) / math.Pow(lambda, 2*p)
			if want := (kernel.Spectrum{P: p}).Eval(x.Row(i), x.Row(j)); math.Abs(scaled-want) > 1e-3 {
				t.Errorf("rows %d and %d: %v, want %v", i, j, scaled, want)
			}
		}
	}
}

func TestNoSymbolsAreRefused(t *testing.T) {
	for _, v := range []float32{-1, 0.5, 1<<24 + 2} {
		x := &matrix.Dense{Rows: 2, Cols: 2, Value: []float32{1, 2, 3, v}}
		for _, name := range []string{"ssk", "spectrum", "wl", "mismatch", "random-walk"} {
			k, err := kernel.New(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = gram.NewGram(k, x, gram.Options{})
			if want := `kernel "` + name + `": row 2, column 2: found `; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s, %g: error %v, want %s...", name, v, err, want)
			}
		}
	}
}
