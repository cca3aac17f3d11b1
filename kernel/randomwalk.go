package kernel

import (
	"fmt"
	"math"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// RandomWalk is the geometric random walk kernel of labelled graphs (Gaertner, Flach and
// Wrobel, On Graph Kernels, 2003; Vishwanathan et al., Graph Kernels, 2010):
//
//	k(g,h) = sum over l = 0, 1, ... of Lambda^l walks_l(g,h) = e'(I - Lambda A)^-1 e
//
// where walks_l counts the pairs of walks of l steps, one in each graph, with the same
// labels from vertex to vertex; A is the adjacency matrix of the product graph, whose
// vertices are the pairs of vertices of the same label, and e is 1 for each of them.
//
// A row of A has at most the product of the largest degrees of both graphs, so the sum
// converges if Lambda is below 1/degree^2 for the largest degree of all rows: others are
// refused, and those nearer to it than 0.1 %.
//
// The system is solved by conjugate gradients without A: for X with a row for each vertex
// of g and a column for each of h, A vec(X) is A_g X A_h at the pairs of the same label,
// 0 elsewhere. With the residual r = e - (I - Lambda A)x, k is e'x + x'r up to
// r'(I - Lambda A)^-1 r <= |r|^2/(1 - Lambda degree^2), which ends the iterations.
//
// Cost: |V_g| |V_h| numbers, and |V_h| |E_g| + |V_g| |E_h| steps for each of about
// 20/sqrt(1 - Lambda degree^2) iterations at most.
type RandomWalk struct{ Lambda float64 }

var (
	_ Sized      = RandomWalk{}
	_ structured = RandomWalk{}
)

const (
	mostWalked   = 0.999 // of Lambda degree^2
	mostVertices = 2048  // so that a value takes at most 170 MB
)

func init() {
	kernels.Register(registry.Entry[Kernel]{Name: "random-walk", Summary: "common walks of labelled vertices, each step costs a factor lambda, below 1/degree^2; lambda=0.05; rows are graphs",
		New: func(p *registry.Params) (Kernel, error) {
			return RandomWalk{p.Float("lambda", 0.05, "a number > 0 and < 1", func(x float64) bool { return x > 0 && x < 1 })}, nil
		}})
}

// Structure is that of graphs.
func (RandomWalk) Structure() structure.Kind { return structure.Graphs }

// Prepare refuses rows that are no graphs, too large ones, and such degrees that the sum
// over all walks may be infinite.
func (k RandomWalk) Prepare(x matrix.Matrix, _ int) (matrix.Matrix, error) {
	row, worst, degree := 0, 0, 0
	x, err := graphs("random-walk", x, func(g structure.Graph) error {
		row++
		if len(g.Labels) > mostVertices {
			return fmt.Errorf("found a graph of %d vertices, expected at most %d", len(g.Labels), mostVertices)
		}
		for _, d := range g.Degrees() {
			if d > degree {
				worst, degree = row, d
			}
		}
		return nil
	})
	if err == nil && k.reach(degree) > mostWalked {
		square := float64(degree) * float64(degree)
		return nil, fmt.Errorf("kernel \"random-walk\": row %d: found a vertex of degree %d and lambda=%g, expected lambda below %g/%d^2, for the sum over walks to be finite: try lambda=%.2g", worst, degree, k.Lambda, mostWalked, degree, 0.5/square)
	}
	return x, err
}

// reach bounds the largest eigenvalue of Lambda A, A being of graphs of such degrees.
func (k RandomWalk) reach(degree int) float64 {
	return float64(k.Lambda * float64(degree) * float64(degree))
}

// walked is a graph as walks need it: the labels, and the neighbours of vertex v, from
// near[start[v]] on, an edge that stands twice as two.
type walked struct {
	labels      []float32
	start, near []int
	degree      int // the largest
}

func newWalked(g structure.Graph) walked {
	degrees := g.Degrees()
	w := walked{labels: g.Labels, start: make([]int, len(degrees)+1)}
	for v, d := range degrees {
		w.start[v+1] = w.start[v] + d
		w.degree = max(w.degree, d)
	}
	w.near = make([]int, w.start[len(degrees)])
	place := append([]int{}, w.start...)
	for i := 0; i < len(g.Ends); i += 2 {
		u, v := int(g.Ends[i])-1, int(g.Ends[i+1])-1
		w.near[place[u]] = v
		if place[u]++; u != v {
			w.near[place[v]] = u
			place[v]++
		}
	}
	return w
}

// Eval returns the value; NaN if a row is not a graph, or is a graph that Prepare refuses.
func (k RandomWalk) Eval(x, y matrix.Vector) float64 {
	s, t := ordered(structure.Symbols(x), structure.Symbols(y))
	first, err := structure.ReadGraph(s)
	second, other := structure.ReadGraph(t)
	if err != nil || other != nil || max(len(first.Labels), len(second.Labels)) > mostVertices {
		return math.NaN()
	}
	g, h := newWalked(first), newWalked(second)
	degree := max(g.degree, h.degree)
	if !(k.reach(degree) <= mostWalked) {
		return math.NaN()
	}
	w := walks{g: g, h: h, lambda: k.Lambda, width: len(h.labels)}
	return w.solve(1 - k.reach(degree))
}

// walks is the system of two graphs. Its vectors have a number for each vertex of g and,
// beside each other, of h.
type walks struct {
	g, h   walked
	lambda float64
	width  int // the vertices of h

	x, r, p, product, half []float64
}

var walkNumbers sync.Pool // *[]float64

// solve returns the value; no eigenvalue of the matrix of the system is below least.
func (w *walks) solve(least float64) float64 {
	n := len(w.g.labels) * w.width
	scratch, ok := walkNumbers.Get().(*[]float64)
	if !ok || cap(*scratch) < 5*n {
		numbers := make([]float64, 5*n)
		scratch = &numbers
	}
	defer walkNumbers.Put(scratch)
	all := (*scratch)[:5*n]
	clear(all)
	w.x, w.r, w.p, w.product, w.half = all[:n], all[n:2*n], all[2*n:3*n], all[3*n:4*n], all[4*n:]
	enough := 0x1p-53 * least * w.residual()
	for rounds := 0; ; rounds++ {
		w.iterate(enough)
		if w.residual(); vec.Dot64(w.r, w.r) <= enough {
			return w.value()
		}
		if rounds == 10 {
			return math.NaN()
		}
	}
}

// residual makes r = e - x + lambda A x, and returns how many pairs there are.
func (w *walks) residual() (pairs float64) {
	w.multiply(w.x)
	for u, a := range w.g.labels {
		for v, b := range w.h.labels {
			if i := u*w.width + v; a == b {
				w.r[i] = 1 - w.x[i] + float64(w.lambda*w.product[i])
				pairs++
			}
		}
	}
	return pairs
}

// iterate takes steps of conjugate gradients, from r and x, until the square of the norm
// of what should be the residual is as small as was asked.
func (w *walks) iterate(enough float64) {
	copy(w.p, w.r)
	square := vec.Dot64(w.r, w.r)
	for step := 0; square > enough && step < 4096; step++ {
		w.multiply(w.p)
		for i, p := range w.p {
			w.product[i] = p - float64(w.lambda*w.product[i])
		}
		length := square / vec.Dot64(w.p, w.product)
		vec.Axpy64(w.x, length, w.p)
		vec.Axpy64(w.r, -length, w.product)
		next := vec.Dot64(w.r, w.r)
		ratio := next / square
		for i, r := range w.r {
			w.p[i] = r + float64(ratio*w.p[i])
		}
		square = next
	}
}

// multiply makes product = A z.
func (w *walks) multiply(z []float64) {
	m := w.width
	for u, a := range w.g.labels {
		half, product := w.half[u*m:(u+1)*m], w.product[u*m:(u+1)*m]
		clear(half)
		for _, other := range w.g.near[w.g.start[u]:w.g.start[u+1]] {
			vec.Axpy64(half, 1, z[other*m:(other+1)*m])
		}
		for v, b := range w.h.labels {
			sum := 0.0
			if a == b {
				for _, other := range w.h.near[w.h.start[v]:w.h.start[v+1]] {
					sum += half[other]
				}
			}
			product[v] = sum
		}
	}
}

// value returns e'x + x'r, row by row.
func (w *walks) value() (total float64) {
	for u := range w.g.labels {
		sum := 0.0
		for i := u * w.width; i < (u+1)*w.width; i++ {
			sum += w.x[i] + float64(w.x[i]*w.r[i])
		}
		total += sum
	}
	return total
}

// degree is the largest that rows of so many stored values can have.
func (k RandomWalk) degree(terms int) int {
	d := int(min(math.Sqrt(mostWalked/k.Lambda), 1<<20)) + 1 // rounded
	for k.reach(d) > mostWalked {
		d--
	}
	return min(d, terms)
}

// Size bounds the sum over walks: n vertices have n^2 pairs, and e ends of edges, n + e < m,
// at most e^2 degree^(2l-2) pairs of walks of l steps. It is largest with vertices alone or
// with ends alone: m^2, or m^2 Lambda/(1 - Lambda degree^2).
func (k RandomWalk) Size(terms int, _ float64) float64 {
	m := float64(terms)
	return m * m * max(1, k.Lambda/(1-k.reach(k.degree(terms)))) * (1 + 1e-12)
}

// Relative follows the roundings of the residual r, one of the size of x, through the
// inverse: x has at most the norm sqrt(pairs)/(1 - Lambda degree^2), and x'r is wrong by
// their part of 2 x'x, which is at most 2 k/(1 - Lambda degree^2).
func (k RandomWalk) Relative(terms int, _, _ float64) float64 {
	degree := float64(k.degree(terms))
	least := 1 - k.reach(k.degree(terms))
	rounded := (2*degree + 2) * unit // of 1 - x + Lambda A x, of these three
	all := rounded * (1 + 2.1/least)
	squared := 2 * (unit + all*all/least)
	return (squared + 2.1*rounded/least + float64(2*terms+4)*unit) * 1.01
}

// Error is Relative times the sizes.
func (k RandomWalk) Error(terms int, xx, yy float64) float64 { return errorOf(k, terms, xx, yy) }
