package generate

import (
	"math"
	"slices"
	"sort"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
)

func init() {
	register("text", "sparse documents with Zipf's word frequencies (n=20000,d=50000,nnz=60,classes=2,signal=0.25,noise=0.02,seed=1,skip=0)", newText)
}

// text makes documents as a topic model would write them, and weighs the words
// as text is usually weighed.
//
// Words have ranks r = 0, 1, ..., d-1 and are used with frequency
// z_r ~ 1/(r + 2.7) (Zipf's law as corrected by Mandelbrot). The most frequent
// words are common to all classes. The others come in blocks of 2k neighbours
// of nearly equal frequency: the first k belong to one class each, the other k
// to nobody. A document of class y draws each word from z; with probability
// signal it takes y's own word of the same block instead. It goes on until it
// has m distinct words, m uniform in [nnz/2, 3nnz/2]. Then
//
//	x_j ~ (1 + log count_j) (1 + log 1/min(1, nnz z_j)),   |x| = 1,
//
// that is tf-idf with the true instead of counted document frequencies, so
// that a row does not depend on other rows. At last, with probability noise,
// the label is replaced by another one. Columns are the words in random order.
//
// With the defaults a linear model reaches 90 to 95 % on new documents: rare
// words tell the class but are rarely met, and noise bounds the rest.
type text struct {
	extent
	nnz           int
	signal, noise float64
	labels        []string
	common        int       // ranks below are common to all classes
	upTo          []float64 // by rank: z summed over the ranks up to it
	column        []uint32  // by rank: the word's column
	idf           []float64 // by column
}

func newText(p *registry.Params) (Generator, error) {
	g := &text{extent: newExtent(p, 20000)}
	d := p.Int("d", 50000, 10, 1<<24)
	g.nnz = p.Int("nnz", min(60, max(d/2, 1)), 1, max(d/2, 1))
	return g, g.finish(p, d, 0.25)
}

// finish reads the parameters of classes, with the usual signal, and draws the hidden model of d words.
func (g *text) finish(p *registry.Params, d int, signal float64) error {
	classes := p.Int("classes", 2, 2, min(max(d/4, 2), 10000))
	g.signal = amount(p, "signal", signal, 1)
	g.noise = amount(p, "noise", 0.02, 1)
	if err := p.Err(); err != nil {
		return err
	}
	g.labels = classNames(classes)
	g.common = min(50, d/10)
	g.makeWords(d)
	return nil
}

// makeWords draws the hidden model: which word is how frequent.
func (g *text) makeWords(d int) {
	g.column = make([]uint32, d)
	g.upTo = make([]float64, d)
	g.idf = make([]float64, d)
	var r Random
	r.Start(g.seed, forModel, 0)
	sum := 0.0
	for rank := range d {
		sum += 1 / (float64(rank) + 2.7)
		g.upTo[rank] = sum
		at := r.below(rank + 1) // a random order, built inside out (Fisher and Yates)
		g.column[rank] = g.column[at]
		g.column[at] = uint32(rank)
	}
	for rank, j := range g.column {
		z := 1 / (float64(rank) + 2.7) / sum
		g.idf[j] = 1 - elementary.Log(min(1, float64(float64(g.nnz)*z)))
	}
}

func (g *text) Info() Info {
	return Info{Rows: g.n, Cols: len(g.column), Skip: g.skip, Labels: g.labels}
}

func (g *text) Row(dst *Row, i int) {
	class := g.begin(dst, i)
	g.write(dst, class)
	g.weigh(dst)
}

// begin draws the class of a row, and its label.
func (g *text) begin(dst *Row, i int) (class int) {
	r := &dst.random
	r.Start(g.seed, forRow, i)
	class = r.below(len(g.labels))
	label := class
	if r.uniform() < g.noise {
		label = (class + 1 + r.below(len(g.labels)-1)) % len(g.labels)
	}
	dst.Label = g.labels[label]
	return class
}

// write fills dst.words with the words of a document, sorted by column, one
// entry each time a word is used.
func (g *text) write(dst *Row, class int) {
	distinct, wanted := 0, (g.nnz+1)/2+dst.random.below(g.nnz+1)
	dst.words = dst.words[:0]
	// Missing words are drawn in rounds; the bound on the rounds matters only
	// when nearly all words are asked for.
	for round := 0; distinct < wanted && round < 100; round++ {
		for range wanted - distinct {
			dst.words = append(dst.words, g.column[g.word(&dst.random, class)])
		}
		slices.Sort(dst.words)
		distinct = 0
		for k, j := range dst.words {
			if k == 0 || j != dst.words[k-1] {
				distinct++
			}
		}
	}
}

// word draws the rank of one word of a document of the given class.
func (g *text) word(r *Random, class int) int {
	rank := sort.SearchFloat64s(g.upTo, r.uniform()*g.upTo[len(g.upTo)-1])
	rank = min(rank, len(g.upTo)-1)
	if rank < g.common || r.uniform() >= g.signal {
		return rank
	}
	own := rank - (rank-g.common)%(2*len(g.labels)) + class
	if own >= len(g.upTo) { // the last block is incomplete
		return rank
	}
	return own
}

// weigh turns the words into a unit row.
func (g *text) weigh(dst *Row) {
	dst.sparse()
	norm := 0.0
	for from, to := 0, 0; from < len(dst.words); from = to {
		j := dst.words[from]
		for to = from; to < len(dst.words) && dst.words[to] == j; to++ {
		}
		x := (1 + elementary.Log(float64(to-from))) * g.idf[j]
		norm += float64(x * x)
		dst.X.Index = append(dst.X.Index, j)
		dst.X.Value = append(dst.X.Value, float32(x))
	}
	scale := 1 / math.Sqrt(norm)
	for k, x := range dst.X.Value {
		dst.X.Value[k] = float32(float64(x) * scale)
	}
}
