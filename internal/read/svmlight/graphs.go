package svmlight

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Graphs is the format of labelled graphs: each line holds a label, a tab, the labels of the
// vertices, a tab and the edges, with blanks between:
//
//	+1<TAB>C C O<TAB>1-2 2-3
//
// Vertices are numbered from 1 in the order of their labels, which are words, with symbols as
// in [Tokens]; where vertices have no labels, use one word for all. Edges have no direction. An edge
// that is listed twice, as 1-2 or 2-1, counts twice, and a warning tells how many graphs have
// such edges. The ends of an edge may be one vertex. Without edges the second tab may be missing;
// a graph may have no vertices. The rows of the set are those of [structure.Graph]. Labels are
// written as numbers, which are read as the same symbols.
var Graphs = &structured{name: "graphs", extension: ".graphs", kind: structure.Graphs,
	summary:  "graphs, a row a line: label, tab, labels of the vertices, tab, edges 1-2 2-3 ...; for graph kernels",
	expected: "a label, a tab, labels of vertices, a tab and edges",
	add:      addGraph, write: appendGraph}

// addGraph makes a row of a graph.
func addGraph(out *structuredChunk, c *lines.Chunk, at int, text []byte) error {
	begin := len(out.index)
	labels, edges, _ := bytes.Cut(text, []byte{'\t'})
	count := func(int, []byte) error { out.append(begin, 0); return nil } // m, and a label less
	if err := eachWord(at, labels, count); err != nil {
		return err
	}
	vertices := len(out.index) - begin
	if vertices > structure.MaxSymbol {
		return c.Errorf(at, fmt.Sprintf("%d vertices", vertices), fmt.Sprintf("at most %d", structure.MaxSymbol))
	}
	if vertices > 0 {
		out.value[begin] = float32(vertices)
		out.append(begin, 0)
	}
	v := begin
	name := func(_ int, word []byte) error { v++; out.value[v] = out.doubts.symbol(word); return nil }
	if err := eachWord(at, labels, name); err != nil {
		return err
	}
	edgesAt := at + len(labels) + 1
	if err := eachWord(edgesAt, edges, func(at int, word []byte) error { return out.addEdge(c, at, word, begin, vertices) }); err != nil {
		return err
	}
	if repeats(out.value[min(begin+1+vertices, len(out.value)):]) {
		if out.doubts.repeated++; out.doubts.repeated == 1 {
			out.doubts.where = c.Place(at)
		}
	}
	return nil
}

// addEdge appends the ends of an edge to the row that begins at a place of all.
func (out *structuredChunk) addEdge(c *lines.Chunk, at int, word []byte, begin, vertices int) error {
	first, second, _ := bytes.Cut(word, []byte{'-'})
	u, v := structure.Number(first), structure.Number(second)
	if u == 0 || v == 0 || max(u, v) > vertices {
		expected := fmt.Sprintf("an edge such as 1-2, between vertices from 1 to %d", vertices)
		if vertices == 0 {
			expected = "no edges without vertices"
		}
		return c.Errorf(at, fault.Quote(word), expected)
	}
	out.append(begin, float32(u))
	out.append(begin, float32(v))
	return nil
}

// repeats reports whether an edge stands twice among these ends.
func repeats(ends []float32) bool {
	edges := make([]uint64, 0, len(ends)/2)
	for i := 0; i < len(ends); i += 2 {
		u, v := uint64(ends[i]), uint64(ends[i+1])
		edges = append(edges, min(u, v)<<32|max(u, v))
	}
	slices.Sort(edges)
	return len(slices.Compact(edges)) < len(ends)/2
}

// appendGraph appends row i as a graph.
func appendGraph(line []byte, row matrix.Vector, i int) ([]byte, error) {
	value, err := placed(row, i)
	if err != nil {
		return nil, err
	}
	g, err := structure.ReadGraph(value)
	if err != nil {
		return nil, fmt.Errorf("row %d: %w", i+1, err)
	}
	for v, label := range g.Labels {
		if v > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendInt(line, int64(label), 10)
	}
	line = append(line, '\t')
	for k := 0; k < len(g.Ends); k += 2 {
		if k > 0 {
			line = append(line, ' ')
		}
		line = fmt.Appendf(line, "%d-%d", int(g.Ends[k]), int(g.Ends[k+1]))
	}
	return line, nil
}
