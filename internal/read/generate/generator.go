// Package generate makes rows out of parameters and random numbers: one generator a file,
// registered from init. It imports registry, matrix, structure and vec. Begin with [Generator] and
// [Stream]; data turns what they make into sets.
package generate

import (
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Generator makes rows out of nothing but its parameters. Laws: row i is a
// function of the parameters other than n and skip, and of i, so rows can be
// made in any order, in pieces, or beyond n; it has the same bits on every
// machine. The hidden model, if there is one, depends on the seed alone, so
// rows after the first n are a test set for them.
//
// Same bits means: random numbers from PCG, one stream a row; only + - * /,
// math.Sqrt, math.Abs and vec's Log and Exp, never math.Exp or math.Sin, which
// are assembly on some machines; and float64(a*b)+c, which keeps the compiler
// from fusing.
//
// Adding a generator is one file that registers it from init.
type Generator interface {
	Info() Info
	Row(dst *Row, i int) // overwrites dst, reusing its slices
}

// Info describes the rows a generator makes.
type Info struct {
	Rows, Cols int
	Skip       int            // the first row made is this one
	Labels     []string       // the classes; nil: targets are numbers
	Unlabelled bool           // there are no targets
	Texts      bool           // rows are made from texts, and readers get the texts: see Text
	Structure  structure.Kind // the kind of data

	// Weights and Bias are the hidden linear model behind the targets; nil
	// when there is no such thing.
	Weights []float64
	Bias    float64
}

// Row is one generated row.
type Row struct {
	X      matrix.Vector
	Label  string  // its class, when Info has Labels
	Number float64 // its target, when Info has none
	Text   []byte  // of generators of texts

	random Random
	words  []uint32  // room for @text
	hidden []float64 // likewise for what a row is made from
}

var generators = registry.New[Generator]("generator")

func register(name, summary string, f func(*registry.Params) (Generator, error)) {
	generators.Register(registry.Entry[Generator]{Name: name, Summary: summary, New: f})
}

// Generators returns the registered generators, sorted by name.
func Generators() []registry.Entry[Generator] { return generators.Entries() }

// Stream makes the rows that spec describes, "@name:key=value,..." with or
// without the "@", one at a time in memory that does not grow with their
// number. The slices of a row are valid until the next one.
func Stream(spec string) (iter.Seq[Row], Info, error) {
	g, err := generators.New(strings.TrimPrefix(spec, "@"))
	if err != nil {
		return nil, Info{}, err
	}
	info := g.Info()
	return func(yield func(Row) bool) {
		var row Row
		for i := range info.Rows {
			g.Row(&row, info.Skip+i)
			if !yield(row) {
				return
			}
		}
	}, info, nil
}

// extent is what every generator is asked for: n rows beginning with row skip
// of the endless sequence that seed names.
type extent struct {
	n, skip int
	seed    uint64
}

// maxRows keeps row numbers far from overflow, whatever the size of an int.
const maxRows = min(1<<40, math.MaxInt/2)

func newExtent(p *registry.Params, n int) extent {
	return extent{
		n:    p.Int("n", n, 1, maxRows),
		skip: p.Int("skip", 0, 0, maxRows),
		seed: uint64(p.Int("seed", 1, 0, math.MaxInt)),
	}
}

// amount reads a number from 0 to most.
func amount(p *registry.Params, key string, otherwise, most float64) float64 {
	return p.Float(key, otherwise, "a number from 0 to "+strconv.FormatFloat(most, 'g', -1, 64),
		func(v float64) bool { return 0 <= v && v <= most })
}

// classNames are "-1" and "+1" for two classes, else "1", "2", ...
func classNames(k int) []string {
	if k == 2 {
		return []string{"-1", "+1"}
	}
	names := make([]string, k)
	for c := range names {
		names[c] = strconv.Itoa(c + 1)
	}
	return names
}

// use names what a stream of random numbers is for.
type use uint64

const (
	forRow   use = iota // row i
	forModel            // the hidden model
	ForOrder            // an order of rows
	ForSplit            // rows dealt out
)

// Random is the random numbers of one row or of the hidden model. Only Uint64
// of the generator is used: its sequence is part of its definition, whereas
// the methods of rand.Rand may choose differently one day.
type Random struct {
	pcg   rand.PCG
	spare float64 // second deviate of the last pair; NaN: none
}

// Start begins the stream of the i-th thing. PCG streams begun at neighbouring
// states are related, so the two words are scrambled first.
func (s *Random) Start(seed uint64, what use, i int) {
	a := scramble(seed + 0x9e3779b97f4a7c15*uint64(what+1))
	s.pcg.Seed(a, scramble(a^scramble(uint64(i))))
	s.spare = math.NaN()
}

// scramble is the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// uniform is one of the 2^53 multiples of 2^-53 in [0, 1).
func (s *Random) uniform() float64 { return float64(s.pcg.Uint64()>>11) * 0x1p-53 }

// below is a whole number in [0, n); its bias is below n/2^64.
func (s *Random) below(n int) int {
	hi, _ := bits.Mul64(s.pcg.Uint64(), uint64(n))
	return int(hi)
}

// normal is a standard normal deviate by Marsaglia's polar method: a point in
// the unit disc gives two. The ziggurat of math/rand would be faster, but its
// tail calls math.Exp and math.Log; Box and Muller need a sine.
func (s *Random) normal() float64 {
	if v := s.spare; v == v {
		s.spare = math.NaN()
		return v
	}
	for {
		u, v := float64(2*s.uniform())-1, float64(2*s.uniform())-1
		q := float64(u*u) + float64(v*v)
		if q >= 1 || q == 0 {
			continue
		}
		scale := math.Sqrt(-2 * elementary.Log(q) / q)
		s.spare = float64(v * scale)
		return float64(u * scale)
	}
}

// direction fills w with a random unit vector.
func (s *Random) direction(w []float64) {
	for {
		for j := range w {
			w[j] = s.normal()
		}
		if norm := math.Sqrt(vec.SquaredNorm64(w)); norm > 0 {
			for j := range w {
				w[j] /= norm
			}
			return
		}
	}
}

// dense makes dst a dense row of d values and returns them.
func (dst *Row) dense(d int) []float32 {
	if cap(dst.X.Value) < d {
		dst.X.Value = make([]float32, d)
	}
	dst.X = matrix.Vector{Value: dst.X.Value[:d]}
	return dst.X.Value
}

// sparse makes dst an empty sparse row, to be appended to.
func (dst *Row) sparse() {
	if dst.X.Index == nil {
		dst.X.Index = []uint32{}
	}
	dst.X = matrix.Vector{Index: dst.X.Index[:0], Value: dst.X.Value[:0]}
}

// Permutation is the numbers from 0 to n-1 in random order.
func (s *Random) Permutation(n int) []int {
	order := make([]int, max(n, 0))
	for i := range order { // built inside out
		j := s.below(i + 1)
		order[i] = order[j]
		order[j] = i
	}
	return order
}
