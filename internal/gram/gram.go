// Package gram holds the matrices that kernels make of sets, and what is known of them.
//
// A [Gram] is the matrix K_ij = k(x_i,x_j): a source gives values, of the kernel or of a table that has
// all; slots keep rows, those used least recently make way; a view is the matrix of some of the rows, or of
// all in double precision. A [Scorer] computes what machines predict; [Gram.Doubt] says whether a matrix is
// proved positive semidefinite; [Check], [Examine] and [Alignment] tell about a kernel what
// its values on a sample say. No kernel is named here: what it can do, it declares.
package gram

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Options say how a Gram works; none changes what its rows are, but Double.
type Options struct {
	Cache   int64 // bytes of rows to keep; 0: DefaultCache
	Threads int   // at most so many cores; 0: all
	Double  bool  // rows in double precision, also where single would do
}

// DefaultCache is how many bytes of rows are kept when nothing else is asked.
const DefaultCache = 1 << 30

// Gram is the matrix K_ij = k(x_i,x_j) of a set with itself. Its rows are
// computed when they are asked for, and some are kept. Only one goroutine
// may use Rows and Update at a time; all else is safe for concurrent use.
//
// A value has the same bits whatever it is computed together with, by however
// many threads, and whether it was kept.
type Gram struct {
	Kernel      kernel.Kernel
	X           matrix.Matrix
	SquaredNorm []float64 // of each row of X
	Terms       int       // the most values that a row of X stores
	Diagonal    []float64 // K_ii

	options  Options
	double   *store[float64]
	single   *store[float32] // nil: rows are in double precision
	kept     lru
	granted  int64 // bytes of the limit that parts may keep whatever is used here; 0: no part was made
	rows     []Row // of the last call of Rows
	keep     bool  // rows that Update makes are worth keeping
	counts   *counter
	fitted   *fitted // what the rows say of a precomputed kernel; nil: it was not asked
	parent   *Gram   // that this has some of the rows of; nil: none
	stop     *interruption
	definite struct {
		once  sync.Once
		doubt error
	}
}

type counter struct{ requested, computed, prefetched, products atomic.Int64 }

// Counts say how many values of the kernel were needed. Of these Computed - Prefetched
// were not at hand when they were asked for, which is never more than Requested.
type Counts struct {
	Requested  int64 // by solvers
	Computed   int64 // because they were not kept
	Prefetched int64 // of them, before they were asked for
	Products   int64 // inner products of rows, or of their features, that were computed for it
}

// Hits is the share of the values requested that were at hand.
func (c Counts) Hits() float64 {
	if c.Requested == 0 {
		return 0
	}
	return max(0, 1-float64(c.Computed-c.Prefetched)/float64(c.Requested)) // where a run was cut short not all may be asked for
}

// Row is a row of the matrix, in one of two precisions.
type Row struct {
	Single []float32
	Double []float64
}

// At returns element j.
func (r Row) At(j int) float64 {
	if r.Double != nil {
		return r.Double[j]
	}
	return float64(r.Single[j])
}

// NewGram checks that the kernel suits the rows, and that the cache holds two. The shift
// of a precomputed kernel is chosen here, see [Precomputed].
func NewGram(k kernel.Kernel, x matrix.Matrix, opt Options) (*Gram, error) {
	x, err := kernel.Prepare(k, x, 0)
	if err != nil {
		return nil, err
	}
	k, fitted := fit(k, x, opt.Threads)
	g, err := gramOf(k, x, opt, new(counter), new(interruption))
	if err != nil {
		return nil, err
	}
	g.fitted = fitted
	return g, nil
}

// gramOf is NewGram of prepared rows.
func gramOf(k kernel.Kernel, x matrix.Matrix, opt Options, counts *counter, stop *interruption) (*Gram, error) {
	n, _ := x.Dims()
	if n == 0 {
		return nil, errors.New("kernel: found no rows, expected at least one")
	}
	g := &Gram{Kernel: k, X: x, SquaredNorm: make([]float64, n), Diagonal: make([]float64, n), options: opt, counts: counts, stop: stop}
	parallel.Blocks(n, blockRows, opt.Threads, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := x.Row(i)
			g.SquaredNorm[i] = kernel.SquaredNorm(row)
			if inner, ok := k.(kernel.Inner); ok {
				g.Diagonal[i] = g.SquaredNorm[i]
				inner.Of(g.Diagonal[i:i+1], g.SquaredNorm[i], g.SquaredNorm[i:i+1])
			} else {
				g.Diagonal[i] = k.Eval(row, row)
			}
		}
	})
	for i, value := range g.Diagonal {
		if !(g.SquaredNorm[i] <= math.MaxFloat64) {
			return nil, fmt.Errorf("kernel: row %d: found a value that is not finite, expected finite ones", i+1)
		}
		g.Terms = max(g.Terms, x.Row(i).Nonzeros())
		if !(math.Abs(value) <= math.MaxFloat64) {
			return nil, fmt.Errorf("kernel: row %d: found the value %g with itself, expected a finite number", i+1, value)
		}
	}
	of, rows, norm := g.tiled()
	_, inner := k.(kernel.Inner)
	g.double = newStore(inDouble, of, newSet[float64](of, rows, norm, opt.Threads), opt.Threads, stop)
	g.keep = !inner || matrix.Nonzeros(rows) >= cheapTerms*int64(n)
	if inner && !opt.Double && n > fewRows && g.singleSuffices() {
		g.single = newStore(inSingle, k, newSet[float32](k, rows, g.SquaredNorm, opt.Threads), opt.Threads, stop)
		g.single.cheap = !g.keep
	}
	if _, inner := of.(kernel.Inner); inner {
		g.counts.products.Add(int64(n)) // the squared norms
	}
	return g, g.reserve()
}

// tiled returns the kernel as tiles compute it, of which rows, and their norms.
func (g *Gram) tiled() (of kernel.Kernel, rows matrix.Matrix, norm []float64) {
	switch k := g.Kernel.(type) {
	case kernel.Inner:
		return k, sparse(g.X), g.SquaredNorm
	case kernel.Overlap:
		return k, sparse(g.X), normsOf(k, g.X)
	case kernel.Featured:
		if counts, inner := k.Features(g.X); counts != nil {
			return inner, counts, normsOf(inner, counts)
		}
	}
	return g.Kernel, g.X, normsOf(g.Kernel, g.X)
}

// cheapTerms is how many values a row has at least, on average, for its kernel
// values to be fetched faster from memory than they are computed.
const cheapTerms = 40

// blockRows is the number of rows that are worked on at a time.
const blockRows = 256

// fewRows is up to how many rows are always in double precision: small problems
// can then be solved to any accuracy, and take no time in either.
const fewRows = 4096

// singleSuffices returns whether rows in single precision are good to 1/4096 of
// the largest value. Of32 takes the steps of Of, whose errors are bounded by
// Error, with a unit of 2^-24; but of the many roundings of an inner product the
// square root counts, as is likely (Higham and Mary, 2019), where the worst case
// would refuse nearly all sets. Nothing is proved with rows in single precision.
func (g *Gram) singleSuffices() bool {
	largest, norm := 0.0, 0.0
	for i, value := range g.Diagonal {
		largest, norm = max(largest, math.Abs(value)), max(norm, g.SquaredNorm[i])
	}
	terms := int(math.Ceil(math.Sqrt(float64(g.Terms))))
	return norm < 0x1p100 && g.Kernel.Error(terms, norm, norm)*0x1p29 <= 0x1p-12*largest
}

// Len returns the number of rows.
func (g *Gram) Len() int {
	if g == nil {
		return 0
	}
	return len(g.Diagonal)
}

// Threads is how many cores may be used; 0: all.
func (g *Gram) Threads() int {
	if g == nil {
		return 0
	}
	return g.options.Threads
}

// Counts returns what was counted so far.
func (g *Gram) Counts() Counts {
	return Counts{g.counts.requested.Load(), g.counts.computed.Load(), g.counts.prefetched.Load(), g.counts.products.Load()}
}

// Rows returns rows of the matrix, Capacity at most, all at once. They are valid
// until the next call.
func (g *Gram) Rows(rows []int) []Row {
	slot, missing := g.kept.use(rows)
	g.count(len(rows), len(missing), g.Len())
	g.update(nil, rows, nil, slot, missing)
	g.rows = slices.Grow(g.rows[:0], len(rows))[:len(rows)]
	for k, p := range slot {
		if g.single != nil {
			g.rows[k] = Row{Single: g.single.row(p)[:g.Len():g.Len()]}
		} else {
			g.rows[k] = Row{Double: g.double.row(p)[:g.Len():g.Len()]}
		}
	}
	return g.rows
}

// At returns K_ij, from row i, which counts as asked for where it is not at hand; else the value
// alone does.
func (g *Gram) At(i, j int) float64 {
	if g.Kept(i) {
		g.counts.requested.Add(1 - int64(g.Len()))
	}
	return g.Rows([]int{i})[0].At(j)
}

// Elements appends K_ij of some j, which count as asked for, not the rest of the row, which is kept.
func (g *Gram) Elements(dst []float64, i int, columns []int) []float64 {
	g.counts.requested.Add(int64(len(columns) - g.Len()))
	row := g.Rows([]int{i})[0]
	for _, j := range columns {
		dst = append(dst, row.At(j))
	}
	return dst
}

// Kept reports whether row i is at hand and need not be computed.
func (g *Gram) Kept(i int) bool { return g.kept.slot[i] >= 0 }

// Prefetch computes rows, Capacity at most, that are likely to be asked for soon:
// together they cost a fraction of what they cost one by one. They count as
// computed, not as requested.
func (g *Gram) Prefetch(rows []int) {
	slot, missing := g.kept.use(rows)
	g.count(0, len(missing), g.Len())
	if !g.Filled() {
		g.counts.prefetched.Add(int64(len(missing)) * int64(g.Len()))
	}
	if len(missing) > 0 {
		g.update(nil, rows, nil, slot, missing)
	}
}

// Update adds to dst the rows of the matrix, each times its element of c:
// dst[j] = fma(c[k], K[rows[k]][j], dst[j]) in the order of k. Rows that are
// computed for it are kept where that pays.
func (g *Gram) Update(dst []float64, rows []int, c []float64) {
	for len(rows) > 0 {
		part := min(len(rows), g.Capacity())
		if g.Filled() {
			part = len(rows) // none is kept
		}
		slot, missing := g.kept.find(rows[:part])
		if g.keep {
			slot, missing = g.kept.use(rows[:part])
		}
		g.count(part, len(missing), g.Len())
		g.update(dst, rows[:part], c[:part], slot, missing)
		rows, c = rows[part:], c[part:]
	}
}

// update is that of the store in the precision of the rows. What it leaves undone is not kept.
func (g *Gram) update(dst []float64, rows []int, c []float64, slot, missing []int) {
	if g.single != nil {
		g.single.update(dst, rows, c, slot, missing)
	} else {
		g.double.update(dst, rows, c, slot, missing)
	}
	if g.Cut() {
		g.kept.forget(rows, missing)
	}
}

// Square sets dst[k*len(rows)+l] to K_ij, i and j being rows[k] and rows[l].
func (g *Gram) Square(dst []float64, rows []int) {
	g.counts.requested.Add(int64(len(rows)) * int64(len(rows)))
	if g.single != nil {
		g.counts.computedOf(g.double.tiler, g.single.square(dst, rows))
	} else {
		g.counts.computedOf(g.double.tiler, g.double.square(dst, rows))
	}
}

// count counts rows of n values, of which some were missing.
func (g *Gram) count(rows, missing, n int) {
	g.counts.requested.Add(int64(rows) * int64(n))
	if g.Filled() {
		return // nothing is computed
	}
	g.counts.computedOf(g.double.tiler, int64(missing)*int64(n))
}

// computedOf counts values that were computed.
func (c *counter) computedOf(t *tiler[float64], values int64) {
	c.computed.Add(values)
	if _, inner := t.k.(kernel.Inner); inner {
		c.products.Add(values)
	}
}

// AddRows adds to each dst[j] the terms c[k]*rows[k][j], in the order of k.
func (g *Gram) AddRows(dst []float64, rows []Row, c []float64) {
	if g.single != nil {
		addRows(g.single, dst, rows, c, func(r Row) []float32 { return r.Single })
	} else {
		addRows(g.double, dst, rows, c, func(r Row) []float64 { return r.Double })
	}
}

// combined is how many rows Combine adds up before the sum goes to a compensated one: a multiple of
// how many rows a source gives at once.
const combined = 64

// Combine sets dst = K beta in double precision. Each element is off by at most chain roundings
// of the sum over j of |beta_j K_ij|, besides the errors of the values. Evaluations are not
// counted: it serves certificates. See StopWhen for what may be left undone.
//
// Of one block of rows an element is a chain of 64 multiply-adds, so its error is within
// 64 u/(1 - 64 u) of the block's sum of magnitudes, u = 2^-53. The sums of blocks are added
// exactly but for what is lost of the lost digits (Neumaier 1974; Ogita, Rump, Oishi 2005,
// proposition 4.5): of m blocks within u |sum| + 2 (m u)^2/(1 - m u)^2 of the sum of their
// magnitudes. In all that is less than 64 + 2 roundings however many rows there are, where one
// sum would have as many as rows.
func (g *Gram) Combine(dst, beta []float64) (chain int) {
	var support []int
	var c []float64
	for j, b := range beta {
		if b != 0 {
			support, c = append(support, j), append(c, b)
		}
	}
	if clear(dst); len(support) == 0 {
		return 0
	}
	part, lost := make([]float64, len(dst)), make([]float64, len(dst))
	g.double.rowsOf(support, func(values [][]float64, m, lo, hi int) {
		end := m + len(values)
		if g.double.arithmetic.add(part[lo:hi], values, 0, c[m:end]); end%combined != 0 && end < len(support) {
			return
		}
		for j, x := range part[lo:hi] {
			sum := dst[lo+j] + x
			own := sum - x // two-sum of Knuth: what the addition loses is a number
			lost[lo+j] += (dst[lo+j] - own) + (x - (sum - own))
			dst[lo+j] = sum
		}
		clear(part[lo:hi])
	})
	for j, x := range lost {
		if sum := dst[j] + x; sum == sum { // else it is infinite, and what is lost means nothing
			dst[j] = sum
		}
	}
	if len(support) <= combined {
		return len(support)
	}
	return combined + 2
}

// limit is how many bytes may be kept of the rows here and in the parts.
func (g *Gram) limit() int64 { return cmp.Or(g.options.Cache, DefaultCache) }

// reserve makes slots for as many rows as the cache holds.
func (g *Gram) reserve() error {
	var err error
	if limit := g.limit() - g.granted; g.single != nil {
		g.kept, err = g.single.reserve(limit, 4)
	} else {
		g.kept, err = g.double.reserve(limit, 8)
	}
	return err
}

// Capacity returns how many rows can be had at once.
func (g *Gram) Capacity() int { return len(g.kept.owner) }

// Filled reports whether the whole matrix is at hand.
func (g *Gram) Filled() bool {
	return g.double.stored != nil || g.single != nil && g.single.stored != nil
}
