package generate

import (
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

func init() {
	register("pca-orthogonal", "axis vectors, k of them frequent; kind: sqrt, exact or scaled; no targets (n=10000,d=32,k=4,kind=sqrt,seed=1,skip=0)", newOrthogonal)
}

// orthogonal makes multiples of the axis vectors, x = c_i e_i with probability
// p_i, from the spectrum S of @pca-gaussian. Cotter's thesis prints the
// probabilities sqrt(S_i), which neither sum to 1 nor give S, so there are three
// readings:
//
//	sqrt    p_i ~ sqrt(S_i), c_i = 1: what the figures of the thesis show;
//	        the second moment is diag(p)
//	exact   p_i = S_i, c_i = 1: the second moment is S
//	scaled  p_i ~ sqrt(S_i), c_i = sqrt(S_i / p_i): the second moment is S
//
// The mean is not zero. Each row has one value.
type orthogonal struct {
	extent
	upTo   []float64 // p summed up to each axis, divided by the sum of all
	value  []float32 // c
	moment []float64
}

var _ Known = (*orthogonal)(nil)

func newOrthogonal(p *registry.Params) (Generator, error) {
	g := &orthogonal{extent: newExtent(p, 10000)}
	kind := p.Choice("kind", "sqrt", "exact", "scaled")
	spectrum, err := thesisSpectrum(p)
	if err != nil {
		return nil, err
	}
	share, sum := slices.Clone(spectrum), 0.0
	for i, s := range spectrum {
		if kind != "exact" {
			share[i] = math.Sqrt(s)
		}
		sum += share[i]
		g.upTo = append(g.upTo, sum)
	}
	for i := range share {
		g.upTo[i] /= sum
		share[i] /= sum
		g.value = append(g.value, 1)
		if kind == "scaled" { // S_i / p_i = sqrt(S_i) sum
			g.value[i] = float32(math.Sqrt(math.Sqrt(spectrum[i]) * sum))
		}
	}
	if g.moment = share; kind == "scaled" {
		g.moment = spectrum
	}
	return g, nil
}

func (g *orthogonal) Info() Info {
	return Info{Rows: g.n, Cols: len(g.upTo), Skip: g.skip, Unlabelled: true}
}

// SecondMoment implements [Known].
func (g *orthogonal) SecondMoment() *SecondMoment {
	return &SecondMoment{Diagonal: slices.Clone(g.moment)}
}

func (g *orthogonal) Row(dst *Row, i int) {
	dst.random.Start(g.seed, forRow, i)
	u := dst.random.uniform()
	axis, found := slices.BinarySearch(g.upTo, u)
	if found { // the intervals are [upTo of the axis before, upTo)
		axis++
	}
	axis = min(axis, len(g.upTo)-1)
	dst.sparse()
	dst.X.Index = append(dst.X.Index, uint32(axis))
	dst.X.Value = append(dst.X.Value, g.value[axis])
}
