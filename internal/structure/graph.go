package structure

import "fmt"

// A Graph is undirected, with a label at each vertex.
//
// As a row of m vertices it is m, the labels of the vertices 1..m, and then the two ends of
// each edge, all of them whole numbers from 1 on; so a path of three vertices with the labels
// 7, 8, 7 is
//
//	3  7 8 7  1 2  2 3
//
// Zeros are left out as in sequences, and the graph without vertices is the row without
// values. An edge that stands twice is two; both ends of one may be the same vertex.
type Graph struct {
	Labels []float32 // of the vertices
	Ends   []float32 // of the edges, two each, from 1
}

// ReadGraph takes the symbols of a row apart. It refuses what is no graph.
func ReadGraph(row []float32) (Graph, error) {
	if len(row) == 0 {
		return Graph{}, nil
	}
	m := int(row[0])
	if m < 1 || len(row) <= m || (len(row)-1-m)%2 != 0 {
		return Graph{}, fmt.Errorf("found %d vertices and then %d numbers, expected their labels and two ends of each edge", m, len(row)-1)
	}
	for _, end := range row[1+m:] {
		if int(end) < 1 || int(end) > m {
			return Graph{}, fmt.Errorf("found an edge to vertex %g of %d", end, m)
		}
	}
	return Graph{row[1 : 1+m], row[1+m:]}, nil
}

// AppendRow appends the symbols of the row of g.
func (g Graph) AppendRow(dst []float32) []float32 {
	if len(g.Labels) == 0 {
		return dst
	}
	return append(append(append(dst, float32(len(g.Labels))), g.Labels...), g.Ends...)
}

// Degrees returns how many edges each vertex has, those that lead back to it once.
func (g Graph) Degrees() []int {
	degree := make([]int, len(g.Labels))
	for i := 0; i < len(g.Ends); i += 2 {
		u, v := int(g.Ends[i])-1, int(g.Ends[i+1])-1
		if degree[u]++; u != v {
			degree[v]++
		}
	}
	return degree
}
