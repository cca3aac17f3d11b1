package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

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

// BenchmarkGram reports how long a value takes, of rows that are computed, of
// rows that are kept and added up, and of certificates.
func BenchmarkGram(b *testing.B) {
	for _, s := range shapes {
		b.Run("set="+s.name, func(b *testing.B) {
			x := s.draw()
			flops := 2 * float64(len(x.Value)) / float64(s.n)
			for _, threads := range []int{1, 2} {
				for _, asked := range []int{1, 16, 64, 512} {
					b.Run(fmt.Sprintf("threads=%d/do=rows/rows=%d", threads, asked), func(b *testing.B) {
						g := newGram(b, RBF{s.gamma}, x, Options{Cache: int64(asked+2) * 8 * int64(rowStride(s.n)), Threads: threads})
						rows := make([]int, asked)
						next := 0
						for b.Loop() {
							for k := range rows {
								rows[k] = next
								next = (next + 61) % s.n
							}
							g.Rows(rows)
						}
						report(b, asked*s.n, flops)
					})
				}
				b.Run(fmt.Sprintf("threads=%d/do=add/rows=512", threads), func(b *testing.B) {
					g := newGram(b, RBF{s.gamma}, x, Options{Threads: threads})
					rows, c, dst := make([]int, 512), make([]float64, 512), make([]float64, s.n)
					for k := range rows {
						rows[k], c[k] = k*61%s.n, 1e-3
					}
					values := g.Rows(rows)
					for b.Loop() {
						g.AddRows(dst, values, c)
					}
					report(b, len(rows)*s.n, 2)
				})
				b.Run(fmt.Sprintf("threads=%d/do=combine/rows=2000", threads), func(b *testing.B) {
					g := newGram(b, RBF{s.gamma}, x, Options{Threads: threads})
					beta, dst := make([]float64, s.n), make([]float64, s.n)
					for j := range 2000 {
						beta[j*s.n/2000] = 1
					}
					for b.Loop() {
						g.Combine(dst, beta)
					}
					report(b, 2000*s.n, flops)
				})
			}
		})
	}
}

func report(b *testing.B, values int, flops float64) {
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(seconds*1e9/float64(values), "ns/value")
	b.ReportMetric(float64(values)*flops/seconds/1e9, "GFLOP/s")
}

// scale makes the rows of text unit vectors, nearly.
func (s shape) scale() float32 {
	if s.name == "imdb" {
		return 0.15
	}
	return 1
}
