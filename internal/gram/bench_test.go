package gram

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A shape is random rows like those of a well-known set.
type shape struct {
	name           string
	n, d, nonzeros int
	gamma          float64
	column         func(r *rand.Rand, d int) int
}

var shapes = []shape{
	{"a9a", 32561, 123, 14, 0.05, func(r *rand.Rand, d int) int { return r.IntN(d) }},
	{"w8a", 49749, 300, 12, 0.1, func(r *rand.Rand, d int) int { return r.IntN(d) }},
	{"mnist", 60000, 784, 150, 0.02, middle},
	{"imdb", 25000, 40000, 136, 1, zipf},
}

// middle prefers the middle columns, as images do.
func middle(r *rand.Rand, d int) int { return (r.IntN(d) + r.IntN(d)) / 2 }

// zipf takes columns as rows of text do.
func zipf(r *rand.Rand, d int) int {
	return int(uint64(rand.NewZipf(r, 1.1, 20, uint64(d-1)).Uint64()) * 7919 % uint64(d))
}

func (s shape) draw() *matrix.CSR {
	r := rand.New(rand.NewPCG(7, 7))
	x := &matrix.CSR{Cols: s.d}
	for range s.n {
		var index []uint32
		for len(index) < s.nonzeros {
			index = append(index, uint32(s.column(r, s.d)))
		}
		slices.Sort(index)
		index = slices.Compact(index)
		value := make([]float32, len(index))
		for k := range value {
			value[k] = r.Float32() * s.scale()
		}
		x.Append(index, value)
	}
	x.Cols = s.d
	return x
}

// BenchmarkGram reports how long a value takes: of rows that are computed and
// kept, of rows that are computed and added up, of rows that were kept, and of
// certificates. What binds them: computing is bound by loads, one for every
// multiply-add, and by exp, as long as a block fits into the first cache, and
// else by the second; to write rows that are kept, and to add them, by memory.
func BenchmarkGram(b *testing.B) {
	for _, s := range shapes {
		b.Run("set="+s.name, func(b *testing.B) {
			x := s.draw()
			flops := 2 * float64(len(x.Value)) / float64(s.n)
			for _, threads := range []int{1, 2} {
				for _, rows := range []int{1, 4, 16, 64, 512} {
					s.bench(b, x, threads, "rows", rows, flops, func(g *Gram, i []int, _, _ []float64) { g.Rows(i) })
				}
				for _, rows := range []int{64, 512} {
					s.bench(b, x, threads, "update", rows, flops, func(g *Gram, i []int, c, dst []float64) {
						g.keep = false
						g.Update(dst, i, c)
					})
				}
				var kept []Row
				s.bench(b, x, threads, "add", 512, 2, func(g *Gram, i []int, c, dst []float64) {
					if kept == nil {
						kept = g.Rows(i)
					}
					g.AddRows(dst, kept, c)
				})
				s.bench(b, x, threads, "combine", 512, flops, func(g *Gram, i []int, c, dst []float64) {
					beta := make([]float64, s.n)
					for k, i := range i {
						beta[i] = c[k]
					}
					g.Combine(dst, beta)
				})
			}
		})
	}
}

// bench gives do other rows every time.
func (s shape) bench(b *testing.B, x *matrix.CSR, threads int, name string, rows int, flops float64, do func(g *Gram, rows []int, c, dst []float64)) {
	b.Run(fmt.Sprintf("threads=%d/do=%s/rows=%d", threads, name, rows), func(b *testing.B) {
		g := newGram(b, kernel.RBF{Gamma: s.gamma}, x, Options{Threads: threads, Cache: 520 << 20})
		i, c, dst, next := make([]int, rows), make([]float64, rows), make([]float64, s.n), 0
		for b.Loop() {
			for k := range i {
				i[k], c[k], next = next, 1e-3, (next+61)%s.n
			}
			do(g, i, c, dst)
		}
		seconds := b.Elapsed().Seconds() / float64(b.N)
		b.ReportMetric(seconds*1e9/float64(rows*s.n), "ns/value")
		b.ReportMetric(float64(rows*s.n)*flops/seconds/1e9, "GFLOP/s")
	})
}

// scale makes the rows of text unit vectors, nearly.
func (s shape) scale() float32 {
	if s.name == "imdb" {
		return 0.15
	}
	return 1
}

// BenchmarkScores reports how long a value takes of rows that are scored with
// 2000 support vectors and one output.
func BenchmarkScores(b *testing.B) {
	for _, s := range shapes {
		x := s.draw()
		support := &matrix.CSR{Cols: s.d, Start: x.Start[:2001], Index: x.Index[:x.Start[2000]], Value: x.Value[:x.Start[2000]]}
		scorer := NewScorer(kernel.RBF{Gamma: s.gamma}, support, [][]float64{make([]float64, 2000)})
		for _, count := range []int{1, 16, 256} {
			b.Run(fmt.Sprintf("set=%s/rows=%d", s.name, count), func(b *testing.B) {
				rows, dst := make([]matrix.Vector, count), make([]float64, count)
				for i := range rows {
					rows[i] = x.Row(3000 + i)
				}
				for b.Loop() {
					scorer.Scores(dst, rows)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*count*2000), "ns/value")
			})
		}
	}
}
